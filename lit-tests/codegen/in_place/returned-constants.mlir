// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// What a function returns may be a constant: nothing may be written there, whoever made the constant.
// CHECK: [-1,  -2]
// CHECK: [-3,  -4]
// CHECK: [7,  4]
// CHECK: [3,  4]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @of_stablehlo() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @of_arith() -> tensor<2xf32> {
  %0 = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main() {
  %a = call @of_stablehlo() : () -> tensor<2xf32>
  %b = call @of_arith() : () -> tensor<2xf32>
  %0 = stablehlo.negate %a : tensor<2xf32>
  %u = tensor.cast %0 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %1 = stablehlo.negate %b : tensor<2xf32>
  %v = tensor.cast %1 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  %c = call @of_arith() : () -> tensor<2xf32>
  %at = stablehlo.constant dense<0> : tensor<i32>
  %seven = stablehlo.constant dense<7.0> : tensor<1xf32>
  %2 = stablehlo.dynamic_update_slice %c, %seven, %at : (tensor<2xf32>, tensor<1xf32>, tensor<i32>) -> tensor<2xf32>
  %w = tensor.cast %2 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%w) : (tensor<*xf32>) -> ()
  %d = call @of_arith() : () -> tensor<2xf32>
  %x = tensor.cast %d : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%x) : (tensor<*xf32>) -> ()
  return
}
