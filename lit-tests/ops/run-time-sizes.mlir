// RUN: mapwright maps %s --compose | FileCheck %s
// RUN: mapwright maps %s --compose --json | FileCheck --check-prefix=JSON %s
// RUN: mapwright-opt %s --indexing-annotate=direction=output-to-input | FileCheck --check-prefix=ANNOTATED %s
// RUN: mapwright-opt %s --indexing-annotate=direction=output-to-input | mapwright-opt | FileCheck --check-prefix=ANNOTATED %s
// RUN: mapwright maps %s --compose --verify-each-rewrite | FileCheck %s

// Sizes that are equal are one variable, whichever operand they are read from; those without a bound have no end.

// CHECK-LABEL: func @sum
// CHECK: stablehlo.add
// CHECK-NEXT: result 0 -> operand 0
// CHECK-NEXT: (d0, d1){rt0, rt1} -> (d0, d1), domain: d0 in [0, inf], d1 in [0, inf], rt0 in [0, inf], rt1 in [0, inf], d0 - rt0 in [-inf, -1], d1 - rt1 in [-inf, -1]; rt0 = get_dimension_size(%arg0, 0)[]; rt1 = get_dimension_size(%arg0, 1)[]
// CHECK-NEXT: result 0 -> operand 1
// CHECK-NEXT: (d0, d1){rt0, rt1} -> (d0, d1), domain: d0 in [0, inf], d1 in [0, inf], rt0 in [0, inf], rt1 in [0, inf], d0 - rt0 in [-inf, -1], d1 - rt1 in [-inf, -1]; rt0 = get_dimension_size(%arg0, 0)[]; rt1 = get_dimension_size(%arg0, 1)[]
// CHECK: result 0 -> argument 1
// CHECK-NEXT: (d0, d1){rt0, rt1} -> (d0, d1), domain: d0 in [0, inf], d1 in [0, inf], rt0 in [0, inf], rt1 in [0, inf], d0 - rt0 in [-inf, -1], d1 - rt1 in [-inf, -1]; rt0 = get_dimension_size(%arg0, 0)[]; rt1 = get_dimension_size(%arg0, 1)[]
// JSON: "clamp":[0,null]
// ANNOTATED: #[[SUM:indexing_map[0-9]*]] = #indexing.map<(d0, d1){rt0, rt1} -> (d0, d1), domain: d0 in [0, inf], d1 in [0, inf], rt0 in [0, inf], rt1 in [0, inf], d0 - rt0 in [-inf, -1], d1 - rt1 in [-inf, -1]>
// ANNOTATED-LABEL: func.func @sum
// ANNOTATED: stablehlo.add
// ANNOTATED-SAME: #[[SUM]]
func.func @sum(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.add %x, %y : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// What follows from other sizes is written by them.
// CHECK-LABEL: func @twice
// CHECK: stablehlo.concatenate
// CHECK-NEXT: result 0 -> operand 0
// CHECK-NEXT: (d0){rt0} -> (d0), domain: d0 in [0, inf], rt0 in [0, inf], d0 - rt0 * 2 in [-inf, -1], d0 - rt0 in [-inf, -1]; rt0 = get_dimension_size(%arg0, 0)[]
// CHECK-NEXT: result 0 -> operand 1
// CHECK-NEXT: (d0){rt0} -> (d0 - rt0), domain: d0 in [0, inf], rt0 in [0, inf], d0 - rt0 * 2 in [-inf, -1], d0 - rt0 in [0, inf]; rt0 = get_dimension_size(%arg0, 0)[]
func.func @twice(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<?xf32>
  %1 = stablehlo.concatenate %0, %y, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// An assertion says that sizes are equal, a number in the program what a size is.
// CHECK-LABEL: func @asserted
// CHECK: stablehlo.reduce
// CHECK: result 0 -> operand 0
// CHECK-NEXT: (d0)[s0]{rt0} -> (d0, s0), domain: d0 in [0, inf], s0 in [0, 2], rt0 in [0, inf], d0 - rt0 in [-inf, -1]; rt0 = get_dimension_size(%arg0, 0)[]
// CHECK: stablehlo.dynamic_broadcast_in_dim
// CHECK: (d0){rt0} -> (), domain: d0 in [0, inf], rt0 in [0, inf], d0 - rt0 in [-inf, -1]; rt0 = {{%arg2|get_dimension_size\(%5, 0\)}}[
func.func @asserted(%n: tensor<?xf32>, %x: tensor<?x3xf32>, %k: tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.get_dimension_size %n, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %2 = stablehlo.compare EQ, %0, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%2, %0, %1) {error_message = "{0} is not {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %3 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  %4 = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
  %5 = stablehlo.dynamic_broadcast_in_dim %zero, %4, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  return %3, %5 : tensor<?xf32>, tensor<?xf32>
}
