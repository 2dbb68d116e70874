//! Quotients and remainders of sums by numbers, and by sizes that are known at run time only.

use super::facts::only_quotient;
use super::{Atom, Base, Facts, Sum};
use crate::Extent;
use std::sync::Arc;

/// A sum taken apart by a divisor `m`: `sum = m * quotient + remainder`, the remainder in
/// `[0, m - 1]`.
pub(super) struct Division {
    pub quotient: Sum,
    pub remainder: Sum,
}

/// A rule of quotients and remainders by numbers and by sizes, as the simplifier's rules are those
/// of numbers alone.
pub struct DivisionRule {
    /// The name, by which tests and the documentation call it.
    pub name: &'static str,
    /// The rule as a line of mathematics.
    pub law: &'static str,
    pub(super) apply: fn(&Sum, Extent, &Facts) -> Option<Division>,
}

/// The rules, in the order in which they are tried. Where none applies, quotient and remainder are
/// digits of the sum as it is.
pub static RULES: [DivisionRule; 5] = [
    DivisionRule {
        name: "in-one-period",
        law: "x floordiv m -> q, x mod m -> x - m * q if m * q <= x < m * (q + 1)",
        apply: Sum::in_one_period,
    },
    DivisionRule {
        name: "multiples-out",
        law: "(m * x + y) floordiv m -> x + y floordiv m, (m * x + y) mod m -> y mod m",
        apply: Sum::multiples_out,
    },
    DivisionRule {
        name: "digits-cut",
        law: "(k * x + y) floordiv m -> k * p / m * (x floordiv p) + q if m divides k * p and \
              m * q <= k * (x mod p) + y < m * (q + 1)",
        apply: Sum::digits_cut,
    },
    DivisionRule {
        name: "low-digits-split-off",
        law: "(g * x + t) floordiv (g * m) -> (x + q) floordiv m, \
              (g * x + t) mod (g * m) -> g * ((x + q) mod m) + t - g * q if g * q <= t < g * (q + 1)",
        apply: Sum::low_digits,
    },
    DivisionRule {
        name: "sign-out",
        law: "x floordiv m -> -1 - (-1 - x) floordiv m, x mod m -> m - 1 - (-1 - x) mod m \
              if x has more negative coefficients",
        apply: Sum::sign_out,
    },
];

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
        let found = RULES.iter().find_map(|rule| (rule.apply)(self, m, facts));
        found.unwrap_or_else(|| Division {
            quotient: self.as_digit(m, None),
            remainder: self.as_digit(Extent::ONE, Some(m)),
        })
    }

    fn in_one_period(&self, m: Extent, facts: &Facts) -> Option<Division> {
        let quotient = only_quotient(self.range(facts), m)?;
        Some(self.by(Self::constant(quotient), m))
    }

    fn multiples_out(&self, m: Extent, facts: &Facts) -> Option<Division> {
        let (quotient, rest) = self.multiples(m);
        if quotient == Self::default() {
            return None;
        }
        let inner = rest.divided(m, facts);
        Some(Division {
            quotient: quotient.plus(&inner.quotient),
            remainder: inner.remainder,
        })
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

    fn digits_cut(&self, m: Extent, facts: &Facts) -> Option<Division> {
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
        Some(self.by(upper.offset(q), m)).filter(|found| !found.quotient.is_beyond())
    }

    fn low_digits(&self, m: Extent, facts: &Facts) -> Option<Division> {
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

    fn sign_out(&self, m: Extent, _: &Facts) -> Option<Division> {
        let negative = self.terms.iter().filter(|(_, k)| *k < 0).count();
        let first = self.terms.first().is_some_and(|(_, k)| *k < 0);
        let turned = 2 * negative > self.terms.len() || (2 * negative == self.terms.len() && first);
        let complement = Self::constant(-1).minus(self);
        if !turned || complement.is_beyond() {
            return None;
        }
        let (shift, constant) = complement.constant.split(m);
        let base = Self {
            constant,
            ..complement
        };
        let shift = Self::constant(-1).minus(&Self::constant(shift));
        Some(Division {
            quotient: shift.minus(&base.as_digit(m, None)),
            remainder: Self::constant(m)
                .offset(-1)
                .minus(&base.as_digit(Extent::ONE, Some(m))),
        })
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
