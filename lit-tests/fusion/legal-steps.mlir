// The steps that the schedule of a region may have beside its own: each was tried, so a schedule with one of them runs.
// RUN: mapwright fusion %s --steps | FileCheck %s

// CHECK: schedule tiled [{{.*}}lanes(d1,
// CHECK-NEXT: may have lanes(d1, {{.*}}accumulators(v2, {{[0-9]+}}){{.*}}keep(a0)
func.func public @main(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<64x256xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x256xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<64xf32>) -> tensor<64x256xf32>
  %3 = stablehlo.divide %0, %2 : tensor<64x256xf32>
  return %3 : tensor<64x256xf32>
}
