//! Programs, each with one thing to see.

use super::check::check;

pub const SUM: &str =
    "({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): \"stablehlo.return\"(%a) : (tensor<f32>) -> () })";

#[test]
fn programs_with_several_reads() {
    let m = "tensor<4x4xf32>";
    let text = format!(
        "func.func @f(%arg0: {m}) -> {m} {{
        %0 = \"stablehlo.transpose\"(%arg0) {{permutation = array<i64: 1, 0>}} : ({m}) -> {m}
        %1 = \"stablehlo.add\"(%arg0, %0) : ({m}, {m}) -> {m}
        return %1 : {m} }}"
    );
    check("x + transpose(x)", &text, 0, &[("%arg0", Ok(true))]);
    let v = "tensor<3xf32>";
    let softmax = format!(
        "func.func @f(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>) -> tensor<3x4xf32> {{
        %0 = \"stablehlo.reduce\"(%arg0, %arg1) {SUM} {{dimensions = array<i64: 1>}} : (tensor<3x4xf32>, tensor<f32>) -> {v}
        %1 = \"stablehlo.broadcast_in_dim\"(%0) {{broadcast_dimensions = array<i64: 0>}} : ({v}) -> tensor<3x4xf32>
        %2 = \"stablehlo.subtract\"(%arg0, %1) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
        return %2 : tensor<3x4xf32> }}"
    );
    check(
        "softmax",
        &softmax,
        0,
        &[("%arg0", Ok(true)), ("%0", Ok(true))],
    );
}

#[test]
fn programs_with_pieces() {
    let text = "func.func @f(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) -> tensor<2x7xf32> {
        %0 = \"stablehlo.concatenate\"(%arg0, %arg1) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
        %1 = \"stablehlo.reverse\"(%0) {dimensions = array<i64: 1>} : (tensor<2x7xf32>) -> tensor<2x7xf32>
        return %1 : tensor<2x7xf32> }";
    check(
        "concatenate",
        text,
        0,
        &[("%arg0", Ok(true)), ("%arg1", Ok(true))],
    );
    // The same operand twice.
    let text = "func.func @f(%arg0: tensor<3xf32>) -> tensor<6xf32> {
        %0 = \"stablehlo.concatenate\"(%arg0, %arg0) {dimension = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
        return %0 : tensor<6xf32> }";
    check("twice", text, 0, &[("%arg0", Ok(true))]);
    let text = "func.func @f(%arg0: tensor<4xf32>, %arg1: tensor<f32>) -> tensor<11xf32> {
        %0 = \"stablehlo.pad\"(%arg0, %arg1) {edge_padding_low = array<i64: 2>, edge_padding_high = array<i64: -1>, interior_padding = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<11xf32>
        return %0 : tensor<11xf32> }";
    check("pad", text, 0, &[("%arg0", Ok(true))]);
}

#[test]
fn programs_with_windows_and_reshapes() {
    let text = format!(
        "func.func @f(%arg0: tensor<9x2xf32>, %arg1: tensor<f32>) -> tensor<5x2xf32> {{
        %0 = \"stablehlo.reduce_window\"(%arg0, %arg1) {SUM} {{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}} : (tensor<9x2xf32>, tensor<f32>) -> tensor<5x2xf32>
        return %0 : tensor<5x2xf32> }}"
    );
    check("reduce_window", &text, 0, &[("%arg0", Ok(true))]);
    let dilated = format!(
        "func.func @f(%arg0: tensor<5xf32>, %arg1: tensor<f32>) -> tensor<9xf32> {{
        %0 = \"stablehlo.reduce_window\"(%arg0, %arg1) {SUM} {{window_dimensions = array<i64: 3>, base_dilations = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}} : (tensor<5xf32>, tensor<f32>) -> tensor<9xf32>
        return %0 : tensor<9xf32> }}"
    );
    check("dilated", &dilated, 0, &[("%arg0", Ok(true))]);
    for (from, to) in [
        ("4x6", "24"),
        ("24", "4x6"),
        ("4x6", "2x2x6"),
        ("2x3x4", "6x4"),
        ("12", "2x3x2"),
        ("4x3", "2x6"),
    ] {
        let text = format!(
            "func.func @f(%arg0: tensor<{from}xf32>) -> tensor<{to}xf32> {{
            %0 = \"stablehlo.reshape\"(%arg0) : (tensor<{from}xf32>) -> tensor<{to}xf32>
            return %0 : tensor<{to}xf32> }}"
        );
        check(&format!("{from} to {to}"), &text, 0, &[]);
    }
}

