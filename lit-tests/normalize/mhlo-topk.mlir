// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright-opt %s --indexing-legalize-mhlo --indexing-legalize-chlo | mapwright run -

// The largest elements or the smallest ones: of floats a NaN is the largest, or the smallest one if its sign is negative.

func.func @main() {
  %x = stablehlo.constant dense<[[3.0, 0x7FC00000, -2.0, 8.0], [0x7F800000, 0xFFC00000, 1.0, 1.0]]> : tensor<2x4xf32>
  %0:2 = mhlo.topk(%x, k = 2, largest = true) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %0#0, dense<[[0x7FC00000, 8.0], [0x7F800000, 1.0]]> : tensor<2x2xf32>
  check.expect_eq_const %0#1, dense<[[1, 3], [0, 2]]> : tensor<2x2xi32>
  %1:2 = mhlo.topk(%x, k = 3, largest = false) : tensor<2x4xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  check.expect_eq_const %1#0, dense<[[-2.0, 3.0, 8.0], [0xFFC00000, 1.0, 1.0]]> : tensor<2x3xf32>
  check.expect_eq_const %1#1, dense<[[2, 0, 3], [1, 2, 3]]> : tensor<2x3xi32>
  %y = stablehlo.constant dense<[5, -7, 5, 0]> : tensor<4xi32>
  %2:2 = mhlo.topk(%y, k = 2, largest = false) : tensor<4xi32> -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %2#0, dense<[-7, 0]> : tensor<2xi32>
  check.expect_eq_const %2#1, dense<[1, 3]> : tensor<2xi32>
  %z = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %3:2 = mhlo.topk(%z, k = 2, largest = true) : tensor<3xi1> -> (tensor<2xi1>, tensor<2xi32>)
  check.expect_eq_const %3#1, dense<[0, 2]> : tensor<2xi32>
  %4:2 = mhlo.topk(%z, k = 2, largest = false) : tensor<3xi1> -> (tensor<2xi1>, tensor<2xi32>)
  check.expect_eq_const %4#1, dense<[1, 0]> : tensor<2xi32>
  return
}
