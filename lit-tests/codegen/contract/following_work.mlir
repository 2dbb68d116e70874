// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --threads 1 | FileCheck %s

// So much work follows the product that its results go through memory, row by row; it reads vectors along the second of the two dimensions that
// the rows of the product are made of.

// CHECK: dense<true> : tensor<i1>
func.func @main(%rows: tensor<8x5xf64>, %cols: tensor<4x8xf64>, %mean: tensor<5xf64>, %scale: tensor<5xf64>, %width: tensor<5xf64>) -> tensor<i1> {
  %variance = stablehlo.multiply %width, %width : tensor<5xf64>
  %known = stablehlo.optimization_barrier %variance : tensor<5xf64>
  %product = stablehlo.dot_general %rows, %cols, contracting_dims = [] x [] : (tensor<8x5xf64>, tensor<4x8xf64>) -> tensor<8x5x4x8xf64>
  %found = "stablehlo.batch_norm_inference"(%product, %scale, %scale, %mean, %known) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<8x5x4x8xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) -> tensor<8x5x4x8xf64>
  // The same, step by step.
  %whole = stablehlo.dot_general %rows, %cols, contracting_dims = [] x [] : (tensor<8x5xf64>, tensor<4x8xf64>) -> tensor<8x5x4x8xf64>
  %p = stablehlo.optimization_barrier %whole : tensor<8x5x4x8xf64>
  %half = stablehlo.constant dense<0.5> : tensor<5xf64>
  %v = stablehlo.add %known, %half : tensor<5xf64>
  %root = stablehlo.sqrt %v : tensor<5xf64>
  %m = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<5xf64>) -> tensor<8x5x4x8xf64>
  %s = stablehlo.broadcast_in_dim %scale, dims = [1] : (tensor<5xf64>) -> tensor<8x5x4x8xf64>
  %r = stablehlo.broadcast_in_dim %root, dims = [1] : (tensor<5xf64>) -> tensor<8x5x4x8xf64>
  %0 = stablehlo.subtract %p, %m : tensor<8x5x4x8xf64>
  %1 = stablehlo.divide %0, %r : tensor<8x5x4x8xf64>
  %2 = stablehlo.multiply %1, %s : tensor<8x5x4x8xf64>
  %expected = stablehlo.add %2, %s : tensor<8x5x4x8xf64>
  stablehlo.custom_call @check.expect_almost_eq(%found, %expected) {has_side_effect = true} : (tensor<8x5x4x8xf64>, tensor<8x5x4x8xf64>) -> ()
  %true = stablehlo.constant dense<true> : tensor<i1>
  return %true : tensor<i1>
}
