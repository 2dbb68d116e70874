// RUN: mapwright run %s
// RUN: mapwright run --interpret %s
// RUN: mapwright-opt %s --indexing-fuse | mapwright-opt -o /dev/null

// A region with results at several places is needed by what lies before its last member: a way from region to region may go forward in the
// block and back again. What both selections read must not become a result of the region of the second, which needs that of the first.
func.func @main() {
  %c = stablehlo.constant dense<[(-1.0, 2.0), (2.0, -3.0), (4.0, 0.5), (-2.0, -1.0), (0.5, 8.0)]> : tensor<5xcomplex<f64>>
  %x = stablehlo.optimization_barrier %c : tensor<5xcomplex<f64>>
  %zero = stablehlo.constant dense<0.0> : tensor<5xf64>
  %re = stablehlo.real %x : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
  %im = stablehlo.imag %x : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
  %less = stablehlo.compare LT, %re, %zero : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
  %first = stablehlo.select %less, %re, %im : tensor<5xi1>, tensor<5xf64>
  %0 = stablehlo.complex %re, %first : tensor<5xcomplex<f64>>
  %re2 = stablehlo.real %x : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
  %im2 = stablehlo.imag %x : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
  %size = stablehlo.abs %re2 : tensor<5xf64>
  %1 = stablehlo.complex %size, %im2 : tensor<5xcomplex<f64>>
  %2 = stablehlo.real %0 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
  %3 = stablehlo.divide %2, %size : tensor<5xf64>
  %4 = stablehlo.add %3, %3 : tensor<5xf64>
  %5 = stablehlo.complex %zero, %4 : tensor<5xcomplex<f64>>
  %6 = stablehlo.real %1 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
  %7 = stablehlo.imag %1 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
  %second = stablehlo.select %less, %zero, %7 : tensor<5xi1>, tensor<5xf64>
  %8 = stablehlo.add %second, %second : tensor<5xf64>
  %9 = stablehlo.add %8, %6 : tensor<5xf64>
  %10 = stablehlo.add %9, %9 : tensor<5xf64>
  %11 = stablehlo.complex %zero, %10 : tensor<5xcomplex<f64>>
  %12 = stablehlo.add %5, %11 : tensor<5xcomplex<f64>>
  check.expect_eq_const %12, dense<[(0.0, 0.0), (0.0, -6.0), (0.0, 12.0), (0.0, 2.0), (0.0, 35.0)]> : tensor<5xcomplex<f64>>
  return
}
