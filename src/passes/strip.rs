//! `indexing-strip`: removes what `indexing-annotate` and `indexing-analyze` attached.

use super::{analyze, annotate};
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
        "Removes what indexing-annotate and indexing-analyze attached to operations"
    }

    fn run<'c>(&self, op: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        for inner in [op].into_iter().chain(op.descendants()) {
            context.at(inner);
            for name in annotate::ATTRIBUTES.into_iter().chain(analyze::ATTRIBUTES) {
                inner.remove_attribute(name);
            }
        }
        Ok(())
    }
}
