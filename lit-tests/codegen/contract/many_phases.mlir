// RUN: mapwright-opt %s --indexing-normalize | FileCheck %s --check-prefix=PHASES
// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// Twenty phases are two convolutions: those of the last three places read an element of the operand further on. Their windows stand beside each other
// among the features.

// PHASES: stablehlo.convolution{{.*}} -> tensor<1x2x17xf32>
// PHASES: stablehlo.convolution{{.*}} -> tensor<1x2x3xf32>
// PHASES-NOT: stablehlo.convolution
// PHASES: stablehlo.concatenate {{.*}}, dim = 2 : (tensor<1x2x17x1xf32>, tensor<1x2x3x1xf32>) -> tensor<1x2x20x1xf32>

// CHECK: dense<{{\[\[}}[17.0], [16.0], [15.0], [14.0],
func.func public @main() -> tensor<1x36x1xf32> {
  %c = stablehlo.constant dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
  %i = stablehlo.iota dim = 0 : tensor<20x1x1xf32>
  %o = stablehlo.constant dense<1.0> : tensor<20x1x1xf32>
  %k = stablehlo.add %i, %o : tensor<20x1x1xf32>
  %x, %w = stablehlo.optimization_barrier %c, %k : tensor<1x2x1xf32>, tensor<20x1x1xf32>
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[16, 18]], lhs_dilate = [20]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<20x1x1xf32>) -> tensor<1x36x1xf32>
  return %r : tensor<1x36x1xf32>
}
