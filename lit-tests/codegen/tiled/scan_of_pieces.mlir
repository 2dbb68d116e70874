// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// A running sum over a padded tensor: the loop is cut where the padding ends, so that vectors end in the middle of the dimension. Lanes beyond
// the cut add nothing to what is carried on.

// The same of bytes in two parts, whose vectors LLVM would not be done with.

// CHECK: dense<[10, 20, 30, 31, 41, 43, 53, 56, 66, 70, 80, 85, 95, 101, 111]> : tensor<15xi32>
// CHECK: dense<[1, 3, 6, 7, 9, 12, 16]> : tensor<7xi8>
func.func @main() -> (tensor<15xi32>, tensor<7xi8>) {
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
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi8>
  %d = stablehlo.constant dense<[3, 1, 2, 3, 4]> : tensor<5xi8>
  %e, %f = stablehlo.optimization_barrier %c, %d : tensor<2xi8>, tensor<5xi8>
  %ef = stablehlo.concatenate %e, %f, dim = 0 : (tensor<2xi8>, tensor<5xi8>) -> tensor<7xi8>
  %none = stablehlo.constant dense<0> : tensor<i8>
  %1 = "stablehlo.reduce_window"(%ef, %none) <{window_dimensions = array<i64: 7>, padding = dense<[[6, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %s = stablehlo.add %a, %b : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<7xi8>, tensor<i8>) -> tensor<7xi8>
  return %0, %1 : tensor<15xi32>, tensor<7xi8>
}
