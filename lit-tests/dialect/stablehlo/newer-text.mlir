// RUN: mapwright-opt %s | mapwright-opt | FileCheck %s
// RUN: mapwright-opt %s --mlir-print-op-generic | mapwright-opt | FileCheck %s

// Text of StableHLO 1.13 to 1.20, and of frameworks that print it.

// Booleans in hex have a byte for each element, or a bit.
// CHECK-LABEL: func.func @masks
func.func @masks() {
  // CHECK: stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.constant dense<"0x00010100"> : tensor<4xi1>
  // CHECK: stablehlo.constant {{.*}}{own = 1 : i64} dense<{{\[}}[true, false], [false, true]]> : tensor<2x2xi1>
  %1 = stablehlo.constant {own = 1 : i64} dense < "0x01000001" > : tensor<2x2xi1>
  // CHECK: stablehlo.constant dense<[true, true, false, true, false, false, false, false, true, false]> : tensor<10xi1>
  %2 = stablehlo.constant dense<"0x0B01"> : tensor<10xi1>
  // CHECK: stablehlo.constant dense<true> : tensor<1xi1>
  %3 = stablehlo.constant dense<"0x01"> : tensor<1xi1>
  // CHECK: stablehlo.constant dense<[1, 2]> : tensor<2xi8>
  %4 = stablehlo.constant dense<"0x0102"> : tensor<2xi8>
  // CHECK: mhlo.constant dense<[false, true]> : tensor<2xi1>
  %5 = mhlo.constant dense<"0x0001"> : tensor<2xi1>
  // CHECK: chlo.constant dense<[false, true]> : tensor<2xi1>
  %6 = chlo.constant dense<"0x0001"> : tensor<2xi1>
  // CHECK: sdy.constant dense<[false, true]> : tensor<2xi1>
  %7 = sdy.constant dense<"0x0001"> : tensor<2xi1>
  // CHECK: check.expect_eq_const %{{.*}}, dense<[false, true]> : tensor<2xi1>
  check.expect_eq_const %7, dense<"0x0001"> : tensor<2xi1>
  return
}

// CHECK-LABEL: func.func @composite
func.func @composite(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK:      stablehlo.composite "own.twice" %arg0 ({
  // CHECK-NEXT: ^bb0(%arg1: tensor<3xf32>):
  // CHECK-NEXT:   stablehlo.return %arg1 : tensor<3xf32>
  // CHECK-NEXT: }, {
  // CHECK:      }) {decomposition = @twice} : (tensor<3xf32>) -> tensor<3xf32>
  %0 = stablehlo.composite "own.twice" %x ({
  ^bb0(%y: tensor<3xf32>):
    stablehlo.return %y : tensor<3xf32>
  }, {
    stablehlo.return
  }) {decomposition = @twice} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @commas
func.func @commas(%x: tensor<3x4xf32>, %y: tensor<4x2xf32>, %n: tensor<1xi32>) {
  // CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<rhs_contracting_dimensions = [0], lhs_contracting_dimensions = [1],>} : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  // CHECK: #mhlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>
  %1 = "mhlo.dot_general"(%x, %y) {dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0],>} : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return
}

// CHECK-LABEL: func.func @window
func.func @window(%x: tensor<1x6x6x2xf32>, %k: tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32> {
  // CHECK: stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [], pad = [], lhs_dilate = [], rhs_dilate = [], reverse = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @no_pairs
func.func @no_pairs(%t: !stablehlo.token) -> !stablehlo.token {
  // CHECK: "stablehlo.recv"(%arg0) <{{.*}}source_target_pairs = dense<> : tensor<0xi64>
  %0:2 = "stablehlo.recv"(%t) {source_target_pairs = dense<[]> : tensor<0xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  return %0#1 : !stablehlo.token
}

// CHECK-LABEL: func.func @buffers
func.func @buffers(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: stablehlo.custom_call @Pin(%arg0) {api_version = 4 : i32} : (tensor<2xf32>) -> memref<2xf32>
  %0 = stablehlo.custom_call @Pin(%x) {api_version = 4 : i32} : (tensor<2xf32>) -> memref<2xf32>
  // CHECK: stablehlo.tuple %{{.*}} : tuple<memref<2xf32>>
  %1 = stablehlo.tuple %0 : tuple<memref<2xf32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<memref<2xf32>>) -> memref<2xf32>
  // CHECK: stablehlo.custom_call @Unpin(%{{.*}}) {api_version = 4 : i32} : (memref<2xf32>) -> tensor<2xf32>
  %3 = stablehlo.custom_call @Unpin(%2) {api_version = 4 : i32} : (memref<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// CHECK-LABEL: func.func @signed
func.func @signed(%x: tensor<4xf32>, %i: tensor<1xsi32>, %u: tensor<f32>) -> tensor<4xf32> {
  // CHECK: "stablehlo.scatter"(%arg0, %arg1, %arg2)
  // CHECK: (tensor<4xf32>, tensor<1xsi32>, tensor<f32>) -> tensor<4xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>} : (tensor<4xf32>, tensor<1xsi32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @roots
func.func @roots(%x: tensor<4xf32>, %y: tensor<2xi32>, %roots: tensor<2xi32>, %root: tensor<1xi32>) {
  // CHECK: "stablehlo.collective_broadcast"(%arg0, %arg1, %arg2) <{has_dynamic_root, replica_groups = dense<{{\[}}[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  %0:2 = "stablehlo.collective_broadcast"(%x, %y, %roots) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<4xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
  // CHECK: "stablehlo.collective_reduce"(%arg0, %arg3) <{has_dynamic_root, replica_groups = dense<{{\[}}[0, 1]]> : tensor<1x2xi64>}>
  // CHECK: (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>
  %1 = "stablehlo.collective_reduce"(%x, %root) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @top_k
func.func @top_k(%x: tensor<16xf32>) {
  // CHECK: chlo.top_k(%arg0, k = 4, is_stable = false) : tensor<16xf32> -> (tensor<4xf32>, tensor<4xi32>)
  %0:2 = chlo.top_k(%x, k = 4, is_stable = false) : tensor<16xf32> -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK: chlo.top_k(%arg0, k = 4) : tensor<16xf32> -> (tensor<4xf32>, tensor<4xi32>)
  %1:2 = chlo.top_k(%x, k = 4) : tensor<16xf32> -> (tensor<4xf32>, tensor<4xi32>)
  return
}
