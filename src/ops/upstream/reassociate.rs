//! Maps of `tensor.expand_shape` and `tensor.collapse_shape`: reshapes that say which dimensions
//! become which, so that each group of them is a reshape of its own, and may have a run-time size
//! of its own.

use crate::query::{Pieces, Query, over};
use crate::shape::reshape;
use mapwright_indexing::{Expr, ExprKind, d, rt, s};
use mapwright_mlir::{TensorType, attr};

/// The dimensions of the tensor of higher rank that each dimension of the other one is made of.
fn groups(q: &Query<'_>) -> Result<Vec<Vec<usize>>, String> {
    let attribute = q.op.attribute("reassociation");
    let lists = attribute.and_then(attr::array);
    let lists = lists.ok_or("the attribute reassociation is no list")?;
    let numbers = |list: Vec<i64>| {
        let numbers = list.into_iter().map(|k| usize::try_from(k).ok());
        numbers.collect::<Option<Vec<usize>>>()
    };
    let group = |list| attr::ints(list).and_then(numbers);
    let groups: Option<Vec<_>> = lists.into_iter().map(group).collect();
    groups.ok_or("the attribute reassociation holds no numbers of dimensions".into())
}

/// The dimensions from `first` on, as a tensor.
fn part(ty: &TensorType, dims: &[usize]) -> Result<TensorType, String> {
    let dims = dims.iter().map(|k| ty.dims.get(*k).copied());
    Ok(TensorType {
        element: ty.element.clone(),
        dims: dims
            .collect::<Option<_>>()
            .ok_or("the attribute reassociation has a dimension too many")?,
    })
}

/// Moves an expression to the dimensions from `first` on.
fn behind(expr: &Expr, first: usize) -> Expr {
    expr.replace(|kind| match kind {
        ExprKind::Dim(k) => d(k + first),
        ExprKind::Range(k) => s(*k),
        ExprKind::Runtime(k) => rt(*k),
        ExprKind::Constant(value) => mapwright_indexing::c(*value),
        ExprKind::Binary(..) => mapwright_indexing::c(0),
    })
}

fn between(q: &Query<'_>, from: &TensorType, to: &TensorType) -> Pieces {
    let groups = groups(q)?;
    if groups.is_empty() {
        return reshape::between(from, to);
    }
    let mut map = over(&crate::query::sizes(from), vec![]);
    for (k, group) in groups.iter().enumerate() {
        let first = *group.first().ok_or("a group without dimensions")?;
        let own = [k];
        let (from_dims, to_dims, first) = match from.rank() < to.rank() {
            true => (&own[..], &group[..], k),
            false if from.rank() == to.rank() => (&own[..], &own[..], k),
            false => (&group[..], &own[..], first),
        };
        let pieces = reshape::between(&part(from, from_dims)?, &part(to, to_dims)?)?;
        let [piece] = &pieces[..] else {
            return Err("a group in pieces".into());
        };
        for (j, variable) in piece.dims().iter().enumerate() {
            let own = &mut map.dims_mut()[first + j].interval;
            *own = own.intersect(variable.interval);
        }
        let results = piece.results().iter().map(|expr| behind(expr, first));
        map.edit(|m| m.results.extend(results));
        for constraint in piece.constraints() {
            map = map.with_constraint(behind(&constraint.expr, first), constraint.interval);
        }
    }
    Ok(vec![map])
}

/// The sizes of a result that are operands (of `tensor.expand_shape`) say nothing of which element
/// it is.
fn is_size(operand: usize) -> bool {
    operand > 0
}

pub(super) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    if is_size(operand) {
        return Ok(vec![over(&q.result_sizes(result)?, vec![])]);
    }
    between(q, q.result(result)?, q.operand(operand)?)
}

pub(super) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    if is_size(operand) {
        return Ok(vec![crate::query::everything(
            &[],
            &q.result_sizes(result)?,
        )]);
    }
    between(q, q.operand(operand)?, q.result(result)?)
}
