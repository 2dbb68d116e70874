// RUN: mapwright-opt %s --split-input-file --indexing-normalize | FileCheck %s
// RUN: mapwright-opt %s --split-input-file --indexing-normalize=disable=rounds | FileCheck %s --check-prefix=OFF

// A greatest value so far is a prefix reduction: the order makes no difference.

// CHECK-LABEL: @greatest
// CHECK-NOT: stablehlo.while
// CHECK: "stablehlo.reduce_window"
// CHECK: stablehlo.maximum
// OFF-LABEL: @greatest
// OFF: stablehlo.while
func.func public @greatest(%x: tensor<9x5xf32>, %c: tensor<5xf32>) -> tensor<9x5xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<9> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<9x5xf32>
  %l:3 = stablehlo.while(%i = %zero, %m = %c, %h = %empty) : tensor<i32>, tensor<5xf32>, tensor<9x5xf32>
  cond {
    %b = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %b : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 5] : (tensor<9x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %r = stablehlo.reshape %s : (tensor<1x5xf32>) -> tensor<5xf32>
    %t = stablehlo.maximum %m, %r : tensor<5xf32>
    %k = stablehlo.broadcast_in_dim %t, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %u = stablehlo.dynamic_update_slice %h, %k, %i, %zero : (tensor<9x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<9x5xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %t, %u : tensor<i32>, tensor<5xf32>, tensor<9x5xf32>
  }
  return %l#2 : tensor<9x5xf32>
}

// -----

// Sums of floating-point numbers stay in the order that the loop has. Their history is written all over, so it begins as anything.

// CHECK-LABEL: @sums
// CHECK: stablehlo.constant {indexing.unread} dense<0.000000e+00> : tensor<9x5xf32>
// CHECK: stablehlo.while
// CHECK: stablehlo.add
func.func public @sums(%x: tensor<9x5xf32>, %c: tensor<1x5xf32>) -> tensor<9x5xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<9> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<9x5xf32>
  %l:3 = stablehlo.while(%i = %zero, %m = %c, %h = %empty) : tensor<i32>, tensor<1x5xf32>, tensor<9x5xf32>
  cond {
    %b = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %b : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 5] : (tensor<9x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %t = stablehlo.add %m, %s : tensor<1x5xf32>
    %u = stablehlo.dynamic_update_slice %h, %t, %i, %zero : (tensor<9x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<9x5xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %t, %u : tensor<i32>, tensor<1x5xf32>, tensor<9x5xf32>
  }
  return %l#2 : tensor<9x5xf32>
}

// -----

// A history of which only the sum of squares is read is none: the loop carries a row of sums, and not the history.

// CHECK-LABEL: @squares
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<1x5xf32>, tensor<5xf32>
// CHECK: stablehlo.multiply
// CHECK: stablehlo.reduce
// CHECK-SAME: dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
func.func public @squares(%x: tensor<9x5xf32>, %c: tensor<1x5xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<9> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<9x5xf32>
  %l:3 = stablehlo.while(%i = %zero, %m = %c, %h = %empty) : tensor<i32>, tensor<1x5xf32>, tensor<9x5xf32>
  cond {
    %b = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %b : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 5] : (tensor<9x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %d = stablehlo.subtract %s, %m : tensor<1x5xf32>
    %t = stablehlo.tanh %d : tensor<1x5xf32>
    %u = stablehlo.dynamic_update_slice %h, %t, %i, %zero : (tensor<9x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<9x5xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %t, %u : tensor<i32>, tensor<1x5xf32>, tensor<9x5xf32>
  }
  %q = stablehlo.multiply %l#2, %l#2 : tensor<9x5xf32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%q init: %none) applies stablehlo.add across dimensions = [0, 1] : (tensor<9x5xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
