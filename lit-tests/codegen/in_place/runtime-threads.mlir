// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{threads=runtime},%one_shot_bufferize)' | FileCheck %s --check-prefix=IR
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{threads=runtime},%one_shot_bufferize,%to_llvm)' > %t.mlir
// RUN: env MAPWRIGHT_THREADS=2 %run_main < %t.mlir | FileCheck %s
// RUN: env MAPWRIGHT_THREADS=1 %run_main < %t.mlir | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{threads=runtime},%one_shot_bufferize,ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,bufferization-lower-deallocations,convert-bufferization-to-memref,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{cpu=x86-64-v3 features=+fma,-avx2},%one_shot_bufferize)' | FileCheck %s --check-prefix=TARGET
// RUN: not %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{features=fma})' 2>&1 | FileCheck %s --check-prefix=SIGN
// RUN: not %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{features=+nosuch})' 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{target=no-such-machine})' 2>&1 | FileCheck %s --check-prefix=TRIPLE
// Tiles on the threads of the runtime library, also of run-time sizes: the sum of 300 x 200 sixteenths of 1 + 1 is 7500.
// CHECK: [7500]
// CHECK: [7500]
// IR: func.func private @work_region_0(
// IR: memref.alloca() : memref<{{.*}}xi64>
// IR: constant @work_region_0_kernel_task
// IR: llvm.call @mw_shared_threads()
// IR: llvm.call @mw_parallel_for_grain(
// IR: llvm.call @mw_stop_on_error(
// So does what the library computes.
// IR: llvm.func internal @sorted_sort_0_call(
// IR: llvm.call @mw_shared_threads()
// Kernels say for which CPU they are made, and the module for which machine; nothing else does.
// TARGET: module attributes {llvm.data_layout = "{{.+}}", llvm.target_triple = "{{.+}}"} {
// TARGET: func.func private @work(%arg0: memref<300x200xf32>) -> memref<300x200xf32> {
// TARGET: func.func private @work_region_0{{.*}}passthrough = {{\[\[}}"target-cpu", "x86-64-v3"], ["target-features", "{{.*}}+fma,-avx2"]]
// FEATURE: error: {{.*}}LLVM knows no feature 'nosuch' for
// SIGN: error: {{.*}}the feature 'fma' begins with neither + nor -
// TRIPLE: error: {{.*}}no-such-machine
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @work(%a: tensor<300x200xf32>) -> tensor<300x200xf32> {
  %p = stablehlo.tanh %a : tensor<300x200xf32>
  %q = stablehlo.divide %p, %p : tensor<300x200xf32>
  %r = stablehlo.multiply %a, %q : tensor<300x200xf32>
  return %r : tensor<300x200xf32>
}
func.func private @sized(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = stablehlo.tanh %a : tensor<?x?xf32>
  %q = stablehlo.divide %p, %p : tensor<?x?xf32>
  %r = stablehlo.multiply %a, %q : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @sorted(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
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
  %d = tensor.cast %x : tensor<300x200xf32> to tensor<?x?xf32>
  %e = call @sized(%d) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %f = tensor.cast %e : tensor<?x?xf32> to tensor<300x200xf32>
  %t2 = stablehlo.multiply %f, %s : tensor<300x200xf32>
  %sum2 = stablehlo.reduce(%t2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<300x200xf32>, tensor<f32>) -> tensor<f32>
  %one2 = stablehlo.reshape %sum2 : (tensor<f32>) -> tensor<1xf32>
  %u2 = tensor.cast %one2 : tensor<1xf32> to tensor<*xf32>
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  return
}
