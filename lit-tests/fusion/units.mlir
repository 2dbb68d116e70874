// RUN: mapwright fusion %s | FileCheck %s --check-prefix=PLAN
// RUN: mapwright run %s --entry values | FileCheck %s
// RUN: mapwright run %s --entry values --interpret | FileCheck %s

// Attention as `jax.nn.dot_product_attention` writes it has a group of one head as a dimension of its own, and moves it to the front and
// back. Without it the products and the softmax between them are one region.

// PLAN: region 0: chain
// PLAN: stages contraction, reduction, contraction
// PLAN: func @values
func.func public @main(%q: tensor<2x37x3x16xf32>, %k: tensor<2x41x3x16xf32>, %v: tensor<2x41x3x16xf32>) -> tensor<2x37x3x16xf32> {
  %group = stablehlo.reshape %q : (tensor<2x37x3x16xf32>) -> tensor<2x37x3x1x16xf32>
  %s = stablehlo.dot_general %group, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<2x37x3x1x16xf32>, tensor<2x41x3x16xf32>) -> tensor<2x3x37x1x41xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [4] : (tensor<2x3x37x1x41xf32>, tensor<f32>) -> tensor<2x3x37x1xf32>
  %front = stablehlo.transpose %m, dims = [3, 0, 1, 2] : (tensor<2x3x37x1xf32>) -> tensor<1x2x3x37xf32>
  %scores = stablehlo.transpose %s, dims = [3, 0, 1, 2, 4] : (tensor<2x3x37x1x41xf32>) -> tensor<1x2x3x37x41xf32>
  %rows = stablehlo.broadcast_in_dim %front, dims = [0, 1, 2, 3] : (tensor<1x2x3x37xf32>) -> tensor<1x2x3x37x41xf32>
  %d = stablehlo.subtract %scores, %rows : tensor<1x2x3x37x41xf32>
  %e = stablehlo.exponential %d : tensor<1x2x3x37x41xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<1x2x3x37x41xf32>, tensor<f32>) -> tensor<1x2x3x37xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2, 3] : (tensor<1x2x3x37xf32>) -> tensor<1x2x3x37x41xf32>
  %p = stablehlo.divide %e, %sums : tensor<1x2x3x37x41xf32>
  %o = stablehlo.dot_general %v, %p, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4] : (tensor<2x41x3x16xf32>, tensor<1x2x3x37x41xf32>) -> tensor<2x3x16x1x37xf32>
  %t = stablehlo.transpose %o, dims = [3, 0, 4, 1, 2] : (tensor<2x3x16x1x37xf32>) -> tensor<1x2x37x3x16xf32>
  %u = stablehlo.transpose %t, dims = [1, 2, 3, 0, 4] : (tensor<1x2x37x3x16xf32>) -> tensor<2x37x3x1x16xf32>
  %r = stablehlo.reshape %u : (tensor<2x37x3x1x16xf32>) -> tensor<2x37x3x16xf32>
  return %r : tensor<2x37x3x16xf32>
}

// Weights sum to one: of values that are the same for all keys nothing else comes out.
// CHECK: dense<true> : tensor<i1>
func.func public @values() -> tensor<i1> {
  %i = stablehlo.iota dim = 1 : tensor<2x37x3x16xf32>
  %q = stablehlo.sine %i : tensor<2x37x3x16xf32>
  %j = stablehlo.iota dim = 1 : tensor<2x41x3x16xf32>
  %k = stablehlo.cosine %j : tensor<2x41x3x16xf32>
  %column = stablehlo.iota dim = 3 : tensor<2x41x3x16xf32>
  %head = stablehlo.iota dim = 2 : tensor<2x41x3x16xf32>
  %v = stablehlo.add %column, %head : tensor<2x41x3x16xf32>
  %r = func.call @main(%q, %k, %v) : (tensor<2x37x3x16xf32>, tensor<2x41x3x16xf32>, tensor<2x41x3x16xf32>) -> tensor<2x37x3x16xf32>
  %c = stablehlo.iota dim = 3 : tensor<2x37x3x16xf32>
  %h = stablehlo.iota dim = 2 : tensor<2x37x3x16xf32>
  %e = stablehlo.add %c, %h : tensor<2x37x3x16xf32>
  %d = stablehlo.subtract %r, %e : tensor<2x37x3x16xf32>
  %a = stablehlo.abs %d : tensor<2x37x3x16xf32>
  %bound = stablehlo.constant dense<1.0e-4> : tensor<2x37x3x16xf32>
  %close = stablehlo.compare LT, %a, %bound : (tensor<2x37x3x16xf32>, tensor<2x37x3x16xf32>) -> tensor<2x37x3x16xi1>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %all = stablehlo.reduce(%close init: %true) applies stablehlo.and across dimensions = [0, 1, 2, 3] : (tensor<2x37x3x16xi1>, tensor<i1>) -> tensor<i1>
  return %all : tensor<i1>
}
