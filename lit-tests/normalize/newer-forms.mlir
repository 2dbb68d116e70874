// RUN: mapwright run %s
// RUN: mapwright run %s --interpret
// RUN: mapwright-opt %s --mlir-print-op-generic | mapwright run -
// RUN: mapwright-opt %s --indexing-legalize-chlo | mapwright run -

// Programs that other frameworks print, with the values that the specification gives.

func.func @main() {
  func.call @mask() : () -> ()
  func.call @others_attributes() : () -> ()
  func.call @regions() : () -> ()
  func.call @window() : () -> ()
  func.call @axes_of_a_mesh() : () -> ()
  func.call @whole_tensors() : () -> ()
  func.call @known_size() : () -> ()
  func.call @tolerances() : () -> ()
  return
}

func.func private @mask() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = stablehlo.constant dense<[-1.0, -2.0, -3.0, -4.0]> : tensor<4xf32>
  %m = stablehlo.constant dense<"0x00010100"> : tensor<4xi1>
  %r = stablehlo.select %m, %y, %x : tensor<4xi1>, tensor<4xf32>
  check.expect_eq_const %r, dense<[1.0, -2.0, -3.0, 4.0]> : tensor<4xf32>
  interpreter.print %r : tensor<4xf32>
  return
}

// Attributes that another operation has under their name mean nothing here.
func.func private @others_attributes() {
  %x = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
  %i = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %s = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<3x4xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %r, dense<[[4, 5, 6, 7], [0, 1, 2, 3]]> : tensor<2x4xi32>
  %a = stablehlo.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %k = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %p = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi32>
  %c = "mhlo.dynamic_conv"(%a, %k, %p) {padding = dense<7> : tensor<4xi64>, dimension_numbers = #mhlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi32>) -> tensor<1x3x1xf32>
  check.expect_eq_const %c, dense<[[[10.0], [21.0], [32.0]]]> : tensor<1x3x1xf32>
  return
}

func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = stablehlo.add %x, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}

// The regions of a composite are thrown away.
func.func private @regions() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %r = stablehlo.composite "own.twice" %x ({
  ^bb0(%y: tensor<3xf32>):
    stablehlo.return %y : tensor<3xf32>
  }) {decomposition = @twice} : (tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[2.0, 4.0, 6.0]> : tensor<3xf32>
  return
}

// Empty lists are those of a window that says nothing.
func.func private @window() {
  %a = stablehlo.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %k = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %c = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [], pad = [], lhs_dilate = [], rhs_dilate = [], reverse = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1xf32>
  check.expect_eq_const %c, dense<[[[21.0], [32.0]]]> : tensor<1x2x1xf32>
  return
}

// The groups are those that differ on axis "y" alone: on a mesh of one device, the device.
func.func private @axes_of_a_mesh() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = "stablehlo.all_reduce"(%x) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 1>]>, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[1.0, 2.0]> : tensor<2xf32>
  // Of a mesh of 2 by 2 devices each "y" has two neighbours: 0 and 1, 2 and 3.
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = stablehlo.constant dense<10.0> : tensor<f32>
  %2 = stablehlo.constant dense<100.0> : tensor<f32>
  %3 = stablehlo.constant dense<1000.0> : tensor<f32>
  %y:4 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@over_y], [@over_y], [@over_y], [@over_y]]} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  check.expect_eq_const %y#0, dense<11.0> : tensor<f32>
  check.expect_eq_const %y#3, dense<1100.0> : tensor<f32>
  // "x" has 0 and 2, 1 and 3.
  %z:4 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@over_x], [@over_x], [@over_x], [@over_x]]} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  check.expect_eq_const %z#0, dense<101.0> : tensor<f32>
  check.expect_eq_const %z#3, dense<1010.0> : tensor<f32>
  return
}

func.func private @over_y(%x: tensor<f32>) -> tensor<f32> {
  %r = "stablehlo.all_reduce"(%x) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>} : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// The major half of an axis of four.
func.func private @over_x(%x: tensor<f32>) -> tensor<f32> {
  %r = "stablehlo.all_reduce"(%x) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>} : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// MHLO's exchange of several tensors sends each to a member of the group.
func.func private @exchange(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %r:2 = "mhlo.all_to_all"(%x, %y) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}

func.func private @whole_tensors() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %2 = stablehlo.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %3 = stablehlo.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %r:4 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@exchange], [@exchange]]} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %r#0, dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %r#1, dense<[5.0, 6.0]> : tensor<2xf32>
  check.expect_eq_const %r#2, dense<[3.0, 4.0]> : tensor<2xf32>
  check.expect_eq_const %r#3, dense<[7.0, 8.0]> : tensor<2xf32>
  return
}

// The type leaves a size open that the operand knows.
func.func private @open(%x: tensor<2xi32>) -> tensor<?xi32> {
  %r = chlo.mulhi %x, %x : tensor<2xi32>, tensor<2xi32> -> tensor<?xi32>
  return %r : tensor<?xi32>
}

func.func private @known_size() {
  %x = stablehlo.constant dense<[65536, -131072]> : tensor<2xi32>
  %r = func.call @open(%x) : (tensor<2xi32>) -> tensor<?xi32>
  %s = stablehlo.reshape %r : (tensor<?xi32>) -> tensor<2xi32>
  check.expect_eq_const %s, dense<[1, 4]> : tensor<2xi32>
  return
}

func.func private @tolerances() {
  %a = stablehlo.constant dense<5.0000> : tensor<f64>
  %b = stablehlo.constant dense<5.0001> : tensor<f64>
  check.expect_almost_eq %a, %b, tolerance = 0.1 : tensor<f64>
  check.expect_close %a, %a, max_ulp_difference = 1, min_ulp_difference = 0 : tensor<f64>, tensor<f64>
  "check.expect_close"(%a, %a) {max_ulp_difference = 3 : ui64} : (tensor<f64>, tensor<f64>) -> ()
  return
}
