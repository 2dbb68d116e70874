// RUN: mapwright run %s --threads 1 | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// Rows of nine elements that are narrower in memory than in registers: their last one is a vector with a single lane, behind which the next row
// begins.

// CHECK: dense<1.0> : tensor<bf16>
func.func @main() -> tensor<bf16> {
  %ones = stablehlo.constant dense<1> : tensor<11x7x3xi8>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %x, %start = stablehlo.optimization_barrier %ones, %two : tensor<11x7x3xi8>, tensor<i64>
  %turned = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<11x7x3xi8>) -> tensor<7x3x11xi8>
  %wide = stablehlo.convert %turned : (tensor<7x3x11xi8>) -> tensor<7x3x11xbf16>
  %part = stablehlo.dynamic_slice %wide, %zero, %zero, %start, sizes = [7, 3, 9] : (tensor<7x3x11xbf16>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<7x3x9xbf16>
  %all = stablehlo.optimization_barrier %part : tensor<7x3x9xbf16>
  %inf = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %least = stablehlo.reduce(%all init: %inf) applies stablehlo.minimum across dimensions = [0, 1, 2] : (tensor<7x3x9xbf16>, tensor<bf16>) -> tensor<bf16>
  return %least : tensor<bf16>
}
