// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 4 --seed 3 > %t.divided
// RUN: mapwright run %s --seed 3 > %t.whole
// RUN: diff %t.divided %t.whole

// Gradients of a convolution's weights add up over the batch, which devices split: partial sums.
sdy.mesh @mesh = <["data"=4]>

// CHECK-LABEL: @main
func.func @main(
    %a: tensor<8x6x6x3xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>},
    %b: tensor<8x6x6x5xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>},
    %c: tensor<6x6x8x5xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"data"}, {}]>},
    %d: tensor<8x1x6x3xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>},
    %e: tensor<3x6x8x5xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"data"}, {}]>})
    -> (tensor<3x3x3x5xf32>, tensor<3x3x3x5xf32>, tensor<3x3x3x5xf32>) {
  // Whole numbers: their sums have no rounding.
  %images = stablehlo.convert %a : (tensor<8x6x6x3xi8>) -> tensor<8x6x6x3xf32>
  %last = stablehlo.convert %b : (tensor<8x6x6x5xi8>) -> tensor<8x6x6x5xf32>
  // CHECK: stablehlo.convolution({{.*}}: (tensor<2x6x6x3xf32>, tensor<2x6x6x5xf32>) -> tensor<3x3x3x5xf32>
  // CHECK-NOT: all_gather
  %0 = stablehlo.convolution(%images, %last) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x6x6x3xf32>, tensor<8x6x6x5xf32>) -> tensor<3x3x3x5xf32>
  // The loop over the batch comes after those of the window.
  %other = stablehlo.convert %c : (tensor<6x6x8x5xi8>) -> tensor<6x6x8x5xf32>
  // CHECK: stablehlo.convolution({{.*}}: (tensor<2x6x6x3xf32>, tensor<6x6x2x5xf32>) -> tensor<3x3x3x5xf32>
  %1 = stablehlo.convolution(%images, %other) dim_numbers = [f, 0, 1, b]x[0, 1, i, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x6x6x3xf32>, tensor<6x6x8x5xf32>) -> tensor<3x3x3x5xf32>
  // Only one row of a window of three is not padding.
  // CHECK: stablehlo.convolution({{.*}}: (tensor<2x1x6x3xf32>, tensor<3x6x2x5xf32>) -> tensor<3x3x3x5xf32>
  // CHECK: "stablehlo.all_reduce"
  %row = stablehlo.convert %d : (tensor<8x1x6x3xi8>) -> tensor<8x1x6x3xf32>
  %three = stablehlo.convert %e : (tensor<3x6x8x5xi8>) -> tensor<3x6x8x5xf32>
  %2 = stablehlo.convolution(%row, %three) dim_numbers = [f, 0, 1, b]x[0, 1, i, o]->[0, 1, b, f], window = {pad = [[2, 2], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x1x6x3xf32>, tensor<3x6x8x5xf32>) -> tensor<3x3x3x5xf32>
  return %0, %1, %2 : tensor<3x3x3x5xf32>, tensor<3x3x3x5xf32>, tensor<3x3x3x5xf32>
}
