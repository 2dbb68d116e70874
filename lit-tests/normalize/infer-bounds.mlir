// RUN: mapwright-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(indexing-refine-shapes{types=tensor<?x4xf32,#stablehlo.bounds<6,?>>})' | FileCheck %s

// A bound of an argument is one of everything that is computed from it.

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.negate %arg0 : tensor<?x4xf32, #stablehlo.bounds<6, ?>>
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<?x4xf32, #stablehlo.bounds<6, ?>>) -> tensor<4x?xf32, #stablehlo.bounds<?, 6>>
// CHECK: stablehlo.concatenate %{{.*}} -> tensor<?x4xf32, #stablehlo.bounds<12, ?>>
// CHECK: stablehlo.reduce(%{{.*}} -> tensor<?xf32, #stablehlo.bounds<6>>
// CHECK: stablehlo.pad %{{.*}} -> tensor<?x4xf32, #stablehlo.bounds<9, ?>>
// CHECK: stablehlo.dot_general %{{.*}} -> tensor<?x5xf32, #stablehlo.bounds<6, ?>>
func.func @main(%x: tensor<?x4xf32>) -> (tensor<4x?xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x5xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %w = stablehlo.constant dense<1.0> : tensor<4x5xf32>
  %0 = stablehlo.negate %x : tensor<?x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %2 = stablehlo.concatenate %0, %x, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  %4 = stablehlo.pad %0, %zero, low = [1, 0], high = [2, 0], interior = [0, 0] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  %5 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x5xf32>) -> tensor<?x5xf32>
  return %1, %2, %3, %4, %5 : tensor<4x?xf32>, tensor<?x4xf32>, tensor<?xf32>, tensor<?x4xf32>, tensor<?x5xf32>
}

// -----

// Together with a smaller bound or a size, the smaller one holds.

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.add %{{.*}} : (tensor<?x4xf32, #stablehlo.bounds<6, ?>>, tensor<?x4xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<5, ?>>
// CHECK: stablehlo.add %{{.*}} : (tensor<?x4xf32, #stablehlo.bounds<6, ?>>, tensor<3x4xf32>) -> tensor<3x4xf32>
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32, #stablehlo.bounds<5, ?>>, %z: tensor<3x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = stablehlo.add %x, %y : (tensor<?x4xf32>, tensor<?x4xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x4xf32>
  %1 = stablehlo.add %x, %z : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// A size beyond a bound contradicts it.

func.func @main(%x: tensor<?x4xf32>, %y: tensor<7x4xf32>) -> tensor<?x4xf32> {
  // expected-error@+1 {{operands must have the same shape, operand #1 has [7, 4], those before it [<=6, 4]}}
  %0 = stablehlo.add %x, %y : (tensor<?x4xf32>, tensor<7x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// What is declared, against what follows.

func.func @main(%x: tensor<?x4xf32>) -> tensor<7x4xf32> {
  // expected-error@+1 {{result #0 is declared tensor<7x4xf32>, its operands give tensor<?x4xf32, #stablehlo.bounds<6, ?>>}}
  %0 = stablehlo.negate %x : (tensor<?x4xf32>) -> tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}

// -----

// The argument itself.

// expected-error@+1 {{argument #0 is tensor<7x4xf32>, cannot be refined to tensor<?x4xf32, #stablehlo.bounds<6, ?>>}}
func.func @main(%x: tensor<7x4xf32>) {
  return
}

// -----

// A shape that is computed, against the declared one.

func.func @main(%x: tensor<?x4xf32>, %y: tensor<24xf32>) -> tensor<5x5xf32> {
  %shape = stablehlo.constant dense<[6, 4]> : tensor<2xi32>
  // expected-error@+1 {{'output_shape' gives the shape [6, 4], the result has [5, 5]}}
  %0 = stablehlo.dynamic_reshape %y, %shape : (tensor<24xf32>, tensor<2xi32>) -> tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}
