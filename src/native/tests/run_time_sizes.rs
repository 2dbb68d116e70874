//! Random programs of run-time sizes: code for every size, and code for the sizes that are there,
//! against the interpreter, each program at three sizes that are drawn anew.
//!
//! A few dozen of them run here. All 5,000:
//! `cargo test --release -p mapwright-native --test all run_time_sizes -- --ignored --nocapture`
//! (`SEED` and `COUNT` choose others).

mod generate;
mod larger;
mod library;
mod many_names;
mod moves;
mod regions;
mod rolls;
mod windows;

use crate::interpreted;
use generate::{Dice, Generator};
use mapwright_interpret::{Options, Value};
use mapwright_mlir::{ElementType, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{
    CodeKind, CompileOptions, Executable, ExecuteOptions, Model, ModelOptions, Tensor,
};
use std::collections::BTreeMap;

fn input(shape: &[i64], dice: &mut Dice) -> Tensor {
    let mut tensor = Tensor::zeros(&ElementType::F32, shape).unwrap();
    for bytes in tensor.bytes_mut().chunks_exact_mut(4) {
        let value = dice.below(2001) as f32 / 1000.0 - 1.0;
        bytes.copy_from_slice(&value.to_le_bytes());
    }
    tensor
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let each = bytes.chunks_exact(4);
    each.map(|c| f32::from_le_bytes(c.try_into().unwrap()))
        .collect()
}

/// The largest difference, of the largest number; infinite where one is finite and the other is
/// not.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    let largest = b
        .iter()
        .filter(|x| x.is_finite())
        .fold(1.0f32, |m, x| m.max(x.abs()));
    let differs = |(x, y): (&f32, &f32)| match x == y || (x.is_nan() && y.is_nan()) {
        true => 0.0,
        false if x.is_finite() && y.is_finite() => (x - y).abs() / largest,
        false => f32::INFINITY,
    };
    a.iter().zip(b).map(differs).fold(0.0, f32::max)
}

/// How far code may be from the interpreter where a program magnifies rounding (a softmax of
/// numbers of some thousands): so many times as far as rounding takes the interpreter, which adds
/// up products in 64 bits. Code does in `f32`, and sums have up to a hundred of them.
const ROUNDED: f32 = 100.0;

/// How far result `number` of the interpreter is from what it computes with numbers of 64 bits in
/// the place of `f32`, of its largest number.
fn rounding(source: &str, inputs: &[Tensor], number: usize, expected: &[f32]) -> f32 {
    let wide = source
        .replace("f32", "f64")
        .replace("0xFF800000", "0xFFF0000000000000");
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let module = diagnostics.parse("wide", wide.as_bytes()).unwrap();
    let values: Vec<Value> = (inputs.iter())
        .map(|tensor| {
            let mut wide = Tensor::zeros(&ElementType::F64, tensor.shape()).unwrap();
            let places = wide.bytes_mut().chunks_exact_mut(8);
            for (place, value) in places.zip(floats(tensor.bytes())) {
                place.copy_from_slice(&f64::from(value).to_le_bytes());
            }
            Value::Tensor(interpreted::tensor(&wide))
        })
        .collect();
    let module = Op::new(module.as_operation());
    let found = mapwright_interpret::run(module, "main", &values, &Options::default()).unwrap();
    let bytes = found[number].tensor().unwrap().to_bytes();
    let exact = bytes.chunks_exact(8);
    let exact: Vec<f32> = exact
        .map(|c| f64::from_le_bytes(c.try_into().unwrap()) as f32)
        .collect();
    distance(&exact, expected)
}

/// Sizes that programs run at: none, single elements, fewer than a vector has, and some that no
/// vector or tile divides.
const SIZES: [i64; 14] = [0, 1, 1, 2, 3, 4, 5, 8, 17, 31, 33, 64, 70, 100];

/// How often each emitter made a kernel, and how often it was not the code of every size.
type Counts = BTreeMap<String, usize>;

fn program(seed: u64) -> String {
    let steps = 4 + (seed % 9) as usize;
    Generator::new(seed).program(steps)
}

