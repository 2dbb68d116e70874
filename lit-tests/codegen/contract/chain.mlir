// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse | FileCheck %s --check-prefix=FUSED
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse --indexing-lower=vector-bits=512 | FileCheck %s
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse '--indexing-lower=vector-bits=512 disable=chain' | FileCheck %s --check-prefix=OFF
// RUN: mapwright run %s --threads 1 | FileCheck %s --check-prefix=VALUES
// RUN: mapwright run %s --threads 2 | FileCheck %s --check-prefix=VALUES

// Two products with work on rows between them: one kernel, whose block of rows (5 of 19 elements, each with room up to 32) is in its frame.

// FUSED: indexing.fusion({{.*}} attributes {kind = "chain"
// FUSED: indexing.fusion({{.*}} attributes {kind = "contraction"
// FUSED: indexing.fusion({{.*}} attributes {kind = "reduction"
// FUSED: indexing.fusion({{.*}} attributes {kind = "contraction"

// CHECK: func.func {{.*}}@region_0
// CHECK: memref.alloca() {{.*}} : memref<160xf32>
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: @region_1

// Each stage by itself.

// OFF-DAG: func.func {{.*}}@region_0
// OFF-DAG: func.func {{.*}}@region_1
// OFF-DAG: func.func {{.*}}@region_2

// Element (i, j) of the first product is the sum over 3 values of i: 3i, the same in each row; less the greatest of its row it is 0, and
// with one added the second product sums 19 times j.

// VALUES: dense<{{\[\[}}0.0, 19.0, 38.0, 57.0],
// VALUES-SAME: [0.0, 19.0, 38.0, 57.0],
// VALUES-SAME: [0.0, 19.0, 38.0, 57.0]]> : tensor<5x4xf32>
func.func public @main() -> tensor<5x4xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<5x19xf32>
  %a = stablehlo.iota dim = 0 : tensor<5x3xf32>
  %b = stablehlo.constant dense<1.0> : tensor<3x19xf32>
  %s = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<5x3xf32>, tensor<3x19xf32>) -> tensor<5x19xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<5x19xf32>, tensor<f32>) -> tensor<5xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<5xf32>) -> tensor<5x19xf32>
  %d = stablehlo.subtract %s, %mb : tensor<5x19xf32>
  %p = stablehlo.add %d, %one : tensor<5x19xf32>
  %v = stablehlo.iota dim = 1 : tensor<19x4xf32>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<5x19xf32>, tensor<19x4xf32>) -> tensor<5x4xf32>
  return %o : tensor<5x4xf32>
}
