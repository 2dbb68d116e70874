// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 4 --seed 3 > %t.divided
// RUN: mapwright run %s --seed 3 > %t.whole
// RUN: diff %t.divided %t.whole

// Sums that a loop puts together stay partial until the program wants them, where it says so: one all-reduce, and none in the loop.
// What each step has is written into a stack of them, which is partial, too.
sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: @main
func.func @main(
    %a: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %b: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x4xi32>, tensor<3x4x4xi32>) {
  %none = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %many = stablehlo.constant dense<3> : tensor<i32>
  %zeros = stablehlo.constant dense<0> : tensor<4x4xi32>
  %rows = stablehlo.constant dense<0> : tensor<3x4x4xi32>
  %sums = sdy.sharding_constraint %zeros <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xi32>
  %stack = sdy.sharding_constraint %rows <@mesh, [{}, {}, {}], unreduced={"x"}> : tensor<3x4x4xi32>
  // CHECK: stablehlo.while
  // CHECK: stablehlo.dot_general %{{.*}} : (tensor<4x2xi32>, tensor<2x4xi32>) -> tensor<4x4xi32>
  // CHECK-NOT: all_reduce
  // CHECK: stablehlo.dynamic_update_slice
  // CHECK-NOT: all_reduce
  // CHECK: stablehlo.return
  %r:3 = stablehlo.while(%i = %none, %sum = %sums, %all = %stack) : tensor<i32>, tensor<4x4xi32>, tensor<3x4x4xi32>
  cond {
    %more = stablehlo.compare LT, %i, %many, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %product = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xi32>, tensor<8x4xi32>) -> tensor<4x4xi32>
    %part = sdy.sharding_constraint %product <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xi32>
    %added = stablehlo.add %sum, %part : tensor<4x4xi32>
    %next = sdy.sharding_constraint %added <@mesh, [{}, {}], unreduced={"x"}> : tensor<4x4xi32>
    %row = stablehlo.reshape %next : (tensor<4x4xi32>) -> tensor<1x4x4xi32>
    %written = stablehlo.dynamic_update_slice %all, %row, %i, %none, %none : (tensor<3x4x4xi32>, tensor<1x4x4xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x4xi32>
    %k = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %k, %next, %written : tensor<i32>, tensor<4x4xi32>, tensor<3x4x4xi32>
  }
  // CHECK: "stablehlo.all_reduce"
  %0 = sdy.sharding_constraint %r#1 <@mesh, [{}, {}]> : tensor<4x4xi32>
  %1 = sdy.sharding_constraint %r#2 <@mesh, [{}, {}, {}]> : tensor<3x4x4xi32>
  return %0, %1 : tensor<4x4xi32>, tensor<3x4x4xi32>
}
