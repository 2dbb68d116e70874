//! The finished plan: regions and operations in an order in which producers come first.

use super::dependencies::{node_of_op, node_of_region};
use super::{Homes, Item, Plan, Planner, Region, Unfused};
use crate::group::Group;
use crate::role::Role;
use std::collections::{BinaryHeap, HashMap};

impl Planner<'_> {
    pub(super) fn finish(self) -> Plan {
        let ops = self.ops.clone();
        let mut numbers: Vec<usize> = (0..self.open.len())
            .filter(|r| self.open[*r].into.is_none())
            .collect();
        numbers.sort_by_key(|r| self.open[*r].root);
        let number_of: HashMap<usize, usize> =
            numbers.iter().enumerate().map(|(n, r)| (*r, n)).collect();
        let regions: Vec<Region> = numbers
            .iter()
            .map(|r| {
                let open = &self.open[*r];
                Region {
                    root: open.root,
                    members: open.members.iter().copied().collect(),
                    outputs: open.outputs.iter().copied().collect(),
                    kind: open.group.as_ref().map_or("general", Group::kind),
                    stages: Vec::new(),
                }
            })
            .collect();
        // Producers first; among what is ready, the order of the block.
        let mut nodes: Vec<(usize, usize)> = numbers
            .iter()
            .map(|r| (self.open[*r].root, node_of_region(*r)))
            .collect();
        nodes.extend(
            (0..self.ops.len())
                .filter(|i| self.roles[*i] == Role::Outside)
                .map(|i| (i, node_of_op(i))),
        );
        let position: HashMap<usize, usize> = nodes.iter().map(|(at, node)| (*node, *at)).collect();
        let mut waiting: HashMap<usize, usize> = HashMap::new();
        let mut feeds: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut waits_for: HashMap<usize, Vec<usize>> = HashMap::new();
        for (_, node) in &nodes {
            let from = self.reads_from.get(node).into_iter().flatten();
            let mut from: Vec<usize> = from.map(|producer| self.merged(*producer)).collect();
            from.sort_unstable();
            from.dedup();
            from.retain(|producer| position.contains_key(producer) && producer != node);
            waits_for.insert(*node, from);
        }
        let members = |node: usize| match node % 2 {
            0 => self.open[node / 2].members.iter().copied().collect(),
            _ => vec![node / 2],
        };
        if !self.overwritten.is_empty() {
            let all: Vec<(usize, Vec<usize>)> =
                (nodes.iter().map(|(_, node)| (*node, members(*node)))).collect();
            self.overwritten.come_last(&all, &mut waits_for);
        }
        for (_, node) in &nodes {
            let from = waits_for.remove(node).unwrap_or_default();
            waiting.insert(*node, from.len());
            for producer in from {
                feeds.entry(producer).or_default().push(*node);
            }
        }
        let mut ready: BinaryHeap<std::cmp::Reverse<(usize, usize)>> = nodes
            .iter()
            .filter(|(_, node)| waiting.get(node) == Some(&0))
            .map(|pair| std::cmp::Reverse(*pair))
            .collect();
        let mut order = Vec::with_capacity(nodes.len());
        while let Some(std::cmp::Reverse((_, node))) = ready.pop() {
            order.push(match node % 2 {
                0 => Item::Region(number_of[&(node / 2)]),
                _ => Item::Operation(node / 2),
            });
            for reader in feeds.get(&node).into_iter().flatten() {
                if let Some(count) = waiting.get_mut(reader) {
                    *count -= 1;
                    if *count == 0 {
                        ready.push(std::cmp::Reverse((position[reader], *reader)));
                    }
                }
            }
        }
        let homes = Homes::of(&regions, ops.len());
        let unfused = self
            .unfused
            .into_iter()
            // A later attempt may have succeeded.
            .filter(|((producer, user), _)| !homes.share(*producer, *user))
            .map(|((producer, user), reason)| Unfused {
                producer,
                user,
                reason,
            })
            .collect();
        debug_assert_eq!(
            order.len(),
            nodes.len(),
            "regions depend on each other in a cycle"
        );
        let mut plan = Plan {
            regions,
            unfused,
            order,
        };
        crate::chain::join(&ops, &mut plan);
        plan
    }
}
