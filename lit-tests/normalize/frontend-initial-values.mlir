// RUN: mapwright run %s
// RUN: mapwright run %s --interpret

// Initial values of one element that are no scalars, as older programs have them: of reductions, of windows, and of what is scattered.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 4.0, 3.0, 2.0]> : tensor<4xf32>
  %ten = stablehlo.constant dense<10.0> : tensor<1xf32>
  %0 = "stablehlo.reduce"(%x, %ten) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<1xf32>) -> tensor<f32>
  check.expect_eq_const %0, dense<20.0> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%x, %ten) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<1xf32>) -> tensor<3xf32>
  check.expect_eq_const %1, dense<[15.0, 17.0, 15.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %2 = "stablehlo.select_and_scatter"(%x, %y, %ten) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<4xf32>
  check.expect_eq_const %2, dense<[10.0, 15.0, 16.0, 10.0]> : tensor<4xf32>
  return
}
