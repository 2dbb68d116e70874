// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Quantized numbers that a loop carries are its stored integers.
// CHECK: [4,  8,  12,  16]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main() {
  %x = arith.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<u8:f32, 0.5:1>>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%k = %i, %a = %q) : tensor<i32>, tensor<4x!quant.uniform<u8:f32, 0.5:1>>
  cond {
    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %u = stablehlo.add %a, %q : tensor<4x!quant.uniform<u8:f32, 0.5:1>>
    %k1 = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %k1, %u : tensor<i32>, tensor<4x!quant.uniform<u8:f32, 0.5:1>>
  }
  %y = stablehlo.uniform_dequantize %r#1 : (tensor<4x!quant.uniform<u8:f32, 0.5:1>>) -> tensor<4xf32>
  %uy = tensor.cast %y : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%uy) : (tensor<*xf32>) -> ()
  return
}
