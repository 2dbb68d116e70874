//! The linear form: sums of digits of variables with integer coefficients.
//!
//! A digit is `(L floordiv a) mod (b / a)`, with `a` dividing `b`, or `L floordiv a`; the variable
//! `v` itself is the digit `(v, 1, none)`. Reshapes write an index into digits and put digits
//! together again, so this is the form in which composed maps stay short: neighbouring digits of
//! one base join where their coefficients fit, and a digit that a quotient does not reach falls
//! away.
//!
//! Coefficients are numbers, or sizes that are known at run time only ([`Extent`](crate::Extent)):
//! every [`Coefficient`] does.
//!
//! Numbers are 64 bits and checked. A sum that would leave them is [`Sum::beyond`]: a value of its
//! own that every operation hands on, of which nothing is known, and that whoever needs the number
//! has to decline ([`Sum::is_beyond`]).
//!
//! ```
//! use mapwright_indexing::linear::{Facts, Sum, linearize};
//! // An index of 64x8x64 elements from a place among them, and back.
//! let facts = Facts::of_sizes(&[32768]);
//! let place = Sum::var(0);
//! let index = [
//!     place.floor_div(512, &facts),
//!     place.floor_div(64, &facts).modulo(8, &facts),
//!     place.modulo(64, &facts),
//! ];
//! assert_eq!(linearize(&index, &[64, 8, 64]), place);
//! // A reversed index has reversed digits.
//! let reversed = Sum::constant(32767).minus(&place);
//! assert_eq!(reversed.modulo(64, &facts), Sum::constant(63).minus(&place.modulo(64, &facts)));
//! ```

mod digits;
mod divide;
mod expr;
mod facts;
pub(crate) mod number;
pub(crate) mod numeral;
pub mod radix;
#[cfg(test)]
mod tests;

pub use divide::{DivisionRule, RULES};
pub use facts::{FAR, Facts, is_near};
pub use number::gcd;

use crate::Extent;
use std::cmp::Ordering;
use std::sync::Arc;

/// A variable, by its position in [`Facts::vars`].
pub type VarId = usize;

/// Base of a digit: the value that it is a digit of.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Base {
    /// A variable.
    Var(VarId),
    /// A value read while the program runs, by its position in [`Facts::values`].
    Value(usize),
    /// A sum that no digit can be taken of term by term. Digits of it have a `low` above 1 or a
    /// `high`.
    Sum(Arc<Sum>),
    /// A number that does not fit into 64 bits on the way to it.
    Beyond,
}

/// `(base floordiv low) mod (high / low)`, or `base floordiv low`: what a term of a sum is.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Atom {
    /// Value that it is a digit of.
    pub base: Base,
    /// Lower end, at least 1.
    pub low: Extent,
    /// Upper end: a multiple of `low`, above it. The leading digit has none.
    pub high: Option<Extent>,
}

/// `sum of coefficient * atom + constant`; terms sorted by atom, coefficients not zero.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Sum {
    /// Atoms with their coefficients.
    pub terms: Vec<(Atom, Extent)>,
    /// Constant term.
    pub constant: Extent,
}

impl Atom {
    /// A variable.
    pub fn var(var: VarId) -> Self {
        Self::whole(Base::Var(var))
    }

    /// A value read at run time.
    pub fn value(value: usize) -> Self {
        Self::whole(Base::Value(value))
    }

    fn whole(base: Base) -> Self {
        Self {
            base,
            low: Extent::ONE,
            high: None,
        }
    }

    /// The variable, if it is one and no digit of one.
    pub fn as_var(&self) -> Option<VarId> {
        match (&self.base, self.is_whole()) {
            (Base::Var(var), true) => Some(*var),
            _ => None,
        }
    }

    /// The value read at run time, if it is one and no digit of one.
    pub fn as_value(&self) -> Option<usize> {
        match (&self.base, self.is_whole()) {
            (Base::Value(value), true) => Some(*value),
            _ => None,
        }
    }

    /// Whether it is the base itself.
    pub fn is_whole(&self) -> bool {
        self.low == 1 && self.high.is_none()
    }

    /// Its lower and its upper end, where these are numbers.
    pub fn numbers(&self) -> Option<(i64, Option<i64>)> {
        let low = self.low.as_constant()?;
        match self.high {
            Some(high) => Some((low, Some(high.as_constant()?))),
            None => Some((low, None)),
        }
    }

    /// The number of values it has by its form, if it ends somewhere.
    pub fn period(&self) -> Option<Extent> {
        self.high.and_then(|high| high.divided_by(self.low))
    }

