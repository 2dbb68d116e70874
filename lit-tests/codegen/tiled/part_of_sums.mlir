// RUN: mapwright run %s --bounds-checks
// RUN: mapwright run %s --interpret

// Of three sums two are padded: where the padding is no sum is computed, of rows that are not there.

func.func @main() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %rows = stablehlo.iota dim = 0 : tensor<3x32xf32>
  %x = stablehlo.optimization_barrier %rows : tensor<3x32xf32>
  %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x32xf32>, tensor<f32>) -> tensor<3xf32>
  %part = stablehlo.slice %sums [0:2] : (tensor<3xf32>) -> tensor<2xf32>
  %padded = stablehlo.pad %part, %half, low = [0], high = [30], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<32xf32>
  %kept = stablehlo.optimization_barrier %padded : tensor<32xf32>
  %begin = stablehlo.slice %kept [0:4] : (tensor<32xf32>) -> tensor<4xf32>
  %expected = stablehlo.constant dense<[0.0, 32.0, 0.5, 0.5]> : tensor<4xf32>
  check.expect_eq %begin, %expected : tensor<4xf32>
  return
}
