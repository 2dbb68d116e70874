// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 4 --seed 3 > %t.divided
// RUN: mapwright run %s --seed 3 > %t.whole
// RUN: diff %t.divided %t.whole

// Windows over rows that devices split: each gets the rows beside its own from its neighbours.
sdy.mesh @mesh = <["rows"=4]>

// CHECK-LABEL: @main
func.func @main(
    %random: tensor<2x16x6x3xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"rows"}, {}, {}]>},
    %kernel: tensor<3x3x3x2xi8>, %line: tensor<32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"rows"}]>})
    -> (tensor<2x16x6x2xf32>, tensor<2x8x3x2xf32>, tensor<32xi32>, tensor<16xi32>, tensor<1x16x6x2xf32>) {
  // Whole numbers: their sums have no rounding.
  %images = stablehlo.convert %random : (tensor<2x16x6x3xi8>) -> tensor<2x16x6x3xf32>
  %weights = stablehlo.convert %kernel : (tensor<3x3x3x2xi8>) -> tensor<3x3x3x2xf32>
  // CHECK: "stablehlo.collective_permute"(%{{.*}}) {{.*}}source_target_pairs = dense<{{\[\[}}0, 1], [1, 2], [2, 3]]>{{.*}} : (tensor<1x2x1x6x3xf32>)
  // CHECK: "stablehlo.collective_permute"(%{{.*}}) {{.*}}source_target_pairs = dense<{{\[\[}}1, 0], [2, 1], [3, 2]]>{{.*}} : (tensor<1x2x1x6x3xf32>)
  // CHECK: stablehlo.convolution({{.*}}: (tensor<2x6x6x3xf32>, tensor<3x3x3x2xf32>) -> tensor<2x4x6x2xf32>
  // CHECK-NOT: all_gather
  %0 = stablehlo.convolution(%images, %weights) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x6x3xf32>, tensor<3x3x3x2xf32>) -> tensor<2x16x6x2xf32>
  // By steps of two only the rows before are needed.
  // CHECK: "stablehlo.collective_permute"
  // CHECK-NOT: "stablehlo.collective_permute"
  // CHECK: stablehlo.convolution({{.*}}: (tensor<2x5x6x3xf32>, tensor<3x3x3x2xf32>) -> tensor<2x2x3x2xf32>
  %1 = stablehlo.convolution(%images, %weights) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 0], [1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x6x3xf32>, tensor<3x3x3x2xf32>) -> tensor<2x8x3x2xf32>
  // At the ends is what maxima begin with.
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  // CHECK: "stablehlo.collective_permute"
  // CHECK: stablehlo.select
  // CHECK: "stablehlo.reduce_window"
  // CHECK: (tensor<1x12xi32>, tensor<i32>) -> tensor<1x8xi32>
  %2 = "stablehlo.reduce_window"(%line, %least) <{window_dimensions = array<i64: 3>, window_dilations = array<i64: 2>, padding = dense<[[1, 3]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %4 = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %4 : tensor<i32>
  }) : (tensor<32xi32>, tensor<i32>) -> tensor<32xi32>
  // Windows beside each other need nothing of others.
  // CHECK-NOT: collective_permute
  // CHECK: (tensor<8xi32>, tensor<i32>) -> tensor<4xi32>
  %3 = "stablehlo.reduce_window"(%line, %least) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %4 = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %4 : tensor<i32>
  }) : (tensor<32xi32>, tensor<i32>) -> tensor<16xi32>
  // Groups of the batch are not groups of the images of a part.
  // CHECK-NOT: collective_permute
  // CHECK: stablehlo.convolution({{.*}}batch_group_count = 2
  %5 = stablehlo.convolution(%images, %weights) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x16x6x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x16x6x2xf32>
  return %0, %1, %2, %3, %5 : tensor<2x16x6x2xf32>, tensor<2x8x3x2xf32>, tensor<32xi32>, tensor<16xi32>, tensor<1x16x6x2xf32>
}
