//! Which layouts an operation keeps where those of its operands and results exclude each other.

use super::flow::Flow;
use super::matching::Loop;
use super::state::{Loops, Split, State};
use super::{Sharding, Source};
use crate::digits::Digit;
use std::cmp::Reverse;

/// The value whose layout splits the loops of an operation before the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// The operands in order, those that agree with a given result before the others.
    Agreeing,
    /// An operand, by its position.
    Operand(usize),
    /// The results.
    Results,
    /// A dimension of the results, which digits split that had no place elsewhere.
    Dimension(usize),
}

impl Flow<'_> {
    /// The loops of an operation with what its operands and its results split. Where these exclude
    /// each other, those are kept for which the least is sent. Sharing the work comes first: more
    /// devices are better than fewer.
    pub(super) fn loops(&mut self, op: usize) -> Loops {
        let mut best = self.loops_by(op, First::Agreeing, &[]);
        if best.stuck.is_empty() {
            return best;
        }
        let mut least = self.cost(op, &best);
        let operands = (0..self.operation(op).operands.len()).map(First::Operand);
        for first in operands.chain([First::Results]) {
            let loops = self.loops_by(op, first, &[]);
            let cost = self.cost(op, &loops);
            if cost < least {
                (best, least) = (loops, cost);
            }
        }
        self.elsewhere(op, best, least.1)
    }

    /// Digits that have no place among the loops split another dimension instead, where less is
    /// sent so than `least`: both operands and results change the dimension that they are split in.
    fn elsewhere(&mut self, op: usize, mut best: Loops, mut least: i64) -> Loops {
        let operation = self.operation(op);
        let stuck: Vec<(usize, Vec<Split>)> = (0..operation.operands.len())
            .filter_map(|operand| {
                let state = self.states[operation.operands[operand]].as_ref()?;
                let is_stuck = |split: &Split| {
                    let mut stuck = best.stuck.iter();
                    stuck.any(|(of, digit, _)| *of == operand && *digit == split.0)
                };
                let first = state.dims.iter().find(|dims| dims.iter().any(is_stuck))?;
                let from = first.iter().position(is_stuck)?;
                Some((operand, first[from..].to_vec()))
            })
            .collect();
        let rank = best
            .vars
            .iter()
            .filter(|var| matches!(var, Loop::Dimension(_)))
            .count();
        for (operand, moved) in stuck {
            for dim in 0..rank {
                let loops = self.loops_by(op, First::Dimension(dim), &moved);
                let needs = self.needed(op, operand, &loops);
                let keeps = |split: &Split| needs.dims.iter().flatten().any(|has| has.0 == split.0);
                let (_, bytes) = self.cost(op, &loops);
                if moved.iter().all(keeps) && bytes < least {
                    (best, least) = (loops, bytes);
                }
            }
        }
        best
    }

    /// Cost of a division of an operation: the devices that share the work, more of which cost
    /// less, and the bytes that a device sends or receives for the operands and the results.
    fn cost(&mut self, op: usize, loops: &Loops) -> (Reverse<i64>, i64) {
        let digits = loops.splits.iter().flatten();
        let devices = digits.map(|split| split.0.size).product();
        let operation = self.operation(op);
        let mut bytes = 0i64;
        for (operand, value) in operation.operands.iter().enumerate() {
            if let Some(has) = self.states[*value].as_ref().map(State::sharding) {
                let needs = self.needed(op, operand, loops).sharding();
                bytes = bytes.saturating_add(self.bytes(*value, &has, &needs));
            }
        }
        let makes = self.result_state(op, loops).sharding();
        for value in &operation.results {
            let given = self.program.values[*value].given.as_ref();
            let wants = given.map_or_else(|| makes.full(), Sharding::merged);
            bytes = bytes.saturating_add(self.bytes(*value, &makes, &wants));
        }
        (Reverse(devices), bytes)
    }

    /// The bytes that a device sends or receives until it has a value in another layout.
    fn bytes(&mut self, value: usize, has: &Sharding, needs: &Sharding) -> i64 {
        let of = &self.program.values[value];
        if has == needs || of.element_bytes == 0 {
            return 0;
        }
        let there = [has].into_iter().chain(&of.also);
        let bytes = there.filter_map(|has| {
            let plans = &mut *self.plans;
            plans.bytes(&of.shape, of.element_bytes, has, needs)
        });
        bytes.min().unwrap_or(i64::MAX)
    }

    /// The first one, then operands that agree with a given result.
    pub(super) fn operand_order(&self, op: usize, first: First) -> Vec<usize> {
        let operation = self.operation(op);
        let given: Vec<&State> = operation
            .results
            .iter()
            .filter_map(|r| self.states[*r].as_ref())
            .filter(|s| s.source == Source::Given)
            .collect();
        let mut order: Vec<usize> = (0..operation.operands.len()).collect();
        if let Some(result) = given.first() {
            let disagrees = |operand: &usize| {
                let Some(state) = &self.states[operation.operands[*operand]] else {
                    return false;
                };
                let of =
                    |s: &State, d: Digit| s.dims.iter().position(|l| l.iter().any(|x| x.0 == d));
                state
                    .dims
                    .iter()
                    .flatten()
                    .any(|s| of(result, s.0).is_some_and(|dim| of(state, s.0) != Some(dim)))
            };
            order.sort_by_key(disagrees);
        }
        order.sort_by_key(|operand| First::Operand(*operand) != first);
        order
    }
}
