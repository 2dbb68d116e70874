//! `indexing-schedule`: how each region runs, as an attribute.

use super::machine;
use mapwright_codegen::{emitters, host};
use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{Pass, PassContext, PassOption},
};

/// Writes the schedule beside each region, as the cost model chooses it; one that is there already
/// stays. `indexing-lower` and `indexing-lower-in-place` make each kernel by the schedule that they
/// find.
pub struct Schedule;

impl Pass for Schedule {
    fn argument(&self) -> &'static str {
        "indexing-schedule"
    }

    fn description(&self) -> &'static str {
        "Writes beside each region how its loops run and where its values live"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        machine::OPTIONS
    }

    fn before(&self) -> &'static str {
        "`indexing-normalize`, then `func.func(indexing-fuse)`: what is in no region has no schedule."
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        machine::DIALECTS
    }

    fn check(&self, options: &PassContext<'_>) -> Result<(), String> {
        machine::check(options)
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        host::schedule(module, &machine::options(context), &emitters());
        Ok(())
    }
}
