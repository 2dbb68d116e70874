// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},cse)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg{partial=false},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Padding outside is upstream's; between elements, the operand is put into the padding; what is cut off is a condition.
// IR-LABEL: func.func @f
// IR: tensor.pad %{{.*}} low[1] high[2]
// IR: linalg.fill
// IR: tensor.insert_slice %{{.*}} into %{{.*}}[0] [6] [2] : tensor<6xf32> into tensor<11xf32>
// IR: tensor.extract_slice %{{.*}}[2] [9] [1] : tensor<11xf32> to tensor<9xf32>
// IR: linalg.generic
// IR: scf.if
// IR: tensor.extract
// IR: tensor.insert_slice %{{.*}} into %{{.*}}[0] [9] [1] : tensor<9xf32> into tensor<12xf32>
// IR: tensor.insert_slice %{{.*}} into %{{.*}}[9] [3] [1] : tensor<3xf32> into tensor<12xf32>
// CHECK: [9,  2,  9,  3,  9,  9,  9,  9,  9,  1,  2,  3]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @f(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<12xf32> {
  %0 = stablehlo.pad %x, %v, low = [1], high = [2], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.pad %0, %v, low = [0], high = [0], interior = [1] : (tensor<6xf32>, tensor<f32>) -> tensor<11xf32>
  %2 = stablehlo.pad %1, %v, low = [-2], high = [0], interior = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<9xf32>
  %w = stablehlo.pad %2, %v, low = [-1], high = [1], interior = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  %3 = stablehlo.concatenate %w, %x, dim = 0 : (tensor<9xf32>, tensor<3xf32>) -> tensor<12xf32>
  return %3 : tensor<12xf32>
}
func.func @main() {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %v = arith.constant dense<9.0> : tensor<f32>
  %r = call @f(%x, %v) : (tensor<3xf32>, tensor<f32>) -> tensor<12xf32>
  %u = tensor.cast %r : tensor<12xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
