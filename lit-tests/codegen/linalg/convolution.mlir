// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Padding and holes are operations of their own; then the input is read at a sum of loops.
// IR: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d4 * 2, d3)>
// IR-LABEL: func.func @f
// IR: tensor.insert_slice %{{.*}} into %{{.*}}[0, 1, 0] [1, 3, 2] [1, 2, 1]
// IR: linalg.generic
// IR-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]
// CHECK: [0],
// CHECK-NEXT: [9],
// CHECK-NEXT: [0],
// CHECK-NEXT: [17],
// CHECK-NEXT: [0]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<1x3x2xf32>, %k: tensor<2x2x1xf32>) -> tensor<1x5x1xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {pad = [[1, 1]], lhs_dilate = [2], rhs_dilate = [2], reverse = [true]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x3x2xf32>, tensor<2x2x1xf32>) -> tensor<1x5x1xf32>
  return %0 : tensor<1x5x1xf32>
}
func.func @main() {
  %x = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>
  %k = arith.constant dense<[[[1.0], [0.0]], [[0.0], [3.0]]]> : tensor<2x2x1xf32>
  %r = call @f(%x, %k) : (tensor<1x3x2xf32>, tensor<2x2x1xf32>) -> tensor<1x5x1xf32>
  %u = tensor.cast %r : tensor<1x5x1xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
