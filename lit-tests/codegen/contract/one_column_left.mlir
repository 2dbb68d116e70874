// RUN: mapwright run %s --threads 1 | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// 17 columns: the last one is a vector of a single lane, behind which the next row begins.

// CHECK: dense<12.0> : tensor<bf16>
func.func @main() -> tensor<bf16> {
  %two = stablehlo.constant dense<2.0> : tensor<7x6xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<17x6xbf16>
  %x, %y = stablehlo.optimization_barrier %two, %one : tensor<7x6xbf16>, tensor<17x6xbf16>
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<7x6xbf16>, tensor<17x6xbf16>) -> tensor<7x17xbf16>
  %all = stablehlo.optimization_barrier %d : tensor<7x17xbf16>
  %inf = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %least = stablehlo.reduce(%all init: %inf) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<7x17xbf16>, tensor<bf16>) -> tensor<bf16>
  return %least : tensor<bf16>
}
