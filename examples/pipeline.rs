//! A Rust program with a pipeline of its own over melior: upstream's passes and Mapwright's on one
//! module.
//!
//!     cargo run --release --example pipeline program.mlir
//!
//! Prints which elements each operation reads, as upstream's affine maps, and then the module with
//! StableHLO lowered where it stands, in buffers.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program

use mapwright::{
    affine::MapAttribute,
    mlir::{Attr, Op, attr, context::context, diagnostic::Diagnostics, pass::run_pipeline},
};
use std::process::ExitCode;

/// Upstream's passes around ours; `indexing-lower-in-place` leaves the operations of other dialects
/// as they are.
const LOWERING: &str = "builtin.module(canonicalize,indexing-lower-in-place{threads=none},\
    one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map},cse)";

/// The maps in an attribute, which may be a list of lists of them.
fn maps<'c>(attribute: Attr<'c>, found: &mut Vec<MapAttribute<'c>>) {
    if let Some(map) = MapAttribute::from_attribute(attribute) {
        found.push(map);
    }
    for element in attr::array(attribute).unwrap_or_default() {
        maps(element, found);
    }
}

fn run(file: &str) -> Result<(), String> {
    mapwright::register();
    let source = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let context = context();
    let diagnostics = Diagnostics::to_text(&context);
    let told = |_| diagnostics.take();
    let mut module = diagnostics.parse(file, &source).map_err(told)?;

    let annotate = "builtin.module(indexing-annotate{direction=output-to-input})";
    run_pipeline(&mut module, annotate).map_err(told)?;
    for op in Op::new(module.as_operation()).descendants() {
        let mut found = Vec::new();
        if let Some(attribute) = op.attribute("indexing.output_to_input") {
            maps(attribute, &mut found);
        }
        for map in found {
            match map.affine_map() {
                Some(affine) => println!("{}: {affine:?}, {:?}", op.name(), map.map().dims()),
                None => println!("{}: {}", op.name(), map.map()),
            }
        }
    }

    let strip = "builtin.module(indexing-strip)";
    run_pipeline(&mut module, strip).map_err(told)?;
    run_pipeline(&mut module, LOWERING).map_err(told)?;
    println!("{}", module.as_operation());
    Ok(())
}

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("usage: pipeline program.mlir");
        return ExitCode::from(2);
    };
    match run(&file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
