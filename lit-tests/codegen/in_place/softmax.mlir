// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Softmax is one region.
// CHECK: [0.0320586,   0.0871443,   0.236883,   0.643914]
// CHECK: [0.25,   0.25,   0.25,   0.25]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @softmax(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %d = stablehlo.subtract %x, %b : tensor<2x4xf32>
  %e = stablehlo.exponential %d : tensor<2x4xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %t = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %r = stablehlo.divide %e, %t : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @main() {
  %x = arith.constant dense<[[0.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<2x4xf32>
  %r = call @softmax(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %u = tensor.cast %r : tensor<2x4xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
