// RUN: mapwright-opt %s --indexing-legalize-chlo | FileCheck %s
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// Rows of the left side belong to groups of given sizes, each of which has a matrix of its own on the right.

// CHECK-LABEL: func.func @main
// CHECK-NOT: chlo

// Groups of 1 and 2 of three rows, matrices [1, 10] and [2, 20]: 1 * 1, 1 * 10; then the doubles of 2 and 3.
// VALUES: {{\[\[}}1.0, 10.0], [4.0, 40.0], [6.0, 60.0]]

// Sizes for each element of the batch: 1 and 2 rows in the first, 3 and 0 in the second.
// VALUES: {{\[\[\[}}1.0], [4.0], [6.0]], {{\[\[}}4.0], [5.0], [6.0]]]

// The contracted dimension in groups of 2 and 1, a product for each.
// VALUES: {{\[\[\[}}3.0]], {{\[\[}}3.0]]]
func.func @main() -> (tensor<3x2xf32>, tensor<2x3x1xf32>, tensor<2x1x1xf32>) {
  %x = stablehlo.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %m = stablehlo.constant dense<[[[1.0, 10.0]], [[2.0, 20.0]]]> : tensor<2x1x2xf32>
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %0 = "chlo.ragged_dot"(%x, %m, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<3x1xf32>, tensor<2x1x2xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  %y = stablehlo.constant dense<[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]> : tensor<2x3x1xf32>
  %n = stablehlo.constant dense<[[[[1.0]], [[2.0]]], [[[1.0]], [[2.0]]]]> : tensor<2x2x1x1xf32>
  %t = stablehlo.constant dense<[[1, 2], [3, 0]]> : tensor<2x2xi64>
  %1 = "chlo.ragged_dot"(%y, %n, %t) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [1]>} : (tensor<2x3x1xf32>, tensor<2x2x1x1xf32>, tensor<2x2xi64>) -> tensor<2x3x1xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<3x1xf32>
  %u = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %2 = "chlo.ragged_dot"(%x, %ones, %u) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>} : (tensor<3x1xf32>, tensor<3x1xf32>, tensor<2xi64>) -> tensor<2x1x1xf32>
  return %0, %1, %2 : tensor<3x2xf32>, tensor<2x3x1xf32>, tensor<2x1x1xf32>
}
