// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Slices and padding: a function for each constraint of the specification, which violates it.

func.func @slice_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{(slice_c1)}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @slice_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(slice_c2)}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1, 1>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c3(%a: tensor<4xf32>) {
  // expected-error@+1 {{(slice_c3)}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 0>, limit_indices = array<i64: 5>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @slice_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{(slice_c4)}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 0>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c5(%a: tensor<4xf32>) {
  // expected-error@+1 {{(slice_c5)}}
  %0 = "stablehlo.slice"(%a) {start_indices = array<i64: 0>, limit_indices = array<i64: 3>, strides = array<i64: 2>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @dynamic_slice_c1(%a: tensor<4xf32>, %i: tensor<i64>) {
  // expected-error@+1 {{(dynamic_slice_c1)}}
  %0 = "stablehlo.dynamic_slice"(%a, %i) {slice_sizes = array<i64: 2>} : (tensor<4xf32>, tensor<i64>) -> tensor<2xf64>
  return
}

// -----

func.func @dynamic_slice_c2(%a: tensor<4xf32>, %i: tensor<i64>) {
  // expected-error@+1 {{(dynamic_slice_c2)}}
  %0 = "stablehlo.dynamic_slice"(%a, %i, %i) {slice_sizes = array<i64: 2>} : (tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<2xf32>
  return
}

// -----

func.func @dynamic_slice_c3(%a: tensor<4x4xf32>, %i: tensor<i64>, %j: tensor<i32>) {
  // expected-error@+1 {{(dynamic_slice_c3)}}
  %0 = "stablehlo.dynamic_slice"(%a, %i, %j) {slice_sizes = array<i64: 2, 2>} : (tensor<4x4xf32>, tensor<i64>, tensor<i32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_c4(%a: tensor<4xf32>, %i: tensor<i64>) {
  // expected-error@+1 {{(dynamic_slice_c4)}}
  %0 = "stablehlo.dynamic_slice"(%a, %i) {slice_sizes = array<i64: 5>} : (tensor<4xf32>, tensor<i64>) -> tensor<5xf32>
  return
}

// -----

func.func @dynamic_slice_c5(%a: tensor<4xf32>, %i: tensor<i64>) {
  // expected-error@+1 {{(dynamic_slice_c5)}}
  %0 = "stablehlo.dynamic_slice"(%a, %i) {slice_sizes = array<i64: 2>} : (tensor<4xf32>, tensor<i64>) -> tensor<3xf32>
  return
}

// -----

func.func @dynamic_update_slice_c1(%a: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<i64>) {
  // expected-error@+1 {{(dynamic_update_slice_c1)}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %u, %i) : (tensor<4xf32>, tensor<2xf32>, tensor<i64>) -> tensor<5xf32>
  return
}

// -----

func.func @dynamic_update_slice_c2(%a: tensor<4xf32>, %u: tensor<2xf64>, %i: tensor<i64>) {
  // expected-error@+1 {{(dynamic_update_slice_c2)}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %u, %i) : (tensor<4xf32>, tensor<2xf64>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c3(%a: tensor<4xf32>, %u: tensor<2x1xf32>, %i: tensor<i64>) {
  // expected-error@+1 {{(dynamic_update_slice_c3)}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %u, %i) : (tensor<4xf32>, tensor<2x1xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c4(%a: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<i64>) {
  // expected-error@+1 {{(dynamic_update_slice_c4)}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %u, %i, %i) : (tensor<4xf32>, tensor<2xf32>, tensor<i64>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c5(%a: tensor<4x4xf32>, %u: tensor<2x2xf32>, %i: tensor<i64>, %j: tensor<i32>) {
  // expected-error@+1 {{(dynamic_update_slice_c5)}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %u, %i, %j) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<i64>, tensor<i32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c6(%a: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i64>) {
  // expected-error@+1 {{(dynamic_update_slice_c6)}}
  %0 = "stablehlo.dynamic_update_slice"(%a, %u, %i) : (tensor<4xf32>, tensor<5xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_c1(%a: tensor<2xf32>, %v: tensor<f64>) {
  // expected-error@+1 {{(pad_c1)}}
  %0 = "stablehlo.pad"(%a, %v) {edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>} : (tensor<2xf32>, tensor<f64>) -> tensor<2xf32>
  return
}

// -----

func.func @pad_c2(%a: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{(pad_c2)}}
  %0 = "stablehlo.pad"(%a, %v) {edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0, 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @pad_c3(%a: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{(pad_c3)}}
  %0 = "stablehlo.pad"(%a, %v) {edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: -1>} : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_c4(%a: tensor<2xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{(pad_c4)}}
  %0 = "stablehlo.pad"(%a, %v) {edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 1>} : (tensor<2xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

func.func @dynamic_pad_c1(%a: tensor<2xf32>, %v: tensor<f64>, %l: tensor<1xi64>, %i: tensor<1xi64>) {
  // expected-error@+1 {{(dynamic_pad_c1)}}
  %0 = "stablehlo.dynamic_pad"(%a, %v, %l, %l, %i) : (tensor<2xf32>, tensor<f64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_pad_c2(%a: tensor<2xf32>, %v: tensor<f32>, %l: tensor<1xi64>, %i: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_pad_c2)}}
  %0 = "stablehlo.dynamic_pad"(%a, %v, %l, %l, %i) : (tensor<2xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_pad_c3(%a: tensor<2xf32>, %v: tensor<f32>, %l: tensor<1xi64>) {
  %i = stablehlo.constant dense<-1> : tensor<1xi64>
  // expected-error@+1 {{(dynamic_pad_c3)}}
  %0 = "stablehlo.dynamic_pad"(%a, %v, %l, %l, %i) : (tensor<2xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_pad_c4(%a: tensor<2xf32>, %v: tensor<f32>) {
  %l = stablehlo.constant dense<1> : tensor<1xi64>
  // expected-error@+1 {{(dynamic_pad_c4)}}
  %0 = "stablehlo.dynamic_pad"(%a, %v, %l, %l, %l) : (tensor<2xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xf32>
  return
}