    /// The base as a sum.
    pub fn base_sum(&self) -> Sum {
        match &self.base {
            Base::Sum(sum) => Sum::clone(sum),
            base => Sum::atom(Self::whole(base.clone())),
        }
    }

    /// Whether the variable occurs in it.
    pub fn depends_on(&self, var: VarId) -> bool {
        match &self.base {
            Base::Var(own) => *own == var,
            Base::Value(_) => false,
            Base::Sum(inner) => inner.depends_on(var),
            Base::Beyond => true,
        }
    }
}

impl Sum {
    /// A constant.
    pub fn constant(value: impl Into<Extent>) -> Self {
        Self {
            terms: Vec::new(),
            constant: value.into(),
        }
    }

    /// A variable.
    pub fn var(var: VarId) -> Self {
        Self::atom(Atom::var(var))
    }

    /// An atom.
    pub fn atom(atom: Atom) -> Self {
        Self {
            terms: vec![(atom, Extent::ONE)],
            constant: Extent::ZERO,
        }
    }

    /// The unknown sum: one that needs numbers beyond 64 bits.
    pub fn beyond() -> Self {
        Self::atom(Atom::whole(Base::Beyond))
    }

    /// Tells whether a number left 64 bits on the way to this sum.
    pub fn is_beyond(&self) -> bool {
        self.terms.iter().any(|(atom, _)| atom.base == Base::Beyond)
    }

    /// The value, if there are no terms.
    pub fn as_constant(&self) -> Option<Extent> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The value, if there are no terms and it is known.
    pub fn as_number(&self) -> Option<i64> {
        self.as_constant()?.as_constant()
    }

    /// The atoms with their coefficients, and the constant, where all of these are numbers.
    pub fn numbers(&self) -> Option<(Vec<(&Atom, i64)>, i64)> {
        let terms = self.terms.iter();
        let terms = terms.map(|(atom, k)| Some((atom, k.as_constant()?)));
        Some((terms.collect::<Option<_>>()?, self.constant.as_constant()?))
    }

    /// The variable, if it is one and nothing else.
    pub fn as_var(&self) -> Option<VarId> {
        match self.as_atom() {
            Some(atom) => atom.as_var(),
            None => None,
        }
    }

    /// The atom, if it is one and nothing else.
    pub fn as_atom(&self) -> Option<&Atom> {
        match self.terms.as_slice() {
            [(atom, k)] if *k == 1 && self.constant == 0 => Some(atom),
            _ => None,
        }
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.plus_scaled(other, Extent::ONE)
    }

