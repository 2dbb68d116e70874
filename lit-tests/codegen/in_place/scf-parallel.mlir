// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{threads=scf},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{threads=scf},%one_shot_bufferize,convert-scf-to-openmp)' | FileCheck %s --check-prefix=OPENMP
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,bufferization-lower-deallocations,convert-bufferization-to-memref,%to_llvm)' | %run_main | FileCheck %s
// Tiles in parallel, and buffers freed by upstream's passes: the sum of 300 x 200 sixteenths of 1 + 1 is 7500.
// CHECK: [7500]
// OPENMP: func.func private @work_region_0(
// OPENMP: omp.parallel
// OPENMP: func.call @work_region_0_kernel
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @work(%a: tensor<300x200xf32>) -> tensor<300x200xf32> {
  %p = stablehlo.tanh %a : tensor<300x200xf32>
  %q = stablehlo.divide %p, %p : tensor<300x200xf32>
  %r = stablehlo.multiply %a, %q : tensor<300x200xf32>
  return %r : tensor<300x200xf32>
}
func.func @main() {
  %x = stablehlo.constant dense<2.0> : tensor<300x200xf32>
  %r = call @work(%x) : (tensor<300x200xf32>) -> tensor<300x200xf32>
  %s = stablehlo.constant dense<0.0625> : tensor<300x200xf32>
  %t = stablehlo.multiply %r, %s : tensor<300x200xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<300x200xf32>, tensor<f32>) -> tensor<f32>
  %one = stablehlo.reshape %sum : (tensor<f32>) -> tensor<1xf32>
  %u = tensor.cast %one : tensor<1xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
