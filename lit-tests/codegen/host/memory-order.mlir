// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse=maps=false | FileCheck %s

// A step of descent of two layers, as frontends write it: the sums of columns, which are the gradients of the biases, stand at the end. They are made as
// soon as they can be, so that the tensor they are sums of is not in memory while the new weights are written, and what comes after it may lie there.

// CHECK-LABEL: @main
// CHECK: %[[T:.*]] = indexing.fusion(%{{.*}} = %arg0 : tensor<256x256xf32>, %{{.*}} = %arg1
// CHECK: %[[G:.*]] = indexing.fusion(%{{.*}} = %[[T]] : tensor<256x256xf32>, %{{.*}} = %arg2
// The last who reads the tangent and the last who reads the gradient of the second layer.
// CHECK: %[[H:.*]] = indexing.fusion(%{{.*}} = %[[G]] : tensor<256x256xf32>, %{{.*}} = %arg2 : tensor<256x256xf32>, %{{.*}} = %[[T]]
// CHECK: %[[C:.*]] = indexing.fusion(%{{.*}} = %[[G]] : tensor<256x256xf32>) {{.*}}reduction
// CHECK: %[[W:.*]] = indexing.fusion(%{{.*}} = %arg0 : tensor<256x256xf32>, %{{.*}} = %[[H]]
// CHECK: return %[[W]], %{{.*}}, %{{.*}}, %[[C]]
func.func public @main(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>, %v: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256xf32>, tensor<256x256xf32>, tensor<256xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %t = stablehlo.tanh %p : tensor<256x256xf32>
  %q = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %g = stablehlo.tanh %q : tensor<256x256xf32>
  %back = stablehlo.dot_general %g, %v, contracting_dims = [1] x [1] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %h = stablehlo.multiply %back, %t : tensor<256x256xf32>
  %dw = stablehlo.dot_general %x, %h, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %dv = stablehlo.dot_general %t, %g, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %db = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
  %dc = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
  return %dw, %db, %dv, %dc : tensor<256x256xf32>, tensor<256xf32>, tensor<256x256xf32>, tensor<256xf32>
}
