// RUN: mapwright-opt %s --indexing-normalize | FileCheck %s --check-prefix=PHASES
// RUN: mapwright-opt %s --indexing-normalize=disable=lhs-dilation --indexing-fuse --indexing-lower | FileCheck %s --check-prefix=IR
// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// A convolution over a dilated operand is one for each phase of the result, with the elements of the window that meet elements of the operand.
// Zero times the others is added.

// PHASES: %[[X:.*]]:2 = stablehlo.optimization_barrier
// PHASES: %[[ODD:.*]] = stablehlo.slice %[[X]]#1 [1:2:2, 0:1, 0:2]
// PHASES-NEXT: %[[FIRST:.*]] = stablehlo.convolution(%[[X]]#0, %[[ODD]]) {{.*}} window = {stride = [1], pad = {{\[\[}}0, 0]], rhs_dilate = [1]}
// PHASES-NEXT: %[[EVEN:.*]] = stablehlo.slice %[[X]]#1 [0:1:2, 0:1, 0:2]
// PHASES-NEXT: %[[SECOND:.*]] = stablehlo.convolution(%[[X]]#0, %[[EVEN]]) {{.*}} window = {stride = [1], pad = {{\[\[}}0, 0]], rhs_dilate = [1]}
// PHASES-NEXT: %[[A:.*]] = stablehlo.reshape %[[FIRST]] : (tensor<1x3x2xf32>) -> tensor<1x3x1x2xf32>
// PHASES-NEXT: %[[B:.*]] = stablehlo.reshape %[[SECOND]] : (tensor<1x3x2xf32>) -> tensor<1x3x1x2xf32>
// PHASES: stablehlo.concatenate %[[A]], %[[B]], dim = 2
// PHASES: = stablehlo.add %
// PHASES-NEXT: stablehlo.reshape {{.*}} -> tensor<1x6x2xf32>
// PHASES-NEXT: return

// Without that it is one over the operand with zeros between its elements, which runs as a product does.

// IR: func.func {{.*}}@region_1_pack
// IR: math.fma {{.*}} : vector<16xf32>

// CHECK: dense<{{\[\[}}[100.0, 1000.0], [1.0, 10.0], [200.0, 2000.0], [2.0, 20.0], [300.0, 3000.0], [3.0, 30.0]]]> : tensor<1x6x2xf32>
func.func public @main() -> tensor<1x6x2xf32> {
  %c = stablehlo.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %d = stablehlo.constant dense<[[[1.0, 10.0]], [[100.0, 1000.0]]]> : tensor<2x1x2xf32>
  %x, %w = stablehlo.optimization_barrier %c, %d : tensor<1x3x1xf32>, tensor<2x1x2xf32>
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xf32>, tensor<2x1x2xf32>) -> tensor<1x6x2xf32>
  return %r : tensor<1x6x2xf32>
}
