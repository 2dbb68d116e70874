//! Walks in the order of memory, and blocks that are stored between: the same bits as without, for
//! sizes that do not fit and any number of threads.

use crate::ways::{Numbers, ODD, assert_same_bits, numbers, program, run, ty};
use mapwright_mlir::{Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable};

/// Compiled for so many threads.
fn compiled(source: &str, threads: usize, disabled: &[&str]) -> Executable {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", source.as_bytes()) else {
        panic!("{}\n{source}", diagnostics.take());
    };
    let options = CompileOptions {
        threads,
        disabled: disabled.iter().map(ToString::to_string).collect(),
        ..CompileOptions::default()
    };
    match Executable::compile(Op::new(module.as_operation()), &options) {
        Ok(executable) => executable,
        Err(error) => panic!("{} {error}\n{source}", diagnostics.take()),
    }
}

fn check(source: &str) {
    same_without(source, "memory-order");
}

/// Compares with the program that is compiled without a fast path.
fn same_without(source: &str, path: &str) {
    let narrow = compiled(source, 1, &[path]);
    let wide: Vec<Executable> = [1, 2, 5].map(|t| compiled(source, t, &[])).into();
    for every in [0, 59] {
        let inputs = Numbers {
            every,
            odd: ODD,
            below: 0,
        }
        .inputs(&narrow, 5);
        let expected = run(&narrow, &inputs, 1);
        for (executable, threads) in wide.iter().zip([1, 2, 2]) {
            let found = run(executable, &inputs, threads);
            let words = "the fast path differs";
            if every == 0 {
                assert_same_bits(&expected, &found, words, source);
                continue;
            }
            // Which of two NaNs a sum takes its bits from is open.
            for (a, b) in expected.iter().zip(&found) {
                let same =
                    |(p, q): (&f64, &f64)| p.to_bits() == q.to_bits() || p.is_nan() && q.is_nan();
                assert!(
                    numbers(a).iter().zip(&numbers(b)).all(same),
                    "{words}\n{source}"
                );
            }
        }
    }
}

fn reduce(from: &[i64], element: &str, axes: &[usize], op: &str, init: &str) -> String {
    let kept = (0..from.len()).filter(|i| !axes.contains(i));
    let to: Vec<i64> = kept.map(|i| from[i]).collect();
    let (from, to, one) = (ty(from, element), ty(&to, element), ty(&[], element));
    let axes: Vec<String> = axes.iter().map(ToString::to_string).collect();
    let axes = axes.join(", ");
    program(
        &[from.clone(), from.clone()],
        std::slice::from_ref(&to),
        &format!(
            "%z = stablehlo.constant dense<{init}> : {one}
             %x = stablehlo.add %arg0, %arg1 : {from}
             %y = stablehlo.reduce(%x init: %z) applies stablehlo.{op} across dimensions = [{axes}] : ({from}, {one}) -> {to}
             %r = stablehlo.add %y, %y : {to}
             return %r : {to}"
        ),
    )
}

#[test]
fn reductions() {
    for shape in [
        [523, 1031],
        [17, 4099],
        [16, 5000],
        [1009, 257],
        [8, 40000],
        [64, 1024],
    ] {
        check(&reduce(&shape, "f32", &[0], "add", "1.5"));
    }
    for (element, op, init) in [
        ("f64", "add", "0.0"),
        ("bf16", "add", "0.0"),
        ("f16", "maximum", "0.0"),
        ("f32", "minimum", "0x7F800000"),
        ("i32", "add", "7"),
        ("i8", "maximum", "-128"),
        ("i1", "or", "false"),
    ] {
        check(&reduce(&[131, 3001], element, &[0], op, init));
    }
    check(&reduce(&[5, 37, 1500], "f32", &[1], "add", "0.0"));
    check(&reduce(&[5, 37, 1500], "f32", &[0, 1], "add", "0.0"));
    check(&reduce(&[19, 7, 23, 601], "f32", &[0, 2], "add", "0.0"));
    check(&reduce(&[23, 1], "f32", &[0], "add", "0.0"));
    check(&reduce(&[0, 3000], "f32", &[0], "add", "2.0"));
    check(&reduce(&[3000, 0], "f32", &[0], "add", "2.0"));
}

