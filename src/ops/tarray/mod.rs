//! Maps of operations on tensor arrays, as the language has them: an array is an index space whose
//! first dimensions are its levels, from the outermost, in front of those of its leaves.
//!
//! A level has its declared maximum as the range of its variable; how long a list is, is a runtime
//! variable, `len(%x)` of the whole array and of its lists at their index. An index beyond it is
//! not in the domain. Offsets are taken to be well-formed. Maps from operands to results are the
//! inverses of those from results to operands ([`crate::compose`]), where a direction is written
//! once.
//!
//! - [`moves`]: operations that only move elements; [`loops`]: operations with a body; [`each`]:
//!   those whose iterations know nothing of each other;
//!   [`taken`]: what functions of elements take.

mod checks;
pub(crate) mod each;
mod loops;
mod moves;
pub(crate) mod taken;

pub use checks::arrays::parts;

use crate::compose::{Composer, inverse::inverse};
use crate::definition::{Class, Effect, OpDef};
use crate::index_space::levels;
use crate::query::{Pieces, Query, below_bound, everything};
use mapwright_indexing::{Expr, IndexingMap, Interval, RuntimeVariable, c, d, rt};
use mapwright_mlir::{Op, Val, op};

/// An operation of this family by its full name.
const fn op(name: &'static str, class: Class) -> OpDef {
    OpDef::new(name, "tarray", output_to_input, input_to_output).class(class)
}

/// All of them.
pub(crate) const OPS: &[OpDef] = &[
    op("tarray.add", Class::Assembly).checked(checks::shapes::add),
    op("tarray.apply_along_axis", Class::Other).checked(checks::loops::apply_along_axis),
    op("tarray.arange", Class::Other).checked(checks::shapes::arange),
    op("tarray.broadcast", Class::Other)
        .runs_regions()
        .checked(checks::loops::broadcast),
    op("tarray.build", Class::Other).checked(checks::loops::build),
    op("tarray.cartesian_product", Class::Movement).checked(checks::shapes::cartesian_product),
    op("tarray.chunks", Class::Movement).checked(checks::arrays::chunks),
    op("tarray.concatenate", Class::Movement).checked(checks::arrays::concatenate),
    op("tarray.del", Class::Movement).checked(checks::shapes::del),
    op("tarray.embedding", Class::Assembly).checked(checks::access::embedding),
    op("tarray.filter", Class::Other).checked(checks::loops::filter),
    op("tarray.fold", Class::Other).checked(checks::loops::fold),
    op("tarray.foreach", Class::Other).checked(checks::loops::foreach),
    op("tarray.from_offsets", Class::Movement).checked(checks::arrays::from_offsets),
    op("tarray.gather", Class::Assembly).checked(checks::access::gather),
    op("tarray.index", Class::Assembly).checked(checks::access::index),
    op("tarray.index_update", Class::Update).checked(checks::access::index_update),
    op("tarray.insert", Class::Assembly).checked(checks::shapes::insert),
    op("tarray.length", Class::Source).checked(checks::shapes::length),
    op("tarray.meshgrid", Class::Movement).checked(checks::shapes::meshgrid),
    op("tarray.ndims", Class::Source).checked(checks::shapes::number_of),
    op("tarray.numel", Class::Reduction).checked(checks::shapes::number_of),
    op("tarray.parallel_foreach", Class::Other)
        .runs_regions()
        .checked(checks::loops::parallel_foreach),
    op("tarray.reduce", Class::Reduction).checked(checks::loops::reduce),
    op("tarray.replace", Class::Assembly).checked(checks::shapes::replace),
    op("tarray.reshape", Class::Movement).checked(checks::access::reshape),
    op("tarray.scan", Class::Other).checked(checks::loops::scan),
    op("tarray.scatter", Class::Update).checked(checks::access::scatter),
    op("tarray.shape", Class::Source).checked(checks::shapes::shape),
    op("tarray.size", Class::Source).checked(checks::shapes::size),
    op("tarray.slice", Class::Movement).checked(checks::access::slice),
    op("tarray.slices", Class::Movement).checked(checks::arrays::slices),
    op("tarray.sortby", Class::Other).checked(checks::loops::sortby),
    op("tarray.squeeze", Class::Movement).checked(checks::access::squeeze),
    op("tarray.stack", Class::Movement).checked(checks::arrays::stack),
    op("tarray.to_offsets", Class::Movement).checked(checks::arrays::to_offsets),
    op("tarray.transpose", Class::Movement).checked(checks::access::transpose),
    op("tarray.unsqueeze", Class::Movement).checked(checks::access::unsqueeze),
    op("tarray.vectorize", Class::Other)
        .runs_regions()
        .does(Effect::Callee)
        .checked(checks::functions::vectorize),
    op("tarray.zip", Class::Movement).checked(checks::arrays::zip),
];

