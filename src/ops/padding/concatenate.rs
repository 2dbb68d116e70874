//! Maps of `concatenate`: every operand is a box of the result, behind the operands before it.

use crate::attrs;
use crate::query::{Pieces, Query, UNBOUNDED, over, variable};
use mapwright_indexing::{Expr, IndexingMap, Interval, c, d};

/// The dimension, and where the operand begins in it: behind the operands before, whose sizes may be known at run time only.
fn offset(q: &Query<'_>, operand: usize, map: &mut IndexingMap) -> Result<(usize, Expr), String> {
    let name = match q.op.name() {
        "tensor.concat" => "dim",
        _ => "dimension",
    };
    let axis = attrs::axis(name, attrs::int(q.op, name)?, q.operand(operand)?.rank())?;
    let mut offset = c(0);
    for i in 0..operand {
        let dim = q
            .operand(i)?
            .dims
            .get(axis)
            .copied()
            .ok_or("the operands have different ranks")?;
        offset = offset + q.size_of_operand(map, i, axis, dim);
    }
    Ok((axis, offset))
}

fn same_rank(q: &Query<'_>, result: usize, operand: usize) -> Result<(), String> {
    if q.result(result)?.rank() == q.operand(operand)?.rank() {
        return Ok(());
    }
    Err("operand and result have different ranks".into())
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    same_rank(q, result, operand)?;
    let (inp, out) = (q.operand_sizes(operand)?, q.result_sizes(result)?);
    let mut map = over(&inp, vec![]);
    let (axis, offset) = offset(q, operand, &mut map)?;
    map.results = (0..inp.len())
        .map(|k| {
            if k == axis {
                d(k) - offset.clone()
            } else {
                d(k)
            }
        })
        .collect();
    match offset.as_constant() {
        Some(offset) => {
            map.dims[axis].interval = match inp[axis] {
                0 => Interval::EMPTY,
                UNBOUNDED => Interval::new(offset, i64::MAX),
                n => Interval::new(offset, offset.saturating_add(n - 1)),
            };
            Ok(vec![map])
        }
        None => {
            map.dims[axis] = variable(out[axis]);
            let at = map.results[axis].clone();
            Ok(vec![map.with_constraint(at, variable(inp[axis]).interval)])
        }
    }
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    same_rank(q, result, operand)?;
    let inp = q.operand_sizes(operand)?;
    let mut map = over(&inp, vec![]);
    let (axis, offset) = offset(q, operand, &mut map)?;
    map.results = (0..inp.len())
        .map(|k| {
            if k == axis {
                d(k) + offset.clone()
            } else {
                d(k)
            }
        })
        .collect();
    Ok(vec![map])
}
