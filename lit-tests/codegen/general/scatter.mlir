// RUN: mapwright-opt %s --indexing-to-loops | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// An update whose index lies outside the operand is left out, not clamped; two at one index are combined.

// CHECK: func.func {{.*}}@region_
// CHECK: scf.if
// CHECK: arith.addi
// CHECK: memref.store

// VALUES: dense<[1, 1, 7, 1]> : tensor<4xi32>
func.func public @main() -> tensor<4xi32> {
  %x = stablehlo.constant dense<1> : tensor<4xi32>
  %i = stablehlo.constant dense<[[2], [4], [2], [-1]]> : tensor<4x1xi32>
  %u = stablehlo.constant dense<[2, 100, 4, 100]> : tensor<4xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
