// Sizes that are known at run time only and whose bytes no 64 bits count.
// RUN: not mapwright run %s --entry one 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not mapwright run %s --entry two 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: mapwright run %s --entry none | FileCheck %s --check-prefix=NONE
// RUN: not mapwright run %s --entry inside 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: mapwright run %s --entry none_inside | FileCheck %s --check-prefix=NOTHING

// ONE: error: a tensor of type tensor<?xf32> has more bytes than 64 bits count
func.func @one() -> tensor<?xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %c = stablehlo.constant dense<4611686018427387904> : tensor<1xi64>
  %n = stablehlo.optimization_barrier %c : tensor<1xi64>
  %r = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [] : (tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// TWO: error: a tensor of type tensor<?x3x?xf32> has more bytes than 64 bits count
func.func @two() -> tensor<?x3x?xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %c = stablehlo.constant dense<[2147483648, 3, 2147483648]> : tensor<3xi64>
  %n = stablehlo.optimization_barrier %c : tensor<3xi64>
  %r = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [] : (tensor<f32>, tensor<3xi64>) -> tensor<?x3x?xf32>
  return %r : tensor<?x3x?xf32>
}

// NONE: dense<> : tensor<0x3x5xf32>
func.func @none() -> tensor<?x3x?xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %c = stablehlo.constant dense<[0, 3, 5]> : tensor<3xi64>
  %n = stablehlo.optimization_barrier %c : tensor<3xi64>
  %r = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [] : (tensor<f32>, tensor<3xi64>) -> tensor<?x3x?xf32>
  return %r : tensor<?x3x?xf32>
}

// A tensor that is never in memory: more additions than anybody waits for.
// INSIDE: error: 'stablehlo.dynamic_broadcast_in_dim' at loc({{.*}}absurd_sizes.mlir{{.*}}) has a result of more elements than 64 bits count
func.func @inside() -> tensor<f32> {
  %c = stablehlo.constant dense<[8589934592, 8589934592]> : tensor<2xi64>
  %r = func.call @sum(%c) : (tensor<2xi64>) -> tensor<f32>
  return %r : tensor<f32>
}

// NOTHING: dense<0.0> : tensor<f32>
func.func @none_inside() -> tensor<f32> {
  %c = stablehlo.constant dense<[8589934592, 0]> : tensor<2xi64>
  %r = func.call @sum(%c) : (tensor<2xi64>) -> tensor<f32>
  return %r : tensor<f32>
}

func.func private @sum(%c: tensor<2xi64>) -> tensor<f32> {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.optimization_barrier %c : tensor<2xi64>
  %b = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [] : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  %r = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
