// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright maps %s --func chosen | FileCheck %s

// Operands in shapes that older programs give them, and attributes that are of both operands.

// CHECK: mhlo.select
// CHECK: result 0 -> operand 0
// CHECK-NEXT: (d0, d1) -> (d0, d1)
func.func private @chosen(%p: tensor<2xi1>, %x: tensor<3x2xf32>, %y: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = "mhlo.select"(%p, %x, %y) : (tensor<2xi1>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %y = stablehlo.constant dense<0.0> : tensor<3x2xf32>
  // A predicate of the last dimension, and one of each row.
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %0 = func.call @chosen(%p, %x, %y) : (tensor<2xi1>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %0, dense<[[1.0, 0.0], [3.0, 0.0], [5.0, 0.0]]> : tensor<3x2xf32>
  %q = stablehlo.constant dense<[[false], [true], [false]]> : tensor<3x1xi1>
  %1 = "mhlo.select"(%q, %x, %y) : (tensor<3x1xi1>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %1, dense<[[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]]> : tensor<3x2xf32>
  // An initial value that is a vector of one element.
  %ten = stablehlo.constant dense<10.0> : tensor<1xf32>
  %2 = "stablehlo.reduce"(%x, %ten) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<3x2xf32>, tensor<1xf32>) -> tensor<3xf32>
  check.expect_eq_const %2, dense<[13.0, 17.0, 21.0]> : tensor<3xf32>
  // One precision for both factors.
  %3 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], precision = [HIGHEST] : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  check.expect_eq_const %3, dense<[[5.0, 11.0, 17.0], [11.0, 25.0, 39.0], [17.0, 39.0, 61.0]]> : tensor<3x3xf32>
  // A kind of comparison that the elements do not have: they decide.
  %u = stablehlo.constant dense<[-1.0, 2.0]> : tensor<2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<2xf32>
  %4 = stablehlo.compare LT, %u, %z, SIGNED : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  check.expect_eq_const %4, dense<[true, false]> : tensor<2xi1>
  %i = stablehlo.constant dense<[-1, 2]> : tensor<2xi32>
  %n = stablehlo.constant dense<0> : tensor<2xi32>
  %5 = stablehlo.compare LT, %i, %n, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  check.expect_eq_const %5, dense<[true, false]> : tensor<2xi1>
  // Collective operations of one process, with operands of different shapes.
  %6:2 = "stablehlo.all_reduce"(%x, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<3x2xf32>, tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
  check.expect_eq %6#0, %x : tensor<3x2xf32>
  check.expect_eq %6#1, %u : tensor<2xf32>
  return
}
