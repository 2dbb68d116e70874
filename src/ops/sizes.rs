//! Run-time sizes in maps.
//!
//! A dimension whose size is known at run time has its bound as the range of its variable (or no
//! upper bound), and the size itself is a runtime variable: `d0 - rt0 in [-bound, -1]` says that
//! the index is below it. This is added to the map of every operation for the index that goes in
//! and for the index that comes out, so every operation sees the valid part alone.

use crate::definition::OpDef;
use crate::index_space::levels;
use crate::operand_facts;
use crate::query::{Query, add_related_size, add_size, below_bound, size};
use crate::registry::lookup;
use crate::related_sizes::Related;
use mapwright_indexing::{Expr, ExprKind, IndexingMap, d};
use mapwright_mlir::{Dim, TensorType, Val, op};

pub(crate) fn backward(
    q: &Query<'_>,
    def: &OpDef,
    map: IndexingMap,
    result: usize,
    operand: usize,
) -> IndexingMap {
    let (Ok(from), Ok(to)) = (q.result(result), q.operand(operand)) else {
        return map;
    };
    let (from, to) = ((from, q.op.result(result)), (to, q.op.operand(operand)));
    constrain(map, def, from, to, &q.related())
}

pub(crate) fn forward(
    q: &Query<'_>,
    def: &OpDef,
    map: IndexingMap,
    operand: usize,
    result: usize,
) -> IndexingMap {
    let (Ok(from), Ok(to)) = (q.operand(operand), q.result(result)) else {
        return map;
    };
    let (from, to) = ((from, q.op.operand(operand)), (to, q.op.result(result)));
    constrain(map, def, from, to, &q.related())
}

fn constrain(
    map: IndexingMap,
    def: &OpDef,
    from: (&TensorType, Val<'_>),
    to: (&TensorType, Val<'_>),
    related: &Related,
) -> IndexingMap {
    let fixed = |ty: &TensorType| ty.dims.iter().all(|dim| dim.fixed().is_some());
    if (fixed(from.0) && fixed(to.0)) || !map.is_known() || def.across_replicas {
        return map;
    }
    let mut map = map;
    for (k, dim) in from.0.dims.iter().enumerate() {
        map = below(map, d(k), from.1, (k, *dim), related);
    }
    for (k, dim) in to.0.dims.iter().enumerate() {
        if let Some(expr) = map.results().get(k).cloned() {
            map = below(map, expr, to.1, (k, *dim), related);
        }
    }
    map
}

/// The run-time size of dimension `k` of `value` as an expression over the variables of `map`: the
/// number where it is static, otherwise a runtime variable, which is added to the map if it is not
/// there.
pub(crate) fn size_of(
    map: &mut IndexingMap,
    value: Val<'_>,
    k: usize,
    dim: Dim,
    related: &Related,
) -> Expr {
    if let Some(size) = dim.fixed() {
        return mapwright_indexing::c(size);
    }
    if let Some(known) = related.find(value, k) {
        return add_related_size(map, known);
    }
    let (label, scalar) = origin(value, k);
    let index = scalar.then(|| IndexingMap::new(map.dims().to_vec(), vec![]));
    add_size(map, label, index, dim)
}

/// `expr` is below the run-time size of dimension `k` of `value`. The lengths of lists are said by
/// the maps of operations on arrays themselves.
fn below(
    mut map: IndexingMap,
    expr: Expr,
    value: Val<'_>,
    (k, dim): (usize, Dim),
    related: &Related,
) -> IndexingMap {
    if dim.fixed().is_some() || k < levels(value).len() {
        return map;
    }
    let limit = size_of(&mut map, value, k, dim, related);
    let constraint = mapwright_indexing::Constraint {
        expr: expr - limit,
        interval: below_bound(size(dim)),
    };
    if !map.constraints().contains(&constraint) {
        map.push_constraint(constraint);
    }
    map
}

/// As [`origin`], one for all sizes that are known to be equal.
pub fn origin_among(related: &Related, value: Val<'_>, k: usize) -> (String, bool) {
    if let Some(known) = related.find(value, k)
        && let Some(source) = known.source()
        && source.element.as_ref().is_none_or(Vec::is_empty)
    {
        return (source.label.clone(), source.element.is_some());
    }
    origin(value, k)
}

/// Origin of the run-time size of dimension `k` of `value`: the label of a scalar that holds it
/// (and true), or `get_dimension_size(%value, k)`. Operations that hand the dimension on are looked
/// through.
pub fn origin(value: Val<'_>, k: usize) -> (String, bool) {
    let (mut value, mut k) = (value, k);
    for _ in 0..1000 {
        let Some((def, result)) = op::defining_op(value) else {
            break;
        };
        if def.short_name() == "set_dimension_size"
            && def.int("dimension") == Some(k as i64)
            && def.num_operands() == 2
        {
            return (op::label(def.operand(1)), true);
        }
        match same_dim_as_operand(def, result, k) {
            Some(next) => (value, k) = next,
            None => break,
        }
    }
    (crate::query::size_label(&op::label(value), k), false)
}

/// The operand and dimension that result dimension `k` is, if its size is the operand's.
pub fn same_dim_as_operand<'c>(
    def: mapwright_mlir::Op<'c>,
    result: usize,
    k: usize,
) -> Option<(Val<'c>, usize)> {
    let maps = lookup(def)?;
    let keeps = matches!(
        def.short_name(),
        "transpose"
            | "broadcast_in_dim"
            | "reduce"
            | "sort"
            | "dot_general"
            | "reverse"
            | "set_dimension_size"
            | "optimization_barrier"
    );
    if maps.family != "elementwise" && !keeps && def.short_name() != "concatenate" {
        return None;
    }
    if def.short_name() == "concatenate" && def.int("dimension") == Some(k as i64) {
        return None;
    }
    let q = operand_facts::query(def, &Related::default());
    // Their maps ask for run-time sizes themselves; a reversed or neighbouring dimension keeps its
    // size.
    if matches!(def.short_name(), "reverse" | "concatenate") {
        let dynamic = |i: &usize| {
            q.operand(*i)
                .is_ok_and(|ty| ty.dims.get(k).is_some_and(|dim| dim.fixed().is_none()))
        };
        return (0..q.num_operands())
            .find(dynamic)
            .map(|i| (def.operand(i), k));
    }
    for operand in 0..q.num_operands() {
        let Ok(ty) = q.operand(operand) else { continue };
        if ty.dims.iter().all(|dim| dim.fixed().is_some()) {
            continue;
        }
        let Ok(pieces) = (maps.output_to_input)(&q, result, operand) else {
            continue;
        };
        let [piece] = pieces.as_slice() else { continue };
        for (m, expr) in piece.results().iter().enumerate() {
            if *expr.kind() == ExprKind::Dim(k)
                && ty.dims.get(m).is_some_and(|dim| dim.fixed().is_none())
            {
                return Some((def.operand(operand), m));
            }
        }
    }
    None
}
