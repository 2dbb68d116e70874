// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s

// Tuples as arguments and results are taken apart, those inside of others as well.

// CHECK: dense<[true, true, true]> : tensor<3xi1>
// CHECK: dense<[0, 1]> : tensor<2xi32>
// CHECK: dense<7> : tensor<i64>
func.func @main(%arg: tuple<tensor<3xi32>, tuple<tensor<3xi32>, tensor<f32>>>, %other: tensor<3xi32>) -> tuple<tensor<3xi1>, tuple<tensor<2xi32>, tensor<i64>>> {
  %a = stablehlo.get_tuple_element %arg[0] : (tuple<tensor<3xi32>, tuple<tensor<3xi32>, tensor<f32>>>) -> tensor<3xi32>
  %in = stablehlo.get_tuple_element %arg[1] : (tuple<tensor<3xi32>, tuple<tensor<3xi32>, tensor<f32>>>) -> tuple<tensor<3xi32>, tensor<f32>>
  %b = stablehlo.get_tuple_element %in[0] : (tuple<tensor<3xi32>, tensor<f32>>) -> tensor<3xi32>
  %ab = stablehlo.add %a, %b : tensor<3xi32>
  %sum = stablehlo.add %ab, %other : tensor<3xi32>
  %back = stablehlo.subtract %sum, %other : tensor<3xi32>
  %again = stablehlo.subtract %back, %b : tensor<3xi32>
  %same = stablehlo.compare EQ, %again, %a : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %n = stablehlo.iota dim = 0 : tensor<2xi32>
  %seven = stablehlo.constant dense<7> : tensor<i64>
  %inner = stablehlo.tuple %n, %seven : tuple<tensor<2xi32>, tensor<i64>>
  %outer = stablehlo.tuple %same, %inner : tuple<tensor<3xi1>, tuple<tensor<2xi32>, tensor<i64>>>
  return %outer : tuple<tensor<3xi1>, tuple<tensor<2xi32>, tensor<i64>>>
}
