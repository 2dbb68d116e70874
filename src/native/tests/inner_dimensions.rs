//! Short innermost dimensions (lanes along the dimension before them) against the general emitter:
//! every count that has a way of its own to be put together, rows that end within a vector,
//! reductions over the short dimension and over others.

use crate::ways::{Numbers, ODD, assert_same_bits, compile, numbers, program, run, ty};

/// The rows before the short dimension, and its size.
fn shapes() -> impl Iterator<Item = (i64, i64)> {
    let rows = [16, 17, 61, 131, 1000];
    let short = [1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 15, 16];
    rows.into_iter().flat_map(move |n| short.map(|s| (n, s)))
}

/// `exact`: the bits are the same, and so on odd numbers; otherwise additions may be in another
/// order.
fn check(source: &str, exact: bool) {
    let [fast, along, plain] = compile(source, [&[], &["inner-dimensions"], &["tiled"]]);
    for every in if exact { vec![0, 7] } else { vec![0] } {
        let inputs = Numbers {
            every,
            odd: ODD,
            below: 50,
        }
        .inputs(&fast, 11);
        let expected = run(&plain, &inputs, 1);
        for executable in [&fast, &along] {
            for threads in [1, 2] {
                let found = run(executable, &inputs, threads);
                if exact {
                    assert_same_bits(
                        &found,
                        &expected,
                        "not what the general emitter gives",
                        source,
                    );
                    continue;
                }
                for (a, b) in found.iter().zip(&expected) {
                    for (x, y) in numbers(a).iter().zip(numbers(b)) {
                        assert!(
                            (x - y).abs() <= 1e-4 * (1.0 + y.abs()),
                            "{x} against {y}\n{source}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn element_by_element() {
    for (n, s) in shapes() {
        let (x, row, column) = (ty(&[n, s], "f32"), ty(&[s], "f32"), ty(&[n], "f32"));
        let body = format!(
            "%r = stablehlo.broadcast_in_dim %arg1, dims = [1] : ({row}) -> {x}
             %c = stablehlo.broadcast_in_dim %arg2, dims = [0] : ({column}) -> {x}
             %m = stablehlo.multiply %arg0, %r : {x}
             %a = stablehlo.subtract %m, %c : {x}
             return %a, %m : {x}, {x}"
        );
        check(
            &program(&[x.clone(), row, column], &[x.clone(), x], &body),
            true,
        );
    }
}

/// Several short dimensions, one of them of size 1, and a long one before.
#[test]
fn several_short_dimensions() {
    for [a, n, s, t] in [
        [3, 37, 2, 3],
        [2, 16, 4, 4],
        [5, 21, 3, 1],
        [1, 100, 1, 5],
        [7, 19, 3, 5],
    ] {
        let (x, m) = (ty(&[a, n, s, t], "f32"), ty(&[s, t], "f32"));
        let turned = ty(&[a, n, t, s], "f32");
        let body = format!(
            "%b = stablehlo.broadcast_in_dim %arg1, dims = [2, 3] : ({m}) -> {x}
             %p = stablehlo.add %arg0, %b : {x}
             %t = stablehlo.transpose %p, dims = [0, 1, 3, 2] : ({x}) -> {turned}
             return %t : {turned}"
        );
        check(&program(&[x, m], &[turned], &body), true);
    }
}

/// Narrow and wide elements, and results of another type than what is computed.
#[test]
fn other_types() {
    for element in ["f64", "bf16", "f16", "ui8", "i16", "i64"] {
        for (n, s) in [(131, 3), (64, 4), (1000, 5), (200, 16)] {
            let (x, y, row) = (ty(&[n, s], element), ty(&[n, s], "f32"), ty(&[s], element));
            let body = format!(
                "%r = stablehlo.broadcast_in_dim %arg1, dims = [1] : ({row}) -> {x}
                 %m = stablehlo.add %arg0, %r : {x}
                 %c = stablehlo.convert %m : ({x}) -> {y}
                 return %c, %m : {y}, {x}"
            );
            check(&program(&[x.clone(), row], &[y, x], &body), true);
        }
    }
}

/// Parts of rows that do not start at their first element: what is loaded around them stays in the
/// tensor.
#[test]
fn moved_elements() {
    for (n, s) in [(131, 3), (64, 4), (1000, 5), (33, 8), (50, 7)] {
        let (x, tail, part) = (
            ty(&[n, s], "f32"),
            ty(&[n - 1, s], "f32"),
            ty(&[n - 1, s - 1], "f32"),
        );
        let (wide, last) = (ty(&[n - 1, 2 * s], "f32"), n - 1);
        let padded = ty(&[n - 1, s + 3], "f32");
        let body = format!(
            "%z = stablehlo.constant dense<0.5> : tensor<f32>
             %r = stablehlo.reverse %arg0, dims = [0, 1] : {x}
             %a = stablehlo.slice %arg0 [1:{n}, 0:{s}] : ({x}) -> {tail}
             %b = stablehlo.slice %r [0:{last}, 0:{s}] : ({x}) -> {tail}
             %c = stablehlo.slice %arg0 [1:{n}, 1:{s}] : ({x}) -> {part}
             %d = stablehlo.subtract %a, %b : {tail}
             %e = stablehlo.concatenate %a, %d, dim = 1 : ({tail}, {tail}) -> {wide}
             %f = stablehlo.negate %c : {part}
             %p = stablehlo.pad %d, %z, low = [0, 2], high = [0, 1], interior = [0, 0] : ({tail}, tensor<f32>) -> {padded}
             return %d, %e, %f, %p : {tail}, {wide}, {part}, {padded}"
        );
        check(
            &program(
                std::slice::from_ref(&x),
                &[tail.clone(), wide.clone(), part.clone(), padded.clone()],
                &body,
            ),
            true,
        );
    }
}

/// Columns side by side, as components of a point are put together.
#[test]
fn components() {
    for n in [16, 131, 1000] {
        let (x, one) = (ty(&[n, 3], "f32"), ty(&[n, 1], "f32"));
        let column = |name: &str, from: &str, k: i64| {
            format!(
                "%{name}{k} = stablehlo.slice %{from} [0:{n}, {k}:{}] : ({x}) -> {one}\n",
                k + 1
            )
        };
        let mut body = String::new();
        for k in 0..3 {
            body += &column("a", "arg0", k);
            body += &column("b", "arg1", k);
        }
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            body += &format!(
                "%p{k} = stablehlo.multiply %a{i}, %b{j} : {one}
                 %q{k} = stablehlo.multiply %a{j}, %b{i} : {one}
                 %c{k} = stablehlo.subtract %p{k}, %q{k} : {one}\n"
            );
        }
        body += &format!(
            "%r = stablehlo.concatenate %c0, %c1, %c2, dim = 1 : ({one}, {one}, {one}) -> {x}
             return %r : {x}"
        );
        check(
            &program(&[x.clone(), x.clone()], std::slice::from_ref(&x), &body),
            true,
        );
    }
}

/// Maxima are exact in any order; they are results of their own besides.
#[test]
fn reductions_that_are_exact() {
    for (n, s) in shapes() {
        let (x, column) = (ty(&[n, s], "f32"), ty(&[n], "f32"));
        let body = format!(
            "%v = stablehlo.constant dense<0xFF800000> : tensor<f32>
             %m = stablehlo.reduce(%arg0 init: %v) applies stablehlo.maximum across dimensions = [1] : ({x}, tensor<f32>) -> {column}
             %b = stablehlo.broadcast_in_dim %m, dims = [0] : ({column}) -> {x}
             %d = stablehlo.subtract %arg0, %b : {x}
             return %d, %m : {x}, {column}"
        );
        check(
            &program(std::slice::from_ref(&x), &[x.clone(), column], &body),
            true,
        );
    }
}

#[test]
fn softmax_of_short_rows() {
    for (n, s) in shapes() {
        let (x, column) = (ty(&[n, s], "f32"), ty(&[n], "f32"));
        let body = format!(
            "%v = stablehlo.constant dense<0xFF800000> : tensor<f32>
             %z = stablehlo.constant dense<0.0> : tensor<f32>
             %m = stablehlo.reduce(%arg0 init: %v) applies stablehlo.maximum across dimensions = [1] : ({x}, tensor<f32>) -> {column}
             %b = stablehlo.broadcast_in_dim %m, dims = [0] : ({column}) -> {x}
             %d = stablehlo.subtract %arg0, %b : {x}
             %e = stablehlo.exponential %d : {x}
             %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : ({x}, tensor<f32>) -> {column}
             %t = stablehlo.broadcast_in_dim %s, dims = [0] : ({column}) -> {x}
             %q = stablehlo.divide %e, %t : {x}
             return %q : {x}"
        );
        check(
            &program(std::slice::from_ref(&x), std::slice::from_ref(&x), &body),
            false,
        );
    }
}

/// The reduced dimension is another one than the short dimension: sums of vectors of coordinates.
#[test]
fn sums_of_points() {
    for [a, n, s] in [[17, 40, 3], [3, 64, 5], [33, 16, 2], [20, 131, 4]] {
        let (x, points) = (ty(&[a, n, s], "f32"), ty(&[n, s], "f32"));
        let body = format!(
            "%z = stablehlo.constant dense<0.0> : tensor<f32>
             %q = stablehlo.multiply %arg0, %arg0 : {x}
             %s = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0] : ({x}, tensor<f32>) -> {points}
             %r = stablehlo.add %s, %arg1 : {points}
             return %r : {points}"
        );
        check(
            &program(&[x, points.clone()], std::slice::from_ref(&points), &body),
            false,
        );
    }
}

/// Sums of differences of points: the loop over the reduced dimension lies within the unrolled
/// short dimension, and takes vectors of coordinates apart that the code behind it takes apart too.
#[test]
fn weighted_sums_of_points() {
    for [a, n, s] in [[20, 40, 3], [33, 64, 5], [20, 131, 2]] {
        let (x, points, row) = (ty(&[a, n, s], "f32"), ty(&[n, s], "f32"), ty(&[s], "f32"));
        let body = format!(
            "%z = stablehlo.constant dense<0.0> : tensor<f32>
             %b = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : ({points}) -> {x}
             %w = stablehlo.broadcast_in_dim %arg2, dims = [2] : ({row}) -> {x}
             %d = stablehlo.subtract %arg0, %b : {x}
             %q = stablehlo.multiply %d, %w : {x}
             %s = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0] : ({x}, tensor<f32>) -> {points}
             %r = stablehlo.add %s, %arg1 : {points}
             return %r : {points}"
        );
        check(
            &program(
                &[x, points.clone(), row],
                std::slice::from_ref(&points),
                &body,
            ),
            false,
        );
    }
}

/// Points times matrices, a matrix for each point, outer products: element by element, against
/// products like others.
#[test]
fn small_products() {
    for (element, sum) in [
        ("f32", "f32"),
        ("f64", "f64"),
        ("bf16", "f32"),
        ("bf16", "bf16"),
        ("f16", "f16"),
        ("i8", "i32"),
    ] {
        for (left, right, result, dims) in [
            (
                vec![1031, 3],
                vec![3, 3],
                vec![1031, 3],
                "contracting_dims = [1] x [0]",
            ),
            (
                vec![2, 301, 4],
                vec![2, 4],
                vec![2, 301, 2],
                "contracting_dims = [2] x [1]",
            ),
            (
                vec![3, 517],
                vec![2, 3],
                vec![517, 2],
                "contracting_dims = [0] x [1]",
            ),
            (
                vec![5, 3],
                vec![3, 1000],
                vec![5, 1000],
                "contracting_dims = [1] x [0]",
            ),
            (
                vec![700, 3, 3],
                vec![700, 3],
                vec![700, 3],
                "batching_dims = [0] x [0], contracting_dims = [2] x [1]",
            ),
            (
                vec![301],
                vec![70],
                vec![301, 70],
                "contracting_dims = [] x []",
            ),
            (
                vec![301, 1],
                vec![1, 70],
                vec![301, 70],
                "contracting_dims = [1] x [0]",
            ),
            (
                vec![40, 2, 19],
                vec![19, 2, 40, 5],
                vec![40, 19, 5],
                "batching_dims = [0, 2] x [2, 0], contracting_dims = [1] x [1]",
            ),
        ] {
            let (l, r, y) = (ty(&left, element), ty(&right, element), ty(&result, sum));
            let body = format!(
                "%p = stablehlo.dot_general %arg0, %arg1, {dims} : ({l}, {r}) -> {y}\nreturn %p : {y}"
            );
            let source = program(&[l, r], &[y], &body);
            let [fast, plain] = compile(&source, [&[], &["small-products"]]);
            assert!(
                fast.statistics()
                    .regions
                    .iter()
                    .all(|region| region.emitter == "tiled"),
                "{source}"
            );
            let inputs = Numbers {
                every: 0,
                odd: ODD,
                below: 50,
            }
            .inputs(&fast, 5);
            for (a, b) in run(&fast, &inputs, 2).iter().zip(&run(&plain, &inputs, 1)) {
                let tolerance = if sum.len() == 3 && sum != "i32" {
                    1e-6
                } else {
                    0.02
                };
                for (x, y) in numbers(a).iter().zip(numbers(b)) {
                    assert!(
                        (x - y).abs() <= tolerance * (1.0 + y.abs()),
                        "{x} against {y}\n{source}"
                    );
                }
            }
        }
    }
}

/// A start of its own for each index of the short dimension.
#[test]
fn gathered_columns() {
    let (x, starts, y) = (
        ty(&[4, 64, 2], "f32"),
        ty(&[2, 3], "i64"),
        ty(&[1, 19, 2], "f32"),
    );
    let body = format!(
        "%r = \"stablehlo.gather\"(%arg0, %arg1) {{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], \
         start_index_map = [1, 0, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 19, 1>}} : ({x}, {starts}) -> {y}
         return %r : {y}"
    );
    check(&program(&[x, starts], &[y], &body), true);
}

/// Reductions of a few elements whose operand is dear, kept for the sweep that follows, and seen in
/// another shape there.
#[test]
fn few_elements_that_are_kept() {
    for (element, columns) in [("f32", 6), ("f64", 6), ("f32", 37), ("f64", 19)] {
        let (x, flat) = (ty(&[3, 4, columns], element), ty(&[12, columns], element));
        let row = ty(&[columns], element);
        let body = format!(
            "%z = stablehlo.constant dense<0.0> : tensor<{element}>
             %a = stablehlo.abs %arg0 : {x}
             %p = stablehlo.power %a, %arg1 : {x}
             %f = stablehlo.reshape %p : ({x}) -> {flat}
             %s = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0, 1] : ({x}, tensor<{element}>) -> {row}
             %m = stablehlo.reduce(%f init: %z) applies stablehlo.maximum across dimensions = [0] : ({flat}, tensor<{element}>) -> {row}
             %t = stablehlo.add %s, %m : {row}
             %b = stablehlo.broadcast_in_dim %t, dims = [2] : ({row}) -> {x}
             %r = stablehlo.subtract %p, %b : {x}
             return %r : {x}"
        );
        check(&program(&[x.clone(), x.clone()], &[x], &body), false);
    }
}
