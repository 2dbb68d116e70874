//! What the body of a loop does to a value that its iterations share.
//!
//! An index_update gives a new version of the value. Versions go into loops and branches inside of
//! the body, and come out of them.

use super::indices::{Index, Reader};
use crate::attrs::{self, Update};
use mapwright_mlir::{Op, Reg, Val, op};
use std::collections::HashSet;

/// An access to a shared tensor.
pub(super) struct Access<'c> {
    pub(super) op: Op<'c>,
    /// Operation by which the element is changed; `None` for a read.
    pub(super) update: Option<Update>,
    /// The index as a function of the number of the iteration. `None`: any index.
    pub(super) index: Option<Index>,
}

/// Finds the accesses of the body of `op`, which runs for at most `rounds` rounds, to its shared
/// value number `k`, which is the argument `shared`.
pub(super) fn accesses<'c>(op: Op<'c>, k: usize, shared: Val<'c>, rounds: i64) -> Vec<Access<'c>> {
    let mut walk = Walk {
        op,
        rounds,
        versions: HashSet::from([op::key(shared)]),
        found: Vec::new(),
    };
    walk.region(op.region(0));
    if let Some(end) = op.body(0).and_then(|block| op::ops(block).last().copied()) {
        let shared = op.num_operands() - xs(op);
        let outputs = end.num_operands().saturating_sub(shared);
        for (i, value) in end.operands().into_iter().enumerate() {
            match (walk.is_version(value), i == outputs + k) {
                (true, false) => walk.whole(end, None),
                // What is no version of the value replaces all of it.
                (false, true) => walk.whole(end, Some(Update::Set)),
                _ => {}
            }
        }
    }
    walk.found
}

/// Returns the number of operands that a loop goes through.
fn xs(op: Op<'_>) -> usize {
    let segments = op.ints("operandSegmentSizes").unwrap_or_default();
    let n = segments.first().and_then(|n| usize::try_from(*n).ok());
    n.unwrap_or(0).min(op.num_operands())
}

struct Walk<'c> {
    op: Op<'c>,
    rounds: i64,
    /// The shared value and what was made of it.
    versions: HashSet<usize>,
    found: Vec<Access<'c>>,
}

impl<'c> Walk<'c> {
    fn is_version(&self, value: Val<'c>) -> bool {
        self.versions.contains(&op::key(value))
    }

    /// An access to an element, at the index in operand `at`.
    fn element(&mut self, inner: Op<'c>, update: Option<Update>, at: usize) {
        let index = Reader::new(self.op, self.rounds).index(inner.operand(at));
        self.found.push(Access {
            op: inner,
            update,
            index: Some(index),
        });
    }

    /// An access to all elements.
    fn whole(&mut self, inner: Op<'c>, update: Option<Update>) {
        self.found.push(Access {
            op: inner,
            update,
            index: None,
        });
    }

    fn region(&mut self, region: Reg<'c>) {
        for block in op::blocks(region) {
            for inner in op::ops(block) {
                self.operation(inner);
            }
        }
    }

    fn operation(&mut self, inner: Op<'c>) {
        let first = inner.num_operands() > 0 && self.is_version(inner.operand(0));
        match inner.name() {
            "tarray.index_update" if first => {
                self.element(inner, attrs::update(inner).ok(), 2);
                self.versions.insert(op::key(inner.result(0)));
            }
            "tarray.index" if first => self.element(inner, None, 1),
            // The operation around it says what becomes of the values.
            "tarray.yield" | "stablehlo.return" | "mhlo.return" => {}
            _ if inner.num_regions() > 0 => self.nest(inner),
            _ if inner.operands().iter().any(|value| self.is_version(*value)) => {
                self.whole(inner, None);
            }
            _ => {}
        }
    }

    /// An operation with regions.
    fn nest(&mut self, inner: Op<'c>) {
        let branches = inner.is_hlo("if") || inner.is_hlo("case");
        let in_loop = inner.is_hlo("while");
        // The first operand that is carried along, the results before the last values of those, and
        // which regions give them.
        let (carried, outputs, body) = match inner.name() {
            "tarray.foreach" | "tarray.parallel_foreach" | "tarray.fold" | "tarray.build" => {
                let carried = xs(inner);
                let outputs = inner.num_results() + carried - inner.num_operands();
                (carried, outputs, 0)
            }
            // Its results are arrays of the values, so that each of them is read.
            "tarray.scan" => (xs(inner), inner.num_results(), 0),
            _ if in_loop => (0, 0, 1),
            _ => (inner.num_operands(), 0, 0),
        };
        for (i, value) in inner.operands().into_iter().enumerate() {
            if !self.is_version(value) {
                continue;
            }
            if i < carried {
                self.whole(inner, None);
                continue;
            }
            for region in 0..inner.num_regions() {
                let block = op::blocks(inner.region(region)).first().copied();
                let argument = block.and_then(|block| op::arguments(block).get(i).copied());
                self.versions.extend(argument.map(op::key));
            }
        }
        let mut ends = Vec::new();
        for region in 0..inner.num_regions() {
            self.region(inner.region(region));
            let block = op::blocks(inner.region(region)).last().copied();
            if branches || region == body {
                ends.extend(block.and_then(|block| op::ops(block).last().copied()));
            }
        }
        if branches {
            for i in 0..inner.num_results() {
                let values = ends.iter().filter_map(|end| end.operands().get(i).copied());
                let versions = values.filter(|value| self.is_version(*value)).count();
                if versions > 0 {
                    self.versions.insert(op::key(inner.result(i)));
                    if versions < ends.len() {
                        self.whole(inner, Some(Update::Set));
                    }
                }
            }
            return;
        }
        for end in ends {
            // A filter, a sort and a build give conditions and keys before.
            let values = end.operands();
            let before = values.len().saturating_sub(inner.num_operands() - carried);
            for (i, value) in values.into_iter().enumerate() {
                let operand = (i >= before).then(|| inner.operand(carried + i - before));
                let was = operand.is_some_and(|operand| self.is_version(operand));
                match (was, self.is_version(value)) {
                    (false, true) => self.whole(end, None),
                    (true, false) => self.whole(end, Some(Update::Set)),
                    _ => {}
                }
                if was && outputs + i - before < inner.num_results() {
                    let result = inner.result(outputs + i - before);
                    self.versions.insert(op::key(result));
                } else if was {
                    self.whole(inner, None);
                }
            }
        }
    }
}
