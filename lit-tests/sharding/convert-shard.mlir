// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=hlo})' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=layout},indexing-convert-shardings{to=shard})' | FileCheck %s --check-prefix=BACK

// CHECK-NOT: shard.grid
// BACK: shard.grid @grid(shape = 2x2x4)
shard.grid @grid0(shape = 2x2x4)

// CHECK-LABEL: func.func @f
func.func @f(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK-NEXT: stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[1,8,2]<=[4,4]T(1,0) last_tile_dim_replicate}"}
  // BACK: %[[S:.*]] = shard.sharding @grid split_axes = {{\[}}[], [2, 0]] : !shard.sharding
  // BACK: shard.shard %arg0 to %[[S]] : tensor<8x16xf32>
  %s = shard.sharding @grid0 split_axes = [[], [2, 0]] : !shard.sharding
  %0 = shard.shard %arg0 to %s : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
