//! A rough count of scalar operations for an element of a value, for choosing tile sizes.

use mapwright_mlir::{Op, Val, op};
use mapwright_ops::registry::{self, Class};
use mapwright_ops::repeats::elements;
use std::collections::HashMap;

/// Cost below which a thread of its own does not pay (in scalar operations; a region's launch takes
/// a few microseconds).
pub(super) const THREAD_COST: f64 = 40_000.0;

/// Cost of one element of all of `values`.
pub(crate) fn of_outputs(values: &[Val<'_>]) -> f64 {
    let mut memo = HashMap::new();
    values.iter().map(|value| element(*value, &mut memo)).sum()
}

/// Cost of all elements of all of `values`.
pub(crate) fn total(values: &[Val<'_>]) -> f64 {
    let mut memo = HashMap::new();
    values
        .iter()
        .map(|value| {
            let count = elements(*value);
            // A scatter walks its updates.
            let updates = op::defining_op(*value)
                .filter(|(op, _)| {
                    registry::lookup(*op).is_some_and(|def| def.class == Class::Update)
                })
                .map_or(0.0, |(op, _)| {
                    op.operands().iter().map(|v| elements(*v)).sum::<f64>() * 4.0
                });
            count * (1.0 + element(*value, &mut memo)) + updates
        })
        .sum()
}

/// Cost of a `dynamic_update_slice` or a `scatter` whose result is where its operand is: what it
/// does not update costs nothing.
pub(crate) fn of_updates(root: Op<'_>) -> f64 {
    let mut memo = HashMap::new();
    let walked = root.operands().into_iter().skip(root.num_results());
    walked
        .map(|value| elements(value) * (4.0 + element(value, &mut memo)))
        .sum()
}

fn element(value: Val<'_>, memo: &mut HashMap<usize, f64>) -> f64 {
    let Some((op, _)) = op::defining_op(value) else {
        return 1.0;
    };
    if let Some(known) = memo.get(&op::key(value)) {
        return *known;
    }
    let below: f64 = op.operands().iter().map(|v| element(*v, memo)).sum();
    let def = registry::lookup(op);
    let cost = match def.map(|def| (def.class, def.terms)) {
        Some((Class::Source, _)) => 0.5,
        Some((_, Some(terms))) => below * terms(op).max(1.0),
        // What only moves elements computes where they are.
        _ => below + def.map_or(1.0, |def| def.cost.max(1.0)),
    };
    memo.insert(op::key(value), cost);
    cost
}
