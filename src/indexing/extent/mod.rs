//! Sizes, some of which are known at run time only.
//!
//! An [`Extent`] is a polynomial with whole coefficients over *factors*: names of sizes and of
//! integers, and what is no polynomial of them (quotients, the smaller and the larger of two), each
//! equal to itself only. A known number is the special case without factors. Extents are interned:
//! equal ones are the same handle, and a handle is copied like a number.
//!
//! Every size is at least 0. What follows for all sizes is asked with [`Extent::is_at_least`]; the
//! order of [`Ord`] is that of typical large sizes, for estimates and for sorting.
//!
//! ```
//! use mapwright_indexing::Extent;
//! let (n, m) = (Extent::name(0), Extent::name(1));
//! let rows = n * 4 - 1;
//! assert_eq!((rows * m).to_string(), "4 * n0 * n1 - n1");
//! // Of `4 * n - 1` elements four at a time: `n - 1` whole ones, since -1 floordiv 4 is -1.
//! assert_eq!(rows.floor_div(4.into()), n - 1);
//! assert_eq!((n * m).divided_by(m), Some(n));
//! assert!((n - n.floor_div(2.into())).is_at_least(0) && !(n - m).is_at_least(0));
//! ```

mod operators;
mod order;
mod polynomial;
mod print;
mod proof;
#[cfg(test)]
mod tests;

use polynomial::{Polynomial, Term};
use std::collections::HashMap;
use std::sync::{OnceLock, PoisonError, RwLock};

/// A size: a number, or a polynomial of sizes that are known at run time only.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extent(i64);

/// Handles are the least numbers of 64 bits. Such a number itself is a polynomial without terms.
const FIRST: i64 = i64::MIN;
/// Number of handles.
const HANDLES: i64 = 1 << 32;

/// Factor of the terms of a polynomial.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Factor {
    /// The size with this name; at least 0.
    Name(usize),
    /// The integer with this name, which may be below 0: what sizes may be computed from. It is
    /// known where these are compared, and in no plan.
    Integer(usize),
    /// A quotient, rounded down. The divisor is at least 1 wherever the quotient is computed.
    Quotient(Extent, Extent),
    /// The smaller one.
    Least(Extent, Extent),
    /// The larger one.
    Greatest(Extent, Extent),
}

impl Factor {
    /// The two that a quotient, or a choice, is of.
    pub fn parts(self) -> Option<[Extent; 2]> {
        match self {
            Self::Name(_) | Self::Integer(_) => None,
            Self::Quotient(a, b) | Self::Least(a, b) | Self::Greatest(a, b) => Some([a, b]),
        }
    }
}

/// All polynomials that are behind handles. Programs are made of the same few again and again, so
/// that they stay.
#[derive(Default)]
struct Store {
    forms: Vec<&'static Polynomial>,
    handles: HashMap<&'static Polynomial, i64>,
}

fn store() -> &'static RwLock<Store> {
    static STORE: OnceLock<RwLock<Store>> = OnceLock::new();
    STORE.get_or_init(RwLock::default)
}

impl Extent {
    /// The number zero.
    pub const ZERO: Self = Self(0);
    /// The number one.
    pub const ONE: Self = Self(1);

    /// The size with this name.
    pub fn name(name: usize) -> Self {
        Self::factor(Factor::Name(name))
    }

    fn factor(factor: Factor) -> Self {
        Self::from_polynomial(Polynomial {
            terms: vec![Term {
                factors: vec![factor],
                times: 1,
            }],
            constant: 0,
        })
    }

    /// The handle of a polynomial.
    fn from_polynomial(form: Polynomial) -> Self {
        if form.terms.is_empty() && form.constant >= FIRST + HANDLES {
            return Self(form.constant);
        }
        let known = |store: &Store| store.handles.get(&form).copied().map(Self);
        if let Some(found) = known(&store().read().unwrap_or_else(PoisonError::into_inner)) {
            return found;
        }
        let mut store = store().write().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known(&store) {
            return found;
        }
        let handle = FIRST + (store.forms.len() as i64).min(HANDLES - 1);
        let form: &'static Polynomial = Box::leak(Box::new(form));
        store.forms.push(form);
        store.handles.insert(form, handle);
        Self(handle)
    }

