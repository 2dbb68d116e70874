// RUN: mapwright run %s
// RUN: mapwright run %s --interpret

// Whether the order of equal elements counts or not, the greatest are found; of distinct ones the places are, too.
func.func @main() {
  %c = stablehlo.constant dense<[3.0, -1.0, 0x7F800000, 8.0, 2.0, 0x7FC00000, 7.0, 0.5]> : tensor<8xf32>
  %x = stablehlo.optimization_barrier %c : tensor<8xf32>
  %0:2 = chlo.top_k(%x, k = 4, is_stable = false) : tensor<8xf32> -> (tensor<4xf32>, tensor<4xi32>)
  check.expect_eq_const %0#0, dense<[0x7FC00000, 0x7F800000, 8.0, 7.0]> : tensor<4xf32>
  check.expect_eq_const %0#1, dense<[5, 2, 3, 6]> : tensor<4xi32>
  %1:2 = chlo.top_k(%x, k = 4, is_stable = true) : tensor<8xf32> -> (tensor<4xf32>, tensor<4xi32>)
  check.expect_eq %0#1, %1#1 : tensor<4xi32>
  return
}
