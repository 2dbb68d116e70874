// RUN: mapwright-opt %s --indexing-fold | FileCheck %s
// RUN: mapwright-opt %s --indexing-fold=max-elements=3 | FileCheck %s --check-prefix=SMALL

// Integers wrap around in their width.

// CHECK-LABEL: @integers
// CHECK-DAG: dense<[-56, 4]> : tensor<2xi8>
// CHECK-DAG: dense<[44, 4]> : tensor<2xui8>
// CHECK-DAG: dense<[-7, 7]> : tensor<2xi4>
func.func @integers() -> (tensor<2xi8>, tensor<2xui8>, tensor<2xi4>) {
  %a = stablehlo.constant dense<[100, 2]> : tensor<2xi8>
  %0 = stablehlo.add %a, %a : tensor<2xi8>
  %b = stablehlo.constant dense<[150, 2]> : tensor<2xui8>
  %1 = stablehlo.add %b, %b : tensor<2xui8>
  %c = stablehlo.constant dense<[3, -7]> : tensor<2xi4>
  %d = stablehlo.constant dense<[3, -1]> : tensor<2xi4>
  %2 = stablehlo.multiply %c, %d : tensor<2xi4>
  return %0, %1, %2 : tensor<2xi8>, tensor<2xui8>, tensor<2xi4>
}

// Division rounds toward zero; by zero it is not defined and stays.

// CHECK-LABEL: @division
// CHECK-DAG: dense<[-3, 3]> : tensor<2xi32>
// CHECK-DAG: dense<[-1, 1]> : tensor<2xi32>
// CHECK-DAG: stablehlo.divide
func.func @division() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %a = stablehlo.constant dense<[-7, 7]> : tensor<2xi32>
  %b = stablehlo.constant dense<2> : tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %0 = stablehlo.divide %a, %b : tensor<2xi32>
  %1 = stablehlo.remainder %a, %b : tensor<2xi32>
  %2 = stablehlo.divide %a, %zero : tensor<2xi32>
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}

// One rounding: 1 + 2^-8 lies between two numbers of bf16 and goes to the even one, 1 + 3 * 2^-8 goes up.

// CHECK-LABEL: @rounding
// CHECK-DAG: dense<[1.000000e+00, 1.015630e+00]> : tensor<2xbf16>
// CHECK-DAG: dense<[-0.000000e+00, 0x7F800000]> : tensor<2xf32>
// CHECK-DAG: dense<[-2.000000e+00, 4.000000e+00]> : tensor<2xf64>
func.func @rounding() -> (tensor<2xbf16>, tensor<2xf32>, tensor<2xf64>) {
  %one = stablehlo.constant dense<1.0> : tensor<2xbf16>
  %a = stablehlo.constant dense<[0.00390625, 0.01171875]> : tensor<2xbf16>
  %0 = stablehlo.add %one, %a : tensor<2xbf16>
  %b = stablehlo.constant dense<[-0.0, 1.0]> : tensor<2xf32>
  %c = stablehlo.constant dense<[5.0, 0.0]> : tensor<2xf32>
  %1 = stablehlo.divide %b, %c : tensor<2xf32>
  %d = stablehlo.constant dense<[-2.5, 3.5]> : tensor<2xf64>
  %2 = stablehlo.round_nearest_even %d : tensor<2xf64>
  return %0, %1, %2 : tensor<2xbf16>, tensor<2xf32>, tensor<2xf64>
}

// Approximations belong to run time, sums of floating-point numbers have no order.

// CHECK-LABEL: @left_alone
// CHECK: stablehlo.exponential
// CHECK: stablehlo.reduce
// CHECK: stablehlo.convert
func.func @left_alone() -> (tensor<2xf32>, tensor<f32>, tensor<2xi8>) {
  %a = stablehlo.constant dense<[1.0, 300.0]> : tensor<2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %a : tensor<2xf32>
  %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  // 300 is not in the range of i8.
  %2 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi8>
  return %0, %1, %2 : tensor<2xf32>, tensor<f32>, tensor<2xi8>
}

// Sums and extremes of integers have one result in any order.

// CHECK-LABEL: @reductions
// CHECK-DAG: dense<[9, 12]> : tensor<2xi32>
// CHECK-DAG: dense<true> : tensor<i1>
func.func @reductions() -> (tensor<2xi32>, tensor<i1>) {
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x2xi32>, tensor<i32>) -> tensor<2xi32>
  %p = stablehlo.constant dense<[false, true]> : tensor<2xi1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %1 = stablehlo.reduce(%p init: %false) applies stablehlo.or across dimensions = [0] : (tensor<2xi1>, tensor<i1>) -> tensor<i1>
  return %0, %1 : tensor<2xi32>, tensor<i1>
}

