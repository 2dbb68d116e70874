//! `rng` gives numbers of the distribution that it is asked for: Kolmogorov's and Smirnov's test,
//! and what it does not see.
//!
//! The numbers follow from the program alone, so that a test that passes always does. `D sqrt(n)`
//! of numbers that are drawn as they should be is above 1.95 in one of a thousand cases.

use crate::interpreted;
use mapwright_interpret::formats;
use mapwright_mlir::{ElementType, FloatKind, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

const COUNT: usize = 200_000;
const MOST: f64 = 1.95;

/// What a program with one `rng` gives, on one and on two threads.
fn drawn(element: &ElementType, distribution: &str, a: &str, b: &str) -> Vec<f64> {
    let text = format!(
        "func.func @main() -> tensor<{COUNT}x{element}> {{
           %a = stablehlo.constant dense<{a}> : tensor<{element}>
           %b = stablehlo.constant dense<{b}> : tensor<{element}>
           %n = stablehlo.constant dense<[{COUNT}]> : tensor<1xi64>
           %0 = stablehlo.rng %a, %b, %n, distribution = {distribution} : (tensor<{element}>, tensor<{element}>, tensor<1xi64>) -> tensor<{COUNT}x{element}>
           return %0 : tensor<{COUNT}x{element}>
         }}"
    );
    let results = run(&text);
    numbers(&results[0])
}

/// Results of a program without arguments; the number of threads changes nothing.
fn run(text: &str) -> Vec<Tensor> {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", text.as_bytes()) else {
        panic!("{}", diagnostics.take());
    };
    let options = CompileOptions {
        threads: 2,
        ..CompileOptions::default()
    };
    let executable = Executable::compile(Op::new(module.as_operation()), &options)
        .unwrap_or_else(|error| panic!("{} {error}", diagnostics.take()));
    let run = |threads| {
        executable
            .execute(&[], &ExecuteOptions { threads })
            .expect("runs")
    };
    let one = run(1);
    let further = run(1);
    executable.set_seed(0);
    let two = run(2);
    for ((x, y), further) in one.iter().zip(&two).zip(&further) {
        assert!(x.bytes() == y.bytes(), "threads change the numbers");
        let is_one = x.bytes().windows(2).all(|pair| pair[0] == pair[1]);
        assert!(
            is_one || x.bytes() != further.bytes(),
            "a call draws what the one before it drew"
        );
    }
    one
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    let found = interpreted::tensor(tensor);
    let number = |x: &mapwright_interpret::Scalar| match x.int() {
        Ok(x) => x as f64,
        Err(_) => x.real().expect("a number"),
    };
    found.data.iter().map(number).collect()
}

/// The end of the numbers that are rounded to `x`: halfway to the next one of the format.
fn upper_end(kind: FloatKind, x: f64) -> f64 {
    let bits = |x| formats::to_bits(kind, x);
    let next = match x {
        0.0 => formats::from_bits(kind, 1),
        x if x > 0.0 => formats::from_bits(kind, bits(x) + 1),
        x => formats::from_bits(kind, bits(x) - 1),
    };
    if next.is_finite() {
        x / 2.0 + next / 2.0
    } else {
        x
    }
}

/// `D sqrt(n)`: how far the share of numbers up to `x` is from `expected(x)`, at the worst `x`
/// among them.
fn statistic(numbers: &[f64], expected: impl Fn(f64) -> f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let mut worst = 0f64;
    let mut at = 0;
    while at < sorted.len() {
        let x = sorted[at];
        while at < sorted.len() && sorted[at] == x {
            at += 1;
        }
        worst = worst.max((at as f64 / n - expected(x)).abs());
    }
    worst * n.sqrt()
}

/// The integral of the normal density, by its series at zero.
fn normal(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut k) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        k += 2.0;
        term *= x * x / k;
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// Each number against the one before it: 0 up to about `1 / sqrt(n)` where they have nothing to do
/// with each other.
fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len().min(y.len()) as f64;
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (mx, my) = (mean(x), mean(y));
    let product = |f: &dyn Fn(f64, f64) -> f64| {
        x.iter().zip(y).map(|(x, y)| f(x - mx, y - my)).sum::<f64>() / n
    };
    product(&|x, y| x * y) / (product(&|x, _| x * x) * product(&|_, y| y * y)).sqrt()
}

fn unrelated(x: &[f64], y: &[f64], what: &str) {
    let c = correlation(x, y) * (x.len() as f64).sqrt();
    assert!(
        c.abs() < 4.0,
        "{what}: correlation of {c} standard deviations"
    );
}

