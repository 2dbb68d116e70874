// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false fuse=true},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false fuse=true},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// One generic of a region: the maps of its members are composed, and simplified; what is sliced, transposed and broadcast is an index.
// IR: affine_map<(d0) -> (d0 + 1)>
// IR-LABEL: func.func @f
// IR: linalg.generic
// IR-SAME: ins(%{{.*}} : tensor<2xf32>) outs(%{{.*}} : tensor<3x2xf32>)
// IR: linalg.index 0
// IR: linalg.index 1
// IR: affine.apply
// IR-NOT: linalg.transpose
// IR: return
// IR-LABEL: func.func @g
// IR: linalg.generic
// IR-SAME: iterator_types = ["parallel", "reduction"]
// IR: arith.mulf
// IR: arith.addf
// IR-NOT: linalg.reduce
// IR: return
// CHECK: [14,  31],
// CHECK-NEXT: [16,  34],
// CHECK-NEXT: [18,  37]
// CHECK: [36,  311]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<2x5xf32>, %y: tensor<2xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.slice %x [0:2, 1:4] : (tensor<2x5xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<2x3xf32>
  %c = stablehlo.constant dense<10.0> : tensor<2x3xf32>
  %3 = stablehlo.add %2, %c : tensor<2x3xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %4 : tensor<3x2xf32>
}
func.func @g(%x: tensor<2x5xf32>, %z: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<2x5xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2x5xf32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
func.func @main() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]]> : tensor<2x5xf32>
  %y = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %r = call @f(%x, %y) : (tensor<2x5xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %u = tensor.cast %r : tensor<3x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %z = arith.constant dense<1.0> : tensor<f32>
  %s = call @g(%x, %z) : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
  %v = tensor.cast %s : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return
}
