// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Scatter: a function for each constraint of the specification, which violates it.

func.func @scatter_c1(%a0: tensor<2x3x4x2xf32>, %a1: tensor<2x3x4x3xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>, %u1: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c1)}}
  %0:2 = "stablehlo.scatter"(%a0, %a1, %i, %u0, %u1) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>):
    "stablehlo.return"(%x0, %x1) : (tensor<f32>, tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x3x4x3xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>, tensor<2x2x3x2x2xf32>) -> (tensor<2x3x4x2xf32>, tensor<2x3x4x3xf32>)
  return
}

// -----

func.func @scatter_c2(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c2)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c3(%a0: tensor<2x3x4x2xf32>, %a1: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>, %u1: tensor<2x2x3x1x2xf32>) {
  // expected-error@+1 {{(scatter_c3)}}
  %0:2 = "stablehlo.scatter"(%a0, %a1, %i, %u0, %u1) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>):
    "stablehlo.return"(%x0, %x1) : (tensor<f32>, tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>, tensor<2x2x3x1x2xf32>) -> (tensor<2x3x4x2xf32>, tensor<2x3x4x2xf32>)
  return
}

// -----

func.func @scatter_c4(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x4x2x2xf32>) {
  // expected-error@+1 {{(scatter_c4)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x4x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c5(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>, %u1: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c5)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0, %u1) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c6(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf64>) {
  // expected-error@+1 {{(scatter_c6)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf64>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c7(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c7)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [4, 3], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c8(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c8)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 5], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c9(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c9)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c10(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2xf32>) {
  // expected-error@+1 {{(scatter_c10)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [2, 1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c11(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c11)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [4], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c12(%a0: tensor<2x2x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2xf32>) {
  // expected-error@+1 {{(scatter_c12)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [3], input_batching_dims = [1, 0], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2, 3], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x2x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2xf32>) -> tensor<2x2x4x2xf32>
  return
}

// -----

func.func @scatter_c13(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c13)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [4], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c14(%a0: tensor<2x2x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2xf32>) {
  // expected-error@+1 {{(scatter_c14)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [3], input_batching_dims = [0, 1], scatter_indices_batching_dims = [1, 1], scatter_dims_to_operand_dims = [2, 3], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x2x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2xf32>) -> tensor<2x2x4x2xf32>
  return
}

// -----

func.func @scatter_c15(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c15)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [4], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c16(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c16)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [3], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c17(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c17)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1, 2], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c18(%a0: tensor<5x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c18)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<5x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<5x3x4x2xf32>
  return
}

// -----

func.func @scatter_c19(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c19)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c20(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c20)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c21(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c21)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 4], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c22(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c22)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 5>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c23(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c23)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<i32>, %x1: tensor<i32>):
    "stablehlo.return"(%x0) : (tensor<i32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @scatter_c24(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c24)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x3xf32>
  return
}

// -----

func.func @scatter_c25(%a0: tensor<2x3x4x2xf32>, %i: tensor<2x2x3x2xi64>, %u0: tensor<2x2x3x2x2xf32>) {
  // expected-error@+1 {{(scatter_c25)}}
  %0 = "stablehlo.scatter"(%a0, %i, %u0) ({
  ^bb0(%x0: tensor<f64>, %x1: tensor<f64>):
    "stablehlo.return"(%x0) : (tensor<f64>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 3>, indices_are_sorted = false, unique_indices = false} : (tensor<2x3x4x2xf32>, tensor<2x2x3x2xi64>, tensor<2x2x3x2x2xf32>) -> tensor<2x3x4x2xf32>
  return
}
