// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Gather: a function for each constraint of the specification, which violates it.

func.func @gather_c1(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c1)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c2(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c2)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 5>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c3(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c3)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c4(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c4)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [4, 3], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c5(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c5)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 5], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c6(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c6)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c7(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c7)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [2, 1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2xf32>
  return
}

// -----

func.func @gather_c8(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c8)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [4], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c9(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c9)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 2, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c10(%a: tensor<2x2x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c10)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [3], operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1], start_index_map = [2, 3], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 1>, indices_are_sorted = false} : (tensor<2x2x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2xf32>
  return
}

// -----

func.func @gather_c11(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c11)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [4], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c12(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c12)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 2, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c13(%a: tensor<2x2x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c13)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [3], operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 1], start_index_map = [2, 3], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 1>, indices_are_sorted = false} : (tensor<2x2x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2xf32>
  return
}

// -----

func.func @gather_c14(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c14)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [4], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c15(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c15)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [3], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c16(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c16)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1, 2], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c17(%a: tensor<5x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c17)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<5x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c18(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c18)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c19(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c19)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 4], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c20(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c20)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf32>
  return
}

// -----

func.func @gather_c21(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c21)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 5, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x5x2xf32>
  return
}

// -----

func.func @gather_c22(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c22)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x3xf32>
  return
}

// -----

func.func @gather_c23(%a: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>) {
  // expected-error@+1 {{(gather_c23)}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [2, 1], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 2, 2>, indices_are_sorted = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>) -> tensor<2x2x3x2x2xf64>
  return
}

// -----

func.func @dynamic_gather_c1(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c1)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c2(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c2)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 4>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c3(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c3)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c4(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c4)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c5(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c5)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 4], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c6(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c6)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?xf32>
  return
}

// -----

func.func @dynamic_gather_c7(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c7)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [3], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c8(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>) {
  %s = stablehlo.constant dense<[2, 2, 2]> : tensor<3xi64>
  // expected-error@+1 {{(dynamic_gather_c8)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c9(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c9)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 1], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c10(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c10)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 3], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c11(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_gather_c11)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<2xi64>) -> tensor<2x3x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c12(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>) {
  %s = stablehlo.constant dense<[1, 5, 2]> : tensor<3xi64>
  // expected-error@+1 {{(dynamic_gather_c12)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c13(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c13)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x4x?x?xf32>
  return
}

// -----

func.func @dynamic_gather_c14(%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c14)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xf64>
  return
}
