//! Operations that only move elements, or look them up.

use super::anything;
use crate::attrs;
use crate::query::{Query, everything, identity, nothing, over};
use crate::shape::reshape;
use mapwright_indexing::{Expr, IndexingMap, Interval, RuntimeVariable, c, d};
use mapwright_mlir::ValueType;

/// The maps from a result to an operand, if the operation is one of these.
pub(super) fn output_to_input(
    q: &Query<'_>,
    result: usize,
    operand: usize,
) -> Result<Option<Vec<IndexingMap>>, String> {
    let out = q.result_sizes(result)?;
    let inp = q.operand_sizes(operand)?;
    let rank = out.len();
    let dim = || -> Result<usize, String> {
        let d = attrs::int(q.op, "dim")?;
        usize::try_from(d).map_err(|_| format!("'dim' is {d}"))
    };
    let whole = || everything(&out, &inp);
    let own = |list: Vec<Expr>| Ok(Some(vec![over(&out, list)]));
    // The dimensions of the result with one taken to another place.
    let moved = |from: usize, to: usize| {
        let mut list: Vec<Expr> = (0..rank).map(d).collect();
        let expr = list.remove(from);
        list.insert(to.min(list.len()), expr);
        list
    };
    match q.op.short_name() {
        // They look at sizes and lengths, not at elements.
        "size" | "length" | "ndims" => Ok(Some(nothing(&out, &inp))),
        "numel" => Ok(Some(vec![whole()])),
        "add" => {
            let first = q.operand_sizes(0)?[0];
            Ok(Some(vec![part(
                &out,
                &inp,
                if operand == 0 { 0 } else { first },
                0,
            )]))
        }
        "insert" | "del" | "replace" => {
            let pos = attrs::int(q.op, "pos")?;
            let name = q.op.short_name();
            if operand == 1 {
                let map = over(&out, vec![]).with_constraint(d(0), Interval::point(pos));
                return Ok(Some(vec![map]));
            }
            // Sizes in front of the position stay, those behind it move.
            let behind = if name == "insert" { pos } else { pos + 1 };
            let shift = match name {
                "insert" => -1,
                "del" => 1,
                _ => 0,
            };
            let before = over(&out, vec![d(0)]).with_constraint(d(0), Interval::new(0, pos - 1));
            let after = over(&out, vec![d(0) + shift])
                .with_constraint(d(0) + shift, Interval::new(behind, inp[0] - 1));
            Ok(Some(vec![before, after]))
        }
        "cartesian_product" => {
            let mut stride = 1;
            for k in 0..operand {
                stride *= q.operand_sizes(k)?[0].max(1);
            }
            let index = d(0).floor_div(stride).modulo(inp[0].max(1));
            let column = Interval::point(operand as i64);
            Ok(Some(vec![
                over(&out, vec![index]).with_constraint(d(1), column),
            ]))
        }
        "meshgrid" if result != operand => Ok(Some(nothing(&out, &inp))),
        "meshgrid" => {
            let place = match (attrs::is_xy(q.op) && rank > 1, operand) {
                (true, 0) => 1,
                (true, 1) => 0,
                _ => operand,
            };
            own(vec![d(place)])
        }
        "slices" => own(moved(0, dim()?)),
        "chunks" => {
            let (k, n) = (dim()?, attrs::int(q.op, "n")?.max(1));
            let mut list: Vec<Expr> = (1..rank).map(d).collect();
            list[k] = list[k].clone() + d(0) * (inp[k] / n);
            own(list)
        }
        // The padding is read where nothing is there, which the length decides.
        "stack" | "concatenate" if operand == 1 => Ok(Some(vec![whole().with_exact(false)])),
        "stack" => own(moved(dim()?, 0)),
        "concatenate" => {
            let k = dim()?;
            let size = inp[k + 1].max(1);
            let mut list: Vec<Expr> = (0..rank).map(d).collect();
            list[k] = d(k).modulo(size);
            list.insert(0, d(k).floor_div(size));
            own(list)
        }
        "zip" if result != operand => Ok(Some(nothing(&out, &inp))),
        "zip" => Ok(Some(vec![identity(&out)])),
        "squeeze" => {
            let mut list: Vec<Expr> = (0..rank).map(d).collect();
            list.insert(dim()?, c(0));
            own(list)
        }
        "unsqueeze" => {
            let mut list: Vec<Expr> = (0..rank).map(d).collect();
            list.remove(dim()?);
            own(list)
        }
        "reshape" => {
            let ends = (q.op.result_type(result), q.op.operand_type(operand));
            match (ends.0.tensor(), ends.1.tensor()) {
                (Some(own), Some(read)) => Ok(Some(reshape::between(own, read)?)),
                _ => own(reshape::index(&out, &inp)?),
            }
        }
        "transpose" => {
            let permutation = attrs::ints(q.op, "permutation")?;
            let mut list = vec![c(0); rank];
            for (i, k) in permutation.iter().enumerate() {
                list[*k as usize] = d(i);
            }
            own(list)
        }
        "slice" if operand == 1 => Ok(Some(vec![whole()])),
        "slice" => {
            let k = dim()?;
            let mut map = over(&out, vec![]);
            let mut list: Vec<Expr> = (0..rank).map(d).collect();
            if rank < inp.len() {
                list.insert(k, c(0));
            }
            list[k] = match q.op.ints("range").as_deref() {
                Some([start, stride, _]) => list[k].clone() * *stride + *start,
                _ => looked_up(q, &mut map, 1, vec![], inp[k]),
            };
            map.set_results(list);
            Ok(Some(vec![map]))
        }
        "index" if operand == 1 => Ok(Some(vec![whole()])),
        "index" => {
            let steps = q.operand_sizes(1)?[0];
            let mut map = over(&out, vec![]);
            let mut list: Vec<Expr> = (0..steps)
                .map(|k| looked_up(q, &mut map, 1, vec![c(k)], inp[k as usize]))
                .collect();
            // Of an array the last element is read beyond its end, and how long it is, is known at
            // run time.
            for k in 0..super::levels(q.op.operand(0)).len().min(list.len()) {
                list[k] = nearest(q, &mut map, &list, k);
            }
            list.extend((0..rank).map(d));
            map.set_results(list);
            Ok(Some(vec![map]))
        }
        // Of an array of indices its levels come first.
        "embedding" if operand == 0 => own((0..inp.len()).map(d).collect()),
        "embedding" => {
            let k = dim()?;
            let mut map = over(&out, vec![]);
            let front = rank + 1 - inp.len();
            let index = looked_up(q, &mut map, 0, (0..front).map(d).collect(), inp[k]);
            let mut list: Vec<Expr> = (front..rank).map(d).collect();
            list.insert(k, index);
            map.set_results(list);
            Ok(Some(vec![map]))
        }
        "gather" => gather(q, &out, &inp, operand).map(Some),
        "from_offsets" if operand > 0 => Ok(Some(vec![anything(q, result, operand)?])),
        "from_offsets" => {
            let max = attrs::ints(q.op, "max")?;
            let mut map = over(&out, vec![]);
            // Where the lists of each level begin in the next, from the outermost.
            let mut at = d(0);
            for level in 1..max.len() {
                let begins = looked_up(q, &mut map, level + 1, vec![at.clone()], inp[0] + 1);
                at = begins + d(level);
            }
            map.set_results([at].into_iter().chain((max.len()..rank).map(d)).collect());
            Ok(Some(vec![map]))
        }
        "to_offsets" if result > 0 => Ok(Some(nothing(&out, &inp))),
        "to_offsets" => {
            if inp.len() == rank {
                Ok(Some(vec![identity(&out)]))
            } else {
                Err("which list a leaf of the buffer is in is known at run time only".into())
            }
        }
        _ => Ok(None),
    }
}

