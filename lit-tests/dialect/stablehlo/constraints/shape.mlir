// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Operations that rearrange elements: a function for each constraint of the specification, which violates it.

func.func @bitcast_convert_c1(%a: tensor<2xf64>) {
  // expected-error@+1 {{(bitcast_convert_c1)}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf64>) -> tensor<2x3xf16>
  return
}

// -----

func.func @bitcast_convert_c2(%a: tensor<2xcomplex<f64>>) {
  // expected-error@+1 {{(bitcast_convert_c2)}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xcomplex<f64>>) -> tensor<2x2xf64>
  return
}

// -----

func.func @broadcast_in_dim_c1(%a: tensor<3xf32>) {
  // expected-error@+1 {{(broadcast_in_dim_c1)}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c1(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c1)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @broadcast_in_dim_c2(%a: tensor<3xf32>) {
  // expected-error@+1 {{(broadcast_in_dim_c2)}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c2(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c2)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c3(%a: tensor<3xf32>) {
  // expected-error@+1 {{(broadcast_in_dim_c3)}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 2>} : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c3(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c3)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 2>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c4(%a: tensor<1x1xf32>) {
  // expected-error@+1 {{(broadcast_in_dim_c4)}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 1, 1>} : (tensor<1x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c4(%a: tensor<1x1xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c4)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1, 1>} : (tensor<1x1xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c5(%a: tensor<2xf32>) {
  // expected-error@+1 {{(broadcast_in_dim_c5)}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c5(%a: tensor<2xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c5)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_in_dim_c6(%a: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{(broadcast_in_dim_c6)}}
  %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 1>} : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c6(%a: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c6)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1>} : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c7(%a: tensor<3xf32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c7)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1>} : (tensor<3xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c8(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c8)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c9(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c9)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 1>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dynamic_broadcast_in_dim_c10(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c10)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concatenate_c1(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error@+1 {{(concatenate_c1)}}
  %0 = "stablehlo.concatenate"(%a, %b) {dimension = 0 : i64} : (tensor<2xf32>, tensor<2xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @concatenate_c2(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{(concatenate_c2)}}
  %0 = "stablehlo.concatenate"(%a, %b) {dimension = 0 : i64} : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @concatenate_c3() {
  // expected-error@+1 {{(concatenate_c3)}}
  %0 = "stablehlo.concatenate"() {dimension = 0 : i64} : () -> tensor<4xf32>
  return
}

// -----

func.func @concatenate_c4(%a: tensor<2xf32>) {
  // expected-error@+1 {{(concatenate_c4)}}
  %0 = "stablehlo.concatenate"(%a, %a) {dimension = 1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concatenate_c5(%a: tensor<2xf32>) {
  // expected-error@+1 {{(concatenate_c5)}}
  %0 = "stablehlo.concatenate"(%a, %a) {dimension = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @concatenate_c6(%a: tensor<2xf32>) {
  // expected-error@+1 {{(concatenate_c6)}}
  %0 = "stablehlo.concatenate"(%a, %a) {dimension = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @constant_c1() {
  // expected-error@+1 {{(constant_c1)}}
  %0 = "stablehlo.constant"() {value = dense<0> : tensor<2xi32>} : () -> tensor<3xi32>
  return
}

// -----

func.func @dynamic_iota_c1(%s: tensor<1xi64>) {
  // expected-error@+1 {{(dynamic_iota_c1)}}
  %0 = "stablehlo.dynamic_iota"(%s) {iota_dimension = 1 : i64} : (tensor<1xi64>) -> tensor<?xi32>
  return
}

// -----

func.func @dynamic_iota_c2(%s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_iota_c2)}}
  %0 = "stablehlo.dynamic_iota"(%s) {iota_dimension = 0 : i64} : (tensor<2xi64>) -> tensor<?xi32>
  return
}

// -----

func.func @iota_c1() {
  // expected-error@+1 {{(iota_c1)}}
  %0 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<3xi32>
  return
}

// -----

func.func @reshape_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(reshape_c1)}}
  %0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<6xf64>
  return
}

// -----

func.func @dynamic_reshape_c1(%a: tensor<2x3xf32>, %s: tensor<1xi64>) {
  // expected-error@+1 {{(dynamic_reshape_c1)}}
  %0 = "stablehlo.dynamic_reshape"(%a, %s) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf64>
  return
}

// -----

func.func @reshape_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(reshape_c2)}}
  %0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @dynamic_reshape_c2(%a: tensor<2x3xf32>, %s: tensor<1xi64>) {
  // expected-error@+1 {{(dynamic_reshape_c2)}}
  %0 = "stablehlo.dynamic_reshape"(%a, %s) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<7xf32>
  return
}

// -----

func.func @reshape_c3(%a: tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) {
  // expected-error@+1 {{(reshape_c3)}}
  %0 = "stablehlo.reshape"(%a) : (tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) -> tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @dynamic_reshape_c3(%a: tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_reshape_c3)}}
  %0 = "stablehlo.dynamic_reshape"(%a, %s) : (tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>, tensor<2xi64>) -> tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @dynamic_reshape_c4(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_reshape_c4)}}
  %0 = "stablehlo.dynamic_reshape"(%a, %s) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<6xf32>
  return
}

// -----

func.func @get_dimension_size_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(get_dimension_size_c1)}}
  %0 = "stablehlo.get_dimension_size"(%a) {dimension = 1 : i64} : (tensor<2xf32>) -> tensor<i32>
  return
}

// -----

func.func @reverse_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(reverse_c1)}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @reverse_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{(reverse_c2)}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 0, 0>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reverse_c3(%a: tensor<2xf32>) {
  // expected-error@+1 {{(reverse_c3)}}
  %0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 1>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @transpose_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(transpose_c1)}}
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf64>
  return
}

// -----

func.func @transpose_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(transpose_c2)}}
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(transpose_c3)}}
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_c4(%a: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{(transpose_c4)}}
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}
