// RUN: mapwright run %s --json | FileCheck %s
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse=maps=false | FileCheck %s --check-prefix=REGIONS

// A derivative reads far behind what its forward part made. Of five tensors of 256 KiB between argument and results none is beside these:
// what follows from the hyperbolic tangent by two simple operations is made again where it is read, and the rest is where results will be.

// CHECK-DAG: "inputs": 524288
// CHECK-DAG: "outputs": 524288
// CHECK-DAG: "copied": 0

// REGIONS-LABEL: @main
// The slope is no result of the region of the tangent.
// REGIONS: indexing.fusion
// REGIONS: stablehlo.tanh
// REGIONS-NEXT: indexing.yield %{{[^,]*}} : tensor<256x256xf32>
// REGIONS: stablehlo.subtract
func.func public @main(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256x256xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<256x256xf32>
  %t = stablehlo.tanh %x : tensor<256x256xf32>
  %square = stablehlo.multiply %t, %t : tensor<256x256xf32>
  %slope = stablehlo.subtract %one, %square : tensor<256x256xf32>
  %u = stablehlo.dot_general %t, %w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %v = stablehlo.dot_general %u, %w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %back = stablehlo.dot_general %v, %w, contracting_dims = [1] x [1] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %dx = stablehlo.multiply %back, %slope : tensor<256x256xf32>
  %dw = stablehlo.dot_general %t, %v, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %dx, %dw : tensor<256x256xf32>, tensor<256x256xf32>
}
