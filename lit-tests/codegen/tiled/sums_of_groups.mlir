// RUN: mapwright fusion %s | FileCheck %s
// RUN: mapwright run %s --specialize=off
// RUN: mapwright run %s --specialize=off --disable inner-dimensions
// RUN: mapwright run %s --interpret

// Sums over rows and over the elements of a group: vectors run along a group, and the lanes of the accumulators are put together once for each
// result, behind both loops, however many results there are.

// CHECK: reduction, {{.*}} writes 32 * dim(%{{[0-9]+}}, 0) bytes
// CHECK-NEXT: schedule tiled [tile(d0, 1), tile(d1, 1), lanes({{[0-9]+}})
func.func private @sums(%x: tensor<?x?x8x8xf32>) -> tensor<?x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1, 3] : (tensor<?x?x8x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func @main() {
  %places = stablehlo.iota dim = 0 : tensor<20480xf32>
  %all = stablehlo.reshape %places : (tensor<20480xf32>) -> tensor<64x5x8x8xf32>
  // Sizes that are data.
  %from = stablehlo.constant dense<0> : tensor<4xi64>
  %by = stablehlo.constant dense<1> : tensor<4xi64>
  %to = stablehlo.constant dense<[64, 5, 8, 8]> : tensor<4xi64>
  %ends = stablehlo.optimization_barrier %to : tensor<4xi64>
  %x = stablehlo.real_dynamic_slice %all, %from, %ends, %by : (tensor<64x5x8x8xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<?x?x8x8xf32>
  %read = stablehlo.optimization_barrier %x : tensor<?x?x8x8xf32>
  %sums = call @sums(%read) : (tensor<?x?x8x8xf32>) -> tensor<?x8xf32>
  %kept = stablehlo.optimization_barrier %sums : tensor<?x8xf32>
  %found = tensor.cast %kept : tensor<?x8xf32> to tensor<64x8xf32>

  // Element (b, t, g, j) is 320 b + 64 t + 8 g + j, of which 5 rows of 8 are added up.
  %b = stablehlo.iota dim = 0 : tensor<64x8xf32>
  %g = stablehlo.iota dim = 1 : tensor<64x8xf32>
  %of_b = stablehlo.constant dense<12800.0> : tensor<64x8xf32>
  %of_g = stablehlo.constant dense<320.0> : tensor<64x8xf32>
  %rest = stablehlo.constant dense<5260.0> : tensor<64x8xf32>
  %0 = stablehlo.multiply %b, %of_b : tensor<64x8xf32>
  %1 = stablehlo.multiply %g, %of_g : tensor<64x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<64x8xf32>
  %expected = stablehlo.add %2, %rest : tensor<64x8xf32>
  check.expect_eq %found, %expected : tensor<64x8xf32>
  return
}
