// RUN: mapwright maps %s --compose --direction both | FileCheck %s

// Places that are read at run time, seen from where they are asked about.

func.func private @g(%x: tensor<8xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [4] : (tensor<8xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Argument 1 of the function is argument 2 of its caller.
// CHECK-LABEL: func @caller
// CHECK: func.call
// CHECK: result 0 -> operand 0
// CHECK-NEXT: (d0){rt0} -> (d0 + rt0), {{.*}} rt0 = %arg2[
// CHECK: result 0 -> argument 1
// CHECK-NEXT: (d0){rt0} -> (d0 + rt0), {{.*}} rt0 = %arg2[
func.func @caller(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<i32>) -> tensor<4xf32> {
  %0 = func.call @g(%b, %c) : (tensor<8xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A value that a region uses, forward: the loop runs four times and reads four elements.
// CHECK-LABEL: func @used_inside
// CHECK: result 0 -> argument 0
// CHECK-NEXT: ()[s0] -> (s0), domain: s0 in [0, 3]{{$}}
// CHECK: argument 0 -> result 0
// CHECK-NEXT: (d0) -> (), domain: d0 in [0, 3]{{$}}
func.func @used_inside(%a: tensor<8xf32>, %b: tensor<f32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %z, %s = %b) : tensor<i32>, tensor<f32>
    cond {
      %n = stablehlo.constant dense<4> : tensor<i32>
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %e = stablehlo.dynamic_slice %a, %i, sizes = [1] : (tensor<8xf32>, tensor<i32>) -> tensor<1xf32>
      %r = stablehlo.reshape %e : (tensor<1xf32>) -> tensor<f32>
      %t = stablehlo.add %s, %r : tensor<f32>
      %k = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %k, %t : tensor<i32>, tensor<f32>
    }
  return %0#1 : tensor<f32>
}
