//! How often a loop runs, at most.

use super::reverse::yields;
use crate::tarray::make::Make;
use mapwright_indexing::{Extent, IndexingMap};
use mapwright_mlir::{Builder, ElementType, Op, Steps, Val, attr, op};
use mapwright_ops::{control::known_trips, fold};

/// The number of iterations of a loop.
pub(super) struct Trips {
    /// The most there can be, as a size.
    pub(super) most: Extent,
    /// The loop runs exactly `most` times.
    pub(super) exact: bool,
    /// Of each carried number that grows by the same step in every iteration its first value and
    /// the step.
    pub(super) steady: Vec<Option<(i64, i64)>>,
}

impl Trips {
    /// Of a `while`: where the number follows from constants, or a counter stays below a number
    /// that is the same in all iterations.
    pub(super) fn from_while<'c>(op: Op<'c>, m: &Make<'c>) -> Option<Self> {
        if let Some((most, steady)) = known_trips(op) {
            return Some(Self {
                most: most.into(),
                exact: true,
                steady,
            });
        }
        let (condition, body) = (op.body(0)?, op.body(1)?);
        let (arguments, next) = (op::arguments(body), yields(body));
        let steady: Vec<Option<(i64, i64)>> = (0..op.num_operands())
            .map(|i| {
                let first = constant(op.operand(i))?;
                let (grown, _) = op::defining_op(*next.get(i)?)?;
                let own = op::key(*arguments.get(i)?);
                let step = match grown.operands().as_slice() {
                    [a, b] if grown.is_hlo("add") && op::key(*a) == own => constant(*b)?,
                    [a, b] if grown.is_hlo("add") && op::key(*b) == own => constant(*a)?,
                    _ => return None,
                };
                Some((first, step))
            })
            .collect();
        let (compared, _) = op::defining_op(*yields(condition).first()?)?;
        let below = compared.is_hlo("compare")
            && mapwright_ops::attrs::comparison_direction(compared)
                == Ok(mapwright_ops::attrs::ComparisonDirection::Lt);
        if !below {
            return None;
        }
        let place = |value: Val<'_>| {
            let all = op::arguments(condition);
            all.iter().position(|a| op::key(*a) == op::key(value))
        };
        let (first, step) = (*steady.get(place(compared.operand(0))?)?)?;
        // What the counter is compared with stays the same.
        let end = match place(compared.operand(1)) {
            Some(i) if op::key(*next.get(i)?) == op::key(*arguments.get(i)?) => op.operand(i),
            Some(_) => return None,
            None => compared.operand(1),
        };
        let most = match greatest(end, &Steps::default()) {
            Some(most) => most.checked_sub(first)?.max(0).into(),
            None => at_run_time(op, end, first, m)?,
        };
        (step == 1).then_some(Self {
            most,
            exact: false,
            steady,
        })
    }
}

/// The size that `end - first` is, made as far outside as `end` is known, so that loops around this
/// one have it, too.
fn at_run_time<'c>(op: Op<'c>, end: Val<'c>, first: i64, m: &Make<'c>) -> Option<Extent> {
    let mut end = end;
    let mut before = op;
    loop {
        let home = match op::defining_op(end) {
            Some((made, _)) => made.block()?,
            None => op::block_argument(end)?.0,
        };
        while before.block()?.to_raw().ptr != home.to_raw().ptr {
            before = before.parent()?;
        }
        // What a loop carries unchanged is known outside of it.
        let outer = op::block_argument(end).and_then(|(block, i)| {
            let parent = op::parent_of_block(block).filter(|op| op.is_hlo("while"))?;
            let body = parent.body(1)?;
            let same = op::key(*yields(body).get(i)?) == op::key(*op::arguments(body).get(i)?);
            same.then(|| parent.operands().get(i).copied())?
        });
        match outer {
            Some(outer) => end = outer,
            None => break,
        }
    }
    let place = m.elsewhere(Builder::before(op.context(), before)?);
    let wide = place.convert(end, &ElementType::int(64));
    let count = place.sub(wide, place.int(first));
    Some(m.size_of(place.max(count, place.int(0))))
}

fn constant(value: Val<'_>) -> Option<i64> {
    let found = fold::value(value, &[], &IndexingMap::new(vec![], vec![]))?;
    found.as_constant()
}

/// A number that no element is above.
fn greatest(value: Val<'_>, steps: &Steps) -> Option<i64> {
    steps.take()?;
    if let Some(value) = constant(value) {
        return Some(value);
    }
    let (made, _) = op::defining_op(value)?;
    if made.is_hlo("constant") {
        return made
            .attribute("value")
            .and_then(attr::ints)?
            .into_iter()
            .max();
    }
    let of = |k: usize| {
        made.operands()
            .get(k)
            .and_then(|value| greatest(*value, steps))
    };
    match made.short_name() {
        "minimum" => match (of(0), of(1)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        },
        "clamp" => of(2),
        // Elements of what has none above it.
        "convert" | "reshape" | "slice" | "dynamic_slice" | "broadcast_in_dim" => of(0),
        _ => None,
    }
}
