// RUN: mapwright run %s
// RUN: mapwright run %s --interpret

// The length of the largest number of both parts is beyond them, its logarithm is not; that of the least has one bit. log |z| = log |x| + log(2) / 2.
func.func @main() {
  %x = stablehlo.constant dense<[(0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF), (0x0000000000000001, 0x0000000000000001), (1.0e-305, 0.0), (0.0, 0.0)]> : tensor<4xcomplex<f64>>
  %log = stablehlo.log %x : tensor<4xcomplex<f64>>
  %expected = stablehlo.constant dense<[(710.129286483663987, -0.785398163397448310), (-744.093498311101496, 0.785398163397448310), (-702.288453363184260, 0.0), (0xFFF0000000000000, 0.0)]> : tensor<4xcomplex<f64>>
  check.expect_almost_eq %log, %expected : tensor<4xcomplex<f64>>
  %y = stablehlo.constant dense<[(0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF), (0xFFEFFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF)]> : tensor<2xcomplex<f64>>
  %log_plus_one = stablehlo.log_plus_one %y : tensor<2xcomplex<f64>>
  %beyond = stablehlo.constant dense<[(710.129286483663987, -0.785398163397448310), (710.129286483663987, 2.356194490192344929)]> : tensor<2xcomplex<f64>>
  check.expect_almost_eq %log_plus_one, %beyond : tensor<2xcomplex<f64>>
  return
}
