//! What operations with regions read, and what their blocks take and give.

use crate::compose::MapSet;
use crate::query::nothing;
use mapwright_indexing::IndexingMap;
use mapwright_mlir::{Blk, Op, Val, op};

/// Reads of an operation with regions: maps for every operand, and for values from outside that the
/// regions use.
pub struct Reads<'c> {
    /// Maps for every operand.
    pub operands: Vec<Vec<IndexingMap>>,
    /// Maps for captured values.
    pub captured: Vec<(Val<'c>, Vec<IndexingMap>)>,
}

/// The values from outside that the regions of an operation use, each once.
pub(crate) fn captures<'c>(operation: Op<'c>) -> Vec<Val<'c>> {
    let mut found: Vec<Val<'c>> = Vec::new();
    if operation.num_regions() == 0 {
        return found;
    }
    for inner in operation.descendants() {
        for value in inner.operands() {
            let known = found.iter().any(|other| op::key(*other) == op::key(value));
            if !known && outside(value, operation) {
                found.push(value);
            }
        }
    }
    found
}

/// The only block of an operation's first region.
pub fn entry<'c>(operation: Op<'c>) -> Result<Blk<'c>, String> {
    if operation.num_regions() == 0 {
        return Err("it has no body".into());
    }
    let blocks = op::blocks(operation.region(0));
    match blocks.as_slice() {
        [] => Err("it is only declared".into()),
        [block] => Ok(*block),
        _ => Err("its body has several blocks".into()),
    }
}

/// Operands of the terminator of a block.
pub fn yields<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    op::ops(block)
        .last()
        .map(|last| last.operands())
        .unwrap_or_default()
}

pub(crate) fn or_nothing(
    maps: Option<&[IndexingMap]>,
    from: &[i64],
    to: &[i64],
) -> Vec<IndexingMap> {
    match maps {
        Some(maps) if !maps.is_empty() => maps.to_vec(),
        _ => nothing(from, to),
    }
}

/// Tells whether the value is defined outside of the operation.
pub(crate) fn outside(value: Val<'_>, operation: Op<'_>) -> bool {
    let mut scope = match op::defining_op(value) {
        Some((def, _)) => def.parent(),
        None => op::block_argument(value).and_then(|(block, _)| {
            use mapwright_mlir::melior::ir::BlockLike;
            block.parent_operation().map(Op::new)
        }),
    };
    while let Some(parent) = scope {
        if parent == operation {
            return false;
        }
        scope = parent.parent();
    }
    true
}

/// The maps of a union, exact where `certain` says that they are read whatever happens.
pub(crate) fn certain_if(
    union: MapSet,
    certain: impl Fn(&IndexingMap) -> bool,
) -> Vec<IndexingMap> {
    union
        .into_maps()
        .into_iter()
        .map(|map| {
            let certain = certain(&map);
            inexact(map, !certain)
        })
        .collect()
}

pub(crate) fn inexact(map: IndexingMap, yes: bool) -> IndexingMap {
    let exact = map.is_exact() && !yes;
    map.with_exact(exact)
}
