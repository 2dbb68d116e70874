// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright-opt %s --indexing-legalize-chlo | mapwright run -

// Products in groups: each mode, with and without a batch, with sizes that all rows share and with sizes of their own. Elements are small
// integers, so that every sum is exact; expectations are sums over the definition, group by group.


// Rows in groups; the last row is in none.
func.func @rows() {
  %lhs = stablehlo.constant dense<[[2.0, 3.0], [-4.0, 3.0], [0.0, 0.0], [1.0, -2.0]]> : tensor<4x2xf32>
  %rhs = stablehlo.constant dense<[[[4.0, -4.0], [-2.0, -1.0]], [[1.0, -1.0], [-3.0, -4.0]], [[-4.0, -4.0], [-3.0, 4.0]]]> : tensor<3x2x2xf32>
  %sizes = stablehlo.constant dense<[1, 0, 2]> : tensor<3xi64>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision HIGHEST>, #chlo<precision DEFAULT>]} : (tensor<4x2xf32>, tensor<3x2x2xf32>, tensor<3xi64>) -> tensor<4x2xf32>
  check.expect_eq_const %0, dense<[[2.0, -11.0], [7.0, 28.0], [0.0, 0.0], [0.0, 0.0]]> : tensor<4x2xf32>
  return
}

// Each element of the batch has sizes of its own, and the group dimension is the last one.
func.func @rows_of_a_batch() {
  %lhs = stablehlo.constant dense<[[[-3.0, 1.0], [2.0, -2.0], [-2.0, -1.0]], [[-2.0, 4.0], [-3.0, 4.0], [3.0, 3.0]]]> : tensor<2x3x2xf32>
  %rhs = stablehlo.constant dense<[[[[-3.0, -1.0], [1.0, 0.0]], [[1.0, 2.0], [1.0, -4.0]]], [[[4.0, 1.0], [4.0, -2.0]], [[-1.0, 3.0], [-3.0, -4.0]]]]> : tensor<2x2x2x2xf32>
  %sizes = stablehlo.constant dense<[[1, 2], [3, 0]]> : tensor<2x2xi64>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [3]>, precision_config = [#chlo<precision HIGHEST>, #chlo<precision DEFAULT>]} : (tensor<2x3x2xf32>, tensor<2x2x2x2xf32>, tensor<2x2xi64>) -> tensor<2x3x2xf32>
  check.expect_eq_const %0, dense<[[[10.0, -2.0], [-2.0, 12.0], [2.0, 0.0]], [[8.0, -10.0], [4.0, -9.0], [24.0, -12.0]]]> : tensor<2x3x2xf32>
  return
}

// The ragged dimension stands behind another free one, whose elements have sizes of their own.
func.func @rows_behind_columns() {
  %lhs = stablehlo.constant dense<[[[-1.0, 2.0], [-3.0, 3.0], [-1.0, -2.0]], [[0.0, 4.0], [3.0, 3.0], [-2.0, -4.0]]]> : tensor<2x3x2xf32>
  %rhs = stablehlo.constant dense<[[[3.0, 2.0], [2.0, -4.0]], [[-4.0, 0.0], [-1.0, -1.0]]]> : tensor<2x2x2xf32>
  %sizes = stablehlo.constant dense<[[1, 1], [0, 3]]> : tensor<2x2xi64>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision HIGHEST>, #chlo<precision DEFAULT>]} : (tensor<2x3x2xf32>, tensor<2x2x2xf32>, tensor<2x2xi64>) -> tensor<2x3x2xf32>
  check.expect_eq_const %0, dense<[[[1.0, -10.0], [9.0, -3.0], [0.0, 0.0]], [[-4.0, -4.0], [-15.0, -3.0], [12.0, 4.0]]]> : tensor<2x3x2xf32>
  return
}

// A product for each group.
func.func @contracted() {
  %lhs = stablehlo.constant dense<[[4.0, -3.0, 0.0, -2.0, -2.0], [3.0, -3.0, -2.0, -3.0, -3.0]]> : tensor<2x5xf32>
  %rhs = stablehlo.constant dense<[[-2.0, 2.0], [1.0, 0.0], [-3.0, 3.0], [3.0, -2.0], [-4.0, -2.0]]> : tensor<5x2xf32>
  %sizes = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi64>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>, precision_config = [#chlo<precision HIGHEST>, #chlo<precision DEFAULT>]} : (tensor<2x5xf32>, tensor<5x2xf32>, tensor<3xi64>) -> tensor<3x2x2xf32>
  check.expect_eq_const %0, dense<[[[-11.0, 8.0], [-9.0, 6.0]], [[0.0, 0.0], [0.0, 0.0]], [[-6.0, 4.0], [-3.0, 0.0]]]> : tensor<3x2x2xf32>
  return
}

// The groups come before the batch.
func.func @contracted_of_a_batch() {
  %lhs = stablehlo.constant dense<[[[-3.0, 3.0, 0.0, 0.0], [-2.0, 0.0, 4.0, -2.0]], [[2.0, -4.0, -2.0, 4.0], [3.0, -4.0, 3.0, 3.0]]]> : tensor<2x2x4xf32>
  %rhs = stablehlo.constant dense<[[[0.0, -1.0], [4.0, 4.0], [2.0, -1.0], [-3.0, 4.0]], [[-2.0, 1.0], [2.0, -2.0], [-2.0, 2.0], [-3.0, 2.0]]]> : tensor<2x4x2xf32>
  %sizes = stablehlo.constant dense<[[1, 2, 1], [2, 0, 2]]> : tensor<2x3xi64>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = []>, precision_config = [#chlo<precision HIGHEST>, #chlo<precision DEFAULT>]} : (tensor<2x2x4xf32>, tensor<2x4x2xf32>, tensor<2x3xi64>) -> tensor<3x2x2x2xf32>
  check.expect_eq_const %0, dense<[[[[0.0, 3.0], [0.0, 2.0]], [[-12.0, 10.0], [-14.0, 11.0]]], [[[12.0, 12.0], [8.0, -4.0]], [[0.0, 0.0], [0.0, 0.0]]], [[[0.0, 0.0], [6.0, -8.0]], [[-8.0, 4.0], [-15.0, 12.0]]]]> : tensor<3x2x2x2xf32>
  return
}

// Two dimensions of the batch, in other places on the two sides, and sizes that all share.
func.func @contracted_of_two_batches() {
  %lhs = stablehlo.constant dense<[[[4.0, 2.0, 1.0], [0.0, 4.0, -3.0], [-1.0, 1.0, 1.0], [-4.0, -3.0, 2.0]], [[3.0, 1.0, 4.0], [-1.0, -2.0, 3.0], [-4.0, -3.0, -3.0], [-1.0, -3.0, 3.0]]]> : tensor<2x4x3xf32>
  %rhs = stablehlo.constant dense<[[[[3.0, -1.0], [-4.0, 2.0]], [[-4.0, 1.0], [-3.0, 4.0]], [[2.0, 4.0], [1.0, 2.0]]], [[[-1.0, 3.0], [-3.0, -3.0]], [[-1.0, 2.0], [0.0, 3.0]], [[4.0, -1.0], [-1.0, 0.0]]], [[[1.0, 0.0], [1.0, 4.0]], [[2.0, -2.0], [-1.0, -1.0]], [[-3.0, -4.0], [3.0, -1.0]]], [[[-1.0, 1.0], [1.0, 4.0]], [[1.0, 4.0], [1.0, -2.0]], [[-2.0, 4.0], [1.0, -3.0]]]]> : tensor<4x3x2x2xf32>
  %sizes = stablehlo.constant dense<[3, 1]> : tensor<2xi64>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [2, 0], rhs_batching_dimensions = [1, 2], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>, precision_config = [#chlo<precision HIGHEST>, #chlo<precision DEFAULT>]} : (tensor<2x4x3xf32>, tensor<4x3x2x2xf32>, tensor<2xi64>) -> tensor<2x3x2x2xf32>
  check.expect_eq_const %0, dense<[[[[11.0, -4.0], [-13.0, -7.0]], [[-10.0, 8.0], [0.0, 1.0]], [[-13.0, 3.0], [-8.0, 11.0]]], [[[4.0, -4.0], [-1.0, -4.0]], [[-3.0, -12.0], [-3.0, 6.0]], [[-4.0, 8.0], [3.0, -9.0]]]]> : tensor<2x3x2x2xf32>
  return
}

// The ragged dimension is the second of two contracted ones.
func.func @contracted_behind_another() {
  %lhs = stablehlo.constant dense<[[[3.0, 3.0], [-4.0, -3.0], [2.0, -1.0]], [[-1.0, -4.0], [-3.0, 3.0], [3.0, 3.0]]]> : tensor<2x3x2xf32>
  %rhs = stablehlo.constant dense<[[[1.0, -3.0], [-2.0, 0.0]], [[4.0, -2.0], [0.0, 0.0]], [[0.0, 0.0], [2.0, -4.0]]]> : tensor<3x2x2xf32>
  %sizes = stablehlo.constant dense<[[1, 2], [3, 0]]> : tensor<2x2xi64>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [2, 0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>, precision_config = [#chlo<precision HIGHEST>, #chlo<precision DEFAULT>]} : (tensor<2x3x2xf32>, tensor<3x2x2xf32>, tensor<2x2xi64>) -> tensor<2x2x2xf32>
  check.expect_eq_const %0, dense<[[[12.0, -18.0], [9.0, -18.0]], [[-16.0, 4.0], [-12.0, -2.0]]]> : tensor<2x2x2xf32>
  return
}

// The batch in groups: an ordinary product.
func.func @batches() {
  %lhs = stablehlo.constant dense<[[[4.0, 3.0], [2.0, -2.0]], [[-1.0, 0.0], [-2.0, -4.0]], [[2.0, -4.0], [2.0, -3.0]]]> : tensor<3x2x2xf32>
  %rhs = stablehlo.constant dense<[[[1.0, -1.0], [-2.0, 4.0]], [[0.0, 4.0], [-3.0, 0.0]], [[-1.0, 0.0], [-4.0, 2.0]]]> : tensor<3x2x2xf32>
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>, precision_config = [#chlo<precision HIGHEST>, #chlo<precision DEFAULT>]} : (tensor<3x2x2xf32>, tensor<3x2x2xf32>, tensor<2xi64>) -> tensor<3x2x2xf32>
  check.expect_eq_const %0, dense<[[[-2.0, 8.0], [6.0, -10.0]], [[0.0, -4.0], [12.0, -8.0]], [[14.0, -8.0], [10.0, -6.0]]]> : tensor<3x2x2xf32>
  return
}

// The second of two dimensions of the batch in groups.
func.func @batches_behind_another() {
  %lhs = stablehlo.constant dense<[[[-1.0, 3.0], [-3.0, -1.0], [-4.0, 3.0]], [[0.0, -1.0], [4.0, 1.0], [4.0, 2.0]]]> : tensor<2x3x2xf64>
  %rhs = stablehlo.constant dense<[[[1.0, 0.0], [-3.0, 2.0], [3.0, 2.0]], [[-1.0, -4.0], [2.0, -4.0], [3.0, -3.0]]]> : tensor<2x3x2xf64>
  %sizes = stablehlo.constant dense<[[1, 2], [3, 0]]> : tensor<2x2xi64>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>, precision_config = [#chlo<precision HIGHEST>, #chlo<precision DEFAULT>]} : (tensor<2x3x2xf64>, tensor<2x3x2xf64>, tensor<2x2xi64>) -> tensor<2x3xf64>
  check.expect_eq_const %0, dense<[[-1.0, 7.0, -6.0], [4.0, 4.0, 6.0]]> : tensor<2x3xf64>
  return
}

func.func @main() {
  func.call @rows() : () -> ()
  func.call @rows_of_a_batch() : () -> ()
  func.call @rows_behind_columns() : () -> ()
  func.call @contracted() : () -> ()
  func.call @contracted_of_a_batch() : () -> ()
  func.call @contracted_of_two_batches() : () -> ()
  func.call @contracted_behind_another() : () -> ()
  func.call @batches() : () -> ()
  func.call @batches_behind_another() : () -> ()
  return
}
