// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-legalize-chlo)' | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-legalize-chlo{keep=erf;top_k})' | FileCheck %s --check-prefix=KEEP
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-legalize-chlo)' -o %t.mlir
// RUN: mapwright run %t.mlir --entry main
// RUN: mapwright run %s --entry main

// Functions of real values are computed in double precision, and rounded to their type.

// CHECK-LABEL: func.func @asinh
// CHECK-NOT: chlo.
// CHECK: stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xf64>
// CHECK: stablehlo.log_plus_one
// CHECK: stablehlo.convert %{{.*}} : (tensor<4xf64>) -> tensor<4xf32>
func.func @asinh(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.asinh %arg0 : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @erf
// CHECK-NOT: chlo.
// CHECK-NOT: f64
// CHECK: return
// KEEP-LABEL: func.func @erf
// KEEP: chlo.erf
func.func @erf(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Constants of a shape that is known at run time are broadcast to it.

// CHECK-LABEL: func.func @run_time_shape
// CHECK: %[[SIZE:.*]] = stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: stablehlo.dynamic_broadcast_in_dim
func.func @run_time_shape(%arg0: tensor<?xf64>) -> tensor<?xf64> {
  %0 = chlo.acosh %arg0 : tensor<?xf64> -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// CHECK-LABEL: func.func @broadcast
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: stablehlo.maximum %arg0, %[[B]] : tensor<2x3xf32>
func.func @broadcast(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = chlo.broadcast_maximum %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// The values and positions that a stable descending sort puts first.

// CHECK-LABEL: func.func @top_k
// CHECK: stablehlo.iota dim = 1
// CHECK: "stablehlo.sort"
// CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}}, TOTALORDER
// CHECK: stablehlo.slice %{{.*}} [0:2, 0:3]
// KEEP-LABEL: func.func @top_k
// KEEP: chlo.top_k
func.func @top_k(%arg0: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = chlo.top_k(%arg0, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}

// What the operations compute, against exact values: mpmath's, rounded, of which four units in the last place are allowed.

func.func @main() {
  %lgamma_x = stablehlo.constant dense<[0x3FE0000000000000, 0x3FF000001AD7F29B, 0x4004000000000000, 0x4059100000000000, 0xC003A80000000000, 0xC00FA40000000000]> : tensor<6xf64>
  %lgamma_y = stablehlo.constant dense<[0x3FE250D048E7A1BD, 0xBE6EFD30C8E518B9, 0x3FD2383E809A67E8, 0x4076848D8E681F58, 0xBEE4B26A83D5165D, 0xBF724D3FF12FAA23]> : tensor<6xf64>
  %lgamma = chlo.lgamma %lgamma_x : tensor<6xf64> -> tensor<6xf64>
  check.expect_close %lgamma, %lgamma_y, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  %digamma_x = stablehlo.constant dense<[0x3FD0000000000000, 0x3FF762D860000000, 0x4029000000000000, 0xBFE0218000000000, 0xC012A00000000000, 0x403E000000000000]> : tensor<6xf64>
  %digamma_y = stablehlo.constant dense<[0xC010E8E9943CD7C3, 0xBE49D8E3CE338B8C, 0x4003E1AE41F318EC, 0xBF0DBFE266FC99D5, 0xBFA32C98ADEFDABF, 0x400B13544CB9C1D2]> : tensor<6xf64>
  %digamma = chlo.digamma %digamma_x : tensor<6xf64> -> tensor<6xf64>
  check.expect_close %digamma, %digamma_y, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  %erf_x = stablehlo.constant dense<[0x3FC0000000000000, 0xBFE8000000000000, 0x3FF8000000000000, 0x4008000000000000, 0xC002000000000000, 0x3F50000000000000]> : tensor<6xf64>
  %erf_y = stablehlo.constant dense<[0x3FC1F5E1A35C3B89, 0xBFE6C1C9759D0E5F, 0x3FEEEA5557137AE0, 0x3FEFFFD1AC4135F9, 0xBFEFF404760319B4, 0x3F520DD6EFF8CB8F]> : tensor<6xf64>
  %erf = chlo.erf %erf_x : tensor<6xf64> -> tensor<6xf64>
  check.expect_close %erf, %erf_y, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  %erfc_x = stablehlo.constant dense<[0x3FC0000000000000, 0xBFE8000000000000, 0x3FF8000000000000, 0x4022000000000000, 0x4034000000000000, 0x3F50000000000000]> : tensor<6xf64>
  %erfc_y = stablehlo.constant dense<[0x3FEB82879728F11E, 0x3FFB60E4BACE8730, 0x3FA15AAA8EC85205, 0x386198D422BE3F8C, 0x1B8B54F244DF93DF, 0x3FEFF6F91488039A]> : tensor<6xf64>
  %erfc = chlo.erfc %erfc_x : tensor<6xf64> -> tensor<6xf64>
  check.expect_close %erfc, %erfc_y, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  %erf_inv_x = stablehlo.constant dense<[0x3FC0000000000000, 0xBFE8000000000000, 0x3FEFF80000000000, 0xBFE0000000000000, 0x3F50000000000000, 0x3FD0000000000000]> : tensor<6xf64>
  %erf_inv_y = stablehlo.constant dense<[0x3FBC79ED33D00AB0, 0xBFEA07890F6B2BA1, 0x4002A6D8937B12D6, 0xBFDE861FBB24C00A, 0x3F4C5BF9087F724C, 0x3FCCD70681D5FF70]> : tensor<6xf64>
  %erf_inv = chlo.erf_inv %erf_inv_x : tensor<6xf64> -> tensor<6xf64>
  check.expect_close %erf_inv, %erf_inv_y, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  %bessel_i1e_x = stablehlo.constant dense<[0x3FC0000000000000, 0xBFE8000000000000, 0x400C000000000000, 0x401F000000000000, 0x4049000000000000, 0xBFF8000000000000]> : tensor<6xf64>
  %bessel_i1e_y = stablehlo.constant dense<[0x3FAC4B8B34A5B2C4, 0xBFC84E3E4313B4F7, 0x3FC7FCB8F164007D, 0x3FC16A1F58B7064A, 0x3FACAB2177D77B38, 0xBFCC097B8EC11EB5]> : tensor<6xf64>
  %bessel_i1e = chlo.bessel_i1e %bessel_i1e_x : tensor<6xf64> -> tensor<6xf64>
  check.expect_close %bessel_i1e, %bessel_i1e_y, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  %asinh_x = stablehlo.constant dense<[0x3FC0000000000000, 0xBFE8000000000000, 0x400C000000000000, 0x3E112E0BE826D695, 0x6974E718D7D7625A, 0xBFF8000000000000]> : tensor<6xf64>
  %asinh_y = stablehlo.constant dense<[0x3FBFEAD0B6996973, 0xBFE62E42FEFA39EF, 0x3FFF73974F2D01D6, 0x3E112E0BE826D695, 0x407CD35CD6CAD20F, 0xBFF31DC0090B63D8]> : tensor<6xf64>
  %asinh = chlo.asinh %asinh_x : tensor<6xf64> -> tensor<6xf64>
  check.expect_close %asinh, %asinh_y, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  %atanh_x = stablehlo.constant dense<[0x3FC0000000000000, 0xBFE8000000000000, 0x3FE0000000000000, 0x3E112E0BE826D695, 0x3FEFF80000000000, 0xBFD0000000000000]> : tensor<6xf64>
  %atanh_y = stablehlo.constant dense<[0x3FC015891C9EAEF7, 0xBFEF2272AE325A57, 0x3FE193EA7AAD030B, 0x3E112E0BE826D695, 0x400E7F1C169764EE, 0xBFD058AEFA811452]> : tensor<6xf64>
  %atanh = chlo.atanh %atanh_x : tensor<6xf64> -> tensor<6xf64>
  check.expect_close %atanh, %atanh_y, max_ulp_difference = 4 : tensor<6xf64>, tensor<6xf64>
  %zeta_x = stablehlo.constant dense<[0x3FF8000000000000, 0x4008000000000000, 0x403E000000000000, 0x4000000000000000]> : tensor<4xf64>
  %zeta_q = stablehlo.constant dense<[0x3FE0000000000000, 0x4002000000000000, 0x4059200000000000, 0xC00C000000000000]> : tensor<4xf64>
  %zeta_y = stablehlo.constant dense<[0x40131B2CC3836765, 0x3FC37079A28D7331, 0x339615A4E8B6C1FC, 0x40233DE3E42FC784]> : tensor<4xf64>
  %zeta = chlo.zeta %zeta_x, %zeta_q : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  check.expect_close %zeta, %zeta_y, max_ulp_difference = 4 : tensor<4xf64>, tensor<4xf64>
  %polygamma_x = stablehlo.constant dense<[0x3FF0000000000000, 0x4008000000000000, 0x401C000000000000, 0x4000000000000000]> : tensor<4xf64>
  %polygamma_q = stablehlo.constant dense<[0x3FE0000000000000, 0x4002000000000000, 0x4034800000000000, 0xC00A000000000000]> : tensor<4xf64>
  %polygamma_y = stablehlo.constant dense<[0x4013BD3CC9BE45DE, 0x3FD4C5543C64EBAD, 0x3EA2C3D5FB24003B, 0x405EFD222D7BC621]> : tensor<4xf64>
  %polygamma = chlo.polygamma %polygamma_x, %polygamma_q : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  check.expect_close %polygamma, %polygamma_y, max_ulp_difference = 4 : tensor<4xf64>, tensor<4xf64>
  // Near i and -i, and the same for the inverse hyperbolic tangent near 1 and -1.
  %atan_z = stablehlo.constant dense<[(0x3EA3AE524E530BBC, 0x3FF000017DD57982), (0xBFF4000000000000, 0x3FE0000000000000), (0x3EB0000000000000, 0xBFF000001AD7F29B), (0x3FE0000000000000, 0x4008000000000000)]> : tensor<4xcomplex<f64>>
  %atan_w = stablehlo.constant dense<[(0x3FF601008473D201, 0x401C27D158186D80), (0xBFEE29135B6302EE, 0x3FC7CB64295B67EC), (0x3FEACDEAA78C7E4C, 0xC01D19EB4BA4703F), (0x3FF82AF1C986C686, 0x3FD57572CA5BA6E2)]> : tensor<4xcomplex<f64>>
  %atan_c = chlo.atan %atan_z : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_close %atan_c, %atan_w, max_ulp_difference = 4 : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>
  %atanh_z = stablehlo.constant dense<[(0xBFF000017DD57982, 0x3EA3AE524E530BBC), (0xBFE0000000000000, 0xBFF4000000000000), (0x3FF000001AD7F29B, 0x3EB0000000000000), (0xC008000000000000, 0x3FE0000000000000)]> : tensor<4xcomplex<f64>>
  %atanh_w = stablehlo.constant dense<[(0xC01C27D158186D80, 0x3FF601008473D201), (0xBFC7CB64295B67EC, 0xBFEE29135B6302EE), (0x401D19EB4BA4703F, 0x3FEACDEAA78C7E4C), (0xBFD57572CA5BA6E2, 0x3FF82AF1C986C686)]> : tensor<4xcomplex<f64>>
  %atanh_c = chlo.atanh %atanh_z : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  check.expect_close %atanh_c, %atanh_w, max_ulp_difference = 4 : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>
  %a = stablehlo.constant dense<[3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]> : tensor<8xf32>
  %values, %indices = chlo.top_k(%a, k = 3) : tensor<8xf32> -> (tensor<3xf32>, tensor<3xi32>)
  check.expect_eq_const %values, dense<[9.0, 6.0, 5.0]> : tensor<3xf32>
  check.expect_eq_const %indices, dense<[5, 7, 4]> : tensor<3xi32>
  %b = stablehlo.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %up = stablehlo.constant dense<[1.0, 2.0, -1.0]> : tensor<3xf32>
  %next = chlo.next_after %b, %up : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  check.expect_eq_const %next, dense<[0x00000001, 0x3F800001, 0x3FFFFFFF]> : tensor<3xf32>
  return
}
