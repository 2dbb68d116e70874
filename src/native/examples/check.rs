//! Compiles and runs the entries of `.mlir` files without arguments (or with random ones); prints
//! one line a file. For development: `cargo run -p mapwright-native --example check -- FILE…`; `-v`
//! prints the diagnostics.

// A program for the terminal.
#![allow(clippy::print_stdout)]

use mapwright_mlir::{Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable, ExecuteOptions, Tensor};

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let verbose = files.iter().any(|f| f == "-v");
    files.retain(|f| f != "-v");
    let (mut passed, mut failed) = (0, 0);
    for file in files {
        let text = std::fs::read(&file).unwrap_or_default();
        for (i, source) in String::from_utf8_lossy(&text).split("// -----").enumerate() {
            let start = std::time::Instant::now();
            let outcome = one(&file, source);
            let time = start.elapsed().as_secs_f64() * 1e3;
            match outcome {
                Ok(note) => {
                    passed += 1;
                    if verbose {
                        println!("PASS {file}#{i} {time:.0} ms {note}");
                    }
                }
                Err(why) => {
                    failed += 1;
                    let line = why
                        .lines()
                        .find(|l| !l.trim().is_empty())
                        .unwrap_or("")
                        .to_string();
                    println!(
                        "FAIL {file}#{i} {}",
                        if verbose {
                            why
                        } else {
                            line.chars().take(300).collect()
                        }
                    );
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed");
}

fn one(name: &str, source: &str) -> Result<String, String> {
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse(name, source.as_bytes()) else {
        return Err(format!("PARSE {}", diagnostics.take()));
    };
    let op = Op::new(module.as_operation());
    // SIZE=N specialises a shape-polymorphic program first; PRINT=1 prints what goes to LLVM's
    // conversions.
    if let Some(size) = std::env::var("SIZE")
        .ok()
        .and_then(|s| s.parse::<i64>().ok())
    {
        let mut known = mapwright_normalize::shapes::Arguments::default();
        let function = mapwright_normalize::inline::functions(op).remove("main");
        let arguments = function
            .and_then(|f| f.body(0))
            .map(mapwright_mlir::op::arguments)
            .unwrap_or_default();
        for (i, argument) in arguments.into_iter().enumerate() {
            let text = mapwright_mlir::melior::ir::ValueLike::r#type(&argument).to_string();
            if text == "tensor<i64>" {
                known.values.insert(i, size);
            } else {
                known.types.insert(i, text.replace('?', &size.to_string()));
            }
        }
        if let Err(error) = mapwright_normalize::shapes::refine(op, "main", &known) {
            return Err(error.message);
        }
    }
    if std::env::var_os("PRINT").is_some() {
        let target = mapwright_codegen::Options::default();
        let text =
            mapwright_native::pipeline::lowered_text(op, &CompileOptions::default(), &target);
        println!("{}", text.unwrap_or_default());
    }
    let executable = Executable::compile(op, &CompileOptions::default())
        .map_err(|error| format!("COMPILE {} {error}", diagnostics.take()))?;
    let mut note = String::new();
    if std::env::var_os("TIMES").is_some() {
        for (stage, time) in &executable.statistics().stages {
            note += &format!("{stage} {:.1} ", time.as_secs_f64() * 1e3);
        }
    }
    let entries: Vec<String> = executable
        .entries()
        .iter()
        .map(ToString::to_string)
        .collect();
    for entry in entries {
        let signature = executable
            .signature(Some(&entry))
            .map_err(|e| e.to_string())?;
        let mut inputs = Vec::new();
        for ty in &signature.inputs {
            let shape: Vec<i64> = ty.dims.iter().map(|d| d.bound().unwrap_or(4)).collect();
            let mut input = Tensor::zeros(&ty.element, &shape).map_err(|e| e.to_string())?;
            if shape.is_empty() && input.bytes().len() == 8 {
                input.bytes_mut().copy_from_slice(&4i64.to_le_bytes());
            }
            inputs.push(input);
        }
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        let start = std::time::Instant::now();
        executable
            .execute_entry(Some(&entry), &inputs, &ExecuteOptions::default())
            .map_err(|error| format!("RUN @{entry} {error}"))?;
        note += &format!("run {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    }
    let _ = op.verify();
    Ok(note)
}