/// What is wrong with the program of a seed: nothing, or what, and the program.
fn check(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let source = program(seed);
    if std::env::var_os("PRINT").is_some() {
        eprintln!("seed {seed}:\n{source}");
    }
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let fail = |why: String| {
        Err(format!(
            "seed {seed}: {} {why}\n{source}",
            diagnostics.take()
        ))
    };
    let Ok(module) = diagnostics.parse("program", source.as_bytes()) else {
        return fail("is not read".into());
    };
    let module = Op::new(module.as_operation());
    let options = CompileOptions {
        threads: 1 + (seed % 2) as usize,
        bounds_checks: seed.is_multiple_of(3),
        ..CompileOptions::default()
    };
    let executable = match Executable::compile(module, &options) {
        Ok(executable) => executable,
        Err(error) => return fail(error.to_string()),
    };
    for report in &executable.statistics().regions {
        *counts.entry(report.emitter.to_string()).or_default() += 1;
        for (_, why) in &report.declined {
            if why.starts_with("code that depends on what") {
                *counts.entry("depends".into()).or_default() += 1;
                if std::env::var_os("WHY").is_some() {
                    eprintln!("seed {seed}: {why}");
                }
            }
        }
    }
    let model = ModelOptions {
        compile: options.clone(),
        waits: true,
        ..ModelOptions::default()
    };
    let model = match Model::new(module, "main", model) {
        Ok(model) => model,
        Err(error) => return fail(error.to_string()),
    };
    let mut dice = Dice(seed ^ 0x5DEE_CE66);
    for _ in 0..3 {
        let [n, m, k] = [0; 3].map(|_| *dice.one(&SIZES));
        let k = k.min(4);
        let at = format!("at n = {n}, m = {m}, k = {k}");
        let shapes = [vec![n, m], vec![n, m], vec![m, 21], vec![m], vec![k, n, 4]];
        let inputs: Vec<Tensor> = shapes.iter().map(|s| input(s, &mut dice)).collect();
        let values: Vec<Value> = (inputs.iter())
            .map(|t| Value::Tensor(interpreted::tensor(t)))
            .collect();
        let expected = mapwright_interpret::run(module, "main", &values, &Options::default());
        let expected = match expected {
            Ok(expected) => expected,
            Err(why) => return fail(format!("{at}: the interpreter: {why}")),
        };
        let taken: Vec<&Tensor> = inputs.iter().collect();
        let threads = ExecuteOptions {
            threads: options.threads,
        };
        let special = model.call(&taken, &threads).map(|(found, kind)| {
            assert_eq!(kind, CodeKind::Special, "seed {seed} {at}");
            found
        });
        for (code, found) in [
            ("code for any size", executable.execute(&taken, &threads)),
            ("special code", special),
        ] {
            let found = match found {
                Ok(found) => found,
                Err(why) => return fail(format!("{at}, {code}: {why}")),
            };
            for (number, (one, other)) in found.iter().zip(&expected).enumerate() {
                let other = other.tensor().unwrap();
                if one.shape() != &other.shape[..] {
                    let (one, other) = (one.shape(), &other.shape);
                    return fail(format!(
                        "{at}, {code}, result {number}: {one:?}, not {other:?}"
                    ));
                }
                let expected = floats(&other.to_bytes());
                let found = distance(&floats(one.bytes()), &expected);
                if found < 1e-4 {
                    continue;
                }
                let rounded = rounding(&source, &inputs, number, &expected);
                if found > ROUNDED * rounded {
                    return fail(format!(
                        "{at}, {code}, result {number}: {found}, where rounding makes {rounded} in the interpreter"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Checks so many programs; how often each emitter made a kernel.
fn check_all(first: u64, count: u64) -> Counts {
    let mut counts = Counts::new();
    let mut wrong = Vec::new();
    for seed in first..first + count {
        if let Err(why) = check(seed, &mut counts) {
            eprintln!("{why}");
            wrong.push(why);
        }
        let done = seed + 1 - first;
        if done.is_multiple_of(100) {
            eprintln!("{done} programs, {} differ", wrong.len());
        }
    }
    eprintln!("{counts:?}");
    assert!(
        wrong.is_empty(),
        "{} differ: {}",
        wrong.len(),
        wrong.join("\n\n")
    );
    counts
}

#[test]
fn some_programs() {
    let counts = check_all(1, 40);
    // Most regions of run-time sizes are for the emitters of static ones: otherwise this says
    // nothing of these.
    let of = |name: &str| counts.get(name).copied().unwrap_or(0);
    assert!(of("tiled") > 60 && of("contraction") > 5, "{counts:?}");
}

fn number(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// As many as `COUNT` says, from the seed `SEED`.
#[test]
#[ignore = "takes an hour"]
fn many_programs() {
    check_all(number("SEED", 1), number("COUNT", 5000));
}

/// As many as `COUNT` says, from the seed `SEED`, as files in the folder `FOLDER`: for
/// `tests/sanitize.py`.
#[test]
#[ignore = "writes files"]
fn written_programs() {
    let folder = std::path::PathBuf::from(std::env::var_os("FOLDER").expect("FOLDER"));
    std::fs::create_dir_all(&folder).unwrap();
    let (first, count) = (number("SEED", 1), number("COUNT", 500));
    for seed in first..first + count {
        let file = folder.join(format!("{seed:06}.mlir"));
        std::fs::write(file, program(seed)).unwrap();
    }
}
