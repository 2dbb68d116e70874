// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 4 | FileCheck %s --check-prefix=GIVES

// Changes of layout, and operations that only some of their dimensions can be split along. Numbers are those of an iota.
sdy.mesh @mesh = <["x"=2, "y"=2]>

func.func @main() -> (tensor<4x4xi32>, tensor<8x2xi32>, tensor<4x4xi32>, tensor<3x4xi32>, tensor<4xi32>) {
  %a = stablehlo.iota dim = 0 : tensor<16xi32>
  %b = stablehlo.reshape %a : (tensor<16xi32>) -> tensor<4x4xi32>
  %rows = sdy.sharding_constraint %b <@mesh, [{"x", "y"}, {}]> : tensor<4x4xi32>
  // Rows become columns.
  // CHECK: "stablehlo.all_to_all"{{.*}}concat_dimension = 0 : i64{{.*}}replica_groups = dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64{{.*}} : (tensor<1x4xi32>) -> tensor<4x1xi32>
  // GIVES: dense<{{\[\[}}0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]> : tensor<4x4xi32>
  %columns = sdy.sharding_constraint %rows <@mesh, [{}, {"x", "y"}]> : tensor<4x4xi32>
  // A row's pieces are rows of the new shape: nothing moves.
  // CHECK: stablehlo.reshape %{{.*}} : (tensor<1x4xi32>) -> tensor<2x2xi32>
  // GIVES: dense<{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11], [12, 13], [14, 15]]> : tensor<8x2xi32>
  %pieces = stablehlo.reshape %rows : (tensor<4x4xi32>) -> tensor<8x2xi32>
  // The axes change places.
  // CHECK: "stablehlo.collective_permute"{{.*}}source_target_pairs = dense<{{\[\[}}0, 0], [2, 1], [1, 2], [3, 3]]>
  // CHECK: stablehlo.add %{{.*}} : tensor<1x4xi32>
  // GIVES: dense<{{\[\[}}0, 2, 4, 6], [8, 10, 12, 14], [16, 18, 20, 22], [24, 26, 28, 30]]> : tensor<4x4xi32>
  %swapped = sdy.sharding_constraint %rows <@mesh, [{"y", "x"}, {}]> : tensor<4x4xi32>
  %twice = stablehlo.add %swapped, %swapped : tensor<4x4xi32>
  // No device has a part of three rows, but the columns that were made above are there.
  // CHECK-NOT: "stablehlo.all
  // CHECK: stablehlo.slice %{{.*}} [1:4, 0:1] : (tensor<4x1xi32>) -> tensor<3x1xi32>
  // GIVES: dense<{{\[\[}}4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]> : tensor<3x4xi32>
  %three = stablehlo.slice %rows [1:4, 0:4] : (tensor<4x4xi32>) -> tensor<3x4xi32>
  // The greatest number of each column, whose rows are on different devices.
  // CHECK: stablehlo.reduce{{.*}} applies stablehlo.maximum across dimensions = [0] : (tensor<1x4xi32>, tensor<i32>) -> tensor<4xi32>
  // CHECK: "stablehlo.all_reduce"
  // CHECK: stablehlo.maximum
  // GIVES: dense<[12, 13, 14, 15]> : tensor<4xi32>
  %least = stablehlo.constant dense<-1> : tensor<i32>
  %most = stablehlo.reduce(%rows init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<4x4xi32>, tensor<i32>) -> tensor<4xi32>
  return %columns, %pieces, %twice, %three, %most : tensor<4x4xi32>, tensor<8x2xi32>, tensor<4x4xi32>, tensor<3x4xi32>, tensor<4xi32>
}
