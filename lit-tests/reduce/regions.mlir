// The operation that matters is in the body of a loop, in a branch, in a function of two results. Nothing of these is left.
// RUN: mapwright reduce %s --if 'grep -q stablehlo.cosine' -o - | FileCheck %s --implicit-check-not=stablehlo

// CHECK:     func.func {{.*}}(%arg0: tensor<1xf32>) -> tensor<1xf32> {
// CHECK-NEXT:  %0 = stablehlo.cosine %arg0 : tensor<1xf32>
// CHECK-NEXT:  return %0 : tensor<1xf32>
func.func private @inner(%x: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %half = stablehlo.cosine %v : tensor<8xf32>
    stablehlo.return %next, %half : tensor<i32>, tensor<8xf32>
  }
  return %0#1, %0#0 : tensor<8xf32>, tensor<i32>
}
func.func @main(%p: tensor<i1>, %x: tensor<8xf32>, %n: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = "stablehlo.if"(%p) ({
    %1:2 = func.call @inner(%x, %n) : (tensor<8xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<i32>)
    stablehlo.return %1#0 : tensor<8xf32>
  }, {
    %2 = stablehlo.negate %x : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %3 = stablehlo.abs %0 : tensor<8xf32>
  return %0, %3 : tensor<8xf32>, tensor<8xf32>
}
