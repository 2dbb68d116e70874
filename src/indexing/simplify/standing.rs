//! The short way of quotients and remainders of sums of variables to which no rule applies: only their constants move.

use super::arena::{Arena, NodeId};
use super::driver::Simplifier;
use super::emit::build;
use super::items::{Items, SEVERAL};
use super::linear::{Forms, INF, Term, Terms, finite, gcd};
use super::plans::nearest;
use crate::expr::Op;

/// `sum floordiv m + outer` or `sum mod m + outer`.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    quotient: bool,
    m: i64,
    outer: i64,
}

impl Standing {
    /// What is rounded up is what is rounded down with more inside; `None` where that may not fit.
    pub(super) fn new(op: Op, m: i64, sum: &mut Items, outer: i64) -> Option<Self> {
        const LARGE: u64 = 1 << 62;
        if op == Op::CeilDiv {
            if sum.k.unsigned_abs() > LARGE || m.unsigned_abs() > LARGE {
                return None;
            }
            sum.k += m - 1;
        }
        Some(Standing {
            quotient: op != Op::Mod,
            m,
            outer,
        })
    }

    /// The terms, if no rule applies to the digit, whose constant is `k` now.
    fn terms(&self, forms: &Forms, sum: &Items, k: i64) -> Option<Terms> {
        let m = self.m;
        let mut terms = Terms::new();
        let mut unit = false;
        let (mut large, mut wide) = (false, false);
        for t in &sum.list {
            let atom = forms.atom(t.variable);
            let coef = match self.quotient {
                true => t.coef,
                false => nearest(t.coef, m),
            };
            if coef == 0 {
                continue;
            }
            let size = coef.unsigned_abs();
            // No multiple of the divisor, and no factor in common with it.
            let stays = size < m as u64 && (size == 1 || gcd(coef, m) == 1);
            if !t.is_variable() || !stays || atom.stride > 1 {
                return None;
            }
            unit |= size == 1;
            large |= size > m as u64 / 2;
            wide |= atom.bounds.len() > m as u128;
            terms.push(Term {
                atom: t.variable,
                coef,
            });
        }
        if large && !wide {
            // It may be a multiple and what lies in one period.
            return None;
        }
        let (lower, upper) = forms.narrow_bounds(&terms, k)?;
        if !unit || !finite(lower) || !finite(upper) {
            return None;
        }
        // More than a period; not only a sign.
        let width = upper.checked_sub(lower)?;
        if width < m || (terms.len() == 1 && width < SEVERAL) {
            return None;
        }
        if self.quotient && lower < 0 && upper >= 0 {
            let least = lower.checked_neg()?.max(upper.checked_add(1)?);
            if least <= m && least > k {
                return None;
            }
        }
        let stays = if self.quotient {
            forms.positive(&terms, INF)?
        } else if m == 2 {
            // A constant is the complement.
            k == 0
        } else {
            // The complement is written as what it is the complement of, but for one constant.
            k != m - 1 || forms.positive(&terms, m)?
        };
        stays.then_some(terms)
    }
}

impl Simplifier {
    /// The quotient or remainder plus a constant, in canonical form, if it stays as it is.
    pub(super) fn write_standing(
        &mut self,
        arena: &mut Arena,
        sum: &Items,
        standing: Standing,
    ) -> Option<NodeId> {
        let m = standing.m;
        let (q, k) = (sum.k.div_euclid(m), sum.k.rem_euclid(m));
        let terms = standing.terms(&self.forms, sum, k)?;
        if !standing.quotient {
            if standing.outer != 0 {
                return None;
            }
            // Near zero reads best, but a form without positive terms needs a positive constant.
            let positive = terms.iter().any(|t| t.coef > 0 || t.coef < -1);
            let k = if k > m / 2 && positive { k - m } else { k };
            let sum = self.emitter.linear(arena, &terms, k);
            let modulus = arena.constant(m);
            return Some(arena.binary(Op::Mod, sum, modulus));
        }
        let outer = standing.outer.checked_add(q)?;
        // Without a constant or rounded up a quotient stands as it is, else it takes the constant beside it.
        let (op, k, outer) = match k {
            0 => (Op::FloorDiv, 0, outer),
            k if k == m - 1 => (Op::CeilDiv, 0, outer),
            k => (Op::FloorDiv, outer.checked_mul(m)?.checked_add(k)?, 0),
        };
        let sum = self.emitter.linear(arena, &terms, k);
        let divisor = arena.constant(m);
        let node = arena.binary(op, sum, divisor);
        Some(build(arena, &[(node, 1)], outer))
    }
}
