//! Reductions along dimensions.

use super::{extremes::Extreme, reverse::Reverse};
use crate::rewrite::{Result, fail};
use mapwright_mlir::{Op, Val, op};
use std::collections::HashSet;

/// Operation by which a reduction combines its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combination {
    Sum,
    Product,
    Extreme(Extreme),
    /// One of several operands' elements at one place is the result.
    Selection,
    Other,
}

impl Combination {
    /// Of the first region of an operation.
    pub(super) fn from_op(op: Op<'_>) -> Self {
        let Some(block) = super::window_of_sizes::body(op) else {
            return Self::Other;
        };
        let body = op::ops(block);
        if let [one, end] = body.as_slice()
            && op.num_results() == 1
            && end.num_operands() == 1
            && one.num_results() == 1
            && op::key(end.operand(0)) == op::key(one.result(0))
        {
            let arguments: Vec<usize> = op::arguments(block).into_iter().map(op::key).collect();
            let mut both: Vec<usize> = one.operands().into_iter().map(op::key).collect();
            let plain = both == arguments;
            both.reverse();
            if plain || both == arguments {
                match one.short_name() {
                    "add" => return Self::Sum,
                    "multiply" => return Self::Product,
                    "maximum" => return Self::Extreme(Extreme::Greatest),
                    "minimum" => return Self::Extreme(Extreme::Least),
                    _ => {}
                }
            }
        }
        let n = op.num_results();
        let arguments = op::arguments(block);
        let Some(end) = body.last() else {
            return Self::Other;
        };
        let selects = end.num_operands() == n
            && arguments.len() == 2 * n
            && (0..n).all(|k| {
                let own = [op::key(arguments[k]), op::key(arguments[n + k])];
                is_one_of(end.operand(k), &own)
            });
        if selects {
            Self::Selection
        } else {
            Self::Other
        }
    }
}

/// Tells whether a value is always one of `these`, by its selections, maxima and minima.
fn is_one_of(value: Val<'_>, these: &[usize]) -> bool {
    let (mut pending, mut seen) = (vec![value], HashSet::new());
    while let Some(value) = pending.pop() {
        if these.contains(&op::key(value)) || !seen.insert(op::key(value)) {
            continue;
        }
        let made = op::defining_op(value).map(|(made, _)| made);
        match made.map(|made| (made.short_name(), made.operands())) {
            Some(("select", operands)) => pending.extend(operands.into_iter().skip(1)),
            Some(("maximum" | "minimum", operands)) => pending.extend(operands),
            _ => return false,
        }
    }
    true
}

impl<'c> Reverse<'c> {
    /// Adds to the cotangent of the initial value of a reduction, along dimensions or of windows.
    pub(super) fn initial_value(
        &self,
        op: Op<'c>,
        combination: Combination,
        init: Val<'c>,
        given: Val<'c>,
    ) -> Result<'c> {
        if !self.is_active(init) {
            return Ok(());
        }
        if combination != Combination::Sum {
            return fail(op, "has no rule of differentiation by its initial value");
        }
        self.give(init, self.m.total(given));
        Ok(())
    }

    /// Adds to the cotangents of what is reduced.
    pub(super) fn reduction(&self, op: Op<'c>, given: &[Option<Val<'c>>]) -> Result<'c> {
        let m = &self.m;
        let n = op.num_operands() / 2;
        let combination = Combination::from_op(op);
        for k in 0..n {
            let (x, init) = (op.operand(k), op.operand(n + k));
            let Some(given) = given[k] else { continue };
            self.initial_value(op, combination, init, given)?;
            if !self.is_active(x) {
                continue;
            }
            let (_, own) = m.type_of(x);
            let dims = op.ints("dimensions").unwrap_or_default();
            let kept: Vec<i64> = (0..own.len() as i64)
                .filter(|d| !dims.contains(d))
                .collect();
            let along = |value: Val<'c>| m.broadcast(value, &kept, &own);
            let part = match combination {
                Combination::Sum => along(given),
                // Those that are equal to it have equal parts.
                Combination::Extreme(_) => {
                    let equal = m.compare("EQ", x, along(op.result(k)));
                    let (element, _) = m.type_of(x);
                    let count = m.sum(m.convert(equal, &element), &dims);
                    let share = m.same("divide", &[given, count]);
                    m.select(equal, along(share), self.zeros_like(x))
                }
                Combination::Selection => self.of_selection(op, (k, n), given, &along)?,
                Combination::Product | Combination::Other => {
                    return fail(
                        op,
                        "has no rule of differentiation: its body is no sum, maximum or minimum, and selects no operand",
                    );
                }
            };
            self.give(x, part);
        }
        Ok(())
    }

    /// The elements at the place where all operands are what the results are; where there are
    /// several, they share.
    fn of_selection(
        &self,
        op: Op<'c>,
        (k, n): (usize, usize),
        given: Val<'c>,
        along: &dyn Fn(Val<'c>) -> Val<'c>,
    ) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let x = op.operand(k);
        let (element, _) = m.type_of(x);
        let mut equal: Option<Val<'c>> = None;
        for j in 0..n {
            let there = m.compare("EQ", op.operand(j), along(op.result(j)));
            equal = Some(equal.map_or(there, |known| m.and(known, there)));
        }
        let Some(equal) = equal else {
            return fail(op, "has no operands");
        };
        let dims = op.ints("dimensions").unwrap_or_default();
        let count = m.sum(m.convert(equal, &element), &dims);
        let share = m.same("divide", &[given, count]);
        Ok(m.select(equal, along(share), self.zeros_like(x)))
    }
}
