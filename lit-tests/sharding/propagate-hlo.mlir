// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-propagate-shardings)' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-propagate-shardings{to=hlo})' | FileCheck %s --check-prefix=HLO

// HLO strings in, ours or HLO strings out: the contraction is split, its result is partial.
module attributes {mhlo.num_partitions = 8 : i32} {
  // HLO-LABEL: func.func @layer
  // HLO-SAME: %arg1: tensor<16x32xf32> {mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"}
  func.func @layer(%x: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}, %w: tensor<16x32xf32>) -> tensor<32x8xf32> {
    // CHECK: stablehlo.dot_general
    // CHECK-SAME: indexing.sharding = {alias = ["d0", "d1"], device_matrix = array<i64: 2, 4>, partial = {d1 = "sum"}, tensor_map = {{\[}}["d0"], []]}
    // HLO: stablehlo.dot_general
    // HLO-SAME: mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dims={unreduced}}"
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    // CHECK: stablehlo.tanh
    // CHECK-SAME: indexing.communication = ["%0: [{d0}, {}] partial sum {d1} to [{d0}, {}]: %0 holds partial results (sum) along d1, stablehlo.tanh needs the full values"]
    // HLO: stablehlo.tanh
    // HLO-SAME: mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"
    %1 = stablehlo.tanh %0 : tensor<8x32xf32>
    // HLO: stablehlo.transpose
    // HLO-SAME: mhlo.sharding = "{devices=[1,2,4]<=[8] last_tile_dim_replicate}"
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
    return %2 : tensor<32x8xf32>
  }
}
