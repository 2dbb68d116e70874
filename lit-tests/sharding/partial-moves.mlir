// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-propagate-shardings)' | FileCheck %s

// What only moves elements hands partial sums on. The bits of a sum are not the sum of bits, so that these need the whole values.
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @moves(%x: tensor<8x16xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}, %w: tensor<16x32xf32>) -> tensor<32x8xi32> {
    // CHECK: stablehlo.dot_general
    // CHECK-SAME: partial = {d1 = "sum"}
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    // CHECK: stablehlo.transpose
    // CHECK-NOT: indexing.communication
    // CHECK-SAME: partial = {d1 = "sum"}
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
    // CHECK: stablehlo.bitcast_convert
    // CHECK-SAME: indexing.communication = ["%1: [{}, {d0}] partial sum {d1} to [{}, {d0}]: %1 holds partial results (sum) along d1, stablehlo.bitcast_convert needs the full values"]
    %2 = stablehlo.bitcast_convert %1 : (tensor<32x8xf32>) -> tensor<32x8xi32>
    return %2 : tensor<32x8xi32>
  }
}
