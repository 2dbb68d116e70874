// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=shard},indexing-legalize-to-linalg,func.func(canonicalize,sharding-propagation{traversal=backward-forward},shard-partition,canonicalize))' | FileCheck %s

// Upstream moves what has to be there as a whole.
sdy.mesh @mesh = <["x"=4]>

// Rows that are put together, and columns that are cut, are there as a whole before.
// CHECK-LABEL: func.func @whole(
// CHECK: shard.all_gather %arg0 on @grid grid_axes = [0] gather_axis = 0 : tensor<2x16xf32> -> tensor<8x16xf32>
// CHECK: tensor.insert_slice {{.*}} : tensor<8x16xf32> into tensor<16x16xf32>
// CHECK: shard.all_slice {{.*}} : tensor<16x16xf32> -> tensor<4x16xf32>
func.func @whole(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
