//! The interpreter on the shared conformance data, which the independence of both makes a test of
//! either.
//!
//! The data is found in the folder that `MAPWRIGHT_SHARED` names, or in `../shared` beside the
//! project; with `MAPWRIGHT_SHARED=none` the tests say that they skip.

mod artifacts;

use crate::files;
use crate::shared;
use mapwright_interpret::{CHLO, Options, Tensor, Value, run};
use mapwright_mlir::{Op, ValueType, context::context, diagnostic::Diagnostics, op};
use mapwright_normalize::{
    chlo, frontend,
    mhlo::{self, Direction},
};
use std::{collections::BTreeMap, path::PathBuf};

/// Programs that the interpreter does not reproduce, by what is in their names, with the reason.
const KNOWN: &[(&str, &str)] = &[
    (
        "dot_general_int16_4_3_complex64_3_6",
        "the recorded sums are rounded after every term",
    ),
    (
        "dot_general_int32_4_3_float32_3_6",
        "the recorded sums are rounded after every term",
    ),
    (
        "dot_general_int8_4_3_float32_3_6",
        "the recorded sums are rounded after every term",
    ),
    (
        "dot_general_uint16_4_3_complex64_3_6",
        "the recorded sums are rounded after every term",
    ),
    (
        "dot_general_uint8_4_3_complex64_3_6",
        "the recorded sums are rounded after every term",
    ),
    (
        "triangular_solve_float32_2_8_8_float32_2_10_8",
        "the recorded values are rounded after every step; evaluated in f64 and rounded once, 25 of 160 are more than 3 ULP away",
    ),
    (
        "pow_complex64_20_30_complex64_20_30",
        "the recorded powers are off by more than 1e-3 from the ones evaluated in f64 in the 69 elements that differ",
    ),
    (
        "fft_complex128_14_15_16_17",
        "elements that cancel differ by more than 3 ULP from the defining sum in f64, which is no more exact than the record",
    ),
];

/// What the interpreter says of operations that it leaves out.
const LEFT_OUT: &[&str] = &["is not known to the interpreter"];

fn folder(name: &str) -> Option<PathBuf> {
    shared::shared(&format!("conformance/{name}"))
}

fn evaluate(file: &str, source: &str) -> Result<(), String> {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let module = diagnostics
        .parse(file, source.as_bytes())
        .map_err(|_| diagnostics.take())?;
    let root = Op::new(module.as_operation());
    frontend::legalize(root).map_err(|e| e.message)?;
    if root.descendants().iter().any(|op| op.dialect() == "mhlo") {
        mhlo::convert(root, Direction::ToStablehlo).map_err(|e| e.message)?;
    }
    let functions: Vec<Op<'_>> = root
        .body(0)
        .map(op::ops)
        .unwrap_or_default()
        .into_iter()
        .filter(|f| f.name() == "func.func")
        .collect();
    for function in &functions {
        chlo::legalize(*function, CHLO).map_err(|e| e.message)?;
    }
    let names: Vec<String> = functions
        .iter()
        .filter(|f| f.string("sym_visibility").is_none_or(|v| v == "public"))
        .filter_map(|f| f.string("sym_name"))
        .collect();
    let main = names.iter().any(|n| n == "main");
    for function in functions {
        let Some(name) = function.string("sym_name").filter(|n| names.contains(n)) else {
            continue;
        };
        if main && name != "main" {
            continue;
        }
        let inputs = function
            .body(0)
            .map(op::arguments)
            .unwrap_or_default()
            .into_iter()
            .map(|argument| {
                use mapwright_mlir::melior::ir::ValueLike;
                match ValueType::from_mlir(argument.r#type()) {
                    ValueType::Tensor(ty) => {
                        let shape: Vec<i64> =
                            ty.dims.iter().map(|d| d.bound().unwrap_or(3)).collect();
                        let zero = mapwright_interpret::value::zero(&ty.element);
                        Tensor::build(&ty.element, &shape, |_| Ok(zero))
                            .map(Value::Tensor)
                            .map_err(|e| e.to_string())
                    }
                    _ => Ok(Value::Token),
                }
            })
            .collect::<Result<Vec<_>, _>>()?;
        run(root, &name, &inputs, &Options::default()).map_err(|e| format!("@{name}: {e}"))?;
    }
    Ok(())
}

fn check_folder(name: &str) {
    let Some(folder) = folder(name) else {
        return;
    };
    let files = files::programs_in(&folder);
    assert!(!files.is_empty());
    let (mut passed, mut left_out) = (0, BTreeMap::<String, usize>::new());
    let mut wrong = Vec::new();
    for path in &files {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let start = std::time::Instant::now();
        let outcome = text
            .split("// -----")
            .try_for_each(|source| evaluate(&file, source));
        if start.elapsed().as_secs() >= 5 {
            eprintln!("  {file} takes {:?}", start.elapsed());
        }
        let known = KNOWN.iter().any(|(part, _)| file.contains(part));
        match outcome {
            Ok(()) if known => wrong.push(format!("{file}: passes now")),
            Ok(()) => passed += 1,
            Err(why) => match LEFT_OUT.iter().find(|part| why.contains(**part)) {
                Some(_) => {
                    let op = why.split('\'').nth(1).unwrap_or("?").to_string();
                    *left_out.entry(op).or_default() += 1;
                }
                None if known => {}
                None => wrong.push(format!("{file}: {why}")),
            },
        }
    }
    eprintln!(
        "{name}: {passed} of {} pass; left out: {left_out:?}",
        files.len()
    );
    assert!(
        wrong.is_empty(),
        "{} of {} are wrong:\n{}",
        wrong.len(),
        files.len(),
        wrong.join("\n")
    );
}

#[test]
fn programs() {
    check_folder("programs");
}

#[test]
fn quantized() {
    check_folder("quantized");
}

#[test]
fn units() {
    check_folder("units");
}
