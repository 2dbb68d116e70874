// REQUIRES: sdy
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-partition)' | FileCheck %s
// RUN: mapwright run %s --devices 4 --seed 3 > %t.divided
// RUN: mapwright run %s --seed 3 > %t.whole
// RUN: diff %t.divided %t.whole
// What a constraint leaves open is split as the operands are, here as in programs of JAX with some axes of a mesh that are explicit: nothing is gathered.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK-NOT: all_gather
// CHECK: func.func @main(%[[ARG:.*]]: tensor<4x1xf32> {{.*}}) -> (tensor<4x1xf32>
// CHECK: stablehlo.multiply %[[ARG]], %{{.*}} : tensor<4x1xf32>
// What it closes stays as it says.
// CHECK: stablehlo.all_gather
// CHECK-SAME: (tensor<4x1xf32>) -> tensor<4x2xf32>
func.func @main(%a: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %two = stablehlo.constant dense<2.0> : tensor<8x2xf32>
  %0 = sdy.sharding_constraint %two <@mesh, [{"x", ?}, {?}]> : tensor<8x2xf32>
  %1 = stablehlo.multiply %a, %0 : tensor<8x2xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x", ?}, {?}]> : tensor<8x2xf32>
  %3 = stablehlo.negate %2 : tensor<8x2xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{"x", ?}, {}]> : tensor<8x2xf32>
  return %2, %4 : tensor<8x2xf32>, tensor<8x2xf32>
}
