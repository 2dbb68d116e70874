//! Scatters: sums, replacements, products and extremes.

use super::{places::Places, reduction::Combination, reverse::Reverse};
use crate::rewrite::{Result, fail, replaces};
use mapwright_indexing::Extent;
use mapwright_mlir::{Attr, ElementType, Op, Val, op};
use mapwright_ops::attrs::ScatterDimensions;

/// A scatter taken apart.
struct Scatter<'c> {
    at: Val<'c>,
    places: Places,
    /// Attributes that its adjoints have, too.
    more: Vec<(&'static str, Attr<'c>)>,
    /// All places are different.
    unique: bool,
}

impl<'c> Reverse<'c> {
    /// Adds to the cotangents of the operand and of the updates.
    pub(super) fn scattered(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        if op.num_results() != 1 {
            return fail(
                op,
                "has no rule of differentiation: it has several operands",
            );
        }
        let (x, updates) = (op.operand(0), op.operand(2));
        let (element, own) = m.type_of(x);
        let (_, out) = m.type_of(updates);
        if own.contains(&Extent::ZERO) || out.contains(&Extent::ZERO) {
            if self.is_active(updates) {
                self.give(updates, self.zeros_like(updates));
            }
            if self.is_active(x) {
                self.give(x, given);
            }
            return Ok(());
        }
        let scatter = self.taken_apart(op)?;
        let Scatter {
            at, places, more, ..
        } = &scatter;
        let put = |name: Option<&str>, into: Val<'c>, updates: Val<'c>| {
            self.put_together(name, (into, *at, updates), places, more)
        };
        // Updates outside of the operand are left out.
        let inside = self.inside(&scatter, &own, &out);
        let taken = |from: Val<'c>| {
            let found = self.taken_from(from, *at, places, &out, more);
            let zeros = m.zeros(&m.type_of(from).0, &out);
            m.select(inside, found, zeros)
        };
        let replaces = replaces(op);
        let subtracts = op.body(0).is_some_and(|block| {
            let arguments: Vec<usize> = op::arguments(block).into_iter().map(op::key).collect();
            let ops = op::ops(block);
            let keys = |op: &Op<'_>| op.operands().into_iter().map(op::key).collect::<Vec<_>>();
            matches!(ops.as_slice(), [by, end] if by.is_hlo("subtract")
                && keys(by) == arguments
                && keys(end) == [op::key(by.result(0))])
        });
        match Combination::from_op(op) {
            _ if subtracts => {
                if self.is_active(x) {
                    self.give(x, given);
                }
                if self.is_active(updates) {
                    self.give(updates, m.same("negate", &[taken(given)]));
                }
            }
            _ if replaces => {
                let zeros = m.zeros(&element, &out);
                if self.is_active(x) {
                    self.give(x, put(None, given, zeros));
                }
                if self.is_active(updates) {
                    let part = taken(given);
                    let part = if scatter.unique {
                        part
                    } else {
                        m.select(self.stays(&scatter, &own, &out), part, zeros)
                    };
                    self.give(updates, part);
                }
            }
            Combination::Sum => {
                if self.is_active(x) {
                    self.give(x, given);
                }
                if self.is_active(updates) {
                    self.give(updates, taken(given));
                }
            }
            Combination::Product => {
                if self.is_active(x) {
                    self.give(x, put(Some("multiply"), given, updates));
                }
                if self.is_active(updates) {
                    let part = if scatter.unique {
                        taken(m.same("multiply", &[given, x]))
                    } else {
                        let together = |name: &str, value: Val<'c>| match name {
                            "multiply" => put(Some(name), x, value),
                            _ => put(Some(name), m.zeros(&element, &own), value),
                        };
                        self.of_product(updates, given, &together, &taken)
                    };
                    self.give(updates, part);
                }
            }
            // Those that are equal to the result have equal parts.
            Combination::Extreme(_) => {
                let y = op.result(0);
                let there = self.taken_from(y, *at, places, &out, more);
                let wins = m.and(inside, m.compare("EQ", updates, there));
                let stays = m.compare("EQ", x, y);
                let ones = m.convert(stays, &element);
                let count = put(Some("add"), ones, m.convert(wins, &element));
                let share = m.same("divide", &[given, count]);
                if self.is_active(x) {
                    self.give(x, m.select(stays, share, m.zeros(&element, &own)));
                }
                if self.is_active(updates) {
                    let zeros = m.zeros(&element, &out);
                    self.give(updates, m.select(wins, taken(share), zeros));
                }
            }
            _ => {
                return fail(
                    op,
                    "has no rule of differentiation: its body is no sum, difference, product, maximum or minimum, and replaces nothing",
                );
            }
        }
        Ok(())
    }

    /// Of products of some updates each: the product of the others is the whole one by the update,
    /// where that is finite and not zero. Where one update is zero, only its own derivative is not.
    /// Beside an infinite one the others have a product of their own.
    fn of_product(
        &self,
        x: Val<'c>,
        given: Val<'c>,
        together: &dyn Fn(&str, Val<'c>) -> Val<'c>,
        along: &dyn Fn(Val<'c>) -> Val<'c>,
    ) -> Val<'c> {
        let m = &self.m;
        let (element, shape) = m.type_of(x);
        let zeros = m.zeros(&element, &shape);
        let is_zero = m.compare("EQ", x, zeros);
        let others = m.select(is_zero, m.number(1.0, &element, &shape), x);
        let product = together("multiply", others);
        let count = together("add", m.convert(is_zero, &element));
        let (_, out) = m.type_of(product);
        let with = |zeros_there: f64, product: Val<'c>| {
            let there = m.compare("EQ", count, m.number(zeros_there, &element, &out));
            let part = m.same("multiply", &[given, product]);
            along(m.select(there, part, m.zeros(&element, &out)))
        };
        let mut plain = m.same("divide", &[with(0.0, product), others]);
        if matches!(element, ElementType::Float(_)) {
            let infinity = m.number(f64::INFINITY, &element, &shape);
            let is_finite = m.compare("LT", m.same("abs", &[x]), infinity);
            let ones = m.number(1.0, &element, &shape);
            let finite = together("multiply", m.select(is_finite, others, ones));
            let infinite = m.select(is_finite, zeros, ones);
            let single = m.compare(
                "EQ",
                together("add", infinite),
                m.number(1.0, &element, &out),
            );
            let beside = with(0.0, m.select(single, finite, product));
            plain = m.select(is_finite, plain, beside);
        }
        m.select(is_zero, with(1.0, product), plain)
    }

    fn taken_apart(&self, op: Op<'c>) -> Result<'c, Scatter<'c>> {
        let decoded = match ScatterDimensions::decode(op) {
            Ok(decoded) => decoded,
            Err(error) => return fail(op, error.to_string()),
        };
        let (_, own) = self.m.type_of(op.operand(0));
        let (_, out) = self.m.type_of(op.operand(2));
        let dims = decoded.gather(own.len(), &vec![1; out.len()]);
        let sorted = op.attribute("indices_are_sorted");
        Ok(Scatter {
            at: op.operand(1),
            places: Places::new(dims, own.len(), &out),
            more: sorted
                .map(|sorted| ("indices_are_sorted", sorted))
                .into_iter()
                .collect(),
            unique: op.boolean("unique_indices").unwrap_or(false),
        })
    }

    /// Emits, for each element of the updates, whether the window that it belongs to is inside of
    /// the operand.
    fn inside(&self, scatter: &Scatter<'c>, own: &[Extent], out: &[Extent]) -> Val<'c> {
        let m = &self.m;
        let dims = &scatter.places.dims;
        let (element, shape) = m.type_of(scatter.at);
        let greatest = self.greatest_starts(own, scatter.at, &scatter.places);
        let low = m.compare("GE", scatter.at, m.zeros(&element, &shape));
        let mut inside = m.and(low, m.compare("LE", scatter.at, greatest));
        let vector = dims.index_vector_dim;
        if vector < shape.len() as i64 {
            let all = m.splat("true", &ElementType::Bool, &[]);
            inside = m.reduce("and", inside, all, &[vector]);
        }
        let outer: Vec<i64> = (0..out.len() as i64)
            .filter(|d| !dims.offset_dims.contains(d))
            .collect();
        m.broadcast(inside, &outer, out)
    }

    /// Emits, for each of the updates that replace one element, whether it stays. They are
    /// numbered, and the numbers are put where they are.
    fn stays(&self, scatter: &Scatter<'c>, own: &[Extent], out: &[Extent]) -> Val<'c> {
        let m = &self.m;
        let count = out.iter().product();
        let numbers = m.reshape(m.iota(&[count], 0), out);
        let nobody = m.splat("-1", &ElementType::int(64), own);
        let (at, places) = (scatter.at, &scatter.places);
        let last = self.put_together(None, (nobody, at, numbers), places, &scatter.more);
        let there = self.taken_from(last, at, places, out, &scatter.more);
        m.compare("EQ", there, numbers)
    }
}
