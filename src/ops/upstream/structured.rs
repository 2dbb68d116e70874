//! Maps of the operations of `linalg`, from their own: upstream's maps go from the loops of the
//! operation to the index of an operand, so the element of a result at `m(l)` is made of the
//! element of an operand at `n(l)`, for every iteration `l`. Loops that the index tells are written
//! by it, all others are range variables.

use crate::affine::to_expr;
use crate::query::{Pieces, Query, UNBOUNDED, identity, indices, nothing, over, size};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, c, d};
use mapwright_mlir::{
    Dim, Op, Val,
    affine::{AffineMap, AffineNode},
    op,
};

/// An operation of `linalg`, taken apart.
struct Structured {
    /// For each operand, from loops to its index.
    maps: Vec<AffineMap>,
    /// For each loop, the operand and the dimension that it runs over, and how many indices that
    /// has.
    loops: Vec<(usize, usize, Dim)>,
    /// The number of inputs: the operands behind them are what results begin with.
    inputs: usize,
}

impl Structured {
    fn new(q: &Query<'_>) -> Result<Self, String> {
        let maps = q.op.linalg_maps();
        let maps = maps.ok_or("the operation is not one of linalg's")?;
        if maps.len() != q.num_operands() || q.num_results() > maps.len() {
            return Err("there is not one map for each operand".into());
        }
        let count = maps.first().map_or(0, |map| map.dims);
        if maps.iter().any(|map| map.symbols > 0 || map.dims != count) {
            return Err("a map with symbols".into());
        }
        let mut loops: Vec<Option<(usize, usize, Dim)>> = vec![None; count];
        for (i, map) in maps.iter().enumerate() {
            let ty = q.operand(i)?;
            if map.results.len() != ty.rank() {
                return Err(format!("the map of operand {i} has another rank"));
            }
            for (k, (node, dim)) in map.results.iter().zip(&ty.dims).enumerate() {
                let AffineNode::Dim(l) = node else { continue };
                let known = loops[*l].is_some_and(|(_, _, dim)| dim.fixed().is_some());
                if !known && (loops[*l].is_none() || dim.fixed().is_some()) {
                    loops[*l] = Some((i, k, *dim));
                }
            }
        }
        let loops = loops.into_iter().collect::<Option<_>>();
        Ok(Self {
            inputs: maps.len() - q.num_results(),
            maps,
            loops: loops.ok_or("a loop that no dimension tells the size of")?,
        })
    }

    /// Tells whether there is no iteration; `None` where that is known at run time only.
    fn is_empty(&self) -> Option<bool> {
        let sizes: Option<Vec<i64>> = self.loops.iter().map(|(_, _, dim)| dim.fixed()).collect();
        Some(sizes?.contains(&0))
    }

    /// From the index of operand `from` to the indices of operand `to` in the same iterations.
    fn between(&self, q: &Query<'_>, from: usize, to: usize) -> Result<IndexingMap, String> {
        let mut map = over(&q.operand_sizes(from)?, vec![]);
        let mut iteration: Vec<Option<Expr>> = vec![None; self.loops.len()];
        for (k, node) in self.maps[from].results.iter().enumerate() {
            if let AffineNode::Dim(l) = node
                && iteration[*l].is_none()
            {
                iteration[*l] = Some(d(k));
                let own = &mut map.dims_mut()[k].interval;
                *own = own.intersect(indices(size(self.loops[*l].2)));
            }
        }
        let mut all = Vec::with_capacity(iteration.len());
        for (known, (operand, k, dim)) in iteration.iter().zip(&self.loops) {
            if let Some(known) = known {
                all.push(known.clone());
                continue;
            }
            let index = map.push_range(indices(size(*dim)));
            if dim.fixed().is_none() {
                let limit = q.size_of_operand(&mut map, *operand, *k, *dim);
                let below = match size(*dim) {
                    UNBOUNDED => i64::MIN,
                    bound => -bound,
                };
                map = map.with_constraint(index.clone() - limit, Interval::new(below, -1));
            }
            all.push(index);
        }
        let index = |node: &AffineNode| {
            to_expr(node, &|_| c(0)).replace(|kind| match kind {
                ExprKind::Dim(l) => all[*l].clone(),
                ExprKind::Constant(value) => c(*value),
                _ => c(0),
            })
        };
        for (k, node) in self.maps[from].results.iter().enumerate() {
            let expr = index(node);
            if expr.kind() != d(k).kind() {
                map = map.with_constraint(expr - d(k), Interval::point(0));
            }
        }
        map.set_results(self.maps[to].results.iter().map(index).collect());
        Ok(map)
    }

    /// The elements of a result that stay what they were in the operand that it begins with: those
    /// that no iteration writes, or all where the body goes on from what is there.
    fn kept(&self, q: &Query<'_>, result: usize) -> Pieces {
        let operand = self.inputs + result;
        let sizes = q.operand_sizes(operand)?;
        if reads(q.op, result, operand) {
            return Ok(vec![identity(&sizes)]);
        }
        // Every element is written in some iteration where its index tells all of its loops.
        let mut told = vec![false; self.loops.len()];
        let all = self.maps[operand].results.iter().all(|node| match node {
            AffineNode::Dim(l) => !std::mem::replace(&mut told[*l], true),
            _ => false,
        });
        match self.is_empty() {
            Some(true) => Ok(vec![identity(&sizes)]),
            Some(false) if all => Ok(nothing(&sizes, &sizes)),
            // Where only loops of the index may have no iteration, there is no element either.
            None if all && told.iter().all(|told| *told) => Ok(nothing(&sizes, &sizes)),
            _ => Ok(vec![identity(&sizes).with_exact(false)]),
        }
    }
}

/// Tells whether the value that the body gives for result `result` depends on its argument for
/// operand `operand`.
fn reads(op: Op<'_>, result: usize, operand: usize) -> bool {
    let Some(body) = op.body(0) else { return true };
    let arguments = op::arguments(body);
    let (Some(argument), Some(end)) = (arguments.get(operand), op::ops(body).last().copied())
    else {
        return true;
    };
    if result >= end.num_operands() {
        return true;
    }
    let mut waiting: Vec<Val<'_>> = vec![end.operand(result)];
    let mut seen = std::collections::HashSet::new();
    while let Some(value) = waiting.pop() {
        if op::key(value) == op::key(*argument) {
            return true;
        }
        let Some((definition, _)) = op::defining_op(value) else {
            continue;
        };
        let inside = definition.parent().is_some_and(|parent| parent == op);
        if !inside || !seen.insert(op::key(value)) {
            continue;
        }
        waiting.extend(definition.operands());
        waiting.extend(definition.descendants().into_iter().flat_map(Op::operands));
    }
    false
}

pub(super) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let structured = Structured::new(q)?;
    let from = structured.inputs + result;
    if operand == from {
        return structured.kept(q, result);
    }
    if !reads(q.op, result, operand) {
        return Ok(nothing(&q.operand_sizes(from)?, &q.operand_sizes(operand)?));
    }
    Ok(vec![structured.between(q, from, operand)?])
}

pub(super) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let structured = Structured::new(q)?;
    let to = structured.inputs + result;
    if operand == to {
        return structured.kept(q, result);
    }
    if !reads(q.op, result, operand) {
        return Ok(nothing(&q.operand_sizes(operand)?, &q.operand_sizes(to)?));
    }
    Ok(vec![structured.between(q, operand, to)?])
}
