//! Products with constants, whose factors are packed once and kept, before the first call: against
//! the same packed in each call.

use crate::ways::{self, Numbers, assert_same_bits, compile, dense, program, run, ty};

const NUMBERS: Numbers = Numbers {
    every: 0,
    odd: ways::ODD,
    below: 100,
};

/// Several calls, on other numbers, with one thread and two; is anything kept?
fn check(source: &str) {
    let [kept, each] = compile(source, [&[], &["packed-constants"]]);
    assert!(kept.statistics().prepacked_bytes > 0, "{source}");
    assert_eq!(
        kept.statistics().packed_bytes,
        kept.statistics().prepacked_bytes,
        "{source}"
    );
    assert_eq!(each.statistics().prepacked_bytes, 0);
    for seed in 0..4 {
        let inputs = NUMBERS.inputs(&kept, seed);
        let expected = run(&each, &inputs, 1);
        for threads in [2, 1] {
            let found = run(&kept, &inputs, threads);
            assert_same_bits(&found, &expected, "kept and not", source);
        }
    }
}

/// Constants on the right and on the left, in both orders.
#[test]
fn products() {
    for (element, sum) in [
        ("f32", "f32"),
        ("f64", "f64"),
        ("bf16", "f32"),
        ("i8", "i32"),
    ] {
        for (m, k, n) in [(23, 61, 43), (130, 64, 128), (5, 300, 17), (1000, 33, 70)] {
            for (left, right, dims) in [
                ([m, k], [n, k], "[1] x [1]"),
                ([m, k], [k, n], "[1] x [0]"),
                ([k, m], [n, k], "[0] x [1]"),
            ] {
                let (x, w, y) = (ty(&left, element), ty(&right, element), ty(&[m, n], sum));
                let flipped = ty(&[n, m], sum);
                let product = |l: &str, r: &str, dims: &str, types: [&String; 3]| {
                    format!(
                        "%r = stablehlo.dot_general {l}, {r}, contracting_dims = {dims} : ({}, {}) -> {}
                         return %r : {}",
                        types[0], types[1], types[2], types[2]
                    )
                };
                let (a, b) = dims.split_once(" x ").unwrap();
                for (body, result) in [
                    (product("%arg0", "%w", dims, [&x, &w, &y]), &y),
                    (
                        product("%w", "%arg0", &format!("{b} x {a}"), [&w, &x, &flipped]),
                        &flipped,
                    ),
                ] {
                    let constant =
                        format!("%w = stablehlo.constant {}\n", dense(&right, element, 7));
                    let source = program(
                        std::slice::from_ref(&x),
                        std::slice::from_ref(result),
                        &(constant + &body),
                    );
                    let [kept, each] = compile(&source, [&[], &["packed-constants"]]);
                    for seed in 0..3 {
                        let inputs = NUMBERS.inputs(&kept, seed);
                        let expected = run(&each, &inputs, 1);
                        for threads in [2, 1] {
                            let found = run(&kept, &inputs, threads);
                            assert_same_bits(&found, &expected, "kept and not", &source);
                        }
                    }
                }
            }
        }
    }
}

/// Through views and conversions.
#[test]
fn what_is_packed_is_kept() {
    let (x, w, y) = (
        ty(&[100, 61], "f32"),
        ty(&[43, 61], "bf16"),
        ty(&[100, 43], "f32"),
    );
    let (n, c) = (ty(&[61, 43], "bf16"), ty(&[61, 43], "f32"));
    let body = format!(
        "%w = stablehlo.constant {}
         %n = stablehlo.transpose %w, dims = [1, 0] : ({w}) -> {n}
         %c = stablehlo.convert %n : ({n}) -> {c}
         %r = stablehlo.dot_general %arg0, %c, contracting_dims = [1] x [0] : ({x}, {c}) -> {y}
         %t = stablehlo.tanh %r : {y}
         return %t : {y}",
        dense(&[43, 61], "bf16", 1)
    );
    check(&program(&[x], &[y], &body));
}

/// Filters of convolutions, to so many features that no vector ends with them: those that do are
/// read where they are.
#[test]
fn convolutions() {
    let (x, w, y) = (
        ty(&[2, 13, 17, 19], "f32"),
        ty(&[3, 3, 19, 41], "f32"),
        ty(&[2, 13, 17, 41], "f32"),
    );
    let body = format!(
        "%w = stablehlo.constant {}
         %r = stablehlo.convolution(%arg0, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{pad = [[1, 1], [1, 1]]}} \
         {{feature_group_count = 1 : i64, batch_group_count = 1 : i64}} : ({x}, {w}) -> {y}
         return %r : {y}",
        dense(&[3, 3, 19, 41], "f32", 1)
    );
    check(&program(&[x], &[y], &body));
}

/// One program text, two constants: each has its own memory. A loop runs the product again and
/// again.
#[test]
fn each_constant_by_itself() {
    let (x, w) = (ty(&[40, 64], "f32"), ty(&[64, 64], "f32"));
    let body = format!(
        "%v = stablehlo.constant {}
         %w = stablehlo.constant {}
         %a = stablehlo.dot_general %arg0, %v, contracting_dims = [1] x [1] : ({x}, {w}) -> {x}
         %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [1] : ({x}, {w}) -> {x}
         %zero = stablehlo.constant dense<0> : tensor<i32>
         %one = stablehlo.constant dense<1> : tensor<i32>
         %end = stablehlo.constant dense<3> : tensor<i32>
         %i, %r = stablehlo.while(%k = %zero, %c = %b) : tensor<i32>, {x}
         cond {{
           %go = stablehlo.compare LT, %k, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %go : tensor<i1>
         }} do {{
           %next = stablehlo.add %k, %one : tensor<i32>
           %d = stablehlo.dot_general %c, %v, contracting_dims = [1] x [1] : ({x}, {w}) -> {x}
           %t = stablehlo.tanh %d : {x}
           stablehlo.return %next, %t : tensor<i32>, {x}
         }}
         return %r : {x}",
        dense(&[64, 64], "f32", 1),
        dense(&[64, 64], "f32", 2)
    );
    check(&program(
        std::slice::from_ref(&x),
        std::slice::from_ref(&x),
        &body,
    ));
}

/// The first call is made by several threads at once.
#[test]
fn first_calls_at_once() {
    let (x, w, y) = (
        ty(&[64, 512], "f32"),
        ty(&[512, 512], "f32"),
        ty(&[64, 512], "f32"),
    );
    let body = format!(
        "%w = stablehlo.constant {}
         %r = stablehlo.dot_general %arg0, %w, contracting_dims = [1] x [1] : ({x}, {w}) -> {y}
         return %r : {y}",
        dense(&[512, 512], "f32", 5)
    );
    let source = program(&[x], &[y], &body);
    let [kept, each] = compile(&source, [&[], &["packed-constants"]]);
    assert!(kept.statistics().prepacked_bytes >= 512 * 512 * 4);
    let inputs = NUMBERS.inputs(&kept, 1);
    let expected = run(&each, &inputs, 1);
    std::thread::scope(|scope| {
        for threads in [1, 2, 1, 2] {
            let (kept, inputs, expected, source) = (&kept, &inputs, &expected, &source);
            scope.spawn(move || {
                assert_same_bits(&run(kept, inputs, threads), expected, "first calls", source);
            });
        }
    });
}
