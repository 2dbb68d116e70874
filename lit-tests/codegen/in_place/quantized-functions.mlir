// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,strip-func-quant-types,canonicalize,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Functions keep quantized types; upstream's pass takes them from their headers.
// CHECK: [0.5,  1.75,  3,  4.25]
// CHECK: [-0.5,  -0.25,  0,  0.25]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @f(%x: tensor<4x!quant.uniform<i8:f32, 0.25:3>>, %c: tensor<i1>) -> tensor<4x!quant.uniform<i8:f32, 0.25:3>> {
  %k = stablehlo.constant() <{value = dense<[1,2,3,4]> : tensor<4xi8>}> : () -> tensor<4x!quant.uniform<i8:f32, 0.25:3>>
  %r = "stablehlo.if"(%c) ({
    %s = stablehlo.add %x, %k : tensor<4x!quant.uniform<i8:f32, 0.25:3>>
    stablehlo.return %s : tensor<4x!quant.uniform<i8:f32, 0.25:3>>
  }, {
    stablehlo.return %k : tensor<4x!quant.uniform<i8:f32, 0.25:3>>
  }) : (tensor<i1>) -> tensor<4x!quant.uniform<i8:f32, 0.25:3>>
  return %r : tensor<4x!quant.uniform<i8:f32, 0.25:3>>
}
func.func @main() {
  %x = arith.constant dense<[1.0,2.0,3.0,4.0]> : tensor<4xf32>
  %t = stablehlo.constant dense<true> : tensor<i1>
  %g = stablehlo.constant dense<false> : tensor<i1>
  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25:3>>
  %a = call @f(%q, %t) : (tensor<4x!quant.uniform<i8:f32, 0.25:3>>, tensor<i1>) -> tensor<4x!quant.uniform<i8:f32, 0.25:3>>
  %b = call @f(%q, %g) : (tensor<4x!quant.uniform<i8:f32, 0.25:3>>, tensor<i1>) -> tensor<4x!quant.uniform<i8:f32, 0.25:3>>
  %y = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<4xf32>
  %z = stablehlo.uniform_dequantize %b : (tensor<4x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<4xf32>
  %uy = tensor.cast %y : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%uy) : (tensor<*xf32>) -> ()
  %uz = tensor.cast %z : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%uz) : (tensor<*xf32>) -> ()
  return
}
