//! A product, work on the rows of its result, and a product of the outcome as one region of three
//! stages: attention, whose scores are then never in memory as a whole.
//!
//! Decided by the maps of what lies between the products: every element of a row of its result
//! reads elements of the same row of the first product, and what it reduces it reduces along rows.
//! What is computed there is of no importance.

use crate::composed::Composing;
use crate::group::Group;
use crate::inputs::inputs_of;
use crate::node::{Node, node, tensor};
use crate::plan::{Item, Plan, Region, RegionsOf, Unfused};
use crate::role::{Role, role};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::Sum;
use mapwright_mlir::{Op, Val, op};
use mapwright_ops::attrs;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Rows of an image below which the product is read along its columns, once: nothing is gained.
const FEW_ROWS: i64 = 4;

/// A chain to be made: numbers of regions.
struct Chain {
    first: usize,
    middle: usize,
    last: usize,
    /// A permutation of the result that the region of its user had made again: with it the rows of
    /// both products are the same.
    order: Option<Order>,
}

/// An operation and the region that it leaves.
struct Order {
    op: usize,
    from: usize,
}

/// Joins regions of a plan to chains.
pub fn join(ops: &[Op<'_>], plan: &mut Plan, composing: Composing) {
    let place: HashMap<Op<'_>, usize> = ops.iter().enumerate().map(|(i, op)| (*op, i)).collect();
    let homes = RegionsOf::from_regions(&plan.regions, ops.len());
    let mut chains: Vec<Chain> = Vec::new();
    let mut taken: HashSet<usize> = HashSet::new();
    for last in 0..plan.regions.len() {
        let block = Block {
            ops,
            place: &place,
            plan,
            homes: &homes,
            composing,
        };
        if let Some(chain) = block.ending_in(last) {
            let own = [chain.first, chain.middle, chain.last];
            if own.iter().all(|r| !taken.contains(r)) {
                taken.extend(own);
                chains.push(chain);
            }
        }
    }
    for chain in &chains {
        if let Some(order) = &chain.order {
            take_over(ops, &place, plan, chain.last, order);
        }
        let parts: Vec<Region> = [chain.first, chain.middle, chain.last]
            .into_iter()
            .map(|r| plan.regions[r].clone())
            .collect();
        let members: BTreeSet<usize> = parts.iter().flat_map(|p| p.members.clone()).collect();
        let region = &mut plan.regions[chain.last];
        region.members = members.into_iter().collect();
        region.kind = "chain";
        region.stages = parts;
    }
    // The regions before the last one of a chain are no more.
    let gone: BTreeSet<usize> = chains.iter().flat_map(|c| [c.first, c.middle]).collect();
    if gone.is_empty() {
        return;
    }
    let mut kept: Vec<(usize, Region)> = std::mem::take(&mut plan.regions)
        .into_iter()
        .enumerate()
        .filter(|(i, _)| !gone.contains(i))
        .collect();
    kept.sort_by_key(|(_, region)| region.root);
    let number_of: HashMap<usize, usize> =
        kept.iter().enumerate().map(|(n, (i, _))| (*i, n)).collect();
    plan.regions = kept.into_iter().map(|(_, region)| region).collect();
    plan.order = std::mem::take(&mut plan.order)
        .into_iter()
        .filter_map(|item| match item {
            Item::Region(r) => number_of.get(&r).copied().map(Item::Region),
            other => Some(other),
        })
        .collect();
    let homes = RegionsOf::from_regions(&plan.regions, ops.len());
    plan.unfused
        .retain(|edge| !homes.share(edge.producer, edge.user));
}

/// A block with its plan.
struct Block<'a, 'c> {
    ops: &'a [Op<'c>],
    place: &'a HashMap<Op<'c>, usize>,
    plan: &'a Plan,
    homes: &'a RegionsOf,
    composing: Composing,
}

