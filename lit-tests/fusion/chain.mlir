// RUN: mapwright fusion %s | FileCheck %s

// Attention is one region: the scores (16 heads of 64 by 64, 262144 bytes, twice) are not among what is read and written.

// CHECK-LABEL: func @attention
// CHECK: region 0: chain, 12 operations, reads 393216 bytes, writes 131072 bytes
// CHECK-NEXT: stages contraction, reduction, contraction: 524288 bytes between them, a block of rows at a time
// CHECK-NOT: region 1
// CHECK-NOT: not fused: {{.*}} into stablehlo
func.func public @attention(%q: tensor<16x64x32xf32>, %k: tensor<16x64x32xf32>, %v: tensor<16x64x32xf32>) -> tensor<16x64x32xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<16x64x32xf32>, tensor<16x64x32xf32>) -> tensor<16x64x64xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<16x64x64xf32>, tensor<f32>) -> tensor<16x64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<16x64xf32>) -> tensor<16x64x64xf32>
  %d = stablehlo.subtract %s, %mb : tensor<16x64x64xf32>
  %e = stablehlo.exponential %d : tensor<16x64x64xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<16x64x64xf32>, tensor<f32>) -> tensor<16x64xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<16x64xf32>) -> tensor<16x64x64xf32>
  %p = stablehlo.divide %e, %tb : tensor<16x64x64xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<16x64x64xf32>, tensor<16x64x32xf32>) -> tensor<16x64x32xf32>
  %r = stablehlo.negate %o : tensor<16x64x32xf32>
  return %r : tensor<16x64x32xf32>
}

// Work that mixes rows keeps the products apart.

// CHECK-LABEL: func @mixed
// CHECK: region 0: contraction
// CHECK: region 1: reduction
// CHECK: region 2: contraction
func.func public @mixed(%q: tensor<64x32xf32>, %k: tensor<32x64xf32>, %v: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<64xf32>) -> tensor<64x64xf32>
  %p = stablehlo.subtract %s, %mb : tensor<64x64xf32>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %o : tensor<64x32xf32>
}

// The second product as JAX writes it, with the weights on the right, in front of another product: its result is stored in the order that the
// transpose gives it, by which the rows of both products are the same.

// CHECK-LABEL: func @projected
// CHECK: region 0: chain
// CHECK: stages contraction, reduction, contraction
// CHECK: stablehlo.transpose {{.*}} (root)
// CHECK: region 1: contraction, 2 operations
// CHECK-NOT: region 2
func.func public @projected(%q: tensor<64x4x32xf32>, %k: tensor<64x4x32xf32>, %v: tensor<64x4x32xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<64x4x32xf32>, tensor<64x4x32xf32>) -> tensor<4x64x64xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<4x64x64xf32>, tensor<f32>) -> tensor<4x64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<4x64xf32>) -> tensor<4x64x64xf32>
  %p = stablehlo.subtract %s, %mb : tensor<4x64x64xf32>
  %o = stablehlo.dot_general %v, %p, batching_dims = [1] x [0], contracting_dims = [0] x [2] : (tensor<64x4x32xf32>, tensor<4x64x64xf32>) -> tensor<4x32x64xf32>
  %t = stablehlo.transpose %o, dims = [2, 0, 1] : (tensor<4x32x64xf32>) -> tensor<64x4x32xf32>
  %f = stablehlo.reshape %t : (tensor<64x4x32xf32>) -> tensor<64x128xf32>
  %r = stablehlo.dot_general %f, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}
