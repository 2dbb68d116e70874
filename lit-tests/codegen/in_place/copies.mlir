// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{threads=runtime},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place{vector-bits=128},%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize)' | FileCheck %s --check-prefix=BUFFERS
// A large tensor that an update must not overwrite is copied by a kernel, past the caches; a small one by upstream's copy.
// BUFFERS-LABEL: func.func @stays(
// BUFFERS: %[[NEW:.*]] = memref.alloc() {{.*}} : memref<1100003xf32>
// BUFFERS-NEXT: call @stays_copy_0(%arg0, %[[NEW]])
// BUFFERS-NOT: memref.copy
// BUFFERS: call @stays_region_{{[0-9]}}(%{{.*}}, %[[NEW]])
// BUFFERS-LABEL: func.func @small(
// BUFFERS: memref.copy
// BUFFERS-LABEL: func.func private @stays_copy_0_kernel(
// BUFFERS: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK: [0,  7,  8,  -1,  1.1e+06]
// CHECK: [0,  7,  8,  9,  1.1e+06]
// CHECK: [0,  1,  -3]
// CHECK: [0,  1,  2]
// CHECK: [-4,  7,  8,  9,  1.1e+06]
// CHECK: [-4,  1,  2]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @stays(%x: tensor<1100003xf32> {bufferization.writable = false}, %v: tensor<1xf32>, %i: tensor<i32>) -> tensor<1100003xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %v, %i : (tensor<1100003xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1100003xf32>
  return %0 : tensor<1100003xf32>
}
func.func @small(%x: tensor<3xf32> {bufferization.writable = false}) -> tensor<3xf32> {
  %v = stablehlo.constant dense<-3.0> : tensor<1xf32>
  %i = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %v, %i : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @any(%x: tensor<?xf32> {bufferization.writable = false}) -> tensor<?xf32> {
  %v = stablehlo.constant dense<-4.0> : tensor<1xf32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %v, %i : (tensor<?xf32>, tensor<1xf32>, tensor<i32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @show(%x: tensor<1100003xf32>) {
  %a = tensor.extract_slice %x[0] [1] [1] : tensor<1100003xf32> to tensor<1xf32>
  %b = tensor.extract_slice %x[7] [3] [1] : tensor<1100003xf32> to tensor<3xf32>
  %c = tensor.extract_slice %x[1100002] [1] [1] : tensor<1100003xf32> to tensor<1xf32>
  %0 = stablehlo.concatenate %a, %b, %c, dim = 0 : (tensor<1xf32>, tensor<3xf32>, tensor<1xf32>) -> tensor<5xf32>
  %u = tensor.cast %0 : tensor<5xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
func.func private @show_few(%x: tensor<3xf32>) {
  %u = tensor.cast %x : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
func.func @main() {
  %x = stablehlo.iota dim = 0 : tensor<1100003xf32>
  %v = stablehlo.constant dense<-1.0> : tensor<1xf32>
  %i = stablehlo.constant dense<9> : tensor<i32>
  %0 = call @stays(%x, %v, %i) : (tensor<1100003xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1100003xf32>
  call @show(%0) : (tensor<1100003xf32>) -> ()
  call @show(%x) : (tensor<1100003xf32>) -> ()
  %y = stablehlo.iota dim = 0 : tensor<3xf32>
  %1 = call @small(%y) : (tensor<3xf32>) -> tensor<3xf32>
  call @show_few(%1) : (tensor<3xf32>) -> ()
  call @show_few(%y) : (tensor<3xf32>) -> ()
  %large = tensor.cast %x : tensor<1100003xf32> to tensor<?xf32>
  %2 = call @any(%large) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = tensor.cast %2 : tensor<?xf32> to tensor<1100003xf32>
  call @show(%3) : (tensor<1100003xf32>) -> ()
  %few = tensor.cast %y : tensor<3xf32> to tensor<?xf32>
  %4 = call @any(%few) : (tensor<?xf32>) -> tensor<?xf32>
  %5 = tensor.cast %4 : tensor<?xf32> to tensor<3xf32>
  call @show_few(%5) : (tensor<3xf32>) -> ()
  return
}
