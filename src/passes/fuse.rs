//! `indexing-fuse`: puts tensor operations into `indexing.fusion` regions.

use mapwright_fusion::form::fuse_block;
use mapwright_mlir::{
    Builder, Op,
    diagnostic::Failure,
    pass::{Pass, PassContext},
};

/// Every tensor operation of a function ends up in one region, except for control flow, library calls and large constants.
pub struct Fuse;

impl Pass for Fuse {
    fn argument(&self) -> &'static str {
        "indexing-fuse"
    }

    fn description(&self) -> &'static str {
        "Puts tensor operations into regions that are computed by one loop nest each"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("func.func")
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["indexing"]
    }

    fn run<'c>(&self, function: Op<'c>, _context: &PassContext<'c>) -> Result<(), Failure> {
        if let Some(block) = function.body(0) {
            let builder = Builder::new(function.context(), block, function.location());
            fuse_block(&builder, block);
        }
        Ok(())
    }
}
