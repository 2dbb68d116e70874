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
// CHECK: [2,  4,  6,  12]
// CHECK: [12,  6,  4,  2]
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
func.func @main() {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %r:2 = call @f(%c) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %u = tensor.cast %r#0 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %r#1 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return
}
