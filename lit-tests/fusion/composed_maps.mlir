// RUN: mapwright-opt %s --pass-pipeline='builtin.module(func.func(indexing-fuse))' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(func.func(indexing-fuse))' | mapwright-opt | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(func.func(indexing-fuse{maps=false}))' | FileCheck %s --check-prefix=WITHOUT
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// A region carries its maps, composed over all members and simplified: three moves are one map.

// CHECK: #[[MOVES:indexing_map[0-9]*]] = #indexing.map<(d0, d1) -> (d1 floordiv 3, -d0 - (d1 mod 3) * 2 + 5), domain: d0 in [0, 1], d1 in [0, 11]>
// CHECK: indexing.fusion(%{{.*}} : tensor<4x6xi32>) attributes {kind = "streaming", maps =
// CHECK-SAME: #[[MOVES]]
// CHECK-SAME: -> tensor<2x12xi32>

// WITHOUT: attributes {kind = "streaming"} -> tensor<2x12xi32>

// VALUES: dense<{{\[\[}}5, 3, 1, 11, 9, 7, 17, 15, 13, 23, 21, 19], [4, 2, 0, 10, 8, 6, 16, 14, 12, 22, 20, 18]]>
func.func public @main() -> tensor<2x12xi32> {
  %x = stablehlo.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23]]> : tensor<4x6xi32>
  %0 = stablehlo.reverse %x, dims = [1] : tensor<4x6xi32>
  %1 = stablehlo.reshape %0 : (tensor<4x6xi32>) -> tensor<12x2xi32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<12x2xi32>) -> tensor<2x12xi32>
  return %2 : tensor<2x12xi32>
}
