//! Maps of `concatenate`: every operand is a box of the result, behind the operands before it.

use crate::attrs;
use crate::query::{Pieces, Query, UNBOUNDED, over};
use mapwright_indexing::{Interval, d};

/// The dimension, and where the operand begins in it.
fn offset(q: &Query<'_>, operand: usize) -> Result<(usize, i64), String> {
    let axis = attrs::axis("dimension", attrs::int(q.op, "dimension")?, q.operand(operand)?.rank())?;
    let mut offset = 0i64;
    for i in 0..operand {
        let dim = q.operand(i)?.dims.get(axis).copied();
        let size = dim
            .and_then(|dim| dim.fixed())
            .ok_or_else(|| format!("operand {i} comes before, and its size in dimension {axis} is known at run time only"))?;
        offset = offset.checked_add(size).ok_or("a size beyond 64 bits")?;
    }
    Ok((axis, offset))
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let (axis, offset) = offset(q, operand)?;
    let inp = q.operand_sizes(operand)?;
    if q.result(result)?.rank() != inp.len() {
        return Err("operand and result have different ranks".into());
    }
    let index = (0..inp.len())
        .map(|k| if k == axis { d(k) - offset } else { d(k) })
        .collect();
    let mut map = over(&inp, index);
    map.dims[axis].interval = match inp[axis] {
        0 => Interval::EMPTY,
        UNBOUNDED => Interval::new(offset, i64::MAX),
        n => Interval::new(offset, offset + n - 1),
    };
    Ok(vec![map])
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let (axis, offset) = offset(q, operand)?;
    let inp = q.operand_sizes(operand)?;
    if q.result(result)?.rank() != inp.len() {
        return Err("operand and result have different ranks".into());
    }
    let index = (0..inp.len())
        .map(|k| if k == axis { d(k) + offset } else { d(k) })
        .collect();
    Ok(vec![over(&inp, index)])
}
