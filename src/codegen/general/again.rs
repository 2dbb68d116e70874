//! What the general emitter would compute again and again: it makes an element where it is read, so
//! that a reduction whose result is stretched is made anew for each element of the stretched one,
//! and a value that is read at many indices is written out for each of them.

use mapwright_mlir::{Op, Val, ValueType, op};
use mapwright_ops::registry::{self, Class};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Number of times that an element of a reduction may be computed.
const MOST: f64 = 4.0;

/// At so many different indices code for an element of a value may be written out.
const MOST_INDICES: usize = 32;

/// Work that is not worth memory and a launch more, in terms of reductions.
const LITTLE: f64 = 4096.0;

/// Number that stands for a size that is known at run time only.
const ANY_SIZE: f64 = 1024.0;

fn elements(value: Val<'_>) -> f64 {
    use mapwright_mlir::melior::ir::ValueLike;
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(ty) => {
            let sizes = ty.dims.iter();
            sizes
                .map(|dim| dim.fixed().map_or(ANY_SIZE, |n| n as f64))
                .product()
        }
        _ => 1.0,
    }
}

/// Elements that one of the result is put together from.
fn terms(op: Op<'_>) -> Option<f64> {
    let def = registry::lookup(op)?;
    let terms = def.terms?;
    Some(match def.class {
        Class::Reduction => elements(op.operand(0)) / elements(op.result(0)).max(1.0),
        _ => terms(op),
    })
}

/// The members of a region whose results have to be in memory, so that nothing is made much more
/// often than once: the first one that would be, and the reductions that it is made of and that
/// others read, too. Positions in its body; none if it is right as it is.
pub(crate) fn made_again(fusion: Op<'_>) -> BTreeSet<usize> {
    let mut members = fusion.body(0).map(op::ops).unwrap_or_default();
    let Some(end) = members.pop() else {
        return BTreeSet::new();
    };
    let place: HashMap<usize, usize> = (members.iter().enumerate())
        .flat_map(|(i, op)| op.results().into_iter().map(move |v| (op::key(v), i)))
        .collect();
    // For each member the indices at which it is read, told by the ways there, and how many
    // elements are made at each.
    let mut read: Vec<BTreeMap<u64, f64>> = vec![BTreeMap::new(); members.len()];
    for value in end.operands() {
        if let Some(i) = place.get(&op::key(value)) {
            read[*i].insert(0, elements(value));
        }
    }
    let mut found = None;
    for (i, member) in members.iter().enumerate().rev() {
        let class = registry::lookup(*member).map_or(Class::Other, |def| def.class);
        if class == Class::Source || read[i].is_empty() {
            continue;
        }
        let own = terms(*member);
        let made: f64 = read[i].values().sum();
        let once = member.results().first().map_or(1.0, |v| elements(*v));
        let often = own.is_some_and(|n| n > 1.0 && made > MOST * once && made * n > LITTLE);
        if often || read[i].len() > MOST_INDICES {
            found = Some(i);
            // What is behind it is read once by what makes it; the ways to it end here.
            read[i] = BTreeMap::from([(1 + i as u64, once)]);
        }
        let ways = read[i].clone();
        for (k, value) in member.operands().into_iter().enumerate() {
            let Some(from) = place.get(&op::key(value)) else {
                continue;
            };
            // Of several operands each gives a part, and what is updated is walked.
            let repeats = registry::lookup(*member).map_or(1.0, |def| (def.repeats)(*member, k));
            let share = repeats * elements(value) / once.max(1.0);
            let factor = share.min(own.unwrap_or(1.0));
            for (way, count) in &ways {
                let way = match class {
                    Class::Elementwise => *way,
                    _ => step(*way, i, k),
                };
                let known = read[*from].entry(way).or_default();
                *known = known.max(count * factor);
            }
        }
    }
    let Some(first) = found else {
        return BTreeSet::new();
    };
    // What it is made of, which is read by others as well.
    let behind = |from: &mut dyn Iterator<Item = Val<'_>>, stop: Option<usize>| {
        let mut all = BTreeSet::new();
        let mut pending: Vec<usize> = from
            .filter_map(|v| place.get(&op::key(v)).copied())
            .collect();
        while let Some(i) = pending.pop() {
            if Some(i) != stop && all.insert(i) {
                let operands = members[i].operands().into_iter();
                pending.extend(operands.filter_map(|v| place.get(&op::key(v)).copied()));
            }
        }
        all
    };
    let inside = behind(&mut members[first].operands().into_iter(), None);
    let others = behind(&mut end.operands().into_iter(), Some(first));
    let mut handed: BTreeSet<usize> = inside.intersection(&others).copied().collect();
    handed.retain(|i| terms(members[*i]).is_some_and(|n| n > 1.0));
    handed.insert(first);
    handed
}

/// The way on from `way` through operand `k` of member `i`.
fn step(way: u64, i: usize, k: usize) -> u64 {
    let next = way ^ ((i as u64) << 8 | k as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    next.wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(23)
}
