// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=shard},indexing-legalize-to-linalg,func.func(canonicalize,sharding-propagation{traversal=backward-forward},shard-partition,canonicalize))' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=shard},indexing-legalize-to-linalg,func.func(canonicalize,sharding-propagation{traversal=backward-forward},shard-partition,canonicalize),convert-shard-to-mpi,canonicalize)' | FileCheck %s --check-prefix=MPI
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-convert-shardings{to=shard},indexing-legalize-to-linalg,func.func(canonicalize,sharding-propagation{traversal=backward-forward},shard-partition,canonicalize),convert-shard-to-mpi,canonicalize,one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-to-llvm,reconcile-unrealized-casts)' | FileCheck %s --check-prefix=LLVM

// Programs with Shardy's shardings through upstream's own partitioner, by way of its `shard` and `mpi` dialects, to calls of MPICH.
module attributes {dlti.map = #dlti.map<"MPI:Implementation" = "MPICH">} {
sdy.mesh @mesh = <["x"=4]>

// Rows stay where they are.
// CHECK-LABEL: func.func @rows(%arg0: tensor<2x16xf32>, %arg1: tensor<16x4xf32>) -> tensor<2x4xf32>
// CHECK: linalg.matmul ins(%arg0, %arg1 : tensor<2x16xf32>, tensor<16x4xf32>)
// CHECK: linalg.generic
// CHECK-NOT: shard.all
func.func @rows(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.negate %0 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// Contracted elements are partial sums.
// CHECK-LABEL: func.func @sums(%arg0: tensor<8x4xf32>, %arg1: tensor<4x4xf32>) -> tensor<8x4xf32>
// CHECK: %[[OWN:.*]] = linalg.matmul ins(%arg0, %arg1 : tensor<8x4xf32>, tensor<4x4xf32>)
// CHECK: shard.all_reduce %[[OWN]] on @grid grid_axes = [0] : tensor<8x4xf32> -> tensor<8x4xf32>
// MPI-LABEL: func.func @sums
// MPI: mpi.allreduce({{.*}}, MPI_SUM, {{.*}}) : memref<32xf32>, memref<32xf32>
// LLVM-LABEL: llvm.func @sums
// LLVM: llvm.call @MPI_Allreduce
func.func @sums(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<8x4xf32>
  %2 = stablehlo.negate %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
}
