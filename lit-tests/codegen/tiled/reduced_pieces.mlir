// RUN: mapwright run --threads 1 --bounds-checks %s
// RUN: mapwright run --threads 2 %s
// RUN: mapwright run --interpret %s
// RUN: mapwright fusion %s | FileCheck %s

// Reductions that are pieces of a row, among others or among padding: where the loop is in another piece, they have no operands to read. The rows
// of an iota of 33 by 9 have the sums 36, 117, 198, …

// CHECK: stablehlo.reduce
// CHECK-NEXT: stablehlo.concatenate {{.*}} (root)

func.func @main() {
  func.call @before() : () -> ()
  func.call @behind() : () -> ()
  func.call @padded() : () -> ()
  func.call @rows() : () -> ()
  return
}

func.func private @sums() -> (tensor<33xi32>, tensor<33xi32>) {
  %c9 = stablehlo.constant dense<9> : tensor<33x9xi32>
  %i = stablehlo.iota dim = 0 : tensor<33x9xi32>
  %j = stablehlo.iota dim = 1 : tensor<33x9xi32>
  %n = stablehlo.multiply %i, %c9 : tensor<33x9xi32>
  %0 = stablehlo.add %n, %j : tensor<33x9xi32>
  %x = stablehlo.optimization_barrier %0 : tensor<33x9xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<33x9xi32>, tensor<i32>) -> tensor<33xi32>
  %c81 = stablehlo.constant dense<81> : tensor<33xi32>
  %c36 = stablehlo.constant dense<36> : tensor<33xi32>
  %k = stablehlo.iota dim = 0 : tensor<33xi32>
  %steps = stablehlo.multiply %k, %c81 : tensor<33xi32>
  %1 = stablehlo.add %steps, %c36 : tensor<33xi32>
  %expected = stablehlo.optimization_barrier %1 : tensor<33xi32>
  return %sums, %expected : tensor<33xi32>, tensor<33xi32>
}

func.func private @before() {
  %s, %e = func.call @sums() : () -> (tensor<33xi32>, tensor<33xi32>)
  %0 = stablehlo.constant dense<[-7]> : tensor<1xi32>
  %one = stablehlo.optimization_barrier %0 : tensor<1xi32>
  %all = stablehlo.concatenate %s, %one, dim = 0 : (tensor<33xi32>, tensor<1xi32>) -> tensor<34xi32>
  %expected = stablehlo.concatenate %e, %one, dim = 0 : (tensor<33xi32>, tensor<1xi32>) -> tensor<34xi32>
  check.expect_eq %all, %expected : tensor<34xi32>
  return
}

func.func private @behind() {
  %s, %e = func.call @sums() : () -> (tensor<33xi32>, tensor<33xi32>)
  %0 = stablehlo.iota dim = 0 : tensor<19xi32>
  %other = stablehlo.optimization_barrier %0 : tensor<19xi32>
  %all = stablehlo.concatenate %other, %s, %other, dim = 0 : (tensor<19xi32>, tensor<33xi32>, tensor<19xi32>) -> tensor<71xi32>
  %expected = stablehlo.concatenate %other, %e, %other, dim = 0 : (tensor<19xi32>, tensor<33xi32>, tensor<19xi32>) -> tensor<71xi32>
  check.expect_eq %all, %expected : tensor<71xi32>
  return
}

func.func private @padded() {
  %s, %e = func.call @sums() : () -> (tensor<33xi32>, tensor<33xi32>)
  %0 = stablehlo.constant dense<5> : tensor<i32>
  %five = stablehlo.optimization_barrier %0 : tensor<i32>
  %all = stablehlo.pad %s, %five, low = [3], high = [2], interior = [1] : (tensor<33xi32>, tensor<i32>) -> tensor<70xi32>
  %expected = stablehlo.pad %e, %five, low = [3], high = [2], interior = [1] : (tensor<33xi32>, tensor<i32>) -> tensor<70xi32>
  check.expect_eq %all, %expected : tensor<70xi32>
  return
}

// The lanes along the reduced rows.
func.func private @rows() {
  %0 = stablehlo.iota dim = 1 : tensor<5x40xf32>
  %1 = stablehlo.iota dim = 0 : tensor<3xf32>
  %x, %y = stablehlo.optimization_barrier %0, %1 : tensor<5x40xf32>, tensor<3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<5x40xf32>, tensor<f32>) -> tensor<5xf32>
  %all = stablehlo.concatenate %y, %s, %y, dim = 0 : (tensor<3xf32>, tensor<5xf32>, tensor<3xf32>) -> tensor<11xf32>
  check.expect_eq_const %all, dense<[0.0, 1.0, 2.0, 39.0, 39.0, 39.0, 39.0, 39.0, 0.0, 1.0, 2.0]> : tensor<11xf32>
  return
}
