// RUN: mapwright-opt %s --indexing-normalize | FileCheck %s
// RUN: mapwright run %s

// Vectors that nobody reads are not computed: `eigvalsh`, the singular values of `svd`, eigenvalues and one side of the eigenvectors. What chooses
// between a result and NaN counts as nobody where nobody reads the choice.

// CHECK-LABEL: func.func @main
// CHECK: lapack_dsyevd_ffi
// CHECK-SAME: mode = 78 : ui8, uplo = 76 : ui8
// CHECK: lapack_dgesdd_ffi
// CHECK-SAME: mode = 78 : ui8
// CHECK: lapack_dgeev_ffi
// CHECK-SAME: compute_left = 78 : ui8, compute_right = 86 : ui8
// CHECK: lapack_dgees_ffi
// CHECK-SAME: mode = 86 : ui8
func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 1.0], [1.0, 2.0]]> : tensor<2x2xf64>
  %vectors, %values, %info = stablehlo.custom_call @lapack_dsyevd_ffi(%a) {
    backend_config = "", mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<i32>)
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %nan = stablehlo.constant dense<0x7FF8000000000000> : tensor<2x2xf64>
  %found = stablehlo.compare EQ, %info, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %chosen = stablehlo.select %found, %vectors, %nan : tensor<i1>, tensor<2x2xf64>
  check.expect_almost_eq_const %values, dense<[1.0, 3.0]> : tensor<2xf64>

  %rest, %s, %u, %vt, %i = stablehlo.custom_call @lapack_dgesdd_ffi(%a) {
    backend_config = "", mhlo.backend_config = {mode = 83 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<i32>)
  check.expect_almost_eq_const %s, dense<[3.0, 1.0]> : tensor<2xf64>

  %re, %im, %left, %right, %j = stablehlo.custom_call @lapack_dgeev_ffi(%a) {
    backend_config = "", mhlo.backend_config = {compute_left = 86 : ui8, compute_right = 86 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %im, dense<0.0> : tensor<2xf64>
  %squares = stablehlo.multiply %right, %right : tensor<2x2xcomplex<f64>>
  check.expect_almost_eq_const %squares, dense<(0.5, 0.0)> : tensor<2x2xcomplex<f64>>

  // The vectors of a Schur form that is diagonal already.
  %b = stablehlo.constant dense<[[1.0, 0.0], [0.0, 3.0]]> : tensor<2x2xf64>
  %t, %z, %wr, %wi, %selected, %k = stablehlo.custom_call @lapack_dgees_ffi(%b) {
    backend_config = "", mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i32>, tensor<i32>)
  check.expect_almost_eq_const %t, dense<[[1.0, 0.0], [0.0, 3.0]]> : tensor<2x2xf64>
  check.expect_almost_eq_const %z, dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  return
}
