//! The maps of an operation itself: values that are read at run time are named by the positions of
//! operands.

use crate::error::{Result, Unsupported, unsupported};
use mapwright_indexing::IndexingMap;
use mapwright_mlir::Op;
use mapwright_ops::{
    query::Query,
    registry::{self, Class, OpDef},
};

/// The own maps of an operation.
pub(super) struct Maps<'c> {
    pub def: &'static OpDef,
    query: Query<'c>,
    number: usize,
}

impl<'c> Maps<'c> {
    pub(super) fn new(op: Op<'c>, number: usize) -> Result<Self> {
        let Some(def) = registry::lookup(op) else {
            return unsupported(format!("'{}' has no maps", op.name()));
        };
        Ok(Self {
            def,
            query: Query::own(op),
            number,
        })
    }

    /// The maps to operand `operand` that have a point.
    pub(super) fn to_operand(&self, operand: usize) -> Result<Vec<IndexingMap>> {
        let maps = (self.def.output_to_input)(&self.query, self.number, operand);
        let mut maps = maps.map_err(Unsupported)?;
        if let Some(reason) = maps.iter().find_map(IndexingMap::unknown_reason) {
            return unsupported(reason);
        }
        maps.retain(|map| !is_empty(map));
        Ok(maps)
    }

    pub(super) fn data_operands(&self) -> usize {
        let all = self.query.num_operands();
        self.def.data_operands.map_or(all, |n| n.min(all))
    }
}

fn is_empty(map: &IndexingMap) -> bool {
    map.is_known_empty()
        || map.intervals().any(|interval| interval.is_empty())
        || map.constraints().iter().any(|c| c.interval.is_empty())
}

/// The only map from operand `operand` of `op` to result `number`.
pub(super) fn forward_map(op: Op<'_>, operand: usize, number: usize) -> Result<IndexingMap> {
    let maps = Maps::new(op, number)?;
    let found = (maps.def.input_to_output)(&maps.query, operand, number).map_err(Unsupported)?;
    match <[IndexingMap; 1]>::try_from(found) {
        Ok([map]) if map.is_known() && map.is_exact() && map.ranges().is_empty() => Ok(map),
        _ => unsupported(format!("operand {operand} does not go to one place")),
    }
}

/// The only map from result `number` of `op` to operand `operand`, of the operation itself: values
/// that it reads are named by the positions of operands.
pub(super) fn only_map(op: Op<'_>, number: usize, operand: usize) -> Result<IndexingMap> {
    match <[IndexingMap; 1]>::try_from(Maps::new(op, number)?.to_operand(operand)?) {
        Ok([map]) if map.is_exact() => Ok(map),
        _ => unsupported(format!("operand {operand} is not read by one map")),
    }
}

/// Tells whether the maps of `op` leave out that operands of run-time sizes end somewhere.
pub(super) fn maps_of_padding(op: Op<'_>) -> bool {
    registry::lookup(op).is_some_and(|def| def.class == Class::Assembly && def.family == "padding")
}
