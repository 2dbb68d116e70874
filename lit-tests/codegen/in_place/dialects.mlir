// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s --check-prefix=IR --implicit-check-not=mhlo. --implicit-check-not=chlo. --implicit-check-not=stablehlo.
// MHLO and CHLO as well, blocks with branches, scf.while, a composite.
// CHECK: [0,  3,  8]
// CHECK: [16,  16]
// IR: func.func private @square(
// IR: cf.cond_br
// IR: scf.while
// IR: call @decomposed
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @square(%x: tensor<3xf32>, %flag: i1) -> tensor<3xf32> {
  %0 = mhlo.multiply %x, %x : tensor<3xf32>
  cf.cond_br %flag, ^yes(%0 : tensor<3xf32>), ^no
^yes(%a: tensor<3xf32>):
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = chlo.broadcast_subtract %a, %one : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
^no:
  return %x : tensor<3xf32>
}
func.func private @decomposed(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main() {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %yes = arith.constant true
  %0 = call @square(%x, %yes) : (tensor<3xf32>, i1) -> tensor<3xf32>
  %u = tensor.cast %0 : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.while (%i = %c0, %a = %one) : (index, tensor<2xf32>) -> (index, tensor<2xf32>) {
    %go = arith.cmpi slt, %i, %c4 : index
    scf.condition(%go) %i, %a : index, tensor<2xf32>
  } do {
  ^bb0(%i: index, %a: tensor<2xf32>):
    %next = arith.addi %i, %c1 : index
    %b = stablehlo.composite "mine.double" %a {decomposition = @decomposed} : (tensor<2xf32>) -> tensor<2xf32>
    scf.yield %next, %b : index, tensor<2xf32>
  }
  %v = tensor.cast %r#1 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return
}
