// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,bufferization-lower-deallocations,convert-bufferization-to-memref,%to_llvm)' | %run_main | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize)' | FileCheck %s --check-prefix=BUFFERS
// A loop that updates a slice: in place, except for one copy of what is used afterwards.
// BUFFERS: func.func @squares(%[[X:.*]]: memref<6xf32>)
// BUFFERS: scf.for {{.*}} iter_args(%[[A:.*]] = %[[X]])
// BUFFERS-NOT: memref.copy
// BUFFERS: call @squares_region_1(%{{.*}}, %{{.*}}, %[[A]])
// BUFFERS-NEXT: scf.yield %[[A]]
// CHECK: [1,  4,  9,  16,  25,  36]
// CHECK: [1,  2,  3,  4,  5,  6]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @squares(%x: tensor<6xf32>) -> tensor<6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%acc = %x) -> tensor<6xf32> {
    %k = arith.index_cast %i : index to i32
    %at = tensor.from_elements %k : tensor<i32>
    %s = stablehlo.dynamic_slice %acc, %at, sizes = [1] : (tensor<6xf32>, tensor<i32>) -> tensor<1xf32>
    %m = stablehlo.multiply %s, %s : tensor<1xf32>
    %u = stablehlo.dynamic_update_slice %acc, %m, %at : (tensor<6xf32>, tensor<1xf32>, tensor<i32>) -> tensor<6xf32>
    scf.yield %u : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}
func.func @main() {
  %x = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %r = call @squares(%x) : (tensor<6xf32>) -> tensor<6xf32>
  %u = tensor.cast %r : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %x : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return
}
