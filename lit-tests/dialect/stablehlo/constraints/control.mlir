// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Control flow, composites, tuples and tokens: a function for each constraint of the specification, which violates it.

func.func @case_c1(%i: tensor<i32>) {
  // expected-error@+1 {{(case_c1)}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

func.func @case_c2(%i: tensor<i32>) {
  // expected-error@+1 {{(case_c2)}}
  %0 = "stablehlo.case"(%i) ({
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @case_c3(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f64>) {
  // expected-error@+1 {{(case_c3)}}
  %0 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<f64>) -> ()
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @case_c4(%i: tensor<i32>, %a: tensor<f32>) {
  // expected-error@+1 {{(case_c4)}}
  %0 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<i32>) -> tensor<f64>
  return
}

// -----

func.func @if_c1(%i: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+1 {{(if_c1)}}
  %0 = "stablehlo.if"(%i) ({
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @if_c2(%i: tensor<i1>, %a: tensor<f32>, %b: tensor<f64>) {
  // expected-error@+1 {{(if_c2)}}
  %0 = "stablehlo.if"(%i) ({
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<f64>) -> ()
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @if_c3(%i: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+1 {{(if_c3)}}
  %0 = "stablehlo.if"(%i) ({
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<i1>) -> tensor<f64>
  return
}

// -----

func.func @while_c1(%n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{(while_c1)}}
  %0 = "stablehlo.while"(%n) ({
  ^bb0(%x: tensor<i32>):
    "stablehlo.return"(%x) : (tensor<i32>) -> ()
  }, {
  ^bb0(%x: tensor<i32>):
    "stablehlo.return"(%x) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @while_c2(%n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{(while_c2)}}
  %0 = "stablehlo.while"(%n) ({
  ^bb0(%x: tensor<i32>):
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<i32>):
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

func.func @while_c3(%n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{(while_c3)}}
  %0 = "stablehlo.while"(%n) ({
  ^bb0(%x: tensor<i32>):
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<i32>):
    "stablehlo.return"(%x) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i64>
  return
}

// -----

func.func @decomposition(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @composite_c1(%a: tensor<f32>) {
  // expected-error@+1 {{(composite_c1)}}
  %0 = "stablehlo.composite"(%a) {name = "nothing", decomposition = @decomposition} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @decomposition(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @composite_c2(%a: tensor<f32>) {
  // expected-error@+1 {{(composite_c2)}}
  %0 = "stablehlo.composite"(%a) {name = "my.op", decomposition = @missing} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @decomposition(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @composite_c3(%a: tensor<f64>) {
  // expected-error@+1 {{(composite_c3)}}
  %0 = "stablehlo.composite"(%a) {name = "my.op", decomposition = @decomposition} : (tensor<f64>) -> tensor<f32>
  return
}

// -----

func.func @decomposition(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @composite_c4(%a: tensor<f32>) {
  // expected-error@+1 {{(composite_c4)}}
  %0 = "stablehlo.composite"(%a) {name = "my.op", decomposition = @decomposition} : (tensor<f32>) -> tensor<f64>
  return
}

// -----

func.func @get_tuple_element_c1(%t: tuple<tensor<f32>>) {
  // expected-error@+1 {{(get_tuple_element_c1)}}
  %0 = "stablehlo.get_tuple_element"(%t) {index = 1 : i32} : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----

func.func @get_tuple_element_c2(%t: tuple<tensor<f32>>) {
  // expected-error@+1 {{(get_tuple_element_c2)}}
  %0 = "stablehlo.get_tuple_element"(%t) {index = 0 : i32} : (tuple<tensor<f32>>) -> tensor<f64>
  return
}

// -----

func.func @tuple_c1(%a: tensor<f32>) {
  // expected-error@+1 {{(tuple_c1)}}
  %0 = "stablehlo.tuple"(%a) : (tensor<f32>) -> tuple<tensor<f64>>
  return
}

// -----

func.func @optimization_barrier_c1(%a: tensor<f32>) {
  // expected-error@+1 {{(optimization_barrier_c1)}}
  %0 = "stablehlo.optimization_barrier"(%a) : (tensor<f32>) -> tensor<f64>
  return
}

// -----

func.func @infeed_c1(%t: !stablehlo.token) {
  // expected-error@+1 {{(infeed_c1)}}
  "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> ()
  return
}

// -----

func.func @infeed_c2(%t: !stablehlo.token) {
  // expected-error@+1 {{(infeed_c2)}}
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

func.func @infeed_c3(%t: !stablehlo.token) {
  // expected-error@+1 {{(infeed_c3)}}
  %0 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> tensor<2xf32>
  return
}

// -----

func.func @async_start_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{a single operation and a return, has 3 operations (async_start_c1)}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = stablehlo.slice %x [0:4] : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.slice %1 [0:4] : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----

func.func @async_start_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{must be a collective or a slice, is 'stablehlo.add' (async_start_c2)}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = stablehlo.add %x, %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----

func.func @async_start_c3(%a: tensor<4xf32>) {
  // expected-error@+1 {{the region must take (tensor<4xf32>), takes (tensor<4xi32>) (async_start_c3)}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xi32>):
    %1 = stablehlo.slice %x [0:2] : (tensor<4xi32>) -> tensor<2xi32>
    stablehlo.return %1 : tensor<2xi32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xi32>>
  return
}

// -----

func.func @async_start_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{must be of the type !stablehlo.future<tensor<2xf32>>, is !stablehlo.future<tensor<4xf32>> (async_start_c4)}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----

func.func @async_done_c1(%f: !stablehlo.future<tensor<4xf32>>) {
  // expected-error@+1 {{(async_done_c1)}}
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xi32>
  return
}
