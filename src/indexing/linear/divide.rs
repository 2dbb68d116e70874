//! Quotients and remainders of sums by constants.

use super::facts::only_quotient;
use super::{Atom, Base, Facts, Sum, gcd};
use std::sync::Arc;

/// A sum taken apart by a divisor `m`: `sum = m * quotient + remainder`, the remainder in `[0, m - 1]`.
struct Division {
    quotient: Sum,
    remainder: Sum,
}

impl Sum {
    /// `self floordiv m`, `m >= 1`, with what the ranges tell.
    #[must_use]
    pub fn floor_div(&self, m: i64, facts: &Facts) -> Self {
        if m == 1 {
            return self.clone();
        }
        self.divided(m, facts).quotient
    }

    /// `self mod m`, `m >= 1`.
    #[must_use]
    pub fn modulo(&self, m: i64, facts: &Facts) -> Self {
        if m == 1 && !self.is_beyond() {
            return Self::default();
        }
        self.divided(m, facts).remainder
    }

    /// The digit from `low` to `high`.
    #[must_use]
    pub fn digit(&self, low: i64, high: Option<i64>, facts: &Facts) -> Self {
        let quotient = self.floor_div(low, facts);
        match high {
            Some(high) => quotient.modulo(high / low, facts),
            None => quotient,
        }
    }

    /// `self mod m` as it stands, a digit also where the ranges say more.
    #[must_use]
    pub fn pattern(&self, m: i64) -> Self {
        if self.is_beyond() {
            return Self::beyond();
        }
        self.as_digit(1, Some(m))
    }

    /// The digit of the whole sum, nothing of it taken out.
    fn as_digit(&self, low: i64, high: Option<i64>) -> Self {
        let base = match (self.terms.as_slice(), self.constant) {
            ([(atom, 1)], 0) if atom.is_whole() => atom.base.clone(),
            _ => Base::Sum(Arc::new(self.clone())),
        };
        Self::atom(Atom { base, low, high })
    }

    fn divided(&self, m: i64, facts: &Facts) -> Division {
        if self.is_beyond() || m < 1 {
            return Division {
                quotient: Self::beyond(),
                remainder: Self::beyond(),
            };
        }
        if let Some(quotient) = only_quotient(self.range(facts), m) {
            return self.by(Self::constant(quotient), m);
        }
        // m * Q + R: the multiples of m go outside.
        let mut quotient = Self::constant(self.constant.div_euclid(m));
        let mut rest = Self::constant(self.constant.rem_euclid(m));
        for (atom, k) in &self.terms {
            match k % m {
                0 => quotient.terms.push((atom.clone(), k / m)),
                _ => rest.terms.push((atom.clone(), *k)),
            }
        }
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

    fn by(&self, quotient: Self, m: i64) -> Division {
        let remainder = self.plus_scaled(&quotient, -m);
        Division {
            quotient,
            remainder,
        }
    }

    /// The quotient, if every term can be split into a part whose coefficient is a multiple of `m` and one that, with all the others
    /// of its kind, stays between two multiples of `m`.
    fn upper_digits(&self, m: i64, facts: &Facts) -> Option<Self> {
        let mut upper = Self::default();
        let mut lower = Self::constant(self.constant);
        for (atom, k) in &self.terms {
            let part = m / gcd(*k, m);
            let whole = Self::atom(atom.clone());
            let cut = atom.low.checked_mul(part)?;
            let fits = atom.high.is_none_or(|high| high % cut == 0 && cut < high);
            if !fits || part == 1 {
                lower = lower.plus_scaled(&whole, *k);
                continue;
            }
            let above = atom.part(cut, atom.high, facts);
            upper = upper.plus_scaled(&above, k.checked_mul(part)? / m);
            let below = whole.plus_scaled(&above, part.checked_neg()?);
            lower = lower.plus_scaled(&below, *k);
        }
        let q = only_quotient(lower.range(facts), m)?;
        Some(upper.offset(q)).filter(|sum| !sum.is_beyond())
    }

    /// `g` divides `m`, and everything that is not a multiple of `g` stays between two multiples of it: it cannot reach the quotient.
    fn by_factor(&self, m: i64, facts: &Facts) -> Option<Division> {
        let mut factors: Vec<i64> = (self.terms.iter())
            .map(|(_, k)| gcd(*k, m))
            .filter(|g| *g > 1)
            .collect();
        factors.sort_unstable();
        factors.dedup();
        for g in factors.into_iter().rev() {
            let mut coarse = Self::constant(self.constant.div_euclid(g));
            let mut fine = Self::constant(self.constant.rem_euclid(g));
            for (atom, k) in &self.terms {
                match k % g {
                    0 => coarse.terms.push((atom.clone(), k / g)),
                    _ => fine.terms.push((atom.clone(), *k)),
                }
            }
            if let Some(q) = only_quotient(fine.range(facts), g) {
                let inner = coarse.offset(q).divided_or_whole(m / g, facts);
                let fine = fine.offset(q.checked_mul(g)?.checked_neg()?);
                return Some(Division {
                    quotient: inner.quotient,
                    remainder: fine.plus_scaled(&inner.remainder, g),
                });
            }
        }
        None
    }

    fn divided_or_whole(&self, m: i64, facts: &Facts) -> Division {
        if m == 1 {
            return Division {
                quotient: self.clone(),
                remainder: Self::default(),
            };
        }
        self.divided(m, facts)
    }

    /// Quotient and remainder as digits of the sum, or of `-1 - sum`, which are the same with their signs turned:
    /// `x floordiv m = -1 - (-1 - x) floordiv m`. The one with fewer negative coefficients is taken.
    fn opaque(&self, m: i64) -> Division {
        let negative = self.terms.iter().filter(|(_, k)| *k < 0).count();
        let first = self.terms.first().is_some_and(|(_, k)| *k < 0);
        let turned = 2 * negative > self.terms.len() || (2 * negative == self.terms.len() && first);
        let complement = Self::constant(-1).minus(self);
        if !turned || complement.is_beyond() {
            return Division {
                quotient: self.as_digit(m, None),
                remainder: self.as_digit(1, Some(m)),
            };
        }
        let shift = complement.constant.div_euclid(m);
        let base = Self {
            constant: complement.constant.rem_euclid(m),
            ..complement
        };
        Division {
            quotient: Self::constant(-1 - shift).minus(&base.as_digit(m, None)),
            remainder: Self::constant(m - 1).minus(&base.as_digit(1, Some(m))),
        }
    }
}

impl Atom {
    /// The digit of the same base from `low` to `high`, a constant where the ranges say so.
    fn part(&self, low: i64, high: Option<i64>, facts: &Facts) -> Sum {
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
