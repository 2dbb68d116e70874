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
    /// By barrier, the collective that it waits for, and the calls that may be under way then.
    barriers: HashMap<Op<'c>, (Op<'c>, usize)>,
}

impl<'c> Overlaps<'c> {
    /// Overlaps of a function, which gets barriers for them.
    pub(super) fn separate(function: Op<'c>) -> Self {
        let mut found = Self::default();
        for (collective, barrier) in separate(function) {
            let calls = collective.num_results();
            found.started.insert(collective, calls);
            found.barriers.insert(barrier, (collective, 0));
        }
        // Calls are done in their order: who waits for one has waited for those before it.
        for (barrier, (collective, under_way)) in &mut found.barriers {
            let behind = std::iter::successors(op::next(*collective), |op| op::next(*op));
            let behind = behind.take_while(|op| op != barrier);
            *under_way = behind.filter_map(|op| found.started.get(&op)).sum();
        }
        found
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
        self.barriers.get(&barrier).map(|(_, under_way)| *under_way)
    }
}
