// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false})' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false fuse=true},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Quantized numbers, also of unsigned storage and in sizes that are known at run time only: arithmetic on the stored integers is written out, and
// reductions reduce them.
// IR-NOT: = {{"?}}stablehlo
// IR-NOT: quant.uniform
// The sums 1.25 + 2.25, -2.5 + 0.25 and 40 + 40, which is the largest that there is room for; then their sum and the largest of them.
// CHECK: [3.5,  -2.25,  58.75]
// CHECK: [58.75,  58.75]
// CHECK: [3.5,  -2.25,  31.75]
// CHECK: [31.75,  31.75]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @unsigned(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<2xf32>) {
  %a = stablehlo.uniform_quantize %x : (tensor<?xf32>) -> tensor<?x!quant.uniform<u8:f32, 0.25:20>>
  %b = stablehlo.uniform_quantize %y : (tensor<?xf32>) -> tensor<?x!quant.uniform<u8:f32, 0.25:20>>
  %c = stablehlo.add %a, %b : tensor<?x!quant.uniform<u8:f32, 0.25:20>>
  %r = stablehlo.uniform_dequantize %c : (tensor<?x!quant.uniform<u8:f32, 0.25:20>>) -> tensor<?xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.uniform_quantize %z : (tensor<f32>) -> tensor<!quant.uniform<u8:f32, 0.25:20>>
  %s = stablehlo.reduce(%c init: %i) applies stablehlo.add across dimensions = [0] : (tensor<?x!quant.uniform<u8:f32, 0.25:20>>, tensor<!quant.uniform<u8:f32, 0.25:20>>) -> tensor<!quant.uniform<u8:f32, 0.25:20>>
  %m = stablehlo.reduce(%c init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<?x!quant.uniform<u8:f32, 0.25:20>>, tensor<!quant.uniform<u8:f32, 0.25:20>>) -> tensor<!quant.uniform<u8:f32, 0.25:20>>
  %sf = stablehlo.uniform_dequantize %s : (tensor<!quant.uniform<u8:f32, 0.25:20>>) -> tensor<f32>
  %mf = stablehlo.uniform_dequantize %m : (tensor<!quant.uniform<u8:f32, 0.25:20>>) -> tensor<f32>
  %s1 = stablehlo.reshape %sf : (tensor<f32>) -> tensor<1xf32>
  %m1 = stablehlo.reshape %mf : (tensor<f32>) -> tensor<1xf32>
  %both = stablehlo.concatenate %s1, %m1, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %r, %both : tensor<?xf32>, tensor<2xf32>
}
func.func private @signed(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<2xf32>) {
  %a = stablehlo.uniform_quantize %x : (tensor<?xf32>) -> tensor<?x!quant.uniform<i8:f32, 0.25>>
  %b = stablehlo.uniform_quantize %y : (tensor<?xf32>) -> tensor<?x!quant.uniform<i8:f32, 0.25>>
  %c = stablehlo.add %a, %b : tensor<?x!quant.uniform<i8:f32, 0.25>>
  %r = stablehlo.uniform_dequantize %c : (tensor<?x!quant.uniform<i8:f32, 0.25>>) -> tensor<?xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.uniform_quantize %z : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.25>>
  %s = stablehlo.reduce(%c init: %i) applies stablehlo.add across dimensions = [0] : (tensor<?x!quant.uniform<i8:f32, 0.25>>, tensor<!quant.uniform<i8:f32, 0.25>>) -> tensor<!quant.uniform<i8:f32, 0.25>>
  %m = stablehlo.reduce(%c init: %i) applies stablehlo.maximum across dimensions = [0] : (tensor<?x!quant.uniform<i8:f32, 0.25>>, tensor<!quant.uniform<i8:f32, 0.25>>) -> tensor<!quant.uniform<i8:f32, 0.25>>
  %sf = stablehlo.uniform_dequantize %s : (tensor<!quant.uniform<i8:f32, 0.25>>) -> tensor<f32>
  %mf = stablehlo.uniform_dequantize %m : (tensor<!quant.uniform<i8:f32, 0.25>>) -> tensor<f32>
  %s1 = stablehlo.reshape %sf : (tensor<f32>) -> tensor<1xf32>
  %m1 = stablehlo.reshape %mf : (tensor<f32>) -> tensor<1xf32>
  %both = stablehlo.concatenate %s1, %m1, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %r, %both : tensor<?xf32>, tensor<2xf32>
}
func.func @main() {
  %x = arith.constant dense<[1.25, -2.5, 40.0]> : tensor<3xf32>
  %y = arith.constant dense<[2.25, 0.25, 40.0]> : tensor<3xf32>
  %dx = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %dy = tensor.cast %y : tensor<3xf32> to tensor<?xf32>
  %u:2 = call @unsigned(%dx, %dy) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<2xf32>)
  %s:2 = call @signed(%dx, %dy) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<2xf32>)
  %p0 = tensor.cast %u#0 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%p0) : (tensor<*xf32>) -> ()
  %p1 = tensor.cast %u#1 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%p1) : (tensor<*xf32>) -> ()
  %p2 = tensor.cast %s#0 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%p2) : (tensor<*xf32>) -> ()
  %p3 = tensor.cast %s#1 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%p3) : (tensor<*xf32>) -> ()
  return
}
