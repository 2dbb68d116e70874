//! Programs of one region each, which all primitives of schedules are legal for one or another of.

use crate::ways::{program, ty};

/// A reduction of `%arg0` along an axis.
fn reduced(from: &str, to: &str, init: &str, op: &str, axis: usize, name: &str) -> String {
    let (_, element) = from.rsplit_once('x').unwrap_or(("", "f32>"));
    format!(
        "%{name} = stablehlo.reduce({from_value} init: %{init}) applies stablehlo.{op} across dimensions = [{axis}] : ({from}, tensor<{element}) -> {to}\n",
        from_value = if op == "maximum" { "%arg0" } else { "%e" },
    )
}

fn softmax(shape: &[i64; 3], axis: usize) -> String {
    let full = ty(shape, "f32");
    let kept: Vec<i64> = (0..3).filter(|i| *i != axis).map(|i| shape[i]).collect();
    let dims: Vec<usize> = (0..3).filter(|i| *i != axis).collect();
    let row = ty(&kept, "f32");
    let greatest = reduced(&full, &row, "ni", "maximum", axis, "m");
    let sum = reduced(&full, &row, "z", "add", axis, "s");
    program(
        std::slice::from_ref(&full),
        std::slice::from_ref(&full),
        &format!(
            "%ni = stablehlo.constant dense<0xFF800000> : tensor<f32>
             %z = stablehlo.constant dense<0.0> : tensor<f32>
             {greatest}
             %mb = stablehlo.broadcast_in_dim %m, dims = {dims:?} : ({row}) -> {full}
             %d = stablehlo.subtract %arg0, %mb : {full}
             %e = stablehlo.exponential %d : {full}
             {sum}
             %sb = stablehlo.broadcast_in_dim %s, dims = {dims:?} : ({row}) -> {full}
             %r = stablehlo.divide %e, %sb : {full}
             return %r : {full}"
        ),
    )
}

fn sum(shape: &[i64], to: &[i64], axes: &str, element: &str) -> String {
    let (from, to) = (ty(shape, element), ty(to, element));
    let zero = if element.starts_with('f') { "0.0" } else { "0" };
    program(
        std::slice::from_ref(&from),
        std::slice::from_ref(&to),
        &format!(
            "%z = stablehlo.constant dense<{zero}> : tensor<{element}>
             %e = stablehlo.multiply %arg0, %arg0 : {from}
             %r = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = {axes} : ({from}, tensor<{element}>) -> {to}
             return %r : {to}"
        ),
    )
}

fn moved(shape: &[i64], permutation: &[usize], element: &str, op: &str) -> String {
    let to: Vec<i64> = permutation.iter().map(|p| shape[*p]).collect();
    let (from, to) = (ty(shape, element), ty(&to, element));
    program(
        &[from.clone(), to.clone()],
        std::slice::from_ref(&to),
        &format!(
            "%0 = stablehlo.transpose %arg0, dims = {permutation:?} : ({from}) -> {to}
             %1 = stablehlo.{op} %0 : {to}
             %2 = stablehlo.add %1, %arg1 : {to}
             return %2 : {to}"
        ),
    )
}

fn product(lhs: &[i64], rhs: &[i64], to: &[i64], dims: &str, element: &str) -> String {
    let (lhs, rhs, to) = (ty(lhs, element), ty(rhs, element), ty(to, element));
    program(
        &[lhs.clone(), rhs.clone()],
        std::slice::from_ref(&to),
        &format!(
            "%0 = stablehlo.dot_general %arg0, %arg1, {dims} : ({lhs}, {rhs}) -> {to}
             %1 = stablehlo.abs %0 : {to}
             return %1 : {to}"
        ),
    )
}

fn convolution(image: &[i64; 4], window: &[i64; 4], to: &[i64; 4], groups: i64) -> String {
    let [image, window, to] = [image, window, to].map(|shape| ty(shape, "f32"));
    program(
        &[image.clone(), window.clone()],
        std::slice::from_ref(&to),
        &format!(
            "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], \
             window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({image}, {window}) -> {to}
             return %0 : {to}"
        ),
    )
}

