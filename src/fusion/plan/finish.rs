//! The finished plan: regions and operations in an order in which producers come first.

use super::{Item, Plan, Planner, Region, RegionsOf, Unfused};
use crate::group::Group;
use std::collections::HashMap;

impl Planner<'_> {
    pub(super) fn finish(self) -> Plan {
        let ops = self.ops.clone();
        let mut numbers: Vec<usize> = (0..self.open.len())
            .filter(|r| self.open[*r].stands())
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
        let nodes = self.nodes_in_order();
        let order = if self.less_memory && self.is_in_function() {
            nodes.of_least_memory(&self.memory(&nodes))
        } else {
            nodes.of_block()
        };
        let order = order.into_iter().map(|node| match node % 2 {
            0 => Item::Region(number_of[&(node / 2)]),
            _ => Item::Operation(node / 2),
        });
        let order = order.collect();
        let homes = RegionsOf::from_regions(&regions, ops.len());
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
        let mut plan = Plan {
            regions,
            unfused,
            order,
        };
        if self.switches.fusion {
            crate::chain::join(&ops, &mut plan, self.switches.composing());
        }
        plan
    }
}
