// RUN: mapwright run --threads 1 %s

// Complex numbers whose run-time size is known to be a number: their buffer is still that of a tensor of run-time size.
func.func @main() {
  %0 = stablehlo.constant dense<[[3.0, -4.0, -4.0], [1.0, -1.0, 4.0], [4.0, -4.0, 4.0], [1.0, 2.0, 3.0], [5.0, 6.0, 7.0]]> : tensor<5x3xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<5x3xf32>
  %2 = stablehlo.constant dense<3> : tensor<i32>
  %3 = stablehlo.set_dimension_size %1, %2, dim = 0 : (tensor<5x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<5, ?>>
  %4 = stablehlo.convert %3 : (tensor<?x3xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x3xcomplex<f32>, #stablehlo.bounds<5, ?>>
  %5 = stablehlo.constant dense<3> : tensor<2xi64>
  %6 = stablehlo.dynamic_reshape %4, %5 : (tensor<?x3xcomplex<f32>, #stablehlo.bounds<5, ?>>, tensor<2xi64>) -> tensor<3x3xcomplex<f32>>
  %7 = stablehlo.real %6 : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xf32>
  check.expect_eq_const %7, dense<[[3.0, -4.0, -4.0], [1.0, -1.0, 4.0], [4.0, -4.0, 4.0]]> : tensor<3x3xf32>
  return
}
