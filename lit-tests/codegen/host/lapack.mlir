// RUN: split-file %s %t
// RUN: mapwright run %t/cholesky.mlir
// RUN: mapwright run %t/cholesky.mlir --interpret
// RUN: mapwright run %t/lu.mlir
// RUN: mapwright run %t/lu.mlir --interpret
// RUN: mapwright run %t/qr.mlir
// RUN: mapwright run %t/qr.mlir --interpret
// RUN: mapwright run %t/spectra.mlir
// RUN: mapwright run %t/square.mlir
// RUN: mapwright run %t/tridiagonal.mlir
// RUN: mapwright run %t/tridiagonal.mlir --interpret
// RUN: mapwright run %t/lu.mlir --bounds-checks
// RUN: mapwright run %t/rows.mlir
// RUN: mapwright run %t/rows.mlir --interpret
// RUN: not mapwright compile %t/open.mlir -o %t/open.o 2>&1 | FileCheck %t/open.mlir --check-prefix=OPEN
// RUN: not mapwright run %t/option.mlir 2>&1 | FileCheck %t/option.mlir --check-prefix=OPTION
// RUN: not mapwright run %t/unknown.mlir 2>&1 | FileCheck %t/unknown.mlir --check-prefix=UNKNOWN

// The calls of LAPACK that JAX makes when it lowers for CPUs.

//--- cholesky.mlir
// Two matrices: one with a factor, one without. The other triangle stays what it was.
func.func @main() {
  %a = stablehlo.constant dense<[[[4.0, 9.0], [2.0, 10.0]], [[1.0, 8.0], [2.0, 1.0]]]> : tensor<2x2x2xf32>
  %factor, %info = stablehlo.custom_call @lapack_spotrf_ffi(%a) {
    backend_config = "", mhlo.backend_config = {uplo = 76 : ui8},
    operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>],
    result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]
  } : (tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2xi32>)
  // The leading minor of two rows is not positive: 1 - 2 * 2.
  check.expect_eq_const %info, dense<[0, 2]> : tensor<2xi32>
  %first = stablehlo.slice %factor [0:1, 0:2, 0:2] : (tensor<2x2x2xf32>) -> tensor<1x2x2xf32>
  %l = stablehlo.reshape %first : (tensor<1x2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %l, dense<[[2.0, 9.0], [1.0, 3.0]]> : tensor<2x2xf32>

  // x l^T = b, with the adjoint of the lower triangle on the right.
  %b = stablehlo.constant dense<[[2.0, 7.0]]> : tensor<1x2xf32>
  %x = stablehlo.custom_call @lapack_strsm_ffi(%l, %b) {
    backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>]
  } : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  check.expect_almost_eq_const %x, dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  // l y = c, with ones on the diagonal.
  %c = stablehlo.constant dense<[[2.0], [7.0]]> : tensor<2x1xf32>
  %y = stablehlo.custom_call @lapack_strsm_ffi(%l, %c) {
    backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>]
  } : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_almost_eq_const %y, dense<[[2.0], [5.0]]> : tensor<2x1xf32>

  %h = stablehlo.constant dense<[[(4.0, 0.0), (2.0, 2.0)], [(9.0, 9.0), (11.0, 0.0)]]> : tensor<2x2xcomplex<f64>>
  %u, %i = stablehlo.custom_call @lapack_zpotrf_ffi(%h) {
    backend_config = "", mhlo.backend_config = {uplo = 85 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xcomplex<f64>>) -> (tensor<2x2xcomplex<f64>>, tensor<i32>)
  check.expect_eq_const %i, dense<0> : tensor<i32>
  check.expect_almost_eq_const %u, dense<[[(2.0, 0.0), (1.0, 1.0)], [(9.0, 9.0), (3.0, 0.0)]]> : tensor<2x2xcomplex<f64>>
  return
}

