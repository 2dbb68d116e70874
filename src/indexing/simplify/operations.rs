//! The algebra of sums, products and extrema of linear forms.

use super::linear::{AtomKind, Forms, LinId, Sum, Term, Terms, UNBOUNDED};
use crate::expr::Op;
use crate::interval::Interval;
use std::cmp::Ordering;

/// Terms beyond which a sum does not fit into the nearest memory.
pub(super) const LONG: usize = 64;

impl Forms {
    /// An operation that stays as it is.
    pub(crate) fn opaque(&mut self, op: Op, x: LinId, y: LinId) -> LinId {
        let bounds = op.bounds(self.lin(x).bounds, self.lin(y).bounds);
        let atom = self.intern_atom(AtomKind::Opaque { op, x, y }, bounds, 1, 0);
        self.intern(&[Term::new(atom, 1)], 0)
    }

    /// `sum += coef * lin`; `None` if a number would not fit.
    pub(crate) fn accumulate(&self, sum: &mut Sum, lin: LinId, coef: i64) -> Option<()> {
        let l = self.lin(lin);
        sum.k = sum.k.checked_add(l.k.checked_mul(coef)?)?;
        for t in self.terms(lin) {
            sum.terms.push(t.times(coef)?);
        }
        Some(())
    }

    /// Brings terms in order and adds up like ones: `c * a + d * a -> (c + d) * a`.
    pub(crate) fn merge(&mut self, terms: &mut Terms) -> Option<()> {
        // Different variables in order, most of the time.
        let mut next = 0;
        let in_order = terms.iter().all(|t| {
            let good = t.atom >= next && t.coef != 0 && t.coef != i64::MIN;
            next = t.atom + 1;
            good
        });
        if in_order && next as usize <= self.variables {
            return Some(());
        }
        let n = terms.len();
        if n <= LONG {
            terms.sort_by(|s, t| self.order(s.atom, t.atom))
        } else {
            self.sort_long(terms)
        }
        let mut out = 0;
        let mut i = 0;
        while i < n {
            let mut t = terms[i];
            i += 1;
            while i < n && terms[i].atom == t.atom {
                t.coef = t.coef.checked_add(terms[i].coef)?;
                i += 1;
            }
            if t.coef == i64::MIN {
                // Its negation would not fit.
                return None;
            }
            if t.coef != 0 {
                terms[out] = t;
                out += 1;
            }
        }
        terms.truncate(out);
        Some(())
    }

    /// The normal form of a sum, in place: sums are large to move around. `None` if a number would
    /// not fit, or if the sum is long and there is no room.
    pub(crate) fn finish(&mut self, sum: &mut Sum) -> Option<LinId> {
        if sum.terms.len() > LONG && !self.admits_sum(sum.terms.len()) && sum.terms.len() > 4 * LONG
        {
            return None;
        }
        self.merge(&mut sum.terms)?;
        if (sum.terms.len() > 1 || self.strided)
            && sum.terms.iter().any(|t| t.atom as usize >= self.variables)
        {
            self.recombine(sum)?;
        }
        Some(self.intern(&sum.terms, sum.k))
    }

    /// `coef * lin + k`.
    pub(crate) fn scaled(&mut self, lin: LinId, coef: i64, k: i64) -> Option<LinId> {
        if coef == 1 && k == 0 {
            return Some(lin);
        }
        let mut sum = Sum::new(Terms::new(), k);
        if coef != 0 {
            self.accumulate(&mut sum, lin, coef)?;
        }
        if sum.terms.iter().any(|t| t.coef == i64::MIN) {
            return None;
        }
        if self.strided || coef.unsigned_abs() > 1 {
            // Digits may fuse with what has another coefficient now, as where the factor is read
            // into the sum.
            return self.finish(&mut sum);
        }
        // A sign keeps the order and merges nothing.
        Some(self.intern(&sum.terms, sum.k))
    }

    /// `x + coef * y`.
    pub(crate) fn plus(&mut self, x: LinId, y: LinId, coef: i64) -> Option<LinId> {
        let mut sum = Sum::default();
        self.accumulate(&mut sum, x, 1)?;
        self.accumulate(&mut sum, y, coef)?;
        self.finish(&mut sum)
    }

