//! Quotients and remainders of sums by numbers, and by sizes that are known at run time only.

use super::facts::only_quotient;
use super::{Atom, Base, Facts, Sum};
use crate::Extent;
use std::sync::Arc;

/// A sum taken apart by a divisor `m`: `sum = m * quotient + remainder`, the remainder in
/// `[0, m - 1]`.
struct Division {
    quotient: Sum,
    remainder: Sum,
}

impl Sum {
    /// `self floordiv m`, `m >= 1`, with what the ranges tell.
    #[must_use]
    pub fn floor_div(&self, m: impl Into<Extent>, facts: &Facts) -> Self {
        let m = m.into();
        if m == 1 {
            return self.clone();
        }
        self.divided(m, facts).quotient
    }

    /// `self mod m`, `m >= 1`.
    #[must_use]
    pub fn modulo(&self, m: impl Into<Extent>, facts: &Facts) -> Self {
        let m = m.into();
        if m == 1 && !self.is_beyond() {
            return Self::default();
        }
        self.divided(m, facts).remainder
    }

    /// The digit from `low` to `high`.
    #[must_use]
    pub fn digit(&self, low: Extent, high: Option<Extent>, facts: &Facts) -> Self {
        let quotient = self.floor_div(low, facts);
        match high.map(|high| high.divided_by(low)) {
            Some(Some(period)) => quotient.modulo(period, facts),
            // No digit ends there.
            Some(None) => Self::beyond(),
            None => quotient,
        }
    }

    /// `self mod m` as it stands, a digit also where the ranges say more.
    #[must_use]
    pub fn pattern(&self, m: impl Into<Extent>) -> Self {
        if self.is_beyond() {
            return Self::beyond();
        }
        self.as_digit(Extent::ONE, Some(m.into()))
    }

    /// The digit of the whole sum, nothing of it taken out.
    fn as_digit(&self, low: Extent, high: Option<Extent>) -> Self {
        let base = match self.as_atom().filter(|atom| atom.is_whole()) {
            Some(atom) => atom.base.clone(),
            None => Base::Sum(Arc::new(self.clone())),
        };
        Self::atom(Atom { base, low, high })
    }

    fn divided(&self, m: Extent, facts: &Facts) -> Division {
        if self.is_beyond() || m.as_constant().is_some_and(|m| m < 1) {
            return Division {
                quotient: Self::beyond(),
                remainder: Self::beyond(),
            };
        }
        if let Some(quotient) = only_quotient(self.range(facts), m) {
            return self.by(Self::constant(quotient), m);
        }
        // m * Q + R: the multiples of m go outside.
        let (quotient, rest) = self.multiples(m);
        if let Some(q) = only_quotient(rest.range(facts), m) {
            return self.by(quotient.offset(q), m);
        }
        if let Some(upper) = rest.upper_digits(m, facts) {
            return self.by(quotient.plus(&upper), m);
        }
        let inner = rest.by_factor(m, facts).unwrap_or_else(|| rest.opaque(m));
        Division {
            quotient: quotient.plus(&inner.quotient),
            remainder: inner.remainder,
        }
    }

    /// `self = m * quotient + rest`: the quotient has the terms that are multiples of `m`.
    fn multiples(&self, m: Extent) -> (Self, Self) {
        let (whole, left) = self.constant.split(m);
        let (mut quotient, mut rest) = (Self::constant(whole), Self::constant(left));
        for (atom, k) in &self.terms {
            match k.divided_by(m) {
                Some(whole) => quotient.terms.push((atom.clone(), whole)),
                None => rest.terms.push((atom.clone(), *k)),
            }
        }
        (quotient, rest)
    }

    fn by(&self, quotient: Self, m: Extent) -> Division {
        let remainder = self.minus(&quotient.scaled(m));
        Division {
            quotient,
            remainder,
        }
    }

