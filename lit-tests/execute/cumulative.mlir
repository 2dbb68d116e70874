// RUN: mapwright run %s
// RUN: mapwright run --specialize off %s
// RUN: mapwright run --interpret %s

// Windows over all elements up to one. The padding holds the initial value, which counts once for each place there.

func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

func.func private @greatest(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.maximum %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

func.func @main() {
  %x = stablehlo.constant dense<[[1.0, -1.0], [2.0, 8.0], [3.0, 4.0]]> : tensor<3x2xf32>
  %0 = stablehlo.optimization_barrier %x : tensor<3x2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %five = stablehlo.constant dense<5.0> : tensor<f32>
  %1 = func.call @static(%0, %zero) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  check.expect_eq_const %1, dense<[[1.0, -1.0], [3.0, 7.0], [6.0, 11.0]]> : tensor<3x2xf32>
  %2 = func.call @fives(%0) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %2, dense<[[16.0, 14.0], [13.0, 17.0], [11.0, 16.0]]> : tensor<3x2xf32>
  // An initial value that is not a constant.
  %3 = stablehlo.optimization_barrier %five : tensor<f32>
  %4 = func.call @static(%0, %3) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  check.expect_eq_const %4, dense<[[16.0, 14.0], [13.0, 17.0], [11.0, 16.0]]> : tensor<3x2xf32>

  %5 = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
  %6 = stablehlo.optimization_barrier %5 : tensor<2xi32>
  %7 = stablehlo.dynamic_reshape %0, %6 : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  %8:4 = func.call @dynamic(%7) : (tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>)
  %9 = stablehlo.dynamic_reshape %8#0, %6 : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  check.expect_eq_const %9, dense<[[1.0, -1.0], [3.0, 7.0], [6.0, 11.0]]> : tensor<3x2xf32>
  %10 = stablehlo.dynamic_reshape %8#1, %6 : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  check.expect_eq_const %10, dense<[[16.0, 14.0], [13.0, 17.0], [11.0, 16.0]]> : tensor<3x2xf32>
  %11 = stablehlo.dynamic_reshape %8#2, %6 : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  check.expect_eq_const %11, dense<[[6.0, 11.0], [5.0, 12.0], [3.0, 4.0]]> : tensor<3x2xf32>
  %12 = stablehlo.dynamic_reshape %8#3, %6 : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  check.expect_eq_const %12, dense<[[5.0, 5.0], [5.0, 8.0], [5.0, 8.0]]> : tensor<3x2xf32>
  return
}

func.func private @static(%x: tensor<3x2xf32>, %init: tensor<f32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.reduce_window"(%x, %init) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 3, 1>, padding = dense<[[2, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

func.func private @fives(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %init = stablehlo.constant dense<5.0> : tensor<f32>
  %0 = func.call @static(%x, %init) : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// Sums from zero and from five, sums from the end, the greatest so far and five.
func.func private @dynamic(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %five = stablehlo.constant dense<5.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %n = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %less = stablehlo.subtract %n, %one : tensor<1xi32>
  %window = stablehlo.concatenate %n, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %1 = stablehlo.concatenate %less, %none, %none, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %before = stablehlo.reshape %1 : (tensor<4xi32>) -> tensor<2x2xi32>
  %2 = stablehlo.concatenate %none, %less, %none, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %behind = stablehlo.reshape %2 : (tensor<4xi32>) -> tensor<2x2xi32>
  %3 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %before) {called_computations = [@sum]} : (tensor<?x2xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x2xf32>
  %4 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %five, %window, %ones, %ones, %ones, %before) {called_computations = [@sum]} : (tensor<?x2xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x2xf32>
  %5 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %behind) {called_computations = [@sum]} : (tensor<?x2xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x2xf32>
  %6 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %five, %window, %ones, %ones, %ones, %before) {called_computations = [@greatest]} : (tensor<?x2xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x2xf32>
  return %3, %4, %5, %6 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}
