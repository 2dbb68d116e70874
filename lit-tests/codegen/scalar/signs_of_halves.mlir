// RUN: mapwright compile %s -o %t.s --target x86_64-unknown-linux-gnu --target-cpu x86-64-v3
// RUN: FileCheck %s --implicit-check-not=__truncdfhf2 < %t.s
// RUN: mapwright run %s
// RUN: mapwright run %s --interpret

// A result of f16 has the sign of a number of 64 bits: of that the sign is read. LLVM would round it, too, by a function of the compiler's library, which a
// program that loads objects may be without.

// CHECK-DAG: vcvtps2ph
func.func @main() {
  // Angles of the four quadrants, pi / 4 and 3 pi / 4, and of zeros.
  %i = stablehlo.constant dense<[1, -1, 1, -1, 0]> : tensor<5xi8>
  %x = stablehlo.constant dense<[1.0, 1.0, -1.0, -1.0, 1.0]> : tensor<5xf16>
  %is, %xs = stablehlo.optimization_barrier %i, %x : tensor<5xi8>, tensor<5xf16>
  %angles = func.call @of_integers(%is, %xs) : (tensor<5xi8>, tensor<5xf16>) -> tensor<5xf16>
  check.expect_almost_eq_const %angles, dense<[0.7854, -0.7854, 2.3562, -2.3562, 0.0]> : tensor<5xf16>

  %one = stablehlo.constant dense<-1> : tensor<1xi8>
  %h = stablehlo.constant dense<1.0> : tensor<1xf16>
  %ones, %hs = stablehlo.optimization_barrier %one, %h : tensor<1xi8>, tensor<1xf16>
  %only = func.call @of_one(%ones, %hs) : (tensor<1xi8>, tensor<1xf16>) -> tensor<1xf16>
  check.expect_almost_eq_const %only, dense<-0.7854> : tensor<1xf16>

  %y = stablehlo.constant dense<[1.0, -1.0, 0.0, -0.0]> : tensor<4xf64>
  %z = stablehlo.constant dense<[1.0, 1.0, -1.0, -1.0]> : tensor<4xf64>
  %ys, %zs = stablehlo.optimization_barrier %y, %z : tensor<4xf64>, tensor<4xf64>
  %rounded = func.call @of_doubles(%ys, %zs) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf16>
  check.expect_almost_eq_const %rounded, dense<[0.7854, -0.7854, 3.1406, -3.1406]> : tensor<4xf16>
  return
}

func.func @of_integers(%i: tensor<5xi8>, %x: tensor<5xf16>) -> tensor<5xf16> {
  %y = stablehlo.convert %i : (tensor<5xi8>) -> tensor<5xf16>
  %0 = stablehlo.atan2 %y, %x : tensor<5xf16>
  return %0 : tensor<5xf16>
}

func.func @of_one(%i: tensor<1xi8>, %x: tensor<1xf16>) -> tensor<1xf16> {
  %y = stablehlo.convert %i : (tensor<1xi8>) -> tensor<1xf16>
  %0 = stablehlo.atan2 %y, %x : tensor<1xf16>
  return %0 : tensor<1xf16>
}

func.func @of_doubles(%y: tensor<4xf64>, %x: tensor<4xf64>) -> tensor<4xf16> {
  %0 = stablehlo.atan2 %y, %x : tensor<4xf64>
  %1 = stablehlo.convert %0 : (tensor<4xf64>) -> tensor<4xf32>
  %2 = stablehlo.convert %1 : (tensor<4xf32>) -> tensor<4xf16>
  return %2 : tensor<4xf16>
}
