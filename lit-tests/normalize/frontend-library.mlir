// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright-opt %s --indexing-legalize-frontend | FileCheck %s

// XLA's library calls, whose results may be tuples, become LAPACK's functions and operations of StableHLO. What is unique is worked out by
// hand; factors are multiplied out.

// CHECK-NOT: {{@(Qr|ProductOf|Lu|Chol|TopK)}}
func.func @main() {
  func.call @qr() : () -> ()
  func.call @lu() : () -> ()
  func.call @cholesky() : () -> ()
  func.call @top_k() : () -> ()
  return
}

func.func private @qr() {
  %x = stablehlo.constant dense<[[[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]], [[1.0, 2.0], [2.0, 0.0], [2.0, 1.0]]]> : tensor<2x3x2xf64>
  %0 = stablehlo.custom_call @Qr(%x) {backend_config = "", xla_shape = "(f64[2,3,2]{2,1,0}, f64[2,2]{1,0})"} : (tensor<2x3x2xf64>) -> tuple<tensor<2x3x2xf64>, tensor<2x2xf64>>
  %packed = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2x3x2xf64>, tensor<2x2xf64>>) -> tensor<2x3x2xf64>
  %taus = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x3x2xf64>, tensor<2x2xf64>>) -> tensor<2x2xf64>
  %q = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%packed, %taus) {backend_config = ""} : (tensor<2x3x2xf64>, tensor<2x2xf64>) -> tensor<2x3x2xf64>
  // The first column has the length 5, and 3: LAPACK's sign is the other one than that of its first element.
  %corner = stablehlo.slice %packed [0:2, 0:1, 0:1] : (tensor<2x3x2xf64>) -> tensor<2x1x1xf64>
  check.expect_almost_eq_const %corner, dense<[[[-5.0]], [[-3.0]]]> : tensor<2x1x1xf64>
  %square = stablehlo.slice %packed [0:2, 0:2, 0:2] : (tensor<2x3x2xf64>) -> tensor<2x2x2xf64>
  %i = stablehlo.iota dim = 1 : tensor<2x2x2xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x2x2xi32>
  %upper = stablehlo.compare LE, %i, %j : (tensor<2x2x2xi32>, tensor<2x2x2xi32>) -> tensor<2x2x2xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<2x2x2xf64>
  %r = stablehlo.select %upper, %square, %zero : tensor<2x2x2xi1>, tensor<2x2x2xf64>
  %product = stablehlo.dot_general %q, %r, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x2xf64>, tensor<2x2x2xf64>) -> tensor<2x3x2xf64>
  check.expect_almost_eq %product, %x : tensor<2x3x2xf64>
  %gram = stablehlo.dot_general %q, %q, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3x2xf64>, tensor<2x3x2xf64>) -> tensor<2x2x2xf64>
  check.expect_almost_eq_const %gram, dense<[[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]]> : tensor<2x2x2xf64>
  // 16 bits are computed in 32, and several results need no tuple.
  %half = stablehlo.convert %x : (tensor<2x3x2xf64>) -> tensor<2x3x2xbf16>
  %1:2 = stablehlo.custom_call @Qr(%half) : (tensor<2x3x2xbf16>) -> (tensor<2x3x2xbf16>, tensor<2x2xbf16>)
  %first = stablehlo.slice %1#0 [0:2, 0:1, 0:1] : (tensor<2x3x2xbf16>) -> tensor<2x1x1xbf16>
  check.expect_eq_const %first, dense<[[[-5.0]], [[-3.0]]]> : tensor<2x1x1xbf16>
  return
}

// Rows are exchanged 0 with 1, then 1 with 2: the permutation is [1, 2, 0], and what is left is the identity. Of the second matrix all
// stay, 2 = 4 / 2.
func.func private @lu() {
  %x = stablehlo.constant dense<[[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[4.0, 1.0, 1.0], [2.0, 3.0, 0.0], [0.0, 0.0, 1.0]]]> : tensor<2x3x3xf32>
  %0 = stablehlo.custom_call @LuDecomposition(%x) {backend_config = ""} : (tensor<2x3x3xf32>) -> tuple<tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2x3xi32>>
  %lu = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2x3xi32>>) -> tensor<2x3x3xf32>
  %pivots = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2x3xi32>>) -> tensor<2x3xi32>
  %permutation = stablehlo.get_tuple_element %0[2] : (tuple<tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<2x3xi32>>) -> tensor<2x3xi32>
  check.expect_eq_const %lu, dense<[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [[4.0, 1.0, 1.0], [0.5, 2.5, -0.5], [0.0, 0.0, 1.0]]]> : tensor<2x3x3xf32>
  check.expect_eq_const %pivots, dense<[[1, 2, 2], [0, 1, 2]]> : tensor<2x3xi32>
  check.expect_eq_const %permutation, dense<[[1, 2, 0], [0, 1, 2]]> : tensor<2x3xi32>
  // More rows than columns: all rows have a place.
  %tall = stablehlo.constant dense<[[1.0], [2.0], [4.0]]> : tensor<3x1xf32>
  %1:3 = stablehlo.custom_call @LuDecomposition(%tall) : (tensor<3x1xf32>) -> (tensor<3x1xf32>, tensor<1xi32>, tensor<3xi32>)
  check.expect_eq_const %1#0, dense<[[4.0], [0.5], [0.25]]> : tensor<3x1xf32>
  check.expect_eq_const %1#1, dense<2> : tensor<1xi32>
  check.expect_eq_const %1#2, dense<[2, 1, 0]> : tensor<3xi32>
  return
}

func.func private @cholesky() {
  %x = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %0 = stablehlo.custom_call @Cholesky(%x) {backend_config = ""} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %row = stablehlo.slice %0 [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  check.expect_eq_const %row, dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  return
}

func.func private @larger(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @smaller(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func private @top_k() {
  %x = stablehlo.constant dense<[[3.0, 1.0, 4.0], [1.0, 5.0, 1.0]]> : tensor<2x3xf32>
  %0 = stablehlo.custom_call @TopK(%x) {called_computations = [@larger]} : (tensor<2x3xf32>) -> tuple<tensor<2x2xf32>, tensor<2x2xi32>>
  %values = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2x2xf32>, tensor<2x2xi32>>) -> tensor<2x2xf32>
  %places = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x2xf32>, tensor<2x2xi32>>) -> tensor<2x2xi32>
  check.expect_eq_const %values, dense<[[4.0, 3.0], [5.0, 1.0]]> : tensor<2x2xf32>
  check.expect_eq_const %places, dense<[[2, 0], [1, 0]]> : tensor<2x2xi32>
  %1:2 = stablehlo.custom_call @TopK(%x) {called_computations = [@smaller]} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xi32>)
  check.expect_eq_const %1#0, dense<[[1.0], [1.0]]> : tensor<2x1xf32>
  check.expect_eq_const %1#1, dense<[[1], [0]]> : tensor<2x1xi32>
  %2:2 = stablehlo.custom_call @TopK(%x) : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
  check.expect_eq_const %2#0, dense<[[4.0], [5.0]]> : tensor<2x1xf32>
  check.expect_eq_const %2#1, dense<[[2], [1]]> : tensor<2x1xi64>
  return
}
