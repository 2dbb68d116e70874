// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Several results of one region.
// CHECK: [10,  26]
// CHECK: [4,  8]
// CHECK: [-3,   -2,   -1,   0]
// CHECK: [0,   -1,   -2,   -3]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @both(%x: tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %d = stablehlo.subtract %x, %b : tensor<2x4xf32>
  return %s, %m, %d : tensor<2xf32>, tensor<2xf32>, tensor<2x4xf32>
}
func.func @main() {
  %a = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [8.0, 7.0, 6.0, 5.0]]> : tensor<2x4xf32>
  %r:3 = call @both(%a) : (tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x4xf32>)
  %u = tensor.cast %r#0 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %r#1 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  %w = tensor.cast %r#2 : tensor<2x4xf32> to tensor<*xf32>
  call @printMemrefF32(%w) : (tensor<*xf32>) -> ()
  return
}