const FLOATS: [FloatKind; 5] = [
    FloatKind::F64,
    FloatKind::F32,
    FloatKind::F16,
    FloatKind::BF16,
    FloatKind::F8E5M2,
];

#[test]
fn uniform_floats() {
    for kind in FLOATS {
        let element = ElementType::Float(kind);
        for (a, b) in [("0.0", "1.0"), ("-2.0", "6.0"), ("1024.0", "1536.0")] {
            let x = drawn(&element, "UNIFORM", a, b);
            let (low, high): (f64, f64) = (a.parse().unwrap(), b.parse().unwrap());
            assert!(x.iter().all(|x| *x >= low && *x < high), "{element}");
            let largest = x.iter().copied().fold(low, f64::max);
            let d = statistic(&x, |x| {
                if x == largest {
                    // What would be rounded to the end of the range is kept below it.
                    1.0
                } else {
                    ((upper_end(kind, x) - low) / (high - low)).min(1.0)
                }
            });
            assert!(d < MOST, "{element} in [{a}, {b}): {d}");
            for gap in [1, 2, 64, 1024] {
                unrelated(
                    &x[gap..],
                    &x[..COUNT - gap],
                    &format!("{element}, {gap} apart"),
                );
            }
        }
    }
}

#[test]
fn normal_floats() {
    for kind in &FLOATS[..4] {
        let element = ElementType::Float(*kind);
        for (mean, deviation) in [("0.0", "1.0"), ("3.0", "0.5"), ("-100.0", "7.0")] {
            let x = drawn(&element, "NORMAL", mean, deviation);
            let (m, s): (f64, f64) = (mean.parse().unwrap(), deviation.parse().unwrap());
            let d = statistic(&x, |x| normal((upper_end(*kind, x) - m) / s));
            assert!(d < MOST, "{element} around {mean}: {d}");
            // A shift by a fiftieth of the deviation would be seen.
            let shifted = statistic(&x, |x| normal((upper_end(*kind, x) - m) / s - 0.02));
            assert!(
                shifted > MOST,
                "{element}: the test sees nothing ({shifted})"
            );
            // The ends, which the test hardly weighs: the outermost of so many.
            let outer = x.iter().map(|x| (x - m).abs() / s).fold(0.0, f64::max);
            assert!((3.9..6.0).contains(&outer), "{element}: {outer} deviations");
            for gap in [1, 2, 64, 1024] {
                unrelated(
                    &x[gap..],
                    &x[..COUNT - gap],
                    &format!("{element}, {gap} apart"),
                );
            }
        }
    }
}

#[test]
fn uniform_integers() {
    let int = |width, unsigned| ElementType::Int { width, unsigned };
    for (element, a, b) in [
        (int(4, false), -8, 7),
        (int(8, false), -100, 100),
        (int(8, true), 0, 255),
        (int(16, false), -3, 4),
        (int(32, false), -1_000_000, 2_000_000),
        (int(32, true), 0, 10),
        (int(64, false), -5, 5),
        (int(64, true), 1, 1000),
        (ElementType::Bool, 0, 1),
    ] {
        let text = |x: i64| match element {
            ElementType::Bool => (x != 0).to_string(),
            _ => x.to_string(),
        };
        let x = drawn(&element, "UNIFORM", &text(a), &text(b));
        let range = (b - a) as f64;
        assert!(
            x.iter().all(|x| *x >= a as f64 && *x < b as f64),
            "{element}"
        );
        let d = statistic(&x, |x| (x - a as f64 + 1.0) / range);
        assert!(d < MOST, "{element} in [{a}, {b}): {d}");
        if range > 1.0 {
            unrelated(&x[1..], &x[..COUNT - 1], &element.to_string());
        }
    }
}

#[test]
fn streams_of_one_program_have_nothing_to_do_with_each_other() {
    let ty = format!("tensor<{COUNT}xf32>");
    let results = run(&format!(
        "func.func @main() -> ({ty}, {ty}) {{
           %a = stablehlo.constant dense<0.0> : tensor<f32>
           %b = stablehlo.constant dense<1.0> : tensor<f32>
           %n = stablehlo.constant dense<[{COUNT}]> : tensor<1xi64>
           %0 = stablehlo.rng %a, %b, %n, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> {ty}
           %1 = stablehlo.rng %a, %b, %n, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> {ty}
           return %0, %1 : {ty}, {ty}
         }}"
    ));
    unrelated(&numbers(&results[0]), &numbers(&results[1]), "two streams");
}
