//! The regions of operations, which compute elements from elements.

use super::body::{Body, tensor};
use crate::{
    error::{Result, Unsupported, unsupported},
    index::Ix,
    scalar,
    storage::Elem,
};
use mapwright_mlir::{Blk, Builder, Op, op};

/// Values from outside that the regions of an operation use: they are of rank 0, so they have one
/// element.
pub(super) struct Captured<'c>(Vec<(usize, Elem<'c>)>);

impl<'c> Captured<'c> {
    pub(super) fn from_op(b: &Builder<'c>, body: &mut Body<'c>, op: Op<'c>) -> Result<Self> {
        let inside = op.descendants();
        let mut own: Vec<usize> = inside
            .iter()
            .flat_map(|inner| inner.results())
            .map(op::key)
            .collect();
        for around in std::iter::once(&op).chain(&inside) {
            for i in 0..around.num_regions() {
                for block in op::blocks(around.region(i)) {
                    own.extend(op::arguments(block).into_iter().map(op::key));
                }
            }
        }
        let mut found: Vec<(usize, Elem<'c>)> = Vec::new();
        for value in inside.iter().flat_map(|inner| inner.operands()) {
            let key = op::key(value);
            if own.contains(&key) || found.iter().any(|(known, _)| *known == key) {
                continue;
            }
            if tensor(value)?.rank() != 0 {
                return unsupported("a tensor from outside of a scalar region");
            }
            found.push((key, body.element(b, value, &[])?));
        }
        Ok(Self(found))
    }

    /// Emits the computation of a region of the operation on `args`.
    pub(super) fn apply(
        &self,
        b: &Builder<'c>,
        block: Blk<'c>,
        args: &[Elem<'c>],
    ) -> Result<Vec<Elem<'c>>> {
        scalar::apply_region(b, block, args, &[], &|value| {
            let key = op::key(value);
            let found = self.0.iter().find(|(known, _)| *known == key);
            found.map(|(_, element)| *element)
        })
    }
}

/// The element of a `map`.
pub(super) fn map<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Elem<'c>> {
    let mut args = Vec::new();
    for operand in op.operands() {
        args.push(body.element(b, operand, index)?);
    }
    let Some(block) = op.body(0) else {
        return unsupported("'map' without a body");
    };
    let results = Captured::from_op(b, body, op)?.apply(b, block, &args)?;
    let first = results.first().copied();
    first.ok_or_else(|| Unsupported("'map' without a result".into()))
}
