//! `indexing-fold`: StableHLO operations on constants become constants.
//!
//! A folded program gives the same bits as the program. Exponentials, logarithms and their like are
//! therefore not folded: every implementation approximates them in its own way, and a constant
//! would be another one's value. Neither are reductions of floating-point numbers, whose order is
//! open, nor what the specification leaves undefined.

use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_normalize::fold;

/// See the module.
pub struct Fold;

impl Pass for Fold {
    fn argument(&self) -> &'static str {
        "indexing-fold"
    }

    fn description(&self) -> &'static str {
        "Evaluates StableHLO operations on constants, where every implementation gives the same result"
    }

    fn options(&self) -> &'static [PassOption] {
        &[PassOption {
            name: "max-elements",
            description: "The largest number of elements of a constant that is read or made",
            kind: OptionKind::Int(65536),
        }]
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &["stablehlo"]
    }

    fn check(&self, options: &PassContext<'_>) -> Result<(), String> {
        limit(options).map(|_| ())
    }

    fn run<'c>(&self, op: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let limit = limit(context).map_err(|message| super::failure(op, &message))?;
        fold::fold(op, limit);
        Ok(())
    }
}

fn limit(options: &PassContext<'_>) -> Result<usize, String> {
    let limit = options.int("max-elements");
    usize::try_from(limit).map_err(|_| format!("'max-elements' must not be negative, is {limit}"))
}
