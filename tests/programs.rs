//! Every shared program through every form, in one process: text, printed text, generic text and
//! bytecode are one module.

use crate::support::{programs_in, shared};
use mapwright::mlir::{
    Op,
    context::context,
    diagnostic::Diagnostics,
    melior::{
        Context,
        ir::operation::{OperationLike, OperationPrintingFlags},
    },
};
use std::{fs, path::Path};

/// Programs after which a context is replaced: it keeps every constant that it has seen.
const PROGRAMS: usize = 50;

/// What is wrong with a program, if anything.
fn check(context: &Context, file: &Path) -> Result<(), String> {
    let diagnostics = Diagnostics::to_text(context);
    let parse = |what: &str, source: &[u8]| {
        diagnostics
            .parse(what, source)
            .map_err(|_| format!("{what}: {}", diagnostics.take()))
    };
    let text = fs::read(file).map_err(|error| error.to_string())?;
    let module = parse("the program", &text)?;
    let op = Op::new(module.as_operation());
    if !op.verify() {
        return Err(diagnostics.take());
    }
    let printed = op.to_string();
    let flags = OperationPrintingFlags::new().print_generic_operation_form();
    let generic = module
        .as_operation()
        .to_string_with_flags(flags)
        .map_err(|error| error.to_string())?;
    let forms = [
        ("the printed text", printed.clone().into_bytes()),
        ("the generic text", generic.into_bytes()),
        ("the bytecode", module.as_operation().write_bytecode()),
    ];
    for (what, form) in forms {
        let again = parse(what, &form)?;
        if Op::new(again.as_operation()).to_string() != printed {
            return Err(format!("{what} is printed differently"));
        }
    }
    Ok(())
}

#[test]
fn every_program_is_one_module_in_all_forms() {
    mapwright::register();
    let mut failures = Vec::new();
    mapwright::on_large_stack(|| {
        for folder in ["programs", "quantized", "dynamic", "units", "valid"] {
            let Some(shared) = shared(&format!("conformance/{folder}")) else {
                continue;
            };
            let files = programs_in(&shared);
            let before = failures.len();
            for group in files.chunks(PROGRAMS) {
                let context = context();
                for file in group {
                    if let Err(error) = check(&context, file) {
                        failures.push(format!("{}: {error}", file.display()));
                    }
                }
            }
            let good = files.len() - (failures.len() - before);
            println!("{folder}: {good} of {} programs", files.len());
            assert!(!files.is_empty(), "{folder} is empty");
        }
    })
    .unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
