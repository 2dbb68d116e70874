// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse | FileCheck %s

// Windows in steps along a dimension of run-time size look for the ends of what is padded by themselves: it is in no memory.

// CHECK-LABEL: @main
// CHECK: indexing.fusion
// CHECK: stablehlo.pad
// CHECK-NOT: indexing.yield
// CHECK: stablehlo.reduce_window
// CHECK: indexing.yield
func.func public @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %p = stablehlo.pad %x, %zero, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  %m = "stablehlo.reduce_window"(%p, %least) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  return %m : tensor<?x64xf32>
}
