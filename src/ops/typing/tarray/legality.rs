//! Are the iterations of a loop independent of each other?
//!
//! A body may change elements of a shared tensor and read others. Both are maps from the number of the iteration to an index; two iterations are in
//! each other's way where the index that one writes is one that another reads or writes. That is a set of pairs of numbers, and the loop is legal
//! if the set is empty. An index that no map is known of may be any.

use super::constants;
use crate::attrs::{self, Update};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, RuntimeVariable, c, d, rt};
use mapwright_mlir::{Op, TensorType, Val, melior::ir::ValueLike, op};
use std::collections::HashSet;

/// What a number that is made outside of the loop may be.
const ANY: Interval = Interval {
    lower: -(1 << 40),
    upper: 1 << 40,
};

/// An access to a shared tensor.
struct Access<'c> {
    op: Op<'c>,
    /// How the element is changed; `None` for a read.
    update: Option<Update>,
    /// The index of iteration `d0`; runtime variables are values that are the same in all of them. `None`: any index.
    index: Option<Index>,
}

#[derive(Clone)]
struct Index {
    numbers: Vec<Expr>,
    labels: Vec<String>,
}

/// Two accesses that are in each other's way, in words.
pub(super) fn conflict(op: Op<'_>, xs: usize, rounds: i64) -> Option<String> {
    let block = op.body(0)?;
    let arguments = op::arguments(block);
    for (k, shared) in arguments.iter().enumerate().skip(xs) {
        let shape = TensorType::from_mlir(shared.r#type())?.static_shape()?;
        let accesses = accesses(op, *shared, &shape, rounds);
        for (i, write) in accesses.iter().enumerate() {
            let Some(update) = write.update else {
                continue;
            };
            for (j, other) in accesses.iter().enumerate() {
                // Two writes are looked at once, and those that can be exchanged are in nobody's way.
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

/// What the body does to a shared value and to what it makes of it.
fn accesses<'c>(op: Op<'c>, shared: Val<'c>, shape: &[i64], rounds: i64) -> Vec<Access<'c>> {
    let mut versions: HashSet<usize> = HashSet::from([op::key(shared)]);
    let mut found = Vec::new();
    let ops = op.body(0).map(op::ops).unwrap_or_default();
    for inner in ops {
        let is_version = |value: &Val<'c>| versions.contains(&op::key(*value));
        let operands = inner.operands();
        let direct = operands.iter().position(is_version);
        let nested = inner
            .descendants()
            .iter()
            .any(|inner| inner.operands().iter().any(is_version));
        let index = |i: usize| {
            let labels = Vec::new();
            Reader { op, labels }.index(inner.operand(i))
        };
        match (inner.name(), direct) {
            ("tarray.yield", _) if !nested => {}
            ("tarray.index_update", Some(0)) => {
                versions.insert(op::key(inner.result(0)));
                found.push(Access {
                    op: inner,
                    update: attrs::update(inner).ok(),
                    index: index(2),
                });
            }
            ("tarray.index", Some(0)) => found.push(Access {
                op: inner,
                update: None,
                index: index(1).map(|index| nearest(index, shape, rounds)),
            }),
            (_, direct) if direct.is_some() || nested => found.push(Access {
                op: inner,
                update: None,
                index: None,
            }),
            _ => {}
        }
    }
    found
}

/// Of what is outside the nearest is read.
fn nearest(index: Index, shape: &[i64], rounds: i64) -> Index {
    let iterations = [Interval::of_size(rounds)];
    let any = vec![ANY; index.labels.len()];
    let numbers = index.numbers.into_iter().zip(shape);
    Index {
        numbers: numbers
            .map(|(number, size)| {
                let bounds = number.bounds(&iterations, &[], &any);
                match 0 <= bounds.lower && bounds.upper < *size {
                    true => number,
                    false => number.max(c(0)).min(c(size - 1)),
                }
            })
            .collect(),
        labels: index.labels,
    }
}

/// Two iterations whose accesses meet, in words.
fn meet(a: &Access<'_>, b: &Access<'_>, shape: &[i64], rounds: i64) -> Option<String> {
    if rounds < 2 || shape.contains(&0) {
        return None;
    }
    let (Some(first), Some(second)) = (&a.index, &b.index) else {
        return Some("an index that follows from data may be any".into());
    };
    let mut domain = IndexingMap::from_dims(&[rounds, rounds], []);
    let mut labels: Vec<&String> = Vec::new();
    for label in first.labels.iter().chain(&second.labels) {
        if !labels.contains(&label) {
            labels.push(label);
            domain
                .runtime
                .push(RuntimeVariable::new(ANY, label.clone(), None));
        }
    }
    let place = |index: &Index, number: &Expr, dim: usize| {
        number.replace(|kind| match kind {
            ExprKind::Runtime(k) => {
                let label = index.labels.get(*k);
                let known = labels.iter().position(|known| Some(*known) == label);
                rt(known.unwrap_or(0))
            }
            _ => d(dim),
        })
    };
    let mut same = domain.clone();
    for ((x, y), size) in first.numbers.iter().zip(&second.numbers).zip(shape) {
        let (x, y) = (place(first, x, 0), place(second, y, 1));
        same = same
            .with_constraint(x.clone(), Interval::of_size(*size))
            .with_constraint(x - y, Interval::new(0, 0));
    }
    // Either of the two may be the earlier one.
    for order in [Interval::new(1, rounds - 1), Interval::new(1 - rounds, -1)] {
        let apart = same.clone().with_constraint(d(0) - d(1), order);
        if apart.domain_is_empty() == Some(true) {
            continue;
        }
        let maps = [first, second].map(|index| {
            let numbers: Vec<String> = index.numbers.iter().map(ToString::to_string).collect();
            format!("(d0) -> ({})", numbers.join(", "))
        });
        return Some(format!("{} and {}", maps[0], maps[1]));
    }
    None
}

/// Reads indices as functions of the number of the iteration.
struct Reader<'c> {
    op: Op<'c>,
    labels: Vec<String>,
}

impl<'c> Reader<'c> {
    fn index(mut self, at: Val<'c>) -> Option<Index> {
        let numbers = self.sizes(at)?;
        Some(Index {
            numbers,
            labels: self.labels,
        })
    }

    /// The numbers of a shape.
    fn sizes(&mut self, value: Val<'c>) -> Option<Vec<Expr>> {
        let (source, _) = op::defining_op(value)?;
        let pos = || usize::try_from(source.int("pos")?).ok();
        match source.name() {
            "tarray.shape" => Some(source.ints("sizes")?.into_iter().map(c).collect()),
            "tarray.insert" => {
                let mut sizes = self.sizes(source.operand(0))?;
                sizes.insert(pos()?.min(sizes.len()), self.number(source.operand(1))?);
                Some(sizes)
            }
            "tarray.replace" => {
                let mut sizes = self.sizes(source.operand(0))?;
                *sizes.get_mut(pos()?)? = self.number(source.operand(1))?;
                Some(sizes)
            }
            "tarray.add" => {
                let mut sizes = self.sizes(source.operand(0))?;
                sizes.extend(self.sizes(source.operand(1))?);
                Some(sizes)
            }
            _ => None,
        }
    }

    /// A number: affine in the number of the iteration, or the same in all of them.
    fn number(&mut self, value: Val<'c>) -> Option<Expr> {
        if let Some((block, k)) = op::block_argument(value)
            && op::parent_of_block(block)
                .is_some_and(|parent| parent.to_raw().ptr == self.op.to_raw().ptr)
        {
            return self.element(k);
        }
        if let Some(known) = constants(value)
            && let [known] = known.as_slice()
        {
            return Some(c(*known));
        }
        let inside = op::defining_op(value).filter(|(source, _)| self.is_inside(*source));
        let Some((source, _)) = inside else {
            // It is made outside of the loop.
            let label = format!("%{}", op::key(value));
            let known = self.labels.iter().position(|known| *known == label);
            let number = known.unwrap_or_else(|| {
                self.labels.push(label);
                self.labels.len() - 1
            });
            return Some(rt(number));
        };
        let mut both = || {
            Some((
                self.number(source.operand(0))?,
                self.number(source.operand(1))?,
            ))
        };
        match source.name() {
            "stablehlo.add" => both().map(|(x, y)| x + y),
            "stablehlo.subtract" => both().map(|(x, y)| x - y),
            "stablehlo.multiply" => {
                let (x, y) = both()?;
                match (x.as_constant(), y.as_constant()) {
                    (_, Some(by)) => Some(x * by),
                    (Some(by), _) => Some(y * by),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn is_inside(&self, source: Op<'c>) -> bool {
        let mut at = source.parent();
        while let Some(parent) = at {
            if parent.to_raw().ptr == self.op.to_raw().ptr {
                return true;
            }
            at = parent.parent();
        }
        false
    }

    /// The element of operand `k`, where that is known to be affine.
    fn element(&self, k: usize) -> Option<Expr> {
        let (source, _) = op::defining_op(self.op.operand(k))?;
        match source.name() {
            "tarray.arange" => {
                let number = |i: usize| match constants(source.operand(i))?.as_slice() {
                    [one] => Some(*one),
                    _ => None,
                };
                Some(d(0) * number(2)? + c(number(0)?))
            }
            "tarray.slices" => {
                let (iota, _) = op::defining_op(source.operand(0))?;
                let vector = TensorType::from_mlir(source.operand(0).r#type())?.rank() == 1;
                (iota.is_hlo("iota") && vector).then(|| d(0))
            }
            _ => None,
        }
    }
}
