// RUN: mapwright run %s
// RUN: mapwright run %s --interpret

// JAX's call for the largest elements and where they are: exact here. The function that compares ends as JAX writes it.

func.func @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func @less(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

// A NaN among the elements loses none of those behind it: it is the largest number, or with its sign the smallest.
func.func @with_nan() {
  %x = stablehlo.constant dense<[3.0, 0x7FC00000, 5.0, -7.0, 0x7F800000, 4.0, 0xFFC00000, 0xFF800000]> : tensor<8xf32>
  %places = stablehlo.iota dim = 0 : tensor<8xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %places, %least, %none) {
    called_computations = [@greater],
    mhlo.backend_config = {aggregate_to_topk = true, reduction_dim = 0 : i64, top_k = 4 : i64}
  } : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  check.expect_eq_const %0#0, dense<[0x7FC00000, 0x7F800000, 5.0, 4.0]> : tensor<4xf32>
  check.expect_eq_const %0#1, dense<[1, 4, 2, 5]> : tensor<4xi32>
  %1:2 = stablehlo.custom_call @ApproxTopK(%x, %places, %least, %none) {
    called_computations = [@less],
    mhlo.backend_config = {aggregate_to_topk = true, reduction_dim = 0 : i64, top_k = 4 : i64}
  } : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
  check.expect_eq_const %1#0, dense<[0xFFC00000, 0xFF800000, -7.0, 3.0]> : tensor<4xf32>
  check.expect_eq_const %1#1, dense<[6, 7, 3, 0]> : tensor<4xi32>
  // Whatever a comparator is, a sort gives what it was given.
  %2:2 = "stablehlo.sort"(%x, %places) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    %3 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = false} : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  %order = "stablehlo.sort"(%2#1) ({
  ^bb0(%i: tensor<i32>, %j: tensor<i32>):
    %3 = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<8xi32>) -> tensor<8xi32>
  check.expect_eq %order, %places : tensor<8xi32>
  return
}

func.func @main() {
  func.call @with_nan() : () -> ()
  %x = stablehlo.constant dense<[[3.0, 1.0], [-2.0, 5.0], [3.0, 4.0]]> : tensor<3x2xf32>
  %places = stablehlo.iota dim = 0 : tensor<3x2xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %places, %least, %none) {
    called_computations = [@greater],
    mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}
  } : (tensor<3x2xf32>, tensor<3x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %0#0, dense<[[3.0, 5.0], [3.0, 4.0]]> : tensor<2x2xf32>
  check.expect_eq_const %0#1, dense<[[0, 1], [2, 2]]> : tensor<2x2xi32>
  return
}
