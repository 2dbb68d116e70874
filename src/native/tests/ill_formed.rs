//! Programs that are almost right: an error at a place, or a program that runs, but never a crash.
//!
//! A case that crashes takes the test with it; `PRINT=1 cargo test … -- --nocapture` says which one
//! it was.

mod names;
mod regions;

use mapwright_interpret::{Options, Value};
use mapwright_mlir::{Op, context::context, diagnostic::Diagnostics};
use mapwright_native::{CompileOptions, Executable};
use mapwright_normalize::mhlo::{self, Direction};

/// Reads and compiles a program, and evaluates it: what was said about it, or nothing where all
/// went well.
fn said(text: &str) -> Option<String> {
    if std::env::var_os("PRINT").is_some() {
        eprintln!("{text}\n");
    }
    mapwright_ops::hooks::install();
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let Ok(module) = diagnostics.parse("test", text.as_bytes()) else {
        return Some(diagnostics.take());
    };
    let module = Op::new(module.as_operation());
    let options = CompileOptions {
        threads: 1,
        entries: vec!["main".into()],
        ..CompileOptions::default()
    };
    let compiled = Executable::compile(module, &options).err();
    let told = diagnostics.take();
    if told.contains("internal error") {
        panic!("{told}\n{text}");
    }
    // The interpreter has to survive what does not compile, too.
    if mhlo::convert(module, Direction::ToStablehlo).is_ok() {
        let inputs: Vec<Value> = Vec::new();
        let _ = mapwright_interpret::run(module, "main", &inputs, &Options::default());
    }
    compiled.map(|error| format!("{told} {error}"))
}

/// A program that has to be refused, with an error at its line that begins with `marked`.
#[track_caller]
fn refused(text: &str, marked: &str) {
    let Some(told) = said(text) else {
        panic!("is not refused:\n{text}");
    };
    let line = text
        .lines()
        .position(|line| line.trim_start().starts_with(marked));
    let place = format!("test:{}:", line.expect("the line is there") + 1);
    assert!(
        told.contains(&place) && told.contains("error: "),
        "{told}\n{text}"
    );
}
