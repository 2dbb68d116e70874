// RUN: mapwright-opt %s --indexing-differentiate="of=f wrt=0" | FileCheck %s
// RUN: mapwright-opt %s --indexing-differentiate="of=softmax wrt=0" | FileCheck %s --check-prefix=SOFTMAX
// RUN: mapwright-opt %s --indexing-differentiate="of=softmax_of_rows wrt=0" | FileCheck %s --check-prefix=ROWS

// The adjoint of a slice is padding, that of padding a slice, that of a reverse a reverse; a convolution's has the window that its relation gives.
// CHECK-LABEL: func.func @f_vjp
// CHECK: stablehlo.convolution(%arg2, %{{.*}}) dim_numbers = [b, f, 0]x[i, o, 0]->[b, f, 0], window = {stride = [1], pad = {{\[\[}}2, 2]], lhs_dilate = [2], rhs_dilate = [1]}
// CHECK: stablehlo.reverse %{{.*}}, dims = [2]
// CHECK: stablehlo.slice %{{.*}} [0:1, 0:1, 1:6:2] : (tensor<1x1x7xf32>) -> tensor<1x1x3xf32>
// CHECK: stablehlo.pad %{{.*}} low = [0, 0, 1], high = [0, 0, 0], interior = [0, 0, 1] : (tensor<1x1x3xf32>, tensor<f32>) -> tensor<1x1x6xf32>
// CHECK-NOT: stablehlo.gather
// CHECK: return
func.func @f(%x: tensor<1x1x6xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.slice %x [0:1, 0:1, 1:6:2] : (tensor<1x1x6xf32>) -> tensor<1x1x3xf32>
  %1 = stablehlo.pad %0, %zero, low = [0, 0, 1], high = [0, 0, 1], interior = [0, 0, 1] : (tensor<1x1x3xf32>, tensor<f32>) -> tensor<1x1x7xf32>
  %2 = stablehlo.reverse %1, dims = [2] : tensor<1x1x7xf32>
  %3 = stablehlo.convolution(%2, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x7xf32>, tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  return %3 : tensor<1x1x3xf32>
}

// What is subtracted so that exponentials stay small cancels: its cotangent is zero, and nothing is compared with the maximum.
// SOFTMAX-LABEL: func.func @softmax_vjp
// SOFTMAX: stablehlo.divide
// SOFTMAX-NOT: stablehlo.compare
// SOFTMAX: return
func.func @softmax(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<3x4xf32>
  %3 = stablehlo.exponential %2 : tensor<3x4xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
  %6 = stablehlo.divide %3, %5 : tensor<3x4xf32>
  return %6 : tensor<3x4xf32>
}

// So it does where the number of rows is known at run time only.
// ROWS-LABEL: func.func @softmax_of_rows_vjp
// ROWS: stablehlo.divide
// ROWS-NOT: stablehlo.compare
// ROWS: return
func.func @softmax_of_rows(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %sizes = stablehlo.concatenate %rows, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %0, %sizes, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<?x4xf32>
  %3 = stablehlo.exponential %2 : tensor<?x4xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  %5 = stablehlo.dynamic_broadcast_in_dim %4, %sizes, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %6 = stablehlo.divide %3, %5 : tensor<?x4xf32>
  return %6 : tensor<?x4xf32>
}
