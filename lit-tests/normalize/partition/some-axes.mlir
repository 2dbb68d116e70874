// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 4 | FileCheck %s --check-prefix=GIVES

// Along axes that a computation by hand is not written for, it is a program on whole tensors: it is split as its operands are.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// Columns are along y. The sum over x of products of rows and columns is of the device's own columns.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}} : (tensor<4x2xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
// CHECK: "stablehlo.all_reduce"(%{{.*}}) <{{.*}}dense<{{\[\[}}0, 2], [1, 3]]>
// CHECK: (tensor<4x3xi32>) -> tensor<4x3xi32>
// What is written for whole rows has them: they are gathered along y, each half of the devices by itself.
// CHECK: "stablehlo.all_gather"(%{{.*}}) <{{.*}}dense<{{\[\[}}0, 1], [2, 3]]>
// CHECK: "stablehlo.all_to_all"(%{{.*}}) <{{.*}}dense<{{\[\[}}0, 2], [1, 3]]>
func.func @main() -> (tensor<4x6xi32>, tensor<4x4xi32>) {
  %a = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %b0 = stablehlo.iota dim = 0 : tensor<4x6xi32>
  %b1 = stablehlo.iota dim = 1 : tensor<4x6xi32>
  %b2 = stablehlo.add %b0, %b1 : tensor<4x6xi32>
  %b = sdy.sharding_constraint %b2 <@mesh, [{"x"}, {"y"}]> : tensor<4x6xi32>
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%own: tensor<4x2xi32>, %rows: tensor<2x6xi32>) {
    %1 = stablehlo.dot_general %own, %rows, contracting_dims = [1] x [0] : (tensor<4x2xi32>, tensor<2x6xi32>) -> tensor<4x6xi32>
    %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %3 = stablehlo.add %l, %r : tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<4x6xi32>) -> tensor<4x6xi32>
    sdy.return %2 : tensor<4x6xi32>
  } : (tensor<4x4xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
  %c2 = stablehlo.slice %b2 [0:4, 0:4] : (tensor<4x6xi32>) -> tensor<4x4xi32>
  %c = sdy.sharding_constraint %c2 <@mesh, [{"x"}, {"y"}]> : tensor<4x4xi32>
  %4 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%rows: tensor<2x4xi32>) {
    %5 = "stablehlo.all_to_all"(%rows) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xi32>) -> tensor<4x2xi32>
    sdy.return %5 : tensor<4x2xi32>
  } : (tensor<4x4xi32>) -> tensor<4x4xi32>
  // GIVES: dense<{{\[\[}}14, 20, 26, 32, 38, 44], [14, 20, 26, 32, 38, 44], [14, 20, 26, 32, 38, 44], [14, 20, 26, 32, 38, 44]]>
  // GIVES: dense<{{\[\[}}0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]]>
  return %0, %4 : tensor<4x6xi32>, tensor<4x4xi32>
}
