// RUN: mapwright-opt %s --pass-pipeline='builtin.module(func.func(indexing-fuse))' | FileCheck %s
// RUN: mapwright fusion %s | FileCheck %s --check-prefix=PLAN
// RUN: mapwright run %s | FileCheck %s --check-prefix=VALUES

// The broadcast and the negation are computed where they are used; the sum of all elements is a loop of its own.

// CHECK-LABEL: func.func public @main
// CHECK: indexing.fusion
// CHECK: stablehlo.negate
// CHECK: stablehlo.add
// CHECK: indexing.fusion
// CHECK: stablehlo.reduce

// PLAN-LABEL: func @main
// PLAN: region 0: {{.*}} writes 32 bytes
// PLAN: stablehlo.add at {{.*}}fuse.mlir:{{[0-9]+}}:8 (root)
// PLAN: region 1: {{.*}} writes 4 bytes
// PLAN: stablehlo.reduce at {{.*}} (root)
// PLAN: not fused: stablehlo.add {{.*}} into stablehlo.reduce {{.*}}: it is used elsewhere too

// VALUES: dense<[0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0]> : tensor<8xf32>
// VALUES: dense<-28.0> : tensor<f32>
func.func public @main() -> (tensor<8xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %3, %4 : tensor<8xf32>, tensor<f32>
}
