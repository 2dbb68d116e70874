// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Convolutions: a function for each constraint of the specification, which violates it.

func.func @convolution_c1(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4xf32>) {
  // expected-error@+1 {{(convolution_c1)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c1(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c1)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c2(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c2)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 1>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c2(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c2)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 1>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c3(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c3)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 1, 0>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c3(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c3)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 1, 0>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c4(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c4)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<0> : tensor<2x3xi64>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c4(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x3xi64>) {
  // expected-error@+1 {{(dynamic_conv_c4)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x3xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c5(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c5)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c5(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c5)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c6(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c6)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 0>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c6(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c6)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 0>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c7(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c7)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 1>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c7(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c7)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 1>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c8(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c8)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 1, 0>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c8(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c8)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 1, 0>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c9(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c9)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_reversal = array<i1: false>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c9(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c9)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_reversal = array<i1: false>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c10(%a: tensor<3x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c10)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<3x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c10(%a: tensor<3x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c10)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<3x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c11(%a: tensor<2x8x8x5xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c11)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64} : (tensor<2x8x8x5xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c11(%a: tensor<2x8x8x5xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c11)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64} : (tensor<2x8x8x5xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c12(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c12)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2, 4], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c12(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c12)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2, 4], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c13(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c13)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c13(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c13)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c14(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x3x6xf32>) {
  // expected-error@+1 {{(convolution_c14)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x3x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c14(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x3x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c14)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x3x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c15(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x5xf32>) {
  // expected-error@+1 {{(convolution_c15)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x5xf32>) -> tensor<1x6x6x5xf32>
  return
}

// -----

func.func @dynamic_conv_c15(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x5xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c15)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x5xf32>, tensor<2x2xi64>) -> tensor<1x6x6x5xf32>
  return
}

// -----

func.func @convolution_c16(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x2x5xf32>) {
  // expected-error@+1 {{(convolution_c16)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x2x5xf32>) -> tensor<2x6x6x5xf32>
  return
}

// -----

func.func @dynamic_conv_c16(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x2x5xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c16)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x2x5xf32>, tensor<2x2xi64>) -> tensor<2x6x6x5xf32>
  return
}

// -----

func.func @convolution_c17(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c17)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1, 4], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c17(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c17)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1, 4], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c18(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c18)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c18(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c18)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c19(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c19)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2, 4]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c19(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c19)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2, 4]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c20(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c20)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 4]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c20(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c20)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 4]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c21(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c21)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 0 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c21(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c21)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 0 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c22(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c22)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 0 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c22(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c22)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 0 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c23(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c23)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c23(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c23)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c24(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c24)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c24(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c24)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c25(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c25)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x7xf32>
  return
}

// -----

func.func @dynamic_conv_c25(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c25)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x7xf32>
  return
}

// -----

func.func @convolution_c26(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error@+1 {{(convolution_c26)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c26(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c26)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @convolution_c27(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf64>) {
  // expected-error@+1 {{(convolution_c27)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @dynamic_conv_c27(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x6xf64>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c27)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf64>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c28(%a: tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x2xf32>) {
  // expected-error@+1 {{(convolution_c28)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x2xf32>) -> tensor<2x6x6x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @dynamic_conv_c28(%a: tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x2xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c28)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x2xf32>, tensor<2x2xi64>) -> tensor<2x6x6x2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

func.func @convolution_c29(%a: tensor<2x8x8x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x2x6x!quant.uniform<i8:f32:2, {1.0, 2.0}>>) {
  // expected-error@+1 {{(convolution_c29)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x2x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x2x6x!quant.uniform<i8:f32:2, {1.0, 2.0}>>) -> tensor<2x6x6x6x!quant.uniform<i32:f32, 1.0>>
  return
}

// -----

func.func @dynamic_conv_c29(%a: tensor<2x8x8x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x2x6x!quant.uniform<i8:f32:2, {1.0, 2.0}>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c29)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x2x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x2x6x!quant.uniform<i8:f32:2, {1.0, 2.0}>>, tensor<2x2xi64>) -> tensor<2x6x6x6x!quant.uniform<i32:f32, 1.0>>
  return
}

// -----

func.func @convolution_c30(%a: tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x2x!quant.uniform<i8:f32:3, {1.0, 2.0}>>) {
  // expected-error@+1 {{(convolution_c30)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x2x!quant.uniform<i8:f32:3, {1.0, 2.0}>>) -> tensor<2x6x6x2x!quant.uniform<i32:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @dynamic_conv_c30(%a: tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x2x!quant.uniform<i8:f32:3, {1.0, 2.0}>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c30)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x2x!quant.uniform<i8:f32:3, {1.0, 2.0}>>, tensor<2x2xi64>) -> tensor<2x6x6x2x!quant.uniform<i32:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @convolution_c31(%a: tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x2x!quant.uniform<i4:f32, 1.0>>) {
  // expected-error@+1 {{(convolution_c31)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x2x!quant.uniform<i4:f32, 1.0>>) -> tensor<2x6x6x2x!quant.uniform<i32:f32, 1.0>>
  return
}

// -----

func.func @dynamic_conv_c31(%a: tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x2x!quant.uniform<i4:f32, 1.0>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c31)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x2x!quant.uniform<i4:f32, 1.0>>, tensor<2x2xi64>) -> tensor<2x6x6x2x!quant.uniform<i32:f32, 1.0>>
  return
}

// -----

func.func @convolution_c32(%a: tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x2x!quant.uniform<i8:f16, 1.0>>) {
  // expected-error@+1 {{(convolution_c32)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x2x!quant.uniform<i8:f16, 1.0>>) -> tensor<2x6x6x2x!quant.uniform<i32:f32, 1.0>>
  return
}

// -----

func.func @dynamic_conv_c32(%a: tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x2x!quant.uniform<i8:f16, 1.0>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c32)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x2x!quant.uniform<i8:f16, 1.0>>, tensor<2x2xi64>) -> tensor<2x6x6x2x!quant.uniform<i32:f32, 1.0>>
  return
}

// -----

func.func @convolution_c33(%a: tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{(convolution_c33)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x6x6x2x!quant.uniform<i32:f32:3, {1.0, 2.0}>>
  return
}

// -----

func.func @dynamic_conv_c33(%a: tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x2x!quant.uniform<i8:f32, 1.0>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c33)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2xi64>) -> tensor<2x6x6x2x!quant.uniform<i32:f32:3, {1.0, 2.0}>>
  return
}

// -----

func.func @convolution_c34(%a: tensor<2x8x8x4xf64>, %b: tensor<3x3x4x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{(convolution_c34)}}
  %0 = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf64>, tensor<3x3x4x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x6x6x2xf64>
  return
}

// -----

func.func @dynamic_conv_c34(%a: tensor<2x8x8x4xf64>, %b: tensor<3x3x4x2x!quant.uniform<i8:f32, 1.0>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c34)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf64>, tensor<3x3x4x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2xi64>) -> tensor<2x6x6x2xf64>
  return
}
