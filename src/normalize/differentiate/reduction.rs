//! Reductions along dimensions.

use super::{extremes::Extreme, reverse::Reverse};
use crate::rewrite::{Result, fail};
use mapwright_mlir::{ElementType, Op, Val, op};
use std::collections::HashSet;

/// What a reduction puts its elements together by.
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
    pub(super) fn of(op: Op<'_>) -> Self {
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

/// Is a value always one of these?
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
        let combination = Combination::of(op);
        for k in 0..n {
            let (x, init) = (op.operand(k), op.operand(n + k));
            let Some(given) = given[k] else { continue };
            self.initial_value(op, combination, init, given)?;
            if !self.is_active(x) {
                continue;
            }
            let along = |value: Val<'c>| self.by_relation(op, (k, k), value);
            let part = match combination {
                Combination::Sum => along(given)?,
                // Those that are equal to it have equal parts.
                Combination::Extreme(_) => {
                    let dims = op.ints("dimensions").unwrap_or_default();
                    let equal = m.compare("EQ", x, along(op.result(k))?);
                    let (element, _) = m.type_of(x);
                    let count = m.sum(m.convert(equal, &element), &dims);
                    let share = m.same("divide", &[given, count]);
                    m.select(equal, along(share)?, self.zeros_like(x))
                }
                Combination::Product => {
                    let dims = op.ints("dimensions").unwrap_or_default();
                    let reduce = |name: &str, value: Val<'c>| match name {
                        "multiply" => {
                            let (element, _) = m.type_of(value);
                            m.reduce(name, value, m.number(1.0, &element, &[]), &dims)
                        }
                        _ => m.sum(value, &dims),
                    };
                    // The initial value is a factor as well.
                    let whole = |value: Val<'c>| {
                        let shape = m.type_of(value).1;
                        Ok(m.same("multiply", &[value, m.spread(init, &shape)]))
                    };
                    self.of_product(x, given, &reduce, &whole, &along)?
                }
                Combination::Selection => self.of_selection(op, (k, n), given, &along)?,
                Combination::Other => {
                    return fail(
                        op,
                        "has no rule of differentiation: its body is no sum, product, maximum or minimum, and selects no operand",
                    );
                }
            };
            self.give(x, part);
        }
        Ok(())
    }

    /// Of products of some elements each: the product of the others is the whole one by the element, where that is finite and not zero. Where one
    /// element is zero, only its own derivative is not. Beside an infinite one the others have a product of their own.
    pub(super) fn of_product(
        &self,
        x: Val<'c>,
        given: Val<'c>,
        reduce: &dyn Fn(&str, Val<'c>) -> Val<'c>,
        whole: &dyn Fn(Val<'c>) -> Result<'c, Val<'c>>,
        along: &dyn Fn(Val<'c>) -> Result<'c, Val<'c>>,
    ) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let (element, shape) = m.type_of(x);
        let zeros = m.zeros(&element, &shape);
        let is_zero = m.compare("EQ", x, zeros);
        let others = m.select(is_zero, m.number(1.0, &element, &shape), x);
        let product = whole(reduce("multiply", others))?;
        let count = reduce("add", m.convert(is_zero, &element));
        let (_, out) = m.type_of(product);
        let with = |zeros_there: f64, product: Val<'c>| {
            let there = m.compare("EQ", count, m.number(zeros_there, &element, &out));
            let part = m.same("multiply", &[given, product]);
            along(m.select(there, part, m.zeros(&element, &out)))
        };
        let mut plain = m.same("divide", &[with(0.0, product)?, others]);
        if matches!(element, ElementType::Float(_)) {
            let infinity = m.number(f64::INFINITY, &element, &shape);
            let is_finite = m.compare("LT", m.same("abs", &[x]), infinity);
            let ones = m.number(1.0, &element, &shape);
            let finite = whole(reduce("multiply", m.select(is_finite, others, ones)))?;
            let infinite = m.select(is_finite, zeros, ones);
            let single = m.compare("EQ", reduce("add", infinite), m.number(1.0, &element, &out));
            let beside = with(0.0, m.select(single, finite, product))?;
            plain = m.select(is_finite, plain, beside);
        }
        Ok(m.select(is_zero, with(1.0, product)?, plain))
    }

    /// The elements at the place where all operands are what the results are; where there are several, they share.
    fn of_selection(
        &self,
        op: Op<'c>,
        (k, n): (usize, usize),
        given: Val<'c>,
        along: &dyn Fn(Val<'c>) -> Result<'c, Val<'c>>,
    ) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let x = op.operand(k);
        let (element, _) = m.type_of(x);
        let mut equal: Option<Val<'c>> = None;
        for j in 0..n {
            let there = m.compare("EQ", op.operand(j), along(op.result(j))?);
            equal = Some(equal.map_or(there, |known| m.and(known, there)));
        }
        let Some(equal) = equal else {
            return fail(op, "has no operands");
        };
        let dims = op.ints("dimensions").unwrap_or_default();
        let count = m.sum(m.convert(equal, &element), &dims);
        let share = m.same("divide", &[given, count]);
        Ok(m.select(equal, along(share)?, self.zeros_like(x)))
    }
}
