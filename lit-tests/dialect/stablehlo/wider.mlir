// RUN: mapwright-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Where the rules are wider than the specification's words, because frameworks print such programs: what is taken, and what is not.

// (C2 of dynamic_conv) one stride for each spatial dimension; JAX repeats it.

// CHECK-LABEL: @equal_surplus_strides
func.func @equal_surplus_strides(%a: tensor<1x?x16xf32>, %k: tensor<4x16x16xf32>, %p: tensor<1x2xi32>) -> tensor<1x?x16xf32> {
  // CHECK: window_strides = array<i64: 2, 2>
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>} : (tensor<1x?x16xf32>, tensor<4x16x16xf32>, tensor<1x2xi32>) -> tensor<1x?x16xf32>
  return %0 : tensor<1x?x16xf32>
}

// -----

func.func @other_surplus_strides(%a: tensor<1x?x16xf32>, %k: tensor<4x16x16xf32>, %p: tensor<1x2xi32>) -> tensor<1x?x16xf32> {
  // expected-error@+1 {{(dynamic_conv_c2)}}
  %0 = "stablehlo.dynamic_conv"(%a, %k, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2, 3>} : (tensor<1x?x16xf32>, tensor<4x16x16xf32>, tensor<1x2xi32>) -> tensor<1x?x16xf32>
  return %0 : tensor<1x?x16xf32>
}

// -----

// An ordinary convolution's strides are counted.

func.func @surplus_strides_of_convolution(%a: tensor<1x8x16xf32>, %k: tensor<4x16x16xf32>) -> tensor<1x3x16xf32> {
  // expected-error@+1 {{(convolution_c2)}}
  %0 = "stablehlo.convolution"(%a, %k) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>} : (tensor<1x8x16xf32>, tensor<4x16x16xf32>) -> tensor<1x3x16xf32>
  return %0 : tensor<1x3x16xf32>
}

// -----

// (C13 of dot_general) one element type on both sides; floating-point formats are multiplied with each other.

// CHECK-LABEL: @two_formats_of_eight_bits
func.func @two_formats_of_eight_bits(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x2xf8E5M2>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf8E4M3FN>, tensor<3x2xf8E5M2>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: @eight_and_sixteen_bits
func.func @eight_and_sixteen_bits(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x2xf16>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf8E4M3FN>, tensor<3x2xf16>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @integers_of_two_widths(%a: tensor<2x3xi8>, %b: tensor<3x2xi32>) -> tensor<2x2xi32> {
  // expected-error@+1 {{(dot_general_c13)}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

// (C1 of quantized element types) storage narrower than what it stands for; accumulators have the same width.

// CHECK-LABEL: @storage_as_wide
func.func @storage_as_wide(%a: tensor<2x!quant.uniform<i32:f32, 1.0>>) -> tensor<2x!quant.uniform<i32:f32, 1.0>> {
  %0 = stablehlo.add %a, %a : tensor<2x!quant.uniform<i32:f32, 1.0>>
  return %0 : tensor<2x!quant.uniform<i32:f32, 1.0>>
}

// -----

func.func @storage_wider(%a: tensor<2x!quant.uniform<i32:bf16, 1.0>>) -> tensor<2x!quant.uniform<i32:bf16, 1.0>> {
  // expected-error@+1 {{wider than the expressed type}}
  %0 = stablehlo.add %a, %a : tensor<2x!quant.uniform<i32:bf16, 1.0>>
  return %0 : tensor<2x!quant.uniform<i32:bf16, 1.0>>
}

// -----

// (I2 of reduce and reduce_window) initial values without dimensions; older programs have tensors of one element, or reduce slices, which
// have some of the dimensions that are kept, or of the window's.

// CHECK-LABEL: @slices_of_what_is_kept
func.func @slices_of_what_is_kept(%a: tensor<7x3x5xf32>, %s: tensor<5xf32>, %o: tensor<1xf32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x: tensor<5xf32>, %y: tensor<5xf32>):
    %1 = stablehlo.add %x, %y : tensor<5xf32>
    stablehlo.return %1 : tensor<5xf32>
  }) {dimensions = array<i64: 0>} : (tensor<7x3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %2 = "stablehlo.reduce"(%a, %o) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<7x3x5xf32>, tensor<1xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @slices_of_what_is_reduced(%a: tensor<7x3x5xf32>, %s: tensor<7xf32>) -> tensor<3x5xf32> {
  // expected-error@+1 {{must be 0-dimensional, or have some of the dimensions [3, 5], is tensor<7xf32> (reduce_i2)}}
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x: tensor<7xf32>, %y: tensor<7xf32>):
    %1 = stablehlo.add %x, %y : tensor<7xf32>
    stablehlo.return %1 : tensor<7xf32>
  }) {dimensions = array<i64: 0>} : (tensor<7x3x5xf32>, tensor<7xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @slices_of_another_computation(%a: tensor<7x5xf32>, %s: tensor<5xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{(reduce_c6)}}
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<7x5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// CHECK-LABEL: @slices_of_a_window
func.func @slices_of_a_window(%a: tensor<8x3xf32>, %s: tensor<3xf32>) -> tensor<4x1xf32> {
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>):
    %1 = stablehlo.maximum %x, %y : tensor<3xf32>
    stablehlo.return %1 : tensor<3xf32>
  }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>} : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

func.func @other_initial_values(%a: tensor<8x3xf32>, %s: tensor<4xf32>) -> tensor<4x1xf32> {
  // expected-error@+1 {{(reduce_window_i2)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    %1 = stablehlo.maximum %x, %y : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) {window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>} : (tensor<8x3xf32>, tensor<4xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}
