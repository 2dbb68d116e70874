// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{threads=scf},%one_shot_bufferize,async-parallel-for{num-workers=2},async-to-async-runtime,async-runtime-ref-counting,async-runtime-ref-counting-opt,convert-async-to-llvm,%to_llvm)' > %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: %run_main_with_async < %t.mlir | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{threads=scf},%one_shot_bufferize,convert-scf-to-openmp,%to_llvm)' | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=OPENMP
// Tiles in parallel by upstream's tasks, and in LLVM's form for OpenMP: the sum of 300 x 200 sixteenths of 1 + 1 is 7500.
// IR: llvm.call @mlirAsyncRuntimeExecute
// CHECK: [7500]
// OPENMP: call {{.*}}@__kmpc_fork_call
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
