//! A rough count of scalar operations for an element of a value, for choosing tile sizes.

use mapwright_mlir::{Op, Val, ValueType, op};
use mapwright_ops::registry;
use std::collections::HashMap;

/// Cost below which a thread of its own does not pay (in scalar operations; a region's launch takes a few microseconds).
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
                .filter(|(op, _)| matches!(op.short_name(), "scatter" | "select_and_scatter"))
                .map_or(0.0, |(op, _)| {
                    op.operands().iter().map(|v| elements(*v)).sum::<f64>() * 4.0
                });
            count * (1.0 + element(*value, &mut memo)) + updates
        })
        .sum()
}

/// Cost of a `dynamic_update_slice` or a `scatter` whose result is where its operand is: what it does not update costs nothing.
pub(crate) fn of_updates(root: Op<'_>) -> f64 {
    let mut memo = HashMap::new();
    let walked = root.operands().into_iter().skip(root.num_results());
    walked
        .map(|value| elements(value) * (4.0 + element(value, &mut memo)))
        .sum()
}

fn elements(value: Val<'_>) -> f64 {
    use mapwright_mlir::melior::ir::ValueLike;
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => tensor.num_elements().unwrap_or(1 << 20) as f64,
        _ => 1.0,
    }
}

fn element(value: Val<'_>, memo: &mut HashMap<usize, f64>) -> f64 {
    let Some((op, _)) = op::defining_op(value) else {
        return 1.0;
    };
    if let Some(known) = memo.get(&op::key(value)) {
        return *known;
    }
    let below: f64 = op.operands().iter().map(|v| element(*v, memo)).sum();
    let ratio = |op: Op<'_>, i: usize| elements(op.operand(i)) / elements(op.result(0)).max(1.0);
    let cost = match op.short_name() {
        "constant" | "iota" => 0.5,
        "reduce" => below * ratio(op, 0).max(1.0),
        "reduce_window" => {
            let window: i64 = op
                .ints("window_dimensions")
                .unwrap_or_default()
                .iter()
                .product();
            below * (window as f64).max(1.0)
        }
        "dot_general" | "dot" => {
            // The sizes that are contracted: |lhs| |rhs| / |result| is (contracted)² times the batch.
            let contracted = (elements(op.operand(0)) * elements(op.operand(1))
                / elements(op.result(0)).max(1.0))
            .sqrt();
            below * contracted.max(1.0)
        }
        "convolution" | "dynamic_conv" => below * elements(op.operand(1)).sqrt().max(1.0) * 4.0,
        // What only moves elements computes where they are.
        _ => below + registry::lookup(op).map_or(1.0, |def| def.cost.max(1.0)),
    };
    memo.insert(op::key(value), cost);
    cost
}
