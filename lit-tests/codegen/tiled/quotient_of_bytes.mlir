// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// The numbers are bytes, what they are quotients of is not: place 259 of 336.

// CHECK: dense<1> : tensor<i32>
// CHECK: dense<336> : tensor<i32>
func.func public @main() -> (tensor<i32>, tensor<i32>) {
  %n = stablehlo.iota dim = 0 : tensor<3x7x16xi8>
  %t = stablehlo.transpose %n, dims = [2, 0, 1] : (tensor<3x7x16xi8>) -> tensor<16x3x7xi8>
  %w = stablehlo.convert %t : (tensor<16x3x7xi8>) -> tensor<16x3x7xi32>
  %r = stablehlo.reshape %w : (tensor<16x3x7xi32>) -> tensor<14x6x2x1x2xi32>
  %x = stablehlo.optimization_barrier %r : tensor<14x6x2x1x2xi32>
  %s = stablehlo.slice %x [10:11, 4:5, 1:2, 0:1, 1:2] : (tensor<14x6x2x1x2xi32>) -> tensor<1x1x1x1x1xi32>
  %e = stablehlo.reshape %s : (tensor<1x1x1x1x1xi32>) -> tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3, 4] : (tensor<14x6x2x1x2xi32>, tensor<i32>) -> tensor<i32>
  return %e, %sum : tensor<i32>, tensor<i32>
}
