// RUN: mapwright run %s | FileCheck %s
// RUN: mapwright run %s --interpret | FileCheck %s
// RUN: mapwright run %s --seed 1 | FileCheck %s
// RUN: mapwright run %s > %t.default
// RUN: mapwright run %s --seed 0 | diff %t.default -
// RUN: not sh -c 'mapwright run %s --seed 1 | diff %t.default -'
// RUN: mapwright run %s --interpret > %t.interpreted
// RUN: not sh -c 'mapwright run %s --interpret --seed 1 | diff %t.interpreted -'
// RUN: mapwright-opt %s --indexing-legalize-tarray | FileCheck %s --check-prefix=ARRAYS
// A number is drawn each time that a draw is executed, and for each element of a loop over elements: in loops, in calls of a function, and in
// loops over tensors. None of the 18 is another one, whatever the seed. Of a sample of 4,096 a fifth is below 0.2: 819.2 of them, with a
// standard deviation of 25.6, so that 700 to 940 are five deviations.
// CHECK: dense<18> : tensor<i32>
// CHECK: dense<true> : tensor<i1>
// CHECK: tensor<f32>

// The draw of the body is one of all elements at once.
// ARRAYS-LABEL: func.func @main
// ARRAYS: %[[SIZES:.*]] = stablehlo.constant dense<5> : tensor<1xi64>
// ARRAYS: stablehlo.rng %{{.*}}, %{{.*}}, %[[SIZES]], distribution = UNIFORM : {{.*}} -> tensor<5xf32>
func.func private @draw() -> tensor<f32> {
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %high = stablehlo.constant dense<1.0> : tensor<f32>
  %shape = stablehlo.constant dense<> : tensor<0xi64>
  %0 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @main() -> (tensor<i32>, tensor<i1>, tensor<f32>) {
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %high = stablehlo.constant dense<1.0> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %two = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %none = stablehlo.constant dense<0.0> : tensor<3x2xf32>
  %w:2 = stablehlo.while(%i = %zero, %all = %none) : tensor<i32>, tensor<3x2xf32>
  cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %x = stablehlo.rng %low, %high, %two, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<1x2xf32>
    %u = stablehlo.dynamic_update_slice %all, %x, %i, %zero : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    stablehlo.return %j, %u : tensor<i32>, tensor<3x2xf32>
  }
  %six = stablehlo.reshape %w#1 : (tensor<3x2xf32>) -> tensor<6xf32>
  %a = func.call @draw() : () -> tensor<f32>
  %b = func.call @draw() : () -> tensor<f32>
  %a1 = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>
  %b1 = stablehlo.reshape %b : (tensor<f32>) -> tensor<1xf32>
  %five = stablehlo.iota dim = 0 : tensor<5xf32>
  %each = tarray.parallel_foreach (%e in %five : tensor<5xf32>) {
    %r = func.call @draw() : () -> tensor<f32>
    tarray.yield %r : tensor<f32>
  }
  %turns = tarray.scan forward (%e in %five : tensor<5xf32>, %s = %low : tensor<f32>) {
    %r = func.call @draw() : () -> tensor<f32>
    tarray.yield %r : tensor<f32>
  }
  %v = stablehlo.concatenate %six, %a1, %b1, %each, %turns, dim = 0 : (tensor<6xf32>, tensor<1xf32>, tensor<1xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<18xf32>
  %rows = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<18xf32>) -> tensor<18x18xf32>
  %columns = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<18xf32>) -> tensor<18x18xf32>
  %same = stablehlo.compare EQ, %rows, %columns : (tensor<18x18xf32>, tensor<18x18xf32>) -> tensor<18x18xi1>
  %ones = stablehlo.convert %same : (tensor<18x18xi1>) -> tensor<18x18xi32>
  %pairs = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<18x18xi32>, tensor<i32>) -> tensor<i32>
  %many = stablehlo.constant dense<4096> : tensor<1xi64>
  %sample = stablehlo.rng %low, %high, %many, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4096xf32>
  %fifth = stablehlo.constant dense<0.2> : tensor<4096xf32>
  %dropped = stablehlo.compare LT, %sample, %fifth : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xi1>
  %numbers = stablehlo.convert %dropped : (tensor<4096xi1>) -> tensor<4096xi32>
  %count = stablehlo.reduce(%numbers init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096xi32>, tensor<i32>) -> tensor<i32>
  %least = stablehlo.constant dense<700> : tensor<i32>
  %most = stablehlo.constant dense<940> : tensor<i32>
  %enough = stablehlo.compare GE, %count, %least : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %few = stablehlo.compare LE, %count, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %fits = stablehlo.and %enough, %few : tensor<i1>
  return %pairs, %fits, %a : tensor<i32>, tensor<i1>, tensor<f32>
}
