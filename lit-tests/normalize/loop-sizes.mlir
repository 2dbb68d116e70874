// Sizes that are the same in every round of a loop are computed in front of it, also those in a branch inside; what is made of constants is one; what
// changes from round to round stays.
// RUN: mapwright-opt %s --indexing-normalize | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[M:.*]] = stablehlo.get_dimension_size %arg0, dim = 1
// CHECK: %[[LIST:.*]] = stablehlo.reshape %[[M]] : (tensor<i32>) -> tensor<1xi32>
// CHECK: %[[ROW:.*]] = stablehlo.concatenate %{{.*}}, %[[LIST]], dim = 0
// CHECK: stablehlo.while
// CHECK: do {
// CHECK-DAG: %[[STEPS:.*]] = stablehlo.constant dense<1> : tensor<2xi32>
// CHECK-DAG: %[[START:.*]] = stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0
// CHECK: %[[END:.*]] = stablehlo.add %[[START]], %[[ROW]]
// CHECK: stablehlo.real_dynamic_slice %{{.*}}, %[[START]], %[[END]], %[[STEPS]]
// CHECK: stablehlo.if
// CHECK-NOT: stablehlo.reshape
// CHECK: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %[[LIST]], dims = []
func.func @main(%x: tensor<?x?xf32>, %h: tensor<?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %own = %h) : tensor<i32>, tensor<?xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %step = stablehlo.constant dense<1> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %none = stablehlo.constant dense<0> : tensor<1xi32>
    %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
    %i1 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %start = stablehlo.concatenate %i1, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %row = stablehlo.concatenate %one, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %end = stablehlo.add %start, %row : tensor<2xi32>
    %steps = stablehlo.concatenate %one, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %slice = stablehlo.real_dynamic_slice %x, %start, %end, %steps : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
    %now = stablehlo.dynamic_reshape %slice, %m1 : (tensor<1x?xf32>, tensor<1xi32>) -> tensor<?xf32>
    %first = stablehlo.compare EQ, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %next = "stablehlo.if"(%first) ({
      %again = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
      %half = stablehlo.constant dense<0.5> : tensor<f32>
      %halves = stablehlo.dynamic_broadcast_in_dim %half, %again, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
      %p = stablehlo.multiply %halves, %now : tensor<?xf32>
      stablehlo.return %p : tensor<?xf32>
    }, {
      %s = stablehlo.add %own, %now : tensor<?xf32>
      stablehlo.return %s : tensor<?xf32>
    }) : (tensor<i1>) -> tensor<?xf32>
    %later = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %later, %next : tensor<i32>, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}
