//! Maps of `pad`: operand element `i` is at `low + i * (interior + 1)`; all other elements are the padding value.
//!
//! The padding value is read only where no element of the operand is: before the first, behind the last, between two of them.

use crate::attrs::Pad;
use crate::fold;
use crate::query::{Pieces, Query, UNBOUNDED, everything, nothing, over, variable};
use mapwright_indexing::{Expr, IndexingMap, Interval, c, d, rt, s};
use mapwright_mlir::Op;

/// Reads the padding, for the dynamic form from constant operands. How much there is at the end follows from the sizes.
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
        high: Vec::new(),
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

/// A `dynamic_pad` whose padding in front is known at run time only: runtime variables. Values beyond the interval to which they are
/// clamped here leave nothing of the operand, and so do its ends.
struct RunTime {
    step: Vec<i64>,
    inp: Vec<i64>,
    out: Vec<i64>,
}

impl RunTime {
    fn new(q: &Query<'_>, result: usize) -> Result<Self, String> {
        let (inp, out) = (q.static_operand(0)?, q.static_result(result)?);
        if q.num_operands() != 5 || inp.len() != out.len() {
            return Err("dynamic_pad has five operands, and keeps the rank".into());
        }
        let map = over(&[], vec![]);
        let step = (0..inp.len())
            .map(|k| {
                constant(q.op, 4, k, &map)
                    .filter(|gap| *gap >= 0)
                    .and_then(|gap| gap.checked_add(1))
                    .ok_or("the padding between elements is known at run time only")
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { step, inp, out })
    }

    /// The padding in front of dimension `k`, for a map.
    fn low(&self, q: &Query<'_>, k: usize, map: &mut IndexingMap) -> Expr {
        if let Some(low) = constant(q.op, 2, k, &over(&[], vec![])) {
            return c(low);
        }
        let last = (self.inp[k] - 1).max(0).saturating_mul(self.step[k]);
        let clamp = Interval::new((-last).saturating_sub(1), self.out[k]);
        let index = vec![c(k as i64)];
        map.runtime.push(q.element(2, clamp, index, map));
        rt(map.runtime.len() - 1)
    }

    fn output_to_input(&self, q: &Query<'_>, operand: usize) -> IndexingMap {
        let mut map = over(&self.out, vec![]);
        if operand == 1 {
            return map.with_exact(false);
        }
        for k in 0..self.inp.len() {
            let offset = d(k) - self.low(q, k, &mut map);
            let step = self.step[k];
            let span = Interval::new(0, (self.inp[k] - 1).saturating_mul(step));
            map = map.with_constraint(offset.clone(), span);
            if step > 1 {
                map = map.with_constraint(offset.clone().modulo(step), Interval::point(0));
            }
            map.results.push(offset.floor_div(step));
        }
        map
    }

    fn input_to_output(&self, q: &Query<'_>, operand: usize) -> IndexingMap {
        if operand == 1 {
            return everything(&[], &self.out).with_exact(false);
        }
        let mut map = over(&self.inp, vec![]);
        for k in 0..self.inp.len() {
            let at = d(k) * self.step[k] + self.low(q, k, &mut map);
            map = map.with_constraint(at.clone(), variable(self.out[k]).interval);
            map.results.push(at);
        }
        map
    }
}

/// Is the padding in front an operand that is no constant?
fn is_run_time(q: &Query<'_>) -> Result<bool, String> {
    let rank = q.operand(0)?.rank();
    let map = over(&[], vec![]);
    Ok(q.op.short_name() == "dynamic_pad"
        && q.num_operands() == 5
        && (0..rank).any(|k| constant(q.op, 2, k, &map).is_none()))
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let out = q.result_sizes(result)?;
    if operand > 1 {
        return Ok(vec![everything(&out, &q.operand_sizes(operand)?)]);
    }
    if is_run_time(q)? {
        return Ok(vec![RunTime::new(q, result)?.output_to_input(q, operand)]);
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
    if is_run_time(q)? {
        return Ok(vec![RunTime::new(q, result)?.input_to_output(q, operand)]);
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
