// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,bufferization-lower-deallocations,convert-bufferization-to-memref,%to_llvm)' | %run_main | FileCheck %s
// A sort, by the runtime library, of lines of run-time length, with the positions that elements come from.
// CHECK: [5,   3,   2,   1]
// CHECK: [9,   4,   4,   -1]
// CHECK: [3,   0,   2,   1]
// CHECK: [3,   0,   1,   2]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printMemrefI32(tensor<*xi32>)
func.func @sorted(%x: tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xi32>) {
  %n0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  %n = stablehlo.reshape %n0 : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %two, %n, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<2x?xi32>
  %s:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %p = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2x?xf32>, tensor<2x?xi32>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  return %s#0, %s#1 : tensor<2x?xf32>, tensor<2x?xi32>
}
func.func @main() {
  %x = arith.constant dense<[[3.0, 1.0, 2.0, 5.0], [4.0, 4.0, -1.0, 9.0]]> : tensor<2x4xf32>
  %xx = tensor.cast %x : tensor<2x4xf32> to tensor<2x?xf32>
  %r:2 = call @sorted(%xx) : (tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  %u = tensor.cast %r#0 : tensor<2x?xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %r#1 : tensor<2x?xi32> to tensor<*xi32>
  call @printMemrefI32(%v) : (tensor<*xi32>) -> ()
  return
}