// CHECK-LABEL: @comparisons
// CHECK-DAG: dense<[true, false, false]> : tensor<3xi1>
// CHECK-DAG: dense<[false, true, true]> : tensor<3xi1>
// CHECK-DAG: dense<[0x7FC00000, -0.000000e+00, 2.000000e+00]> : tensor<3xf32>
func.func @comparisons() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xf32>) {
  %a = stablehlo.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %0 = stablehlo.compare EQ, %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %1 = stablehlo.compare NE, %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %c = stablehlo.constant dense<[0x7FC00000, -0.0, 2.0]> : tensor<3xf32>
  %d = stablehlo.constant dense<[1.0, 0.0, 3.0]> : tensor<3xf32>
  %2 = stablehlo.minimum %c, %d : tensor<3xf32>
  return %0, %1, %2 : tensor<3xi1>, tensor<3xi1>, tensor<3xf32>
}

// What is moved keeps its bits, also of types that nobody computes with.

// CHECK-LABEL: @movement
// CHECK-DAG: dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
// CHECK-DAG: dense<[6, 4]> : tensor<2xi32>
// CHECK-DAG: dense<[0, 1, 0, 2, 0, 3]> : tensor<6xi32>
// CHECK-DAG: dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,4.000000e+00)]> : tensor<2xcomplex<f32>>
// CHECK-DAG: dense<1065353216> : tensor<i32>
// CHECK-DAG: dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E4M3FN>
func.func @movement() -> (tensor<3x2xi32>, tensor<2xi32>, tensor<6xi32>, tensor<2xcomplex<f32>>, tensor<i32>, tensor<2xf8E4M3FN>) {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %flat = stablehlo.reshape %a : (tensor<2x3xi32>) -> tensor<6xi32>
  %back = stablehlo.reverse %flat, dims = [0] : tensor<6xi32>
  %1 = stablehlo.slice %back [0:4:2] : (tensor<6xi32>) -> tensor<2xi32>
  %first = stablehlo.slice %flat [0:3] : (tensor<6xi32>) -> tensor<3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %2 = stablehlo.pad %first, %zero, low = [1], high = [0], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<6xi32>
  %re = stablehlo.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %im = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %3 = stablehlo.complex %re, %im : tensor<2xcomplex<f32>>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %4 = stablehlo.bitcast_convert %one : (tensor<f32>) -> tensor<i32>
  %x = stablehlo.constant dense<[2.0, 1.0]> : tensor<2xf8E4M3FN>
  %5 = stablehlo.reverse %x, dims = [0] : tensor<2xf8E4M3FN>
  return %0, %1, %2, %3, %4, %5 : tensor<3x2xi32>, tensor<2xi32>, tensor<6xi32>, tensor<2xcomplex<f32>>, tensor<i32>, tensor<2xf8E4M3FN>
}

// A real number is its own real part, and its imaginary one is zero.

// CHECK-LABEL: @parts
// CHECK-DAG: %[[RE:.*]] = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[IM:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK: return %[[RE]], %[[IM]]
func.func @parts() -> (tensor<2xf32>, tensor<2xf32>) {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.real %a : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.imag %a : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// Arithmetic on shapes: the size of a dimension, and what is computed from it. Sizes that are not known stay.

// CHECK-LABEL: @shapes
// CHECK-DAG: dense<[12, 4]> : tensor<2xi32>
// CHECK-DAG: stablehlo.get_dimension_size %arg1
func.func @shapes(%x: tensor<3x4xf32>, %y: tensor<?xf32>) -> (tensor<2xi32>, tensor<i32>) {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<3x4xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x4xf32>) -> tensor<i32>
  %2 = stablehlo.multiply %0, %1 : tensor<i32>
  %3 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %6 = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  return %5, %6 : tensor<2xi32>, tensor<i32>
}

// The limit counts elements.

// CHECK-LABEL: @limit
// CHECK-NOT: stablehlo.negate
// SMALL-LABEL: @limit
// SMALL: stablehlo.negate %{{.*}} : tensor<4xi32>
// SMALL-NOT: stablehlo.negate
// SMALL: return
func.func @limit() -> (tensor<4xi32>, tensor<3xi32>) {
  %a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %b = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = stablehlo.negate %a : tensor<4xi32>
  %1 = stablehlo.negate %b : tensor<3xi32>
  return %0, %1 : tensor<4xi32>, tensor<3xi32>
}

// A splat as large as the address space is not read.

// CHECK-LABEL: @large
// CHECK: stablehlo.negate
func.func @large() -> tensor<1099511627776xi8> {
  %a = stablehlo.constant dense<1> : tensor<1099511627776xi8>
  %0 = stablehlo.negate %a : tensor<1099511627776xi8>
  return %0 : tensor<1099511627776xi8>
}

// What moves elements is folded by its index rule, whatever operation it is.

// CHECK-LABEL: @moved
// CHECK-DAG: dense<[30, 10]> : tensor<2xi32>
// CHECK-DAG: dense<{{\[\[}}10, 20, 30], [10, 20, 30]]> : tensor<2x3xi32>
// CHECK-NOT: stablehlo.torch_index_select
// CHECK-NOT: stablehlo.broadcast
func.func @moved() -> (tensor<2xi32>, tensor<2x3xi32>) {
  %a = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %i = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<3xi32>, tensor<2xi32>) -> tensor<2xi32>
  %1 = stablehlo.broadcast %a, sizes = [2] : (tensor<3xi32>) -> tensor<2x3xi32>
  return %0, %1 : tensor<2xi32>, tensor<2x3xi32>
}
