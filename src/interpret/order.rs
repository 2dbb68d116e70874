//! `sort` (always stable), `top_k`, and `scatter`, whose updates are folded in one after another.

use crate::{
    Error, Machine, Result, gather, reduce,
    value::{Scalar, Tensor, indices},
};
use mapwright_mlir::{ElementType, Op};
use mapwright_ops::attrs;

/// The results of `op`, if it is of this family.
pub(crate) fn execute<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    name: &str,
    inputs: &[Tensor],
) -> Result<Option<Vec<Tensor>>> {
    match name {
        "sort" => sort(machine, op, inputs).map(Some),
        "scatter" => gather::scatter(machine, op, inputs).map(Some),
        "top_k" | "topk" => {
            let largest = attrs::flag(op, "largest", true)?;
            top_k(&inputs[0], attrs::int(op, "k")?, largest).map(Some)
        }
        "dynamic_top_k" => {
            let k = i64::try_from(inputs[1].only()?.int()?).unwrap_or(-1);
            top_k(&inputs[0], k, true).map(Some)
        }
        _ => Ok(None),
    }
}

fn sort<'c>(machine: &mut Machine<'c>, op: Op<'c>, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let first = &inputs[0];
    let mut found = inputs.to_vec();
    if first.rank() == 0 {
        return Ok(found);
    }
    let dimension = attrs::int_or(op, "dimension", -1)?;
    let axis = attrs::axis(
        "dimension",
        dimension
            + if dimension < 0 {
                first.rank() as i64
            } else {
                0
            },
        first.rank(),
    )?;
    let mut outer = first.shape.clone();
    outer[axis] = outer[axis].min(1);
    for row in indices(&outer) {
        let at = |k: i64| {
            let mut i = row.clone();
            i[axis] = k;
            i
        };
        // Insertion: behind everything that it does not have to be in front of.
        let mut order: Vec<i64> = Vec::new();
        for k in 0..first.shape[axis] {
            let mut place = order.len();
            while place > 0 {
                let mut pair = Vec::new();
                for t in inputs {
                    pair.push(Tensor::scalar(&t.element, t.at(&at(k))?));
                    pair.push(Tensor::scalar(&t.element, t.at(&at(order[place - 1]))?));
                }
                if !reduce::region(machine, op, 0, &pair)?[0].only()?.truth()? {
                    break;
                }
                place -= 1;
            }
            order.insert(place, k);
        }
        for (t, input) in found.iter_mut().zip(inputs) {
            for (k, from) in order.iter().enumerate() {
                if let Some(to) = t.position(&at(k as i64)) {
                    t.data[to] = input.at(&at(*from))?;
                }
            }
        }
    }
    Ok(found)
}

/// The `k` greatest of every row (or smallest, in MHLO's form), the first of equal ones first, and
/// where they are.
fn top_k(x: &Tensor, k: i64, largest: bool) -> Result<Vec<Tensor>> {
    let Some(axis) = x.rank().checked_sub(1) else {
        return Err(Error::plain("top_k of a scalar"));
    };
    if !(0..=x.shape[axis]).contains(&k) {
        return Err(Error::plain(format!(
            "finds {k} of {} elements",
            x.shape[axis]
        )));
    }
    let mut shape = x.shape.clone();
    shape[axis] = k;
    let row = |outer: &[i64]| -> Result<Vec<(Scalar, i64)>> {
        let mut row = Vec::new();
        for i in 0..x.shape[axis] {
            let mut at = outer.to_vec();
            at[axis] = i;
            row.push((x.at(&at)?, i));
        }
        row.sort_by(|(a, _), (b, _)| {
            let order = match (a, b) {
                (Scalar::Real(a), Scalar::Real(b)) => b.total_cmp(a),
                (Scalar::Bool(a), Scalar::Bool(b)) => b.cmp(a),
                (a, b) => b.int().unwrap_or(0).cmp(&a.int().unwrap_or(0)),
            };
            if largest { order } else { order.reverse() }
        });
        Ok(row)
    };
    let values = Tensor::build(&x.element, &shape, |i| Ok(row(i)?[i[axis] as usize].0))?;
    let places = Tensor::build(&ElementType::int(32), &shape, |i| {
        Ok(Scalar::Int(row(i)?[i[axis] as usize].1.into()))
    })?;
    Ok(vec![values, places])
}
