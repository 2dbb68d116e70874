// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// What the runtime library computes: the transform of [1, 0, 0, 0] is all ones; [[4, 2], [2, 5]] is the square of [[2, 0], [1, 2]]; of that, x with
// [[2, 0], [1, 2]] x = [2, 5] is [1, 2]; the largest two of three.
// CHECK: [1,  1,  1]
// CHECK: {{\[}}[2,   0],
// CHECK: [1,   2]]
// CHECK: {{\[}}[1],
// CHECK: [2]]
// CHECK: [9,  7]
// CHECK: [1,  2]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printMemrefI32(tensor<*xi32>)
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 0.0, 0.0, 0.0]> : tensor<4xf32>
  %f = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  %re = stablehlo.real %f : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %u = tensor.cast %re : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %s = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %l0 = stablehlo.cholesky %s, lower = true : tensor<2x2xf32>
  %keep = stablehlo.constant dense<[[1.0, 0.0], [1.0, 1.0]]> : tensor<2x2xf32>
  %l = stablehlo.multiply %l0, %keep : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[2.0], [5.0]]> : tensor<2x1xf32>
  %t = "stablehlo.triangular_solve"(%l, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %v = tensor.cast %l : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  %w = tensor.cast %t : tensor<2x1xf32> to tensor<*xf32>
  call @printMemrefF32(%w) : (tensor<*xf32>) -> ()
  %k = stablehlo.constant dense<[3.0, 9.0, 7.0]> : tensor<3xf32>
  %values, %places = chlo.top_k(%k, k = 2) : tensor<3xf32> -> (tensor<2xf32>, tensor<2xi32>)
  %y = tensor.cast %values : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%y) : (tensor<*xf32>) -> ()
  %z = tensor.cast %places : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%z) : (tensor<*xi32>) -> ()
  return
}
