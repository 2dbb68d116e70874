// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: mapwright-opt %s --pass-pipeline='builtin.module(indexing-lower-in-place)' | FileCheck %s --check-prefix=IR
// A loop carries what no kernel can compute in place: rotated twice, [1, 2, 3] is [3, 1, 2]. The other value is computed in place.
// CHECK: [3,  1,  2]
// CHECK: [4,  4,  4]
// IR: scf.for
// IR: %[[ROTATED:.*]] = indexing.call_kernel
// IR: %[[COPY:.*]] = bufferization.materialize_in_destination %[[ROTATED]] in %
// IR: scf.yield %[[COPY]], %
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main() {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = arith.constant dense<1.0> : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = stablehlo.slice %a [1:3] : (tensor<3xf32>) -> tensor<2xf32>
    %1 = stablehlo.slice %a [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
    %3 = stablehlo.add %b, %b : tensor<3xf32>
    scf.yield %2, %3 : tensor<3xf32>, tensor<3xf32>
  }
  %u = tensor.cast %r#0 : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %r#1 : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return
}
