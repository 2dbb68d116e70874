// RUN: mapwright-opt %s | FileCheck %s
// RUN: mapwright-opt %s | mapwright-opt | FileCheck %s
// RUN: mapwright-opt %s --emit-bytecode | mapwright-opt | FileCheck %s

// Where operations have lists, older frameworks wrote `dense<…>`; it is read, and printed in today's form.

func.func @main(%a: tensor<2x3xf32>, %s: tensor<f32>, %i: tensor<i64>) -> tensor<3x2xf32> {
  // CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %0 = "stablehlo.transpose"(%a) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %1 = "stablehlo.broadcast_in_dim"(%s) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.slice %{{.*}} [0:1, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %2 = "stablehlo.slice"(%a) {start_indices = dense<[0, 0]> : tensor<2xi64>, limit_indices = dense<[1, 3]> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [0] : tensor<2x3xf32>
  %3 = "stablehlo.reverse"(%a) {dimensions = dense<0> : tensor<1xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [1, 1]
  %4 = "stablehlo.dynamic_slice"(%a, %i, %i) {slice_sizes = dense<1> : tensor<2xi64>} : (tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x1xf32>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [0, 0], high = [1, 0], interior = [0, 0]
  %5 = "stablehlo.pad"(%a, %s) {edge_padding_low = dense<0> : tensor<2xi64>, edge_padding_high = dense<[1, 0]> : tensor<2xi64>, interior_padding = dense<0> : tensor<2xi64>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1]
  %6 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) {dimensions = dense<1> : tensor<1xi64>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: "stablehlo.reduce_window"(%{{.*}}, %{{.*}}) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}>
  %7 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) {window_dimensions = dense<[1, 3]> : tensor<2xi64>, window_strides = dense<1> : tensor<2xi64>, base_dilations = dense<1> : tensor<2xi64>, window_dilations = dense<1> : tensor<2xi64>, padding = dense<0> : tensor<2x2xi64>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x1xf32>
  %8 = stablehlo.reduce(%a init: %s) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }
  %9 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %10 = "stablehlo.convert"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  // CHECK: stablehlo.fft %{{.*}}, type = RFFT, length = [3]
  %11 = "stablehlo.fft"(%10) {fft_length = dense<3> : tensor<1xi64>, fft_type = #stablehlo<fft_type RFFT>} : (tensor<2x3xf64>) -> tensor<2x2xcomplex<f64>>
  %12 = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<3x2xf32>
}
func.func @g(%x: tensor<2x3x4x2xi32>, %i: tensor<2x3x2xi64>, %img: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %0 = "stablehlo.broadcast"(%x) {broadcast_sizes = dense<[1]> : tensor<1xi64>} : (tensor<2x3x4x2xi32>) -> tensor<1x2x3x4x2xi32>
  // CHECK: slice_sizes = array<i64: 1, 1, 4, 2>
  %1 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 2>, slice_sizes = dense<[1, 1, 4, 2]> : tensor<4xi64>, indices_are_sorted = false} : (tensor<2x3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x4x2xi32>
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = {{\[\[}}0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]}
  %2 = "stablehlo.convolution"(%img, %k) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = dense<1> : tensor<2xi64>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = dense<1> : tensor<2xi64>, rhs_dilation = dense<1> : tensor<2xi64>, window_reversal = dense<false> : tensor<2xi1>} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return %2 : tensor<1x6x6x4xf32>
}
