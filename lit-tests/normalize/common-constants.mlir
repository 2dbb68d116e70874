// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s
// RUN: mapwright-opt %s --indexing-normalize | FileCheck %s --check-prefix=MERGED

// What is computed of constants that hold the same is the same where they are of one type. The stored numbers of quantized types mean others by each scale.
// CHECK: dense<[0.5, 1.0, 1.5, 2.0]>
// CHECK-NEXT: dense<[2.0, 4.0, 6.0, 8.0]>
// CHECK-NEXT: dense<[0.5, 1.0, 1.5, 2.0]>
// MERGED: return %[[HALVES:.*]], %[[DOUBLES:.*]], %[[HALVES]] :
func.func @main() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = "stablehlo.constant"() {value = dense<[1, 2, 3, 4]> : tensor<4xi8>} : () -> tensor<4x!quant.uniform<i8:f32, 0.5:0>>
  %b = "stablehlo.constant"() {value = dense<[1, 2, 3, 4]> : tensor<4xi8>} : () -> tensor<4x!quant.uniform<i8:f32, 2.0:0>>
  %c = "stablehlo.constant"() {value = dense<[1, 2, 3, 4]> : tensor<4xi8>} : () -> tensor<4x!quant.uniform<i8:f32, 0.5:0>>
  %d = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<4xf32>
  %e = stablehlo.uniform_dequantize %b : (tensor<4x!quant.uniform<i8:f32, 2.0:0>>) -> tensor<4xf32>
  %f = stablehlo.uniform_dequantize %c : (tensor<4x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<4xf32>
  return %d, %e, %f : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
