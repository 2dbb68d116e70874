//! Updates cut for threads (slabs of the operand, parts with results of their own) against an
//! evaluation in the order of the updates.

use crate::ways::{self, Numbers, compile, program, run, ty};
use mapwright_mlir::ElementType;
use mapwright_native::{Executable, Tensor};

fn numbers_below(below: u64) -> Numbers {
    Numbers {
        every: 0,
        odd: ways::ODD,
        below,
    }
}

/// Elements as numbers, integers too.
fn numbers(tensor: &Tensor) -> Vec<f64> {
    let ElementType::Int { width, unsigned } = tensor.element() else {
        return ways::numbers(tensor);
    };
    let width = *width as usize / 8;
    let number = |bytes: &[u8]| {
        let negative = !unsigned && bytes[width - 1] >= 128;
        let mut wide = [if negative { 255 } else { 0 }; 8];
        wide[..width].copy_from_slice(bytes);
        i64::from_le_bytes(wide) as f64
    };
    tensor.bytes().chunks_exact(width).map(number).collect()
}

/// `scatter` of `%arg0`, `%arg1`, `%arg2` with one operation.
fn scatter(dims: &str, name: &str, [x, places, updates]: [&String; 3], element: &str) -> String {
    format!(
        "%r = \"stablehlo.scatter\"(%arg0, %arg1, %arg2) <{{scatter_dimension_numbers = #stablehlo.scatter<{dims}>}}> ({{
           ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
             %c = stablehlo.{name} %a, %b : tensor<{element}>
             stablehlo.return %c : tensor<{element}>
         }}) : ({x}, {places}, {updates}) -> {x}
         return %r : {x}"
    )
}

/// Are the results of each way near what is expected, and the same bits with one thread?
fn check(ways: &[Executable], inputs: &[Tensor], expected: &[f64], source: &str) {
    for executable in ways {
        let found = run(executable, inputs, 2);
        for (x, y) in numbers(&found[0]).iter().zip(expected) {
            assert!(
                (x - y).abs() <= 2e-3 * (1.0 + y.abs()),
                "{x} against {y}\n{source}"
            );
        }
        ways::assert_same_bits(&found, &run(executable, inputs, 1), "threads", source);
    }
}

fn combine(name: &str, x: f64, y: f64) -> f64 {
    match name {
        "add" => x + y,
        "maximum" => x.max(y),
        "minimum" => x.min(y),
        "multiply" => x * y,
        _ => f64::from((x as u32) ^ (y as u32)),
    }
}

/// Many updates of few elements: parts of them have results of their own. Indices outside are
/// ignored; counts that have no small divisor stay whole.
#[test]
fn histograms() {
    for (name, element, count, bins) in [
        ("add", "f32", 1 << 18, 100),
        ("add", "f64", 300_000, 7),
        ("add", "i32", 1 << 18, 1000),
        ("maximum", "i8", 1 << 18, 33),
        ("minimum", "ui16", 1 << 18, 33),
        ("maximum", "f32", 1 << 18, 1),
        ("minimum", "f64", 1 << 18, 50),
        ("xor", "ui32", 1 << 18, 50),
        ("add", "f32", 262_147, 20),
        ("add", "i32", 1, 1),
        ("add", "i32", 0, 3),
    ] {
        let (x, places, updates) = (
            ty(&[bins], element),
            ty(&[count, 1], "i32"),
            ty(&[count], element),
        );
        let dims =
            "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1";
        let body = scatter(dims, name, [&x, &places, &updates], element);
        let source = program(&[x.clone(), places, updates], &[x], &body);
        let ways = compile(
            &source,
            [&[], &["split-reduction"], &["slabs", "split-reduction"]],
        );
        let executable = &ways[0];
        let mut inputs = numbers_below(bins as u64 + 5).inputs(executable, 3);
        // Negative indices are outside, as those are that are too large.
        if let Some(first) = inputs[1].bytes_mut().get_mut(..4) {
            first.copy_from_slice(&(-1i32).to_le_bytes());
        }
        let mut expected = numbers(&inputs[0]);
        for (at, value) in numbers(&inputs[1]).iter().zip(numbers(&inputs[2])) {
            if (0.0..bins as f64).contains(at) {
                let old = &mut expected[*at as usize];
                *old = combine(name, *old, value);
            }
        }
        check(&ways, &inputs, &expected, &source);
    }
}

