//! What reads from what: regions and operations outside of them are the nodes of a graph, whose
//! edges point to producers.

use super::{Planner, Users};
use std::collections::HashSet;

pub(super) fn node_of_region(region: usize) -> usize {
    2 * region
}

pub(super) fn node_of_op(op: usize) -> usize {
    2 * op + 1
}

impl Planner<'_> {
    /// Users read from `producer`.
    pub(super) fn feed(&mut self, producer: usize, users: &Users) {
        for region in users.regions.keys() {
            if node_of_region(*region) != producer {
                self.edge(node_of_region(*region), producer);
            }
        }
        for user in &users.outside {
            self.edge(node_of_op(*user), producer);
        }
    }

    pub(super) fn edge(&mut self, reader: usize, producer: usize) {
        let list = self.reads_from.entry(reader).or_default();
        // Producers are placed one after the other.
        if list.last() != Some(&producer) {
            list.push(producer);
        }
    }

    /// Tells whether `from` reads, directly or not, from one of `targets`. Where the search takes
    /// too long, it is said to.
    pub(super) fn reaches(&self, from: usize, targets: &HashSet<usize>) -> bool {
        // What begins behind all that reads it is not read.
        let lowest = targets.iter().map(|node| self.first_result(*node)).min();
        let root = |region: usize| self.last_member(self.merged(node_of_region(region)));
        let lowest = lowest.map(|lowest| self.spans.up_to(lowest, root));
        let mut stack = vec![from];
        let mut seen = HashSet::new();
        while let Some(node) = stack.pop() {
            if lowest.is_none_or(|lowest| self.last_member(node) <= lowest) || !seen.insert(node) {
                continue;
            }
            for next in self.reads_from.get(&node).into_iter().flatten() {
                let Some(left) = self.search.get().checked_sub(1) else {
                    return true;
                };
                self.search.set(left);
                let next = self.merged(*next);
                if targets.contains(&next) {
                    return true;
                }
                stack.push(next);
            }
        }
        false
    }

    /// The node that a region is part of now.
    pub(super) fn merged(&self, node: usize) -> usize {
        let mut node = node;
        while node.is_multiple_of(2)
            && let Some(into) = self.open[node / 2].into
        {
            node = node_of_region(into);
        }
        node
    }

    fn first_result(&self, node: usize) -> usize {
        match node % 2 {
            0 => self.open[node / 2].outputs.first().copied().unwrap_or(0),
            _ => node / 2,
        }
    }

    fn last_member(&self, node: usize) -> usize {
        match node % 2 {
            0 => self.open[node / 2].root,
            _ => node / 2,
        }
    }
}
