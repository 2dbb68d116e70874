// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/tiles.mlir},transform-interpreter,canonicalize,cse)' | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | sed 's/base@ = [^ ]*//' > %t.whole
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%S/Inputs/tiles.mlir},transform-interpreter,canonicalize,indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,scf-forall-to-for,%to_llvm)' | %run_main | sed 's/base@ = [^ ]*//' > %t.tiled
// RUN: diff %t.whole %t.tiled
// RUN: FileCheck %s --check-prefix=RUNS < %t.tiled
// Upstream's transforms take tiles of StableHLO: operations are made again on slices of their operands. None of the sizes is a multiple of four.
// CHECK-LABEL: func.func @f
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%{{.*}}, 0] [%{{.*}}, 5]
// CHECK: %[[Y:.*]] = tensor.extract_slice %arg1[%{{.*}}, 0] [%{{.*}}, 5]
// CHECK: stablehlo.add %[[X]], %[[Y]] : tensor<?x5xf32>
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: stablehlo.reduce(%{{.*}} across dimensions = [1] : (tensor<?x5xf32>, tensor<f32>) -> tensor<?xf32>
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: tensor.extract_slice %arg0[0, %{{.*}}] [7, %{{.*}}]
// CHECK: stablehlo.transpose %{{.*}} : (tensor<7x?xf32>) -> tensor<?x7xf32>
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: stablehlo.dynamic_broadcast_in_dim
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: stablehlo.dot_general %{{.*}}, %arg2, {{.*}} : (tensor<?x5xf32>, tensor<5x4xf32>) -> tensor<?x4xf32>
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 1] [%{{.*}}, 3] [1, 1]
// CHECK: scf.forall (%{{.*}}) in (3)
// CHECK: tensor.pad %{{.*}} low[%{{.*}}, 0] high[%{{.*}}, 0]
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: stablehlo.reverse %{{.*}}, dims = [0] : tensor<?x5xf32>
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0 : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
// RUNS-COUNT-9: Unranked Memref
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<7x5xf32>, %y: tensor<7x5xf32>, %w: tensor<5x4xf32>, %v: tensor<f32>)
    -> (tensor<7x5xf32>, tensor<7xf32>, tensor<5x7xf32>, tensor<7x3x5xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<10x5xf32>, tensor<7x5xf32>, tensor<14x5xf32>) {
  %0 = stablehlo.add %x, %y : tensor<7x5xf32>
  %1 = stablehlo.reduce(%x init: %v) applies stablehlo.maximum across dimensions = [1] : (tensor<7x5xf32>, tensor<f32>) -> tensor<7xf32>
  %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<7x5xf32>) -> tensor<5x7xf32>
  %3 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<7x5xf32>) -> tensor<7x3x5xf32>
  %4 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<7x5xf32>, tensor<5x4xf32>) -> tensor<7x4xf32>
  %5 = stablehlo.slice %x [0:7, 1:4] : (tensor<7x5xf32>) -> tensor<7x3xf32>
  %6 = stablehlo.pad %x, %v, low = [1, 0], high = [2, 0], interior = [0, 0] : (tensor<7x5xf32>, tensor<f32>) -> tensor<10x5xf32>
  %7 = stablehlo.reverse %x, dims = [0] : tensor<7x5xf32>
  %8 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<14x5xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
    : tensor<7x5xf32>, tensor<7xf32>, tensor<5x7xf32>, tensor<7x3x5xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<10x5xf32>, tensor<7x5xf32>, tensor<14x5xf32>
}
func.func @main() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [-1.0, 0.5, 2.0, 8.0, 7.0], [3.0, 1.0, 4.0, 1.0, 5.0], [9.0, 2.0, 6.0, 5.0, 3.0],
    [5.0, 8.0, 9.0, 7.0, 9.0], [3.0, 2.0, 3.0, 8.0, 4.0], [6.0, 2.0, 6.0, 4.0, 3.0]]> : tensor<7x5xf32>
  %y = arith.constant dense<[[2.0, 7.0, 1.0, 8.0, 2.0], [8.0, 1.0, 8.0, 2.0, 8.0], [4.0, 5.0, 9.0, 0.0, 4.0], [5.0, 2.0, 3.0, 5.0, 3.0],
    [6.0, 0.0, 2.0, 8.0, 7.0], [4.0, 7.0, 1.0, 3.0, 5.0], [2.0, 6.0, 6.0, 2.0, 4.0]]> : tensor<7x5xf32>
  %w = arith.constant dense<[[1.0, 0.0, 2.0, 1.0], [0.0, 1.0, 0.0, 3.0], [1.0, 1.0, 0.0, 0.0], [2.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]]> : tensor<5x4xf32>
  %v = arith.constant dense<4.5> : tensor<f32>
  %r:9 = call @f(%x, %y, %w, %v) : (tensor<7x5xf32>, tensor<7x5xf32>, tensor<5x4xf32>, tensor<f32>)
    -> (tensor<7x5xf32>, tensor<7xf32>, tensor<5x7xf32>, tensor<7x3x5xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<10x5xf32>, tensor<7x5xf32>, tensor<14x5xf32>)
  %u0 = tensor.cast %r#0 : tensor<7x5xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<7xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  %u2 = tensor.cast %r#2 : tensor<5x7xf32> to tensor<*xf32>
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  %u3 = tensor.cast %r#3 : tensor<7x3x5xf32> to tensor<*xf32>
  call @printMemrefF32(%u3) : (tensor<*xf32>) -> ()
  %u4 = tensor.cast %r#4 : tensor<7x4xf32> to tensor<*xf32>
  call @printMemrefF32(%u4) : (tensor<*xf32>) -> ()
  %u5 = tensor.cast %r#5 : tensor<7x3xf32> to tensor<*xf32>
  call @printMemrefF32(%u5) : (tensor<*xf32>) -> ()
  %u6 = tensor.cast %r#6 : tensor<10x5xf32> to tensor<*xf32>
  call @printMemrefF32(%u6) : (tensor<*xf32>) -> ()
  %u7 = tensor.cast %r#7 : tensor<7x5xf32> to tensor<*xf32>
  call @printMemrefF32(%u7) : (tensor<*xf32>) -> ()
  %u8 = tensor.cast %r#8 : tensor<14x5xf32> to tensor<*xf32>
  call @printMemrefF32(%u8) : (tensor<*xf32>) -> ()
  return
}
