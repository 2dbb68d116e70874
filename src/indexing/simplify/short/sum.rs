//! Sums of few variables, as an array of coefficients by variable, and of digits and quotients beside them.
//!
//! Their numbers were looked at when they were read: what is computed of them once fits into 64 bits and is not looked at again.

use super::super::arena::NodeId;
use super::super::known::Known;
use super::super::linear::{INF, gcd};
use super::digits::Digit;
use super::one::One;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::ops::{Deref, DerefMut};

/// Variables beyond which a map takes the long way.
pub(super) const MOST_VARIABLES: usize = 12;
/// Room for them.
pub(super) const VARIABLES: usize = 16;
/// As large as a coefficient or a divisor may be.
pub(super) const SMALL: i64 = 1 << 27;
/// As large as a value of a variable, or a number that stands in an expression, may be.
pub(super) const VALUE: i64 = 1 << 31;
/// As large as the constant of a sum, and what is divided, may be.
pub(super) const WIDE: i64 = 1 << 55;
/// More than any value of a sum.
pub(super) const FAR: i64 = 1 << 62;

const _: () = assert!(MOST_VARIABLES as i64 * SMALL * VALUE + WIDE < FAR);

/// What is known of the variables.
pub(super) type Values = [Known; VARIABLES];

/// `v`, if it may be a coefficient.
#[inline(always)]
pub(super) fn small(v: i64) -> Option<i64> {
    (v.unsigned_abs() <= SMALL as u64).then_some(v)
}

/// `v`, if it may be the value of a variable.
#[inline(always)]
pub(super) fn value(v: i64) -> Option<i64> {
    (v.unsigned_abs() <= VALUE as u64).then_some(v)
}

/// `v`, if it may be the constant of a sum.
#[inline(always)]
pub(super) fn wide(v: i64) -> Option<i64> {
    (v.unsigned_abs() <= WIDE as u64).then_some(v)
}

/// `v * coef`, where the first may be the constant of a sum.
#[inline(always)]
pub(super) fn wide_product(v: i64, coef: i64) -> Option<i64> {
    match small(v) {
        Some(v) => Some(v * coef),
        None => v.checked_mul(coef).and_then(wide),
    }
}

/// The places of the bits of a number, in order.
#[derive(Clone, Copy)]
pub(super) struct Bits(pub(super) u32);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        // Always less: it says so where the array is indexed.
        let first = self.0.trailing_zeros() as usize % VARIABLES;
        self.0 &= self.0 - 1;
        Some(first)
    }
}

/// A sum of variables and a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Linear {
    coefs: [i32; VARIABLES],
    /// A bit for each variable whose coefficient is not zero.
    used: u32,
    pub(super) k: i64,
}

impl Linear {
    /// `coef * variable`
    pub(super) fn of(variable: usize, coef: i64) -> Self {
        let mut linear = Linear::default();
        linear.set(variable, coef);
        linear
    }

    /// The variables that occur, as bits.
    #[inline(always)]
    pub(super) fn used(&self) -> u32 {
        self.used
    }

    #[inline(always)]
    pub(super) fn coef(&self, variable: usize) -> i64 {
        self.coefs[variable % VARIABLES] as i64
    }

    #[inline(always)]
    pub(super) fn set(&mut self, variable: usize, coef: i64) {
        let variable = variable % VARIABLES;
        // It is small.
        self.coefs[variable] = coef as i32;
        self.used = self.used & !(1 << variable) | u32::from(coef != 0) << variable;
    }

    /// `self += coef * variable`, of numbers that are small; `None` if the sum is not.
    #[inline(always)]
    pub(super) fn add(&mut self, variable: usize, coef: i64) -> Option<()> {
        let sum = small(self.coef(variable) + coef)?;
        self.set(variable, sum);
        Some(())
    }

    /// `self += v`, for a product of numbers that are small.
    #[inline(always)]
    pub(super) fn add_constant(&mut self, v: i64) -> Option<()> {
        self.k = wide(self.k + v)?;
        Some(())
    }

    /// Variables and their coefficients, in order.
    #[inline(always)]
    pub(super) fn terms(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        Bits(self.used).map(|v| (v, self.coefs[v] as i64))
    }

    /// The only term.
    #[inline(always)]
    pub(super) fn single(&self) -> Option<(usize, i64)> {
        self.single_of(u32::MAX)
    }

    /// The only term among those of these variables.
    #[inline(always)]
    pub(super) fn single_of(&self, variables: u32) -> Option<(usize, i64)> {
        let bits = self.used & variables;
        let one = bits != 0 && bits & (bits - 1) == 0;
        let first = Bits(bits).next().filter(|_| one)?;
        Some((first, self.coef(first)))
    }

    /// The sum, if it is one of one variable.
    pub(super) fn one(&self) -> Option<One> {
        let (variable, u) = self.single()?;
        Some(One {
            variable,
            u,
            k: self.k,
        })
    }

    #[inline(always)]
    pub(super) fn first(&self) -> Option<(usize, i64)> {
        self.terms().next()
    }

