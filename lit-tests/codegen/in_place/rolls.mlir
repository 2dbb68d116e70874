// RUN: %mlir_opt_with_plugin %s --pass-pipeline='builtin.module(indexing-lower-in-place,%one_shot_bufferize,%to_llvm)' | %run_main | FileCheck %s
// Rolls along a dimension of run-time size: sizes of pieces that no tensor has, which follow from an argument.
// CHECK: [3,  1,  2]
// CHECK-NEXT: [6,  4,  5]
// CHECK: [2,  3,  1]
// CHECK-NEXT: [5,  6,  4]
// CHECK: [3,  1,  2]
// CHECK-NEXT: [6,  4,  5]
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @roll(%x: tensor<2x?xf32>, %s: tensor<1xi32>) -> tensor<2x?xf32> {
  %rows = stablehlo.constant dense<2> : tensor<1xi32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %origin = stablehlo.constant dense<0> : tensor<2xi32>
  %steps = stablehlo.constant dense<1> : tensor<2xi32>
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %begin = stablehlo.concatenate %zero, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %middle = stablehlo.concatenate %rows, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %end = stablehlo.concatenate %rows, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %last = stablehlo.real_dynamic_slice %x, %begin, %end, %steps : (tensor<2x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x?xf32>
  %first = stablehlo.real_dynamic_slice %x, %origin, %middle, %steps : (tensor<2x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x?xf32>
  %r = stablehlo.concatenate %last, %first, dim = 1 : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return %r : tensor<2x?xf32>
}
func.func @main() {
  %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %a1 = tensor.cast %a : tensor<2x3xf32> to tensor<2x?xf32>
  %two = arith.constant dense<2> : tensor<1xi32>
  %one = arith.constant dense<1> : tensor<1xi32>
  %r = call @roll(%a1, %two) : (tensor<2x?xf32>, tensor<1xi32>) -> tensor<2x?xf32>
  %s = call @roll(%a1, %one) : (tensor<2x?xf32>, tensor<1xi32>) -> tensor<2x?xf32>
  %t = call @roll(%s, %one) : (tensor<2x?xf32>, tensor<1xi32>) -> tensor<2x?xf32>
  %r1 = tensor.cast %r : tensor<2x?xf32> to tensor<*xf32>
  call @printMemrefF32(%r1) : (tensor<*xf32>) -> ()
  %s1 = tensor.cast %s : tensor<2x?xf32> to tensor<*xf32>
  call @printMemrefF32(%s1) : (tensor<*xf32>) -> ()
  %t1 = tensor.cast %t : tensor<2x?xf32> to tensor<*xf32>
  call @printMemrefF32(%t1) : (tensor<*xf32>) -> ()
  return
}
