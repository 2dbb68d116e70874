//! The short way of remainders of sums of variables to which no rule applies: only their constants move.

use super::arena::{Arena, NodeId};
use super::driver::Simplifier;
use super::items::{Items, SEVERAL};
use super::linear::{Forms, Term, Terms, finite, gcd};
use super::plans::nearest;
use crate::expr::Op;

/// `sum mod m`.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    pub(super) m: i64,
}

impl Standing {
    /// The terms, if no rule applies to the remainder, whose constant is `k` now.
    fn terms(&self, forms: &Forms, sum: &Items, k: i64) -> Option<Terms> {
        let m = self.m;
        let mut terms = Terms::new();
        let mut unit = false;
        let (mut large, mut wide) = (false, false);
        for t in &sum.list {
            let atom = forms.atom(t.variable);
            let coef = nearest(t.coef, m);
            if coef == 0 {
                continue;
            }
            let size = coef.unsigned_abs();
            // No factor in common with the modulus.
            let stays = size == 1 || gcd(coef, m) == 1;
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
        // What is hidden in other coefficients is only looked for in sums of several terms.
        if !(unit || terms.len() == 1) || !finite(lower) || !finite(upper) {
            return None;
        }
        // More than a period; not only a sign.
        let width = upper.checked_sub(lower)?;
        if width < m || (terms.len() == 1 && width < SEVERAL) {
            return None;
        }
        let stays = if m == 2 {
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
    /// The remainder in canonical form, if it stays as it is.
    pub(super) fn write_standing(
        &mut self,
        arena: &mut Arena,
        sum: &Items,
        standing: Standing,
    ) -> Option<NodeId> {
        let m = standing.m;
        let k = sum.k.rem_euclid(m);
        let terms = standing.terms(&self.forms, sum, k)?;
        // Near zero reads best, but a form without positive terms needs a positive constant.
        let positive = terms.iter().any(|t| t.coef > 0 || t.coef < -1);
        let k = if k > m / 2 && positive { k - m } else { k };
        let sum = self.emitter.linear(arena, &terms, k);
        let modulus = arena.constant(m);
        Some(arena.binary(Op::Mod, sum, modulus))
    }
}
