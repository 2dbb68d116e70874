// RUN: mapwright-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(indexing-refine-shapes{types=tensor<4x3xf32>})' | FileCheck %s

// What JAX calls by name where a size is known at run time only becomes an operation once it is known.

// CHECK-LABEL: func.func @main
// CHECK-NOT: shape_assertion
// CHECK: "stablehlo.reduce_window"(%arg0, %{{.*}}) <{
// CHECK-SAME: padding = dense<{{\[\[}}3, 0], [0, 0]]> : tensor<2x2xi64>
// CHECK-SAME: window_dimensions = array<i64: 4, 1>
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<f32>
// CHECK: (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %0 = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%0, %n) {error_message = "n is {0}"} : (tensor<i1>, tensor<i32>) -> ()
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one1 = stablehlo.constant dense<1> : tensor<1xi32>
  %window = stablehlo.concatenate %1, %one1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %low = stablehlo.subtract %1, %one1 : tensor<1xi32>
  %rest = stablehlo.constant dense<0> : tensor<3xi32>
  %flat = stablehlo.concatenate %low, %rest, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
  %padding = stablehlo.reshape %flat : (tensor<4xi32>) -> tensor<2x2xi32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %init, %window, %ones, %ones, %ones, %padding) {called_computations = [@sum]} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Windows without elements over nothing give nothing.

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<4x0xf32>
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x?xf32> {
  %e = stablehlo.slice %x [0:4, 0:0] : (tensor<?x3xf32>) -> tensor<?x0xf32>
  %window = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %padding = stablehlo.constant dense<[[0, 0], [-1, 0]]> : tensor<2x2xi32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%e, %init, %window, %ones, %ones, %ones, %padding) {called_computations = [@sum]} : (tensor<?x0xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: %{{.*}}, %{{.*}} = stablehlo.rng_bit_generator %{{.*}}, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x3xui32>)
// CHECK: chlo.top_k(%arg0, k = 2) : tensor<4x3xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
func.func @main(%x: tensor<?x3xf32>) -> (tensor<?x3xui32>, tensor<?x?xf32>, tensor<?x?xi32>) {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %1, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %s, %bits = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x3xui32>)
  %half = stablehlo.constant dense<2> : tensor<i32>
  %k = stablehlo.divide %n, %half : tensor<i32>
  %v, %p = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : (tensor<?x3xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  return %bits, %v, %p : tensor<?x3xui32>, tensor<?x?xf32>, tensor<?x?xi32>
}

// -----

// The shape of a result is no operand any more, and has no layout.

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.custom_call @f(%arg0) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<4x3xf32>) -> tensor<4x3xf32>
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %1, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r = stablehlo.custom_call @f(%x, %shape) {indices_of_shape_operands = dense<1> : tensor<1xi64>, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// -----

func.func @main(%x: tensor<?x3xf32>) {
  %five = stablehlo.constant dense<5> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %0 = stablehlo.compare GE, %n, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // expected-error @below {{at least 5, not 4}}
  stablehlo.custom_call @shape_assertion(%0, %n) {error_message = "at least 5, not {0}"} : (tensor<i1>, tensor<i32>) -> ()
  return
}

// -----

// One that may not be reached is left to run time.

// CHECK-LABEL: func.func @main
// CHECK: stablehlo.custom_call @shape_assertion
func.func @main(%x: tensor<?x3xf32>) {
  %false = stablehlo.constant dense<false> : tensor<i1>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<f32>
  %0 = stablehlo.compare LT, %s, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "stablehlo.if"(%0) ({
    stablehlo.custom_call @shape_assertion(%false) {error_message = "never"} : (tensor<i1>) -> ()
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @main(%x: tensor<?x3xf32>) -> (tensor<?x?xf32>, tensor<?x?xi32>) {
  %k = stablehlo.constant dense<4> : tensor<i32>
  // expected-error @below {{finds 4 of 3 elements}}
  %v, %p = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : (tensor<?x3xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  return %v, %p : tensor<?x?xf32>, tensor<?x?xi32>
}

// -----

func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %shape = stablehlo.constant dense<[5, -1]> : tensor<2xi32>
  // expected-error @below {{says that result #0 has the sizes [5, -1], its type is tensor<?x3xf32>}}
  %r = stablehlo.custom_call @f(%x, %shape) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// -----

// Calls that are none of their functions are refused, whatever is known of their sizes.

func.func @main(%x: tensor<?x3xf32>) {
  %n = stablehlo.constant dense<1> : tensor<i32>
  // expected-error @below {{operand #0, what it asserts, must be a 0-dimensional tensor of i1, is tensor<i32>}}
  stablehlo.custom_call @shape_assertion(%n) {error_message = "never"} : (tensor<i32>) -> ()
  return
}

// -----

func.func @main(%x: tensor<?x3xf32>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  // expected-error @below {{needs the message 'error_message' as a string}}
  stablehlo.custom_call @shape_assertion(%true) : (tensor<i1>) -> ()
  return
}

// -----

func.func @main(%x: tensor<?x3xf32>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  // expected-error @below {{operand #1, a number of the message, must be a tensor of integers of the shape [], is tensor<4x3xf32>}}
  stablehlo.custom_call @shape_assertion(%true, %x) {error_message = "{0}"} : (tensor<i1>, tensor<?x3xf32>) -> ()
  return
}

// -----

func.func @main(%x: tensor<?x3xf32>) -> (tensor<?x?xf32>, tensor<?x?xi32>) {
  %k = stablehlo.constant dense<2> : tensor<1xi32>
  // expected-error @below {{operand #1, how many are found, must be a tensor of integers of the shape [], is tensor<1xi32>}}
  %v, %p = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : (tensor<?x3xf32>, tensor<1xi32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  return %v, %p : tensor<?x?xf32>, tensor<?x?xi32>
}

// -----

func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xui32> {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %shape = stablehlo.constant dense<[4, 3, 1]> : tensor<3xi32>
  // expected-error @below {{operand #1, the shape of the bits, must be a tensor of integers of the shape [2], is tensor<3xi32>}}
  %s, %bits = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<2xui64>, tensor<3xi32>) -> (tensor<2xui64>, tensor<?x3xui32>)
  return %bits : tensor<?x3xui32>
}

// -----

func.func @main(%x: tensor<?x3xf32>) -> tensor<?x?xf32> {
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %zero = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %padding = stablehlo.constant dense<0> : tensor<2x2xi32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @below {{window_strides}}
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %init, %ones, %zero, %ones, %ones, %padding) {called_computations = [@sum]} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%x: tensor<?x3xf32>) -> tensor<?x?xf32> {
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %padding = stablehlo.constant dense<0> : tensor<2x2xi32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error @below {{@nothing is not there}}
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %init, %ones, %ones, %ones, %ones, %padding) {called_computations = [@nothing]} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
