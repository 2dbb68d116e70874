// RUN: mapwright-opt %s --indexing-normalize | FileCheck %s
// RUN: mapwright run %s --entry argument --output-dir %t && mv %t/out0.npy %t/arg0.npy
// RUN: mapwright run %s --entry main --specialize=off --inputs %t | FileCheck %s --check-prefix=VALUE
// RUN: mapwright run %s --entry main --inputs %t | FileCheck %s --check-prefix=VALUE
// RUN: mapwright run %s --entry cumulative --specialize=off --inputs %t | FileCheck %s --check-prefix=VALUE
// RUN: mapwright run %s --entry main --interpret --inputs %t | FileCheck %s --check-prefix=VALUE

// Frontends multiply the entries of a shape by a reduction. It becomes products, one of which may be beyond the integers: they say so. A window
// of products stays, and says nothing.

// CHECK-LABEL: func.func @main
// CHECK-NOT: stablehlo.reduce
// CHECK: stablehlo.multiply
// CHECK: shape_assertion
// CHECK: stablehlo.dynamic_reshape

// VALUE: dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<6xf32>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %all = stablehlo.reduce(%shape init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  %flat = stablehlo.reshape %all : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %flat : (tensor<?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @cumulative(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %all = "stablehlo.reduce_window"(%shape, %one) <{window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %product = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %product : tensor<i32>
  }) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %flat = stablehlo.slice %all [1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %flat : (tensor<?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @argument() -> tensor<2x3xf32> {
  %0 = stablehlo.constant dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
