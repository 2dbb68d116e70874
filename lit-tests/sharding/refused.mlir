// RUN: split-file %s %t
// RUN: not mapwright-opt %t/uneven.mlir --pass-pipeline='builtin.module(indexing-convert-shardings{to=layout})' 2>&1 | FileCheck %t/uneven.mlir
// RUN: not mapwright-opt %t/manual.mlir --pass-pipeline='builtin.module(indexing-convert-shardings{to=layout})' 2>&1 | FileCheck %t/manual.mlir
// RUN: not mapwright-opt %t/syntax.mlir --pass-pipeline='builtin.module(indexing-convert-shardings{to=layout})' 2>&1 | FileCheck %t/syntax.mlir
// RUN: not mapwright-opt %t/count.mlir --pass-pipeline='builtin.module(indexing-convert-shardings{to=layout})' 2>&1 | FileCheck %t/count.mlir
// RUN: not mapwright-opt %t/halo.mlir --pass-pipeline='builtin.module(indexing-convert-shardings{to=hlo})' 2>&1 | FileCheck %t/halo.mlir
// RUN: not mapwright-opt %t/order.mlir --pass-pipeline='builtin.module(indexing-convert-shardings{to=shard})' 2>&1 | FileCheck %t/order.mlir

//--- uneven.mlir
// CHECK: uneven.mlir:2:1: error: 'func.func' op sharding of argument 0: dimension 0 of size 6 cannot be split evenly into 4 parts (axes d0=4)
func.func @f(%arg0: tensor<6xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) { return }

//--- manual.mlir
// CHECK: error: 'func.func' op sharding of argument 0: `{manual}` is refused: manual: each device runs its own program
func.func @f(%arg0: tensor<6xf32> {mhlo.sharding = "{manual}"}) { return }

//--- syntax.mlir
// CHECK: error: 'func.func' op sharding of argument 0: in "{devices=[4]<=4}": column 15: expected `[`, found `4`
func.func @f(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=4}"}) { return }

//--- count.mlir
// CHECK: error: 'func.func' op sharding of argument 0: `{devices=[4]<=[4]}` has 4 devices, the program has 8
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @f(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) { return }
}

//--- halo.mlir
// CHECK: error: 'shard.shard' op sharding of shard.shard: {{.*}}is refused: dimension 0 has a halo
shard.grid @g(shape = 4)
func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %0 = shard.shard %arg0 to %s : tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- order.mlir
// CHECK: error: 'func.func' op sharding of argument 0: {{.*}}is refused: a grid has no device ids, the layout lists its devices
func.func @f(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4]3,0,1,2}"}) { return }
