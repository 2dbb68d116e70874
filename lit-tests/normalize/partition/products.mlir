// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 2 | FileCheck %s --check-prefix=GIVES

// Partial sums whose reader wants slices are combined slice by slice; those of which more would be made are combined before.
sdy.mesh @mesh = <["x"=2]>

func.func @main() -> (tensor<2x2xf32>, tensor<2x3xf32>) {
  %numbers = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %a = sdy.sharding_constraint %numbers <@mesh, [{}, {"x"}]> : tensor<2x2xf32>
  // CHECK: stablehlo.dot_general %{{.*}} : (tensor<2x1xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  // CHECK: "stablehlo.reduce_scatter"(%{{.*}}) <{{.*}}replica_groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64
  // CHECK: }) : (tensor<2x2xf32>) -> tensor<1x2xf32>
  // GIVES: dense<{{\[\[}}7.0, 10.0], [15.0, 22.0]]> : tensor<2x2xf32>
  %0 = stablehlo.dot_general %a, %numbers, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<2x2xf32>
  // CHECK: stablehlo.reduce{{.*}} : (tensor<2x1xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: "stablehlo.all_reduce"
  // CHECK: (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}} : (tensor<2xf32>) -> tensor<2x3xf32>
  // GIVES: dense<{{\[\[}}3.0, 3.0, 3.0], [7.0, 7.0, 7.0]]> : tensor<2x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  return %1, %3 : tensor<2x2xf32>, tensor<2x3xf32>
}