/// Mean and variance of columns: two reductions, one after the other, and their results together.
#[test]
fn several_reductions() {
    let (t, row, one) = (ty(&[211, 1999], "f32"), ty(&[1999], "f32"), ty(&[], "f32"));
    let sum = |x: &str| {
        format!(
            "stablehlo.reduce({x} init: %z) applies stablehlo.add across dimensions = [0] : ({t}, {one}) -> {row}"
        )
    };
    check(&program(
        std::slice::from_ref(&t),
        &[row.clone(), row.clone()],
        &format!(
            "%z = stablehlo.constant dense<0.0> : {one}
             %n = stablehlo.constant dense<211.0> : {row}
             %s = {}
             %m = stablehlo.divide %s, %n : {row}
             %b = stablehlo.broadcast_in_dim %m, dims = [1] : ({row}) -> {t}
             %d = stablehlo.subtract %arg0, %b : {t}
             %q = stablehlo.multiply %d, %d : {t}
             %v = {}
             return %m, %v : {row}, {row}",
            sum("%arg0"),
            sum("%q")
        ),
    ));
}

/// Where the largest element of each column is.
#[test]
fn selections() {
    let (t, ti) = (ty(&[307, 1013], "f32"), ty(&[307, 1013], "i32"));
    check(&program(
        std::slice::from_ref(&t),
        &[ty(&[1013], "f32"), ty(&[1013], "i32")],
        &format!(
            "%i = stablehlo.iota dim = 0 : {ti}
             %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
             %none = stablehlo.constant dense<0> : tensor<i32>
             %b, %r = \"stablehlo.reduce\"(%arg0, %i, %low, %none) <{{dimensions = array<i64: 0>}}> ({{
             ^bb0(%a: tensor<f32>, %ai: tensor<i32>, %c: tensor<f32>, %ci: tensor<i32>):
               %gt = stablehlo.compare GE, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
               %v = stablehlo.select %gt, %a, %c : tensor<i1>, tensor<f32>
               %w = stablehlo.select %gt, %ai, %ci : tensor<i1>, tensor<i32>
               stablehlo.return %v, %w : tensor<f32>, tensor<i32>
             }}) : ({t}, {ti}, tensor<f32>, tensor<i32>) -> (tensor<1013xf32>, tensor<1013xi32>)
             return %b, %r : tensor<1013xf32>, tensor<1013xi32>"
        ),
    ));
}

#[test]
fn products() {
    let product = |batch: &[i64], k: i64, n: i64, element: &str| {
        let with = |sizes: &[i64]| ty(&[batch, sizes].concat(), element);
        let (x, w, to) = (with(&[1, k]), with(&[k, n]), with(&[1, n]));
        let dims = match batch.len() {
            0 => "contracting_dims = [1] x [0]",
            _ => "batching_dims = [0] x [0], contracting_dims = [2] x [1]",
        };
        check(&program(
            &[x.clone(), w.clone(), to.clone()],
            std::slice::from_ref(&to),
            &format!(
                "%p = stablehlo.dot_general %arg0, %arg1, {dims} : ({x}, {w}) -> {to}
                 %r = stablehlo.add %p, %arg2 : {to}
                 return %r : {to}"
            ),
        ));
    };
    for (k, n) in [
        (523, 1031),
        (17, 4099),
        (16, 5000),
        (1009, 257),
        (7, 40000),
        (768, 2304),
    ] {
        product(&[], k, n, "f32");
    }
    for element in ["f64", "bf16", "f16", "i32"] {
        product(&[], 131, 3001, element);
    }
    product(&[3], 101, 1501, "f32");
}

/// Much that is computed from rows that are read across.
#[test]
fn work_on_transposed_operands() {
    for (shape, permutation) in [
        (vec![67, 83], vec![1, 0]),
        (vec![16, 16], vec![1, 0]),
        (vec![129, 5], vec![1, 0]),
        (vec![1, 19], vec![1, 0]),
        (vec![0, 19], vec![1, 0]),
        (vec![3, 50, 70], vec![0, 2, 1]),
        (vec![20, 33, 40], vec![2, 1, 0]),
        (vec![16, 100, 3, 8], vec![0, 2, 1, 3]),
    ] {
        let to: Vec<i64> = permutation.iter().map(|p: &usize| shape[*p]).collect();
        for element in ["f32", "f64", "bf16"] {
            let (from, to) = (ty(&shape, element), ty(&to, element));
            let source = program(
                &[from.clone(), from.clone(), to.clone()],
                std::slice::from_ref(&to),
                &format!(
                    "%a = stablehlo.transpose %arg0, dims = {permutation:?} : ({from}) -> {to}
                     %b = stablehlo.transpose %arg1, dims = {permutation:?} : ({from}) -> {to}
                     %x = stablehlo.exponential %a : {to}
                     %y = stablehlo.tanh %b : {to}
                     %z = stablehlo.multiply %x, %y : {to}
                     %w = stablehlo.add %a, %arg2 : {to}
                     %r = stablehlo.subtract %z, %w : {to}
                     return %r : {to}"
                ),
            );
            same_without(&source, "stored-blocks");
        }
    }
}
