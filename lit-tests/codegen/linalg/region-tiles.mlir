// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(func.func(indexing-fuse),transform-preload-library{transform-library-paths=%S/Inputs/region-tiles.mlir},transform-interpreter,canonicalize,cse)' | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | sed 's/base@ = [^ ]*//' > %t.whole
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(func.func(indexing-fuse),transform-preload-library{transform-library-paths=%S/Inputs/region-tiles.mlir},transform-interpreter,canonicalize,indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,scf-forall-to-for,%to_llvm)' | %run_main | sed 's/base@ = [^ ]*//' > %t.tiled
// RUN: diff %t.whole %t.tiled
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false fuse=true},%one_shot_bufferize,%to_llvm)' | %run_main | sed 's/base@ = [^ ]*//' > %t.fused
// RUN: diff %t.whole %t.fused
// RUN: FileCheck %s --check-prefix=RUNS < %t.tiled
// A tile of a region is made of the tiles of its members, from the results back to the operands.
// CHECK-LABEL: func.func private @softmax
// CHECK-NOT: indexing.fusion
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [%{{.*}}, 5]
// CHECK: stablehlo.reduce{{.*}}maximum
// CHECK: stablehlo.exponential
// CHECK: stablehlo.reduce{{.*}}add
// CHECK: stablehlo.divide
// CHECK: scf.forall.in_parallel
// CHECK-LABEL: func.func private @turned
// CHECK-NOT: indexing.fusion
// CHECK: scf.forall
// CHECK: stablehlo.transpose
// CHECK: stablehlo.reverse
// CHECK: stablehlo.negate
// RUNS-COUNT-2: Unranked Memref
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @softmax(%x: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<7x5xf32>, tensor<f32>) -> tensor<7xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<7xf32>) -> tensor<7x5xf32>
  %c = stablehlo.subtract %x, %mb : tensor<7x5xf32>
  %e = stablehlo.exponential %c : tensor<7x5xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<7x5xf32>, tensor<f32>) -> tensor<7xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<7xf32>) -> tensor<7x5xf32>
  %d = stablehlo.divide %e, %sb : tensor<7x5xf32>
  return %d : tensor<7x5xf32>
}
func.func private @turned(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = stablehlo.reverse %t, dims = [0] : tensor<?x?xf32>
  %n = stablehlo.negate %r : tensor<?x?xf32>
  return %n : tensor<?x?xf32>
}
func.func @main() {
  %row = stablehlo.iota dim = 0 : tensor<7x5xf32>
  %column = stablehlo.iota dim = 1 : tensor<7x5xf32>
  %minus = stablehlo.constant dense<-0.5> : tensor<7x5xf32>
  %scaled = stablehlo.multiply %column, %minus : tensor<7x5xf32>
  %a = stablehlo.multiply %row, %scaled : tensor<7x5xf32>
  %r = call @softmax(%a) : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %d = tensor.cast %a : tensor<7x5xf32> to tensor<?x?xf32>
  %t = call @turned(%d) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %u0 = tensor.cast %r : tensor<7x5xf32> to tensor<*xf32>
  %u1 = tensor.cast %t : tensor<?x?xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  return
}
