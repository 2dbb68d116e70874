// RUN: not mapwright-opt %s --indexing-lower 2>&1 | FileCheck %s

// A shape that is computed inside of a region cannot be looked at before the launch: nobody would have compared the sizes that follow.

// CHECK: shape_inside.mlir:[[#@LINE+4]]:{{.*}}error: {{.*}}a shape that is computed inside of a region
func.func @main(%x: tensor<?xf32>, %n: tensor<1xi64>) -> tensor<f32> {
  %0 = indexing.fusion(%a = %x : tensor<?xf32>, %m = %n : tensor<1xi64>) -> tensor<f32> {
    %s = stablehlo.add %m, %m : tensor<1xi64>
    %b = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0] : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
    indexing.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
