// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=shardy})' | FileCheck %s --check-prefix=SHARDY
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=layout})' | FileCheck %s --check-prefix=LAYOUT
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=shard})' | FileCheck %s --check-prefix=SHARD
// Through every notation and back to the strings that it came from.
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=shardy},indexing-convert-shardings{to=layout},indexing-convert-shardings{to=hlo})' | FileCheck %s --check-prefix=HLO

// SHARDY: sdy.mesh @mesh = <["d0"=2, "d1"=4]>
// LAYOUT-NOT: sdy.mesh
// SHARD: shard.grid @grid(shape = 2x4)
module attributes {mhlo.num_partitions = 8 : i32} {
  // SHARDY-LABEL: func.func @f
  // SHARDY-SAME: %arg0: tensor<8x16xf32> {jax.name = "x", sdy.sharding = #sdy.sharding<@mesh, [{"d0"}, {"d1"}]>}
  // SHARDY-SAME: %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d1"}, {}]>}
  // SHARDY-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})

  // LAYOUT-LABEL: func.func @f
  // LAYOUT-SAME: indexing.sharding = {alias = ["d0", "d1"], device_matrix = array<i64: 2, 4>, tensor_map = {{\[}}["d0"], ["d1"]]}

  // HLO-LABEL: func.func @f
  // HLO-SAME: %arg0: tensor<8x16xf32> {jax.name = "x", mhlo.sharding = "{devices=[2,4]<=[8]}"}
  // HLO-SAME: %arg1: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"}
  // HLO-SAME: -> (tensor<8x8xf32> {mhlo.sharding = "{replicated}"})

  // SHARD-LABEL: func.func @f
  // SHARD-NOT: mhlo.sharding
  func.func @f(%arg0: tensor<8x16xf32> {jax.name = "x", mhlo.sharding = "{devices=[2,4]<=[8]}"},
               %arg1: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"})
      -> (tensor<8x8xf32> {mhlo.sharding = "{replicated}"}) {
    // SHARD-DAG: %[[S:.*]] = shard.sharding @grid split_axes = {{\[}}[0], [1]] : !shard.sharding
    // SHARD-DAG: %[[X:.*]] = shard.shard %arg0 to %[[S]] : tensor<8x16xf32>
    // SHARD-DAG: %[[T:.*]] = shard.sharding @grid split_axes = {{\[}}[1], []] : !shard.sharding
    // SHARD-DAG: %[[Y:.*]] = shard.shard %arg1 to %[[T]] : tensor<16x8xf32>
    // SHARD: stablehlo.dot_general %[[X]], %[[Y]]
    // SHARDY: stablehlo.dot_general
    // SHARDY-SAME: {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"d0"}, {}]>]>}
    // HLO: stablehlo.dot_general
    // HLO-SAME: {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}
        : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    // SHARDY: sdy.sharding_constraint %{{.*}} <@mesh, [{}, {"d1"}]> : tensor<8x8xf32>
    // LAYOUT: stablehlo.custom_call @Sharding(%{{.*}}) {indexing.sharding = {
    // HLO: stablehlo.custom_call @Sharding(%{{.*}}) {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"}
    %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"}
        : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // SHARD: %[[R:.*]] = shard.shard %{{.*}} to %{{.*}} annotate_for_users : tensor<8x8xf32>
    // SHARD: return %[[R]]
    return %1 : tensor<8x8xf32>
  }
}
