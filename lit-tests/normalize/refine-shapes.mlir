// RUN: mapwright-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(indexing-refine-shapes{types=tensor<i64>;tensor<3x8x4xf32> values=0=3})' | FileCheck %s

// A size that is given as an argument reaches everything that follows from it.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%arg0: tensor<i64>, %arg1: tensor<3x8x4xf32>) -> tensor<24x4xf32>
// CHECK-NOT: dynamic
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<3x8x4xf32>
// CHECK: stablehlo.add %arg1, %[[B]] : tensor<3x8x4xf32>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<3x8x4xf32>) -> tensor<24x4xf32>
func.func @main(%arg0: tensor<i64>, %arg1: tensor<?x8x4xf32>) -> tensor<?x4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %n = stablehlo.convert %arg0 : (tensor<i64>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %eight = stablehlo.constant dense<8> : tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %eight, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %one, %shape, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<?x8x4xf32>
  %sum = stablehlo.add %arg1, %b : tensor<?x8x4xf32>
  %rows = stablehlo.multiply %n1, %eight : tensor<1xi32>
  %to = stablehlo.concatenate %rows, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r = stablehlo.dynamic_reshape %sum, %to : (tensor<?x8x4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// A contradiction shows both sides.

func.func @main(%arg0: tensor<i64>, %arg1: tensor<?x8x4xf32>, %arg2: tensor<5x8x4xf32>) -> tensor<?x8x4xf32> {
  // expected-error @below {{'stablehlo.add' op operands must have the same shape, operand #1 has [5, 8, 4], those before it [3, 8, 4]}}
  %0 = "stablehlo.add"(%arg1, %arg2) : (tensor<?x8x4xf32>, tensor<5x8x4xf32>) -> tensor<?x8x4xf32>
  return %0 : tensor<?x8x4xf32>
}

// -----

// Functions are specialised for what they are called with.

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<3x8x4xf32>
// CHECK: call @f_refined_0(%arg1) : (tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
// CHECK: func.func private @f_refined_0(%arg0: tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
func.func @main(%arg0: tensor<i64>, %arg1: tensor<?x8x4xf32>) -> tensor<?x8x4xf32> {
  %0 = call @f(%arg1) : (tensor<?x8x4xf32>) -> tensor<?x8x4xf32>
  return %0 : tensor<?x8x4xf32>
}
func.func private @f(%arg0: tensor<?x8x4xf32>) -> tensor<?x8x4xf32> {
  %0 = stablehlo.negate %arg0 : tensor<?x8x4xf32>
  return %0 : tensor<?x8x4xf32>
}

// -----

// Padding that is computed: the convolution becomes a static one. Its strides are as many as it has spatial dimensions, where
// `dynamic_conv` repeated them. (8 + 1 + 2 - 3) / 2 + 1 windows.

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<3x5x5xf32>
// CHECK: stablehlo.convolution(%arg1, %arg2) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = {{\[\[}}1, 2]]}
func.func @main(%arg0: tensor<i64>, %arg1: tensor<?x8x4xf32>, %arg2: tensor<3x4x5xf32>) -> tensor<?x?x5xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %n = stablehlo.reshape %arg0 : (tensor<i64>) -> tensor<1xi64>
  %high = stablehlo.subtract %n, %one : tensor<1xi64>
  %pair = stablehlo.concatenate %one, %high, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %row = stablehlo.reshape %pair : (tensor<2xi64>) -> tensor<1x2xi64>
  %padding = stablehlo.concatenate %row, dim = 0 : (tensor<1x2xi64>) -> tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg1, %arg2, %padding) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>} : (tensor<?x8x4xf32>, tensor<3x4x5xf32>, tensor<1x2xi64>) -> tensor<?x?x5xf32>
  return %0 : tensor<?x?x5xf32>
}