fn prefix(shape: &[i64; 2]) -> String {
    let full = ty(shape, "f32");
    let size = shape[1];
    program(
        std::slice::from_ref(&full),
        std::slice::from_ref(&full),
        &format!(
            "%z = stablehlo.constant dense<0.0> : tensor<f32>
             %0 = \"stablehlo.reduce_window\"(%arg0, %z) <{{padding = dense<[[0, 0], [{left}, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, {size}>}}> ({{
             ^bb0(%a: tensor<f32>, %b: tensor<f32>):
               %s = stablehlo.add %a, %b : tensor<f32>
               stablehlo.return %s : tensor<f32>
             }}) : ({full}, tensor<f32>) -> {full}
             return %0 : {full}",
            left = size - 1
        ),
    )
}

fn pieces() -> String {
    let (one, all) = (ty(&[9, 21], "f32"), ty(&[9, 42], "f32"));
    program(
        &[one.clone(), one.clone()],
        std::slice::from_ref(&all),
        &format!(
            "%0 = stablehlo.exponential %arg0 : {one}
             %1 = stablehlo.concatenate %0, %arg1, dim = 1 : ({one}, {one}) -> {all}
             %2 = stablehlo.negate %1 : {all}
             return %2 : {all}"
        ),
    )
}

/// The programs, with the largest difference that rounding in another order makes.
pub fn all() -> Vec<(String, f64)> {
    vec![
        (softmax(&[5, 37, 64], 2), 1e-5),
        (softmax(&[3, 20, 129], 1), 1e-5),
        (sum(&[33, 70], &[33], "[1]", "f32"), 1e-5),
        (sum(&[67, 130], &[130], "[0]", "f32"), 1e-5),
        (sum(&[6, 9, 40], &[9], "[0, 2]", "f64"), 1e-12),
        (sum(&[50, 33], &[], "[0, 1]", "i32"), 0.0),
        (moved(&[70, 45], &[1, 0], "f32", "negate"), 0.0),
        (moved(&[40, 3, 33], &[2, 0, 1], "f32", "exponential"), 1e-6),
        (moved(&[64, 64], &[1, 0], "f32", "exponential"), 1e-6),
        (moved(&[31, 3], &[0, 1], "bf16", "negate"), 0.0),
        (moved(&[90, 100], &[1, 0], "i8", "negate"), 0.0),
        (moved(&[200, 3], &[0, 1], "f32", "exponential"), 1e-6),
        (sum(&[5, 130], &[130], "[0]", "f32"), 1e-5),
        (sum(&[90, 2100], &[2100], "[0]", "f32"), 1e-5),
        (prefix(&[7, 50]), 1e-5),
        (pieces(), 1e-6),
        (
            product(
                &[35, 40],
                &[40, 50],
                &[35, 50],
                "contracting_dims = [1] x [0]",
                "f32",
            ),
            1e-5,
        ),
        (
            product(
                &[3, 17, 20],
                &[3, 30, 20],
                &[3, 17, 30],
                "batching_dims = [0] x [0], contracting_dims = [2] x [2]",
                "f64",
            ),
            1e-12,
        ),
        (
            product(
                &[1, 70],
                &[70, 900],
                &[1, 900],
                "contracting_dims = [1] x [0]",
                "f32",
            ),
            1e-5,
        ),
        (
            product(
                &[1, 70],
                &[90, 70],
                &[1, 90],
                "contracting_dims = [1] x [1]",
                "f32",
            ),
            1e-5,
        ),
        (
            convolution(&[2, 9, 11, 5], &[3, 3, 5, 20], &[2, 9, 11, 20], 1),
            1e-5,
        ),
        (
            convolution(&[1, 12, 13, 32], &[3, 3, 1, 32], &[1, 12, 13, 32], 32),
            1e-5,
        ),
    ]
}
