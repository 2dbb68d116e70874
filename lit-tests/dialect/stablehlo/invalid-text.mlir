// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Text that is wrong gets an error where it is wrong.

func.func @two_types(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected 2 operand types, but 1 are given}}
  %0 = stablehlo.add %a, %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @no_result(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected one result type, but 0 are given}}
  %0 = stablehlo.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

// -----

func.func @format(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected exponent and mantissa bits such as 'e8m23', got 'e8'}}
  %0 = stablehlo.reduce_precision %a, format = e8 : tensor<4xf32>
  return
}

// -----

func.func @applies_unknown(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{expected a commutative operation of the dialect 'stablehlo' with two operands, got 'stablehlo.while'}}
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.while across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @applies_two(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{'applies' needs exactly one input}}
  %0:2 = stablehlo.reduce(%a init: %s), (%a init: %s) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// expected-error@+1 {{duplicate spatial dimension 0}}
func.func private @conv_twice() attributes {a = #stablehlo.conv<[b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f]>}

// -----

// expected-error@+1 {{expected a dimension 'f'}}
func.func private @conv_missing() attributes {a = #stablehlo.conv<[b, 0, 1]x[0, 1, i, o]->[b, 0, 1, f]>}

// -----

// expected-error@+1 {{there are 2 bounds for a shape of rank 1}}
func.func private @bounds_rank(tensor<?xf32, #stablehlo.bounds<2, 3>>)

// -----

// expected-error@+1 {{static dimension 0 must not have a bound}}
func.func private @bounds_static(tensor<4xf32, #stablehlo.bounds<4>>)

// -----

// expected-error@+1 {{unknown attribute `foo` in dialect `stablehlo`}}
func.func private @unknown_attribute() attributes {a = #stablehlo.foo<1>}

// -----

func.func @window(%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>) {
  // expected-error@+1 {{duplicate 'stride'}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @announced(%a: tensor<4xf32>) {
  // A gibibyte is announced, three bytes are there.
  // expected-error@+1 {{elements hex data size is invalid for provided type}}
  %0 = stablehlo.constant dense<"0x010203"> : tensor<268435456xf32>
  return
}
