// RUN: mapwright-opt %s --split-input-file --pass-pipeline='builtin.module(indexing-legalize-chlo,indexing-refine-shapes{types=tensor<2x1x4xf32>;tensor<3x1xf32>})' | FileCheck %s

// The rules of shape inference, one a function, for the operations that graphs are made of: only the input shapes are given.

// Neg: as the operand.

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<2x1x4xf32>
// CHECK: stablehlo.negate %arg0 : tensor<2x1x4xf32>
func.func @main(%x: tensor<?x?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = stablehlo.negate %x : tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// Add: aligned from the right, sizes of 1 stretch: 2x1x4 and 3x1 are 2x3x4.

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<2x3x4xf32>
// CHECK-NOT: dynamic
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<2x3x4xf32>
func.func @main(%x: tensor<?x?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = chlo.broadcast_add %x, %y : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// Cast: the operand's shape, the element type of the attribute (here: of the result).

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<2x1x4xi8>
// CHECK: stablehlo.convert %arg0 : (tensor<2x1x4xf32>) -> tensor<2x1x4xi8>
func.func @main(%x: tensor<?x?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?x?xi8> {
  %0 = stablehlo.convert %x : (tensor<?x?x?xf32>) -> tensor<?x?x?xi8>
  return %0 : tensor<?x?x?xi8>
}

// -----

// Gather: rows of the data for every index; the shape follows from both.

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<3x1x1x4xf32>
// CHECK: "stablehlo.gather"(%{{.*}}, %{{.*}}) {{.*}} : (tensor<2x1x4xf32>, tensor<3x1x1xi32>) -> tensor<3x1x1x4xf32>
func.func @main(%x: tensor<?x?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?x1x4xf32> {
  %i = stablehlo.convert %y : (tensor<?x?xf32>) -> tensor<?x?xi32>
  %n = stablehlo.get_dimension_size %i, dim = 0 : (tensor<?x?xi32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %i, dim = 1 : (tensor<?x?xi32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %m1, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %vectors = stablehlo.dynamic_reshape %i, %shape : (tensor<?x?xi32>, tensor<3xi32>) -> tensor<?x?x1xi32>
  %0 = "stablehlo.gather"(%x, %vectors) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>} : (tensor<?x?x?xf32>, tensor<?x?x1xi32>) -> tensor<?x?x1x4xf32>
  return %0 : tensor<?x?x1x4xf32>
}

// -----

// Shape: a constant vector as soon as the shape is known.

// CHECK-LABEL: func.func @main
// CHECK: %[[SHAPE:.*]] = stablehlo.constant dense<[2, 1, 4]> : tensor<3xi32>
// CHECK: return %[[SHAPE]]
func.func @main(%x: tensor<?x?x?xf32>, %y: tensor<?x?xf32>) -> tensor<3xi32> {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?x?xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x?xf32>) -> tensor<i32>
  %2 = stablehlo.get_dimension_size %x, dim = 2 : (tensor<?x?x?xf32>) -> tensor<i32>
  %3 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %5 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
  %6 = stablehlo.concatenate %3, %4, %5, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  return %6 : tensor<3xi32>
}

// -----

// Reshape: data becomes a shape. Computed from sizes it is known after folding; given as a value it stays unknown.

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<8xf32>, tensor<?xf32>)
// CHECK: stablehlo.reshape %arg0 : (tensor<2x1x4xf32>) -> tensor<8xf32>
// CHECK: stablehlo.dynamic_reshape %arg0, %{{.*}} : (tensor<2x1x4xf32>, tensor<1xi32>) -> tensor<?xf32>
func.func @main(%x: tensor<?x?x?xf32>, %y: tensor<?x?xf32>, %n: tensor<1xi32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?x?xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x?xf32>) -> tensor<i32>
  %2 = stablehlo.get_dimension_size %x, dim = 2 : (tensor<?x?x?xf32>) -> tensor<i32>
  %3 = stablehlo.multiply %0, %1 : tensor<i32>
  %4 = stablehlo.multiply %3, %2 : tensor<i32>
  %5 = stablehlo.reshape %4 : (tensor<i32>) -> tensor<1xi32>
  %6 = stablehlo.dynamic_reshape %x, %5 : (tensor<?x?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %7 = stablehlo.dynamic_reshape %x, %n : (tensor<?x?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %6, %7 : tensor<?xf32>, tensor<?xf32>
}
