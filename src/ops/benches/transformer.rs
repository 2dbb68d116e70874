//! `cargo bench -p mapwright-ops`: all maps of a transformer of 48 layers, with composition per
//! region of the size of a fusion, beside the time to parse it. The program is
//! `bench/programs/big_transformer_48.mlir` of `MAPWRIGHT_SHARED` (or `../shared`), or one that is
//! written here.
//!
//! Before the samples there is a summary: the least of several runs, in microseconds an operation,
//! and as a part of parsing.

#![allow(clippy::print_stdout)] // the summary

use divan::{Bencher, counter::ItemsCount};
use mapwright_mlir::{Op, melior::ir::Module, op};
use mapwright_ops::{Composer, operations};
use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

fn main() {
    summary();
    divan::main();
}

/// Writes operations in generic form.
#[derive(Default)]
struct Writer {
    text: String,
    values: usize,
}

impl Writer {
    fn op(&mut self, name: &str, operands: &[(&str, &str)], rest: &str, result: &str) -> String {
        let value = format!("%v{}", self.values);
        self.values += 1;
        let names: Vec<&str> = operands.iter().map(|(name, _)| *name).collect();
        let types: Vec<&str> = operands.iter().map(|(_, ty)| *ty).collect();
        self.text += &format!(
            "{value} = \"stablehlo.{name}\"({}) {rest} : ({}) -> {result}\n",
            names.join(", "),
            types.join(", ")
        );
        value
    }

    fn binary(&mut self, name: &str, a: &str, b: &str, ty: &str) -> String {
        self.op(name, &[(a, ty), (b, ty)], "", ty)
    }

    fn broadcast(&mut self, value: &str, from: &str, dims: &str, to: &str) -> String {
        let rest = format!("{{broadcast_dimensions = array<i64{dims}>}}");
        self.op("broadcast_in_dim", &[(value, from)], &rest, to)
    }

    /// Over the last dimension, and broadcast back.
    fn reduce(&mut self, how: &str, value: &str, ty: &str, small: &str, rank: usize) -> String {
        let rest = format!(
            "({{ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %c = \"stablehlo.{how}\"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32> \"stablehlo.return\"(%c) : (tensor<f32>) -> () }}) {{dimensions = array<i64: {}>}}",
            rank - 1
        );
        let small_value = self.op(
            "reduce",
            &[(value, ty), ("%zero", "tensor<f32>")],
            &rest,
            small,
        );
        let dims: Vec<String> = (0..rank - 1).map(|k| k.to_string()).collect();
        self.broadcast(&small_value, small, &format!(": {}", dims.join(", ")), ty)
    }

    fn dot(
        &mut self,
        a: (&str, &str),
        b: (&str, &str),
        numbers: [&str; 4],
        result: &str,
    ) -> String {
        let rest = format!(
            "{{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [{}], rhs_batching_dimensions = [{}], lhs_contracting_dimensions = [{}], rhs_contracting_dimensions = [{}]>}}",
            numbers[0], numbers[1], numbers[2], numbers[3]
        );
        self.op("dot_general", &[a, b], &rest, result)
    }
}

/// Layers of attention and a perceptron, each behind a normalization.
fn written(layers: usize) -> String {
    let (x, row, w, up, down) = (
        "tensor<128x256xf32>",
        "tensor<128xf32>",
        "tensor<256x256xf32>",
        "tensor<256x1024xf32>",
        "tensor<1024x256xf32>",
    );
    let (split, heads, scores, line, wide) = (
        "tensor<128x4x64xf32>",
        "tensor<4x128x64xf32>",
        "tensor<4x128x128xf32>",
        "tensor<4x128xf32>",
        "tensor<128x1024xf32>",
    );
    let mut t = Writer::default();
    t.text += &format!(
        "func.func @main(%x: {x}, %w: {w}, %up: {up}, %down: {down}, %bias: tensor<256xf32>) -> {x} {{\n%zero = \"stablehlo.constant\"() {{value = dense<0.0> : tensor<f32>}} : () -> tensor<f32>\n"
    );
    let mut value = "%x".to_owned();
    for _ in 0..layers {
        let normalized = |t: &mut Writer, value: &str| {
            let mean = t.reduce("add", value, x, row, 2);
            let centred = t.binary("subtract", value, &mean, x);
            let square = t.binary("multiply", &centred, &centred, x);
            let variance = t.reduce("add", &square, x, row, 2);
            let scale = t.op("rsqrt", &[(&variance, x)], "", x);
            let scaled = t.binary("multiply", &centred, &scale, x);
            let bias = t.broadcast("%bias", "tensor<256xf32>", ": 1", x);
            t.binary("add", &scaled, &bias, x)
        };
        let input = normalized(&mut t, &value);
        let head = |t: &mut Writer| {
            let made = t.dot((&input, x), ("%w", w), ["", "", "1", "0"], x);
            let parts = t.op("reshape", &[(&made, x)], "", split);
            let rest = "{permutation = array<i64: 1, 0, 2>}";
            t.op("transpose", &[(&parts, split)], rest, heads)
        };
        let (q, k, v) = (head(&mut t), head(&mut t), head(&mut t));
        let score = t.dot((&q, heads), (&k, heads), ["0", "0", "2", "2"], scores);
        let most = t.reduce("maximum", &score, scores, line, 3);
        let shifted = t.binary("subtract", &score, &most, scores);
        let power = t.op("exponential", &[(&shifted, scores)], "", scores);
        let sum = t.reduce("add", &power, scores, line, 3);
        let weights = t.binary("divide", &power, &sum, scores);
        let mixed = t.dot((&weights, scores), (&v, heads), ["0", "0", "2", "1"], heads);
        let rest = "{permutation = array<i64: 1, 0, 2>}";
        let back = t.op("transpose", &[(&mixed, heads)], rest, split);
        let joined = t.op("reshape", &[(&back, split)], "", x);
        let projected = t.dot((&joined, x), ("%w", w), ["", "", "1", "0"], x);
        let after = t.binary("add", &value, &projected, x);
        let input = normalized(&mut t, &after);
        let hidden = t.dot((&input, x), ("%up", up), ["", "", "1", "0"], wide);
        let gate = t.op("tanh", &[(&hidden, wide)], "", wide);
        let gated = t.binary("multiply", &hidden, &gate, wide);
        let out = t.dot((&gated, wide), ("%down", down), ["", "", "1", "0"], x);
        value = t.binary("add", &after, &out, x);
    }
    t.text + &format!("return {value} : {x}\n}}\n")
}

