//! One step of composition: what an operation says about one element of its result, whose index is
//! an expression of loop variables.
//!
//! Operations that move elements say it by their index rules ([`rules`]), which are run on sums of
//! loop variables and of sizes. Reductions and windows say it by their maps, as they are written
//! ([`Query::own`]). Operands are walked to one by one, so nothing is looked through here.

mod pieces;
mod rules;

use crate::composed::{self, LoopFacts};
use crate::condition::Condition;
use crate::node::{Node, Reason, tensor};
use mapwright_indexing::linear::{Facts, Sum};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Op as Arithmetic};
use mapwright_mlir::Op;
use mapwright_normalize::size_annotations;
use mapwright_ops::attrs;
use mapwright_ops::query::Query;
use mapwright_ops::registry;
use mapwright_ops::window::{WRITTEN_OUT, prefix};

/// The only map from result `number` of `op` to its first operand.
fn map_of(op: Op<'_>, number: usize) -> Result<IndexingMap, Reason> {
    let declined = || Reason::new(format!("'{}'", op.name()));
    let def = registry::lookup(op).ok_or_else(declined)?;
    let maps = (def.output_to_input)(&Query::own(op), number, 0).map_err(Reason)?;
    match <[IndexingMap; 1]>::try_from(maps) {
        Ok([map]) => Ok(map),
        Err(_) => Err(declined()),
    }
}

/// Values of the variables of a map: expressions of the loops.
struct At<'a> {
    dims: &'a [Sum],
    ranges: &'a [Sum],
    loops: &'a Facts,
}

impl At<'_> {
    /// The expression there.
    fn sum(&self, expr: &Expr) -> Result<Sum, Reason> {
        let variable = |kind: &ExprKind| match kind {
            ExprKind::Dim(k) => self.dims.get(*k).cloned(),
            ExprKind::Range(k) => self.ranges.get(*k).cloned(),
            _ => None,
        };
        let found = Sum::of_expr(expr, self.loops, &variable);
        found.ok_or_else(|| Reason::new(format!("an index that is not affine ({expr})")))
    }
}

/// Reads of the element at `index` of every operand, or the only one of an operand of rank 0
/// (`select`, `clamp`).
pub fn elementwise<'c>(op: Op<'c>, index: &[Sum]) -> Result<Node<'c>, Reason> {
    let mut operands = Vec::with_capacity(op.num_operands());
    for value in op.operands() {
        let (_, own) = tensor(value)?;
        let read = match own.len() {
            0 => Vec::new(),
            rank if rank == index.len() => index.to_vec(),
            _ => return Err(Reason::new(format!("'{}' changes the rank", op.name()))),
        };
        operands.push((value, read));
    }
    Ok(Node::Elementwise(op, operands))
}

/// An element that is copied from one of the operands.
pub fn copied<'c>(
    op: Op<'c>,
    number: usize,
    index: &[Sum],
    loops: &LoopFacts,
) -> Result<Node<'c>, Reason> {
    if let Some(slice) = size_annotations::slice(op) {
        let mut kept = index.iter();
        let at = slice.into_iter().map(|(start, step)| match step {
            0 => Some(Sum::constant(start)),
            _ => Some(kept.next()?.scaled(step).offset(start)),
        });
        let at: Option<Vec<Sum>> = at.collect();
        let read = at.ok_or_else(|| Reason::new("a slice of another rank"))?;
        return Ok(Node::Copy((op.operand(0), read)));
    }
    if let Some(padded) = pieces::padded_in_steps(op, index) {
        return Ok(Node::Padded(padded));
    }
    if let Some(low) = size_annotations::padding(op) {
        return pieces::padded(op, &low, index);
    }
    if let Some(ranges) = size_annotations::padding_range(op) {
        return pieces::padded_at_run_time(op, &ranges, index);
    }
    rules::copied(op, number, index, loops)
}

/// Whether it puts the elements along another last dimension (a transpose).
pub fn moves_last(op: Op<'_>) -> bool {
    let Ok(map) = map_of(op, 0) else {
        return false;
    };
    let dim = |expr: &Expr| match expr.kind() {
        ExprKind::Dim(k) => Some(*k),
        _ => None,
    };
    let Some(order) = map
        .results()
        .iter()
        .map(dim)
        .collect::<Option<Vec<usize>>>()
    else {
        return false;
    };
    let rank = map.dims().len();
    order.len() == rank
        && (0..rank).all(|k| order.contains(&k))
        && order.last() != rank.checked_sub(1).as_ref()
}