impl<'c> Block<'_, 'c> {
    /// The chain whose second product is that of region `last`.
    fn ending_in(&self, last: usize) -> Option<Chain> {
        let Self {
            ops, place, plan, ..
        } = *self;
        let region = &plan.regions[last];
        if region.kind != "contraction" {
            return None;
        }
        let product = region
            .members
            .iter()
            .map(|i| ops[*i])
            .find(|op| role(*op) == Role::Contraction)?;
        (0..product.num_operands()).find_map(|i| {
            let value = through_views(ops, place, region, product.operand(i));
            let middle = self.only_producer(value, last)?;
            let inner = &plan.regions[middle];
            if inner.kind != "reduction" || inner.root != *inner.outputs.first()? {
                return None;
            }
            let (_, shape) = tensor(value).ok()?;
            let rows = shape.iter().rev().nth(1).copied().unwrap_or(Extent::ONE);
            if shape.len() < 2 || rows < FEW_ROWS {
                return None;
            }
            let group = group_of(ops, inner, self.composing)?;
            let inputs = inputs_of(ops, &inner.members.iter().copied().collect());
            let first = inputs.into_iter().find_map(|scores| {
                let first = self.only_producer(scores, middle)?;
                let same_shape = tensor(scores).ok()?.1 == shape;
                let product = plan.regions[first].kind == "contraction";
                (product && same_shape && group.reads_own_rows(scores)).then_some(first)
            })?;
            // The last dimension of the result has to be the other factor's, so that results of a
            // row lie side by side.
            let order = if i == 1 && ops[region.root] == product {
                Some(self.permutation(last)?)
            } else {
                None
            };
            Some(Chain {
                first,
                middle,
                last,
                order,
            })
        })
    }

    /// The only user of a product's result, if it is a permutation after which a dimension of the
    /// left factor is the last one.
    fn permutation(&self, last: usize) -> Option<Order> {
        let Self {
            ops,
            place,
            plan,
            homes,
            composing,
        } = *self;
        let product = ops[plan.regions[last].root];
        let result = product.results().first().copied()?;
        let users = op::uses(result);
        let [(user, _)] = users.as_slice() else {
            return None;
        };
        let op = *place.get(user)?;
        let [from] = homes.of_operation(op) else {
            return None;
        };
        if *from == last
            || role(*user) != Role::Movement
            || plan.regions[*from].outputs.contains(&op)
        {
            return None;
        }
        let (_, shape) = tensor(user.results().first().copied()?).ok()?;
        let ranges = composing.over_sizes(&shape);
        let index: Vec<Sum> = (0..shape.len()).map(Sum::var).collect();
        let Ok(Node::Copy((source, at))) = node(user.result(0), &index, &ranges) else {
            return None;
        };
        let permutes = op::key(source) == op::key(result)
            && at.len() == index.len()
            && index.iter().all(|x| at.contains(x));
        let batch = attrs::DotDimensions::decode(product)
            .ok()?
            .lhs_batching
            .len();
        let left = tensor(product.operand(0)).ok()?.1.len();
        let contracted = attrs::DotDimensions::decode(product)
            .ok()?
            .lhs_contracting
            .len();
        let of_left = batch..left - contracted;
        let last_of = at.iter().position(|x| Some(x) == index.last())?;
        (permutes && of_left.contains(&last_of)).then_some(Order { op, from: *from })
    }
}

/// Moves a permutation to the region of the product that it permutes.
fn take_over<'c>(
    ops: &[Op<'c>],
    place: &HashMap<Op<'c>, usize>,
    plan: &mut Plan,
    last: usize,
    order: &Order,
) {
    plan.regions[order.from].members.retain(|i| *i != order.op);
    let region = &mut plan.regions[last];
    region.members.push(order.op);
    region.members.sort_unstable();
    region.root = order.op;
    region.outputs = vec![order.op];
    for (user, _) in ops[order.op].results().into_iter().flat_map(op::uses) {
        if let Some(user) = place.get(&user) {
            plan.unfused.push(Unfused {
                producer: order.op,
                user: *user,
                reason: "the products before it are stored in this order".into(),
            });
        }
    }
    plan.unfused.sort_by_key(|edge| (edge.producer, edge.user));
}

/// The value that a factor is seen of, within a region.
fn through_views<'c>(
    ops: &[Op<'c>],
    place: &HashMap<Op<'c>, usize>,
    region: &Region,
    factor: Val<'c>,
) -> Val<'c> {
    let mut value = factor;
    while let Some((op, _)) = op::defining_op(value) {
        let member = place
            .get(&op)
            .is_some_and(|i| region.members.binary_search(i).is_ok() && ops[*i] == op);
        if !member || op.num_operands() != 1 {
            break;
        }
        value = op.operand(0);
    }
    value
}

impl<'c> Block<'_, 'c> {
    /// The region whose only result is `value`, if nothing but region `reader` uses it.
    fn only_producer(&self, value: Val<'c>, reader: usize) -> Option<usize> {
        let (producer, _) = op::defining_op(value)?;
        let at = *self.place.get(&producer)?;
        let found = (self.homes.of_operation(at).iter().copied())
            .find(|r| self.plan.regions[*r].outputs == [at] && self.ops[at].num_results() == 1)?;
        let alone = op::uses(value).into_iter().all(|(user, _)| {
            (self.place.get(&user)).is_some_and(|user| self.homes.of_operation(*user) == [reader])
        });
        (found != reader && alone).then_some(found)
    }
}

/// Returns the group of a region, which knows how it reads.
fn group_of(ops: &[Op<'_>], region: &Region, composing: Composing) -> Option<Group> {
    let mut group = Group::new(ops[region.root], composing).ok()?;
    for i in region.members.iter().rev() {
        if *i != region.root && role(ops[*i]) != Role::Free {
            group.join(ops[*i]).ok()?;
        }
    }
    Some(group)
}