/// A part of the result that is the operand from `first` on.
fn part(out: &[i64], inp: &[i64], first: i64, k: usize) -> IndexingMap {
    over(out, vec![d(k) - first]).with_constraint(d(k) - first, Interval::of_size(inp[k]))
}

/// Element `index` of operand `i`, brought into the indices of a dimension of `size`.
fn looked_up(q: &Query<'_>, map: &mut IndexingMap, i: usize, index: Vec<Expr>, size: i64) -> Expr {
    let clamp = Interval::new(0, (size - 1).max(0));
    if let Some(known) = q
        .known(i, &index, map)
        .and_then(|value| value.as_constant())
    {
        return c(known.clamp(clamp.lower, clamp.upper));
    }
    let variable: RuntimeVariable = q.element(i, clamp, index, map);
    map.push_runtime(variable)
}

/// Number `k` of an index into the array that is operand 0, or that of the last element of its
/// list.
fn nearest(q: &Query<'_>, map: &mut IndexingMap, index: &[Expr], k: usize) -> Expr {
    let max = super::levels(q.op.operand(0))[k];
    let length = super::length(map, q.op.operand(0), &index[..k], max);
    index[k].clone().min(length - 1)
}

fn gather(
    q: &Query<'_>,
    out: &[i64],
    inp: &[i64],
    operand: usize,
) -> Result<Vec<IndexingMap>, String> {
    let of_array = matches!(q.op.operand_type(0), ValueType::Array { .. });
    let at = q.operand_sizes(1)?;
    let steps = at.get(1).copied();
    let k = if of_array || steps.is_some() {
        0
    } else {
        usize::try_from(attrs::int(q.op, "dim")?).map_err(|_| "'dim' is negative")?
    };
    let pools = attrs::pool(q.op)?.is_some();
    let n = at[0];
    let mut map = over(out, vec![]);
    // The number of the index: a dimension of the result, or one that is gone through.
    let number = if pools {
        map.set_ranges(crate::query::variables(&[n]));
        mapwright_indexing::s(0)
    } else {
        d(k)
    };
    if operand == 1 {
        map.set_results(vec![number]);
        if let Some(steps) = steps {
            let step = map.push_range(crate::query::variable(steps));
            map.push_result(step);
        }
        return Ok(vec![map]);
    }
    let mut list: Vec<Expr> = (0..out.len()).map(d).collect();
    if !pools {
        list.remove(k);
    }
    if let Some(steps) = steps {
        let steps = (0..steps).zip(inp);
        let index: Vec<Expr> = steps
            .map(|(j, size)| looked_up(q, &mut map, 1, vec![number.clone(), c(j)], *size))
            .collect();
        map.set_results([index, list].concat());
        return Ok(vec![map]);
    }
    let index = looked_up(q, &mut map, 1, vec![number], inp[k]);
    list.insert(k, index);
    if of_array {
        list[0] = nearest(q, &mut map, &list, 0);
    }
    map.set_results(list);
    Ok(vec![map])
}
