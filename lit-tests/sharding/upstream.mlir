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

// What reshapes, slices, pads and concatenations become is split along dimensions that they leave alone, and along the first one of a group.
// CHECK-LABEL: func.func @moves(%arg0: tensor<2x16xf32>, %arg1: tensor<2x4xf32>) -> (tensor<2x22xf32>, tensor<4x4xf32>)
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0, 0] [2, 16] [1, 1] : tensor<2x16xf32> into tensor<2x20xf32>
// CHECK: tensor.pad {{.*}} low[0, 1] high[0, 1]
// CHECK: tensor.extract_slice %arg0[0, 2] [2, 8] [1, 1] : tensor<2x16xf32> to tensor<2x8xf32>
// CHECK-NOT: shard.
// CHECK: tensor.collapse_shape {{.*}} : tensor<2x8xf32> into tensor<16xf32>
// CHECK: tensor.expand_shape {{.*}} output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
func.func @moves(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x22xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<8x20xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.pad %0, %zero, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<8x20xf32>, tensor<f32>) -> tensor<8x22xf32>
  %2 = stablehlo.slice %a [0:8, 2:10] : (tensor<8x16xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.reshape %2 : (tensor<8x8xf32>) -> tensor<16x4xf32>
  return %1, %3 : tensor<8x22xf32>, tensor<16x4xf32>
}
}
