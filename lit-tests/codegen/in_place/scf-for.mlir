// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// A loop of scf carries a tensor: five times 2 x - 1.
// CHECK: [1,  33,  65]
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main() {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %x) -> tensor<3xf32> {
    %0 = stablehlo.add %acc, %acc : tensor<3xf32>
    %1 = stablehlo.subtract %0, %one : tensor<3xf32>
    scf.yield %1 : tensor<3xf32>
  }
  %u = tensor.cast %r : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
