// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Sizes that are known at run time only.
// IR-LABEL: func.func @f
// IR: tensor.dim
// IR: linalg.generic
// IR: linalg.reduce
// IR: tensor.insert_slice
// IR: tensor.insert_slice
// IR: linalg.generic
// A reshape to several open sizes is one operation, and slices may be of sizes that are computed; starts are clamped so that they fit.
// IR-LABEL: func.func @open_sizes
// IR: tensor.reshape
// IR-LABEL: func.func @slices
// IR-NOT: "stablehlo.dynamic_gather"
// IR: linalg.generic
// CHECK: [2,  4,  6,  12]
// CHECK: [12,  6,  4,  2]
// CHECK: sizes = [3, 2]
// CHECK: {{\[}}[1,   2],
// CHECK:  [3,   4],
// CHECK:  [5,   6]]
// CHECK: {{\[}}[1,   2],
// CHECK:  [5,   6]]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = stablehlo.add %x, %x : tensor<?xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reshape %1 : (tensor<f32>) -> tensor<1xf32>
  %3 = stablehlo.concatenate %0, %2, dim = 0 : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %4 = stablehlo.reverse %3, dims = [0] : tensor<?xf32>
  return %3, %4 : tensor<?xf32>, tensor<?xf32>
}
func.func @open_sizes(%x: tensor<?xf32>, %sizes: tensor<2xi64>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_reshape %x, %sizes : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @slices(%x: tensor<?xf32>, %at: tensor<2x1xi32>, %size: tensor<1xi32>) -> tensor<2x?xf32> {
  %0 = "stablehlo.dynamic_gather"(%x, %at, %size) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>}>
    : (tensor<?xf32>, tensor<2x1xi32>, tensor<1xi32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
func.func @main() {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %r:2 = call @f(%c) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %u = tensor.cast %r#0 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %r#1 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  %y = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %open = tensor.cast %y : tensor<6xf32> to tensor<?xf32>
  %sizes = arith.constant dense<[3, 2]> : tensor<2xi64>
  %reshaped = call @open_sizes(%open, %sizes) : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %w = tensor.cast %reshaped : tensor<?x?xf32> to tensor<*xf32>
  call @printMemrefF32(%w) : (tensor<*xf32>) -> ()
  %at = arith.constant dense<[[0], [5]]> : tensor<2x1xi32>
  %size = arith.constant dense<[2]> : tensor<1xi32>
  %read = call @slices(%open, %at, %size) : (tensor<?xf32>, tensor<2x1xi32>, tensor<1xi32>) -> tensor<2x?xf32>
  %z = tensor.cast %read : tensor<2x?xf32> to tensor<*xf32>
  call @printMemrefF32(%z) : (tensor<*xf32>) -> ()
  return
}
