//! `indexing-strip`: removes what `indexing-annotate` attached.

use super::annotate::ATTRIBUTES;
use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{Pass, PassContext},
};

/// See the module.
pub struct Strip;

impl Pass for Strip {
    fn argument(&self) -> &'static str {
        "indexing-strip"
    }

    fn description(&self) -> &'static str {
        "Removes the indexing maps that indexing-annotate attached to operations"
    }

    fn run<'c>(&self, op: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        for inner in [op].into_iter().chain(op.descendants()) {
            context.at(inner);
            for name in ATTRIBUTES {
                inner.remove_attribute(name);
            }
        }
        Ok(())
    }
}
