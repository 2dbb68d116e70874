// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-lower-in-place,builtin.module(%one_shot_bufferize))' | FileCheck %s --check-prefix=BUFFERS --implicit-check-not=indexing.
// Kernels go to the module that the function is in.
// CHECK: module @inner
// CHECK: call_kernel @nested_region_0
// CHECK: func.func private @nested_region_0(
// BUFFERS: module @inner
// BUFFERS: call @nested_region_0(
module @inner {
  func.func @nested(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.cosine %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
func.func private @beside()
