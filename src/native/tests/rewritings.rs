//! Operations that only CHLO and MHLO have, with every mode of their attributes: what they become,
//! compiled and evaluated, against the interpreter's own definition of them.
//!
//! Numbers are small and whole, so that every order of a sum gives the same; functions with an
//! error are near to their definitions. `SEED=1 COUNT=1000 cargo test … many -- --ignored` runs
//! many.

mod apart;
mod functions;
mod others;
mod products;
mod text;

use fastrand::Rng;
use functions::functions;
use mapwright_interpret::{Options, Scalar, Tensor, Value, run};
use mapwright_mlir::{ElementType, FloatKind, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions};
use mapwright_normalize::{
    chlo,
    mhlo::{self, Direction},
    verify,
};
use others::{constant_like, handed_on, scan, top_k};
use products::{broadcast, ragged_dot, shared};

type Family = fn(&mut Rng) -> String;

const FAMILIES: &[(&str, Family, u64)] = &[
    ("ragged_dot", ragged_dot, 4),
    ("broadcast", broadcast, 4),
    ("shared", shared, 6),
    ("scan", scan, 2),
    ("top_k", top_k, 2),
    ("constant_like", constant_like, 1),
    ("handed_on", handed_on, 1),
    ("functions", functions, 6),
];

fn tensors(found: Vec<Value>) -> Vec<Tensor> {
    found
        .iter()
        .map(|value| value.tensor().cloned().expect("a tensor"))
        .collect()
}

/// NaN is NaN, whichever; zeros have signs.
fn same(a: &[Tensor], b: &[Tensor]) -> bool {
    let number = |x: f64, y: f64| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.shape == b.shape
                && a.element == b.element
                && a.data.iter().zip(&b.data).all(|(x, y)| match (x, y) {
                    (Scalar::Real(x), Scalar::Real(y)) => number(*x, *y),
                    (Scalar::Complex(a, b), Scalar::Complex(c, d)) => {
                        number(*a, *c) && number(*b, *d)
                    }
                    _ => x == y,
                })
        })
}

/// As [`same`], but for the errors of functions (`docs/chlo-accuracy.md`), beside their roots of
/// what goes into the sum.
fn near(a: &[Tensor], b: &[Tensor]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            let error = match a.element {
                ElementType::Float(FloatKind::F64) => 1e-12,
                ElementType::Float(FloatKind::F32) => 2e-6,
                ElementType::Float(FloatKind::F16) => 2e-3,
                _ => 1.6e-2,
            };
            a.shape == b.shape
                && a.element == b.element
                && a.data.iter().zip(&b.data).all(|(x, y)| match (x, y) {
                    (Scalar::Real(x), Scalar::Real(y)) if x.is_finite() && y.is_finite() => {
                        (x - y).abs() <= error * x.abs().max(0.1)
                    }
                    (Scalar::Real(x), Scalar::Real(y)) => x == y || (x.is_nan() && y.is_nan()),
                    _ => x == y,
                })
        })
}

type Agree = fn(&[Tensor], &[Tensor]) -> bool;

fn check(text: &str, agree: Agree) {
    mapwright_ops::hooks::install();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", text.as_bytes()) else {
        panic!("{}\n{text}", diagnostics.take());
    };
    let module = Op::new(module.as_operation());
    let evaluate = |what: &str| match run(module, "main", &[], &Options::default()) {
        Ok(found) => tensors(found),
        Err(error) => panic!("{what}: {error}\n{text}"),
    };
    let expected = evaluate("as it is");
    let options = CompileOptions {
        threads: 1,
        ..CompileOptions::default()
    };
    let native = match Executable::compile(module, &options) {
        Ok(executable) => executable.execute(&[], &ExecuteOptions::default()),
        Err(error) => panic!("{} {error}\n{text}", diagnostics.take()),
    };
    let native: Vec<Tensor> = native
        .expect("runs")
        .iter()
        .map(|t| Tensor::from_bytes(t.element(), t.shape(), t.bytes()).expect("a tensor"))
        .collect();
    assert!(
        agree(&expected, &native),
        "{expected:?}\n{native:?}\n{text}"
    );
    mhlo::convert(module, Direction::ToStablehlo).expect("MHLO is rewritten");
    chlo::legalize(module, &[]).expect("CHLO is rewritten");
    if verify::all(module, "legalise").is_err() {
        panic!("{}\n{text}", diagnostics.take());
    }
    let rewritten = evaluate("rewritten");
    assert!(
        agree(&expected, &rewritten),
        "{expected:?}\n{rewritten:?}\n{text}\n{module:?}"
    );
}

fn search(first: u64, count: u64) {
    for seed in first..first + count {
        for (name, family, weight) in FAMILIES {
            let agree = if *name == "functions" { near } else { same };
            for turn in 0..*weight {
                let mut rng =
                    Rng::with_seed((seed * 16 + turn).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                check(&family(&mut rng), agree);
            }
        }
    }
}

#[test]
fn some() {
    search(1, 8);
}

#[test]
#[ignore = "takes as long as one wants"]
fn many() {
    let number = |name: &str, otherwise: u64| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    search(number("SEED", 1), number("COUNT", 200));
}
