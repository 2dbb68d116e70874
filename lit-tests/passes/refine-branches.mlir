// RUN: mapwright-opt %s --split-input-file --indexing-refine-shapes | FileCheck %s
// A function of several blocks gives the types that it declares.
// CHECK-LABEL: func.func @main(%arg0: tensor<3xf32>, %arg1: i1) -> tensor<?xf32>
// CHECK: cf.cond_br
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<3xf32>
// CHECK: tensor.cast %{{.*}} : tensor<3xf32> to tensor<?xf32>
// CHECK: return %{{.*}} : tensor<?xf32>
// CHECK-LABEL: func.func @main() {
// CHECK: cf.cond_br
// CHECK: return
func.func @main(%x: tensor<3xf32>, %flag: i1) -> tensor<?xf32> {
  %d = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  cf.cond_br %flag, ^yes, ^no
^yes:
  %0 = stablehlo.add %d, %d : tensor<?xf32>
  return %0 : tensor<?xf32>
^no:
  return %d : tensor<?xf32>
}
// -----
func.func @main() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %x = arith.constant dense<1.0> : tensor<3xf32>
  cf.br ^loop(%c0, %x : index, tensor<3xf32>)
^loop(%i: index, %a: tensor<3xf32>):
  %go = arith.cmpi slt, %i, %c4 : index
  cf.cond_br %go, ^body, ^end
^body:
  %n = stablehlo.add %a, %x : tensor<3xf32>
  cf.br ^loop(%c4, %n : index, tensor<3xf32>)
^end:
  return
}
