// RUN: mapwright-opt %s --split-input-file | mapwright-opt --split-input-file | FileCheck %s
// RUN: mapwright-opt %s --split-input-file --mlir-print-op-generic | mapwright-opt --split-input-file | FileCheck %s
// RUN: mapwright-opt %s --split-input-file --emit-bytecode -o /dev/null

// The syntax of every form that leaves types out or writes attributes in its own way; printed twice, also through the generic form.

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%a: tensor<4xf32>, %c: tensor<4xcomplex<f32>>, %p: tensor<i1>, %s: tensor<f32>, %d: tensor<?xf32>) {
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %0 = "stablehlo.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %1 = stablehlo.add %a, %d : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.abs %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.abs %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: stablehlo.complex %{{.*}}, %{{.*}} : tensor<4xcomplex<f32>>
  %3 = "stablehlo.complex"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<4xf32>
  %4 = "stablehlo.select"(%p, %a, %a) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = "stablehlo.clamp"(%s, %a, %s) : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.compare  LT, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %6 = stablehlo.compare LT, %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.compare  GE, %{{.*}}, %{{.*}},  TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %7 = stablehlo.compare GE, %a, %a, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e5m10 : tensor<4xf32>
  %8 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>
  // CHECK: stablehlo.exponential %{{.*}} {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %9 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  // The default accuracy is left out.
  // CHECK: stablehlo.cosine %{{.*}} : tensor<4xf32>
  %10 = stablehlo.cosine %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @structural
func.func @structural(%a: tensor<4x8xf32>, %s: tensor<f32>, %i: tensor<i32>) {
  // CHECK: %[[C:c.*]] = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: %[[CST:cst.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %1 = stablehlo.constant dense<1.0> : tensor<f32>
  // CHECK: stablehlo.constant() <{value = dense<1> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 2.000000e+00>>
  %2 = stablehlo.constant() {value = dense<1> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 2.0>>
  // CHECK: stablehlo.iota dim = 1 : tensor<4x8xi32>
  %3 = stablehlo.iota dim = 1 : tensor<4x8xi32>
  // CHECK: stablehlo.slice %{{.*}} [0:4:2, 1:3] : (tensor<4x8xf32>) -> tensor<2x2xf32>
  %4 = "stablehlo.slice"(%a) {start_indices = array<i64: 0, 1>, limit_indices = array<i64: 4, 3>, strides = array<i64: 2, 1>} : (tensor<4x8xf32>) -> tensor<2x2xf32>
  // CHECK: stablehlo.slice %{{.*}} [] : (tensor<f32>) -> tensor<f32>
  %5 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [1, 4] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %6 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 4] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %7 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [1, 0], high = [2, -1], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x7xf32>
  %8 = stablehlo.pad %a, %s, low = [1, 0], high = [2, -1], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x7xf32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %9 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %10 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  // CHECK: "stablehlo.gather"(%{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>, slice_sizes = array<i64: 1, 8>}>
  %11 = "stablehlo.gather"(%a, %0) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 8>} : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<8xf32>
  // CHECK: stablehlo.set_dimension_size %{{.*}}, %{{.*}}, dim = 0 : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>
  %12 = stablehlo.set_dimension_size %a, %i, dim = 0 : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>
  return
}

// -----