    /// The polynomial behind a handle; `None` for a number that is its own handle.
    fn form(self) -> Option<&'static Polynomial> {
        if self.0 >= FIRST + HANDLES {
            return None;
        }
        let store = store().read().unwrap_or_else(PoisonError::into_inner);
        store.forms.get((self.0 - FIRST) as usize).copied()
    }

    /// A copy of the polynomial, also of a number.
    fn polynomial(self) -> Polynomial {
        match self.form() {
            Some(form) => form.clone(),
            None => Polynomial {
                terms: Vec::new(),
                constant: self.0,
            },
        }
    }

    /// The number, where it is known.
    pub fn as_constant(self) -> Option<i64> {
        match self.form() {
            Some(form) => form.terms.is_empty().then_some(form.constant),
            None => Some(self.0),
        }
    }

    /// Whether it is known at run time only.
    pub fn is_run_time(self) -> bool {
        self.as_constant().is_none()
    }

    /// The name, if it is one and nothing else.
    pub fn as_name(self) -> Option<usize> {
        let (name, times) = self.multiple_of_name()?;
        (times == 1).then_some(name)
    }

    /// The name that it is a positive multiple of and nothing else, and how many times.
    pub fn multiple_of_name(self) -> Option<(usize, i64)> {
        match self.multiple()? {
            ([Factor::Name(name)], times) if times > 0 => Some((*name, times)),
            _ => None,
        }
    }

    /// The factors and the number they are multiplied with, if it is a product alone.
    pub fn multiple(self) -> Option<(&'static [Factor], i64)> {
        let form = self.form()?;
        match (form.terms.as_slice(), form.constant) {
            ([term], 0) => Some((&term.factors, term.times)),
            _ => None,
        }
    }

    /// The products that it is a sum of, each with the number that it is multiplied with, and the
    /// number that is added.
    pub fn parts(self) -> (Vec<(&'static [Factor], i64)>, i64) {
        match self.form() {
            Some(form) => {
                let terms = form.terms.iter();
                let parts = terms.map(|term| (term.factors.as_slice(), term.times));
                (parts.collect(), form.constant)
            }
            None => (Vec::new(), self.0),
        }
    }

    /// Calls `f` with every name in it, also inside of quotients and choices.
    pub fn for_each_name(self, f: &mut dyn FnMut(usize)) {
        for term in self.form().map_or(&[][..], |form| &form.terms) {
            for factor in &term.factors {
                match (*factor, factor.parts()) {
                    (Factor::Name(name) | Factor::Integer(name), _) => f(name),
                    (_, parts) => parts.into_iter().flatten().for_each(|x| x.for_each_name(f)),
                }
            }
        }
    }

    /// Tells whether the factor is in it, also inside of a quotient or a choice.
    pub fn contains(self, factor: Factor) -> bool {
        self.form().is_some_and(|form| {
            let mut factors = form.terms.iter().flat_map(|term| &term.factors);
            factors.any(|own| {
                *own == factor
                    || own
                        .parts()
                        .is_some_and(|ab| ab.iter().any(|x| x.contains(factor)))
            })
        })
    }

    /// With every factor replaced by what `f` gives for it. Of a quotient, or of a choice, for
    /// which it gives nothing, both parts are replaced.
    #[must_use]
    pub fn substitute(self, f: &dyn Fn(Factor) -> Option<Self>) -> Self {
        let Some(form) = self.form() else {
            return self;
        };
        let factor = |factor: &Factor| {
            f(*factor).unwrap_or_else(|| match *factor {
                own @ (Factor::Name(_) | Factor::Integer(_)) => own.into(),
                Factor::Quotient(a, b) => a.substitute(f).floor_div(b.substitute(f)),
                Factor::Least(a, b) => a.substitute(f).least(b.substitute(f)),
                Factor::Greatest(a, b) => a.substitute(f).greatest(b.substitute(f)),
            })
        };
        let term = |term: &Term| {
            let product: Self = term.factors.iter().map(factor).product();
            product * term.times
        };
        form.terms.iter().map(term).sum::<Self>() + form.constant
    }

    /// The value where the names have these.
    pub fn eval(self, name: &dyn Fn(usize) -> i128) -> i128 {
        let Some(form) = self.form() else {
            return self.0.into();
        };
        let factor = |factor: &Factor| match factor {
            Factor::Name(own) | Factor::Integer(own) => name(*own),
            Factor::Quotient(a, b) => a.eval(name).div_euclid(b.eval(name).max(1)),
            Factor::Least(a, b) => a.eval(name).min(b.eval(name)),
            Factor::Greatest(a, b) => a.eval(name).max(b.eval(name)),
        };
        let terms = form.terms.iter().map(|term| {
            let product = |all: i128, own| factor(own).saturating_mul(all);
            term.factors.iter().fold(i128::from(term.times), product)
        });
        terms.fold(form.constant.into(), i128::saturating_add)
    }

    /// The sum; `None` where a number leaves 64 bits.
    pub fn checked_add(self, other: impl Into<Self>) -> Option<Self> {
        let other = other.into();
        match (self.as_constant(), other.as_constant()) {
            (Some(a), Some(b)) => a.checked_add(b).map(Self::from),
            (Some(0), _) => Some(other),
            (_, Some(0)) => Some(self),
            _ => (self.polynomial())
                .plus_scaled(&other.polynomial(), 1)
                .map(Self::from_polynomial),
        }
    }

    /// The difference; `None` where a number leaves 64 bits.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.checked_add(other.checked_mul(-1)?)
    }

    /// The product; `None` where a number leaves 64 bits.
    pub fn checked_mul(self, other: impl Into<Self>) -> Option<Self> {
        let other = other.into();
        match (self.as_constant(), other.as_constant()) {
            (Some(a), Some(b)) => a.checked_mul(b).map(Self::from),
            (Some(1), _) => Some(other),
            (_, Some(1)) => Some(self),
            _ => self
                .polynomial()
                .times(&other.polynomial())
                .map(Self::from_polynomial),
        }
    }

    /// The quotient, where `by` divides it whatever the sizes are.
    pub fn divided_by(self, by: Self) -> Option<Self> {
        match (self.as_constant(), by.as_constant()) {
            (_, Some(0)) => None,
            (Some(0), _) => Some(self),
            (Some(a), Some(b)) => (a.checked_rem(b)? == 0).then(|| (a / b).into()),
            _ => {
                let (quotient, rest) = self.polynomial().divided(&by.polynomial())?;
                rest.is_zero().then(|| Self::from_polynomial(quotient))
            }
        }
    }

    /// Whether it is a multiple of `by` for all sizes.
    pub fn is_multiple_of(self, by: impl Into<Self>) -> bool {
        self.divided_by(by.into()).is_some()
    }

    /// A quotient and a rest without new factors: `self = quotient * by + rest`. Of numbers the
    /// rest is in `[0, by - 1]`; of polynomials it is what the division leaves, with coefficients
    /// in that range where `by` is a number.
    pub fn split(self, by: Self) -> (Self, Self) {
        match (self.as_constant(), by.as_constant()) {
            (Some(a), Some(b)) if b > 0 => (a.div_euclid(b).into(), a.rem_euclid(b).into()),
            _ => match self.polynomial().divided(&by.polynomial()) {
                Some((quotient, rest)) => {
                    (Self::from_polynomial(quotient), Self::from_polynomial(rest))
                }
                None => (Self::ZERO, self),
            },
        }
    }

    /// The quotient, rounded down; `by` is at least 1 wherever it is computed.
    #[must_use]
    pub fn floor_div(self, by: Self) -> Self {
        if by == Self::ONE {
            return self;
        }
        let (quotient, rest) = self.split(by);
        if rest == Self::ZERO || self.as_constant().is_some() && by.as_constant().is_some() {
            return quotient;
        }
        // The rest may be below zero: the quotient is then one less.
        for less in [Self::ZERO, Self::ONE] {
            let own = rest + by * less;
            if own.is_digit_of(by) {
                return quotient - less;
            }
        }
        if let Some(flat) = rest.without_quotient(by) {
            return quotient + flat;
        }
        if rest.is_shorter_turned(by) {
            return quotient - 1 - (-rest - 1).floor_div(by);
        }
        let common = rest.common_factor(by);
        let own = |x: Self| x.divided_by(common).unwrap_or(x);
        let (rest, by) = if common == Self::ONE {
            (rest, by)
        } else {
            (own(rest), own(by))
        };
        if by == Self::ONE {
            quotient + rest
        } else {
            quotient + Self::factor(Factor::Quotient(rest, by))
        }
    }

    /// Tells whether `-1 - self`, whose quotient is that of `self` with its sign turned, less one,
    /// has smaller coefficients modulo a number.
    fn is_shorter_turned(self, by: Self) -> bool {
        let Some(by) = by.as_constant().map(i128::from) else {
            return false;
        };
        let (parts, constant) = self.parts();
        let more = |k: i64| 2 * i128::from(k) - by;
        let all: i128 = parts.iter().map(|(_, times)| more(*times)).sum();
        all > 0 || all == 0 && more(constant) > -1
    }

    /// The quotient by a number of a sum with a quotient by a number in it, as one quotient:
    /// `(x floordiv a + y) floordiv b` is `(x + a * y) floordiv (a * b)`.
    fn without_quotient(self, by: Self) -> Option<Self> {
        let b = by.as_constant()?;
        let (parts, _) = self.parts();
        let (x, a) = parts.iter().find_map(|part| match part {
            ([Factor::Quotient(x, a)], 1) => Some((*x, a.as_constant()?)),
            _ => None,
        })?;
        let rest = self.checked_sub(Factor::Quotient(x, a.into()).into())?;
        let all = x.checked_add(rest.checked_mul(a)?)?;
        Some(all.floor_div(a.checked_mul(b)?.into()))
    }

    /// The quotient, rounded up; `by` is at least 1 wherever it is computed.
    #[must_use]
    pub fn ceil_div(self, by: Self) -> Self {
        (self + by - 1).floor_div(by)
    }

    /// Remainder of [`Extent::floor_div`].
    #[must_use]
    pub fn modulo(self, by: Self) -> Self {
        self - by * self.floor_div(by)
    }

    /// The smaller one.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        match (other.is_at_least(self), self.is_at_least(other)) {
            (true, _) => self,
            (_, true) => other,
            _ => Self::factor(Factor::Least(self.min(other), self.max(other))),
        }
    }

    /// The larger one.
    #[must_use]
    pub fn greatest(self, other: Self) -> Self {
        match (other.is_at_least(self), self.is_at_least(other)) {
            (true, _) => other,
            (_, true) => self,
            _ => Self::factor(Factor::Greatest(self.min(other), self.max(other))),
        }
    }

    /// Returns the greatest number that divides it whatever the sizes are, and whether every
    /// product in it has a size as a factor.
    pub fn content(self) -> (i64, bool) {
        let (parts, constant) = self.parts();
        let is_name = |factor: &Factor| matches!(factor, Factor::Name(_));
        let named = constant == 0 && !parts.is_empty();
        let named = named && parts.iter().all(|(factors, _)| factors.iter().any(is_name));
        let divide = |all, (_, times): &(_, i64)| crate::linear::gcd(all, *times);
        (parts.iter().fold(constant, divide), named)
    }

    /// A number, or a product that is never negative, that divides both.
    #[must_use]
    pub fn common_factor(self, other: Self) -> Self {
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
            return Self::from(crate::linear::gcd(a, b));
        }
        let content = || Self::from_polynomial(self.polynomial().content(&other.polynomial()));
        let fits = |x: &Self| {
            x.is_at_least(Self::ZERO) && self.is_multiple_of(*x) && other.is_multiple_of(*x)
        };
        let candidates = [self, -self, other, -other].into_iter();
        let found = candidates.chain(std::iter::once_with(content)).find(fits);
        found.unwrap_or(Self::ONE)
    }
}
