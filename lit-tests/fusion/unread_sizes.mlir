// RUN: mapwright-opt %s --split-input-file --indexing-normalize --indexing-fuse | FileCheck %s

// A loop of as many rounds as there are rows, each of which writes one and reads none, begins with anything.

// CHECK-LABEL: @all
// CHECK: stablehlo.dynamic_broadcast_in_dim {{.*}}indexing.unread
func.func public @all(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %eight = stablehlo.constant dense<8> : tensor<1xi32>
  %row = stablehlo.constant dense<2.0> : tensor<1x8xf32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %whole = stablehlo.concatenate %n1, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %start = stablehlo.dynamic_broadcast_in_dim %none, %whole, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
  %r:2 = stablehlo.while(%i = %zero, %kept = %start) : tensor<i32>, tensor<?x8xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.dynamic_update_slice %kept, %row, %i, %zero : (tensor<?x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<?x8xf32>
    %later = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %later, %next : tensor<i32>, tensor<?x8xf32>
  }
  return %r#1 : tensor<?x8xf32>
}

// -----

// The first row stays as it is.

// CHECK-LABEL: @but_one
// CHECK-NOT: indexing.unread
func.func public @but_one(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %eight = stablehlo.constant dense<8> : tensor<1xi32>
  %row = stablehlo.constant dense<2.0> : tensor<1x8xf32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %whole = stablehlo.concatenate %n1, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %start = stablehlo.dynamic_broadcast_in_dim %none, %whole, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
  %r:2 = stablehlo.while(%i = %one, %kept = %start) : tensor<i32>, tensor<?x8xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.dynamic_update_slice %kept, %row, %i, %zero : (tensor<?x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<?x8xf32>
    %later = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %later, %next : tensor<i32>, tensor<?x8xf32>
  }
  return %r#1 : tensor<?x8xf32>
}
