// RUN: mapwright run %s
// RUN: mapwright run --interpret %s
// RUN: mapwright compile %s -o %t.o --header %t.h
// RUN: FileCheck %s --input-file %t.h --check-prefix=HEADER
// RUN: mapwright-opt %s --indexing-normalize --indexing-fuse | FileCheck %s
// RUN: mapwright-opt %s --indexing-lower-in-place | FileCheck %s --check-prefix=PLACE

// A function that an operation names as its computation, that can be called from outside, and is called from inside: it is compiled, and the
// operation reads a copy in which no region is formed.

// HEADER-DAG: sum(
// HEADER-DAG: main(
// CHECK-LABEL: func.func @sum
// CHECK: func.func private @sum_computation_0
// CHECK-SAME: indexing.computation
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: return
// PLACE: func.func @sum
// PLACE-NOT: indexing.computation
// PLACE-NOT: = stablehlo
func.func @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

func.func private @cumulative(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %low = stablehlo.subtract %size, %one : tensor<1xi32>
  %both = stablehlo.concatenate %low, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %padding = stablehlo.reshape %both : (tensor<2xi32>) -> tensor<1x2xi32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %init, %size, %one, %one, %one, %padding) {called_computations = [@sum]} : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @main() {
  %x = stablehlo.constant dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
  %c = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.optimization_barrier %c : tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<3xf32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = func.call @cumulative(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = stablehlo.dynamic_reshape %1, %c : (tensor<?xf32>, tensor<1xi32>) -> tensor<3xf32>
  check.expect_eq_const %2, dense<[3.0, 4.0, 6.0]> : tensor<3xf32>
  %a = stablehlo.constant dense<2.0> : tensor<f32>
  %3 = func.call @sum(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %3, dense<4.0> : tensor<f32>
  return
}
