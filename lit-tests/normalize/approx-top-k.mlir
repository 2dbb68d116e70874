// RUN: mapwright run %s
// RUN: mapwright run %s --interpret

// JAX's call for the largest elements and where they are: exact here. The function that compares ends as JAX writes it.

func.func @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func @main() {
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
