// RUN: mapwright run %s | FileCheck %s

// Subnormal numbers have logarithms of their own, in vectors and alone.

// CHECK: dense<true> : tensor<i1>
func.func @main() -> tensor<i1> {
  %bits = stablehlo.constant dense<[1, 5, 0x1234, 0x8000000, 0xFFFFFFFFFFFFF, 0x10000000000000]> : tensor<6xi64>
  %hidden = stablehlo.optimization_barrier %bits : tensor<6xi64>
  %x = stablehlo.bitcast_convert %hidden : (tensor<6xi64>) -> tensor<6xf64>
  %e = stablehlo.constant dense<[-744.4400719213812, -742.8306340089472, -735.9933011942616, -725.7250980462627, -708.3964185322641, -708.3964185322641]> : tensor<6xf64>
  %long = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<6xf64>) -> tensor<16x6xf64>
  %long_e = stablehlo.broadcast_in_dim %e, dims = [1] : (tensor<6xf64>) -> tensor<16x6xf64>
  %y = stablehlo.log %long : tensor<16x6xf64>
  stablehlo.custom_call @check.expect_close(%y, %long_e) {has_side_effect = true} : (tensor<16x6xf64>, tensor<16x6xf64>) -> ()
  %one = stablehlo.slice %x [1:2] : (tensor<6xf64>) -> tensor<1xf64>
  %one_e = stablehlo.slice %e [1:2] : (tensor<6xf64>) -> tensor<1xf64>
  %alone = stablehlo.log %one : tensor<1xf64>
  stablehlo.custom_call @check.expect_close(%alone, %one_e) {has_side_effect = true} : (tensor<1xf64>, tensor<1xf64>) -> ()
  %single_bits = stablehlo.constant dense<[1, 5, 0x7FFFFF]> : tensor<3xi32>
  %hidden_single = stablehlo.optimization_barrier %single_bits : tensor<3xi32>
  %single = stablehlo.bitcast_convert %hidden_single : (tensor<3xi32>) -> tensor<3xf32>
  %wide = stablehlo.convert %single : (tensor<3xf32>) -> tensor<3xf64>
  %log_wide = stablehlo.log %wide : tensor<3xf64>
  %single_e = stablehlo.convert %log_wide : (tensor<3xf64>) -> tensor<3xf32>
  %log_single = stablehlo.log %single : tensor<3xf32>
  stablehlo.custom_call @check.expect_close(%log_single, %single_e) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
  %true = stablehlo.constant dense<true> : tensor<i1>
  return %true : tensor<i1>
}
