// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// What goes into linalg.matmul and what comes out of it.
// CHECK: [16,   30]
// CHECK: [30,   44]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main() {
  %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
  %two = stablehlo.constant dense<2.0> : tensor<2x3xf32>
  %a2 = stablehlo.multiply %a, %two : tensor<2x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<2x2xf32>
  %m = linalg.matmul ins(%a2, %b : tensor<2x3xf32>, tensor<3x2xf32>) outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
  %t = stablehlo.transpose %m, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = stablehlo.add %t, %m : tensor<2x2xf32>
  %u = tensor.cast %r : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
