//! Schedules that are stated beside regions: code by one that is legal computes what the
//! interpreter does, one that is not is an error at the region, and the schedule that is chosen is
//! the one that is read when it is written out.

mod programs;

use crate::interpreted;
use crate::ways::{Numbers, numbers, run};
use fastrand::Rng;
use mapwright_interpret::{Options, Value};
use mapwright_mlir::{ElementType, Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{
    CompileOptions, Executable, Tensor,
    pipeline::{fuse, normalise, schedule},
};
use std::collections::BTreeMap;

const NUMBERS: Numbers = Numbers {
    every: 0,
    odd: &[],
    below: 100,
};

/// The program in regions, each with its schedule.
fn scheduled(source: &str, options: &CompileOptions) -> String {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", source.as_bytes()) else {
        panic!("{}\n{source}", diagnostics.take());
    };
    let root = Op::new(module.as_operation());
    let names = ["main".to_string()];
    normalise(
        root,
        &names,
        &options.disabled,
        CompileOptions::MOST_OPERATIONS,
    )
    .unwrap();
    fuse(root, &names, &options.disabled);
    schedule(root, options);
    module.as_operation().to_string()
}

const OPEN: &str = "#indexing.schedule<";

/// The schedules of the regions, in order.
fn schedules(text: &str) -> Vec<String> {
    let parts = text.split(OPEN).skip(1);
    parts
        .map(|part| {
            part.split_once(">}")
                .or(part.split_once(">,"))
                .unwrap()
                .0
                .into()
        })
        .collect()
}

/// Code, or the diagnostic.
fn compiled(source: &str, options: &CompileOptions) -> Result<Executable, String> {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", source.as_bytes()) else {
        return Err(diagnostics.take());
    };
    let root = Op::new(module.as_operation());
    Executable::compile(root, options).map_err(|error| format!("{}{error}", diagnostics.take()))
}

/// What the interpreter computes.
fn interpreted_results(source: &str, inputs: &[Tensor]) -> Vec<mapwright_interpret::Tensor> {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let module = diagnostics.parse("test", source.as_bytes()).unwrap();
    let values: Vec<Value> = (inputs.iter())
        .map(|tensor| Value::Tensor(interpreted::tensor(tensor)))
        .collect();
    let module = Op::new(module.as_operation());
    let found = mapwright_interpret::run(module, "main", &values, &Options::default()).unwrap();
    let tensors = found.iter().map(|value| value.tensor().unwrap().clone());
    tensors.collect()
}

/// The largest difference of elements, of the largest number.
fn distance(found: &Tensor, expected: &mapwright_interpret::Tensor) -> f64 {
    let mut other = Tensor::zeros(found.element(), &expected.shape).unwrap();
    other.bytes_mut().copy_from_slice(&expected.to_bytes());
    let (found, other) = match found.element() {
        ElementType::Int { width: 32, .. } => {
            let whole = |tensor: &Tensor| -> Vec<f64> {
                let each = tensor.bytes().chunks_exact(4);
                each.map(|c| f64::from(i32::from_le_bytes(c.try_into().unwrap())))
                    .collect()
            };
            (whole(found), whole(&other))
        }
        _ => (numbers(found), numbers(&other)),
    };
    let largest = other.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    let differences = found
        .iter()
        .zip(&other)
        .map(|(a, b)| (a - b).abs() / largest);
    differences.fold(0.0, f64::max)
}

