// RUN: mapwright compile %s -o %t.s --target x86_64-unknown-linux-gnu --target-cpu znver4
// RUN: FileCheck %s < %t.s
// RUN: mapwright run %s --specialize=off
// RUN: mapwright run %s --specialize=off --bounds-checks
// RUN: mapwright run %s --interpret

// Integers of 8 bits whose rows and columns are a number known at run time only: both are packed for the instruction that adds four products, as
// many blocks of rows as there are. Results are those of products one by one, in 32 bits.

// CHECK: vpdpbusd {{.*}}%zmm

func.func private @product(%x: tensor<?x19xi8>, %y: tensor<19x?xi8>) -> tensor<?x?xi32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x19xi8>, tensor<19x?xi8>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
// The rows lie along the other dimension, and blocks of them are transposed.
func.func private @of_columns(%x: tensor<19x?xui8>, %y: tensor<?x19xui8>) -> tensor<?x?xi32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1] : (tensor<19x?xui8>, tensor<?x19xui8>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
func.func @main() {
  %i = stablehlo.iota dim = 0 : tensor<37x19xi32>
  %k = stablehlo.iota dim = 1 : tensor<37x19xi32>
  %seven = stablehlo.constant dense<7> : tensor<37x19xi32>
  %many = stablehlo.constant dense<101> : tensor<37x19xi32>
  %0 = stablehlo.multiply %i, %many : tensor<37x19xi32>
  %1 = stablehlo.multiply %k, %seven : tensor<37x19xi32>
  %wide = stablehlo.add %0, %1 : tensor<37x19xi32>
  %bits = stablehlo.convert %wide : (tensor<37x19xi32>) -> tensor<37x19xui32>
  %byte = stablehlo.constant dense<255> : tensor<37x19xui32>
  %low = stablehlo.and %bits, %byte : tensor<37x19xui32>
  %u = stablehlo.convert %low : (tensor<37x19xui32>) -> tensor<37x19xui8>
  %s = stablehlo.bitcast_convert %u : (tensor<37x19xui8>) -> tensor<37x19xi8>
  %st = stablehlo.transpose %s, dims = [1, 0] : (tensor<37x19xi8>) -> tensor<19x37xi8>
  %ut = stablehlo.transpose %u, dims = [1, 0] : (tensor<37x19xui8>) -> tensor<19x37xui8>

  // Sizes that are data.
  %from = stablehlo.constant dense<0> : tensor<2xi64>
  %by = stablehlo.constant dense<1> : tensor<2xi64>
  %rows = stablehlo.constant dense<[37, 19]> : tensor<2xi64>
  %columns = stablehlo.constant dense<[19, 37]> : tensor<2xi64>
  %r, %c = stablehlo.optimization_barrier %rows, %columns : tensor<2xi64>, tensor<2xi64>
  %x = stablehlo.real_dynamic_slice %s, %from, %r, %by : (tensor<37x19xi8>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x19xi8>
  %y = stablehlo.real_dynamic_slice %st, %from, %c, %by : (tensor<19x37xi8>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<19x?xi8>
  %v = stablehlo.real_dynamic_slice %ut, %from, %c, %by : (tensor<19x37xui8>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<19x?xui8>
  %w = stablehlo.real_dynamic_slice %u, %from, %r, %by : (tensor<37x19xui8>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x19xui8>
  %p = call @product(%x, %y) : (tensor<?x19xi8>, tensor<19x?xi8>) -> tensor<?x?xi32>
  %q = call @of_columns(%v, %w) : (tensor<19x?xui8>, tensor<?x19xui8>) -> tensor<?x?xi32>

  %zero = stablehlo.constant dense<0> : tensor<i32>
  %s32 = stablehlo.convert %s : (tensor<37x19xi8>) -> tensor<37x19xi32>
  %s0 = stablehlo.broadcast_in_dim %s32, dims = [0, 2] : (tensor<37x19xi32>) -> tensor<37x37x19xi32>
  %s1 = stablehlo.broadcast_in_dim %s32, dims = [1, 2] : (tensor<37x19xi32>) -> tensor<37x37x19xi32>
  %s2 = stablehlo.multiply %s0, %s1 : tensor<37x37x19xi32>
  %p0 = stablehlo.reduce(%s2 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<37x37x19xi32>, tensor<i32>) -> tensor<37x37xi32>
  %p1 = tensor.cast %p : tensor<?x?xi32> to tensor<37x37xi32>
  check.expect_eq %p1, %p0 : tensor<37x37xi32>
  %u32 = stablehlo.convert %u : (tensor<37x19xui8>) -> tensor<37x19xi32>
  %u0 = stablehlo.broadcast_in_dim %u32, dims = [0, 2] : (tensor<37x19xi32>) -> tensor<37x37x19xi32>
  %u1 = stablehlo.broadcast_in_dim %u32, dims = [1, 2] : (tensor<37x19xi32>) -> tensor<37x37x19xi32>
  %u2 = stablehlo.multiply %u0, %u1 : tensor<37x37x19xi32>
  %q0 = stablehlo.reduce(%u2 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<37x37x19xi32>, tensor<i32>) -> tensor<37x37xi32>
  %q1 = tensor.cast %q : tensor<?x?xi32> to tensor<37x37xi32>
  check.expect_eq %q1, %q0 : tensor<37x37xi32>
  return
}
