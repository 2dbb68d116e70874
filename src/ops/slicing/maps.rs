//! Maps of `slice`: `operand = start + result * stride`.

use crate::attrs::Slice;
use crate::query::{Pieces, Query, UNBOUNDED, over};
use mapwright_indexing::{IndexingMap, Interval, Variable, d};

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let slice = Slice::decode(q.op, q.operand(operand)?.rank())?;
    let out = q.result_sizes(result)?;
    if out.len() != slice.start.len() {
        return Err("operand and result have different ranks".into());
    }
    let index = (0..out.len())
        .map(|k| d(k) * slice.stride[k] + slice.start[k])
        .collect();
    Ok(vec![over(&out, index)])
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
