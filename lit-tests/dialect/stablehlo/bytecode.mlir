// RUN: mapwright-opt %s --emit-bytecode -o %t.bc
// RUN: mapwright-opt %t.bc | FileCheck %s
// RUN: mapwright-opt %s -o %t.mlir
// RUN: mapwright-opt %t.bc -o %t.again.mlir
// RUN: diff %t.mlir %t.again.mlir

// Bytecode keeps attributes, types, regions and bounds.

sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @main
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}
func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %n: tensor<i32>, %m: tensor<4xi64>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>> attributes {map = #indexing.map<(d0) -> (d0 floordiv 4), domain: d0 in [0, 7]>} {
  %s = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: applies stablehlo.maximum across dimensions = [1]
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1], precision = [HIGHEST, DEFAULT] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %2 = chlo.erf %0 : tensor<4xf32> -> tensor<4xf32>
  // CHECK: mhlo.reduce_precision
  %3 = mhlo.reduce_precision %2, format = e8m7 : tensor<4xf32>
  // CHECK: !quant.uniform<i8:f32
  %4 = stablehlo.uniform_quantize %3 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
  // CHECK: #stablehlo.bounds<4, ?>
  %5 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>
  return %5 : tensor<?x8xf32, #stablehlo.bounds<4, ?>>
}
