//! Maps of `pad`: operand element `i` is at `low + i * (interior + 1)`; all other elements are the padding value.
//!
//! The padding value is read only where no element of the operand is: before the first, behind the last, between two of them.

use crate::attrs::Pad;
use crate::fold;
use crate::query::{Pieces, Query, UNBOUNDED, everything, nothing, over, variable};
use mapwright_indexing::{Expr, IndexingMap, Interval, c, d, s};
use mapwright_mlir::Op;

/// Reads the padding, for the dynamic form from constant operands.
fn padding(q: &Query<'_>) -> Result<Pad, String> {
    let rank = q.operand(0)?.rank();
    if q.op.short_name() == "pad" {
        return Ok(Pad::decode(q.op, rank)?);
    }
    let constants = |operand: usize| -> Result<Vec<i64>, String> {
        let map = over(&[], vec![]);
        (0..rank)
            .map(|k| {
                constant(q.op, operand, k, &map).ok_or_else(|| {
                    format!("the padding in operand {operand} is known at run time only")
                })
            })
            .collect()
    };
    if q.num_operands() != 5 {
        return Err("dynamic_pad has five operands".into());
    }
    let pad = Pad {
        low: constants(2)?,
        high: constants(3)?,
        interior: constants(4)?,
    };
    if pad.interior.iter().any(|n| *n < 0) {
        return Err("a negative interior padding".into());
    }
    Ok(pad)
}

fn constant(op: Op<'_>, operand: usize, k: usize, map: &IndexingMap) -> Option<i64> {
    fold::value(op.operand(operand), &[c(k as i64)], map).and_then(|value| value.as_constant())
}

fn is_static(q: &Query<'_>) -> Result<bool, String> {
    Ok(q.operand(0)?.dims.iter().all(|dim| dim.fixed().is_some()))
}

/// The places of the operand's elements along dimension `k` of the result.
fn span(pad: &Pad, k: usize, size: i64) -> Interval {
    let last = match size {
        0 => return Interval::EMPTY,
        UNBOUNDED => i64::MAX,
        n => (n - 1)
            .saturating_mul(pad.interior[k] + 1)
            .saturating_add(pad.low[k]),
    };
    Interval::new(pad.low[k], last)
}

/// The result's index space without the operand's elements, as disjoint pieces; `index(k)` is the result's index in
/// dimension `k`.
fn elsewhere(
    pad: &Pad,
    inp: &[i64],
    whole: &IndexingMap,
    index: impl Fn(usize) -> Expr,
) -> Vec<IndexingMap> {
    let mut pieces = Vec::new();
    let mut inside = whole.clone();
    for (k, size) in inp.iter().enumerate() {
        let at = span(pad, k, *size);
        if at.is_empty() {
            pieces.push(inside);
            return pieces;
        }
        pieces.push(
            inside
                .clone()
                .with_constraint(index(k), Interval::new(i64::MIN, at.lower - 1)),
        );
        if at.upper < i64::MAX {
            pieces.push(
                inside
                    .clone()
                    .with_constraint(index(k), Interval::new(at.upper + 1, i64::MAX)),
            );
        }
        inside = inside.with_constraint(index(k), at);
        let step = pad.interior[k] + 1;
        if step > 1 {
            let phase = (index(k) - pad.low[k]).modulo(step);
            pieces.push(
                inside
                    .clone()
                    .with_constraint(phase.clone(), Interval::new(1, step - 1)),
            );
            inside = inside.with_constraint(phase, Interval::point(0));
        }
    }
    pieces
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 1 {
        return Ok(vec![everything(&out, &q.operand_sizes(operand)?)]);
    }
    let pad = padding(q)?;
    let inp = q.operand_sizes(0)?;
    if inp.len() != out.len() {
        return Err("operand and result have different ranks".into());
    }
    if operand == 1 {
        let whole = over(&out, vec![]);
        if inp.is_empty() {
            return Ok(nothing(&out, &[]));
        }
        if !is_static(q)? {
            // Where the operand ends is known at run time only.
            return Ok(vec![whole.with_exact(false)]);
        }
        return Ok(elsewhere(&pad, &inp, &whole, d));
    }
    let mut map = over(&out, vec![]);
    for k in 0..inp.len() {
        let step = pad.interior[k] + 1;
        map.dims[k].interval = map.dims[k].interval.intersect(span(&pad, k, inp[k]));
        let offset = d(k) - pad.low[k];
        if step > 1 {
            map = map.with_constraint(offset.clone().modulo(step), Interval::point(0));
        }
        map.results.push(offset.floor_div(step));
    }
    Ok(vec![map])
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 1 {
        return Ok(vec![everything(&q.operand_sizes(operand)?, &out)]);
    }
    let pad = padding(q)?;
    let inp = q.operand_sizes(0)?;
    if inp.len() != out.len() {
        return Err("operand and result have different ranks".into());
    }
    if operand == 1 {
        if inp.is_empty() {
            return Ok(nothing(&[], &out));
        }
        let whole = everything(&[], &out);
        if !is_static(q)? {
            return Ok(vec![whole.with_exact(false)]);
        }
        return Ok(elsewhere(&pad, &inp, &whole, s));
    }
    let mut map = over(&inp, vec![]);
    for k in 0..inp.len() {
        let at = d(k) * (pad.interior[k] + 1) + pad.low[k];
        map = map.with_constraint(at.clone(), variable(out[k]).interval);
        map.results.push(at);
    }
    Ok(vec![map])
}
