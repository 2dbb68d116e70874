// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright maps %s --func wider | FileCheck %s --check-prefix=MAPS

// MHLO's bitcast takes the bytes as another type, whatever its shape, layout and elements are. Bits are those of IEEE 754, the lowest
// byte of a number comes first.

// MAPS: mhlo.bitcast
// MAPS-NEXT: result 0 -> operand 0
// MAPS-NEXT: (d0)[s0] -> (d0 * 2 + s0)
func.func private @wider(%x: tensor<4xi16>) -> tensor<2xi32> {
  %0 = "mhlo.bitcast"(%x) : (tensor<4xi16>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

func.func @main() {
  %x = mhlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %0 = "mhlo.bitcast"(%x) : (tensor<2xf32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[0x3F800000, 0xC0000000]> : tensor<2xi32>
  %1 = "mhlo.bitcast"(%x) : (tensor<2xf32>) -> tensor<1x2xui32>
  check.expect_eq_const %1, dense<[[0x3F800000, 0xC0000000]]> : tensor<1x2xui32>
  // To more and narrower elements, and back.
  %2 = "mhlo.bitcast"(%x) : (tensor<2xf32>) -> tensor<4xui16>
  check.expect_eq_const %2, dense<[0, 0x3F80, 0, 0xC000]> : tensor<4xui16>
  %3 = "mhlo.bitcast"(%x) : (tensor<2xf32>) -> tensor<4x2xi8>
  check.expect_eq_const %3, dense<[[0, 0], [-128, 63], [0, 0], [0, -64]]> : tensor<4x2xi8>
  %4 = "mhlo.bitcast"(%3) : (tensor<4x2xi8>) -> tensor<2xf32>
  check.expect_eq_const %4, dense<[1.0, -2.0]> : tensor<2xf32>
  %5 = "mhlo.bitcast"(%x) : (tensor<2xf32>) -> tensor<f64>
  check.expect_eq_const %5, dense<0xC00000003F800000> : tensor<f64>
  // A complex number is its two parts.
  %6 = "mhlo.bitcast"(%x) : (tensor<2xf32>) -> tensor<1xcomplex<f32>>
  check.expect_eq_const %6, dense<(1.0, -2.0)> : tensor<1xcomplex<f32>>
  %7 = "mhlo.bitcast"(%6) : (tensor<1xcomplex<f32>>) -> tensor<2xi32>
  check.expect_eq_const %7, dense<[0x3F800000, 0xC0000000]> : tensor<2xi32>
  // Columns in memory one after the other: 1 3 2 4.
  %y = mhlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %8 = "mhlo.bitcast"(%y) {source_layout = dense<[0, 1]> : tensor<2xindex>, result_layout = dense<[0]> : tensor<1xindex>} : (tensor<2x2xi32>) -> tensor<4xi32>
  check.expect_eq_const %8, dense<[1, 3, 2, 4]> : tensor<4xi32>
  %9 = "mhlo.bitcast"(%y) {source_layout = dense<[1, 0]> : tensor<2xindex>, result_layout = dense<[0, 1]> : tensor<2xindex>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %9, dense<[[1, 3], [2, 4]]> : tensor<2x2xi32>
  return
}
