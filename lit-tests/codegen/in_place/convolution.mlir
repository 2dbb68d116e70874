// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// A convolution: element (i, j) is 10 (4 i + j) + 34.
// CHECK: [34,   44,   54]
// CHECK: [74,   84,   94]
// CHECK: [114,   124,   134]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main() {
  %i = stablehlo.iota dim = 0 : tensor<16xf32>
  %x = stablehlo.reshape %i : (tensor<16xf32>) -> tensor<1x4x4x1xf32>
  %k = stablehlo.constant dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>
  %c = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x3x3x1xf32>
  %r = stablehlo.reshape %c : (tensor<1x3x3x1xf32>) -> tensor<3x3xf32>
  %u = tensor.cast %r : tensor<3x3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
