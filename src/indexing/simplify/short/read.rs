//! Reading: expressions as sums of variables, of digits of variables and of quotients that stay.

use super::super::arena::{Arena, Class, Node, NodeId};
use super::Short;
use super::digits::{Digit, Left};
use super::one::rounded_down;
use super::sum::{SMALL, Sum, small, value, wide_product};
use crate::expr::Op;

/// Parts beyond which a sum is read like everything else.
const MOST: u32 = 64;
/// Operations beyond which a sum with digits is: what stands in it several times would be gone through each time.
const FEW: u32 = 10;
/// Nodes of an arena in which nothing has to be counted.
const SMALL_ARENA: usize = 20;

/// How much of a sum may still be looked at.
pub(super) struct Reading {
    root: NodeId,
    parts: u32,
    /// There was a digit in it.
    digits: bool,
}

impl Reading {
    pub(super) fn of(root: NodeId) -> Self {
        Reading {
            root,
            parts: MOST,
            digits: false,
        }
    }
}

/// The number of operations as it is written, with what stands at several places at each; `None` if there are more than `most`.
fn count_operations(arena: &Arena, node: NodeId, most: u32) -> Option<u32> {
    let Node::Binary(_, a, b) = arena.node(node) else {
        return Some(0);
    };
    let most = most.checked_sub(1)?;
    let left = count_operations(arena, a, most)?;
    let right = count_operations(arena, b, most - left)?;
    Some(1 + left + right)
}