#[test]
fn programs_with_places_of_run_time() {
    let text = "func.func @f(%arg0: tensor<6x3xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<4x3xf32> {
        %0 = \"stablehlo.dynamic_slice\"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: 4, 3>} : (tensor<6x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
        return %0 : tensor<4x3xf32> }";
    check("dynamic_slice", text, 4, &[("%arg0", Ok(true))]);
    let text = "func.func @f(%arg0: tensor<5x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<5x3xf32> {
        %0 = \"stablehlo.dynamic_update_slice\"(%arg0, %arg1, %arg2, %arg3) : (tensor<5x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
        return %0 : tensor<5x3xf32> }";
    check(
        "dynamic_update_slice",
        text,
        4,
        &[("%arg0", Ok(true)), ("%arg1", Ok(true))],
    );
    let bounded = "tensor<?x2xf32, #stablehlo.bounds<5, ?>>";
    let text = format!(
        "func.func @f(%arg0: tensor<5x2xf32>, %arg1: tensor<i32>) -> {bounded} {{
        %0 = \"stablehlo.set_dimension_size\"(%arg0, %arg1) {{dimension = 0 : i64}} : (tensor<5x2xf32>, tensor<i32>) -> {bounded}
        %1 = \"stablehlo.negate\"(%0) : ({bounded}) -> {bounded}
        return %1 : {bounded} }}"
    );
    check(
        "set_dimension_size",
        &text,
        6,
        &[("%arg0", Ok(true)), ("%0", Ok(true))],
    );
    let text = "func.func @f(%arg0: tensor<6x3xf32>, %arg1: tensor<4x1xi32>) -> tensor<4x3xf32> {
        %0 = \"stablehlo.gather\"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<6x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
        return %0 : tensor<4x3xf32> }";
    // One row of the result is one row of the operand; of several rows nobody knows where they are.
    check(
        "gather",
        text,
        4,
        &[("%arg0", Ok(true)), ("%arg1", Ok(true))],
    );
    // Backwards and transposed.
    let text = "func.func @f(%arg0: tensor<6x3xf32>, %arg1: tensor<4x1xi32>) -> tensor<3x4xf32> {
        %0 = \"stablehlo.gather\"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<6x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
        %1 = \"stablehlo.reverse\"(%0) {dimensions = array<i64: 0>} : (tensor<4x3xf32>) -> tensor<4x3xf32>
        %2 = \"stablehlo.transpose\"(%1) {permutation = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
        return %2 : tensor<3x4xf32> }";
    check("gather, turned", text, 4, &[("%arg0", Ok(true))]);
    // A place that is read for every pair of indices: the sum over them is no box.
    let text = format!("func.func @f(%arg0: tensor<6xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<f32>) -> tensor<f32> {{
        %0 = \"stablehlo.gather\"(%arg0, %arg1) {{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}} : (tensor<6xf32>, tensor<4x1xi32>) -> tensor<4xf32>
        %1 = \"stablehlo.reduce\"(%0, %arg2) {SUM} {{dimensions = array<i64: 0>}} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
        return %1 : tensor<f32> }}");
    check(
        "sum of a gather",
        &text,
        4,
        &[
            ("%0", Ok(true)),
            ("%arg0", Err("depends on values, from element to element")),
        ],
    );
}

/// The diagonal of a matrix: one element of it is a box.
#[test]
fn programs_with_diagonals() {
    let text = "func.func @f(%arg0: tensor<4x4xf32>) -> tensor<4xf32> {
        %0 = \"stablehlo.einsum\"(%arg0, %arg0) {einsum_config = \"aa,aa->a\"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32> }";
    check("diagonal", text, 0, &[("%arg0", Ok(true))]);
}
