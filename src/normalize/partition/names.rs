//! The names of a function's values in messages, while it is rewritten.

use mapwright_mlir::{Op, Val, labels::Numbering, op};
use std::collections::HashMap;

/// The names that values have, and had before anything was rewritten.
pub(super) struct Names<'c> {
    function: Op<'c>,
    /// The names in the function as it is now.
    numbering: Option<Numbering<'c>>,
    /// Names from before something was rewritten.
    before: HashMap<usize, String>,
}

impl<'c> Names<'c> {
    pub(super) fn in_function(function: Op<'c>) -> Self {
        Self {
            function,
            numbering: Some(Numbering::for_op(function)),
            before: HashMap::new(),
        }
    }

    /// Keeps the names of all values, before the function is rewritten.
    pub(super) fn remember(&mut self) {
        if !self.before.is_empty() {
            return;
        }
        let body = self.function.body(0).into_iter().flat_map(op::arguments);
        let inside = self.function.descendants().into_iter().flat_map(|op| {
            let bodies = (0..op.num_regions()).filter_map(move |i| op.body(i));
            op.results()
                .into_iter()
                .chain(bodies.flat_map(op::arguments))
        });
        let all = body.chain(inside);
        self.before = all
            .map(|value| (op::key(value), op::label(value)))
            .collect();
    }

    /// Gives names to the values that rewriting has made.
    pub(super) fn renew(&mut self) {
        // The names as they were are forgotten before there are new ones.
        self.numbering = None;
        self.numbering = Some(Numbering::for_op(self.function));
    }

    /// The name of a value in the program as it was written; of one that stands for others what
    /// makes it.
    pub(super) fn label(&self, value: Val<'c>) -> String {
        match self.before.get(&op::key(value)) {
            Some(label) => label.clone(),
            None if self.before.is_empty() => op::label(value),
            None => op::defining_op(value)
                .map_or_else(|| op::label(value), |(op, _)| format!("a {}", op.name())),
        }
    }
}
