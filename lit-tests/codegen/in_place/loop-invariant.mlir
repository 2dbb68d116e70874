// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-legalize-to-linalg,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Loops in which the normal form leaves nothing of StableHLO: what does not depend on the round is computed once before it, and what nobody reads never.
// The next values are in other buffers all the same, and are copied.
// CHECK: [3,  2,  1]
// CHECK: [2,  2]
// CHECK: [1,  1]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @turned(%x: tensor<3xf32>, %n: index) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %once = stablehlo.reverse %x, dims = [0] : tensor<3xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<3xf32> {
    %again = stablehlo.reverse %x, dims = [0] : tensor<3xf32>
    scf.yield %again : tensor<3xf32>
  }
  %z = stablehlo.subtract %r, %once : tensor<3xf32>
  %s = stablehlo.add %z, %once : tensor<3xf32>
  return %s : tensor<3xf32>
}
func.func private @exchanged(%x: tensor<2xf32>, %y: tensor<2xf32>, %n: index) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2xf32>, tensor<2xf32>) {
    %unread = stablehlo.negate %a : tensor<2xf32>
    scf.yield %b, %a : tensor<2xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}
func.func @main() {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %two = arith.constant dense<2.0> : tensor<2xf32>
  %c3 = arith.constant 3 : index
  %t = call @turned(%x, %c3) : (tensor<3xf32>, index) -> tensor<3xf32>
  %e:2 = call @exchanged(%one, %two, %c3) : (tensor<2xf32>, tensor<2xf32>, index) -> (tensor<2xf32>, tensor<2xf32>)
  %p0 = tensor.cast %t : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%p0) : (tensor<*xf32>) -> ()
  %p1 = tensor.cast %e#0 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%p1) : (tensor<*xf32>) -> ()
  %p2 = tensor.cast %e#1 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%p2) : (tensor<*xf32>) -> ()
  return
}
