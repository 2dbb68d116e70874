// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// A function for each constraint, which violates it.

func.func @function_of_another_shape(%a: tensor<4xf32>) {
  // expected-error@+1 {{the results must be of the types (tensor<4xf32>), are (tensor<8xf32>)}}
  %0 = chlo.erf %a : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @function_of_another_type(%a: tensor<4xf32>) {
  // expected-error@+1 {{the results must be of the types (tensor<4xf32>), are (tensor<4xf64>)}}
  %0 = chlo.lgamma %a : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

func.func @operands_of_two_types(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error@+1 {{operands must have the same element type, have f32 and f64}}
  %0 = chlo.zeta %a, %b : tensor<4xf32>, tensor<4xf64> -> tensor<4xf32>
  return
}

// -----

func.func @predicate_of_another_shape(%a: tensor<4xf32>) {
  // expected-error@+1 {{the results must be of the types (tensor<4xi1>), are (tensor<5xi1>)}}
  %0 = chlo.is_inf %a : tensor<4xf32> -> tensor<5xi1>
  return
}

// -----

func.func @broadcast_of_two_types(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{lhs and rhs must have the same element type, have f32 and i32}}
  %0 = chlo.broadcast_add %a, %b : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @broadcast_to_another_type(%a: tensor<4xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{the results must be of the types (tensor<4xf32>), are (tensor<4xf64>)}}
  %0 = chlo.broadcast_add %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf64>
  return
}

// -----

func.func @broadcast_of_two_sizes(%a: tensor<4xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{operand #1 has the size [3] where those before it have [4], which cannot be broadcast}}
  %0 = chlo.broadcast_add %a, %b : (tensor<4xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @broadcast_beyond_a_bound(%a: tensor<?xf32, #stablehlo.bounds<4>>, %b: tensor<7xf32>) {
  // expected-error@+1 {{operand #1 has the size [7] where those before it have [<=4], which cannot be broadcast}}
  %0 = chlo.broadcast_add %a, %b : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<7xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @broadcast_to_another_shape(%a: tensor<4xf32>, %b: tensor<2x1xf32>) {
  // expected-error@+1 {{the results must be of the types (tensor<2x4xf32>), are (tensor<4x2xf32>)}}
  %0 = chlo.broadcast_maximum %a, %b : (tensor<4xf32>, tensor<2x1xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @broadcast_along_no_dimension(%a: tensor<4xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'broadcast_dimensions' has 2, which is not in [0, 2)}}
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @broadcast_compare_gives_truth(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{the results must be of the types (tensor<4xi1>), are (tensor<1xi1>)}}
  %0 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<1xi1>
  return
}

// -----

func.func @broadcast_select_of_two_types(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error@+1 {{on_true and on_false must have the same element type, have f32 and f16}}
  %0 = chlo.broadcast_select %p, %a, %b : (tensor<i1>, tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @constant_like_of_another_type(%a: tensor<4xf32>) {
  // expected-error@+1 {{'value' must be a number of the type f32 of the result, is 1 : i32}}
  %0 = "chlo.constant_like"(%a) {value = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @constant_like_of_another_shape(%a: tensor<4xf32>) {
  // expected-error@+1 {{the results must be of the types (tensor<4xf32>), are (tensor<5xf32>)}}
  %0 = "chlo.constant_like"(%a) {value = 1.0 : f32} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @top_k_of_more(%a: tensor<4xf32>) {
  // expected-error@+1 {{'k' 5 is not in [0, 4]}}
  %0:2 = chlo.top_k(%a, k = 5) : tensor<4xf32> -> (tensor<5xf32>, tensor<5xi32>)
  return
}

// -----

func.func @top_k_of_none(%a: tensor<f32>) {
  // expected-error@+1 {{the operand must have a dimension}}
  %0:2 = chlo.top_k(%a, k = 0) : tensor<f32> -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @top_k_with_other_places(%a: tensor<4xf32>) {
  // expected-error@+1 {{the results must be of the types (tensor<2xf32>, tensor<2xi32>), are (tensor<2xf32>, tensor<2xi8>)}}
  %0:2 = chlo.top_k(%a, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi8>)
  return
}

// -----

func.func @ragged_dot_contracting_sizes(%l: tensor<4x2xf32>, %r: tensor<3x5x2xf32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{contracting dimensions must have the same size, dimension 1 of lhs has [2], dimension 1 of rhs [5]}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x2xf32>, tensor<3x5x2xf32>, tensor<3xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @ragged_dot_batching_sizes(%l: tensor<2x4x2xf32>, %r: tensor<3x2x2xf32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{batching dimensions must have the same size, dimension 0 of lhs has [2], dimension 0 of rhs [3]}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = []>} : (tensor<2x4x2xf32>, tensor<3x2x2xf32>, tensor<3xi64>) -> tensor<3x2x4x2xf32>
  return
}

// -----

func.func @ragged_dot_numbers(%l: tensor<4x2xf32>, %r: tensor<3x2x2xf32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{lhs and rhs must have as many contracting dimensions, have 1 and 0}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x2xf32>, tensor<3x2x2xf32>, tensor<3xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @ragged_dot_group_twice(%l: tensor<4x2xf32>, %r: tensor<3x2x2xf32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{batching, contracting and group dimensions of rhs}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [1]>} : (tensor<4x2xf32>, tensor<3x2x2xf32>, tensor<3xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @ragged_dot_two_groups(%l: tensor<4x2xf32>, %r: tensor<3x2x2xf32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{there are several group dimensions}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0, 0]>} : (tensor<4x2xf32>, tensor<3x2x2xf32>, tensor<3xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @ragged_dot_group_size(%l: tensor<4x2xf32>, %r: tensor<3x2x2xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{the group dimension has size [3], there are [2] group sizes}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x2xf32>, tensor<3x2x2xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @ragged_dot_sizes_of_rows(%l: tensor<2x4x2xf32>, %r: tensor<2x3x2x2xf32>, %s: tensor<5x3xi64>) {
  // expected-error@+1 {{group sizes must be one vector, or a vector for each of [2] elements of lhs, are tensor<5x3xi64>}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [1]>} : (tensor<2x4x2xf32>, tensor<2x3x2x2xf32>, tensor<5x3xi64>) -> tensor<2x4x2xf32>
  return
}

// -----

func.func @ragged_dot_sizes_of_contracted(%l: tensor<2x4x2xf32>, %r: tensor<4x2x2xf32>, %s: tensor<2x3xi64>) {
  // expected-error@+1 {{group sizes must be one vector, or a vector for each of [4] elements of lhs, are tensor<2x3xi64>}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1, 2], rhs_contracting_dimensions = [0, 1], lhs_ragged_dimensions = [2], rhs_group_dimensions = []>} : (tensor<2x4x2xf32>, tensor<4x2x2xf32>, tensor<2x3xi64>) -> tensor<3x2x2xf32>
  return
}

// -----

func.func @ragged_dot_sizes_of_batches(%l: tensor<2x4x2xf32>, %r: tensor<2x2x3xf32>, %s: tensor<2x3xi64>) {
  // expected-error@+1 {{group sizes must be one vector, or a vector for each of [] elements of lhs, are tensor<2x3xi64>}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>} : (tensor<2x4x2xf32>, tensor<2x2x3xf32>, tensor<2x3xi64>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @ragged_dot_scalar_sizes(%l: tensor<4x2xf32>, %r: tensor<3x2x2xf32>, %s: tensor<i64>) {
  // expected-error@+1 {{group sizes must be a vector, or several, are a scalar}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x2xf32>, tensor<3x2x2xf32>, tensor<i64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @ragged_dot_elements(%l: tensor<4x2xf32>, %r: tensor<3x2x2xf64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{lhs and rhs must have the same element type, have f32 and f64}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x2xf32>, tensor<3x2x2xf64>, tensor<3xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @ragged_dot_result(%l: tensor<2x1x4xf32>, %r: tensor<2x4x1xf32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{the results must be of the types (tensor<3x2x1x1xf32>), are (tensor<2x3x1x1xf32>)}}
  %0 = "chlo.ragged_dot"(%l, %r, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = []>} : (tensor<2x1x4xf32>, tensor<2x4x1xf32>, tensor<3xi64>) -> tensor<2x3x1x1xf32>
  return
}

// -----

// Scales of the result may differ, what is stored may not.

func.func @sum_of_another_storage(%a: tensor<2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<2x!quant.uniform<i8:f32, 3.0:15>>) {
  %0 = "chlo.broadcast_add"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x!quant.uniform<i8:f32, 3.0:15>>) -> tensor<2x!quant.uniform<i8:f32, 4.0:0>>
  // expected-error@+1 {{operands and result must have the same element type}}
  %1 = "chlo.broadcast_add"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x!quant.uniform<i8:f32, 3.0:15>>) -> tensor<2x!quant.uniform<i16:f32, 2.0:15>>
  return
}

// -----

func.func @maximum_of_another_storage(%a: tensor<2x!quant.uniform<i8:f32, 2.0:15>>) {
  // expected-error@+1 {{operands and result must have the same element type}}
  %0 = "chlo.broadcast_maximum"(%a, %a) : (tensor<2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x!quant.uniform<i8:f32, 2.0:15>>) -> tensor<2x!quant.uniform<i16:f32, 2.0:15>>
  return
}
