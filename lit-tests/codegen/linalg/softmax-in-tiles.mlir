// RUN: %mlir_opt_with_plugin %examples/softmax/program.mlir --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%examples/softmax/tiles.mlir},transform-interpreter,canonicalize,cse)' | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | sed 's/base@ = [^ ]*//' > %t.whole
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%examples/softmax/tiles.mlir},transform-interpreter,canonicalize,cse,indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,scf-forall-to-for,%to_llvm)' | %run_main | sed 's/base@ = [^ ]*//' > %t.tiled
// RUN: diff %t.whole %t.tiled
// RUN: FileCheck %s --check-prefix=RUNS < %t.tiled
// The script of the example: nothing of softmax is left outside of the loop, and nothing is computed twice.
// CHECK-LABEL: func.func public @main
// CHECK-NOT: stablehlo.reduce
// CHECK: scf.forall (%{{.*}}) in (16)
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%{{.*}}, 0, 0] [4, 128, 128]
// CHECK: stablehlo.reduce(%[[X]] init: %{{.*}}) applies stablehlo.maximum across dimensions = [2] : (tensor<4x128x128xf32>
// CHECK: stablehlo.exponential %{{.*}} : tensor<4x128x128xf32>
// CHECK-NOT: stablehlo.exponential
// CHECK: stablehlo.divide
// CHECK: scf.forall.in_parallel
// CHECK-NOT: stablehlo.divide
// CHECK: return
// RUNS: sizes = [2, 2, 3]
// RUNS: {{0\.00[0-9]+}}
func.func private @printMemrefF32(tensor<*xf32>)
func.func @softmax(%arg0: tensor<64x128x128xf32>) -> tensor<64x128x128xf32> {
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<64x128x128xf32>, tensor<f32>) -> tensor<64x128xf32>
  %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %2 = stablehlo.maximum %1, %0 : tensor<64x128xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<64x128xf32>) -> tensor<64x128x1xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<64x128x1xf32>) -> tensor<64x128x128xf32>
  %5 = stablehlo.subtract %arg0, %4 : tensor<64x128x128xf32>
  %6 = stablehlo.exponential %5 : tensor<64x128x128xf32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<64x128x128xf32>, tensor<f32>) -> tensor<64x128xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<64x128xf32>) -> tensor<64x128x1xf32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<64x128x1xf32>) -> tensor<64x128x128xf32>
  %10 = stablehlo.divide %6, %9 : tensor<64x128x128xf32>
  return %10 : tensor<64x128x128xf32>
}
func.func @main() {
  %i = stablehlo.iota dim = 2 : tensor<64x128x128xf32>
  %j = stablehlo.iota dim = 1 : tensor<64x128x128xf32>
  %k = stablehlo.iota dim = 0 : tensor<64x128x128xf32>
  %ij = stablehlo.multiply %i, %j : tensor<64x128x128xf32>
  %ijk = stablehlo.add %ij, %k : tensor<64x128x128xf32>
  %x = stablehlo.sine %ijk : tensor<64x128x128xf32>
  %r = call @softmax(%x) : (tensor<64x128x128xf32>) -> tensor<64x128x128xf32>
  %part = stablehlo.slice %r [3:64:59, 5:128:100, 0:128:50] : (tensor<64x128x128xf32>) -> tensor<2x2x3xf32>
  %u = tensor.cast %part : tensor<2x2x3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
