// RUN: rm -rf %t && mkdir %t
// RUN: mapwright run %s --entry none --output-dir %t/none && mv %t/none/out0.npy %t/none/arg0.npy
// RUN: mapwright run %s --entry one --output-dir %t/one && mv %t/one/out0.npy %t/one/arg0.npy
// RUN: mapwright run %s --entry three --output-dir %t/three && mv %t/three/out0.npy %t/three/arg0.npy
// RUN: mapwright run %s --entry five --output-dir %t/five && mv %t/five/out0.npy %t/five/arg0.npy
// RUN: mapwright run %s --threads 1 --inputs %t/one --inputs %t/three --inputs %t/one | FileCheck %s
// RUN: mapwright run %s --inputs %t/one --inputs %t/three --inputs %t/one --interpret | FileCheck %s
// RUN: mapwright run %s --threads 1 --inputs %t/one --inputs %t/three --inputs %t/one --output-dir %t/out
// RUN: cmp %t/out/0/out0.npy %t/out/2/out0.npy && not cmp %t/out/0/out0.npy %t/out/1/out0.npy

// Sizes that come again have their code; from the third new one on it is code for any size.
// RUN: mapwright run %s --threads 1 --json --any-size-from 3 --inputs %t/one --inputs %t/three --inputs %t/one --inputs %t/five --inputs %t/none --inputs %t/three | FileCheck --check-prefix=KINDS %s
// One code is kept, and every call waits for its own.
// RUN: mapwright run %s --threads 1 --json --any-size-from 1 --specialize-wait --specialize-cache 1 --inputs %t/one --inputs %t/one --inputs %t/none --inputs %t/one | FileCheck --check-prefix=KEPT %s
// RUN: mapwright run %s --threads 1 --json --specialize=off --inputs %t/one --inputs %t/three | FileCheck --check-prefix=OFF %s
// RUN: mapwright run %s --threads 1 --json --specialize=off --inputs %t/five | FileCheck --check-prefix=ONE-OFF %s
// RUN: mapwright run %s --threads 1 --json --inputs %t/five | FileCheck --check-prefix=ONE-ON %s
// RUN: mapwright run %s --threads 1 --json --entry five | FileCheck --check-prefix=STATIC %s
// RUN: not mapwright run %s --bench --inputs %t/one --inputs %t/three 2>&1 | FileCheck --check-prefix=BENCH %s

// CHECK: dense<[2.0]> : tensor<1xf32>
// CHECK-NEXT: dense<[2.0, 4.0, 6.0]> : tensor<3xf32>
// CHECK-NEXT: dense<[2.0]> : tensor<1xf32>
// KINDS: "runs":6,{{.*}}"calls":[
// KINDS-SAME: "code":"special",{{[^{]*}}"compiled":true
// KINDS-SAME: "code":"special",{{[^{]*}}"compiled":true
// KINDS-SAME: "code":"special",{{[^{]*}}"compiled":false
// KINDS-SAME: "code":"any-size",{{[^{]*}}"compiled":true
// KINDS-SAME: "code":"any-size"
// KINDS-SAME: "shape":[0]
// KINDS-SAME: "code":"special",{{[^{]*}}"compiled":false
// KEPT: "calls":[
// KEPT-SAME: "code":"special",{{[^{]*}}"compiled":true
// KEPT-SAME: "code":"special",{{[^{]*}}"compiled":false
// KEPT-SAME: "code":"special",{{[^{]*}}"compiled":true
// KEPT-SAME: "code":"special",{{[^{]*}}"compiled":true
// KEPT-SAME: "kept":1
// OFF: "calls":[
// OFF-SAME: "code":"any-size",{{[^{]*}}"compiled":true
// OFF-SAME: "code":"any-size",{{[^{]*}}"compiled":false
// ONE-OFF: "code":"any-size"
// ONE-ON: "code":"special"
// STATIC: "code":"static"
// BENCH: --inputs may be given once

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @none() -> tensor<0xf32> {
  %0 = stablehlo.constant dense<> : tensor<0xf32>
  return %0 : tensor<0xf32>
}

func.func @one() -> tensor<1xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<1xf32>
  return %0 : tensor<1xf32>
}

func.func @three() -> tensor<3xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @five() -> tensor<5xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<5xf32>
  return %0 : tensor<5xf32>
}
