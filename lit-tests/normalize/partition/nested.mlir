// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 4 | FileCheck %s --check-prefix=GIVES

// A computation by hand inside of another one: what is whole there is sliced along the other axis, and put together again.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-LABEL: func.func @nested
func.func @nested() -> tensor<4x4xi32> {
  %a = stablehlo.iota dim = 1 : tensor<4x4xi32>
  // CHECK: %[[OWN:.*]] = stablehlo.iota dim = 1 : tensor<2x4xi32>
  // CHECK: %[[S:.*]] = stablehlo.dynamic_slice %[[OWN]], {{.*}}, sizes = [2, 2]
  // CHECK: %[[N:.*]] = stablehlo.abs %[[S]] : tensor<2x2xi32>
  // CHECK: "stablehlo.all_gather"(%[[N]]) <{all_gather_dim = 1 : i64, {{.*}}replica_groups = dense<{{\[\[}}0, 1], [2, 3]]>
  // CHECK: stablehlo.add %{{.*}}, %[[OWN]] : tensor<2x4xi32>
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%own: tensor<2x4xi32>) {
    %1 = sdy.manual_computation(%own) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%part: tensor<2x2xi32>) {
      %3 = stablehlo.abs %part : tensor<2x2xi32>
      sdy.return %3 : tensor<2x2xi32>
    } : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %2 = stablehlo.add %1, %own : tensor<2x4xi32>
    sdy.return %2 : tensor<2x4xi32>
  } : (tensor<4x4xi32>) -> tensor<4x4xi32>
  // GIVES: dense<{{\[\[}}0, 2, 4, 6], [0, 2, 4, 6], [0, 2, 4, 6], [0, 2, 4, 6]]> : tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
