// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse=maps=false | FileCheck %s
// RUN: mapwright run %s --entry values | FileCheck %s --check-prefix=VALUES
// RUN: mapwright run %s --entry values --interpret | FileCheck %s --check-prefix=VALUES

// A product of quantized bytes is one of the stored integers, and what a zero point makes of the sums of columns is taken from it in the same region, with the scales and the quantization that follows.

// CHECK-LABEL: @product
// CHECK: indexing.fusion({{.*}}kind = "reduction"
// CHECK: indexing.fusion({{.*}}kind = "contraction"
// CHECK: stablehlo.dot_general {{.*}} : (tensor<64x96xi8>, tensor<96x80xi8>) -> tensor<64x80xi32>
// CHECK: stablehlo.round_nearest_even
// CHECK: indexing.yield {{.*}} : tensor<64x80xf32>
func.func public @product(%x: tensor<64x96x!quant.uniform<i8:f32, 0.5:3>>, %y: tensor<96x80x!quant.uniform<i8:f32, 0.25>>) -> tensor<64x80xf32> {
  %p = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<64x96x!quant.uniform<i8:f32, 0.5:3>>, tensor<96x80x!quant.uniform<i8:f32, 0.25>>) -> tensor<64x80x!quant.uniform<i8:f32, 2.0:1>>
  %r = stablehlo.uniform_dequantize %p : (tensor<64x80x!quant.uniform<i8:f32, 2.0:1>>) -> tensor<64x80xf32>
  return %r : tensor<64x80xf32>
}

// (1, -2, 3) and (0, 5, -4), times columns with a scale of their own:
// VALUES{LITERAL}: dense<[[[-0.75, 9.0], [5.0, -16.5]]]> : tensor<1x2x2xf32>
func.func public @values() -> tensor<1x2x2xf32> {
  %x = stablehlo.constant dense<[[[1.0, -2.0, 3.0], [0.0, 5.0, -4.0]]]> : tensor<1x2x3xf32>
  %y = stablehlo.constant dense<[[[1.25, 1.0], [1.0, -2.5], [0.0, 1.0]]]> : tensor<1x3x2xf32>
  %a = stablehlo.uniform_quantize %x : (tensor<1x2x3xf32>) -> tensor<1x2x3x!quant.uniform<i8:f32, 0.5:3>>
  %b = stablehlo.uniform_quantize %y : (tensor<1x3x2xf32>) -> tensor<1x3x2x!quant.uniform<i8:f32:2, {0.25, 0.5}>>
  %p = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<1x2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<1x3x2x!quant.uniform<i8:f32:2, {0.25, 0.5}>>) -> tensor<1x2x2x!quant.uniform<i32:f32, 0.125>>
  %r = stablehlo.uniform_dequantize %p : (tensor<1x2x2x!quant.uniform<i32:f32, 0.125>>) -> tensor<1x2x2xf32>
  return %r : tensor<1x2x2xf32>
}
