//! Maps of `pad`: operand element `i` is at `low + i * (interior + 1)`; all other elements are the
//! padding value.
//!
//! The padding value is read only where no element of the operand is: before the first, behind the
//! last, between two of them.

use crate::attrs::Pad;
use crate::fold;
use crate::index_rule::{self, Found, Index, IndexQuery, IndexRule, Place, Read, Reads, Tensor};
use crate::query::{Pieces, Query, everything, over};
use mapwright_indexing::{IndexingMap, Interval, c};
use mapwright_mlir::Op;

/// The operand's element `number / step`, if that is a whole number, and the padding value
/// elsewhere.
fn spread(
    query: &mut IndexQuery<'_, '_>,
    index: &[Index],
    low: &[Index],
    interior: &[Index],
) -> Found<Reads> {
    let mut at = Vec::with_capacity(index.len());
    for (k, i) in index.iter().enumerate() {
        let number = query.sub(*i, low[k])?;
        let step = query.add(interior[k], Index::Known(1))?;
        at.push(Place { number, step });
    }
    Ok(Reads {
        pieces: vec![Read { operand: 0, at }],
        elsewhere: Some(Read::new(1, Vec::new())),
    })
}

/// `pad`.
pub(crate) fn padded(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let pad = Pad::decode(query.op, index.len())?;
    let known =
        |amounts: Vec<i64>| -> Vec<Index> { amounts.into_iter().map(Index::Known).collect() };
    spread(query, index, &known(pad.low), &known(pad.interior))
}

/// `dynamic_pad`: amounts are operands. A value of the padding in front beyond the interval here
/// leaves nothing of the operand, and so do its ends.
pub(crate) fn dynamically_padded(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    if query.op.num_operands() != 5 {
        return Err("dynamic_pad has five operands".into());
    }
    let inp = query.bounds(Tensor::Operand(0))?;
    let out = query.bounds(Tensor::Result)?;
    let (mut low, mut interior) = (Vec::new(), Vec::new());
    for (k, (inp, out)) in inp.into_iter().zip(out).enumerate() {
        let gap = amount(query, 4, k, Interval::new(0, i64::MAX))?;
        let step = gap.known().unwrap_or(0).saturating_add(1);
        let last = inp.saturating_sub(1).max(0).saturating_mul(step);
        let within = Interval::new((-last).saturating_sub(1), out);
        low.push(amount(query, 2, k, within)?);
        interior.push(gap);
    }
    spread(query, index, &low, &interior)
}

/// Element `k` of operand `operand`, a constant where it is one.
fn amount(
    query: &mut IndexQuery<'_, '_>,
    operand: usize,
    k: usize,
    within: Interval,
) -> Found<Index> {
    match constant(query.op, operand, k, &over(&[], vec![])) {
        Some(n) => Ok(Index::Known(n)),
        None => query.element(operand, &[Index::Known(k as i64)], within),
    }
}

fn constant(op: Op<'_>, operand: usize, k: usize, map: &IndexingMap) -> Option<i64> {
    fold::value(op.operand(operand), &[c(k as i64)], map).and_then(|value| value.as_constant())
}

/// Checks that all sizes and the padding between elements are known, as is needed where the padding
/// in front is known at run time only.
fn check_static_padding(q: &Query<'_>, result: usize) -> Result<(), String> {
    let inp = q.static_operand(0)?;
    q.static_result(result)?;
    let map = over(&[], vec![]);
    if (0..inp.len()).all(|k| constant(q.op, 4, k, &map).is_some_and(|gap| gap >= 0)) {
        Ok(())
    } else {
        Err("the padding between elements is known at run time only".into())
    }
}

/// Tells whether the padding in front is an operand that is no constant.
fn is_run_time(q: &Query<'_>) -> Result<bool, String> {
    let rank = q.operand(0)?.rank();
    let map = over(&[], vec![]);
    Ok(q.op.short_name() == "dynamic_pad"
        && q.num_operands() == 5
        && (0..rank).any(|k| constant(q.op, 2, k, &map).is_none()))
}

fn rule(q: &Query<'_>) -> IndexRule {
    match q.op.short_name() {
        "pad" => padded,
        _ => dynamically_padded,
    }
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 1 {
        return Ok(vec![everything(&out, &q.operand_sizes(operand)?)]);
    }
    if is_run_time(q)? {
        check_static_padding(q, result)?;
        if operand == 1 {
            return Ok(vec![over(&out, vec![]).with_exact(false)]);
        }
    }
    if q.operand(0)?.rank() != out.len() {
        return Err("operand and result have different ranks".into());
    }
    index_rule::maps(q, result, operand, &rule(q))
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 1 {
        return Ok(vec![everything(&q.operand_sizes(operand)?, &out)]);
    }
    if is_run_time(q)? {
        check_static_padding(q, result)?;
        if operand == 1 {
            return Ok(vec![everything(&[], &out).with_exact(false)]);
        }
    }
    if q.operand(0)?.rank() != out.len() {
        return Err("operand and result have different ranks".into());
    }
    index_rule::inverses(q, operand, result, &rule(q))
}