fn program() -> String {
    let root = std::env::var("MAPWRIGHT_SHARED")
        .unwrap_or_else(|_| format!("{}/../../../shared", env!("CARGO_MANIFEST_DIR")));
    let path = format!("{root}/bench/programs/big_transformer_48.mlir");
    std::fs::read_to_string(path).unwrap_or_else(|_| written(48))
}

/// The maps of all operations; how many there are.
fn all_maps(all: &[Op<'_>], both: bool) -> usize {
    let composer = Composer::new();
    let mut maps = 0;
    for operation in all {
        for result in 0..operation.num_results() {
            let found = composer.output_to_input(*operation, result);
            maps += found.iter().map(|found| found.maps.len()).sum::<usize>();
        }
        for operand in 0..if both { operation.num_operands() } else { 0 } {
            let found = composer.input_to_output(*operation, operand);
            maps += found.iter().map(|found| found.maps.len()).sum::<usize>();
        }
    }
    maps
}

/// True for operations at which regions end: contractions and reductions, and values that several
/// operations use.
fn ends(operation: Op<'_>) -> bool {
    matches!(operation.short_name(), "dot_general" | "reduce")
        || (operation.results().into_iter()).any(|value| op::uses(value).len() > 1)
}

/// The operations at the ends of regions, and their addresses. Which regions there are is given: a
/// plan says so.
fn plan<'c>(all: &[Op<'c>]) -> (Vec<Op<'c>>, HashSet<usize>) {
    let last: Vec<Op<'c>> = all
        .iter()
        .copied()
        .filter(|operation| ends(*operation))
        .collect();
    let addresses = last
        .iter()
        .map(|operation| operation.to_raw().ptr as usize)
        .collect();
    (last, addresses)
}

/// All maps, and composed: for each region from every operand of the operation at its end back to
/// where other regions end.
fn regions<'c>((last, addresses): &(Vec<Op<'c>>, HashSet<usize>)) -> usize {
    let composer = Composer::new();
    let mut reached = 0;
    for operation in last {
        for operand in operation.operands() {
            let found = composer.backward_within(operand, |inner| {
                !addresses.contains(&(inner.to_raw().ptr as usize))
            });
            reached += found.iter().map(|(_, maps)| maps.len()).sum::<usize>();
        }
    }
    reached
}

fn summary() {
    fn least(mut f: impl FnMut() -> usize) -> (Duration, usize) {
        (0..5)
            .map(|_| {
                let start = Instant::now();
                let made = f();
                (start.elapsed(), made)
            })
            .min()
            .unwrap_or_default()
    }
    let text = program();
    let (parsing, _) = least(|| {
        let context = mapwright_mlir::context::context();
        usize::from(Module::parse(&context, &text).is_some())
    });
    let context = mapwright_mlir::context::context();
    let Some(module) = Module::parse(&context, &text) else {
        println!("the program does not parse");
        return;
    };
    let all = operations(Op::new(module.as_operation()));
    let n = all.len();
    println!(
        "{n} operations, parsed in {:.2} ms",
        parsing.as_secs_f64() * 1e3
    );
    let line = |name: &str, (time, made): (Duration, usize)| {
        println!(
            "{name:28} {:7.2} ms, {:6.2} us an operation, {:5.2} of parsing, {made} maps",
            time.as_secs_f64() * 1e3,
            time.as_secs_f64() * 1e6 / n as f64,
            time.as_secs_f64() / parsing.as_secs_f64(),
        );
    };
    line("output to input", least(|| all_maps(&all, false)));
    line("both directions", least(|| all_maps(&all, true)));
    let plan = plan(&all);
    line("composed per region", least(|| regions(&plan)));
}

#[divan::bench(sample_count = 20)]
fn parsing(bencher: Bencher) {
    let text = program();
    bencher.bench(|| {
        let context = mapwright_mlir::context::context();
        Module::parse(&context, &text).is_some()
    });
}

#[divan::bench(args = [false, true], sample_count = 20)]
fn maps(bencher: Bencher, both: bool) {
    let (context, text) = (mapwright_mlir::context::context(), program());
    let Some(module) = Module::parse(&context, &text) else {
        return;
    };
    let all = operations(Op::new(module.as_operation()));
    bencher
        .counter(ItemsCount::new(all.len()))
        .bench_local(|| all_maps(&all, both));
}

#[divan::bench(sample_count = 20)]
fn composed(bencher: Bencher) {
    let (context, text) = (mapwright_mlir::context::context(), program());
    let Some(module) = Module::parse(&context, &text) else {
        return;
    };
    let all = operations(Op::new(module.as_operation()));
    let plan = plan(&all);
    bencher
        .counter(ItemsCount::new(all.len()))
        .bench_local(|| regions(&plan));
}
