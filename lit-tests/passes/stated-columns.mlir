// RUN: mapwright-opt %s --indexing-lower-in-place=vector-bits=256 | FileCheck %s
// RUN: mapwright run %s --entry columns | FileCheck %s --check-prefix=COLUMNS
// RUN: mapwright run %s --entry peeled | FileCheck %s --check-prefix=PEELED
// RUN: mapwright run %s --entry divided | FileCheck %s --check-prefix=DIVIDED
// What is asked for ahead of time, what is peeled and how it is divided are steps that are obeyed.

// Three rows ahead, in both sweeps over the argument, and the results are not asked for.
// CHECK-LABEL: func.func private @columns_region_1_kernel(
// CHECK: arith.constant 12288 : index
// CHECK-COUNT-2: memref.prefetch {{.*}}, read
// CHECK-NOT: memref.prefetch
// The piece behind the first three elements goes to the first whole vector under a mask.
// CHECK-LABEL: func.func private @peeled_region_2_kernel(
// CHECK: vector.maskedstore
// CHECK: vector.maskedstore
// CHECK: nontemporal
// A quotient by a constant without a division.
// CHECK-LABEL: func.func private @divided_region_1_kernel(
// CHECK-NOT: arith.divf {{.*}} : vector<
// CHECK: math.fma
// CHECK-NOT: arith.divf {{.*}} : vector<
// COLUMNS: dense<{{\[}}[0.0, 63.0, 126.0, {{.*}}, 257859.0, 257922.0, 257985.0],
// PEELED: dense<[0.0, 1.0, 2.0, {{.*}}, 94.0, 95.0, 96.0]>
// DIVIDED: dense<[0.0, 0.33333334, 0.6666667, 1.0, {{.*}}, 9.666667, 10.0, 10.333333]>
func.func @columns() -> tensor<64x4096xf32> {
  %x = stablehlo.iota dim = 1 : tensor<64x4096xf32>
  %0 = indexing.fusion(%a = %x : tensor<64x4096xf32>)
      attributes {schedule = #indexing.schedule<tiled [tile(d1, 8), lanes(d1, 8), prefetch(a0, 3)]>} -> tensor<64x4096xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x4096xf32>, tensor<f32>) -> tensor<4096xf32>
    %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<4096xf32>) -> tensor<64x4096xf32>
    %r = stablehlo.subtract %b, %a : tensor<64x4096xf32>
    indexing.yield %r : tensor<64x4096xf32>
  }
  return %0 : tensor<64x4096xf32>
}

func.func @peeled() -> tensor<100xf32> {
  %x = stablehlo.iota dim = 0 : tensor<3xf32>
  %y = stablehlo.iota dim = 0 : tensor<97xf32>
  %0 = indexing.fusion(%a = %x : tensor<3xf32>, %b = %y : tensor<97xf32>)
      attributes {schedule = #indexing.schedule<tiled [lanes(d0, 8), peel(d0, 16), stream(0)]>} -> tensor<100xf32> {
    %c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<3xf32>, tensor<97xf32>) -> tensor<100xf32>
    indexing.yield %c : tensor<100xf32>
  }
  return %0 : tensor<100xf32>
}

func.func @divided() -> tensor<32xf32> {
  %x = stablehlo.iota dim = 0 : tensor<32xi32>
  %0 = indexing.fusion(%a = %x : tensor<32xi32>)
      attributes {schedule = #indexing.schedule<tiled [lanes(d0, 8), reciprocal_of_constants()]>} -> tensor<32xf32> {
    %f = stablehlo.convert %a : (tensor<32xi32>) -> tensor<32xf32>
    %t = stablehlo.constant dense<3.0> : tensor<32xf32>
    %q = stablehlo.divide %f, %t : tensor<32xf32>
    indexing.yield %q : tensor<32xf32>
  }
  return %0 : tensor<32xf32>
}
