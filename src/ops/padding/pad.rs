//! Maps of `pad`: operand element `i` is at `low + i * (interior + 1)`; all other elements are the padding value.
//!
//! The padding value is read only where no element of the operand is: before the first, behind the last, between two of them.

use crate::attrs::Pad;
use crate::fold;
use crate::index_rule::{self, Found, Index, IndexQuery, IndexRule, Place, Read, Reads, Tensor};
use crate::query::{Pieces, Query, everything, nothing, over, variable};
use mapwright_indexing::{Expr, IndexingMap, Interval, c, d, rt, s};
use mapwright_mlir::Op;

/// The operand's element `number / step`, if that is a whole number, and the padding value elsewhere.
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

/// `dynamic_pad`: amounts are operands. A value of the padding in front beyond the interval here leaves nothing of the operand, and so do its ends.
pub(crate) fn dynamically_padded(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
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
        RunTime::new(q, result)?;
        if operand == 1 {
            return Ok(vec![over(&out, vec![]).with_exact(false)]);
        }
    }
    if q.operand(0)?.rank() != out.len() {
        return Err("operand and result have different ranks".into());
    }
    index_rule::maps(q, result, operand, rule(q))
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
        let index = (0..out.len()).map(s).collect();
        let found = index_rule::from(q, result, 1, rule(q), everything(&[], &out), index)?;
        return match found.is_empty() {
            true => Ok(nothing(&[], &out)),
            false => Ok(found),
        };
    }
    let mut map = over(&inp, vec![]);
    for k in 0..inp.len() {
        let at = d(k) * (pad.interior[k] + 1) + pad.low[k];
        map = map.with_constraint(at.clone(), variable(out[k]).interval);
        map.results.push(at);
    }
    Ok(vec![map])
}
