//! All-reduces that do not follow from each other become one of several values: the gradients of many parameters are one message.

use super::program::KINDS;
use crate::{make::HloBuilder, rewrite::replace};
use mapwright_mlir::{
    Blk, ElementType, Op, TensorType, Val, computation, melior::ir::ValueLike, op,
};
use mapwright_ops::{
    attrs,
    registry::{self, lookup},
};
use std::collections::HashSet;

/// The most bytes of a value that is sent with others. A message takes some ten microseconds however short it is, and memory is copied at some gigabytes in
/// a second: what is larger takes many times longer than it could save.
const MOST_BYTES: i64 = 1 << 20;

/// What all-reduces of one group have in common: the groups of devices, how they are numbered, and the operation that combines two elements.
#[derive(PartialEq)]
struct Kind {
    groups: Vec<Vec<i64>>,
    global: bool,
    channel: i64,
    combines: &'static str,
    element: ElementType,
}

/// Combines all-reduces of `block` and of the regions inside of it.
pub(super) fn all_reduces(block: Blk<'_>) {
    for operation in op::ops(block) {
        let regions = (0..operation.num_regions()).map(|r| operation.region(r));
        regions.flat_map(op::blocks).for_each(all_reduces);
    }
    let mut done: HashSet<usize> = HashSet::new();
    while let Some((first, kind)) = op::ops(block).into_iter().find_map(|op| {
        let kind = kind(op).filter(|_| !done.contains(&op::key(op.result(0))))?;
        Some((op, kind))
    }) {
        let made = with_others(first, &kind);
        done.extend(made.results().into_iter().map(op::key));
    }
}

/// Combines an all-reduce with all behind it that may come along. What reads their results, and stands before the last of them, comes after it.
fn with_others<'c>(first: Op<'c>, kind: &Kind) -> Op<'c> {
    let mut members = vec![first];
    let mut followers: Vec<Op<'c>> = Vec::new();
    let mut pending: Vec<Op<'c>> = Vec::new();
    let mut follow: HashSet<usize> = first.results().into_iter().map(op::key).collect();
    let mut next = op::next(first);
    while let Some(op) = next {
        next = op::next(op);
        let reads = computation::used(op);
        if reads.iter().any(|value| follow.contains(&op::key(*value))) {
            let communicates = lookup(op).is_some_and(|def| def.across_replicas);
            if next.is_none() || !(communicates || registry::is_function(op)) {
                break;
            }
            pending.push(op);
        } else if self::kind(op).as_ref() == Some(kind) {
            members.push(op);
            followers.append(&mut pending);
        } else {
            continue;
        }
        follow.extend(op.results().into_iter().map(op::key));
    }
    let last = members[members.len() - 1];
    let (Some(b), Some(behind)) = (HloBuilder::before(last), op::next(last)) else {
        return first;
    };
    if members.len() == 1 {
        return first;
    }
    let values: Vec<Val<'c>> = members.iter().flat_map(|op| op.operands()).collect();
    let types: Vec<_> = values.iter().map(|value| value.r#type()).collect();
    let element = std::slice::from_ref(&kind.element);
    let body = vec![b.pair_by_pair(kind.combines, element)];
    let made = b.op_with_regions(first.name(), &values, &types, &first.attributes(), body);
    for follower in followers {
        follower.move_before(behind);
    }
    let results = made.results();
    let mut rest = results.as_slice();
    for member in members {
        let (own, others) = rest.split_at(member.num_results());
        replace(member, own);
        rest = others;
    }
    made
}

/// The kind of an all-reduce that may be sent with others.
fn kind(op: Op<'_>) -> Option<Kind> {
    if !op.is_hlo("all_reduce") {
        return None;
    }
    let mut types = op
        .operands()
        .into_iter()
        .map(|v| TensorType::from_mlir(v.r#type()));
    let element = TensorType::from_mlir(op.operand(0).r#type())?.element;
    let width = i64::from(element.bit_width()?.div_ceil(8));
    let fits = types.all(|ty| {
        let sizes = ty.as_ref().and_then(TensorType::static_shape);
        let elements = sizes.map(|sizes| sizes.iter().product::<i64>());
        ty.is_some_and(|ty| ty.element == element)
            && elements.is_some_and(|n| n.saturating_mul(width) <= MOST_BYTES)
    });
    let groups = attrs::replica_groups(op).ok().filter(|_| fits)?;
    let combination = registry::combination(attrs::computation(op, 0)?)?;
    let (.., combines) = KINDS.into_iter().find(|(what, ..)| *what == combination)?;
    Some(Kind {
        groups: groups.groups,
        global: groups.global_device_ids,
        channel: attrs::channel(op).ok()?.kind,
        combines,
        element,
    })
}
