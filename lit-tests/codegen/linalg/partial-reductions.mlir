// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/parts.mlir},transform-interpreter,canonicalize,cse)' | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | sed 's/base@ = [^ ]*//' > %t.whole
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/parts.mlir},transform-interpreter,canonicalize,indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,scf-forall-to-for,%to_llvm)' | %run_main | sed 's/base@ = [^ ]*//' > %t.tiled
// RUN: diff %t.whole %t.tiled
// RUN: FileCheck %s --check-prefix=RUNS < %t.tiled
// Loops that reduce are cut into tiles that run side by side, and the parts are reduced again. The operands of the product name what they
// contract in different orders. All numbers are small integers, so that the order of a sum does not matter.
// CHECK-LABEL: func.func private @f
// CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
// CHECK: scf.forall (%{{.*}}) = (0) to (8) step (3)
// CHECK: stablehlo.reduce(%{{.*}} across dimensions = [1] {{.*}}(tensor<4x?xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK: tensor.parallel_insert_slice
// CHECK: stablehlo.reduce(%{{.*}} across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (5, 4) step (2, 3)
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.reduce(%{{.*}} applies stablehlo.add across dimensions = [2, 3] : (tensor<2x3x3x2xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK: scf.forall
// CHECK: stablehlo.reduce
// RUNS-COUNT-3: Unranked Memref
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @f(%x: tensor<4x8xf32>, %l: tensor<2x5x4xf32>, %r: tensor<4x3x5xf32>, %d: tensor<?x?xf32>)
    -> (tensor<4xf32>, tensor<2x3xf32>, tensor<?xf32>) {
  %v = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %v) applies stablehlo.maximum across dimensions = [1] {cut = 1 : i32} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.dot_general %l, %r, contracting_dims = [1, 2] x [2, 0] {cut = 2 : i32} : (tensor<2x5x4xf32>, tensor<4x3x5xf32>) -> tensor<2x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [1] {cut = 1 : i32} : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<2x3xf32>, tensor<?xf32>
}
func.func @main() {
  %row = stablehlo.iota dim = 0 : tensor<4x8xf32>
  %column = stablehlo.iota dim = 1 : tensor<4x8xf32>
  %x = stablehlo.multiply %row, %column : tensor<4x8xf32>
  %l0 = stablehlo.iota dim = 1 : tensor<2x5x4xf32>
  %l1 = stablehlo.iota dim = 2 : tensor<2x5x4xf32>
  %l2 = stablehlo.iota dim = 0 : tensor<2x5x4xf32>
  %l3 = stablehlo.multiply %l0, %l1 : tensor<2x5x4xf32>
  %l = stablehlo.subtract %l3, %l2 : tensor<2x5x4xf32>
  %r0 = stablehlo.iota dim = 0 : tensor<4x3x5xf32>
  %r1 = stablehlo.iota dim = 2 : tensor<4x3x5xf32>
  %r2 = stablehlo.iota dim = 1 : tensor<4x3x5xf32>
  %r3 = stablehlo.multiply %r2, %r1 : tensor<4x3x5xf32>
  %r = stablehlo.add %r0, %r3 : tensor<4x3x5xf32>
  %d = tensor.cast %x : tensor<4x8xf32> to tensor<?x?xf32>
  %a:3 = call @f(%x, %l, %r, %d) : (tensor<4x8xf32>, tensor<2x5x4xf32>, tensor<4x3x5xf32>, tensor<?x?xf32>) -> (tensor<4xf32>, tensor<2x3xf32>, tensor<?xf32>)
  %u0 = tensor.cast %a#0 : tensor<4xf32> to tensor<*xf32>
  %u1 = tensor.cast %a#1 : tensor<2x3xf32> to tensor<*xf32>
  %u2 = tensor.cast %a#2 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  return
}
