// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=shardy})' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=shardy},indexing-convert-shardings{to=shard})' | FileCheck %s --check-prefix=BACK

// CHECK-NOT: shard.
// CHECK: sdy.mesh @mesh = <["0"=2, "1"=2, "2"=4]>
// BACK: shard.grid @grid(shape = 2x2x4)
shard.grid @grid0(shape = 2x2x4)

// CHECK-LABEL: func.func @f
func.func @f(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK-NEXT: sdy.sharding_constraint %arg0 <@mesh, [{}, {"2", "0"}]> : tensor<8x16xf32>
  // BACK: %[[S:.*]] = shard.sharding @grid split_axes = {{\[}}[], [2, 0]] : !shard.sharding
  // BACK: shard.shard %arg0 to %[[S]] : tensor<8x16xf32>
  %s = shard.sharding @grid0 split_axes = [[], [2, 0]] : !shard.sharding
  %0 = shard.shard %arg0 to %s : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
