// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/tiles.mlir},transform-interpreter,canonicalize,cse)' | FileCheck %s
// The types of results say less than what is known of their sizes from the operands: they stay what they are.
// CHECK-LABEL: func.func @f
// CHECK: scf.forall
// CHECK: scf.forall
// CHECK: return %{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<4x?xf32>
func.func @f(%x: tensor<7x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<4x?xf32>) {
  %0 = stablehlo.add %x, %y : (tensor<7x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<7x4xf32>) -> tensor<4x?xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<4x?xf32>
}
