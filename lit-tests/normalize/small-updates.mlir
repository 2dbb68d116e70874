// RUN: mapwright-opt %s --split-input-file --indexing-normalize | FileCheck %s
// RUN: mapwright-opt %s --split-input-file --indexing-normalize=disable=small-updates | FileCheck %s --check-prefix=OFF

// An element of a state of a vector or two, which the loop reads afterwards, is selected by its index. An index outside is that of the nearest element.

// CHECK-LABEL: @slice
// CHECK: stablehlo.while
// CHECK-NOT: stablehlo.dynamic_update_slice
// CHECK: %[[AT:.*]] = stablehlo.clamp
// CHECK: %[[SPREAD:.*]] = stablehlo.broadcast_in_dim %[[AT]]
// CHECK: stablehlo.compare EQ, %{{.*}}, %[[SPREAD]]
// CHECK: stablehlo.select
// OFF-LABEL: @slice
// OFF: stablehlo.dynamic_update_slice
func.func public @slice(%x: tensor<7xf32>, %k: tensor<1xf32>) -> tensor<7xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<9> : tensor<i32>
  %l:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<7xf32>
  cond {
    %b = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %b : tensor<i1>
  } do {
    %u = stablehlo.dynamic_update_slice %s, %k, %i : (tensor<7xf32>, tensor<1xf32>, tensor<i32>) -> tensor<7xf32>
    %n = stablehlo.negate %u : tensor<7xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<7xf32>
  }
  return %l#1 : tensor<7xf32>
}

// -----

// A scatter to an index outside changes nothing.

// CHECK-LABEL: @scatter
// CHECK: stablehlo.while
// CHECK-NOT: stablehlo.clamp
// CHECK-NOT: stablehlo.scatter
// CHECK: stablehlo.add %{{.*}} : tensor<8xi32>
// CHECK: stablehlo.select
// OFF-LABEL: @scatter
// OFF: stablehlo.scatter
func.func public @scatter(%x: tensor<8xi32>, %k: tensor<i32>) -> tensor<8xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<9> : tensor<i32>
  %l:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<8xi32>
  cond {
    %b = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %b : tensor<i1>
  } do {
    %at = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %u = "stablehlo.scatter"(%s, %at, %k) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %w = stablehlo.add %p, %q : tensor<i32>
      stablehlo.return %w : tensor<i32>
    }) : (tensor<8xi32>, tensor<1xi32>, tensor<i32>) -> tensor<8xi32>
    %n = stablehlo.negate %u : tensor<8xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<8xi32>
  }
  return %l#1 : tensor<8xi32>
}

// -----

// A state that is larger stays in memory, and so does one that nobody reads before the next iteration.

// CHECK-LABEL: @large
// CHECK: stablehlo.dynamic_update_slice {{.*}}tensor<17xf32>
// CHECK: stablehlo.dynamic_update_slice {{.*}}tensor<5xf32>
func.func public @large(%x: tensor<17xf32>, %y: tensor<5xf32>, %k: tensor<1xf32>) -> (tensor<17xf32>, tensor<5xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<9> : tensor<i32>
  %l:3 = stablehlo.while(%i = %zero, %s = %x, %t = %y) : tensor<i32>, tensor<17xf32>, tensor<5xf32>
  cond {
    %b = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %b : tensor<i1>
  } do {
    %u = stablehlo.dynamic_update_slice %s, %k, %i : (tensor<17xf32>, tensor<1xf32>, tensor<i32>) -> tensor<17xf32>
    %n = stablehlo.negate %u : tensor<17xf32>
    %v = stablehlo.dynamic_update_slice %t, %k, %i : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n, %v : tensor<i32>, tensor<17xf32>, tensor<5xf32>
  }
  return %l#1, %l#2 : tensor<17xf32>, tensor<5xf32>
}
