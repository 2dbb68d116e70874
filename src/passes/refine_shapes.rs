//! `indexing-refine-shapes`: fills in unknown dimensions from those of a function's arguments.

use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_normalize::shapes::{self, Arguments};

/// See the module.
pub struct RefineShapes;

impl Pass for RefineShapes {
    fn argument(&self) -> &'static str {
        "indexing-refine-shapes"
    }

    fn description(&self) -> &'static str {
        "Infers unknown dimensions from the types and values of a function's arguments"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        &[
            PassOption {
                name: "function",
                description: "The function whose arguments are given",
                kind: OptionKind::Text("main"),
            },
            PassOption {
                name: "types",
                description: "Types of arguments in order, with ';' between them; an empty one keeps the declared type",
                kind: OptionKind::Text(""),
            },
            PassOption {
                name: "values",
                description: "Values of 0-dimensional integer arguments: 'number=value' with ';' between them",
                kind: OptionKind::Text(""),
            },
        ]
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["chlo", "stablehlo", "tensor"]
    }

    fn check(&self, options: &PassContext<'_>) -> Result<(), String> {
        arguments(options).map(|_| ())
    }

    fn run<'c>(&self, op: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let known = arguments(context).map_err(|message| super::failure(op, &message))?;
        shapes::refine(op, &context.text("function"), &known)
            .map_err(|error| super::failure(error.op, &error.message))?;
        Ok(())
    }
}

fn arguments(options: &PassContext<'_>) -> Result<Arguments, String> {
    let mut known = Arguments::default();
    for (i, ty) in options.text("types").split(';').enumerate() {
        if !ty.trim().is_empty() {
            known.types.insert(i, ty.trim().to_string());
        }
    }
    for entry in options.text("values").split(';') {
        if entry.trim().is_empty() {
            continue;
        }
        let parsed = entry
            .split_once('=')
            .and_then(|(i, value)| Some((i.trim().parse().ok()?, value.trim().parse().ok()?)));
        let Some((i, value)) = parsed else {
            return Err(format!("'{entry}' is not of the form number=value"));
        };
        known.values.insert(i, value);
    }
    Ok(known)
}
