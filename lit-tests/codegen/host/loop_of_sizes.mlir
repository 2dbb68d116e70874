// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=threads=1 | FileCheck %s

// An argument of run-time size that a loop carries unchanged stays where it is, and the memory of what the loop makes becomes the result: nothing is
// copied but the number of the round. On one thread kernels are called as they are.

// CHECK-LABEL: llvm.func @mw_entry_main
// CHECK-NOT: mw_copy
// CHECK-NOT: mw_parallel_for
// CHECK: llvm.call @region_{{[0-9]+}}_tiles
// CHECK-NOT: mw_copy
// CHECK-NOT: mw_parallel_for
// CHECK: llvm.store %{{.*}}, %arg3 : !llvm.ptr, !llvm.ptr
// CHECK-NEXT: %[[NONE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT: llvm.store %[[NONE]]
// CHECK-NOT: mw_copy
// CHECK: llvm.br
func.func public @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %start = stablehlo.negate %x : tensor<?x?xf32>
  %r:3 = stablehlo.while(%i = %zero, %own = %x, %sum = %start) : tensor<i32>, tensor<?x?xf32>, tensor<?x?xf32>
  cond {
    %c = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.subtract %own, %sum : tensor<?x?xf32>
    %later = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %later, %own, %next : tensor<i32>, tensor<?x?xf32>, tensor<?x?xf32>
  }
  return %r#2 : tensor<?x?xf32>
}
