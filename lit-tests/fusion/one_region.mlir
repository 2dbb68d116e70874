// RUN: mapwright fusion %s | FileCheck %s

// Two reductions over rows, what is between them and what follows are one region; the broadcasts are never made.

// CHECK-LABEL: func @softmax
// CHECK: region 0: reduction, 9 operations, reads 16384 bytes, writes 16384 bytes
// CHECK-NOT: region 1
// CHECK-NOT: not fused: {{.*}} into stablehlo
func.func public @softmax(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %d = stablehlo.subtract %x, %mb : tensor<64x64xf32>
  %e = stablehlo.exponential %d : tensor<64x64xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %r = stablehlo.divide %e, %sb : tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// Movements only: one region that reads each element once. The slice of everything is none.

// CHECK-LABEL: func @movement
// CHECK: region 0: streaming, 4 operations
// CHECK-NOT: region 1
func.func public @movement(%x: tensor<32x48xf32>) -> tensor<24x64xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<32x48xf32>) -> tensor<48x32xf32>
  %1 = stablehlo.reverse %0, dims = [1] : tensor<48x32xf32>
  %2 = stablehlo.slice %1 [0:48, 0:32] : (tensor<48x32xf32>) -> tensor<48x32xf32>
  %3 = stablehlo.reshape %2 : (tensor<48x32xf32>) -> tensor<24x64xf32>
  %4 = stablehlo.negate %3 : tensor<24x64xf32>
  return %4 : tensor<24x64xf32>
}
