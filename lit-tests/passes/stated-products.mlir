// RUN: mapwright-opt %s --indexing-lower-in-place=vector-bits=256 | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-schedule{vector-bits=512})' | FileCheck %s --check-prefix=SAME
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES
// What is stated of a product beside its tiles is obeyed.

// Columns are asked for a panel ahead, results before their products are summed; what follows a register tile of four vectors is a loop.
// CHECK-LABEL: func.func private @main_region_1_kernel(
// CHECK: memref.prefetch {{.*}}, read, locality<2>, data
// CHECK-COUNT-4: memref.prefetch {{.*}}, write
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-4: vector.store {{.*}} : memref<32xf32>
// CHECK: scf.for
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK-NOT: arith.addf {{.*}} : vector<8xf32>
// Six sums of two columns, which take turns.
// CHECK-LABEL: func.func private @main_region_3_kernel(
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// Three rows of the columns at a time.
// CHECK-LABEL: func.func private @main_region_4_kernel(
// CHECK: arith.constant 3 : index
// CHECK-COUNT-3: math.fma {{.*}} : vector<8xf32>
// CHECK-NOT: math.fma {{.*}} : vector<8xf32>
// Three neighbouring results.
// CHECK-LABEL: func.func private @main_region_6_kernel(
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>)
// Columns that lie along the contracted elements are transposed.
// CHECK-LABEL: func.func private @main_region_8_kernel_pack0(
// CHECK-COUNT-24: vector.shuffle
// SAME: <contraction [register_tile(4, 1), unroll_epilogue(2), prefetch_columns(1), prefetch_results()]>
// VALUES: dense<{{\[}}[1.0, 17.0, 33.0, {{.*}}, 209.0, 225.0, 241.0], {{.*}}]>
// VALUES: dense<{{\[}}[4560.0, 4560.0]]>
// VALUES: dense<{{\[}}[4560.0, 4560.0, {{.*}}4560.0]]>
// VALUES: dense<{{\[\[\[}}[3.0, {{.*}}], [6.0, {{.*}}], {{.*}}, [18.0, {{.*}} : tensor<1x1x6x8xf32>
// VALUES: dense<{{\[}}[0.0, 16.0, 32.0, {{.*}}, 224.0, 240.0]]>
func.func @main() -> (tensor<4x16xf32>, tensor<1x2xf32>, tensor<1x32xf32>, tensor<1x1x6x8xf32>, tensor<4x16xf32>) {
  %l = stablehlo.constant dense<2.0> : tensor<4x8xf32>
  %i = stablehlo.iota dim = 1 : tensor<8x16xf32>
  %o = stablehlo.constant dense<1.0> : tensor<4x16xf32>
  %0 = indexing.fusion(%a = %l : tensor<4x8xf32>, %b = %i : tensor<8x16xf32>, %c = %o : tensor<4x16xf32>)
      attributes {schedule = #indexing.schedule<contraction [register_tile(4, 1), unroll_epilogue(2), prefetch_columns(1), prefetch_results()]>} -> tensor<4x16xf32> {
    %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %q = stablehlo.add %p, %c : tensor<4x16xf32>
    indexing.yield %q : tensor<4x16xf32>
  }
  %x = stablehlo.iota dim = 1 : tensor<1x96xf32>
  %y = stablehlo.constant dense<1.0> : tensor<2x96xf32>
  %1 = indexing.fusion(%a = %x : tensor<1x96xf32>, %b = %y : tensor<2x96xf32>)
      attributes {schedule = #indexing.schedule<contraction [register_tile(1, 1), gemv_row(6)]>} -> tensor<1x2xf32> {
    %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<1x96xf32>, tensor<2x96xf32>) -> tensor<1x2xf32>
    indexing.yield %p : tensor<1x2xf32>
  }
  %w = stablehlo.constant dense<1.0> : tensor<96x32xf32>
  %2 = indexing.fusion(%a = %x : tensor<1x96xf32>, %b = %w : tensor<96x32xf32>)
      attributes {schedule = #indexing.schedule<contraction [register_tile(1, 1), gemv_column(32, 3)]>} -> tensor<1x32xf32> {
    %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x96xf32>, tensor<96x32xf32>) -> tensor<1x32xf32>
    indexing.yield %p : tensor<1x32xf32>
  }
  %m = stablehlo.iota dim = 2 : tensor<1x1x8x8xf32>
  %k = stablehlo.constant dense<1.0> : tensor<1x3x1x8xf32>
  %3 = indexing.fusion(%a = %m : tensor<1x1x8x8xf32>, %b = %k : tensor<1x3x1x8xf32>)
      attributes {schedule = #indexing.schedule<contraction [depthwise(3)]>} -> tensor<1x1x6x8xf32> {
    %p = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<1x1x8x8xf32>, tensor<1x3x1x8xf32>) -> tensor<1x1x6x8xf32>
    indexing.yield %p : tensor<1x1x6x8xf32>
  }
  %n = stablehlo.iota dim = 0 : tensor<16x8xf32>
  %4 = indexing.fusion(%a = %l : tensor<4x8xf32>, %b = %n : tensor<16x8xf32>)
      attributes {schedule = #indexing.schedule<contraction [register_tile(4, 1), pack(n), transpose_blocks(n)]>} -> tensor<4x16xf32> {
    %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
    indexing.yield %p : tensor<4x16xf32>
  }
  return %0, %1, %2, %3, %4 : tensor<4x16xf32>, tensor<1x2xf32>, tensor<1x32xf32>, tensor<1x1x6x8xf32>, tensor<4x16xf32>
}
