// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-propagate-shardings{to=shardy})' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-propagate-shardings)' | FileCheck %s --check-prefix=LAYOUT

sdy.mesh @mesh = <["x"=2, "y"=4]>

// A layer: the batch is split along x, the features along y; the contraction leaves partial sums, which the tangent cannot take.
// CHECK-LABEL: func.func @layer
// CHECK-SAME: %arg2: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}
func.func @layer(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                 %w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
                 %b: tensor<32xf32>) -> tensor<32x8xf32> {
  // CHECK: stablehlo.dot_general
  // CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>
  // LAYOUT: stablehlo.dot_general
  // LAYOUT-SAME: indexing.sharding = {alias = ["x", "y"], device_matrix = array<i64: 2, 4>, partial = {y = "sum"}, tensor_map = {{\[}}["x"], []]}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.broadcast_in_dim
  // CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.add
  // CHECK-SAME: indexing.communication = ["%0: [{x}, {}] partial sum {y} to [{x}, {}]: %0 holds partial results (sum) along y, stablehlo.add needs the full values"]
  %2 = stablehlo.add %0, %1 : tensor<8x32xf32>
  // CHECK: stablehlo.tanh
  // CHECK-NOT: indexing.communication
  // CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>
  %3 = stablehlo.tanh %2 : tensor<8x32xf32>
  // CHECK: stablehlo.transpose
  // CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
  return %4 : tensor<32x8xf32>
}

// CHECK-LABEL: func.func @reshapes_and_reductions
func.func @reshapes_and_reductions(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
    -> (tensor<2x4xf32>, tensor<6xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: stablehlo.reduce
  // CHECK-SAME: [<@mesh, [{"y"}], unreduced={"x"}>]
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: stablehlo.reshape
  // CHECK-SAME: [<@mesh, [{"y":(1)2}, {"y":(2)2}], unreduced={"x"}>]
  %1 = stablehlo.reshape %0 : (tensor<8xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.slice
  // CHECK-SAME: indexing.communication = ["%arg0: [{y}, {x}] to [{}, {x}]: stablehlo.slice reads dimension 0 of %arg0 at `1`, which crosses the parts of 2 elements that y splits it into"]
  // CHECK-SAME: [<@mesh, [{}, {"x"}]>]
  %2 = stablehlo.slice %x [1:2, 0:6] : (tensor<8x6xf32>) -> tensor<1x6xf32>
  // CHECK: stablehlo.reshape
  // CHECK-SAME: [<@mesh, [{"x"}]>]
  %3 = stablehlo.reshape %2 : (tensor<1x6xf32>) -> tensor<6xf32>
  return %1, %3 : tensor<2x4xf32>, tensor<6xf32>
}