    /// Whether there are at least two terms.
    #[inline(always)]
    pub(super) fn has_several(&self) -> bool {
        self.used & self.used.wrapping_sub(1) != 0
    }

    /// Whether a variable stands in it once.
    pub(super) fn has_unit(&self) -> bool {
        self.terms().any(|t| t.1.abs() == 1)
    }

    /// The same terms without a constant.
    #[inline(always)]
    pub(super) fn without_constant(&self) -> Linear {
        Linear { k: 0, ..*self }
    }

    /// Whether the terms are the same.
    #[inline(always)]
    pub(super) fn has_terms_of(&self, other: &Linear) -> bool {
        self.used == other.used && self.coefs == other.coefs
    }

    /// Each coefficient becomes another one, which may be zero.
    #[inline(always)]
    pub(super) fn change(&mut self, mut new: impl FnMut(usize, i64) -> i64) {
        for v in Bits(self.used) {
            let coef = new(v, self.coefs[v] as i64);
            self.set(v, coef);
        }
    }

    /// The ends of the values.
    #[inline(always)]
    pub(super) fn bounds(&self, values: &Values) -> (i64, i64) {
        let (mut least, mut greatest) = (self.k, self.k);
        for (v, coef) in self.terms() {
            let b = values[v].interval;
            let (x, y) = (coef * b.lower, coef * b.upper);
            least += x.min(y);
            greatest += x.max(y);
        }
        (least, greatest)
    }

    /// The greatest common divisor of the coefficients.
    pub(super) fn content(&self) -> i64 {
        let mut g = 0;
        for (_, coef) in self.terms() {
            g = gcd(g, coef);
            if g == 1 {
                break;
            }
        }
        g
    }

    /// `(g, r)` with `self = r` modulo `g`, `g | m`.
    pub(super) fn congruence(&self, values: &Values, m: i64) -> (i64, i64) {
        let mut g = m;
        for (v, coef) in self.terms() {
            let step = coef * values[v].stride;
            if step == 1 || step == -1 {
                return (1, 0);
            }
            g = gcd(g, step % g);
            if g == 1 {
                return (1, 0);
            }
        }
        let r = self
            .terms()
            .fold(self.k % g, |r, (v, coef)| (r + coef * values[v].offset) % g);
        (g, r.rem_euclid(g))
    }

    /// Whether a sum modulo `m` is written as it is and not negated, as [`Forms::positive`](super::super::linear::Forms::positive)
    /// says.
    pub(super) fn positive(&self, values: &Values, m: i64) -> Option<bool> {
        let half = |coef: i64| m != INF && coef * 2 == m;
        if self.terms().all(|(_, coef)| coef > 0 && !half(coef)) && self.used != 0 {
            return Some(true);
        }
        if let Some(positive) = self.positive_of_units(values, m) {
            return Some(positive);
        }
        let (mut size, mut balance, mut signs) = (0, 0, 0u32);
        for (_, coef) in self.terms().filter(|t| !half(t.1)) {
            signs |= if coef > 0 { 1 } else { 2 };
            let (s, sign) = (coef.unsigned_abs(), coef.signum());
            if s > size {
                (size, balance) = (s, sign);
            } else if s == size {
                balance += sign;
            }
        }
        match signs {
            0 => return None,
            1 => return Some(true),
            2 => return Some(false),
            _ if balance != 0 => return Some(balance > 0),
            _ => {}
        }
        // By the other coefficients, then by what the variables are.
        if self.used.count_ones() == 2 {
            return self.positive_of_two(values);
        }
        let mut keys: SmallVec<[_; VARIABLES]> = SmallVec::new();
        for (v, coef) in self.terms().filter(|t| !half(t.1)) {
            let b = values[v].interval;
            let key = (coef.unsigned_abs(), b.upper - b.lower, b.lower);
            keys.push((key, coef.signum()));
        }
        let first = keys[0].1 > 0;
        keys.sort_unstable_by(|x, y| y.cmp(x));
        for group in keys.chunk_by(|x, y| x.0 == y.0) {
            let balance: i64 = group.iter().map(|k| k.1).sum();
            if balance != 0 {
                return Some(balance > 0);
            }
        }
        Some(first)
    }

    /// As [`Linear::positive`] of two terms without factors, not both of which are positive: most of those in windows.
    #[inline(always)]
    fn positive_of_units(&self, values: &Values, m: i64) -> Option<bool> {
        let mut terms = self.terms();
        let (v, w) = (terms.next()?, terms.next()?);
        if terms.next().is_some() || v.1.abs() != 1 || w.1.abs() != 1 || m == 2 {
            return None;
        }
        if v.1 == w.1 {
            return Some(false);
        }
        self.positive_of_two(values)
    }

    /// As [`Linear::positive`] of two terms, one of them negative, of which no coefficient is half the modulus and none is larger.
    fn positive_of_two(&self, values: &Values) -> Option<bool> {
        let key = |v: usize| {
            let b = values[v].interval;
            (b.upper - b.lower, b.lower)
        };
        let mut terms = self.terms();
        let ((v, c), (w, d)) = (terms.next()?, terms.next()?);
        Some(if key(w) > key(v) { d > 0 } else { c > 0 })
    }

