// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Indices that are read at run time are clamped as the specification says; slices start there.
// IR-LABEL: func.func @f
// IR: arith.maxsi
// IR: arith.minsi
// IR: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [2, 2] [1, 1] : tensor<4x2xf32> to tensor<2x2xf32>
// IR: tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x2xf32>
// IR: linalg.generic
// IR-SAME: ins(%{{.*}} : tensor<3xi32>)
// IR: tensor.extract
// CHECK: [1,  2],
// CHECK-NEXT: [3,  4],
// CHECK-NEXT: [5,  6],
// CHECK-NEXT: [7,  8]
// CHECK: [1,  2],
// CHECK-NEXT: [7,  8],
// CHECK-NEXT: [3,  4]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<4x2xf32>, %s: tensor<i32>, %i: tensor<3xi32>) -> (tensor<4x2xf32>, tensor<3x2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %s, %zero, sizes = [2, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %1 = stablehlo.dynamic_update_slice %x, %0, %s, %zero : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
  %2 = "stablehlo.gather"(%1, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  return %1, %2 : tensor<4x2xf32>, tensor<3x2xf32>
}
func.func @main() {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %s = arith.constant dense<7> : tensor<i32>
  %i = arith.constant dense<[-2, 9, 1]> : tensor<3xi32>
  %r:2 = call @f(%x, %s, %i) : (tensor<4x2xf32>, tensor<i32>, tensor<3xi32>) -> (tensor<4x2xf32>, tensor<3x2xf32>)
  %u = tensor.cast %r#0 : tensor<4x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %r#1 : tensor<3x2xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return
}
