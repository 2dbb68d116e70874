//! Are the iterations of a loop independent of each other?
//!
//! A body may change elements of a shared tensor and read others. Both are maps from the number of
//! the iteration to an index; two iterations are in each other's way where the index that one
//! writes is one that another reads or writes. That is a set of pairs of numbers, and the loop is
//! legal if the set is empty. A number of an index that no map is known of may be any.

use super::accesses::{Access, accesses};
use super::indices::{ANY, Index};
use crate::{attrs::Update, query};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, RuntimeVariable, c, d, rt, s};
use mapwright_mlir::{Op, TensorType, melior::ir::ValueLike, op};

/// Two accesses that are in each other's way, in words. The first `xs` operands are gone through,
/// in so many rounds at most; the others are shared.
pub(super) fn conflict(op: Op<'_>, xs: usize, rounds: Option<i64>) -> Option<String> {
    let rounds = rounds.unwrap_or(ANY.upper);
    let block = op.body(0)?;
    let arguments = op::arguments(block);
    for (k, shared) in arguments.iter().enumerate().skip(xs) {
        let ty = TensorType::from_mlir(shared.r#type())?;
        let sizes = ty.dims.iter().map(|dim| dim.fixed());
        let shape: Vec<i64> = sizes.map(|size| size.unwrap_or(query::UNBOUNDED)).collect();
        let accesses: Vec<Access<'_>> = accesses(op, k - xs, *shared, rounds)
            .into_iter()
            .map(|access| access.nearest(&shape, rounds))
            .collect();
        for (i, write) in accesses.iter().enumerate() {
            let Some(update) = write.update else {
                continue;
            };
            for (j, other) in accesses.iter().enumerate() {
                // Two writes are looked at once, and those that can be exchanged are in nobody's
                // way.
                let commute = other.update == Some(update) && update != Update::Set;
                if commute || (other.update.is_some() && j < i) {
                    continue;
                }
                if let Some(why) = meet(write, other, &shape, rounds) {
                    let verb = if other.update.is_some() {
                        "writes"
                    } else {
                        "reads"
                    };
                    return Some(format!(
                        "has iterations that depend on each other: the one at {} writes an element of shared value #{} that \
                         another one {verb} at {} ({why})",
                        write.op.location(),
                        k - xs,
                        other.op.location()
                    ));
                }
            }
        }
    }
    None
}

impl Access<'_> {
    /// Of what is outside a read gets the nearest.
    fn nearest(mut self, shape: &[i64], rounds: i64) -> Self {
        if let (None, Some(index)) = (self.update, &mut self.index) {
            let bounds: Vec<Interval> = (0..index.numbers.len())
                .map(|i| index.bounds(i, rounds))
                .collect();
            for ((number, bounds), size) in index.numbers.iter_mut().zip(bounds).zip(shape) {
                // The nearest may be any where the size is not known.
                if *size == query::UNBOUNDED {
                    *number = None;
                } else if bounds.lower < 0 || bounds.upper >= *size {
                    *number = number
                        .take()
                        .map(|number| number.max(c(0)).min(c(size - 1)));
                }
            }
        }
        self
    }
}

/// Two iterations whose accesses meet, in words.
fn meet(a: &Access<'_>, b: &Access<'_>, shape: &[i64], rounds: i64) -> Option<String> {
    if rounds < 2 || shape.contains(&0) {
        return None;
    }
    let unknown = "an index that follows from data may be any";
    let (Some(first), Some(second)) = (&a.index, &b.index) else {
        return Some(unknown.into());
    };
    // The numbers of the two iterations, and for each those of the loops inside of it.
    let mut domain = IndexingMap::from_dims(&[rounds, rounds], []);
    let inner = first.inner.iter().chain(&second.inner);
    domain.set_ranges(inner.map(|rounds| (*rounds).into()).collect());
    let mut labels = Vec::new();
    for label in first.labels.iter().chain(&second.labels) {
        if !labels.contains(label) {
            labels.push(*label);
            let name = format!("%{}", labels.len() - 1);
            domain.push_runtime(RuntimeVariable::new(ANY, name, None));
        }
    }
    let place = |index: &Index, number: &Expr, dim: usize, ranges: usize| {
        number.replace(|kind| match kind {
            ExprKind::Runtime(k) => {
                let label = index.labels.get(*k);
                let known = labels.iter().position(|known| Some(known) == label);
                rt(known.unwrap_or(0))
            }
            ExprKind::Range(k) => s(ranges + k),
            _ => d(dim),
        })
    };
    let mut same = domain.clone();
    for ((x, y), size) in first.numbers.iter().zip(&second.numbers).zip(shape) {
        let x = x.as_ref().map(|x| place(first, x, 0, 0));
        let y = y.as_ref().map(|y| place(second, y, 1, first.inner.len()));
        if let Some(known) = x.clone().or(y.clone()) {
            same = same.with_constraint(known, query::indices(*size));
        }
        if let (Some(x), Some(y)) = (x, y) {
            same = same.with_constraint(x - y, Interval::new(0, 0));
        }
    }
    // Either of the two may be the earlier one.
    for order in [Interval::new(1, rounds - 1), Interval::new(1 - rounds, -1)] {
        let apart = same.clone().with_constraint(d(0) - d(1), order);
        if apart.domain_is_empty() == Some(true) {
            continue;
        }
        let all_unknown = |index: &Index| index.numbers.iter().all(Option::is_none);
        if !shape.is_empty() && (all_unknown(first) || all_unknown(second)) {
            return Some(unknown.into());
        }
        return Some(format!("{} and {}", first.in_words(), second.in_words()));
    }
    None
}
