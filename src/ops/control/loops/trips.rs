//! How often a loop runs, and the numbers that it carries, where they follow from constants.

use super::Loop;
use crate::fold;
use crate::query::Query;
use mapwright_indexing::{Expr, IndexingMap, Interval, Variable, c, s};
use mapwright_mlir::{Val, op};

/// The most iterations that are counted one by one.
const COUNTED: i64 = 256;
/// The most iterations of a loop that is counted by formula.
const LONGEST: i64 = 1 << 40;

/// The values of a carried number, by iteration.
#[derive(Clone, Debug)]
pub(super) enum Carried {
    /// Not known, or no number.
    Unknown,
    /// First value, and what each iteration adds.
    Affine(i64, i64),
    /// The values at the beginning of all iterations, and after the last.
    Listed(Vec<i64>),
}

impl Carried {
    /// The value in iteration `time`, an expression that grows by `stride` for each unit of a
    /// variable.
    pub fn at(&self, first: i64, stride: i64, variable: Option<&Expr>) -> Option<Expr> {
        match (self, variable) {
            (Self::Affine(start, step), variable) => {
                let value = step.checked_mul(first)?.checked_add(*start)?;
                let slope = step.checked_mul(stride)?;
                Some(match variable {
                    Some(variable) => variable.clone() * slope + value,
                    None => c(value),
                })
            }
            (Self::Listed(values), None) => values.get(usize::try_from(first).ok()?).map(|v| c(*v)),
            _ => None,
        }
    }
}

/// A loop of known length.
pub(super) struct Trips {
    /// Number of iterations.
    pub count: i64,
    /// Facts about every carried value.
    pub carried: Vec<Carried>,
}

/// Looks up a value in a list of arguments.
fn known<'a>(
    arguments: &'a [Val<'_>],
    values: &'a [Option<Expr>],
) -> impl Fn(Val<'_>) -> Option<Expr> + 'a {
    |value| {
        let at = arguments
            .iter()
            .position(|argument| op::key(*argument) == op::key(value))?;
        values.get(at)?.clone()
    }
}

/// The number of iterations, if it is known.
pub(super) fn trips(q: &Query<'_>, parts: &Loop<'_>) -> Option<Trips> {
    let nothing = IndexingMap::new(vec![], vec![]);
    let scalar = |i: usize| q.operand(i).is_ok_and(|ty| ty.rank() == 0);
    let n = q.num_operands();
    let goes_on = |values: &[Option<Expr>], map: &IndexingMap| -> Option<bool> {
        let known = known(&parts.condition_arguments, values);
        let value = fold::value_with(parts.condition, &[], map, &known)?;
        value.as_constant().map(|value| value != 0)
    };
    let next = |values: &[Option<Expr>], map: &IndexingMap| -> Vec<Option<Expr>> {
        let known = known(&parts.arguments, values);
        (0..n)
            .map(|i| {
                values[i].as_ref()?;
                fold::value_with(parts.yielded[i], &[], map, &known)
            })
            .collect()
    };
    let constants = |values: Vec<Option<Expr>>| -> Vec<Option<Expr>> {
        values
            .into_iter()
            .map(|value| value.filter(|value| value.as_constant().is_some()))
            .collect()
    };
    let mut values: Vec<Option<Expr>> = constants(
        (0..n)
            .map(|i| {
                if scalar(i) {
                    fold::value(q.op.operand(i), &[], &nothing)
                } else {
                    None
                }
            })
            .collect(),
    );
    let mut seen: Vec<Vec<i64>> = vec![Vec::new(); n];
    let mut count = 0;
    while count < COUNTED {
        for (list, value) in seen.iter_mut().zip(&values) {
            list.extend(value.as_ref().and_then(Expr::as_constant));
        }
        if !goes_on(&values, &nothing)? {
            return Some(Trips {
                count,
                carried: seen
                    .into_iter()
                    .map(|values| listed(values, count + 1))
                    .collect(),
            });
        }
        values = constants(next(&values, &nothing));
        count += 1;
    }
    // What grows steadily so far is taken to go on like that, until it is shown.
    let mut carried: Vec<Carried> = seen
        .into_iter()
        .map(|values| listed(values, count))
        .collect();
    for one in &mut carried {
        if matches!(one, Carried::Listed(_)) {
            *one = Carried::Unknown;
        }
    }
    let all = |carried: &[Carried], first: i64, variable: Option<&Expr>| -> Vec<Option<Expr>> {
        carried
            .iter()
            .map(|one| one.at(first, 1, variable))
            .collect()
    };
    let mut end = COUNTED;
    while goes_on(&all(&carried, end, None), &nothing)? {
        end = end.checked_mul(2).filter(|end| *end <= LONGEST)?;
    }
    let mut start = end / 2;
    while end - start > 1 {
        let middle = start + (end - start) / 2;
        if goes_on(&all(&carried, middle, None), &nothing)? {
            start = middle
        } else {
            end = middle
        }
    }
    // For every iteration before the end: the steps are what was taken, and the condition holds.
    let mut any = IndexingMap::new(vec![], vec![]);
    any.push_range(Variable::new(Interval::of_size(end)));
    loop {
        let now = all(&carried, 0, Some(&s(0)));
        let then = next(&now, &any);
        let mut wrong = false;
        for (i, one) in carried.iter_mut().enumerate() {
            let Carried::Affine(_, step) = *one else {
                continue;
            };
            let grows = (|| {
                let difference = then[i].clone()? - now[i].clone()? - step;
                let mut map = any.clone();
                map.set_results(vec![difference]);
                map.simplify().results().first()?.as_constant()
            })();
            if grows != Some(0) {
                *one = Carried::Unknown;
                wrong = true;
            }
        }
        if !wrong {
            break;
        }
    }
    let holds = goes_on(&all(&carried, 0, Some(&s(0))), &any)?;
    let ends = !goes_on(&all(&carried, end, None), &nothing)?;
    (holds && ends).then_some(Trips {
        count: end,
        carried,
    })
}

/// Values at `count` times, as a formula where there is one.
fn listed(values: Vec<i64>, count: i64) -> Carried {
    if values.len() as i64 != count || values.is_empty() {
        return Carried::Unknown;
    }
    let first = values[0];
    let step = values
        .get(1)
        .map_or(Some(0), |second| second.checked_sub(first));
    let steady = |step: i64| {
        values
            .windows(2)
            .all(|pair| pair[1].checked_sub(pair[0]) == Some(step))
    };
    match step {
        Some(step) if steady(step) => Carried::Affine(first, step),
        _ => Carried::Listed(values),
    }
}
