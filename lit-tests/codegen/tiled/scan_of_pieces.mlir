// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// A running sum over a padded tensor: the loop is cut where the padding ends, so that vectors end in the middle of the dimension. Lanes beyond
// the cut add nothing to what is carried on.

// CHECK: dense<[10, 20, 30, 31, 41, 43, 53, 56, 66, 70, 80, 85, 95, 101, 111]> : tensor<15xi32>
func.func @main() -> tensor<15xi32> {
  %n = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7]> : tensor<7xi32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %x, %v = stablehlo.optimization_barrier %n, %ten : tensor<7xi32>, tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %padded = stablehlo.pad %x, %v, low = [3], high = [-1], interior = [1] : (tensor<7xi32>, tensor<i32>) -> tensor<15xi32>
  %0 = "stablehlo.reduce_window"(%padded, %zero) <{window_dimensions = array<i64: 15>, padding = dense<[[14, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<15xi32>, tensor<i32>) -> tensor<15xi32>
  return %0 : tensor<15xi32>
}
