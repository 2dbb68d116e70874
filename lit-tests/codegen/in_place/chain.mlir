// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s
// A region of several stages (attention) is one kernel; its memory is freed by hand, which upstream's deallocation is told.
// CHECK: func.func @attention
// CHECK-COUNT-1: indexing.call_kernel
// CHECK-NOT: indexing.call_kernel
// CHECK: memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation}
// CHECK: memref.dealloc {{.*}} {bufferization.manual_deallocation}
func.func @attention(%q: tensor<256x64xf32>, %k: tensor<256x64xf32>, %v: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x256xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<256xf32>) -> tensor<256x256xf32>
  %d = stablehlo.subtract %s, %b : tensor<256x256xf32>
  %e = stablehlo.exponential %d : tensor<256x256xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
  %u = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<256xf32>) -> tensor<256x256xf32>
  %p = stablehlo.divide %e, %u : tensor<256x256xf32>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
  return %o : tensor<256x64xf32>
}
