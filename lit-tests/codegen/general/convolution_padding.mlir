// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// Padding and the holes of a dilated operand are zeros that are multiplied like any other element: an infinite element of the kernel makes NaN
// of them. One rule for all emitters, and for the interpreter.

// CHECK-COUNT-5: dense<true> : tensor<i1>
func.func @main() -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>) {
  %0 = func.call @plain() : () -> tensor<i1>
  %1 = func.call @dilated() : () -> tensor<i1>
  %2 = func.call @depthwise() : () -> tensor<i1>
  %3 = func.call @line() : () -> tensor<i1>
  %4 = func.call @product() : () -> tensor<i1>
  return %0, %1, %2, %3, %4 : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>
}

func.func private @plain() -> tensor<i1> {
  %x = stablehlo.constant dense<1.0> : tensor<1x4x1xf32>
  %k = stablehlo.constant dense<[[[0x7F800000]], [[1.0]], [[2.0]]]> : tensor<3x1x1xf32>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<3x1x1xf32>) -> tensor<1x4x1xf32>
  // The last window has its last element in the padding.
  %e = stablehlo.constant dense<[[[0x7FC00000], [0x7F800000], [0x7F800000], [0x7F800000]]]> : tensor<1x4x1xf32>
  stablehlo.custom_call @check.expect_eq(%y, %e) {has_side_effect = true} : (tensor<1x4x1xf32>, tensor<1x4x1xf32>) -> ()
  %t = stablehlo.constant dense<true> : tensor<i1>
  return %t : tensor<i1>
}

func.func private @dilated() -> tensor<i1> {
  %x = stablehlo.constant dense<1.0> : tensor<1x2x1xf64>
  %k = stablehlo.constant dense<[[[0xFFF0000000000000]], [[2.0]]]> : tensor<2x1x1xf64>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf64>, tensor<2x1x1xf64>) -> tensor<1x2x1xf64>
  %e = stablehlo.constant dense<[[[0xFFF0000000000000], [0x7FF8000000000000]]]> : tensor<1x2x1xf64>
  stablehlo.custom_call @check.expect_eq(%y, %e) {has_side_effect = true} : (tensor<1x2x1xf64>, tensor<1x2x1xf64>) -> ()
  %t = stablehlo.constant dense<true> : tensor<i1>
  return %t : tensor<i1>
}

// 20 features by themselves, the fourth with an infinite corner: what has that corner in the padding is NaN.
func.func private @depthwise() -> tensor<i1> {
  %x = stablehlo.constant dense<1.0> : tensor<1x4x4x20xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3x3x1x20xf32>
  %three = stablehlo.constant dense<3> : tensor<3x3x1x20xi32>
  %zero = stablehlo.constant dense<0> : tensor<3x3x1x20xi32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<3x3x1x20xf32>
  %f = stablehlo.iota dim = 3 : tensor<3x3x1x20xi32>
  %i = stablehlo.iota dim = 0 : tensor<3x3x1x20xi32>
  %j = stablehlo.iota dim = 1 : tensor<3x3x1x20xi32>
  %ij = stablehlo.or %i, %j : tensor<3x3x1x20xi32>
  %a = stablehlo.compare EQ, %f, %three : (tensor<3x3x1x20xi32>, tensor<3x3x1x20xi32>) -> tensor<3x3x1x20xi1>
  %c = stablehlo.compare EQ, %ij, %zero : (tensor<3x3x1x20xi32>, tensor<3x3x1x20xi32>) -> tensor<3x3x1x20xi1>
  %corner = stablehlo.and %a, %c : tensor<3x3x1x20xi1>
  %k = stablehlo.select %corner, %inf, %one : tensor<3x3x1x20xi1>, tensor<3x3x1x20xf32>
  %kernel = stablehlo.optimization_barrier %k : tensor<3x3x1x20xf32>
  %y = stablehlo.convolution(%x, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 20 : i64} : (tensor<1x4x4x20xf32>, tensor<3x3x1x20xf32>) -> tensor<1x4x4x20xf32>
  %counts = stablehlo.constant dense<[[4.0, 6.0, 6.0, 4.0], [6.0, 9.0, 9.0, 6.0], [6.0, 9.0, 9.0, 6.0], [4.0, 6.0, 6.0, 4.0]]> : tensor<4x4xf32>
  %special = stablehlo.constant dense<[[0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7F800000, 0x7F800000, 0x7F800000], [0x7FC00000, 0x7F800000, 0x7F800000, 0x7F800000], [0x7FC00000, 0x7F800000, 0x7F800000, 0x7F800000]]> : tensor<4x4xf32>
  %usual = stablehlo.broadcast_in_dim %counts, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4x20xf32>
  %unusual = stablehlo.broadcast_in_dim %special, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4x20xf32>
  %g = stablehlo.iota dim = 3 : tensor<1x4x4x20xi32>
  %3 = stablehlo.constant dense<3> : tensor<1x4x4x20xi32>
  %here = stablehlo.compare EQ, %g, %3 : (tensor<1x4x4x20xi32>, tensor<1x4x4x20xi32>) -> tensor<1x4x4x20xi1>
  %e = stablehlo.select %here, %unusual, %usual : tensor<1x4x4x20xi1>, tensor<1x4x4x20xf32>
  stablehlo.custom_call @check.expect_eq(%y, %e) {has_side_effect = true} : (tensor<1x4x4x20xf32>, tensor<1x4x4x20xf32>) -> ()
  %t = stablehlo.constant dense<true> : tensor<i1>
  return %t : tensor<i1>
}

