//! `verify-each-rewrite`: the option of every pass that simplifies maps.

use mapwright_indexing::verify::each_rewrite_if;
use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use std::sync::{Mutex, PoisonError};

const NAME: &str = "verify-each-rewrite";

/// A pass that simplifies maps, with an option to check every simplification in it. A map that
/// became another function is an error.
pub(super) struct Checked<P>(pub(super) P);

impl<P: Pass> Pass for Checked<P> {
    fn argument(&self) -> &'static str {
        self.0.argument()
    }

    fn description(&self) -> &'static str {
        self.0.description()
    }

    fn anchor(&self) -> Option<&'static str> {
        self.0.anchor()
    }

    fn before(&self) -> &'static str {
        self.0.before()
    }

    /// The pass's own, and one more. The list is made once for each pass.
    fn options(&self) -> &'static [PassOption] {
        static LISTS: Mutex<Vec<(&str, &[PassOption])>> = Mutex::new(Vec::new());
        let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
        let argument = self.argument();
        if let Some((_, list)) = lists.iter().find(|(name, _)| *name == argument) {
            return list;
        }
        let mut list = self.0.options().to_vec();
        list.push(PassOption {
            name: NAME,
            description: "Check that every simplified map is still the same function",
            kind: OptionKind::Bool(false),
        });
        let list: &'static [PassOption] = list.leak();
        lists.push((argument, list));
        list
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        self.0.dependent_dialects()
    }

    fn check(&self, options: &PassContext<'_>) -> Result<(), String> {
        self.0.check(options)
    }

    fn run<'c>(&self, op: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let (result, report) = each_rewrite_if(context.flag(NAME), || self.0.run(op, context));
        let mut failures = report
            .differences
            .iter()
            .map(|difference| super::failure(op, difference));
        match failures.next() {
            Some(first) => Err(failures.next_back().unwrap_or(first)),
            None => result,
        }
    }
}
