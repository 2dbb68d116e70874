// RUN: mapwright fusion %s | FileCheck %s

// What follows a product, and what its factors are made of, where the product would be slow with it.

// Vectors run along the last dimension of a region's results: a transpose that leaves a short one there is a region of its own.
// CHECK-LABEL: func @colours_last
// CHECK: region 0: contraction, 1 operations
// CHECK: region 1: streaming, 1 operations
// CHECK: stablehlo.dot_general {{.*}} into stablehlo.transpose {{.*}}: vectors would run along a dimension of 3 elements, not of 48
func.func public @colours_last(%x: tensor<40x24x3xf32>, %w: tensor<24x48xf32>) -> tensor<40x48x3xf32> {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<40x24x3xf32>, tensor<24x48xf32>) -> tensor<40x3x48xf32>
  %r = stablehlo.transpose %p, dims = [0, 2, 1] : (tensor<40x3x48xf32>) -> tensor<40x48x3xf32>
  return %r : tensor<40x48x3xf32>
}

// One that leaves a long one there is a part of it.
// CHECK-LABEL: func @rows_last
// CHECK: region 0: contraction, 2 operations
// CHECK-NOT: region 1
func.func public @rows_last(%x: tensor<3x24x40xf32>, %w: tensor<24x48xf32>) -> tensor<3x48x40xf32> {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x24x40xf32>, tensor<24x48xf32>) -> tensor<3x40x48xf32>
  %r = stablehlo.transpose %p, dims = [0, 2, 1] : (tensor<3x40x48xf32>) -> tensor<3x48x40xf32>
  return %r : tensor<3x48x40xf32>
}

// A convolution of each feature by itself with the features in front: they are brought to the end, and back.
// CHECK-LABEL: func @depthwise
// CHECK: region 0: streaming, 1 operations
// CHECK: region 1: streaming, 1 operations
// CHECK: region 2: contraction, 1 operations
// CHECK: region 3: streaming, 1 operations
// CHECK: stablehlo.transpose {{.*}} into stablehlo.convolution {{.*}}: a convolution of each feature by itself reads its factors where they are, features side by side
// CHECK: stablehlo.convolution {{.*}} into stablehlo.transpose {{.*}}: a convolution is fused only where its result is used at its own index
func.func public @depthwise(%x: tensor<1x19x11x13xf32>, %w: tensor<19x1x3x3xf32>) -> tensor<1x19x11x13xf32> {
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 19 : i64, batch_group_count = 1 : i64} : (tensor<1x19x11x13xf32>, tensor<19x1x3x3xf32>) -> tensor<1x19x11x13xf32>
  return %r : tensor<1x19x11x13xf32>
}
