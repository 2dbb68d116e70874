//! `indexing-canonicalize`: takes out StableHLO operations that change nothing.

use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{Pass, PassContext},
};
use mapwright_normalize::canonical;

/// See the module.
pub struct Canonicalize;

impl Pass for Canonicalize {
    fn argument(&self) -> &'static str {
        "indexing-canonicalize"
    }

    fn description(&self) -> &'static str {
        "Takes out StableHLO operations that change nothing, and merges those that undo or repeat each other"
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["stablehlo"]
    }

    fn run<'c>(&self, op: Op<'c>, _: &PassContext<'c>) -> Result<(), Failure> {
        canonical::canonicalize(op);
        Ok(())
    }
}
