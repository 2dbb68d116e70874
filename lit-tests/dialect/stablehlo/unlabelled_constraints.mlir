// RUN: mapwright-opt %s --split-input-file --verify-diagnostics

// Constraints that the specification has no label for: a function for each, which violates it.

func.func @reshape_unbounded(%a: tensor<?xf32>) {
  // expected-error@+1 {{the result must have static sizes, but for one that may be bounded, is tensor<2x?xf32>}}
  %0 = stablehlo.reshape %a : (tensor<?xf32>) -> tensor<2x?xf32>
  return
}

// -----

func.func @broadcast_in_dim_with_two_bounds(%a: tensor<f32>) {
  // expected-error@+1 {{the result must have static sizes, but for one that may be bounded}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<?x?xf32, #stablehlo.bounds<2, 3>>
  return
}

// -----

func.func @custom_call_layout_of_integers(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{layout}}
  %0 = stablehlo.custom_call @g(%a) {operand_layouts = [dense<[1, 0]> : tensor<2xi64>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @custom_call_layout_of_rank_two(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{layout}}
  %0 = stablehlo.custom_call @g(%a) {operand_layouts = [dense<[[1, 0]]> : tensor<1x2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @all_gather_uneven(%a: tensor<2xf32>) {
  // expected-error@+1 {{'replica_groups' has the id -1, which may stand only at the end of shorter groups, where these are allowed}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_negative(%a: tensor<2xf32>) {
  // expected-error@+1 {{'replica_groups' has the negative id -2}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @abs_along_an_axis(%a: tensor<2x!quant.uniform<i8:f32, 2.0>>) {
  // expected-error@+1 {{result #0 must not be quantized along an axis}}
  %0 = stablehlo.abs %a : (tensor<2x!quant.uniform<i8:f32, 2.0>>) -> tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

func.func @fusion_with_more_arguments(%a: tensor<2xf32>) {
  // expected-error@+1 {{the body must take operands, which are (tensor<2xf32>), takes (tensor<3xf32>)}}
  %0 = "mhlo.fusion"(%a) ({
  ^bb0(%x: tensor<3xf32>):
    "mhlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @einsum_result(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{the results must be of the types (tensor<2x4xf32>), are (tensor<4x2xf32>)}}
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @einsum_sizes(%a: tensor<2x3xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+1 {{the dimensions 'b' must have the same size, have [3] and [5]}}
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @einsum_labels(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{no operand has the dimension 'd'}}
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ad" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @bitcast_of_other_bits(%a: tensor<4xf32>) {
  // expected-error@+1 {{operand and result must have as many bits, have 128 and 256}}
  %0 = "mhlo.bitcast"(%a) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @copy_to_another_type(%a: tensor<4xf32>) {
  // expected-error@+1 {{the results must be of the types (tensor<4xf32>), are (tensor<8xf32>)}}
  %0 = "mhlo.copy"(%a) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @roots_without_data(%root: tensor<0xi32>) {
  // expected-error@+1 {{needs an operand that holds data (collective_broadcast_c4)}}
  "stablehlo.collective_broadcast"(%root) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<0xi32>) -> ()
  return
}

// -----

func.func @gathered_over_partitions(%x: tensor<2x2xi64>) -> tensor<2x6xi64> {
  // A positive channel puts an unknown number of partitions into each group, but no part of one.
  // expected-error@+1 {{(all_gather_c6)}}
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2x2xi64>) -> tensor<2x6xi64>
  return %r : tensor<2x6xi64>
}

// -----

// expected-error@+1 {{a future is of tensors that have a rank, not of 'f32'}}
func.func @future_of_a_number(%f: !stablehlo.future<f32>) {
  return
}

// -----

func.func @mesh_that_is_not_there(%x: tensor<16x8xf32>) -> tensor<16x16xf32> {
  // expected-error@+1 {{'replica_groups': there is no mesh @nowhere}}
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @nowhere, axes = [#stablehlo.axis_ref<name = "x">]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<16x8xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

func.func @mesh_that_is_not_there_of_a_broadcast(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error@+1 {{'replica_groups': there is no mesh @nowhere}}
  %r = "stablehlo.collective_broadcast"(%x) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @nowhere, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

func.func @axis_that_is_not_there(%x: tensor<16x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'replica_groups': the mesh has no axis "x"}}
  %r = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<16x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Of kinds of types and lists that have no label.

func.func @layout_of_an_infeed_is_no_list(%t: !stablehlo.token) {
  // expected-error@+1 {{the layout of result #0 must be a list of integers, is 0 : i64}}
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = "", layout = [0]} : (!stablehlo.token) -> (tensor<3x3xi32>, !stablehlo.token)
  return
}

// -----

func.func @layout_of_an_infeed_has_a_list(%t: !stablehlo.token) {
  // expected-error@+1 {{the layout of result #0 must be a list of integers}}
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = "", layout = [[0, []]]} : (!stablehlo.token) -> (tensor<3x3xi32>, !stablehlo.token)
  return
}

// -----

func.func @layout_of_an_infeed_is_no_permutation(%t: !stablehlo.token) {
  // expected-error@+1 {{the layout [0, 0] of result #0 is not a permutation of [0, 2)}}
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = "", layout = [[0, 0]]} : (!stablehlo.token) -> (tensor<3x3xi32>, !stablehlo.token)
  return
}

// -----

func.func @layout_of_a_call_is_no_permutation(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the layout [1, 1] of operand #0 is not a permutation of [0, 2)}}
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "f", operand_layouts = [dense<[1, 1]> : tensor<2xindex>], result_layouts = [dense<[0]> : tensor<1xindex>]} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @layouts_of_a_call_are_too_few(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{'operand_layouts' must have one layout for each of 2 operands, has 1}}
  %0 = "stablehlo.custom_call"(%x, %y) {call_target_name = "f", operand_layouts = [dense<[0]> : tensor<1xindex>], result_layouts = [dense<[0]> : tensor<1xindex>]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @a_list_of_no_rank_one(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{i64 dense array attribute}}
  %0 = "stablehlo.transpose"(%x) {permutation = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @no_groups_of_four(%x: tensor<4x16xf32>) {
  // expected-error@+1 {{groups must have 4 members, 'split_count', have 2 (all_to_all_c8)}}
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<0> : tensor<0x2xi64>} : (tensor<4x16xf32>) -> tensor<16x4xf32>
  return
}

// -----

func.func @a_size_that_does_not_stretch(%x: tensor<1x3xi32>) {
  %s = stablehlo.constant dense<[2, 1, 1]> : tensor<3xi32>
  // expected-error@+1 {{dimension 1 of the operand has the size 3, which is neither 1 nor the size 1 that operand #1 gives (dynamic_broadcast_in_dim_c5)}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 1, 2>} : (tensor<1x3xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>
  return
}

// -----

func.func @barrier_along_an_axis(%x: tensor<1x2xf32>, %q: tensor<1x!quant.uniform<i8:f32:0, {0.1:-30}>>) {
  // expected-error@+1 {{operand #0 must not be quantized along an axis}}
  %0 = stablehlo.optimization_barrier %q : tensor<1x!quant.uniform<i8:f32:0, {0.1:-30}>>
  return
}

// -----

func.func @storage_with_a_sign(%x: tensor<4x!quant.uniform<si8:f32, 1.0>>) {
  // expected-error@+1 {{operand #0 must be}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<si8:f32, 1.0>>) -> tensor<4xf32>
  return
}
