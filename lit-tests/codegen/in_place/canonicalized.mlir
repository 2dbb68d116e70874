// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,canonicalize,cse,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-lower-in-place,canonicalize)' | FileCheck %s --check-prefix=IR
// Upstream's canonicalization finds sizes that a kernel for every size was not told.
// IR: indexing.call_kernel @{{.*}} ins(%{{.*}} : tensor<3xf32>)
// CHECK: [2,  4,  6]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main() {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %d = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %0 = stablehlo.add %d, %d : tensor<?xf32>
  %u = tensor.cast %0 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
