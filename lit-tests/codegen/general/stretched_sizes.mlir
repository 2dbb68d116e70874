// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s
// RUN: rm -rf %t && mkdir %t && mapwright run %s --entry arguments --output-dir %t
// RUN: cd %t && mv out0.npy arg0.npy && mv out1.npy arg1.npy && mv out2.npy arg2.npy && mv out3.npy arg3.npy
// RUN: mapwright run %s --inputs %t | FileCheck --check-prefix=VALUE %s
// RUN: mapwright run %s --inputs %t --specialize=off | FileCheck --check-prefix=VALUE %s

// What is sliced may have one element, which then is every element of the result; it is asked of its size.
// CHECK-LABEL: llvm.func @mw_entry_main
// CHECK: func.func {{.*}}@region_
// CHECK: arith.cmpi eq, %arg{{[0-9]+}}, %c1
// CHECK: arith.select

// One element from 2 on, and the argument, of one element, twice.
// VALUE: dense<[2.0, 2.0, 2.0, 2.0, 2.0]> : tensor<5xf32>
// VALUE-NEXT: dense<[0.0, 3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0]> : tensor<8xf32>
func.func @main(%t: tensor<?xf32>, %b: tensor<1xi32>, %e: tensor<1xi32>, %three: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %g = stablehlo.real_dynamic_slice %t, %b, %e, %one : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %r = stablehlo.dynamic_broadcast_in_dim %g, %five, dims = [0] : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %p = chlo.broadcast_multiply %three, %t : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r, %p : tensor<?xf32>, tensor<?xf32>
}

func.func @arguments() -> (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xf32>) {
  %t = stablehlo.iota dim = 0 : tensor<8xf32>
  %b = stablehlo.constant dense<2> : tensor<1xi32>
  %e = stablehlo.constant dense<3> : tensor<1xi32>
  %three = stablehlo.constant dense<3.0> : tensor<1xf32>
  return %t, %b, %e, %three : tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xf32>
}
