// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// What upstream has operations for becomes these; what is read backwards is extracted at an affine map.
// IR: affine_map<(d0) -> (-d0 + 3)>
// IR-LABEL: func.func @f
// IR: linalg.transpose ins(%{{.*}} : tensor<2x4xf32>) outs(%{{.*}} : tensor<4x2xf32>) permutation = [1, 0]
// IR: linalg.generic
// IR: affine.apply
// IR: tensor.extract
// IR: tensor.extract_slice %{{.*}}[1, 0] [2, 2] [2, 1] : tensor<4x2xf32> to tensor<2x2xf32>
// IR: linalg.broadcast ins(%{{.*}} : tensor<2x2xf32>) outs(%{{.*}} : tensor<2x3x2xf32>) dimensions = [1]
// IR: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]{{\]}} : tensor<2x3x2xf32> into tensor<6x2xf32>
// CHECK: [7,  3],
// CHECK-NEXT: [7,  3],
// CHECK-NEXT: [7,  3],
// CHECK-NEXT: [5,  1],
// CHECK-NEXT: [5,  1],
// CHECK-NEXT: [5,  1]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<2x4xf32>) -> tensor<6x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.reverse %0, dims = [0, 1] : tensor<4x2xf32>
  %2 = stablehlo.slice %1 [1:4:2, 0:2] : (tensor<4x2xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 2] : (tensor<2x2xf32>) -> tensor<2x3x2xf32>
  %4 = stablehlo.reshape %3 : (tensor<2x3x2xf32>) -> tensor<6x2xf32>
  return %4 : tensor<6x2xf32>
}
func.func @main() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %r = call @f(%x) : (tensor<2x4xf32>) -> tensor<6x2xf32>
  %u = tensor.cast %r : tensor<6x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