    /// `x op y` in normal form. What would overflow stays as it is.
    pub(crate) fn operation(&mut self, op: Op, x: LinId, y: LinId) -> LinId {
        // Also where the product of a constant stays, it is read as it is written: `x * c`.
        let (x, y) = match (op, self.as_constant(x), self.as_constant(y)) {
            (Op::Mul, Some(_), None) => (y, x),
            _ => (x, y),
        };
        self.try_operation(op, x, y).unwrap_or_else(|| {
            // A long sum for which there is no room is no number that does not fit.
            self.overflowed |= !self.exhausted;
            self.opaque(op, x, y)
        })
    }

    /// `x floordiv k` or `x mod k` for a positive k. What would overflow stays as it is.
    pub(crate) fn divided(&mut self, op: Op, x: LinId, k: i64) -> LinId {
        let (a, b) = if op == Op::Mod {
            (1, k)
        } else {
            (k, UNBOUNDED)
        };
        self.digit(x, a, b).unwrap_or_else(|| {
            let y = self.constant(k);
            self.operation(op, x, y)
        })
    }

    pub(super) fn try_operation(&mut self, op: Op, x: LinId, y: LinId) -> Option<LinId> {
        let divisor = self.as_constant(y);
        if let (Op::FloorDiv | Op::CeilDiv | Op::Mod, Some(i64::MIN)) = (op, divisor)
            && let Some(v) = self.as_constant(x)
        {
            // The one divisor whose negation does not fit.
            let value = op.apply(v.into(), i64::MIN.into())?;
            return Some(self.constant(i64::try_from(value).ok()?));
        }
        match (op, divisor) {
            (Op::Add, _) => self.plus(x, y, 1),
            (Op::Mul, Some(k)) => self.scaled(x, k, 0),
            (Op::Mul, None) => match self.as_constant(x) {
                Some(k) => self.scaled(y, k, 0),
                None => Some(self.commutative(Op::Mul, x, y)),
            },
            // A divisor of zero has no value; it stays for whoever evaluates.
            (Op::FloorDiv | Op::CeilDiv | Op::Mod, Some(0) | None) => Some(self.opaque(op, x, y)),
            // x floordiv -c = -x floordiv c
            (Op::FloorDiv, Some(k)) if k > 0 => self.digit(x, k, UNBOUNDED),
            (Op::FloorDiv, Some(k)) => {
                let negative = self.scaled(x, -1, 0)?;
                self.digit(negative, k.checked_neg()?, UNBOUNDED)
            }
            // x ceildiv c = -(-x floordiv c)
            (Op::CeilDiv, Some(k)) => {
                let x = if k > 0 { self.scaled(x, -1, 0)? } else { x };
                let q = self.digit(x, k.checked_abs()?, UNBOUNDED)?;
                self.scaled(q, -1, 0)
            }
            // x mod -c = x mod c
            (Op::Mod, Some(k)) => self.digit(x, 1, k.checked_abs()?),
            (Op::Min | Op::Max, _) => self.extremum(op, x, y),
        }
    }

    /// `min(x, y) -> x` if `x - y <= 0` on the whole domain; `max` likewise.
    pub(super) fn extremum(&mut self, op: Op, x: LinId, y: LinId) -> Option<LinId> {
        let (p, q) = (self.lin(x).bounds, self.lin(y).bounds);
        let below = |a: Interval, b: Interval| {
            a.upper != i64::MAX && b.lower != i64::MIN && a.upper <= b.lower
        };
        let (mut low, mut high) = (below(p, q), below(q, p));
        if !low && !high && !self.too_long(x, y) {
            // Where one of the differences does not fit, the other one may.
            if let Some(difference) = self.plus(x, y, -1) {
                let b = self.lin(difference).bounds;
                (low, high) = (b.upper <= 0, b.lower >= 0);
            } else if let Some(difference) = self.plus(y, x, -1) {
                let b = self.lin(difference).bounds;
                (low, high) = (b.lower >= 0, b.upper <= 0);
            }
        }
        if low || high {
            self.fired("min-max-decided-by-range");
            let first = if op == Op::Min { low } else { high };
            return Some(if first { x } else { y });
        }
        Some(self.commutative(op, x, y))
    }

    /// An operation that stays as it is, its operands in canonical order.
    fn commutative(&mut self, op: Op, x: LinId, y: LinId) -> LinId {
        match self.order_forms(x, y) {
            Ordering::Greater => self.opaque(op, y, x),
            _ => self.opaque(op, x, y),
        }
    }
}