//--- lu.mlir
func.func @main() {
  %a = stablehlo.constant dense<[[[2.0, 1.0, 6.0], [4.0, 4.0, 8.0]], [[0.0, 0.0, 5.0], [0.0, 0.0, 7.0]]]> : tensor<2x2x3xf64>
  %factors, %pivots, %info = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {
    backend_config = "", mhlo.backend_config = {},
    operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>],
    result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]
  } : (tensor<2x2x3xf64>) -> (tensor<2x2x3xf64>, tensor<2x2xi32>, tensor<2xi32>)
  check.expect_eq_const %factors, dense<[[[4.0, 4.0, 8.0], [0.5, -1.0, 2.0]], [[0.0, 0.0, 5.0], [0.0, 0.0, 7.0]]]> : tensor<2x2x3xf64>
  check.expect_eq_const %pivots, dense<[[2, 2], [1, 2]]> : tensor<2x2xi32>
  check.expect_eq_const %info, dense<[0, 1]> : tensor<2xi32>

  // Of complex numbers the pivot is the one with the largest sum of both parts.
  %b = stablehlo.constant dense<[[(0.0, 5.0), (1.0, 0.0)], [(3.0, 3.0), (0.0, 6.0)]]> : tensor<2x2xcomplex<f32>>
  %f, %p, %i = stablehlo.custom_call @lapack_cgetrf_ffi(%b) {
    backend_config = "", mhlo.backend_config = {},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xcomplex<f32>>) -> (tensor<2x2xcomplex<f32>>, tensor<2xi32>, tensor<i32>)
  check.expect_eq_const %p, dense<[2, 2]> : tensor<2xi32>
  %fives = stablehlo.constant dense<(6.0, 0.0)> : tensor<2x2xcomplex<f32>>
  %scaled = stablehlo.multiply %f, %fives : tensor<2x2xcomplex<f32>>
  check.expect_almost_eq_const %scaled, dense<[[(18.0, 18.0), (0.0, 36.0)], [(5.0, 5.0), (36.0, -30.0)]]> : tensor<2x2xcomplex<f32>>
  return
}

//--- qr.mlir
func.func @main() {
  %a = stablehlo.constant dense<[[3.0, 5.0], [4.0, 10.0]]> : tensor<2x2xf32>
  %r, %taus = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {
    backend_config = "", mhlo.backend_config = {},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]
  } : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %r, dense<[[-5.0, -11.0], [0.5, 2.0]]> : tensor<2x2xf32>
  check.expect_almost_eq_const %taus, dense<[1.6, 0.0]> : tensor<2xf32>
  %q = stablehlo.custom_call @lapack_sorgqr_ffi(%r, %taus) {
    backend_config = "", mhlo.backend_config = {},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>]
  } : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %q, dense<[[-0.6, -0.8], [-0.8, 0.6]]> : tensor<2x2xf32>
  // Q^T times the second column of the matrix is that of R; a row times Q.
  %b = stablehlo.constant dense<[[5.0], [10.0]]> : tensor<2x1xf32>
  %c = stablehlo.custom_call @lapack_sormqr_ffi(%r, %taus, %b) {
    backend_config = "", mhlo.backend_config = {left = true, transpose = true},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>]
  } : (tensor<2x2xf32>, tensor<2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_almost_eq_const %c, dense<[[-11.0], [2.0]]> : tensor<2x1xf32>
  %row = stablehlo.constant dense<[[1.0, 2.0], [0.0, 10.0]]> : tensor<2x2xf32>
  %d = stablehlo.custom_call @lapack_sormqr_ffi(%r, %taus, %row) {
    backend_config = "", mhlo.backend_config = {left = false, transpose = false},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>]
  } : (tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %d, dense<[[-2.2, 0.4], [-8.0, 6.0]]> : tensor<2x2xf32>
  return
}

