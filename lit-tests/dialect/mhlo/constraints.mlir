// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// What MHLO wants of its own operations and notes: a function for each constraint, which violates it.

func.func @random_numbers_of_another_width(%a: tensor<2x4xf32>, %r: tensor<2x4xui16>, %s: tensor<2x4xui32>) {
  %0 = "mhlo.stochastic_convert"(%a, %s) : (tensor<2x4xf32>, tensor<2x4xui32>) -> tensor<2x4xi8>
  // expected-error@+1 {{the random numbers must be as wide as the elements of the operand, are ui16 for f32}}
  %1 = "mhlo.stochastic_convert"(%a, %r) : (tensor<2x4xf32>, tensor<2x4xui16>) -> tensor<2x4xi8>
  return
}

// -----

func.func @random_numbers_of_another_shape(%a: tensor<2x4xf32>, %r: tensor<4x2xui32>) {
  // expected-error@+1 {{operand and random numbers must have the same shape}}
  %0 = "mhlo.stochastic_convert"(%a, %r) : (tensor<2x4xf32>, tensor<4x2xui32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @sizes_that_are_a_table(%a: tensor<3xi32>) {
  // expected-error@+1 {{'broadcast_sizes' failed to satisfy constraint: list of 64-bit integers}}
  %0 = "mhlo.broadcast"(%a) {broadcast_sizes = dense<[[1, 2]]> : tensor<1x2xi64>} : (tensor<3xi32>) -> tensor<1x2x3xi32>
  return
}

// -----

func.func @starts_that_are_a_table(%a: tensor<3x4xi32>) {
  // expected-error@+1 {{failed to satisfy constraint: list of 64-bit integers}}
  %0 = "mhlo.slice"(%a) {start_indices = dense<[[1, 0]]> : tensor<1x2xi64>, limit_indices = dense<[[2, 4]]> : tensor<1x2xi64>, strides = dense<[[1, 2]]> : tensor<1x2xi64>} : (tensor<3x4xi32>) -> tensor<1x2xi32>
  return
}

// -----

func.func @layout_of_an_infeed(%t: !mhlo.token) {
  // expected-error@+1 {{the layout of result #0 must be a list of integers, is 0 : i64}}
  %0:2 = "mhlo.infeed"(%t) {infeed_config = "", layout = [0]} : (!mhlo.token) -> (tensor<3x3xi32>, !mhlo.token)
  return
}

// -----

func.func private @f(%x: tensor<10x10xf32>) -> tensor<32xf32> attributes {execution_thread = "thread"}

func.func @started(%x: tensor<10x10xf32>) -> tensor<32xf32> {
  %0 = "mhlo.async_start"(%x) {called_computation = @f, execution_thread = "thread"} : (tensor<10x10xf32>) -> !mhlo.async_bundle<tensor<10x10xf32>, tensor<32xf32>, tensor<i32>>
  %1 = "mhlo.async_update"(%0) : (!mhlo.async_bundle<tensor<10x10xf32>, tensor<32xf32>, tensor<i32>>) -> !mhlo.async_bundle<tensor<10x10xf32>, tensor<32xf32>, tensor<i32>>
  %2 = "mhlo.async_done"(%1) : (!mhlo.async_bundle<tensor<10x10xf32>, tensor<32xf32>, tensor<i32>>) -> tensor<32xf32>
  // What is taken may be a tuple also where it is one value.
  %3 = "mhlo.async_start"(%x) {called_computation = @f, execution_thread = "thread"} : (tensor<10x10xf32>) -> !mhlo.async_bundle<tuple<tensor<10x10xf32>>, tensor<32xf32>>
  return %2 : tensor<32xf32>
}

// -----

func.func @no_function(%x: tensor<2xf32>) {
  // expected-error@+1 {{'called_computation' @f is not a function of the module}}
  %0 = "mhlo.async_start"(%x) {called_computation = @f, execution_thread = "thread"} : (tensor<2xf32>) -> !mhlo.async_bundle<tensor<2xf32>, tensor<2xf32>>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32>

func.func @no_thread(%x: tensor<2xf32>) {
  // expected-error@+1 {{'execution_thread' must be that of the function that is called, is thread, the function has none}}
  %0 = "mhlo.async_start"(%x) {called_computation = @f, execution_thread = "thread"} : (tensor<2xf32>) -> !mhlo.async_bundle<tensor<2xf32>, tensor<2xf32>>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {execution_thread = "other"}

func.func @another_thread(%x: tensor<2xf32>) {
  // expected-error@+1 {{is thread, the function has other}}
  %0 = "mhlo.async_start"(%x) {called_computation = @f, execution_thread = "thread"} : (tensor<2xf32>) -> !mhlo.async_bundle<tensor<2xf32>, tensor<2xf32>>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {execution_thread = "thread"}

func.func @no_operand() {
  // expected-error@+1 {{the function takes (tensor<2xf32>), the operands are ()}}
  %0 = "mhlo.async_start"() {called_computation = @f, execution_thread = "thread"} : () -> !mhlo.async_bundle<tensor<2xf32>, tensor<2xf32>>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {execution_thread = "thread"}

func.func @another_operand(%x: tensor<f32>) {
  // expected-error@+1 {{the function takes (tensor<2xf32>), the operands are (tensor<f32>)}}
  %0 = "mhlo.async_start"(%x) {called_computation = @f, execution_thread = "thread"} : (tensor<f32>) -> !mhlo.async_bundle<tensor<2xf32>, tensor<2xf32>>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {execution_thread = "thread"}

func.func @one_component(%x: tensor<2xf32>) {
  // expected-error@+1 {{a bundle must have two components at least}}
  %0 = "mhlo.async_start"(%x) {called_computation = @f, execution_thread = "thread"} : (tensor<2xf32>) -> !mhlo.async_bundle<tensor<2xf32>>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<3xf32> attributes {execution_thread = "thread"}

func.func @another_input(%x: tensor<2xf32>) {
  // expected-error@+1 {{component #0 of the bundle must be what the function takes, (tensor<2xf32>), is tensor<5xf32>}}
  %0 = "mhlo.async_start"(%x) {called_computation = @f, execution_thread = "thread"} : (tensor<2xf32>) -> !mhlo.async_bundle<tensor<5xf32>, tensor<3xf32>>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<3xf32> attributes {execution_thread = "thread"}

func.func @another_result(%x: tensor<2xf32>) {
  // expected-error@+1 {{component #1 of the bundle must be what the function gives, (tensor<3xf32>), is tensor<f32>}}
  %0 = "mhlo.async_start"(%x) {called_computation = @f, execution_thread = "thread"} : (tensor<2xf32>) -> !mhlo.async_bundle<tensor<2xf32>, tensor<f32>>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<3xf32> attributes {execution_thread = "thread"}

func.func @done_is_another(%x: tensor<2xf32>) {
  %0 = "mhlo.async_start"(%x) {called_computation = @f, execution_thread = "thread"} : (tensor<2xf32>) -> !mhlo.async_bundle<tensor<2xf32>, tensor<3xf32>>
  // expected-error@+1 {{the results must be of the types (tensor<3xf32>), are (tensor<f32>)}}
  %1 = "mhlo.async_done"(%0) : (!mhlo.async_bundle<tensor<2xf32>, tensor<3xf32>>) -> tensor<f32>
  return
}

// -----

func.func @nothing_was_started(%b: !mhlo.async_bundle<tensor<2xf32>, tensor<3xf32>>) {
  // expected-error@+1 {{the operand must come from 'async_start' or 'async_update'}}
  %0 = "mhlo.async_done"(%b) : (!mhlo.async_bundle<tensor<2xf32>, tensor<3xf32>>) -> tensor<3xf32>
  return
}

// -----

// expected-error@+1 {{'mhlo.result_alias': is for arguments of functions}}
module attributes {mhlo.result_alias = #mhlo.result_alias<result_index = [2, 3]>} {}

// -----

// expected-error@+1 {{must say which result it is in 'result_index'}}
func.func @no_result(%x: tensor<2xf32> {mhlo.result_alias = #mhlo.result_alias<result_index = []>}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{names result #1, there are 1}}
func.func @result_out_of_range(%x: tensor<2xf32> {mhlo.result_alias = #mhlo.result_alias<result_index = [1]>}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{names result #-1, there are 1}}
func.func @negative_result(%x: tensor<2xf32> {mhlo.result_alias = #mhlo.result_alias<result_index = [-1]>}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{there is no element 0 of tensor<2xf32>}}
func.func @part_of_a_tensor(%x: tensor<2xf32> {mhlo.result_alias = #mhlo.result_alias<tuple_indices = [0, -1], result_index = [0]>}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{argument and result must have the same type, have tensor<2xf32> and tensor<3xf32>}}
func.func @alias_of_another_type(%x: tensor<2xf32> {mhlo.result_alias = #mhlo.result_alias<result_index = [0]>}, %y: tensor<3xf32>) -> tensor<3xf32> {
  return %y : tensor<3xf32>
}

// -----

// One value for all tensors of an argument, one for each, or none.

func.func @replicated(%x: tuple<tensor<2xf32>, tuple<tensor<f32>>> {mhlo.parameter_replication = [true, false]}, %y: tuple<tensor<f32>, tensor<f32>> {mhlo.parameter_replication = [true]}, %z: tensor<f32> {mhlo.parameter_replication = []}) {
  return
}

// -----

// expected-error@+1 {{'mhlo.parameter_replication': must have a value for each of 1 tensors of the argument, has 2}}
func.func @too_many_values(%x: tensor<2xf32> {mhlo.parameter_replication = [true, false]}) {
  return
}

// -----

// expected-error@+1 {{must be a list of truth values}}
func.func @no_truth_values(%x: tensor<2xf32> {mhlo.parameter_replication = 1 : i64}) {
  return
}

// -----

// expected-error@+1 {{'mhlo.cross_program_prefetches': names parameter 1, @main has 1}}
module attributes {mhlo.cross_program_prefetches = [#mhlo.cross_program_prefetch<parameter = 1, indices = []>]} {
  func.func @main(%x: tensor<2xf32>) {
    return
  }
}

// -----

// expected-error@+1 {{there is no element 0 of tensor<2xf32>}}
module attributes {mhlo.cross_program_prefetches = [#mhlo.cross_program_prefetch<parameter = 0, indices = [0]>]} {
  func.func @main(%x: tensor<2xf32>) {
    return
  }
}
