// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s
// RUN: mapwright-opt %s --indexing-fuse | FileCheck %s --check-prefix=IR

// Factors of two floating-point formats: 1.001953125 is no number of bf16, and 1.5 * 1.001953125 + 2 * 1 = 3.5029296875, printed as the shortest number of f32.
// IR: stablehlo.dot_general {{.*}} : (tensor<2x2xbf16>, tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK: {{\[\[}}3.5029297, 7.0], [2.0058594, 4.0]]
func.func @main() -> tensor<2x2xf32> {
  %a = stablehlo.constant dense<[[1.5, 2.0], [3.0, -1.0]]> : tensor<2x2xbf16>
  %b = stablehlo.constant dense<[[1.001953125, 2.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %x:2 = stablehlo.optimization_barrier %a, %b : tensor<2x2xbf16>, tensor<2x2xf32>
  %0 = stablehlo.dot_general %x#0, %x#1, contracting_dims = [1] x [0] : (tensor<2x2xbf16>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
