// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright run %s --bounds-checks

// NaN of one sign are in the order of their payloads (IEEE 754-2019, 5.10 d 3 iii), also in a sort; formats with one NaN have nothing to order.
func.func @main() {
  %a32 = stablehlo.constant dense<[0x7FC00000, 0x7FE00001, 0xFFC00000, 0x7FC00001]> : tensor<4xf32>
  %b32 = stablehlo.constant dense<[0x7FE00001, 0x7FC00000, 0xFFE00001, 0x7FC00001]> : tensor<4xf32>
  %p32, %q32 = stablehlo.optimization_barrier %a32, %b32 : tensor<4xf32>, tensor<4xf32>
  %0 = stablehlo.compare LT, %p32, %q32, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  check.expect_eq_const %0, dense<[true, false, false, false]> : tensor<4xi1>
  %1 = stablehlo.compare EQ, %p32, %q32, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  check.expect_eq_const %1, dense<[false, false, false, true]> : tensor<4xi1>
  %a64 = stablehlo.constant dense<[0x7FF8000000000000, 0x7FFC000000000001]> : tensor<2xf64>
  %b64 = stablehlo.constant dense<[0x7FF8000000000001, 0x7FF8000000000000]> : tensor<2xf64>
  %p64, %q64 = stablehlo.optimization_barrier %a64, %b64 : tensor<2xf64>, tensor<2xf64>
  %2 = stablehlo.compare LT, %p64, %q64, TOTALORDER : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
  check.expect_eq_const %2, dense<[true, false]> : tensor<2xi1>
  %a16 = stablehlo.constant dense<[0x7FC0, 0x7FE1, 0xFFC0]> : tensor<3xbf16>
  %b16 = stablehlo.constant dense<[0x7FE1, 0x7FC0, 0xFFE1]> : tensor<3xbf16>
  %p16, %q16 = stablehlo.optimization_barrier %a16, %b16 : tensor<3xbf16>, tensor<3xbf16>
  %3 = stablehlo.compare LT, %p16, %q16, TOTALORDER : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xi1>
  check.expect_eq_const %3, dense<[true, false, false]> : tensor<3xi1>
  %ah = stablehlo.constant dense<[0x7E00, 0x7F01, 0xFE00]> : tensor<3xf16>
  %bh = stablehlo.constant dense<[0x7F01, 0x7E00, 0xFF01]> : tensor<3xf16>
  %ph, %qh = stablehlo.optimization_barrier %ah, %bh : tensor<3xf16>, tensor<3xf16>
  %4 = stablehlo.compare LT, %ph, %qh, TOTALORDER : (tensor<3xf16>, tensor<3xf16>) -> tensor<3xi1>
  check.expect_eq_const %4, dense<[true, false, false]> : tensor<3xi1>
  %a8 = stablehlo.constant dense<[0x7E, 0x7F, 0xFE, 0x7D]> : tensor<4xf8E5M2>
  %b8 = stablehlo.constant dense<[0x7F, 0x7E, 0xFF, 0x7E]> : tensor<4xf8E5M2>
  %p8, %q8 = stablehlo.optimization_barrier %a8, %b8 : tensor<4xf8E5M2>, tensor<4xf8E5M2>
  %5 = stablehlo.compare LT, %p8, %q8, TOTALORDER : (tensor<4xf8E5M2>, tensor<4xf8E5M2>) -> tensor<4xi1>
  check.expect_eq_const %5, dense<[true, false, false, true]> : tensor<4xi1>
  %places = stablehlo.iota dim = 0 : tensor<4xi32>
  %6:2 = "stablehlo.sort"(%p32, %places) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    %7 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %7 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  check.expect_eq_const %6#1, dense<[2, 0, 3, 1]> : tensor<4xi32>
  return
}
