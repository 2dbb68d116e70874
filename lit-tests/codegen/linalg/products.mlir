// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Matrices in their usual form have operations of their own; other products have the maps of their operands.
// IR: #[[L:.+]] = affine_map<(d0, d1, d2, d3) -> (d2, d3, d0)>
// IR: #[[R:.+]] = affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>
// IR: #[[O:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// IR-LABEL: func.func @f
// IR: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<3x2xf32>)
// IR: linalg.batch_matmul
// IR: linalg.generic {indexing_maps = [#[[L]], #[[R]], #[[O]]], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
// CHECK: [4,  5],
// CHECK-NEXT: [10,  11]
// CHECK: [4,   5],
// CHECK-NEXT: [10,   11]
// CHECK: [14,  32],
// CHECK-NEXT: [32,  77]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<1x2x2xf32>, tensor<2x2xf32>) {
  %0 = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %a = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  %b = stablehlo.reshape %y : (tensor<3x2xf32>) -> tensor<1x3x2xf32>
  %1 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x2x3xf32>, tensor<1x3x2xf32>) -> tensor<1x2x2xf32>
  %c = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<1x2x3xf32>) -> tensor<3x1x2xf32>
  %d = stablehlo.transpose %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %e = stablehlo.reshape %d : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  %2 = stablehlo.dot_general %c, %e, contracting_dims = [1, 0] x [0, 2] : (tensor<3x1x2xf32>, tensor<1x2x3xf32>) -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<1x2x2xf32>, tensor<2x2xf32>
}
func.func @main() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
  %r:3 = call @f(%x, %y) : (tensor<2x3xf32>, tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<1x2x2xf32>, tensor<2x2xf32>)
  %u = tensor.cast %r#0 : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %r#1 : tensor<1x2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  %w = tensor.cast %r#2 : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%w) : (tensor<*xf32>) -> ()
  return
}