    /// Whether only the order of variables tells it from its negation, as
    /// [`Forms::sign_of`](super::super::linear::Forms::sign_of) says.
    pub(super) fn takes_either_sign(&self, values: &Values, m: i64) -> bool {
        let counted = || self.terms().filter(|t| m == INF || t.1 * 2 != m);
        let balance: i64 = counted().map(|t| t.1.signum()).sum();
        if balance != 0 || self.terms().all(|t| t.1 > 0) {
            return false;
        }
        let key = |(v, coef): (usize, i64)| {
            let b = values[v].interval;
            (coef.abs(), b.upper - b.lower, b.lower)
        };
        if self.used.count_ones() == 2 {
            // One of each sign, or none that counts.
            let mut keys = counted().map(key);
            let first = keys.next();
            return first.is_some() && first == keys.next();
        }
        let mut keys: SmallVec<[_; VARIABLES]> = SmallVec::new();
        for t in counted() {
            keys.push((key(t), t.1.signum()));
        }
        keys.sort_unstable();
        let mut groups = keys.chunk_by(|x, y| x.0 == y.0);
        !keys.is_empty() && groups.all(|group| group.iter().map(|k| k.1).sum::<i64>() == 0)
    }

    /// As the order of forms: the first variable in which they differ, then its coefficient.
    pub(super) fn order(&self, other: &Linear) -> Ordering {
        self.terms().cmp(other.terms())
    }
}

/// A few items; what no longer has room takes the long way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Few<T, const N: usize> {
    items: [T; N],
    len: usize,
}

impl<T: Copy + Default, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Few {
            items: [T::default(); N],
            len: 0,
        }
    }
}

impl<T: Copy, const N: usize> Few<T, N> {
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(super) fn push(&mut self, item: T) -> Option<()> {
        *self.items.get_mut(self.len)? = item;
        self.len += 1;
        Some(())
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.items[..self.len.min(N)]
    }
}

impl<T, const N: usize> DerefMut for Few<T, N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.len.min(N)]
    }
}

/// `coef * (sum floordiv m)`, to which no rule applies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quotient {
    pub(super) sum: Linear,
    pub(super) m: i64,
    pub(super) coef: i64,
    /// Nothing but the order of variables tells it from its negation, with the other sign of the factor; see [`Short::open`](super::Short).
    pub(super) open: bool,
}

impl Quotient {
    /// Whether what is written is read as it was: one that is rounded up only if a variable stands once in it.
    pub(super) fn is_read_again(&self) -> bool {
        self.sum.k != self.m - 1 || self.sum.has_unit()
    }
}

/// `coef * (sum mod m)`, to which no rule applies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remainder {
    pub(super) sum: Linear,
    pub(super) m: i64,
    pub(super) coef: i64,
}

/// A sum in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub(super) linear: Linear,
    /// Of variables that have no other part, but for the high and the low digit of one; in order once they are merged.
    pub(super) digits: Few<Digit, 6>,
    pub(super) quotients: Few<Quotient, 3>,
    pub(super) remainder: Option<Remainder>,
    /// What it was read from, and when; see [`Short::read_terms`](super::Short::read_terms).
    pub(super) of: Option<(NodeId, u64)>,
}

impl Sum {
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.linear = Linear::default();
        self.digits.clear();
        self.quotients.clear();
        self.remainder = None;
        self.of = None;
    }

    /// Whether it is a sum of variables.
    #[inline(always)]
    pub(super) fn is_linear(&self) -> bool {
        self.digits.is_empty() && self.quotients.is_empty() && self.remainder.is_none()
    }

    /// Whether there are several variables and digits.
    pub(super) fn has_several(&self) -> bool {
        match self.digits.len() {
            0 => self.linear.has_several(),
            1 => self.linear.used() != 0,
            _ => true,
        }
    }

    /// Whether the quotients and the remainder have their variables for themselves; beside the remainder of one there may be what is
    /// above it: `m * (x floordiv m) + (x + k) mod m`.
    #[inline(always)]
    pub(super) fn parts_are_apart(&self) -> bool {
        (self.quotients.is_empty() || self.quotients_are_apart())
            && self.remainder.is_none_or(|r| self.is_apart(&r))
    }

    fn is_apart(&self, r: &Remainder) -> bool {
        let used = r.sum.used();
        // Without a constant it is the digit below.
        let of_one = r.sum.k != 0 && r.sum.single().is_some_and(|t| t.1.abs() == 1);
        let above = |d: &Digit| of_one && d.a == r.m;
        let of_digits = |d: &Digit| used >> d.variable & 1 == 0 || above(d);
        self.quotients.is_empty()
            && self.linear.used() & used == 0
            && self.digits.iter().all(of_digits)
    }

    fn quotients_are_apart(&self) -> bool {
        let mut seen = self.linear.used();
        for d in self.digits.iter() {
            seen |= 1 << d.variable;
        }
        for q in self.quotients.iter() {
            if seen & q.sum.used() != 0 {
                return false;
            }
            seen |= q.sum.used();
        }
        true
    }
}
