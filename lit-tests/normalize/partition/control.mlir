// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 2 | FileCheck %s --check-prefix=GIVES

// A loop carries slices, a branch reads them from outside, and a computation by hand is taken as it is written.
sdy.mesh @mesh = <["x"=2]>

func.func private @doubled(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.add %a, %a : tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

func.func @main() -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2x2xf32>) {
  %numbers = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %rows = sdy.sharding_constraint %numbers <@mesh, [{"x"}, {}]> : tensor<4x2xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  // CHECK: stablehlo.while(%[[I:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}) : tensor<i32>, tensor<2x2xf32>
  // CHECK: stablehlo.add %[[A]], %[[A]] : tensor<2x2xf32>
  // GIVES: dense<{{\[\[}}8.0, 16.0], [24.0, 32.0], [40.0, 48.0], [56.0, 64.0]]> : tensor<4x2xf32>
  %i, %a = stablehlo.while(%i = %zero, %a = %rows) : tensor<i32>, tensor<4x2xf32>
    cond {
      %0 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    } do {
      %0 = stablehlo.add %i, %one : tensor<i32>
      %1 = func.call @doubled(%a) : (tensor<4x2xf32>) -> tensor<4x2xf32>
      stablehlo.return %0, %1 : tensor<i32>, tensor<4x2xf32>
    }
  // CHECK: "stablehlo.if"
  // CHECK: stablehlo.reduce{{.*}} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: "stablehlo.all_reduce"
  // CHECK: stablehlo.return
  // GIVES: dense<[16.0, 20.0]> : tensor<2xf32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %is = stablehlo.compare EQ, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %sums = "stablehlo.if"(%is) ({
    %0 = stablehlo.reduce(%rows init: %init) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    stablehlo.return %0 : tensor<2xf32>
  }, {
    %0 = stablehlo.constant dense<0.0> : tensor<2xf32>
    stablehlo.return %0 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  // CHECK-NOT: sdy.manual_computation
  // CHECK: stablehlo.multiply %{{.*}} : tensor<2x2xf32>
  // CHECK: "stablehlo.all_reduce"
  // Squares of both halves of the rows, added.
  // GIVES: dense<{{\[\[}}26.0, 40.0], [58.0, 80.0]]> : tensor<2x2xf32>
  %hand = sdy.manual_computation(%rows) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%own: tensor<2x2xf32>) {
    %0 = stablehlo.multiply %own, %own : tensor<2x2xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
      %2 = stablehlo.add %a0, %b0 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    sdy.return %1 : tensor<2x2xf32>
  } : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return %a, %sums, %hand : tensor<4x2xf32>, tensor<2xf32>, tensor<2x2xf32>
}
