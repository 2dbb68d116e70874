//! All-reduces that do not follow from each other become one of several values: the gradients of
//! many parameters are one message.

use super::program::KINDS;
use crate::{make::HloBuilder, rewrite::replace};
use mapwright_mlir::{
    Blk, ElementType, Op, TensorType, Val, computation, melior::ir::ValueLike, op,
};
use mapwright_ops::{
    attrs,
    registry::{self, lookup},
};
use std::collections::{BTreeMap, HashMap};

/// The most bytes of a value that is sent with others. A message takes some ten microseconds
/// however short it is, and memory is copied at some gigabytes in a second: what is larger takes
/// many times longer than it could save.
const MOST_BYTES: i64 = 1 << 20;

/// Properties that all-reduces share which are sent together: the groups of devices, how they are
/// numbered, and the operation that combines two elements.
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
    let all = op::ops(block);
    for operation in &all {
        let regions = (0..operation.num_regions()).map(|r| operation.region(r));
        regions.flat_map(op::blocks).for_each(all_reduces);
    }
    let mut kinds: Vec<Kind> = Vec::new();
    for kind in all.into_iter().filter_map(kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    // One kind after the other: what two kinds wait for may be each other's.
    for kind in &kinds {
        of_kind(block, kind);
    }
}

/// Combines those of one kind that have equally many of the kind before them, one after the other,
/// on the longest way to them: these do not follow from each other. All operations come in the
/// order of these numbers, and otherwise as they stood.
fn of_kind(block: Blk<'_>, kind: &Kind) {
    let mut all = op::ops(block);
    let Some(end) = all.pop() else { return };
    let mut before: HashMap<usize, usize> = HashMap::new();
    let mut rounds: BTreeMap<usize, Vec<Op<'_>>> = BTreeMap::new();
    let mut places = Vec::new();
    let mut acted = 0;
    for op in all {
        let reads = computation::used(op);
        let reads = reads
            .iter()
            .filter_map(|value| before.get(&op::key(*value)));
        let mut round = reads.max().copied().unwrap_or(0);
        // What acts does so in its order; messages have none beside that of values.
        let communicates = lookup(op).is_some_and(|def| def.across_replicas);
        if !communicates && !registry::is_function(op) {
            round = round.max(acted);
            acted = round;
        }
        let is_member = self::kind(op).as_ref() == Some(kind);
        if is_member {
            rounds.entry(round).or_default().push(op);
        }
        let after = round + usize::from(is_member);
        before.extend(
            op.results()
                .into_iter()
                .map(|value| (op::key(value), after)),
        );
        places.push(((round, is_member), op));
    }
    if rounds.values().all(|members| members.len() == 1) {
        return;
    }
    places.sort_by_key(|(place, _)| *place);
    for (_, op) in places {
        op.move_before(end);
    }
    for members in rounds.values().filter(|members| members.len() > 1) {
        together(members, kind);
    }
}

/// Puts one all-reduce in the place of several, which stand one behind the other.
fn together<'c>(members: &[Op<'c>], kind: &Kind) {
    let Some((first, b)) = members
        .last()
        .and_then(|last| Some((members[0], HloBuilder::before(*last)?)))
    else {
        return;
    };
    let values: Vec<Val<'c>> = members.iter().flat_map(|op| op.operands()).collect();
    let types: Vec<_> = values.iter().map(|value| value.r#type()).collect();
    let element = std::slice::from_ref(&kind.element);
    let body = vec![b.pair_by_pair(kind.combines, element)];
    let made = b.op_with_regions(first.name(), &values, &types, &first.attributes(), body);
    let results = made.results();
    let mut rest = results.as_slice();
    for member in members {
        let (own, others) = rest.split_at(member.num_results());
        replace(*member, own);
        rest = others;
    }
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
