// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Constraints without which an operation has no text.

func.func @slice_ranges(%a: tensor<4xf32>) {
  // expected-error@+1 {{'limit_indices' must have 1 values, has 2 (slice_c2)}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 0>, limit_indices = array<i64: 4, 3>, strides = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @padding_shape(%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>) {
  // expected-error@+1 {{'padding' must have the shape [2, 2] (convolution_c4)}}
  %0 = "stablehlo.convolution"(%x, %k) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, padding = dense<0> : tensor<2x3xi64>} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @while_arguments(%n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{the condition must take (tensor<i32>), takes () (while_c1)}}
  %0 = "stablehlo.while"(%n) ({
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<i32>):
    "stablehlo.return"(%x) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @reduce_arguments(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{the reduction region must take 2 arguments, takes 1 (reduce_c6)}}
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}
