//! `indexing-lower`: regions become kernels, functions become the code that launches them.

use super::{machine, normalize::reported};
use mapwright_codegen::{emitters, host};
use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    edit,
    pass::{Pass, PassContext, PassOption},
};
use mapwright_native::{CompileOptions, pipeline::entries};

/// Replaces the module's contents by `module @host`, which has the entry points, and modules of
/// kernels, which have a function for each distinct region; all in upstream dialects. Expects
/// functions whose operations are in `indexing.fusion` regions.
pub struct Lower;

impl Pass for Lower {
    fn argument(&self) -> &'static str {
        "indexing-lower"
    }

    fn description(&self) -> &'static str {
        "Lowers fused regions to loops over tiles in upstream dialects, and functions to code that launches them"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        machine::OPTIONS
    }

    fn before(&self) -> &'static str {
        "`indexing-normalize`, then `func.func(indexing-fuse)`: `indexing-to-loops` is all three."
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        machine::DIALECTS
    }

    fn check(&self, options: &PassContext<'_>) -> Result<(), String> {
        machine::check(options)
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let names = entries(module, &CompileOptions::default()).map_err(|e| reported(module, e))?;
        let options = machine::options(context);
        let lowered = host::lower(module, &names, &options, &emitters()).map_err(|error| {
            error.op.emit_error(&error.message);
            Failure::reported()
        })?;
        edit::replace_contents(module, &lowered.module);
        Ok(())
    }
}
