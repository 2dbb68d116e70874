//! Loops whose iterations know nothing of each other: their maps are those of their bodies, for
//! each element.
//!
//! An element of a result is what the body gives for the element of the operands at the same place.
//! What the body makes it of is composed inside of it; the place stands before the indices that are
//! found there. A value from outside is read by every iteration.

use super::{in_iteration, taken::Taken, there};
use crate::attrs;
use crate::compose::{Composer, MapSet, Reached, inverse};
use crate::control::reads::{Reads, entry, or_nothing, outside, yields};
use crate::control::scope::{Scope, Seen};
use crate::query::{Query, over};
use mapwright_indexing::{Expr, IndexingMap, c, d};
use mapwright_mlir::{Blk, Op, Val, ValueType, melior::ir::ValueLike, op};

/// A loop, taken apart.
struct Loop<'c> {
    body: Blk<'c>,
    /// For each operand, whether the loop goes through it.
    gone_through: Vec<bool>,
    /// Operands are arrays, and not tensors whose scalars the body takes.
    of_array: bool,
    /// Number of dimensions of tensors that the function of `vectorize` is given one by one.
    front: usize,
}

/// Tells whether this is one of these loops, and no iteration changes a value that others share.
pub(crate) fn is_each(op: Op<'_>) -> bool {
    match op.name() {
        "tarray.parallel_foreach" => gone_through(op) == op.num_operands(),
        "tarray.broadcast" => gone_through(op) == 1 && op.num_operands() == 2,
        "tarray.vectorize" => true,
        _ => false,
    }
}

fn gone_through(op: Op<'_>) -> usize {
    let segments = op.ints("operandSegmentSizes");
    let first = segments.and_then(|n| n.first().copied());
    first.and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
}

fn decode<'c>(composer: &Composer<'c>, q: &Query<'c>) -> Result<Loop<'c>, String> {
    let is_array = |k: usize| matches!(q.op.operand_type(k), ValueType::Array { .. });
    if q.op.short_name() != "vectorize" {
        let n = gone_through(q.op);
        return Ok(Loop {
            body: entry(q.op)?,
            gone_through: (0..q.num_operands()).map(|k| k < n).collect(),
            of_array: is_array(0),
            front: 0,
        });
    }
    let name = q.op.symbol("callee").ok_or("the callee is not named")?;
    let function = composer.functions.find(q.op, &name);
    let body = entry(function.ok_or_else(|| format!("there is no @{name}"))?)?;
    let mut each = Loop {
        body,
        gone_through: Vec::new(),
        of_array: false,
        front: 0,
    };
    for (k, argument) in op::arguments(body).into_iter().enumerate() {
        let parameter = ValueType::from_mlir(argument.r#type());
        let taken = Taken::from_types(&q.op.operand_type(k), &parameter);
        match taken.ok_or("the callee takes something else")? {
            Taken::Whole => {}
            Taken::Part(front) => each.front = front,
            Taken::Element | Taken::List => (each.front, each.of_array) = (1, true),
        }
        each.gone_through.push(taken != Some(Taken::Whole));
    }
    Ok(each)
}

/// The dimensions of `x` that those of the smaller operand of a `broadcast` of tensors are.
fn broadcast_dims(q: &Query<'_>, out: usize, inp: &[i64]) -> Result<Vec<Expr>, String> {
    let first = out - inp.len().min(out);
    let dims =
        attrs::ints_or_none(q.op, "dims")?.unwrap_or_else(|| (first as i64..out as i64).collect());
    let index = dims.iter().zip(inp).map(|(k, size)| match size {
        1 => c(0),
        _ => d(*k as usize),
    });
    Ok(index.collect())
}

/// All that result `result` reads.
pub(crate) fn output_to_input<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    result: usize,
) -> Result<Reads<'c>, String> {
    let each = decode(composer, q)?;
    let out = q.result_sizes(result)?;
    let value = *yields(each.body)
        .get(result)
        .ok_or("the body gives fewer values")?;
    let own = crate::compose::value_sizes(value)?.len();
    let front = match (q.op.short_name(), each.of_array) {
        ("vectorize", _) => each.front,
        (_, true) => 1,
        (_, false) => out.len(),
    };
    if front + own != out.len() {
        return Err("the body does not fit the result".into());
    }
    let place: Vec<Expr> = (0..front).map(d).collect();
    let taken = over(&out, (front..out.len()).map(d).collect());
    let reached = if outside(value, q.op) && q.op.num_regions() > 0 {
        Reached::only(value)
    } else {
        composer.guarded(each.body, |composer| composer.backward(value))?
    };
    let arguments = op::arguments(each.body);
    let labels = op::labels(&arguments);
    let scope = Scope::new(each.body);
    let at_result: Vec<Expr> = (0..out.len()).map(d).collect();
    let mut operands = vec![MapSet::default(); q.num_operands()];
    let mut captured = Vec::new();
    for (value, maps) in reached.iter() {
        let argument = arguments.iter().position(|a| op::key(*a) == op::key(value));
        if argument.is_none() && (q.op.num_regions() == 0 || !outside(value, q.op)) {
            continue;
        }
        let mut found = MapSet::default();
        for map in maps {
            if !map.is_known() {
                found.push(map.clone());
                continue;
            }
            let map = composer.chained(&taken, map);
            let map = in_iteration(map, &|label| {
                let k = labels.iter().position(|known| known == label)?;
                (each.gone_through[k] && each.of_array).then(|| q.op.operand(k))
            });
            for mut map in scope.lift(map, &|_, _, _| Seen::Any, &|_| None) {
                match argument {
                    Some(k) if each.gone_through[k] => {
                        map.edit(|m| drop(m.results.splice(0..0, place.iter().cloned())));
                    }
                    Some(k) if !each.of_array && q.op.num_regions() > 0 => {
                        map.set_results(broadcast_dims(q, out.len(), &q.operand_sizes(k)?)?);
                    }
                    _ => {}
                }
                let index = map.results().to_vec();
                let map = there(map, q.op.result(result), &at_result);
                let map = match argument {
                    Some(k) => there(map, q.op.operand(k), &index),
                    None => map,
                };
                found.push(map.simplify());
            }
        }
        match argument {
            Some(k) => {
                for map in found.into_maps() {
                    operands[k].push(map);
                }
            }
            None => captured.push((value, found.into_maps())),
        }
    }
    let operands = operands.into_iter().enumerate().map(|(k, set)| {
        let to = q.operand_sizes(k).unwrap_or_default();
        or_nothing(Some(&set.into_maps()), &out, &to)
    });
    Ok(Reads {
        operands: operands.collect(),
        captured,
    })
}

