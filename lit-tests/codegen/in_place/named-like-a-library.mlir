// RUN: not mapwright-opt %s --indexing-lower-in-place 2>&1 | FileCheck %s
// RUN: not mapwright-opt %s --indexing-legalize-to-linalg 2>&1 | FileCheck %s
// RUN: mapwright run %s --entry main | FileCheck %s --check-prefix=VALUE
// Kernels call the C library's @cos: one of the program's would be called in its place. In a module that is compiled as a whole no kernel sees it.
// CHECK: named-like-a-library.mlir:[[@LINE+1]]:1: error: 'func.func' op has the name of a library's function that generated code calls
func.func @cos(%t: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  return %zero : f64
}
// What calls it itself may do so.
func.func @sinh(%t: f64) -> f64 {
  %0 = func.call @cos(%t) : (f64) -> f64
  return %0 : f64
}
// VALUE: dense<(1.0,-0.0)> : tensor<complex<f64>>
func.func @main() -> tensor<complex<f64>> {
  %z = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f64>>
  %x = stablehlo.optimization_barrier %z : tensor<complex<f64>>
  %r = stablehlo.cosine %x : tensor<complex<f64>>
  return %r : tensor<complex<f64>>
}
