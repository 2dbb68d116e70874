// RUN: mapwright compile %s -o %t.vnni.s --target x86_64-unknown-linux-gnu --target-cpu znver4
// RUN: FileCheck %s --check-prefix=VNNI < %t.vnni.s
// RUN: mapwright compile %s -o %t.plain.s --target x86_64-unknown-linux-gnu --target-cpu x86-64-v4
// RUN: FileCheck %s --check-prefix=PLAIN < %t.plain.s
// RUN: mapwright run %s | FileCheck %s

// A CPU that is given by name has the instructions for products of bytes and of bf16 that its name says.

// VNNI-DAG: vpdpbusd {{.*}}%zmm
// VNNI-DAG: vdpbf16ps {{.*}}%zmm

// PLAIN-NOT: vpdpbusd
// PLAIN-NOT: vdpbf16ps

// CHECK: dense<64> : tensor<i32>
// CHECK: dense<64.0> : tensor<f32>
func.func @main() -> (tensor<i32>, tensor<f32>) {
  %a = stablehlo.constant dense<1> : tensor<64x64xi8>
  %x, %y = stablehlo.optimization_barrier %a, %a : tensor<64x64xi8>, tensor<64x64xi8>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xi8>, tensor<64x64xi8>) -> tensor<64x64xi32>
  %b = stablehlo.constant dense<1.0> : tensor<64x64xbf16>
  %z, %w = stablehlo.optimization_barrier %b, %b : tensor<64x64xbf16>, tensor<64x64xbf16>
  %1 = stablehlo.dot_general %z, %w, contracting_dims = [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
  %2 = stablehlo.slice %0 [63:64, 63:64] : (tensor<64x64xi32>) -> tensor<1x1xi32>
  %3 = stablehlo.reshape %2 : (tensor<1x1xi32>) -> tensor<i32>
  %4 = stablehlo.slice %1 [63:64, 63:64] : (tensor<64x64xf32>) -> tensor<1x1xf32>
  %5 = stablehlo.reshape %4 : (tensor<1x1xf32>) -> tensor<f32>
  return %3, %5 : tensor<i32>, tensor<f32>
}
