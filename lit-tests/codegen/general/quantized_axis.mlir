// RUN: mapwright run %s
// RUN: mapwright run %s --threads 2

// A product whose right operand has a scale for each column: real numbers are multiplied, then quantized (specification: dot_general, convolution,
// dequantize_op_quantize). Expected values are worked out by hand.

func.func @main() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %b = stablehlo.constant dense<[[1, -2], [3, 4], [-5, 6]]> : tensor<3x2xi8>
  %e = stablehlo.constant dense<[[-7, 16], [-10, 40]]> : tensor<2x2xi32>
  %qa = stablehlo.bitcast_convert %a : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>
  %qb = stablehlo.bitcast_convert %b : (tensor<3x2xi8>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
  %c = stablehlo.dot_general %qa, %qb, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 0.5:1>>, tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>>
  %r = stablehlo.bitcast_convert %c : (tensor<2x2x!quant.uniform<i32:f32:1, {0.25, 0.125}>>) -> tensor<2x2xi32>
  // (0, 1, 2) and (3, 4, 5) times b, in units of the result.
  stablehlo.custom_call @check.expect_eq(%r, %e) {has_side_effect = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()

  // One pixel with three channels under a 1x1 window is the first row of that product.
  %x = stablehlo.constant dense<[[[[1, 2, 3]]]]> : tensor<1x1x1x3xi8>
  %w = stablehlo.constant dense<[[[[1, -2], [3, 4], [-5, 6]]]]> : tensor<1x1x3x2xi8>
  %qx = stablehlo.bitcast_convert %x : (tensor<1x1x1x3xi8>) -> tensor<1x1x1x3x!quant.uniform<i8:f32, 0.5:1>>
  %qw = stablehlo.bitcast_convert %w : (tensor<1x1x3x2xi8>) -> tensor<1x1x3x2x!quant.uniform<i8:f32:3, {0.5, 0.25}>>
  %y = stablehlo.convolution(%qx, %qw) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x1x3x!quant.uniform<i8:f32, 0.5:1>>, tensor<1x1x3x2x!quant.uniform<i8:f32:3, {0.5, 0.25}>>) -> tensor<1x1x1x2x!quant.uniform<i32:f32:3, {0.25, 0.125}>>
  %ry = stablehlo.bitcast_convert %y : (tensor<1x1x1x2x!quant.uniform<i32:f32:3, {0.25, 0.125}>>) -> tensor<1x1x1x2xi32>
  %ey = stablehlo.constant dense<[[[[-7, 16]]]]> : tensor<1x1x1x2xi32>
  stablehlo.custom_call @check.expect_eq(%ry, %ey) {has_side_effect = true} : (tensor<1x1x1x2xi32>, tensor<1x1x1x2xi32>) -> ()
  return
}
