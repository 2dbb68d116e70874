//! Maps of slices whose start is read at run time.
//!
//! Start indices are clamped so that the slice lies within the operand:
//! `clamp(0, start[k], dim(operand, k) - size[k])`. A start whose interval is one point needs no
//! runtime variable; a constant one is folded.

use crate::attrs::dynamic_slice_sizes;
use crate::index_rule::{self, Found, Index, IndexQuery, Read, Reads, Tensor};
use crate::query::{Pieces, Query, everything, indices};
use mapwright_indexing::Interval;
use mapwright_mlir::ValueType;

/// The start of a window of these sizes in every dimension of the first operand. Operand
/// `first + k` is the start in dimension `k` (or, in the oldest form, operand `first` holds all of
/// them).
fn clamped_starts(
    query: &mut IndexQuery<'_, '_>,
    first: usize,
    window: &[Index],
) -> Found<Vec<Index>> {
    let vector = query.op.num_operands() == first + 1 && query.rank(first)? == 1;
    if !vector && query.op.num_operands() != first + window.len() {
        return Err(format!(
            "{} start indices for {} dimensions",
            query.op.num_operands().saturating_sub(first),
            window.len()
        ));
    }
    let mut starts = Vec::with_capacity(window.len());
    for (k, window) in window.iter().enumerate() {
        let size = query.size(Tensor::Operand(0), k)?;
        let last = query.sub(size, *window)?;
        starts.push(if vector {
            query.clamped(first, &[Index::Known(k as i64)], last)?
        } else {
            query.clamped(first + k, &[], last)?
        });
    }
    Ok(starts)
}

/// `dynamic_slice`.
pub(crate) fn sliced(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let window = dynamic_slice_sizes(query.op, index.len())?;
    let window: Vec<Index> = window.into_iter().map(Index::Known).collect();
    let mut at = clamped_starts(query, 1, &window)?;
    for (start, i) in at.iter_mut().zip(index) {
        *start = query.add(*start, *i)?;
    }
    Ok(Reads::one(0, at))
}

/// `dynamic_update_slice`: the update where it is, the operand elsewhere.
pub(crate) fn updated(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let window = query.sizes(Tensor::Operand(1), index.len())?;
    let mut at = clamped_starts(query, 2, &window)?;
    for (start, i) in at.iter_mut().zip(index) {
        *start = query.sub(*i, *start)?;
    }
    Ok(Reads {
        pieces: vec![Read::new(1, at)],
        elsewhere: Some(Read::new(0, index.to_vec())),
    })
}

/// `real_dynamic_slice`: starts are not clamped, the specification demands that they fit.
pub(crate) fn really_sliced(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    if query.op.num_operands() != 4 {
        return Err("real_dynamic_slice has four operands".into());
    }
    let sizes = query.bounds(Tensor::Operand(0))?;
    let (operand, result) = (query.op.operand_type(0), query.op.result_type(0));
    let fixed = |ty: &ValueType, k: usize| ty.tensor()?.dims.get(k)?.fixed();
    let mut at = Vec::with_capacity(index.len());
    for (k, (i, size)) in index.iter().zip(sizes).enumerate() {
        let place = [Index::Known(k as i64)];
        // Behind its start there is room for the result, whatever the stride is: a whole dimension
        // begins at 0.
        let last = match (fixed(&operand, k), fixed(&result, k)) {
            (Some(size), Some(n)) if n > 0 => (size - n).max(0),
            _ => size,
        };
        let start = match last {
            0 => Index::Known(0),
            last => query.element(1, &place, indices(last.saturating_add(1)))?,
        };
        let stride = query.element(3, &place, Interval::new(1, i64::MAX))?;
        let step = query.mul(*i, stride)?;
        let place = query.add(step, start)?;
        at.push(query.within(0, k, place)?);
    }
    Ok(Reads::one(0, at))
}

/// A bounded dimension would clamp by its run-time size.
fn clamps_are_known(q: &Query<'_>) -> Result<(), String> {
    let operand = q.operand(0)?;
    let sizes = dynamic_slice_sizes(q.op, operand.rank())?;
    for (k, dim) in operand.dims.iter().enumerate() {
        if dim.fixed().is_none() && dim.bound() != Some(sizes[k]) {
            return Err(format!(
                "the start in dimension {k} is clamped by a size that is known at run time only"
            ));
        }
    }
    Ok(())
}

pub(crate) fn slice_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 0 {
        return Ok(vec![everything(&out, &q.operand_sizes(operand)?)]);
    }
    clamps_are_known(q)?;
    index_rule::maps(q, result, operand, &sliced)
}

pub(crate) fn slice_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 0 {
        return Ok(vec![everything(&q.operand_sizes(operand)?, &out)]);
    }
    clamps_are_known(q)?;
    index_rule::inverses(q, operand, result, &sliced)
}

pub(crate) fn update_output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    if operand > 1 {
        return Ok(vec![everything(
            &q.result_sizes(result)?,
            &q.operand_sizes(operand)?,
        )]);
    }
    q.static_operand(0)?;
    q.static_operand(1)?;
    index_rule::maps(q, result, operand, &updated)
}

pub(crate) fn update_input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    if operand > 1 {
        return Ok(vec![everything(
            &q.operand_sizes(operand)?,
            &q.result_sizes(result)?,
        )]);
    }
    q.static_operand(0)?;
    q.static_operand(1)?;
    index_rule::inverses(q, operand, result, &updated)
}
