//! Reductions and scatters to few results are cut in two, so that threads have work: partial
//! results over a fixed number of parts, then their sum.
//!
//! `reduce(x)` becomes `reduce(reduce(reshape x))` where the reshape cuts the outermost reduced
//! dimension into parts; `scatter` does the same for histograms. The cut depends on the shapes
//! alone, so the result is the same for every number of threads.

mod scatter;

use crate::make::HloBuilder;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, Op, TensorType, Ty, Val, attr::Dense, edit, op};
use mapwright_ops::reduction::combination::Combination;
use mapwright_ops::registry::{self, Class};
use std::collections::HashMap;

/// Elements below which a single task is as good.
const LEAST: i64 = 1 << 18;
/// Parts, at most.
const PARTS: i64 = 64;
/// Rows that are enough as they are.
const ROWS: i64 = 32;

/// Cuts the reductions and scatters among `ops` for which it pays. New operations stand in front of
/// the old ones.
pub fn split_reductions(ops: &[Op<'_>]) {
    for op in ops {
        if op.is_hlo("reduce") && op.num_operands() == 2 {
            split(*op);
        } else if op.is_hlo("scatter") && op.num_operands() == 3 {
            scatter::split(*op);
        }
    }
}

/// Type and sizes of a tensor whose sizes do not wait for the program to run: into how many parts a
/// dimension is cut is known here.
fn fixed(value: Val<'_>) -> Option<(TensorType, Vec<i64>)> {
    let ty = TensorType::from_mlir(value.r#type())?;
    let shape = ty.static_shape()?;
    Some((ty, shape))
}

fn split(op: Op<'_>) -> Option<()> {
    let b = HloBuilder::before(op)?;
    let (ty, shape) = fixed(op.operand(0))?;
    let (result, kept) = fixed(op.result(0))?;
    let elements = ty.num_elements()?;
    let rows = result.num_elements()?;
    if elements < LEAST
        || rows >= ROWS
        || rows == 0
        || !ty.element.fits_lanes()
        || result.element != ty.element
    {
        return None;
    }
    let body = op.body(0)?;
    if !starts_with_identity(op, registry::combination(body)?, &ty.element) {
        return None;
    }
    let mut axes = op.ints("dimensions")?;
    axes.sort_unstable();
    let (axis, parts) = axes.iter().find_map(|axis| {
        let n = *shape.get(usize::try_from(*axis).ok()?)?;
        let parts = (2..=PARTS.min(n)).rev().find(|parts| n % parts == 0)?;
        (parts * rows >= 8).then_some((*axis, parts))
    })?;
    let axis_at = axis as usize;

    // x: […, n, …] -> […, parts, n / parts, …]
    let of_shape = |shape: &[i64]| TensorType::new(ty.element.clone(), shape);
    let mut cut = shape.clone();
    cut[axis_at] = parts;
    cut.insert(axis_at + 1, shape[axis_at] / parts);
    let reshape = b.reshape(op.operand(0), &of_shape(&cut));
    let inner: Vec<i64> = axes
        .iter()
        .map(|d| if *d >= axis { d + 1 } else { *d })
        .collect();
    let partial: Vec<i64> = (0..cut.len())
        .filter(|i| !inner.contains(&(*i as i64)))
        .map(|i| cut[i])
        .collect();
    let part_axis = (0..axis_at)
        .filter(|i| !inner.contains(&(*i as i64)))
        .count() as i64;
    let reduce = |operand, dimensions: &[i64], shape: &[i64]| {
        let region = clone_body(&b, op)?;
        let attributes = [("dimensions", b.i64_array(dimensions))];
        let (operands, types) = ([operand, op.operand(1)], [b.ty(&of_shape(shape))]);
        let new = b.op_with_regions(op.name(), &operands, &types, &attributes, vec![region]);
        Some(new.result(0))
    };
    let first = reduce(reshape, &inner, &partial)?;
    let second = reduce(first, &[part_axis], &kept)?;
    op::replace_all_uses(op.result(0), second);
    edit::erase_unused(op);
    Some(())
}

/// The body of `op` as a region of its own.
pub fn clone_body<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
) -> Option<mapwright_mlir::melior::ir::Region<'c>> {
    let body = op.body(0)?;
    let arguments = op::arguments(body);
    let types: Vec<Ty<'c>> = arguments.iter().map(|v| v.r#type()).collect();
    Some(b.region(&types, |b, new| {
        let mut map: HashMap<usize, Val<'c>> = arguments
            .iter()
            .map(|v| op::key(*v))
            .zip(new.iter().copied())
            .collect();
        for inner in op::ops(body) {
            edit::append(b.block(), edit::copy(inner, &mut map));
        }
    }))
}

/// Tells whether the initial value is a constant that changes nothing, however often it is used.
fn starts_with_identity(reduce: Op<'_>, what: Combination, element: &ElementType) -> bool {
    let mut value = reduce.operand(1);
    let dense = loop {
        let Some((op, _)) = op::defining_op(value) else {
            return false;
        };
        if let Some(constant) = op.attribute("value") {
            match Dense::splat_of(constant) {
                Some(dense) => break dense,
                None => return false,
            }
        }
        // What moves elements of a splat gives the same ones.
        let moves = registry::lookup(op).is_some_and(|def| def.class == Class::Movement);
        if !moves || op.attribute("iota_dimension").is_some() {
            return false;
        }
        value = op.operand(0);
    };
    let Some(bytes) = element.byte_width().and_then(|n| dense.data.get(..n)) else {
        return false;
    };
    // +0 would change a sum of negative zeros only, which it does once anyway.
    let is_number = matches!(element, ElementType::Float(_)) || element.is_int();
    if what == Combination::Sum && is_number && bytes.iter().all(|byte| *byte == 0) {
        return true;
    }
    let neutral = what.neutral(element).and_then(|n| n.bits(element));
    neutral.is_some_and(|neutral| neutral.to_le_bytes().starts_with(bytes))
}
