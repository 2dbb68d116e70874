// RUN: mapwright-opt %s --indexing-lower-in-place=vector-bits=512 | FileCheck %s
// RUN: mapwright-opt %s --emit-bytecode | mapwright-opt | FileCheck %s --check-prefix=SAME
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES
// A stated schedule is obeyed: vectors of four lanes, two of them at a time, in tiles of 24 indices; another emitter, which has no vectors; sums in a
// register tile of two rows and one vector.

// CHECK-LABEL: func.func private @main_region_1_kernel(
// CHECK: arith.constant 24 : index
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: arith.negf {{.*}} : vector<4xf32>
// CHECK: arith.negf {{.*}} : vector<4xf32>
// CHECK-NOT: vector<16xf32>
// CHECK-LABEL: func.func private @main_region_2_kernel(
// CHECK-NOT: vector<
// CHECK: arith.mulf {{.*}} : f32
// CHECK-LABEL: func.func private @main_region_3_kernel(
// CHECK: vector<16xf32>
// SAME: #indexing.schedule<tiled [tile(d0, 24), lanes(d0, 4), unroll(d0, 2)]>
// SAME: #indexing.schedule<general []>
// SAME: #indexing.schedule<contraction [tile(m, 2), tile(n, 16), register_tile(2, 1), pack(n)]>
// VALUES: dense<[-0.0, -1.0, -2.0, {{.*}}, -97.0, -98.0, -99.0]>
// VALUES: dense<[-0.0, -1.0, -4.0, {{.*}}, -9409.0, -9604.0, -9801.0]>
// VALUES: dense<{{\[}}[14.0, 20.0], [14.0, 20.0], [14.0, 20.0], [14.0, 20.0]]>
func.func @main() -> (tensor<100xf32>, tensor<100xf32>, tensor<4x2xf32>) {
  %x = stablehlo.iota dim = 0 : tensor<100xf32>
  %0 = indexing.fusion(%a = %x : tensor<100xf32>)
      attributes {schedule = #indexing.schedule<tiled [tile(d0, 24), lanes(d0, 4), unroll(d0, 2)]>} -> tensor<100xf32> {
    %1 = stablehlo.negate %a : tensor<100xf32>
    indexing.yield %1 : tensor<100xf32>
  }
  %2 = indexing.fusion(%a = %0 : tensor<100xf32>, %b = %x : tensor<100xf32>)
      attributes {schedule = #indexing.schedule<general>} -> tensor<100xf32> {
    %3 = stablehlo.multiply %a, %b : tensor<100xf32>
    indexing.yield %3 : tensor<100xf32>
  }
  %l = stablehlo.constant dense<2.0> : tensor<4x3xf32>
  %r = stablehlo.constant dense<[[1.0, 2.0], [2.0, 3.0], [4.0, 5.0]]> : tensor<3x2xf32>
  %4 = indexing.fusion(%a = %l : tensor<4x3xf32>, %b = %r : tensor<3x2xf32>)
      attributes {schedule = #indexing.schedule<contraction [tile(m, 2), tile(n, 16), register_tile(2, 1), pack(n)]>} -> tensor<4x2xf32> {
    %5 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    indexing.yield %5 : tensor<4x2xf32>
  }
  return %0, %2, %4 : tensor<100xf32>, tensor<100xf32>, tensor<4x2xf32>
}
