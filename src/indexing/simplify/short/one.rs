//! Sums of one variable, and quotients and remainders of them, which most of what stands in small maps is: they go without the machinery
//! of sums.

use super::super::arena::{Arena, Node, NodeId};
use super::super::div_mod::one_period;
use super::super::known::{Empty, Known, Outcome};
use super::Short;
use super::constraints::divided;
use super::digits::{Digit, Left};
use super::quotients::Quotiented;
use super::sum::{FAR, Linear, Sum, small, value, wide};
use super::write::with_constant;
use crate::expr::Op;
use crate::interval::Interval;

/// `u * variable + k`, not a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct One {
    pub(super) variable: usize,
    pub(super) u: i64,
    pub(super) k: i64,
}

impl One {
    pub(super) fn linear(self) -> Linear {
        let mut linear = Linear::of(self.variable, self.u);
        linear.k = self.k;
        linear
    }
}

impl Short {
    /// An expression that is a sum of one variable. `None` if it is something else, or a number.
    #[inline(always)]
    pub(super) fn read_one(&self, arena: &Arena, node: NodeId) -> Option<One> {
        let (mut node, mut u, mut k) = (node, 1, 0);
        loop {
            match arena.node(node) {
                Node::Variable(class, i) => {
                    let variable = self.place(class, i)?;
                    if self.values[variable].interval.as_point().is_some() {
                        return None;
                    }
                    if self.is_rescaled {
                        let (scale, offset) = self.rescaled[variable];
                        k = value(k + u * offset)?;
                        u = small(u * scale)?;
                    }
                    return Some(One { variable, u, k });
                }
                Node::Binary(Op::Add, x, y) => {
                    let (x, c) = match (arena.node(x), arena.node(y)) {
                        (_, Node::Constant(c)) => (x, c),
                        (Node::Constant(c), _) => (y, c),
                        _ => return None,
                    };
                    k = value(k + u * value(c)?)?;
                    node = x;
                }
                Node::Binary(Op::Mul, x, c) => {
                    u = small(u * small(arena.as_constant(c)?)?).filter(|u| *u != 0)?;
                    node = x;
                }
                _ => return None,
            }
        }
    }

    /// A result that is a sum of one variable, or a quotient or digit of one, and a constant.
    #[inline(always)]
    pub(super) fn result_of_one(
        &self,
        arena: &mut Arena,
        root: NodeId,
        inner: &Sum,
    ) -> Option<NodeId> {
        let (mut node, mut outer) = (root, 0);
        if let Node::Binary(Op::Add, x, c) = arena.node(root) {
            outer = value(arena.as_constant(c)?)?;
            node = x;
        }
        let Node::Binary(op @ (Op::FloorDiv | Op::CeilDiv | Op::Mod), x, m) = arena.node(node)
        else {
            let one = self.read_one(arena, root)?;
            if !self.is_rescaled && is_written(arena, root) {
                return Some(root);
            }
            return Some(self.write_one(arena, one));
        };
        if self.is_read(inner, x) {
            return None;
        }
        let m = self.divisor(arena, m).filter(|_| self.shortens)?;
        if op != Op::CeilDiv
            && let Some(left) = self.digit_of_one(arena, op, x, m)
        {
            return Some(match left {
                Left::Constant(v) => arena.constant(v + outer),
                Left::Digit(d) => {
                    let digit = self.write_digit(arena, &d);
                    with_constant(arena, Some(digit), outer)
                }
            });
        }
        if op == Op::Mod {
            return None;
        }
        let one = self.read_one(arena, x)?;
        let (left, scale, out) = self.quotient_of_one(rounded_down(op, one, m), m)?;
        let outer = wide(out + outer)?;
        let (u, k, m) = match left {
            Quotiented::Constant(v) => return Some(arena.constant(scale * v + outer)),
            Quotiented::Multiple(n) => {
                let (u, k) = (small(scale * n)?, outer);
                return Some(self.write_one(arena, One { u, k, ..one }));
            }
            Quotiented::Stays(u, k, m) => (u, k, m),
        };
        self.write_quotient_of_one(arena, One { u, k, ..one }, m, (scale, outer))
    }

    /// Adds `u * x + k in [lower, upper]`.
    pub(super) fn add_range_of_one(&mut self, one: One, (lower, upper): (i64, i64)) -> Outcome {
        if lower > upper {
            return Err(Empty);
        }
        let ends = divided((lower - one.k, upper - one.k), one.u);
        self.intersect(one.variable, ends)
    }

    /// Adds what a constraint says of a quotient or remainder of a sum of one variable.
    pub(super) fn add_divided_of_one(
        &mut self,
        op: Op,
        one: One,
        m: i64,
        (lower, upper): (i64, i64),
    ) -> Option<Outcome> {
        let One { variable, u, k } = one;
        let Known {
            interval, stride, ..
        } = self.values[variable];
        let width = interval.upper - interval.lower;
        if op == Op::Mod
            && lower == upper
            && (0..m).contains(&lower)
            && u.abs() == 1
            && stride == 1
            && width >= m
        {
            // More than a period, so its values do not lie on a line.
            return self.add_congruence(variable, m, ((lower - k) * u).rem_euclid(m));
        }
        if (u, k) == (1, 0)
            && op != Op::CeilDiv
            && let Some(Left::Digit(digit)) = Digit::of(variable).digit(&self.values, op, m)
            && !digit.is_variable()
        {
            return self.add_digit(digit, 0, (lower, upper));
        }
        if op == Op::Mod {
            return self.add_remainder_of_one(one, m, (lower, upper));
        }
        if lower > upper {
            return Some(Err(Empty));
        }
        // x floordiv m in [l, u] -> x in [m * l, m * u + m - 1]
        let far = |v: i64| v.saturating_mul(m).clamp(-FAR, FAR);
        let ends = (far(lower), far(upper) + m - 1);
        Some(self.add_range_of_one(rounded_down(op, one, m), ends))
    }

    /// Adds `(u * x + k) mod m in [lower, upper]`.
    fn add_remainder_of_one(
        &mut self,
        one: One,
        m: i64,
        (lower, upper): (i64, i64),
    ) -> Option<Outcome> {
        let (lower, upper) = (lower.max(0), upper.min(m - 1));
        if lower > upper {
            return Some(Err(Empty));
        }
        let Interval {
            lower: least,
            upper: greatest,
        } = self.values[one.variable].interval;
        let (x, y) = (one.u * least + one.k, one.u * greatest + one.k);
        let values = Interval::new(x.min(y), x.max(y));
        if let Some(period) = one_period(values, m) {
            let shift = period * m;
            return Some(self.add_range_of_one(one, (lower + shift, upper + shift)));
        }
        self.add_wide_remainder(one, m, (lower, upper))
    }
}

/// Whether a sum of one variable stands as it is written: `x * u + k`.
#[inline(always)]
fn is_written(arena: &Arena, mut node: NodeId) -> bool {
    if let Node::Binary(Op::Add, x, k) = arena.node(node) {
        if arena.as_constant(k) == Some(0) {
            return false;
        }
        node = x;
    }
    match arena.node(node) {
        Node::Binary(Op::Mul, x, u) => {
            arena.as_constant(u) != Some(1) && matches!(arena.node(x), Node::Variable(..))
        }
        node => matches!(node, Node::Variable(..)),
    }
}

/// What is rounded down where `one op m` is: `x ceildiv m = (x + m - 1) floordiv m`.
pub(super) fn rounded_down(op: Op, one: One, m: i64) -> One {
    match op {
        Op::CeilDiv => One {
            k: one.k + m - 1,
            ..one
        },
        _ => one,
    }
}