//--- spectra.mlir
func.func @main() {
  %a = stablehlo.constant dense<[[2.0, 99.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %v, %w, %info = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {
    backend_config = "", mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>)
  check.expect_almost_eq_const %w, dense<[1.0, 3.0]> : tensor<2xf32>
  check.expect_eq_const %info, dense<0> : tensor<i32>
  // Vectors have a length of one; their sign is open.
  %square = stablehlo.multiply %v, %v : tensor<2x2xf32>
  check.expect_almost_eq_const %square, dense<0.5> : tensor<2x2xf32>

  %b = stablehlo.constant dense<[[3.0, 0.0, 0.0], [0.0, 0.0, -4.0]]> : tensor<2x3xf64>
  %rest, %s, %u, %vt, %i = stablehlo.custom_call @lapack_dgesdd_ffi(%b) {
    backend_config = "", mhlo.backend_config = {mode = 65 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>,
                      dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x3xf64>, tensor<i32>)
  check.expect_almost_eq_const %s, dense<[4.0, 3.0]> : tensor<2xf64>
  %squares = stablehlo.multiply %vt, %vt : tensor<3x3xf64>
  check.expect_almost_eq_const %squares, dense<[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]> : tensor<3x3xf64>
  return
}

//--- square.mlir
// Not symmetric: [[0, -4], [1, 0]] has the eigenvalues 2i and -2i, and the pair as a block that is turned already but for its sizes.
func.func @main() {
  %a = stablehlo.constant dense<[[0.0, -4.0], [1.0, 0.0]]> : tensor<2x2xf64>
  %re, %im, %left, %right, %info = stablehlo.custom_call @lapack_dgeev_ffi(%a) {
    backend_config = "", mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %re, dense<0.0> : tensor<2xf64>
  check.expect_almost_eq_const %im, dense<[2.0, -2.0]> : tensor<2xf64>
  check.expect_eq_const %info, dense<0> : tensor<i32>
  // (2i, 1) / sqrt 5, turned so that the larger element is real; its sign is open.
  %squares = stablehlo.multiply %right, %right : tensor<2x2xcomplex<f64>>
  check.expect_almost_eq_const %squares, dense<[[(0.8, 0.0), (0.8, 0.0)], [(-0.2, 0.0), (-0.2, 0.0)]]> : tensor<2x2xcomplex<f64>>

  %t, %z, %wr, %wi, %selected, %i = stablehlo.custom_call @lapack_dgees_ffi(%a) {
    backend_config = "", mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i32>, tensor<i32>)
  check.expect_almost_eq_const %wi, dense<[2.0, -2.0]> : tensor<2xf64>
  check.expect_eq_const %selected, dense<0> : tensor<i32>
  %turned = stablehlo.dot_general %z, %t, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %back = stablehlo.dot_general %turned, %z, contracting_dims = [1] x [1] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %back, dense<[[0.0, -4.0], [1.0, 0.0]]> : tensor<2x2xf64>

  // (3, 4) is reflected to (-5, 0).
  %b = stablehlo.constant dense<[[1.0, 0.0, 0.0], [3.0, 2.0, 0.0], [4.0, 0.0, 2.0]]> : tensor<3x3xf64>
  %h, %tau, %j = stablehlo.custom_call @lapack_dgehrd_ffi(%b) {
    backend_config = "", mhlo.backend_config = {high = 3 : i32, low = 1 : i32},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]
  } : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<2xf64>, tensor<i32>)
  check.expect_almost_eq_const %h, dense<[[1.0, 0.0, 0.0], [-5.0, 2.0, 0.0], [0.5, 0.0, 2.0]]> : tensor<3x3xf64>
  check.expect_almost_eq_const %tau, dense<[1.6, 0.0]> : tensor<2xf64>
  %c = stablehlo.constant dense<[[1.0, 9.0, 9.0], [3.0, 2.0, 9.0], [4.0, 0.0, 2.0]]> : tensor<3x3xf64>
  %f, %d, %e, %s, %k = stablehlo.custom_call @lapack_dsytrd_ffi(%c) {
    backend_config = "", mhlo.backend_config = {uplo = 76 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]
  } : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<i32>)
  check.expect_almost_eq_const %d, dense<[1.0, 2.0, 2.0]> : tensor<3xf64>
  check.expect_almost_eq_const %e, dense<[-5.0, 0.0]> : tensor<2xf64>
  check.expect_almost_eq_const %f, dense<[[1.0, 9.0, 9.0], [-5.0, 2.0, 9.0], [0.5, 0.0, 2.0]]> : tensor<3x3xf64>
  return
}

//--- tridiagonal.mlir
// [[1, 2, 0], [4, 1, 2], [0, 1, 3]] x = b; the first below and the last above do not count.
func.func @main() {
  %below = stablehlo.constant dense<[77.0, 4.0, 1.0]> : tensor<3xf64>
  %on = stablehlo.constant dense<[1.0, 1.0, 3.0]> : tensor<3xf64>
  %above = stablehlo.constant dense<[2.0, 2.0, 77.0]> : tensor<3xf64>
  %b = stablehlo.constant dense<[[5.0], [12.0], [11.0]]> : tensor<3x1xf64>
  %0:5 = stablehlo.custom_call @lapack_dgtsv_ffi(%below, %on, %above, %b) {
    backend_config = "", mhlo.backend_config = {},
    operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
  } : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>, tensor<i32>)
  check.expect_almost_eq_const %0#3, dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf64>
  check.expect_eq_const %0#4, dense<0> : tensor<i32>
  %1 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%below, %on, %above, %b) {
    backend_config = "", mhlo.backend_config = {},
    operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>]
  } : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  check.expect_almost_eq_const %1, dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf64>
  // [[1, 2], [2, 4]] is singular: its last pivot becomes 2^-52 times its largest element, 4.
  %low = stablehlo.constant dense<[0.0, 2.0]> : tensor<2xf64>
  %middle = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf64>
  %high = stablehlo.constant dense<[2.0, 0.0]> : tensor<2xf64>
  %c = stablehlo.constant dense<[[1.0], [0.0]]> : tensor<2x1xf64>
  %2 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%low, %middle, %high, %c) {
    backend_config = "", mhlo.backend_config = {},
    operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>]
  } : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  // Pivoting takes (2, 4) first; what is left of the other row is 1.
  check.expect_almost_eq_const %2, dense<[[-2251799813685248.0], [1125899906842624.0]]> : tensor<2x1xf64>
  return
}

