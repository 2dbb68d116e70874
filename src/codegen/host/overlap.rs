//! Collectives that are started where they stand, and waited for at barriers
//! ([`mapwright_normalize::overlap`]).

use mapwright_mlir::{Op, op};
use mapwright_normalize::overlap::separate;
use std::collections::HashMap;

/// Collectives of a function that are started, and the barriers that wait for them.
#[derive(Default)]
pub(super) struct Overlaps<'c> {
    /// By collective, the number of its calls.
    started: HashMap<Op<'c>, usize>,
    /// By barrier, the number of calls that may be under way when it has waited.
    barriers: HashMap<Op<'c>, usize>,
}

impl<'c> Overlaps<'c> {
    /// Overlaps of a function, which gets barriers for them.
    pub(super) fn separate(function: Op<'c>) -> Self {
        let separated = separate(function);
        let calls = |(collective, _): &(Op<'c>, Op<'c>)| (*collective, collective.num_results());
        let started: HashMap<Op<'c>, usize> = separated.iter().map(calls).collect();
        // Calls are done in their order: who waits for one has waited for those before it.
        let under_way = |(collective, barrier): (Op<'c>, Op<'c>)| {
            let behind = std::iter::successors(op::next(collective), |op| op::next(*op));
            let behind = behind.take_while(|op| *op != barrier);
            (barrier, behind.filter_map(|op| started.get(&op)).sum())
        };
        let barriers = separated.into_iter().map(under_way).collect();
        Self { started, barriers }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.started.is_empty()
    }

    /// Tells whether a collective is started only.
    pub(super) fn is_started(&self, op: Op<'c>) -> bool {
        self.started.contains_key(&op)
    }

    /// The number of calls that may be under way when a barrier has waited.
    pub(super) fn waits_for(&self, barrier: Op<'c>) -> Option<usize> {
        self.barriers.get(&barrier).copied()
    }
}