/// A schedule that is like `chosen`, with steps left out, changed and added.
fn changed(rng: &mut Rng, chosen: &str) -> String {
    let (emitter, steps) = chosen.split_once(" [").unwrap();
    let steps = steps.trim_end_matches(']');
    let mut steps: Vec<String> = if steps.is_empty() {
        Vec::new()
    } else {
        steps
            .split("), ")
            .map(|s| s.trim_end_matches(')').to_string() + ")")
            .collect()
    };
    let one = |rng: &mut Rng, of: &[&str]| of[rng.usize(..of.len())].to_string();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(..steps.len().max(1));
        let sizes = ["1", "2", "3", "4", "5", "8", "16", "32", "64", "100"];
        let loops = ["d0", "d1", "d2", "r0"];
        match rng.u8(..6) {
            0 if steps.len() > 1 => {
                steps.remove(at);
            }
            // Another number in the place of the last one.
            1..=3 if !steps.is_empty() => {
                let step = &steps[at];
                if let Some((head, _)) = step.rsplit_once(", ") {
                    steps[at] = format!("{head}, {})", one(rng, &sizes));
                }
            }
            4 if steps.len() > 1 => steps.swap(at, 0),
            _ => {
                let (dim, size) = (one(rng, &loops), one(rng, &sizes));
                let value = format!("v{}", rng.usize(..10));
                let new = match emitter {
                    "tiled" => vec![
                        format!("tile({dim}, {size})"),
                        format!("unroll({dim}, {size})"),
                        format!("unroll_fully({dim})"),
                        format!("interleave({dim})"),
                        format!("peel({dim}, {size})"),
                        format!("transpose_blocks({dim})"),
                        format!("store_blocks({size})"),
                        format!("row_block({dim}, {size})"),
                        format!("column_block({dim})"),
                        format!("combine_rows({value}, {size})"),
                        format!("accumulators({value}, {size})"),
                        format!("keep({value})"),
                        format!("keep_in_result({value}, 0)"),
                        "reciprocal(1)".into(),
                        "reciprocal_of_constants()".into(),
                        format!("prefetch({}, {size})", one(rng, &["a0", "a1", &value])),
                        "stream(0)".into(),
                        format!("stream({}, {size})", rng.usize(..2)),
                    ],
                    _ => {
                        let dim = one(rng, &["m", "n", "mo"]);
                        vec![
                            format!("tile({dim}, {size})"),
                            format!("pack({dim})"),
                            format!("pack_in_tile({dim})"),
                            format!("pack_rounds({dim}, {size})"),
                            format!("pack_once({dim})"),
                            format!("transpose_blocks({dim})"),
                            "prefetch_panel()".into(),
                            format!("prefetch_columns({size})"),
                            "prefetch_results()".into(),
                            format!("unroll_epilogue({size})"),
                            format!("gemv_row({size})"),
                            format!("gemv_column({size}, {})", one(rng, &sizes)),
                            format!("depthwise({size})"),
                        ]
                    }
                };
                let new = &new[rng.usize(..new.len())];
                let name = new.split('(').next().unwrap();
                if !matches!(
                    name,
                    "tile" | "keep" | "interleave" | "unroll_fully" | "pack"
                ) {
                    steps.retain(|step| step.split('(').next() != Some(name));
                }
                let at = rng.usize(..=steps.len());
                steps.insert(at, new.clone());
            }
        }
    }
    format!("{emitter} [{}]", steps.join(", "))
}

fn check(first: u64, count: u64) {
    let (mut agree, mut refused) = (0, BTreeMap::<String, usize>::new());
    let mut wrong = Vec::new();
    let mut used = BTreeMap::<String, usize>::new();
    for (number, (source, most)) in programs::all().into_iter().enumerate() {
        let plain = CompileOptions {
            threads: 2,
            ..CompileOptions::default()
        };
        let text = scheduled(&source, &plain);
        let chosen = schedules(&text);
        assert_eq!(chosen.len(), 1, "{text}");
        let code = compiled(&text, &plain).unwrap();
        let inputs = NUMBERS.inputs(&code, 7);
        let expected = interpreted_results(&source, &inputs);
        // What is written out is what was chosen.
        let reports = &code.statistics().regions;
        assert_eq!(reports[0].schedule.to_string(), chosen[0]);
        let (results, others) = (run(&code, &inputs, 2), compiled(&source, &plain).unwrap());
        let others = run(&others, &inputs, 2);
        for (one, other) in results.iter().zip(&others) {
            assert!(one.bytes() == other.bytes(), "{text}");
        }
        for seed in first..first + count {
            let mut rng = Rng::with_seed(seed * 100 + number as u64);
            let stated = changed(&mut rng, &chosen[0]);
            let options = CompileOptions {
                threads: 1 + (seed % 2) as usize,
                bounds_checks: seed % 3 == 0,
                ..CompileOptions::default()
            };
            let text = text.replace(&chosen[0], &stated);
            match compiled(&text, &options) {
                Ok(code) => {
                    let found = run(&code, &inputs, options.threads);
                    let far = found.iter().zip(&expected).map(|(a, b)| distance(a, b));
                    let far = far.fold(0.0, f64::max);
                    agree += 1;
                    for step in stated.split([' ', '[']).filter(|s| s.contains('(')) {
                        let name = step.split('(').next().unwrap();
                        *used.entry(name.into()).or_default() += 1;
                    }
                    if far > most || far.is_nan() {
                        wrong.push(format!("{stated}: {far}, seed {seed}\n{source}"));
                    }
                }
                Err(why) if why.contains("cannot run by its schedule: ") => {
                    let (_, why) = why.split_once("schedule: ").unwrap();
                    let kind = why
                        .split('\'')
                        .nth(2)
                        .unwrap_or(why)
                        .lines()
                        .next()
                        .unwrap();
                    *refused.entry(kind.into()).or_default() += 1;
                }
                Err(why) => wrong.push(format!("{stated}: {why}, seed {seed}\n{source}")),
            }
        }
    }
    eprintln!("{agree} agree: {used:?}\nrefused: {refused:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // Most primitives are among what ran, or this says little.
    assert!(used.len() >= 10, "{used:?}");
    let all: usize = refused.values().sum();
    assert!(agree > all / 4, "{agree} agree, {all} are refused");
}

#[test]
fn code_by_a_stated_schedule_computes_the_same() {
    check(1, 16);
}

/// As many for each program as `COUNT` says, from the seed `SEED`.
#[test]
#[ignore = "takes as long as one wants"]
fn many_schedules() {
    let number = |name: &str, otherwise: u64| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    check(number("SEED", 1000), number("COUNT", 200));
}
