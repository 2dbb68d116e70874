// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright-opt %s | mapwright-opt --indexing-legalize-frontend | FileCheck %s

// What a loop carries gets one type: the regions may know less of its sizes than the operands, or more.

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while
// CHECK-SAME: tensor<i32>, tensor<?xi32>
// CHECK: stablehlo.while
// CHECK-SAME: tensor<i32>, tensor<2xi32>
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.optimization_barrier %x : tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %less:2 = "stablehlo.while"(%zero, %0) ({
  ^bb0(%i: tensor<i32>, %v: tensor<2xi32>):
    %three = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<?xi32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.add %v, %v : tensor<?xi32>
    stablehlo.return %j, %w : tensor<i32>, tensor<?xi32>
  }) : (tensor<i32>, tensor<2xi32>) -> (tensor<i32>, tensor<2xi32>)
  check.expect_eq_const %less#1, dense<[8, 16]> : tensor<2xi32>

  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %any = stablehlo.dynamic_reshape %0, %two : (tensor<2xi32>, tensor<1xi64>) -> tensor<?xi32>
  %more:2 = "stablehlo.while"(%zero, %any) ({
  ^bb0(%i: tensor<i32>, %v: tensor<?xi32>):
    %three = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %v: tensor<2xi32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.reverse %v, dims = [0] : tensor<2xi32>
    stablehlo.return %j, %w : tensor<i32>, tensor<2xi32>
  }) : (tensor<i32>, tensor<?xi32>) -> (tensor<i32>, tensor<?xi32>)
  %known = stablehlo.dynamic_reshape %more#1, %two : (tensor<?xi32>, tensor<1xi64>) -> tensor<2xi32>
  check.expect_eq_const %known, dense<[2, 1]> : tensor<2xi32>
  return
}
