// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Reductions, windows and sorts: a function for each constraint of the specification, which violates it.

func.func @reduce_c1(%a: tensor<4xf32>, %b: tensor<5xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_c1)}}
  %0:2 = "stablehlo.reduce"(%a, %b, %s, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>):
    "stablehlo.return"(%x0, %x1) : (tensor<f32>, tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @reduce_c2(%a: tensor<4xf32>, %s: tensor<f64>) {
  // expected-error@+1 {{(reduce_c2)}}
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f64>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c3(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_c3)}}
  %0:2 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @reduce_c4(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_c4)}}
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c5(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_c5)}}
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0, 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c6(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_c6)}}
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x0: tensor<i32>, %x1: tensor<i32>):
    "stablehlo.return"(%x0) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<i32>
  return
}

// -----

func.func @reduce_c7(%a: tensor<4x5xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_c7)}}
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_c8(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_c8)}}
  %0 = "stablehlo.reduce"(%a, %s) ({
  ^bb0(%x0: tensor<f64>, %x1: tensor<f64>):
    "stablehlo.return"(%x0) : (tensor<f64>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_window_c1(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c1)}}
  %0:2 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @reduce_window_c2(%a: tensor<4xf32>, %b: tensor<5xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c2)}}
  %0:2 = "stablehlo.reduce_window"(%a, %b, %s, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>):
    "stablehlo.return"(%x0, %x1) : (tensor<f32>, tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @reduce_window_c3(%a: tensor<4xf32>, %s: tensor<f64>) {
  // expected-error@+1 {{(reduce_window_c3)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f64>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c4(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c4)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c5(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c5)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c6(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c6)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c7(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c7)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c8(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c8)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, base_dilations = array<i64: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c9(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c9)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, base_dilations = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c10(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c10)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_dilations = array<i64: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c11(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c11)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_dilations = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c12(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c12)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, padding = dense<0> : tensor<1x3xi64>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_c13(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c13)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<i32>, %x1: tensor<i32>):
    "stablehlo.return"(%x0) : (tensor<i32>) -> ()
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xi32>
  return
}

// -----

func.func @reduce_window_c14(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c14)}}
  %0:2 = "stablehlo.reduce_window"(%a, %a, %s, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>):
    "stablehlo.return"(%x0, %x1) : (tensor<f32>, tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<4xf32>)
  return
}

// -----

func.func @reduce_window_c15(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c15)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    "stablehlo.return"(%x0) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_window_c16(%a: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(reduce_window_c16)}}
  %0 = "stablehlo.reduce_window"(%a, %s) ({
  ^bb0(%x0: tensor<f64>, %x1: tensor<f64>):
    "stablehlo.return"(%x0) : (tensor<f64>) -> ()
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @select_and_scatter_c1(%a: tensor<4xf32>, %b: tensor<2xf64>, %s: tensor<f32>) {
  // expected-error@+1 {{(select_and_scatter_c1)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf64>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_c2(%a: tensor<4xf32>, %b: tensor<3xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(select_and_scatter_c2)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_c3(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<f64>) {
  // expected-error@+1 {{(select_and_scatter_c3)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f64>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_c4(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(select_and_scatter_c4)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_c5(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(select_and_scatter_c5)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 0>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_c6(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(select_and_scatter_c6)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2, 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_c7(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(select_and_scatter_c7)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 0>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_c8(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(select_and_scatter_c8)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<2x2xi64>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_c9(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(select_and_scatter_c9)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_c10(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(select_and_scatter_c10)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    "stablehlo.return"(%x) : (tensor<i32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_and_scatter_c11(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(select_and_scatter_c11)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

func.func @select_and_scatter_c12(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{(select_and_scatter_c12)}}
  %0 = "stablehlo.select_and_scatter"(%a, %b, %s) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    "stablehlo.return"(%x) : (tensor<f64>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort_c1(%p: tensor<i1>) {
  // expected-error@+1 {{(sort_c1)}}
  "stablehlo.sort"() ({
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }) {dimension = 0 : i64} : () -> ()
  return
}

// -----

func.func @sort_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(sort_c2)}}
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %p = "stablehlo.compare"(%x0, %x1) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @sort_c3(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{(sort_c3)}}
  %0:2 = "stablehlo.sort"(%a, %b) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>):
    %p = "stablehlo.compare"(%x0, %x1) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }) {dimension = 0 : i64} : (tensor<4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return
}

// -----

func.func @sort_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{(sort_c4)}}
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %p = "stablehlo.compare"(%x0, %x1) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }) {dimension = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort_c5(%a: tensor<4xf32>) {
  // expected-error@+1 {{(sort_c5)}}
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x0: tensor<f64>, %x1: tensor<f64>):
    %p = "stablehlo.compare"(%x0, %x1) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
