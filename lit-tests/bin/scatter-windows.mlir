// RUN: mapwright run %s --entry elements
// RUN: mapwright run %s --entry elements --interpret --scatter-windows elements
// RUN: mapwright run %s --entry whole --scatter-windows whole
// RUN: mapwright run %s --entry whole --scatter-windows whole --bounds-checks
// RUN: mapwright run %s --entry whole --scatter-windows whole --interpret
// RUN: not mapwright run %s --scatter-windows half 2>&1 | FileCheck %s

// A window of updates that is partly outside of the operand: by the specification its elements that are inside are put together with the operand's;
// by XLA, which programs of JAX rely on, it is left out as a whole.
// CHECK: expected `elements` or `whole`

func.func private @scattered() -> (tensor<4xf32>, tensor<3x4xi32>, tensor<2x4xi32>) {
  %x = stablehlo.constant dense<0.0> : tensor<4xf32>
  %i = stablehlo.constant dense<[2]> : tensor<1xi32>
  %u = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<4xf32>
  // Windows of 2 x 2 at (1, 1), (2, 0), (-1, 3) and (0, 2): the second one is outside below, the third one above and to the right.
  %y = stablehlo.constant dense<0> : tensor<3x4xi32>
  %j = stablehlo.constant dense<[[1, 1], [2, 0], [-1, 3], [0, 2]]> : tensor<4x2xi8>
  %v = stablehlo.constant dense<[[[1, 2], [3, 4]], [[10, 20], [30, 40]], [[100, 200], [300, 400]], [[1000, 2000], [3000, 4000]]]> : tensor<4x2x2xi32>
  %1 = "stablehlo.scatter"(%y, %j, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x4xi32>, tensor<4x2xi8>, tensor<4x2x2xi32>) -> tensor<3x4xi32>
  // Batched: the first row of updates goes into the first row, from its third element on.
  %z = stablehlo.constant dense<0> : tensor<2x4xi32>
  %k = stablehlo.constant dense<[3, 1]> : tensor<2xui32>
  %w = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %2 = "stablehlo.scatter"(%z, %k, %w) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<2x4xi32>, tensor<2xui32>, tensor<2x2xi32>) -> tensor<2x4xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<3x4xi32>, tensor<2x4xi32>
}

func.func @elements() {
  %0:3 = func.call @scattered() : () -> (tensor<4xf32>, tensor<3x4xi32>, tensor<2x4xi32>)
  check.expect_eq_const %0#0, dense<[0.0, 0.0, 1.0, 2.0]> : tensor<4xf32>
  check.expect_eq_const %0#1, dense<[[0, 0, 1000, 2300], [0, 1, 3002, 4000], [10, 23, 4, 0]]> : tensor<3x4xi32>
  check.expect_eq_const %0#2, dense<[[0, 0, 0, 1], [0, 3, 4, 0]]> : tensor<2x4xi32>
  return
}

func.func @whole() {
  %0:3 = func.call @scattered() : () -> (tensor<4xf32>, tensor<3x4xi32>, tensor<2x4xi32>)
  check.expect_eq_const %0#0, dense<0.0> : tensor<4xf32>
  check.expect_eq_const %0#1, dense<[[0, 0, 1000, 2000], [0, 1, 3002, 4000], [0, 3, 4, 0]]> : tensor<3x4xi32>
  check.expect_eq_const %0#2, dense<[[0, 0, 0, 0], [0, 3, 4, 0]]> : tensor<2x4xi32>
  return
}
