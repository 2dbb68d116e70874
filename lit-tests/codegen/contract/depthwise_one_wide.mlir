// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// A window of a single element along the last dimension, each feature by itself: neighbouring results read neighbouring elements.

// CHECK: dense<[0.0, 0.0, 2.0, 4.0, 6.0, 8.0, 0.0]> : tensor<7xf32>
// CHECK: dense<[0.0, 4.0, 8.0]> : tensor<3xf32>
func.func @main() -> (tensor<7xf32>, tensor<3xf32>) {
  %n = stablehlo.iota dim = 1 : tensor<1x5x16xf32>
  %x = stablehlo.optimization_barrier %n : tensor<1x5x16xf32>
  %two = stablehlo.constant dense<2.0> : tensor<1x1x16xf32>
  %k = stablehlo.optimization_barrier %two : tensor<1x1x16xf32>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 16 : i64} : (tensor<1x5x16xf32>, tensor<1x1x16xf32>) -> tensor<1x7x16xf32>
  %z = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2]}
    {batch_group_count = 1 : i64, feature_group_count = 16 : i64} : (tensor<1x5x16xf32>, tensor<1x1x16xf32>) -> tensor<1x3x16xf32>
  %0 = stablehlo.slice %y [0:1, 0:7, 9:10] : (tensor<1x7x16xf32>) -> tensor<1x7x1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x7x1xf32>) -> tensor<7xf32>
  %2 = stablehlo.slice %z [0:1, 0:3, 9:10] : (tensor<1x3x16xf32>) -> tensor<1x3x1xf32>
  %3 = stablehlo.reshape %2 : (tensor<1x3x1xf32>) -> tensor<3xf32>
  return %1, %3 : tensor<7xf32>, tensor<3xf32>
}