    /// The difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.plus_scaled(other, -1)
    }

    /// The sum with a constant.
    #[must_use]
    pub fn offset(&self, by: impl Into<Extent>) -> Self {
        match self.constant.checked_add(by.into()) {
            _ if self.is_beyond() => Self::beyond(),
            Some(constant) => Self {
                terms: self.terms.clone(),
                constant,
            },
            None => Self::beyond(),
        }
    }

    /// The product with a constant.
    #[must_use]
    pub fn scaled(&self, factor: impl Into<Extent>) -> Self {
        Self::default().plus_scaled(self, factor.into())
    }

    /// `self + factor * other`, like terms merged and neighbouring digits joined.
    #[must_use]
    pub fn plus_scaled(&self, other: &Self, factor: impl Into<Extent>) -> Self {
        let factor = factor.into();
        if factor == 0 {
            return self.clone();
        }
        if self.is_beyond() || other.is_beyond() {
            return Self::beyond();
        }
        self.merged(other, factor).unwrap_or_else(Self::beyond)
    }

    fn merged(&self, other: &Self, factor: Extent) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut i, mut j) = (0, 0);
        // Two digits of one base side by side may join.
        let mut neighbours = false;
        while i < self.terms.len() || j < other.terms.len() {
            let order = match (self.terms.get(i), other.terms.get(j)) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let (atom, k) = match order {
                Ordering::Less => {
                    i += 1;
                    self.terms[i - 1].clone()
                }
                Ordering::Greater => {
                    j += 1;
                    let (atom, k) = &other.terms[j - 1];
                    (atom.clone(), k.checked_mul(factor)?)
                }
                Ordering::Equal => {
                    i += 1;
                    j += 1;
                    let k = other.terms[j - 1].1.checked_mul(factor)?;
                    let (atom, own) = &self.terms[i - 1];
                    match own.checked_add(k)? {
                        k if k == 0 => continue,
                        k => (atom.clone(), k),
                    }
                }
            };
            neighbours |= terms
                .last()
                .is_some_and(|(last, _): &(Atom, Extent)| last.base == atom.base);
            terms.push((atom, k));
        }
        let constant = self
            .constant
            .checked_add(other.constant.checked_mul(factor)?)?;
        let sum = Self { terms, constant };
        if neighbours {
            digits::joined(sum)
        } else {
            Some(sum)
        }
    }

    /// The expression with every variable and value replaced by what `f` gives for it (`None`: it
    /// stays).
    #[must_use]
    pub fn substitute(&self, facts: &Facts, f: &dyn Fn(&Base) -> Option<Self>) -> Self {
        let mut sum = Self::constant(self.constant);
        for (atom, k) in &self.terms {
            let base = match &atom.base {
                Base::Sum(inner) => {
                    let changed = inner.substitute(facts, f);
                    (changed != **inner).then_some(changed)
                }
                base => f(base),
            };
            let value = match base {
                Some(base) => base.digit(atom.low, atom.high, facts),
                None => Self::atom(atom.clone()),
            };
            sum = sum.plus_scaled(&value, *k);
        }
        sum
    }

    /// The expression with one variable replaced.
    #[must_use]
    pub fn with_var(&self, var: VarId, value: &Self, facts: &Facts) -> Self {
        if self.depends_on(var) {
            self.substitute(facts, &|base| {
                (*base == Base::Var(var)).then(|| value.clone())
            })
        } else {
            self.clone()
        }
    }

    /// Whether the variable occurs anywhere.
    pub fn depends_on(&self, var: VarId) -> bool {
        self.terms.iter().any(|(atom, _)| atom.depends_on(var))
    }

    /// Coefficient of the variable if it occurs only as a plain term (0 if not at all); `None` if
    /// it is inside a digit.
    pub fn coefficient(&self, var: VarId) -> Option<Extent> {
        let mut found = Extent::ZERO;
        for (atom, k) in &self.terms {
            if atom.as_var() == Some(var) {
                found = *k;
            } else if atom.depends_on(var) {
                return None;
            }
        }
        Some(found)
    }

    /// The variables, in order, without duplicates.
    pub fn variables(&self, into: &mut Vec<VarId>) {
        for (atom, _) in &self.terms {
            match &atom.base {
                Base::Var(v) if !into.contains(v) => into.push(*v),
                Base::Sum(inner) => inner.variables(into),
                _ => {}
            }
        }
    }

    /// The values read at run time, in order, without duplicates.
    pub fn values(&self, into: &mut Vec<usize>) {
        for (atom, _) in &self.terms {
            match &atom.base {
                Base::Value(v) if !into.contains(v) => into.push(*v),
                Base::Sum(inner) => inner.values(into),
                _ => {}
            }
        }
    }

    /// Tells whether there is a digit of a sum: something that the local rules could not take
    /// apart.
    pub fn has_compound(&self) -> bool {
        (self.terms.iter()).any(|(atom, _)| matches!(atom.base, Base::Sum(_)))
    }

    /// Additions, multiplications, quotients and remainders, counted up to `limit`.
    pub fn operation_count(&self, limit: usize) -> usize {
        let mut count = self.terms.len().saturating_sub(1) + usize::from(self.constant != 0);
        for (atom, k) in &self.terms {
            count += usize::from(*k != 1);
            count += usize::from(atom.low != 1) + usize::from(atom.high.is_some());
            if count >= limit {
                return limit;
            }
            if let Base::Sum(inner) = &atom.base {
                count += inner.operation_count(limit - count);
            }
        }
        count.min(limit)
    }

    /// The value at a point; `None` if a number leaves 64 bits or is known at run time only, or a
    /// position is not there.
    pub fn eval(&self, vars: &[i64], values: &[i64]) -> Option<i64> {
        let constant = self.constant.as_constant()?;
        self.terms.iter().try_fold(constant, |sum, (atom, k)| {
            let base = match &atom.base {
                Base::Var(v) => *vars.get(*v)?,
                Base::Value(v) => *values.get(*v)?,
                Base::Sum(inner) => inner.eval(vars, values)?,
                Base::Beyond => return None,
            };
            let (low, high) = atom.numbers()?;
            let quotient = base.div_euclid(low);
            let digit = high.map_or(quotient, |high| quotient.rem_euclid(high / low));
            sum.checked_add(k.as_constant()?.checked_mul(digit)?)
        })
    }
}

/// Row-major offset of `index` in a tensor of `shape`.
pub fn linearize<N: Copy + Into<Extent>>(index: &[Sum], shape: &[N]) -> Sum {
    let mut offset = Sum::default();
    let mut stride = Some(Extent::ONE);
    for (i, size) in index.iter().zip(shape).rev() {
        let Some(step) = stride else {
            return Sum::beyond();
        };
        offset = offset.plus_scaled(i, step);
        stride = step.checked_mul(*size);
    }
    offset
}
