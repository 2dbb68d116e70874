// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=disable=tiled | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// The start of each slice is clamped to where the slice lies inside the operand: 9 becomes 3, -4 becomes 0.

// CHECK: func.func {{.*}}@region_
// CHECK-DAG: arith.maxsi
// CHECK-DAG: arith.minsi
// CHECK: memref.load
// CHECK: memref.store

// VALUES{LITERAL}: dense<[[20, 30], [30, 40], [0, 10]]> : tensor<3x2xi32>
func.func public @main() -> tensor<3x2xi32> {
  %x = stablehlo.constant dense<[0, 10, 20, 30, 40]> : tensor<5xi32>
  %i = stablehlo.constant dense<[[2], [9], [-4]]> : tensor<3x1xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2>}> : (tensor<5xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