//--- rows.mlir
// A call that states no layouts hands over its operands by rows. The function reads that memory by columns, as [[1, 3, 5], [2, 4, 6]], and what it
// writes by columns, [[2, 4, 6], [0.5, 1, 2]], is read by rows. So is the factor [[2, *], [1, 2]] of [[4, 2], [2, 5]], whose other part stays what it was.
func.func @main() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %0:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {backend_config = "", mhlo.backend_config = {}} : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2xi32>, tensor<i32>)
  check.expect_almost_eq_const %0#0, dense<[[2.0, 0.5, 4.0], [1.0, 6.0, 2.0]]> : tensor<2x3xf64>
  check.expect_eq_const %0#1, dense<[2, 2]> : tensor<2xi32>
  %b = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %1:2 = stablehlo.custom_call @lapack_spotrf_ffi(%b) {
    backend_config = "", mhlo.backend_config = {uplo = 76 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>]
  } : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  check.expect_almost_eq_const %1#0, dense<[[2.0, 1.0], [2.0, 2.0]]> : tensor<2x2xf32>
  return
}

//--- open.mlir
func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // OPEN: open.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: 'stablehlo.custom_call' op has tensors in other layouts than by rows, which needs static shapes
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<i32>)
  return %0#0 : tensor<?x4xf32>
}

//--- option.mlir
func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // OPTION: option.mlir:[[# @LINE + 1]]:{{[0-9]+}}: error: 'stablehlo.custom_call' op has the option 'uplo' as 'M', expected one of LU
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {
    backend_config = "", mhlo.backend_config = {uplo = 77 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
  } : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
  return %0#0 : tensor<4x4xf32>
}

//--- unknown.mlir
func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // UNKNOWN: error: no custom call target is registered under the name "lapack_sgges_ffi", in 'stablehlo.custom_call' at loc("{{.*}}unknown.mlir":[[# @LINE + 1]]:{{[0-9]+}})
  %0 = stablehlo.custom_call @lapack_sgges_ffi(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
