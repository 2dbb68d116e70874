// RUN: mapwright run %s
// RUN: mapwright run --specialize=off %s
// RUN: mapwright run --interpret %s

// Which sizes are known may differ between operands and result of functions that are made of others.
func.func @main() {
  %0 = stablehlo.constant dense<[0.25, 0.5, 0.75]> : tensor<3xf32>
  %x = stablehlo.optimization_barrier %0 : tensor<3xf32>
  %1 = stablehlo.constant dense<[2.0, 3.0, 4.0]> : tensor<3xf32>
  %y = stablehlo.optimization_barrier %1 : tensor<3xf32>
  %2 = stablehlo.convert %x : (tensor<3xf32>) -> tensor<?xf32>
  %u = stablehlo.optimization_barrier %2 : tensor<?xf32>
  %3 = stablehlo.convert %y : (tensor<3xf32>) -> tensor<?xf32>
  %v = stablehlo.optimization_barrier %3 : tensor<?xf32>
  %erf_inv_known = chlo.erf_inv %x : tensor<3xf32> -> tensor<3xf32>
  %erf_inv_to_open = chlo.erf_inv %x : tensor<3xf32> -> tensor<?xf32>
  %erf_inv_back = stablehlo.convert %erf_inv_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %erf_inv_back, %erf_inv_known : tensor<3xf32>
  %erf_inv_of_open = chlo.erf_inv %u : tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %erf_inv_of_open, %erf_inv_known : tensor<3xf32>
  %lgamma_known = chlo.lgamma %x : tensor<3xf32> -> tensor<3xf32>
  %lgamma_to_open = chlo.lgamma %x : tensor<3xf32> -> tensor<?xf32>
  %lgamma_back = stablehlo.convert %lgamma_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %lgamma_back, %lgamma_known : tensor<3xf32>
  %lgamma_of_open = chlo.lgamma %u : tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %lgamma_of_open, %lgamma_known : tensor<3xf32>
  %digamma_known = chlo.digamma %x : tensor<3xf32> -> tensor<3xf32>
  %digamma_to_open = chlo.digamma %x : tensor<3xf32> -> tensor<?xf32>
  %digamma_back = stablehlo.convert %digamma_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %digamma_back, %digamma_known : tensor<3xf32>
  %digamma_of_open = chlo.digamma %u : tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %digamma_of_open, %digamma_known : tensor<3xf32>
  %bessel_i1e_known = chlo.bessel_i1e %x : tensor<3xf32> -> tensor<3xf32>
  %bessel_i1e_to_open = chlo.bessel_i1e %x : tensor<3xf32> -> tensor<?xf32>
  %bessel_i1e_back = stablehlo.convert %bessel_i1e_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %bessel_i1e_back, %bessel_i1e_known : tensor<3xf32>
  %bessel_i1e_of_open = chlo.bessel_i1e %u : tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %bessel_i1e_of_open, %bessel_i1e_known : tensor<3xf32>
  %sinh_known = chlo.sinh %x : tensor<3xf32> -> tensor<3xf32>
  %sinh_to_open = chlo.sinh %x : tensor<3xf32> -> tensor<?xf32>
  %sinh_back = stablehlo.convert %sinh_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %sinh_back, %sinh_known : tensor<3xf32>
  %sinh_of_open = chlo.sinh %u : tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %sinh_of_open, %sinh_known : tensor<3xf32>
  %tan_known = chlo.tan %x : tensor<3xf32> -> tensor<3xf32>
  %tan_to_open = chlo.tan %x : tensor<3xf32> -> tensor<?xf32>
  %tan_back = stablehlo.convert %tan_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %tan_back, %tan_known : tensor<3xf32>
  %tan_of_open = chlo.tan %u : tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %tan_of_open, %tan_known : tensor<3xf32>
  %acos_known = chlo.acos %x : tensor<3xf32> -> tensor<3xf32>
  %acos_to_open = chlo.acos %x : tensor<3xf32> -> tensor<?xf32>
  %acos_back = stablehlo.convert %acos_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %acos_back, %acos_known : tensor<3xf32>
  %acos_of_open = chlo.acos %u : tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %acos_of_open, %acos_known : tensor<3xf32>
  %erfc_known = chlo.erfc %x : tensor<3xf32> -> tensor<3xf32>
  %erfc_to_open = chlo.erfc %x : tensor<3xf32> -> tensor<?xf32>
  %erfc_back = stablehlo.convert %erfc_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %erfc_back, %erfc_known : tensor<3xf32>
  %erfc_of_open = chlo.erfc %u : tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %erfc_of_open, %erfc_known : tensor<3xf32>
  %square_known = chlo.square %x : tensor<3xf32> -> tensor<3xf32>
  %square_to_open = chlo.square %x : tensor<3xf32> -> tensor<?xf32>
  %square_back = stablehlo.convert %square_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %square_back, %square_known : tensor<3xf32>
  %square_of_open = chlo.square %u : tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %square_of_open, %square_known : tensor<3xf32>
  %conj_known = chlo.conj %x : tensor<3xf32> -> tensor<3xf32>
  %conj_to_open = chlo.conj %x : tensor<3xf32> -> tensor<?xf32>
  %conj_back = stablehlo.convert %conj_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %conj_back, %conj_known : tensor<3xf32>
  %conj_of_open = chlo.conj %u : tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %conj_of_open, %conj_known : tensor<3xf32>
  %zeta_known = chlo.zeta %y, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %zeta_to_open = chlo.zeta %y, %x : tensor<3xf32>, tensor<3xf32> -> tensor<?xf32>
  %zeta_back = stablehlo.convert %zeta_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %zeta_back, %zeta_known : tensor<3xf32>
  %zeta_of_open = chlo.zeta %v, %u : tensor<?xf32>, tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %zeta_of_open, %zeta_known : tensor<3xf32>
  %polygamma_known = chlo.polygamma %y, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %polygamma_to_open = chlo.polygamma %y, %x : tensor<3xf32>, tensor<3xf32> -> tensor<?xf32>
  %polygamma_back = stablehlo.convert %polygamma_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %polygamma_back, %polygamma_known : tensor<3xf32>
  %polygamma_of_open = chlo.polygamma %v, %u : tensor<?xf32>, tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %polygamma_of_open, %polygamma_known : tensor<3xf32>
  %next_after_known = chlo.next_after %x, %y : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  %next_after_to_open = chlo.next_after %x, %y : tensor<3xf32>, tensor<3xf32> -> tensor<?xf32>
  %next_after_back = stablehlo.convert %next_after_to_open : (tensor<?xf32>) -> tensor<3xf32>
  check.expect_eq %next_after_back, %next_after_known : tensor<3xf32>
  %next_after_of_open = chlo.next_after %u, %v : tensor<?xf32>, tensor<?xf32> -> tensor<3xf32>
  check.expect_eq %next_after_of_open, %next_after_known : tensor<3xf32>
  return
}