/// The index of what a reduction reads, `None` along the dimensions that it reduces.
pub fn reduced<'c>(
    op: Op<'c>,
    number: usize,
    index: &[Sum],
    loops: &LoopFacts,
) -> Result<Node<'c>, Reason> {
    let map = map_of(op, number)?;
    let at = At {
        dims: index,
        ranges: &[],
        loops,
    };
    let kept = |expr: &Expr| match expr.kind() {
        ExprKind::Range(_) => Ok(None),
        _ => at.sum(expr).map(Some),
    };
    let at = map.results().iter().map(kept).collect::<Result<_, _>>()?;
    Ok(Node::Reduce { op, number, at })
}

/// Tells whether it is a remainder.
fn is_remainder(expr: &Expr) -> bool {
    matches!(expr.kind(), ExprKind::Binary(Arithmetic::Mod, ..))
}

/// Tells whether it is the number, or a sum that begins with it.
fn is_of(expr: &Expr, number: &Expr) -> bool {
    let less = |a: &Expr| a == number;
    expr == number || matches!(expr.kind(), ExprKind::Binary(Arithmetic::Add, a, _) if less(a))
}

/// The elements of a window, or a prefix.
pub fn window<'c>(
    op: Op<'c>,
    number: usize,
    index: &[Sum],
    loops: &LoopFacts,
) -> Result<Node<'c>, Reason> {
    let (_, shape) = tensor(op.operand(0))?;
    if let Some((axis, reverse)) = size_annotations::prefix(op) {
        return Ok(Node::Scan(op, axis, reverse));
    }
    let map = map_of(op, number)?;
    if map.constraints().iter().any(|c| is_remainder(&c.expr)) {
        return Err(Reason::new("a window over a dilated operand"));
    }
    let known: Option<Vec<i64>> = shape.iter().map(|size| size.as_constant()).collect();
    if let Some((axis, reverse)) = known.and_then(|shape| prefix::of_map(&map, &shape)) {
        return Ok(Node::Scan(op, axis, reverse));
    }
    let sizes: Vec<i64> = (map.ranges().iter())
        .map(|s| s.interval.upper.saturating_add(1))
        .collect();
    let count = sizes
        .iter()
        .try_fold(1_i64, |n, size| n.checked_mul(*size))
        .unwrap_or(i64::MAX);
    let is_empty = map.is_known_empty() || map.intervals().any(|own| own.is_empty());
    if count > WRITTEN_OUT || is_empty {
        return Err(Reason::new(format!(
            "a window of {} elements",
            if is_empty { 0 } else { count }
        )));
    }
    // Without padding a window is within its operand.
    let padding = (op.num_operands() == 2 * op.num_results())
        .then(|| attrs::Window::reduce_window(op, shape.len()).ok())
        .flatten()
        .map(|of| of.padding);
    let reaches_over = |k: usize| {
        let padded = |all: &Vec<(i64, i64)>| all[k].0 > 0 || all[k].1 > 0;
        padding.as_ref().is_none_or(padded)
            && (map.constraints().iter()).any(|c| is_of(&c.expr, &map.results()[k]))
    };
    let over: Vec<usize> = (0..shape.len()).filter(|k| reaches_over(*k)).collect();
    let mut elements = Vec::new();
    for k in 0..count {
        let mut rest = k;
        let mut within = vec![Sum::default(); sizes.len()];
        for (at, size) in within.iter_mut().zip(&sizes).rev() {
            *at = Sum::constant(rest % size);
            rest /= size;
        }
        let at = At {
            dims: index,
            ranges: &within,
            loops,
        };
        let read: Vec<Sum> = (map.results().iter())
            .map(|expr| at.sum(expr))
            .collect::<Result<_, _>>()?;
        let inside = |k: &usize| Condition::between(&read[*k], 0, shape[*k] - 1).of_window();
        let conditions = over.iter().map(inside).collect();
        elements.push((conditions, composed::simplified(read, loops)?));
    }
    Ok(Node::Window(op, number, elements))
}