/// `m * (x floordiv m) + x mod m -> x`: whether the node is what stands on the left.
fn is_multiple_below(arena: &Arena, node: NodeId, (x, m): (NodeId, NodeId)) -> bool {
    match arena.node(node) {
        Node::Binary(Op::Mul, quotient, factor) if factor == m => {
            matches!(arena.node(quotient), Node::Binary(Op::FloorDiv, y, n) if (y, n) == (x, m))
        }
        _ => false,
    }
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Scratch {
    pub(super) sum: Sum,
    pub(super) inner: Sum,
}

impl Short {
    /// What an expression is made of, if the short way leads there.
    pub(super) fn read(
        &mut self,
        arena: &Arena,
        scratch: &mut Scratch,
        reading: &mut Reading,
    ) -> Option<()> {
        let Scratch { sum, inner } = scratch;
        sum.clear();
        let added = self.add(arena, (reading.root, 1), sum, Some(inner), reading);
        let merged = added.and_then(|()| sum.merge(&self.values));
        // Digits of one variable may be put together.
        if merged.is_none() || !sum.parts_are_apart() {
            // What has a digit that leads nowhere seldom has one that does.
            self.shortens &= !reading.digits;
            return None;
        }
        Some(())
    }

    /// What the dividend of a division is made of, which is kept as long as nothing changes that is known of the variables: of a window
    /// there are often a remainder and a quotient.
    #[inline(always)]
    pub(super) fn read_terms(
        &self,
        arena: &Arena,
        x: NodeId,
        inner: &mut Sum,
        reading: &mut Reading,
    ) -> Option<()> {
        if inner.of == Some((x, self.generation)) {
            return Some(());
        }
        inner.clear();
        self.add(arena, (x, 1), inner, None, reading)?;
        if inner.is_linear() {
            inner.of = Some((x, self.generation));
        }
        Some(())
    }

    /// Whether it is a dividend that was read for something else, and is a sum of several variables.
    #[inline(always)]
    pub(super) fn is_read(&self, inner: &Sum, x: NodeId) -> bool {
        inner.of == Some((x, self.generation)) && inner.linear.has_several()
    }

    /// `sum += coef * node`, as far as there are parts left.
    fn add(
        &self,
        arena: &Arena,
        (mut node, mut coef): (NodeId, i64),
        sum: &mut Sum,
        mut inner: Option<&mut Sum>,
        reading: &mut Reading,
    ) -> Option<()> {
        loop {
            reading.parts = reading.parts.checked_sub(1)?;
            match arena.node(node) {
                Node::Binary(Op::Add, a, b) => {
                    node = a;
                    // What is added is most often short.
                    match arena.node(b) {
                        Node::Binary(Op::Mod, x, m)
                            if is_multiple_below(arena, a, (x, m))
                                && self.divisor(arena, m).is_some()
                                && !self.is_rescaled
                                && !self.is_strided() =>
                        {
                            node = x;
                        }
                        Node::Constant(v) => sum.linear.add_constant(value(v)? * coef)?,
                        Node::Variable(class, i) => self.add_variable(class, i, coef, sum)?,
                        Node::Binary(Op::Mul, x, c)
                            if let Node::Variable(class, i) = arena.node(x) =>
                        {
                            let coef = small(small(arena.as_constant(c)?)? * coef)?;
                            self.add_variable(class, i, coef, sum)?;
                        }
                        Node::Binary(op @ (Op::FloorDiv | Op::CeilDiv | Op::Mod), x, m) => {
                            reading.parts = reading.parts.checked_sub(1)?;
                            let parts = (&mut *sum, inner.as_deref_mut());
                            self.add_division(arena, coef, (op, x, m), parts, reading)?;
                        }
                        _ => self.add(arena, (b, coef), sum, inner.as_deref_mut(), reading)?,
                    }
                }
                Node::Binary(Op::Mul, a, b) => {
                    coef = small(small(arena.as_constant(b)?)? * coef)?;
                    if coef == 0 {
                        return Some(());
                    }
                    node = a;
                }
                Node::Binary(op @ (Op::FloorDiv | Op::CeilDiv | Op::Mod), x, m) => {
                    let division = (op, x, m);
                    return self.add_division(arena, coef, division, (sum, inner), reading);
                }
                Node::Binary(op, a, b) => {
                    return self.add_extremum(arena, coef, (op, a, b), (sum, inner), reading);
                }
                Node::Constant(v) => return sum.linear.add_constant(value(v)? * coef),
                Node::Variable(class, i) => return self.add_variable(class, i, coef, sum),
            }
        }
    }

    /// `sum += coef * min(x, c)`, or `max`, of a sum of variables that lies on one side of the number. `None` also inside of a dividend.
    #[inline(never)]
    fn add_extremum(
        &self,
        arena: &Arena,
        coef: i64,
        (op, a, b): (Op, NodeId, NodeId),
        (sum, inner): (&mut Sum, Option<&mut Sum>),
        reading: &mut Reading,
    ) -> Option<()> {
        let (x, c) = match (arena.as_constant(a), arena.as_constant(b)) {
            (None, Some(c)) => (a, value(c)?),
            (Some(c), None) => (b, value(c)?),
            _ => return None,
        };
        let inner = inner?;
        self.read_terms(arena, x, inner, reading)?;
        if !inner.is_linear() || (self.bounded && !self.sums_are_known) {
            return None;
        }
        let linear = &inner.linear;
        let values = match self.has_facts(linear) {
            true => self.values_with_facts(linear)?,
            false => self.far_from_the_ends(linear)?,
        };
        let (below, above) = (values.upper <= c, values.lower >= c);
        if below == above {
            return None;
        }
        if below != (op == Op::Min) {
            return sum.linear.add_constant(c * coef);
        }
        for (v, c) in linear.terms() {
            sum.linear.add(v, small(c * coef)?)?;
        }
        sum.linear.add_constant(wide_product(linear.k, coef)?)
    }

    /// A constant divisor.
    pub(super) fn divisor(&self, arena: &Arena, node: NodeId) -> Option<i64> {
        arena.as_constant(node).filter(|m| (2..=SMALL).contains(m))
    }

    /// `sum += coef * variable`; one that has a single value is that value.
    #[inline(always)]
    fn add_variable(&self, class: Class, i: u32, coef: i64, sum: &mut Sum) -> Option<()> {
        let v = self.place(class, i)?;
        let point = self.values[v].interval.as_point();
        let (mut coef, mut k) = (coef, 0);
        if self.is_rescaled {
            let (scale, offset) = self.rescaled[v];
            k = offset * coef;
            coef = small(scale * coef)?;
        }
        if let Some(value) = point {
            k += value * coef;
            return sum.linear.add_constant(k);
        }
        if k != 0 {
            sum.linear.add_constant(k)?;
        }
        sum.linear.add(v, coef)
    }

    /// `sum += coef * (x floordiv m)`, or `ceildiv`, or `mod`.
    #[inline(never)]
    fn add_division(
        &self,
        arena: &Arena,
        coef: i64,
        (op, x, m): (Op, NodeId, NodeId),
        (sum, inner): (&mut Sum, Option<&mut Sum>),
        reading: &mut Reading,
    ) -> Option<()> {
        let m = self.divisor(arena, m).filter(|_| self.shortens)?;
        let first = !std::mem::replace(&mut reading.digits, true);
        let is_read = inner.as_ref().is_some_and(|inner| self.is_read(inner, x));
        // Most divisions are of one variable.
        if op != Op::Mod
            && !is_read
            && let Some(one) = self.read_one(arena, x)
        {
            let one = rounded_down(op, one, m);
            return self.add_floor_of_one(sum, coef, one, m, false);
        }
        if first && arena.len() > SMALL_ARENA {
            count_operations(arena, reading.root, FEW)?;
        }
        self.add_division_of_sum(arena, coef, (op, x, m), (sum, inner), reading)
    }

    /// As [`Short::add_division`] of what is no product of one variable and a constant.
    #[inline(never)]
    fn add_division_of_sum(
        &self,
        arena: &Arena,
        coef: i64,
        (op, x, m): (Op, NodeId, i64),
        (sum, inner): (&mut Sum, Option<&mut Sum>),
        reading: &mut Reading,
    ) -> Option<()> {
        if op != Op::CeilDiv {
            match self.digit_of_one(arena, op, x, m) {
                Some(Left::Constant(v)) => return sum.linear.add_constant(v * coef),
                Some(Left::Digit(d)) => return sum.add_digit(Digit { coef, ..d }),
                None => {}
            }
        }
        let mut other;
        let inner = match inner {
            Some(inner) => inner,
            None => {
                other = Sum::default();
                &mut other
            }
        };
        self.read_terms(arena, x, inner, reading)?;
        if op != Op::Mod && !inner.is_linear() {
            let up = if op == Op::CeilDiv { m - 1 } else { 0 };
            if let Some((dividend, m)) = self.dividend_of_quotient(inner, up, m)? {
                return self.add_quotient(sum, coef, Op::FloorDiv, &dividend, m);
            }
        }
        if !inner.quotients.is_empty() {
            return None;
        }
        // It may lie in one period for what is known of it.
        let bounded = self.bounded && inner.has_several();
        if bounded {
            if !self.sums_are_known {
                return None;
            }
            if op == Op::Mod {
                return self.add_bounded_remainder(sum, coef, inner, m);
            }
        }
        if let Some(r) = inner.remainder.take() {
            return self.add_divided_remainder(sum, coef, op, (inner, r), m);
        }
        if !inner.is_merged() {
            // What is left of multiples and of a digit in one period does not depend on whether they fit together.
            if op == Op::FloorDiv
                && !bounded
                && inner.is_digit_in_one_period(&self.values, m)
                && sum.add_divided(&self.values, coef, op, inner, m)?
            {
                return Some(());
            }
            inner.merge(&self.values)?;
        }
        match op {
            Op::Mod => {
                if sum.add_divided(&self.values, coef, op, inner, m)? {
                    return Some(());
                }
                if !inner.digits.is_empty() {
                    return self.add_divided_at_a_factor(sum, coef, op, inner, m);
                }
                self.add_remainder_of(sum, coef, &inner.linear, m)
            }
            _ if inner.digits.is_empty() => self.add_quotient(sum, coef, op, &inner.linear, m),
            Op::FloorDiv if !bounded => {
                if sum.add_divided(&self.values, coef, op, inner, m)? {
                    return Some(());
                }
                self.add_divided_at_a_factor(sum, coef, op, inner, m)
            }
            _ => None,
        }
    }

    /// `x floordiv m` or `x mod m` for a variable x, or a digit of one.
    pub(super) fn digit_of_one(&self, arena: &Arena, op: Op, x: NodeId, m: i64) -> Option<Left> {
        let x = match arena.node(x) {
            Node::Variable(class, i) if !self.is_rescaled => {
                let v = self.place(class, i)?;
                match self.values[v].interval.as_point() {
                    Some(value) => Left::Constant(value),
                    None => Left::Digit(Digit::of(v)),
                }
            }
            Node::Binary(op @ (Op::FloorDiv | Op::Mod), x, b) => {
                self.digit_of_one(arena, op, x, self.divisor(arena, b)?)?
            }
            _ => return None,
        };
        match (x, op) {
            (Left::Constant(v), Op::FloorDiv) => Some(Left::Constant(v.div_euclid(m))),
            (Left::Constant(v), _) => Some(Left::Constant(v.rem_euclid(m))),
            (Left::Digit(digit), _) => digit.digit(&self.values, op, m),
        }
    }
}
