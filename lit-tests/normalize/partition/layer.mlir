// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition{remarks=true})' 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// RUN: mapwright run %s --devices 4 | FileCheck %s --check-prefix=GIVES

// Two layers on 2 x 2 devices: rows are split along x, what is between the layers along y, so that the second product leaves partial sums.
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK: func.func @main() -> (tensor<1x2xf32> {indexing.slice = {alias = ["x", "y"], device_matrix = array<i64: 2, 2>, tensor_map = {{\[}}["x"], []]}}, tensor<f32> {{{.*}}tensor_map = []
func.func @main() -> (tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<f32>) {
  %rows = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %columns = stablehlo.constant dense<[[1.0, 0.0, 2.0, 1.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]]> : tensor<3x4xf32>
  %last = stablehlo.constant dense<[[1.0, 0.0], [2.0, 1.0], [0.0, 3.0], [1.0, 1.0]]> : tensor<4x2xf32>
  // CHECK-DAG: %[[ID:.*]] = stablehlo.partition_id : tensor<ui32>
  // Slices of constants by the number of the device: nothing is sent.
  // CHECK-DAG: %[[X:.*]] = stablehlo.dynamic_slice {{.*}}, sizes = [1, 3]
  // CHECK-DAG: %[[W:.*]] = stablehlo.dynamic_slice {{.*}}, sizes = [3, 2]
  // CHECK-NOT: stablehlo.all
  // CHECK: %[[H:.*]] = stablehlo.dot_general %[[X]], %[[W]], contracting_dims = [1] x [0] : (tensor<1x3xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>
  %x = sdy.sharding_constraint %rows <@mesh, [{"x"}, {}]> : tensor<2x3xf32>
  %w = sdy.sharding_constraint %columns <@mesh, [{}, {"y"}]> : tensor<3x4xf32>
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: %[[V:.*]] = stablehlo.dynamic_slice {{.*}}, sizes = [2, 2]
  // CHECK: %[[P:.*]] = stablehlo.dot_general %[[H]], %[[V]], contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  // CHECK: "stablehlo.all_reduce"(%[[P]]) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>
  // WHY: remark: all-reduce of %{{.*}} along y, 8 bytes for each device: its partial results are read several times
  %r = stablehlo.dot_general %h, %last, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  // CHECK: stablehlo.reduce{{.*}} (tensor<1x2xf32>, tensor<f32>) -> tensor<f32>
  // CHECK: "stablehlo.all_reduce"({{.*}}) <{{.*}}replica_groups = dense<{{\[\[}}0, 2], [1, 3]]>
  // WHY: remark: all-reduce of %{{.*}} along x, 4 bytes for each device: the program returns it so
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
  // [[1, 2, 3], [4, 5, 6]] times the columns is [[4, 5, 2, 3], [10, 11, 8, 9]].
  // GIVES: dense<{{\[\[}}17.0, 14.0], [41.0, 44.0]]> : tensor<2x2xf32>
  // GIVES: dense<116.0> : tensor<f32>
  return %r, %sum : tensor<2x2xf32>, tensor<f32>
}
