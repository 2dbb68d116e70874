//! `indexing-legalize-mhlo`: MHLO to StableHLO, or back.

use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_normalize::mhlo::{self, Direction};

/// See the module.
pub struct LegalizeMhlo;

impl Pass for LegalizeMhlo {
    fn argument(&self) -> &'static str {
        "indexing-legalize-mhlo"
    }

    fn description(&self) -> &'static str {
        "Rewrites MHLO operations, attributes and types to StableHLO, or back"
    }

    fn options(&self) -> &'static [PassOption] {
        &[
            PassOption {
                name: "to",
                description: "The dialect to rewrite to",
                kind: OptionKind::Word(&["stablehlo", "mhlo"]),
            },
            PassOption {
                name: "flatten-tuples",
                description: "Functions that return a tuple return its elements instead",
                kind: OptionKind::Bool(false),
            },
        ]
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["stablehlo", "chlo", "mhlo"]
    }

    fn run<'c>(&self, op: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let direction = match context.text("to").as_str() {
            "mhlo" => Direction::ToMhlo,
            _ => Direction::ToStablehlo,
        };
        mhlo::convert(op, direction).map_err(|error| super::failure(error.op, &error.message))?;
        if context.flag("flatten-tuples") {
            mhlo::flatten_result_tuples(op)
                .map_err(|error| super::failure(error.op, &error.message))?;
        }
        Ok(())
    }
}
