//! Polynomials of sizes: sums of products with whole coefficients, and their division.

use super::Factor;
use crate::linear::gcd;
use std::cmp::Ordering;

/// A product of factors and a number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Term {
    /// Ascending; one that is there twice is squared.
    pub factors: Vec<Factor>,
    /// Not zero.
    pub times: i64,
}

/// `sum of terms + constant`, the terms of the highest degree first.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub(super) struct Polynomial {
    pub terms: Vec<Term>,
    pub constant: i64,
}

/// Terms of a higher degree come first, and of the same degree those with the earlier factors:
/// multiplied by the same term, two keep their order, which is what a division needs.
fn order(a: &[Factor], b: &[Factor]) -> Ordering {
    b.len().cmp(&a.len()).then_with(|| a.cmp(b))
}

/// The factors of both together.
fn joined(a: &[Factor], b: &[Factor]) -> Vec<Factor> {
    let mut all = [a, b].concat();
    all.sort();
    all
}

/// The factors that are left of `a` without those of `b`; `None` where these are not all there.
fn without(a: &[Factor], b: &[Factor]) -> Option<Vec<Factor>> {
    let mut rest = a.to_vec();
    for factor in b {
        let at = rest.iter().position(|own| own == factor)?;
        rest.remove(at);
    }
    Some(rest)
}

impl Polynomial {
    /// Whether it is the number 0.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.constant == 0
    }

    /// The products with their numbers, the constant as a product of nothing.
    fn products(&self) -> impl Iterator<Item = (&[Factor], i64)> {
        let constant = (self.constant != 0).then_some((&[][..], self.constant));
        let terms = self.terms.iter();
        terms
            .map(|term| (term.factors.as_slice(), term.times))
            .chain(constant)
    }

    fn add(&mut self, factors: &[Factor], times: i64) -> Option<()> {
        if factors.is_empty() {
            self.constant = self.constant.checked_add(times)?;
            return Some(());
        }
        match (self.terms).binary_search_by(|term| order(&term.factors, factors)) {
            Ok(at) => {
                let sum = self.terms[at].times.checked_add(times)?;
                match sum {
                    0 => drop(self.terms.remove(at)),
                    sum => self.terms[at].times = sum,
                }
            }
            Err(_) if times == 0 => {}
            Err(at) => self.terms.insert(
                at,
                Term {
                    factors: factors.to_vec(),
                    times,
                },
            ),
        }
        Some(())
    }

    /// `self + factor * other`; `None` where a number leaves 64 bits.
    pub fn plus_scaled(&self, other: &Self, factor: i64) -> Option<Self> {
        let mut sum = self.clone();
        for (factors, times) in other.products() {
            sum.add(factors, times.checked_mul(factor)?)?;
        }
        Some(sum)
    }

    /// The product; `None` where a number leaves 64 bits.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (own, times) in self.products() {
            for (factors, more) in other.products() {
                product.add(&joined(own, factors), times.checked_mul(more)?)?;
            }
        }
        Some(product)
    }

    /// Quotient and rest of the division by the highest product of `by`. Coefficients are divided
    /// by its number, rounded down. `None` where a number leaves 64 bits, and for what is no
    /// divisor.
    pub fn divided(&self, by: &Self) -> Option<(Self, Self)> {
        let (leading, number) = by.products().next().filter(|(_, number)| *number > 0)?;
        let (mut quotient, mut rest) = (Self::default(), Self::default());
        let mut left = self.clone();
        loop {
            let Some((factors, times)) = left.products().next() else {
                return Some((quotient, rest));
            };
            let factors = factors.to_vec();
            left.add(&factors, times.checked_neg()?)?;
            let whole = times.div_euclid(number);
            let Some(more) = without(&factors, leading).filter(|_| whole != 0) else {
                rest.add(&factors, times)?;
                continue;
            };
            rest.add(&factors, times.rem_euclid(number))?;
            quotient.add(&more, whole)?;
            for (other, k) in by.products().skip(1) {
                left.add(&joined(&more, other), whole.checked_mul(k)?.checked_neg()?)?;
            }
        }
    }

    /// The number and the factors that divide all products of both, as a product.
    pub fn content(&self, other: &Self) -> Self {
        let mut products = self.products().chain(other.products());
        let Some((factors, mut number)) = products.next() else {
            return Self::default();
        };
        let mut factors = factors.to_vec();
        for (other, times) in products {
            let mut left = other.to_vec();
            factors.retain(|own| {
                let at = left.iter().position(|factor| factor == own);
                at.map(|at| left.remove(at)).is_some()
            });
            number = gcd(number, times);
        }
        let mut product = Self::default();
        let number = number.checked_abs().unwrap_or(1);
        // A single number is not too large for a sum with nothing.
        let _ = product.add(&factors, number);
        product
    }
}
