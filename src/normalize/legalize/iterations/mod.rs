//! Loops of a known number of iterations that go through tensors slice by slice, as `scan` is
//! written in StableHLO.
//!
//! - [`vectorize`]: iterations that need nothing of each other but prefixes whose order makes no
//!   difference are computed all at once;
//! - [`accumulate`]: histories of which only reductions are read are reduced while the loop runs;
//! - [`live`]: what nobody reads is not carried;
//! - [`dead_initial`]: what a loop overwrites before anybody reads it is not filled first.

mod accumulate;
mod dead_initial;
mod duplicates;
mod live;
mod vectorize;

use crate::make::HloBuilder;
use mapwright_indexing::{
    ExprKind, IndexingMap, Interval, Variable,
    linear::{Facts, Sum},
    s,
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Blk, ElementType, Op, TensorType, Val, ValueType, edit, op};
use mapwright_ops::{control::known_trips, fold};

/// The name under which this can be switched off.
pub(super) const NAME: &str = "rounds";

/// A loop whose iterations are counted.
struct CountedLoop<'c> {
    op: Op<'c>,
    condition: Blk<'c>,
    body: Blk<'c>,
    /// Number of iterations, at least two.
    count: i64,
    /// First value and step of the numbers that are carried.
    steady: Vec<Option<(i64, i64)>>,
    /// Arguments of the body.
    arguments: Vec<Val<'c>>,
    /// Values that the body hands to the next iteration.
    next: Vec<Val<'c>>,
}

/// A carried tensor of which every iteration writes one slice, and all iterations together every
/// element.
struct History<'c> {
    /// The `dynamic_update_slice`.
    update: Op<'c>,
    /// The dimension of which an iteration has one element.
    dim: usize,
    /// The first iteration writes the last slice, the last iteration the first one.
    backwards: bool,
}

/// Element type and sizes of a tensor of static shape.
fn tensor(value: Val<'_>) -> Option<(ElementType, Vec<i64>)> {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(ty) => Some((ty.element.clone(), ty.static_shape()?)),
        _ => None,
    }
}

fn is_same(a: Val<'_>, b: Val<'_>) -> bool {
    op::key(a) == op::key(b)
}

impl<'c> CountedLoop<'c> {
    fn from_while(op: Op<'c>) -> Option<Self> {
        if !op.is_hlo("while") || op.dialect() != "stablehlo" {
            return None;
        }
        let (condition, body) = (op.body(0)?, op.body(1)?);
        let (count, steady) = known_trips(op)?;
        let next = op::ops(body).last()?.operands();
        let iterations = Self {
            op,
            condition,
            body,
            count,
            steady,
            arguments: op::arguments(body),
            next,
        };
        let fits = iterations.next.len() == op.num_operands();
        (count >= 2 && fits).then_some(iterations)
    }

    /// Tells whether carried value `i` is the same in all iterations.
    fn stays(&self, i: usize) -> bool {
        is_same(self.arguments[i], self.next[i])
    }

    /// The number of the carried value that an argument of the body is.
    fn carried(&self, value: Val<'c>) -> Option<usize> {
        let (block, number) = op::block_argument(value)?;
        (block == self.body).then_some(number)
    }

    /// Tells whether a value is there before the loop.
    fn is_outside(&self, value: Val<'c>) -> bool {
        let home = match op::defining_op(value) {
            Some((op, _)) => op.block(),
            None => op::block_argument(value).map(|(block, _)| block),
        };
        let mut block = home;
        while let Some(inner) = block {
            if inner == self.body || inner == self.condition {
                return false;
            }
            block = op::parent_of_block(inner).and_then(Op::block);
        }
        true
    }

