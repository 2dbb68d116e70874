// RUN: split-file %s %t
// RUN: mapwright-opt %t/functions.mlir --indexing-normalize | FileCheck %s
// RUN: cat %t/functions.mlir %t/main.mlir > %t/all.mlir
// RUN: mapwright run %t/all.mlir --specialize=off
// RUN: mapwright run %t/all.mlir --specialize=off --bounds-checks
// RUN: mapwright run %t/all.mlir --interpret

// Products of complex numbers are two of real ones with twice as many terms, whichever sizes are known at run time only. Where a size has a bound
// there is nothing behind it that could be joined.

//--- functions.mlir
// CHECK-LABEL: func.func @product
// CHECK: stablehlo.concatenate {{.*}} dim = 1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK-COUNT-2: stablehlo.dot_general {{.*}} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK: stablehlo.complex
func.func @product(%x: tensor<?x?xcomplex<f32>>, %y: tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>>
  return %r : tensor<?x?xcomplex<f32>>
}
// CHECK-LABEL: func.func @bounded
// CHECK: stablehlo.dot_general {{.*}}complex<f32>
func.func @bounded(%x: tensor<?x64xcomplex<f32>, #stablehlo.bounds<64, ?>>, %y: tensor<64x64xcomplex<f32>>) -> tensor<?x64xcomplex<f32>, #stablehlo.bounds<64, ?>> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x64xcomplex<f32>, #stablehlo.bounds<64, ?>>, tensor<64x64xcomplex<f32>>) -> tensor<?x64xcomplex<f32>, #stablehlo.bounds<64, ?>>
  return %r : tensor<?x64xcomplex<f32>, #stablehlo.bounds<64, ?>>
}
//--- main.mlir
func.func @main() {
  // Small whole numbers, so that sums are exact in every order.
  %i = stablehlo.iota dim = 0 : tensor<11x7xi32>
  %k = stablehlo.iota dim = 1 : tensor<11x7xi32>
  %three = stablehlo.constant dense<3> : tensor<11x7xi32>
  %five = stablehlo.constant dense<5> : tensor<11x7xi32>
  %0 = stablehlo.multiply %i, %three : tensor<11x7xi32>
  %1 = stablehlo.subtract %0, %k : tensor<11x7xi32>
  %2 = stablehlo.remainder %1, %five : tensor<11x7xi32>
  %3 = stablehlo.multiply %k, %three : tensor<11x7xi32>
  %4 = stablehlo.subtract %3, %i : tensor<11x7xi32>
  %5 = stablehlo.remainder %4, %five : tensor<11x7xi32>
  %a = stablehlo.convert %2 : (tensor<11x7xi32>) -> tensor<11x7xf32>
  %b = stablehlo.convert %5 : (tensor<11x7xi32>) -> tensor<11x7xf32>
  %z = stablehlo.complex %a, %b : tensor<11x7xcomplex<f32>>
  %zt = stablehlo.transpose %z, dims = [1, 0] : (tensor<11x7xcomplex<f32>>) -> tensor<7x11xcomplex<f32>>
  %from = stablehlo.constant dense<0> : tensor<2xi64>
  %by = stablehlo.constant dense<1> : tensor<2xi64>
  %rows = stablehlo.constant dense<[11, 7]> : tensor<2xi64>
  %columns = stablehlo.constant dense<[7, 11]> : tensor<2xi64>
  %r, %c = stablehlo.optimization_barrier %rows, %columns : tensor<2xi64>, tensor<2xi64>
  %x = stablehlo.real_dynamic_slice %z, %from, %r, %by : (tensor<11x7xcomplex<f32>>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xcomplex<f32>>
  %y = stablehlo.real_dynamic_slice %zt, %from, %c, %by : (tensor<7x11xcomplex<f32>>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xcomplex<f32>>
  %p = call @product(%x, %y) : (tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>>
  %p0 = tensor.cast %p : tensor<?x?xcomplex<f32>> to tensor<11x11xcomplex<f32>>
  %real = stablehlo.real %p0 : (tensor<11x11xcomplex<f32>>) -> tensor<11x11xf32>
  %imag = stablehlo.imag %p0 : (tensor<11x11xcomplex<f32>>) -> tensor<11x11xf32>

  // (a + b i) (c + d i) = (a c - b d) + (a d + b c) i, term by term.
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a0 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<11x7xf32>) -> tensor<11x11x7xf32>
  %b0 = stablehlo.broadcast_in_dim %b, dims = [0, 2] : (tensor<11x7xf32>) -> tensor<11x11x7xf32>
  %c0 = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<11x7xf32>) -> tensor<11x11x7xf32>
  %d0 = stablehlo.broadcast_in_dim %b, dims = [1, 2] : (tensor<11x7xf32>) -> tensor<11x11x7xf32>
  %ac = stablehlo.multiply %a0, %c0 : tensor<11x11x7xf32>
  %bd = stablehlo.multiply %b0, %d0 : tensor<11x11x7xf32>
  %ad = stablehlo.multiply %a0, %d0 : tensor<11x11x7xf32>
  %bc = stablehlo.multiply %b0, %c0 : tensor<11x11x7xf32>
  %re = stablehlo.subtract %ac, %bd : tensor<11x11x7xf32>
  %im = stablehlo.add %ad, %bc : tensor<11x11x7xf32>
  %6 = stablehlo.reduce(%re init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<11x11x7xf32>, tensor<f32>) -> tensor<11x11xf32>
  %7 = stablehlo.reduce(%im init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<11x11x7xf32>, tensor<f32>) -> tensor<11x11xf32>
  check.expect_eq %real, %6 : tensor<11x11xf32>
  check.expect_eq %imag, %7 : tensor<11x11xf32>
  return
}
