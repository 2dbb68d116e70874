// RUN: mapwright fusion %s | FileCheck %s

// Every element of the exponential would be computed for nine windows: it is computed once instead, and the reason is printed.

// CHECK-LABEL: func @window
// CHECK: region 0: streaming, 1 operations
// CHECK: region 1: streaming
// CHECK: not fused: stablehlo.exponential {{.*}} into stablehlo.reduce_window {{.*}}: an element would be computed {{[0-9.]+}} times
func.func public @window(%x: tensor<1x64x64x32xf32>) -> tensor<1x62x62x32xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<1x64x64x32xf32>
  %1 = "stablehlo.reduce_window"(%e, %low) <{window_dimensions = array<i64: 1, 3, 3, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<1x64x64x32xf32>, tensor<f32>) -> tensor<1x62x62x32xf32>
  return %1 : tensor<1x62x62x32xf32>
}
