//! Maps of `slice`: `operand = start + result * stride`.

use crate::attrs::Slice;
use crate::index_rule::{self, Found, Index, IndexQuery, Reads};
use crate::query::{Pieces, Query, UNBOUNDED};
use mapwright_indexing::{IndexingMap, Interval, Variable, d};

/// `slice`.
pub(crate) fn sliced(query: &mut IndexQuery<'_, '_>, index: &[Index]) -> Found<Reads> {
    let slice = Slice::decode(query.op, index.len())?;
    let mut at = Vec::with_capacity(index.len());
    for (k, i) in index.iter().enumerate() {
        let step = query.mul(*i, Index::Known(slice.stride[k]))?;
        at.push(query.add(step, Index::Known(slice.start[k]))?);
    }
    Ok(Reads::one(0, at))
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    index_rule::maps(q, result, operand, sliced)
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let slice = Slice::decode(q.op, q.operand(operand)?.rank())?;
    let out = q.result_sizes(result)?;
    if out.len() != slice.start.len() {
        return Err("operand and result have different ranks".into());
    }
    let mut map = IndexingMap::new(vec![], vec![]);
    for k in 0..out.len() {
        let (start, stride) = (slice.start[k], slice.stride[k]);
        let interval = match out[k] {
            0 => Interval::EMPTY,
            UNBOUNDED => Interval::new(start, i64::MAX),
            n => Interval::new(start, start.saturating_add((n - 1).saturating_mul(stride))),
        };
        map.dims.push(Variable::new(interval));
        map.results.push((d(k) - start).floor_div(stride));
        if stride != 1 {
            map = map.with_constraint((d(k) - start).modulo(stride), Interval::point(0));
        }
    }
    Ok(vec![map])
}
