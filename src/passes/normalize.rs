//! `indexing-normalize`: inlines calls and rewrites what has a simpler form, so that fusion sees
//! plain StableHLO.

use super::disable;
use mapwright_codegen::Stage;
use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{Pass, PassContext, PassOption},
};
use mapwright_native::{
    CompileOptions, Error,
    pipeline::{entries, normalise},
};

/// Works on the functions that a compilation starts from: `main`, or every public one.
pub struct Normalize;

impl Pass for Normalize {
    fn argument(&self) -> &'static str {
        "indexing-normalize"
    }

    fn description(&self) -> &'static str {
        "Inlines calls, and rewrites operations that have a simpler form"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        const {
            &[disable::option(
                "Rewrites that must not be made, separated by commas: distribution, batching, common-values, top-k, convolutions, computed-padding, long-windows, lhs-dilation, few-output-channels, small-products, small-updates, complex-products, shared-batches, rounds",
            )]
        }
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["chlo", "indexing", "mhlo", "stablehlo", "tensor"]
    }

    fn check(&self, options: &PassContext<'_>) -> Result<(), String> {
        disable::check(options, Stage::Normalise)
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let names = entries(module, &CompileOptions::default()).map_err(|e| reported(module, e))?;
        let disabled = disable::names(context);
        normalise(module, &names, &disabled, CompileOptions::MOST_OPERATIONS)
            .map_err(|e| reported(module, e))
    }
}

/// The failure that an error is, after its diagnostic.
pub(super) fn reported(module: Op<'_>, error: Error) -> Failure {
    match error {
        Error::Diagnosed(failure) => failure,
        other => Failure::at(module.location(), &other.to_string()),
    }
}
