// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 4 --entry nested | FileCheck %s --check-prefix=GIVES
// RUN: mapwright run %s --devices 4 --entry looped | FileCheck %s --check-prefix=LOOPED

// A computation by hand inside of another one: what is whole there is sliced along the other axis, and stays so afterwards.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @nested
// CHECK: %[[OWN:.*]] = stablehlo.iota dim = 1 : tensor<2x4xi32>
// CHECK: %[[S:.*]] = stablehlo.dynamic_slice %[[OWN]], {{.*}}, sizes = [2, 2]
// CHECK: %[[N:.*]] = stablehlo.abs %[[S]] : tensor<2x2xi32>
// CHECK-NEXT: stablehlo.add %[[N]], %[[S]] : tensor<2x2xi32>
// CHECK-NOT: all_gather
// GIVES: dense<{{\[\[}}0, 2, 4, 6], [0, 2, 4, 6], [0, 2, 4, 6], [0, 2, 4, 6]]> : tensor<4x4xi32>
func.func @nested() -> tensor<4x4xi32> {
  %a = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%own: tensor<2x4xi32>) {
    %1 = sdy.manual_computation(%own) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%part: tensor<2x2xi32>) {
      %3 = stablehlo.abs %part : tensor<2x2xi32>
      sdy.return %3 : tensor<2x2xi32>
    } : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %2 = stablehlo.add %1, %own : tensor<2x4xi32>
    sdy.return %2 : tensor<2x4xi32>
  } : (tensor<4x4xi32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// In a loop of it: twice the sum over y of pairs of columns, kept by both.
// CHECK-LABEL: func.func @looped
// CHECK: stablehlo.while
// CHECK: "stablehlo.all_reduce"(%{{.*}}) <{{.*}}dense<{{\[\[}}0, 1], [2, 3]]>
// LOOPED: dense<{{\[\[}}4, 8, 4, 8], [4, 8, 4, 8], [4, 8, 4, 8], [4, 8, 4, 8]]> : tensor<4x4xi32>
func.func @looped() -> tensor<4x4xi32> {
  %a = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%own: tensor<2x4xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %1:2 = stablehlo.while(%i = %zero, %v = %own) : tensor<i32>, tensor<2x4xi32>
    cond {
      %p = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %2 = sdy.manual_computation(%v) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%part: tensor<2x2xi32>) {
        %3 = "stablehlo.all_reduce"(%part) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
        ^bb0(%l: tensor<i32>, %r: tensor<i32>):
          %4 = stablehlo.add %l, %r : tensor<i32>
          stablehlo.return %4 : tensor<i32>
        }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
        sdy.return %3 : tensor<2x2xi32>
      } : (tensor<2x4xi32>) -> tensor<2x4xi32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %2 : tensor<i32>, tensor<2x4xi32>
    }
    sdy.return %1#1 : tensor<2x4xi32>
  } : (tensor<4x4xi32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