    /// The quotient, if every term can be split into a part whose coefficient is a multiple of `m`
    /// and one that, with all the others of its kind, stays between two multiples of `m`.
    fn upper_digits(&self, m: Extent, facts: &Facts) -> Option<Self> {
        let mut upper = Self::default();
        let mut lower = Self::constant(self.constant);
        for (atom, k) in &self.terms {
            let part = m.divided_by(k.common_factor(m))?;
            let whole = Self::atom(atom.clone());
            let cut = atom.low.checked_mul(part)?;
            let ends = |high: Extent| high.divided_by(cut).is_some_and(|period| period != 1);
            let fits = atom.high.is_none_or(ends);
            if !fits || part == 1 {
                lower = lower.plus_scaled(&whole, *k);
                continue;
            }
            let above = atom.part(cut, atom.high, facts);
            upper = upper.plus_scaled(&above, k.checked_mul(part)?.divided_by(m)?);
            let below = whole.plus_scaled(&above, part.checked_mul(-1)?);
            lower = lower.plus_scaled(&below, *k);
        }
        let q = only_quotient(lower.range(facts), m)?;
        Some(upper.offset(q)).filter(|sum| !sum.is_beyond())
    }

    /// `g` divides `m`, and everything that is not a multiple of `g` stays between two multiples of
    /// it: it cannot reach the quotient.
    fn by_factor(&self, m: Extent, facts: &Facts) -> Option<Division> {
        let mut factors: Vec<Extent> = (self.terms.iter())
            .map(|(_, k)| k.common_factor(m))
            .filter(|g| *g != 1)
            .collect();
        factors.sort_unstable();
        factors.dedup();
        for g in factors.into_iter().rev() {
            let (coarse, fine) = self.multiples(g);
            if let Some(q) = only_quotient(fine.range(facts), g) {
                let inner = coarse.offset(q).divided_or_whole(m.divided_by(g)?, facts);
                let fine = fine.offset(q.checked_mul(g)?.checked_mul(-1)?);
                return Some(Division {
                    quotient: inner.quotient,
                    remainder: fine.plus_scaled(&inner.remainder, g),
                });
            }
        }
        None
    }

    fn divided_or_whole(&self, m: Extent, facts: &Facts) -> Division {
        if m == 1 {
            return Division {
                quotient: self.clone(),
                remainder: Self::default(),
            };
        }
        self.divided(m, facts)
    }

    /// Quotient and remainder as digits of the sum, or of `-1 - sum`, which are the same with their
    /// signs turned: `x floordiv m = -1 - (-1 - x) floordiv m`. The one with fewer negative
    /// coefficients is taken.
    fn opaque(&self, m: Extent) -> Division {
        let negative = self.terms.iter().filter(|(_, k)| *k < 0).count();
        let first = self.terms.first().is_some_and(|(_, k)| *k < 0);
        let turned = 2 * negative > self.terms.len() || (2 * negative == self.terms.len() && first);
        let complement = Self::constant(-1).minus(self);
        if !turned || complement.is_beyond() {
            return Division {
                quotient: self.as_digit(m, None),
                remainder: self.as_digit(Extent::ONE, Some(m)),
            };
        }
        let (shift, constant) = complement.constant.split(m);
        let base = Self {
            constant,
            ..complement
        };
        let shift = Self::constant(-1).minus(&Self::constant(shift));
        Division {
            quotient: shift.minus(&base.as_digit(m, None)),
            remainder: Self::constant(m)
                .offset(-1)
                .minus(&base.as_digit(Extent::ONE, Some(m))),
        }
    }
}

impl Atom {
    /// The digit of the same base from `low` to `high`, a constant where the ranges say so.
    fn part(&self, low: Extent, high: Option<Extent>, facts: &Facts) -> Sum {
        let atom = Self {
            base: self.base.clone(),
            low,
            high,
        };
        match atom.range(facts) {
            (lo, hi) if lo == hi => Sum::constant(lo),
            _ => Sum::atom(atom),
        }
    }
}
