// RUN: mapwright run --threads 1 %s

// JAX repeats the stride of a one-dimensional convolution whose padding is known at run time only.
func.func @main() {
  %0 = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]]> : tensor<1x6x1xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<1x6x1xf32>
  %2 = stablehlo.constant dense<[[[1.0]], [[10.0]], [[100.0]]]> : tensor<3x1x1xf32>
  %3 = stablehlo.constant dense<1> : tensor<1x2xi64>
  %4 = stablehlo.optimization_barrier %3 : tensor<1x2xi64>
  %5 = "stablehlo.dynamic_conv"(%1, %2, %4) {
    batch_group_count = 1 : i64,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64,
    window_strides = array<i64: 2, 2>
  } : (tensor<1x6x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi64>) -> tensor<1x?x1xf32>
  %6 = stablehlo.constant dense<3> : tensor<1xi64>
  %7 = stablehlo.dynamic_reshape %5, %6 : (tensor<1x?x1xf32>, tensor<1xi64>) -> tensor<3xf32>
  check.expect_eq_const %7, dense<[210.0, 432.0, 654.0]> : tensor<3xf32>
  return
}