/// All results that operand `operand` goes into.
pub(crate) fn input_to_output<'c>(
    composer: &Composer<'c>,
    q: &Query<'c>,
    operand: usize,
) -> Result<Vec<Vec<IndexingMap>>, String> {
    let of = |result: usize| {
        let sizes = q.operand_sizes(operand)?;
        let reads = output_to_input(composer, q, result)?;
        let maps = reads
            .operands
            .get(operand)
            .map(Vec::as_slice)
            .unwrap_or_default();
        Ok(maps.iter().map(|map| inverse(map, &sizes)).collect())
    };
    (0..q.num_results()).map(of).collect()
}

/// The lists that say how long the list of `value` at an index is: as long as the shortest of them.
/// None where it is as long as it says itself.
pub(super) fn as_long_as<'c>(value: Val<'c>, index: &[Expr]) -> Vec<(Val<'c>, Vec<Expr>)> {
    let Some((made, r)) = op::defining_op(value) else {
        return Vec::new();
    };
    if made.name() == "tarray.zip" && made.num_operands() > r {
        return match index {
            [] => made
                .operands()
                .into_iter()
                .map(|list| (list, Vec::new()))
                .collect(),
            _ => vec![(made.operand(r), index.to_vec())],
        };
    }
    let keeps = matches!(
        made.name(),
        "tarray.parallel_foreach"
            | "tarray.broadcast"
            | "tarray.scan"
            | "tarray.foreach"
            | "tarray.sortby"
    );
    let lists = gone_through(made);
    if !keeps || lists == 0 || !matches!(made.operand_type(0), ValueType::Array { .. }) {
        return Vec::new();
    }
    match index.split_first() {
        None => (0..lists).map(|k| (made.operand(k), Vec::new())).collect(),
        Some((first, rest)) => inside(made, r, first, rest).into_iter().collect(),
    }
}

/// Returns the list that says how long a list inside of the element `first` of result `r` is, by
/// what the body gives.
fn inside<'c>(made: Op<'c>, r: usize, first: &Expr, rest: &[Expr]) -> Option<(Val<'c>, Vec<Expr>)> {
    if !is_each(made) {
        return None;
    }
    let body = made.body(0)?;
    let (mut inner, mut at) = (*yields(body).get(r)?, rest.to_vec());
    while let [(value, index)] = &as_long_as(inner, &at)[..] {
        (inner, at) = (*value, index.clone());
    }
    if outside(inner, made) {
        return Some((inner, at));
    }
    let k = op::arguments(body)
        .iter()
        .position(|a| op::key(*a) == op::key(inner))?;
    if k < gone_through(made) {
        at.insert(0, first.clone());
    }
    Some((made.operand(k), at))
}
