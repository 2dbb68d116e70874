// RUN: mapwright-opt %s --indexing-lower-in-place=vector-bits=256 | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(func.func(indexing-fuse{maps=false}),indexing-schedule{vector-bits=256})' | FileCheck %s --check-prefix=CHOSEN
// RUN: mapwright run %s --entry stated | FileCheck %s --check-prefix=VALUES
// How much of its loop a reduction combines at a time is stated for each: vectors of a row, which have accumulators of their own, and rows of a block
// of columns.

// Two accumulators of eight lanes, and no third.
// CHECK-LABEL: func.func private @stated_region_1_kernel(
// CHECK-COUNT-2: memref.alloca() {{.*}} : memref<vector<8xi32>>
// CHECK-NOT: memref.alloca() {{.*}} : memref<vector<8xi32>>
// Four rows at a time.
// CHECK-LABEL: func.func private @stated_region_3_kernel(
// CHECK: memref.alloca() {{.*}} : memref<8xvector<8xi32>>
// CHECK: memref.load {{.*}} : memref<8xvector<8xi32>>
// CHECK-COUNT-4: vector.load {{.*}} vector<8xi32>
// CHECK-NOT: vector.load {{.*}} vector<8xi32>
// CHECK: memref.store {{.*}} : memref<8xvector<8xi32>>
// CHOSEN-LABEL: @chosen
// CHOSEN: schedule = #indexing.schedule<tiled [tile(d0, 1), lanes(8), unroll(4), accumulators(v1, 4)]>
// VALUES: dense<[4950, 14950]>
// VALUES: dense<[448, 456, 464, {{.*}}, 936, 944, 952]>
func.func @stated() -> (tensor<2xi32>, tensor<64xi32>) {
  %x = stablehlo.iota dim = 0 : tensor<200xi32>
  %y = stablehlo.reshape %x : (tensor<200xi32>) -> tensor<2x100xi32>
  %0 = indexing.fusion(%a = %y : tensor<2x100xi32>)
      attributes {schedule = #indexing.schedule<tiled [tile(d0, 1), lanes(8), accumulators(v1, 2)]>} -> tensor<2xi32> {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x100xi32>, tensor<i32>) -> tensor<2xi32>
    indexing.yield %s : tensor<2xi32>
  }
  %i = stablehlo.iota dim = 0 : tensor<8x64xi32>
  %j = stablehlo.iota dim = 1 : tensor<8x64xi32>
  %c = stablehlo.constant dense<16> : tensor<8x64xi32>
  %m = stablehlo.multiply %i, %c : tensor<8x64xi32>
  %n = stablehlo.add %m, %j : tensor<8x64xi32>
  %1 = indexing.fusion(%a = %n : tensor<8x64xi32>)
      attributes {schedule = #indexing.schedule<tiled [tile(d0, 64), lanes(d0, 8), column_block(d0), combine_rows(v1, 4)]>} -> tensor<64xi32> {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8x64xi32>, tensor<i32>) -> tensor<64xi32>
    indexing.yield %s : tensor<64xi32>
  }
  return %0, %1 : tensor<2xi32>, tensor<64xi32>
}

func.func @chosen(%x: tensor<33x700xf32>) -> tensor<33xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<33x700xf32>, tensor<f32>) -> tensor<33xf32>
  return %s : tensor<33xf32>
}
