// REQUIRES: sdy
// RUN: split-file %s %t
// RUN: mapwright-opt %t/order.mlir --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %t/order.mlir --devices 2 | FileCheck %s --check-prefix=GIVES
// RUN: mapwright-opt %t/calls.mlir --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s --check-prefix=CALLS
// RUN: mapwright-opt %t/partial.mlir --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s --check-prefix=PARTIAL
// RUN: not mapwright run %t/partial.mlir --devices 2 2>&1 | FileCheck %s --check-prefix=BORDER

//--- order.mlir
// The second device has the first slice.
sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
// CHECK: func.func @main() -> (tensor<2xi32> {indexing.slice = {alias = ["x"], device_ids = array<i64: 1, 0>, device_matrix = array<i64: 2>, tensor_map = {{\[}}["x"]]}}, tensor<4xi32>
func.func @main() -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  // CHECK: stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  // A device counts its own part, from its position on.
  // CHECK-NOT: stablehlo.iota dim = 0 : tensor<4xi32>
  // CHECK: %[[OWN:.*]] = stablehlo.iota dim = 0 : tensor<2xi32>
  // CHECK: %[[PART:.*]] = stablehlo.add %[[OWN]], %{{.*}} : tensor<2xi32>
  // CHECK: stablehlo.add %[[PART]], %[[PART]] : tensor<2xi32>
  // CHECK: "stablehlo.all_gather"{{.*}}replica_groups = dense<{{\[\[}}1, 0]]> : tensor<1x2xi64>
  // GIVES: dense<[0, 2, 4, 6]> : tensor<4xi32>
  // GIVES: dense<[0, 2, 4, 6]> : tensor<4xi32>
  %0 = stablehlo.iota dim = 0 : tensor<4xi32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<4xi32>
  %2 = stablehlo.add %1, %1 : tensor<4xi32>
  return %2, %2 : tensor<4xi32>, tensor<4xi32>
}

//--- calls.mlir
// A call with a side effect is made by the device at the first position, number 1 here, and that one has its result for all.
sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]>
// CALLS: func.func @main(%arg0: tensor<2xi32>
func.func @main(%a: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  // CALLS: %[[POSITION:.*]] = stablehlo.reshape %{{.*}} : (tensor<1xi32>) -> tensor<i32>
  // CALLS: %[[FIRST:.*]] = stablehlo.compare EQ, %[[POSITION]]
  // CALLS: %[[MADE:.*]] = "stablehlo.if"(%[[FIRST]])
  // CALLS: "stablehlo.collective_broadcast"(%[[MADE]]){{.*}}replica_groups = dense<{{\[\[}}1, 0]]> : tensor<1x2xi64>
  %0 = stablehlo.custom_call @effect(%a) {has_side_effect = true} : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

//--- partial.mlir
// Partial sums stay where the program wants them; of a full value the first device has all, and of slices each device has its own with zeros around it.
sdy.mesh @mesh = <["x"=2]>
// PARTIAL: func.func @main(%arg0: tensor<2x2xf32>
func.func @main(%a: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"x"}>},
        tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  // PARTIAL-NOT: all_reduce
  // PARTIAL-NOT: all_gather
  // PARTIAL: %[[ID:.*]] = stablehlo.convert
  // PARTIAL: %[[ROWS:.*]] = stablehlo.reduce(%arg0
  // PARTIAL: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  // PARTIAL: %[[FIRST:.*]] = stablehlo.compare EQ, %[[ID]], %{{.*}}, SIGNED
  // PARTIAL: %[[NONE:.*]] = stablehlo.constant dense<-0.000000e+00> : tensor<f32>
  // PARTIAL: %[[PART:.*]] = stablehlo.select %[[FIRST]], %[[ONE]], %[[NONE]]
  // PARTIAL: %[[NONE:.*]] = stablehlo.constant dense<-0.000000e+00> : tensor<2x4xf32>
  // PARTIAL: %[[AROUND:.*]] = stablehlo.dynamic_update_slice %[[NONE]], %arg0
  // PARTIAL: return %[[ROWS]], %[[PART]], %[[AROUND]]
  // BORDER: an argument or a result of shape [2] is there in partial results
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  return %0, %one, %a : tensor<2xf32>, tensor<f32>, tensor<2x4xf32>
}