// CHECK-LABEL: func.func @contraction
func.func @contraction(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>) {
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGH] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGH] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> :
  %1 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = {{\[\[}}1, 1], [1, 1]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
  %2 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], reverse = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
  // The older form of the dimension numbers.
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {
  %3 = "stablehlo.convolution"(%x, %k) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @reductions
func.func @reductions(%a: tensor<4x8xf32>, %s: tensor<f32>) {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // Not commutative, so it is written out.
  // CHECK:      stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  // CHECK-NEXT:  reducer(%[[X:.*]]: tensor<f32>, %[[Y:.*]]: tensor<f32>)  {
  // CHECK-NEXT:   stablehlo.subtract %[[X]], %[[Y]] : tensor<f32>
  %1 = stablehlo.reduce(%a init: %s) across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %z = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }
  // The operands of the sum are the other way round.
  // CHECK:      stablehlo.reduce(%{{.*}} init: %{{.*}}) across
  %2 = stablehlo.reduce(%a init: %s) across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %z = stablehlo.add %y, %x : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }
  // Two inputs: the arguments stand in pairs.
  // CHECK:      stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [1]
  // CHECK-NEXT:  reducer(%[[X0:.*]]: tensor<f32>, %[[Y0:.*]]: tensor<f32>) (%[[X1:.*]]: tensor<f32>, %[[Y1:.*]]: tensor<f32>)  {
  // CHECK-NEXT:   stablehlo.return %[[X0]], %[[Y1]] : tensor<f32>, tensor<f32>
  %3:2 = stablehlo.reduce(%a init: %s), (%a init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
   reducer(%x0: tensor<f32>, %y0: tensor<f32>) (%x1: tensor<f32>, %y1: tensor<f32>) {
    stablehlo.return %x0, %y1 : tensor<f32>, tensor<f32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @control_flow
func.func @control_flow(%n: tensor<i32>, %p: tensor<i1>, %t: !stablehlo.token, %a: tensor<4xf32>) {
  // CHECK:      %{{.*}}:2 = stablehlo.while(%iterArg = %{{.*}}, %iterArg_0 = %{{.*}}) : tensor<i32>, tensor<4xf32> attributes {note = "x"}
  // CHECK-NEXT: cond {
  // CHECK-NEXT:   stablehlo.return %{{.*}} : tensor<i1>
  // CHECK-NEXT: } do {
  // CHECK-NEXT:   stablehlo.return %iterArg, %iterArg_0 : tensor<i32>, tensor<4xf32>
  %0:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<4xf32> attributes {note = "x"}
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i, %x : tensor<i32>, tensor<4xf32>
  }
  // CHECK: stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<i32>, tensor<4xf32>
  %1:2 = stablehlo.optimization_barrier %n, %a : tensor<i32>, tensor<4xf32>
  // CHECK: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier()
  // CHECK: stablehlo.after_all %{{.*}}, %{{.*}} : !stablehlo.token
  %2 = stablehlo.after_all %t, %t : !stablehlo.token
  // CHECK: stablehlo.custom_call @"foo bar"(%{{.*}}) {api_version = 4 : i32, backend_config = {a = 1 : i32}, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.custom_call @"foo bar"(%a) {has_side_effect = true, backend_config = {a = 1 : i32}, api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<i32>, tensor<4xf32>>
  %4 = stablehlo.tuple %n, %a : tuple<tensor<i32>, tensor<4xf32>>
  // CHECK: stablehlo.get_tuple_element %{{.*}}[1] : (tuple<tensor<i32>, tensor<4xf32>>) -> tensor<4xf32>
  %5 = stablehlo.get_tuple_element %4[1] : (tuple<tensor<i32>, tensor<4xf32>>) -> tensor<4xf32>
  // CHECK: stablehlo.composite "chlo.foo" %{{.*}} {composite_attributes = {n = 1 : i32}, decomposition = @g, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = stablehlo.composite "chlo.foo" %a {composite_attributes = {n = 1 : i32}, decomposition = @g, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @g(tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK-LABEL: func.func @collectives
func.func @collectives(%a: tensor<4xf32>, %t: !stablehlo.token) -> tensor<4xf32> {
  // CHECK: replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>], device_ids=dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi64>>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 4>], device_ids = dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi64>>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "stablehlo.async_start"
  // CHECK: -> !stablehlo.future<tensor<4xf32>>
  %f = "stablehlo.async_start"(%0) ({
  ^bb0(%x: tensor<4xf32>):
    %c = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %c : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @element_types
// CHECK-SAME: tensor<2xi2>, %{{.*}}: tensor<2xui4>, %{{.*}}: tensor<2xf4E2M1FN>, %{{.*}}: tensor<2xf6E2M3FN>, %{{.*}}: tensor<2xf6E3M2FN>, %{{.*}}: tensor<2xf8E3M4>, %{{.*}}: tensor<2xf8E8M0FNU>
func.func @element_types(%a: tensor<2xi2>, %b: tensor<2xui4>, %c: tensor<2xf4E2M1FN>, %d: tensor<2xf6E2M3FN>, %e: tensor<2xf6E3M2FN>, %f: tensor<2xf8E3M4>, %g: tensor<2xf8E8M0FNU>) {
  // CHECK: stablehlo.convert %{{.*}} : (tensor<2xf8E8M0FNU>) -> tensor<2xf4E2M1FN>
  %0 = stablehlo.convert %g : (tensor<2xf8E8M0FNU>) -> tensor<2xf4E2M1FN>
  return
}

// Dimension numbers that have no short form are kept in the long one; a comma may follow the last field of a gather's.

// CHECK: func.func private @long_form
// CHECK-SAME: #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>
// CHECK-SAME: #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
func.func private @long_form() attributes {
  a = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
  b = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1,>}
