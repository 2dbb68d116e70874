//! `indexing-legalize-tarray`: tensor arrays and parallel patterns become StableHLO on packed buffers and offsets.

use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{Pass, PassContext},
};
use mapwright_normalize::tarray;

/// See the module.
pub struct LegalizeTarray;

impl Pass for LegalizeTarray {
    fn argument(&self) -> &'static str {
        "indexing-legalize-tarray"
    }

    fn description(&self) -> &'static str {
        "Rewrites operations on tensor arrays and shapes to StableHLO: an array becomes a buffer of leaves and offsets for each level"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["stablehlo"]
    }

    fn run<'c>(&self, module: Op<'c>, _: &PassContext<'c>) -> Result<(), Failure> {
        tarray::legalize(module).map_err(|error| super::failure(error.op, &error.message))?;
        Ok(())
    }
}
