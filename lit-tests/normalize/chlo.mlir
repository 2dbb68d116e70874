// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-legalize-chlo)' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-legalize-chlo{keep=erf;top_k})' | FileCheck %s --check-prefix=KEEP

// Functions of real values are computed in double precision, and rounded to their type.

// CHECK-LABEL: func.func @asinh
// CHECK-NOT: chlo.
// CHECK: stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xf64>
// CHECK: stablehlo.log_plus_one
// CHECK: stablehlo.convert %{{.*}} : (tensor<4xf64>) -> tensor<4xf32>
func.func @asinh(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.asinh %arg0 : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @erf
// CHECK-NOT: chlo.
// CHECK-NOT: f64
// CHECK: return
// KEEP-LABEL: func.func @erf
// KEEP: chlo.erf
func.func @erf(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Constants of a shape that is known at run time are broadcast to it.

// CHECK-LABEL: func.func @run_time_shape
// CHECK: %[[SIZE:.*]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: stablehlo.dynamic_broadcast_in_dim
func.func @run_time_shape(%arg0: tensor<?xf64>) -> tensor<?xf64> {
  %0 = chlo.acosh %arg0 : tensor<?xf64> -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// CHECK-LABEL: func.func @broadcast
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: stablehlo.maximum %arg0, %[[B]] : tensor<2x3xf32>
func.func @broadcast(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_maximum %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// The values and positions that a stable descending sort puts first.

// CHECK-LABEL: func.func @top_k
// CHECK: stablehlo.iota dim = 1
// CHECK: "stablehlo.sort"
// CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}}, TOTALORDER
// CHECK: stablehlo.slice %{{.*}} [0:2, 0:3]
// KEEP-LABEL: func.func @top_k
// KEEP: chlo.top_k
func.func @top_k(%arg0: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = chlo.top_k(%arg0, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}
