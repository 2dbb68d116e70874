//! What a region reads from outside.

use crate::plan::Region;
use mapwright_mlir::{
    Op, Val, ValueType, computation::used_from_outside, melior::ir::ValueLike, op,
};
use std::collections::{BTreeSet, HashSet};

/// Bytes of a value (of its bound where it is bounded).
pub fn bytes(value: Val<'_>) -> i64 {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(ty) => ty
            .num_elements()
            .unwrap_or(0)
            .saturating_mul(ty.element.byte_width().unwrap_or(0) as i64),
        _ => 0,
    }
}

/// Values that a region reads from outside, in the order of their first use.
pub fn inputs_of_region<'c>(ops: &[Op<'c>], region: &Region) -> Vec<Val<'c>> {
    if region.stages.is_empty() {
        return inputs_of(ops, &region.members.iter().copied().collect());
    }
    let mut inputs: Vec<Val<'c>> = Vec::new();
    let mut known: HashSet<usize> = HashSet::new();
    for stage in &region.stages {
        for value in inputs_of_region(ops, stage) {
            if known.insert(op::key(value)) {
                inputs.push(value);
            }
        }
        // What a stage makes, the next ones find.
        let made = stage.outputs.iter().flat_map(|i| ops[*i].results());
        known.extend(made.map(op::key));
    }
    inputs
}

/// Values that members read and do not define, in the order of their first use.
pub fn inputs_of<'c>(ops: &[Op<'c>], members: &BTreeSet<usize>) -> Vec<Val<'c>> {
    used_from_outside(members.iter().map(|i| ops[*i]))
}
