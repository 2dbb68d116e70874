//! `indexing-fuse`: puts tensor operations into `indexing.fusion` regions.

use super::disable;
use mapwright_codegen::Stage;
use mapwright_fusion::form::fuse_block;
use mapwright_mlir::{
    Builder, Op,
    diagnostic::Failure,
    pass::{Pass, PassContext, PassOption},
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

    fn options(&self) -> &'static [PassOption] {
        const {
            &[disable::option(
                "What must not be done before the plan is made, separated by commas: units, parts",
            )]
        }
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["indexing"]
    }

    fn check(&self, options: &PassContext<'_>) -> Result<(), String> {
        disable::check(options, Stage::Fuse)
    }

    fn run<'c>(&self, function: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        if let Some(block) = function.body(0) {
            let builder = Builder::new(function.context(), block, function.location());
            fuse_block(&builder, block, &disable::names(context));
        }
        Ok(())
    }
}