// The same along one dimension, with a NaN at the end.
func.func private @line() -> tensor<i1> {
  %x = stablehlo.constant dense<1.0> : tensor<1x12x16xf32>
  %k = stablehlo.constant dense<[[[1.0]], [[1.0]], [[0x7FC00000]]]> : tensor<3x1x1xf32>
  %wide = stablehlo.broadcast_in_dim %k, dims = [0, 1, 2] : (tensor<3x1x1xf32>) -> tensor<3x1x16xf32>
  %kernel = stablehlo.optimization_barrier %wide : tensor<3x1x16xf32>
  %y = stablehlo.convolution(%x, %kernel) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 3]]}
    {batch_group_count = 1 : i64, feature_group_count = 16 : i64} : (tensor<1x12x16xf32>, tensor<3x1x16xf32>) -> tensor<1x13x16xf32>
  %e = stablehlo.constant dense<0x7FC00000> : tensor<1x13x16xf32>
  stablehlo.custom_call @check.expect_eq(%y, %e) {has_side_effect = true} : (tensor<1x13x16xf32>, tensor<1x13x16xf32>) -> ()
  %t = stablehlo.constant dense<true> : tensor<i1>
  return %t : tensor<i1>
}

func.func private @product() -> tensor<i1> {
  %x = stablehlo.constant dense<1.0> : tensor<1x4x4x8xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3x3x8x16xf32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<1x1x1x1xf32>
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %5 = stablehlo.constant dense<5> : tensor<i32>
  %k = stablehlo.dynamic_update_slice %one, %inf, %0, %0, %5, %5 : (tensor<3x3x8x16xf32>, tensor<1x1x1x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x3x8x16xf32>
  %kernel = stablehlo.optimization_barrier %k : tensor<3x3x8x16xf32>
  %y = stablehlo.convolution(%x, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x4x4x16xf32>
  %counts = stablehlo.constant dense<[[32.0, 48.0, 48.0, 32.0], [48.0, 72.0, 72.0, 48.0], [48.0, 72.0, 72.0, 48.0], [32.0, 48.0, 48.0, 32.0]]> : tensor<4x4xf32>
  %special = stablehlo.constant dense<[[0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7F800000, 0x7F800000, 0x7F800000], [0x7FC00000, 0x7F800000, 0x7F800000, 0x7F800000], [0x7FC00000, 0x7F800000, 0x7F800000, 0x7F800000]]> : tensor<4x4xf32>
  %usual = stablehlo.broadcast_in_dim %counts, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4x16xf32>
  %unusual = stablehlo.broadcast_in_dim %special, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4x16xf32>
  %g = stablehlo.iota dim = 3 : tensor<1x4x4x16xi32>
  %fives = stablehlo.constant dense<5> : tensor<1x4x4x16xi32>
  %here = stablehlo.compare EQ, %g, %fives : (tensor<1x4x4x16xi32>, tensor<1x4x4x16xi32>) -> tensor<1x4x4x16xi1>
  %e = stablehlo.select %here, %unusual, %usual : tensor<1x4x4x16xi1>, tensor<1x4x4x16xf32>
  stablehlo.custom_call @check.expect_eq(%y, %e) {has_side_effect = true} : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> ()
  %t = stablehlo.constant dense<true> : tensor<i1>
  return %t : tensor<i1>
}