/// Segments of rows: windows along which the operand is cut, whole rows and narrower ones.
#[test]
fn rows() {
    for (rows, width, window, count) in [
        (50, 64, 64, 4000),
        (50, 100, 100, 1000),
        (50, 200, 77, 1000),
        (3, 17, 17, 20_000),
        (7, 1000, 1, 5000),
        (1, 33, 33, 0),
        // So large that rows are asked for ahead.
        (1021, 257, 257, 1500),
        (1021, 257, 131, 1),
        (2053, 131, 131, 3),
    ] {
        for element in ["f32", "i32"] {
            let (x, places) = (ty(&[rows, width], element), ty(&[count, 1], "i32"));
            let updates = ty(&[count, window], element);
            let dims = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1";
            let body = scatter(dims, "add", [&x, &places, &updates], element);
            let source = program(&[x.clone(), places, updates], &[x], &body);
            let ways = compile(&source, [&[], &["slabs"], &["prefetches"]]);
            let executable = &ways[0];
            let inputs = numbers_below(rows as u64 + 2).inputs(executable, 5);
            let mut expected = numbers(&inputs[0]);
            let given = numbers(&inputs[2]);
            for (u, at) in numbers(&inputs[1]).iter().enumerate() {
                let at = *at as usize;
                for w in 0..window as usize {
                    if at < rows as usize {
                        expected[at * width as usize + w] += given[u * window as usize + w];
                    }
                }
            }
            check(&ways, &inputs, &expected, &source);
        }
    }
}

/// Windows that indices shift, rows in front of which there are others: cut along what is not
/// shifted, if there is anything.
#[test]
fn shifted_windows() {
    // One index a window: where it starts along the dimension before the last; windows of [2, 40]
    // in [6, 9, 40] for each of the first.
    let (x, places, updates) = (
        ty(&[6, 9, 40], "f32"),
        ty(&[500, 1], "i32"),
        ty(&[500, 6, 2, 40], "f32"),
    );
    let dims =
        "update_window_dims = [1, 2, 3], scatter_dims_to_operand_dims = [1], index_vector_dim = 1";
    let body = scatter(dims, "add", [&x, &places, &updates], "f32");
    let source = program(&[x.clone(), places, updates], &[x], &body);
    let ways = compile(&source, [&[], &["slabs"]]);
    let executable = &ways[0];
    let inputs = numbers_below(10).inputs(executable, 7);
    let mut expected = numbers(&inputs[0]);
    let given = numbers(&inputs[2]);
    for (u, at) in numbers(&inputs[1]).iter().enumerate() {
        for (a, r, c) in (0..6 * 2 * 40).map(|i| (i / 80, i / 40 % 2, i % 40)) {
            let row = *at as usize + r;
            if row < 9 {
                expected[(a * 9 + row) * 40 + c] += given[((u * 6 + a) * 2 + r) * 40 + c];
            }
        }
    }
    check(&ways, &inputs, &expected, &source);
}

/// Batches, with indices of their own in a dimension behind the vector of indices.
#[test]
fn batches() {
    let (x, places, updates) = (
        ty(&[13, 21], "i32"),
        ty(&[1, 3000, 21], "i32"),
        ty(&[3000, 21], "i32"),
    );
    let dims = "input_batching_dims = [1], scatter_indices_batching_dims = [2], inserted_window_dims = [0], \
                scatter_dims_to_operand_dims = [0], index_vector_dim = 0";
    let body = scatter(dims, "subtract", [&x, &places, &updates], "i32");
    let source = program(&[x.clone(), places, updates], &[x], &body);
    let ways = compile(&source, [&[], &["slabs"]]);
    let executable = &ways[0];
    let inputs = numbers_below(15).inputs(executable, 9);
    let mut expected = numbers(&inputs[0]);
    let (at, given) = (numbers(&inputs[1]), numbers(&inputs[2]));
    for u in 0..3000 {
        for batch in 0..21 {
            let row = at[u * 21 + batch] as usize;
            if row < 13 {
                expected[row * 21 + batch] -= given[u * 21 + batch];
            }
        }
    }
    check(&ways, &inputs, &expected, &source);
}