/// The list whose length that of `value` at an index follows from, as far as it is one.
fn shortest<'c>(value: Val<'c>, index: Vec<Expr>) -> (Val<'c>, Vec<Expr>) {
    let (mut value, mut index) = (value, index);
    while let [(other, at)] = &each::as_long_as(value, &index)[..] {
        (value, index) = (*other, at.clone());
    }
    (value, index)
}

/// The length of the list of `value` that an index leads to: a runtime variable, or the maximum of
/// arrays that are full.
fn length(map: &mut IndexingMap, value: Val<'_>, index: &[Expr], max: i64) -> Expr {
    let (value, index) = shortest(value, index.to_vec());
    let max = levels(value).get(index.len()).copied().unwrap_or(max);
    let is_full = |source: Op<'_>| match source.name() {
        "tarray.chunks" => true,
        "tarray.slices" => {
            let dim = source.int("dim").and_then(|d| usize::try_from(d).ok());
            let ty = source.operand_type(0);
            let size = (ty.tensor().zip(dim)).and_then(|(ty, dim)| ty.dims.get(dim));
            size.is_some_and(|size| size.fixed().is_some())
        }
        _ => false,
    };
    if op::defining_op(value).is_some_and(|(source, _)| is_full(source)) {
        return c(max);
    }
    let mut at = IndexingMap::new(map.dims().to_vec(), index);
    at.edit(|at| {
        at.ranges = map.ranges().to_vec();
        at.runtime = map.runtime().to_vec();
        for variable in &mut at.runtime {
            // The map has where they come from.
            variable.origin = Default::default();
        }
    });
    let label = format!("len({})", op::label(value));
    let length = RuntimeVariable::new(Interval::new(0, max), label, Some(at));
    let same = |known: &RuntimeVariable| {
        let index = |of: &RuntimeVariable| of.origin.index.as_ref().map(|at| at.results().to_vec());
        known.origin.value == length.origin.value && index(known) == index(&length)
    };
    if let Some(known) = map.runtime().iter().position(same) {
        return rt(known);
    }
    map.push_runtime(length)
}

/// An index into `value` is one of an element that is there.
fn there(mut map: IndexingMap, value: Val<'_>, index: &[Expr]) -> IndexingMap {
    for (level, max) in levels(value).into_iter().enumerate() {
        let mut lists = vec![(value, index[..level].to_vec())];
        while let Some((list, at)) = lists.pop() {
            let shortest_of = each::as_long_as(list, &at);
            if shortest_of.is_empty() {
                let max = levels(list).get(at.len()).copied().unwrap_or(max);
                let length = length(&mut map, list, &at, max);
                map = map.with_constraint(index[level].clone() - length, below_bound(max));
            }
            lists.extend(shortest_of);
        }
    }
    map
}

/// A map from inside of a body, whose lists are elements of those that are gone through: `list`
/// says of which, by the label of an argument of the body.
fn in_iteration<'c>(mut map: IndexingMap, list: &dyn Fn(&str) -> Option<Val<'c>>) -> IndexingMap {
    map.edit(|m| {
        for variable in &mut m.runtime {
            let label = variable.origin.value.strip_prefix("len(");
            let label = label.and_then(|rest| rest.strip_suffix(')'));
            let Some(whole) = label.and_then(list) else {
                continue;
            };
            let mut list = whole;
            if let Some(index) = &mut variable.origin.index {
                let results;
                (list, results) = shortest(whole, [&[d(0)], index.results()].concat());
                index.set_results(results);
            }
            variable.origin.value = format!("len({})", op::label(list));
        }
    });
    map
}

fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    if each::is_each(q.op) {
        let reads = each::output_to_input(&Composer::knowing(q.related()), q, result)?;
        return Ok(reads.operands.into_iter().nth(operand).unwrap_or_default());
    }
    let pieces = match moves::output_to_input(q, result, operand)? {
        Some(pieces) => pieces,
        None => loops::output_to_input(q, result, operand)?,
    };
    let finished = pieces.into_iter().map(|map| {
        if !map.is_known() || map.is_known_empty() {
            return map;
        }
        let own: Vec<Expr> = (0..map.dims().len()).map(d).collect();
        let index = map.results().to_vec();
        let map = there(map, q.op.result(result), &own);
        there(map, q.op.operand(operand), &index)
    });
    Ok(finished.collect())
}

fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let sizes = q.operand_sizes(operand)?;
    let pieces = output_to_input(q, result, operand)?;
    Ok(pieces.iter().map(|map| inverse(map, &sizes)).collect())
}

/// Anything of an operand may be looked at.
fn anything(q: &Query<'_>, result: usize, operand: usize) -> Result<IndexingMap, String> {
    let map = everything(&q.result_sizes(result)?, &q.operand_sizes(operand)?);
    Ok(map.with_exact(false))
}
