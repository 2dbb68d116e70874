// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/tiles.mlir},transform-interpreter,canonicalize,cse)' | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | sed 's/base@ = [^ ]*//' > %t.whole
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/tiles.mlir},transform-interpreter,canonicalize,indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,scf-forall-to-for,%to_llvm)' | %run_main | sed 's/base@ = [^ ]*//' > %t.tiled
// RUN: diff %t.whole %t.tiled
// RUN: FileCheck %s --check-prefix=RUNS < %t.tiled
// Tiles of tensors whose sizes are known at run time only: the loops end at sizes of operands, and what is reduced, reversed, padded and
// concatenated asks for sizes of its own.
// CHECK-LABEL: func.func private @f
// CHECK: %[[ROWS:.*]] = tensor.dim %arg0
// CHECK: scf.forall (%{{.*}}) in
// CHECK: stablehlo.add %{{.*}} : tensor<?x?xf32>
// CHECK: scf.forall (%{{.*}}) in
// CHECK: stablehlo.reduce(%{{.*}} across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
// CHECK: stablehlo.transpose %{{.*}} : (tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK: stablehlo.dot_general %{{.*}} : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK: tensor.pad
// CHECK: stablehlo.reverse
// CHECK: stablehlo.concatenate
// RUNS-COUNT-7: Unranked Memref
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %w: tensor<?x4xf32>, %v: tensor<f32>)
    -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x4xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = stablehlo.add %x, %y : tensor<?x?xf32>
  %1 = stablehlo.reduce(%x init: %v) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = stablehlo.pad %x, %v, low = [1, 0], high = [2, 0], interior = [0, 0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %5 = stablehlo.reverse %x, dims = [0] : tensor<?x?xf32>
  %6 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x4xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
func.func @main() {
  %row = stablehlo.iota dim = 0 : tensor<7x5xf32>
  %column = stablehlo.iota dim = 1 : tensor<7x5xf32>
  %minus = stablehlo.constant dense<-2.5> : tensor<7x5xf32>
  %scaled = stablehlo.multiply %column, %minus : tensor<7x5xf32>
  %a = stablehlo.add %row, %scaled : tensor<7x5xf32>
  %b = stablehlo.multiply %a, %a : tensor<7x5xf32>
  %w = stablehlo.iota dim = 0 : tensor<5x4xf32>
  %v = stablehlo.constant dense<-1.5> : tensor<f32>
  %da = tensor.cast %a : tensor<7x5xf32> to tensor<?x?xf32>
  %db = tensor.cast %b : tensor<7x5xf32> to tensor<?x?xf32>
  %dw = tensor.cast %w : tensor<5x4xf32> to tensor<?x4xf32>
  %r:7 = call @f(%da, %db, %dw, %v) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x4xf32>, tensor<f32>)
    -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x4xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
  %u0 = tensor.cast %r#0 : tensor<?x?xf32> to tensor<*xf32>
  %u1 = tensor.cast %r#1 : tensor<?xf32> to tensor<*xf32>
  %u2 = tensor.cast %r#2 : tensor<?x?xf32> to tensor<*xf32>
  %u3 = tensor.cast %r#3 : tensor<?x4xf32> to tensor<*xf32>
  %u4 = tensor.cast %r#4 : tensor<?x?xf32> to tensor<*xf32>
  %u5 = tensor.cast %r#5 : tensor<?x?xf32> to tensor<*xf32>
  %u6 = tensor.cast %r#6 : tensor<?x?xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u3) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u4) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u5) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u6) : (tensor<*xf32>) -> ()
  return
}
