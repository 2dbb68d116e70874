// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// A function of run-time sizes, called with two of them.
// CHECK: [14,  77]
// CHECK: [2]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @row_sums(%x: tensor<?x3xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.multiply %x, %x : tensor<?x3xf32>
  %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}
func.func @main() {
  %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = arith.constant dense<[[1.0, 0.0, 1.0]]> : tensor<1x3xf32>
  %a1 = tensor.cast %a : tensor<2x3xf32> to tensor<?x3xf32>
  %b1 = tensor.cast %b : tensor<1x3xf32> to tensor<?x3xf32>
  %r = call @row_sums(%a1) : (tensor<?x3xf32>) -> tensor<?xf32>
  %s = call @row_sums(%b1) : (tensor<?x3xf32>) -> tensor<?xf32>
  %u = tensor.cast %r : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %s : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return
}