    /// A number that grows from iteration to iteration: its first value and its step.
    fn position(&self, value: Val<'c>) -> Option<(i64, i64)> {
        let mut map = IndexingMap::new(vec![], vec![]);
        map.push_range(Variable::new(Interval::of_size(self.count)));
        let known = |value: Val<'_>| {
            let at = self.arguments.iter().position(|a| is_same(*a, value))?;
            let (first, step) = self.steady[at]?;
            Some(s(0) * step + first)
        };
        let found = fold::value_with(value, &[], &map, &known)?;
        let facts = Facts::of_sizes(&[self.count]);
        let sum = Sum::of_expr(&found, &facts, &|kind| match kind {
            ExprKind::Range(0) => Some(Sum::var(0)),
            _ => None,
        })?;
        let step = sum.coefficient(0)?;
        let first = sum.minus(&Sum::var(0).scaled(step)).as_number()?;
        Some((first, step.as_constant()?))
    }

    /// The dimension along which `starts` move with the iterations, where the others are whole, and
    /// the number that says where.
    fn moving(
        &self,
        starts: &[Val<'c>],
        sizes: &[i64],
        whole: &[i64],
    ) -> Option<(usize, (i64, i64))> {
        let mut found = None;
        for (d, start) in starts.iter().enumerate() {
            // A start where everything is taken is the first one, whatever it says.
            if sizes[d] == whole[d] {
                continue;
            }
            if sizes[d] != 1 || found.is_some() {
                return None;
            }
            found = Some((d, self.position(*start)?));
        }
        found
    }

    /// Returns carried value `i` as a history, if iterations write all of it slice by slice and
    /// nothing in the loop reads it.
    fn history(&self, i: usize) -> Option<History<'c>> {
        let (update, _) = op::defining_op(self.next[i])?;
        let argument = self.arguments[i];
        let only = |value: Val<'c>| op::uses(value).len() == 1;
        let condition = op::arguments(self.condition);
        let own = update.is_hlo("dynamic_update_slice")
            && update.block() == Some(self.body)
            && is_same(update.operand(0), argument)
            && only(argument)
            && only(update.result(0))
            && op::uses(*condition.get(i)?).is_empty();
        if !own {
            return None;
        }
        let (_, whole) = tensor(argument)?;
        let (_, sizes) = tensor(update.operand(1))?;
        let (dim, (first, step)) = self.moving(&update.operands()[2..], &sizes, &whole)?;
        let backwards = match (first, step) {
            (0, 1) => false,
            (first, -1) if first == self.count - 1 => true,
            _ => return None,
        };
        (whole[dim] == self.count).then_some(History {
            update,
            dim,
            backwards,
        })
    }

    /// All histories with their numbers.
    fn histories(&self) -> Vec<(usize, History<'c>)> {
        let all = 0..self.next.len();
        all.filter_map(|i| Some((i, self.history(i)?))).collect()
    }
}

/// Tells whether the elements are booleans, or numbers that are what they are stored as.
fn is_plain(element: &ElementType) -> bool {
    matches!(element, ElementType::Bool)
        || element.is_int()
        || element.is_float()
        || element.is_complex()
}

/// The type of these elements and sizes.
fn typed(element: &ElementType, sizes: &[i64]) -> TensorType {
    TensorType::new(element.clone(), sizes)
}

/// Returns `sizes` without dimension `dim`.
fn without(sizes: &[i64], dim: usize) -> Vec<i64> {
    let mut rest = sizes.to_vec();
    rest.remove(dim);
    rest
}

/// Rewrites the loop `op`, whose regions are rewritten already.
pub(super) fn rewrite(op: Op<'_>) {
    let Some(make) = HloBuilder::before(op) else {
        return;
    };
    let mut op = op;
    if let Some(iterations) = CountedLoop::from_while(op)
        && let Some(values) = vectorize::rewrite(&make, &iterations)
    {
        for (result, value) in op.results().into_iter().zip(values) {
            op::replace_all_uses(result, value);
        }
        edit::erase_unused(op);
        return;
    }
    if let Some(iterations) = CountedLoop::from_while(op)
        && let Some(next) = accumulate::rewrite(&iterations)
    {
        op = next;
    }
    duplicates::rewrite(op);
    op = live::rewrite(op);
    if let (Some(iterations), Some(make)) = (CountedLoop::from_while(op), HloBuilder::before(op)) {
        dead_initial::rewrite(&make, &iterations);
    }
}
