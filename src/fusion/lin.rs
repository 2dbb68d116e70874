//! Integer expressions of a loop nest: sums of variables and of quotients by constants. What maps become when they are composed from the
//! results of a region inwards ([`crate::read`]).
//!
//! Remainders are not a form of their own: `x mod m` is `x - m * (x floordiv m)`. A delinearised and then linearised index
//! therefore telescopes by plain cancellation: what is left of reshapes, slices and transposes in an offset is only what
//! really is not affine. This is the form in which fusion counts how often an element is computed, and in which code generation
//! asks how an offset changes from lane to lane.

use std::sync::Arc;

/// A loop variable, by its position in [`Ranges::vars`].
pub type VarId = usize;

/// What a term of a sum is.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Atom {
    /// A loop variable.
    Var(VarId),
    /// A value read while the program runs, by its position in [`Ranges::values`].
    Value(usize),
    /// `inner floordiv m`, `m > 1`.
    Floor(Arc<Lin>, i64),
}

/// `sum of coefficient * atom + constant`; terms sorted by atom, coefficients not zero.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Lin {
    /// Atoms with their coefficients.
    pub terms: Vec<(Atom, i64)>,
    /// What is added.
    pub constant: i64,
}

/// Closed ranges of the variables and of the values read at run time.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    /// Of the variables.
    pub vars: Vec<(i64, i64)>,
    /// Of the values read at run time.
    pub values: Vec<(i64, i64)>,
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Bounds are kept far from the ends of `i64`, so that sums of a few of them cannot overflow.
pub(crate) const FAR: i64 = 1 << 60;

fn clamp(x: i128) -> i64 {
    x.clamp(i128::from(-FAR), i128::from(FAR)) as i64
}

impl Lin {
    /// A constant.
    pub fn constant(value: i64) -> Self {
        Self {
            terms: Vec::new(),
            constant: value,
        }
    }

    /// A variable.
    pub fn var(var: VarId) -> Self {
        Self::atom(Atom::Var(var))
    }

    /// An atom.
    pub fn atom(atom: Atom) -> Self {
        Self {
            terms: vec![(atom, 1)],
            constant: 0,
        }
    }

    /// The value, if there are no terms.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The sum.
    pub fn plus(&self, other: &Self) -> Self {
        self.plus_scaled(other, 1)
    }

    /// The difference.
    pub fn minus(&self, other: &Self) -> Self {
        self.plus_scaled(other, -1)
    }

    /// The sum with a constant.
    pub fn offset(&self, by: i64) -> Self {
        Self {
            terms: self.terms.clone(),
            constant: self.constant.wrapping_add(by),
        }
    }

    /// The product with a constant.
    pub fn scaled(&self, factor: i64) -> Self {
        Self::default().plus_scaled(self, factor)
    }

    /// `self + factor * other`, merging like terms.
    pub fn plus_scaled(&self, other: &Self, factor: i64) -> Self {
        if factor == 0 {
            return self.clone();
        }
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut i, mut j) = (0, 0);
        while i < self.terms.len() || j < other.terms.len() {
            let order = match (self.terms.get(i), other.terms.get(j)) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            match order {
                std::cmp::Ordering::Less => {
                    terms.push(self.terms[i].clone());
                    i += 1;
                }
                std::cmp::Ordering::Greater => {
                    let (atom, k) = &other.terms[j];
                    terms.push((atom.clone(), k.wrapping_mul(factor)));
                    j += 1;
                }
                std::cmp::Ordering::Equal => {
                    let k = self.terms[i]
                        .1
                        .wrapping_add(other.terms[j].1.wrapping_mul(factor));
                    if k != 0 {
                        terms.push((self.terms[i].0.clone(), k));
                    }
                    i += 1;
                    j += 1;
                }
            }
        }
        Self {
            terms,
            constant: self
                .constant
                .wrapping_add(other.constant.wrapping_mul(factor)),
        }
    }

    /// `self floordiv m`, `m >= 1`, with what the ranges tell.
    pub fn floor_div(&self, m: i64, ranges: &Ranges) -> Self {
        if m == 1 {
            return self.clone();
        }
        let (lo, hi) = self.range(ranges);
        if lo.div_euclid(m) == hi.div_euclid(m) {
            return Self::constant(lo.div_euclid(m));
        }
        // m*Q + R: the multiples of m go outside.
        let mut quotient = Self::constant(self.constant.div_euclid(m));
        let mut rest = Self::constant(self.constant.rem_euclid(m));
        for (atom, k) in &self.terms {
            match k % m {
                0 => quotient.terms.push((atom.clone(), k / m)),
                _ => rest.terms.push((atom.clone(), *k)),
            }
        }
        if !quotient.terms.is_empty() || quotient.constant != 0 {
            return quotient.plus(&rest.floor_div(m, ranges));
        }
        // g divides m, and everything that is not a multiple of g stays within [0, g - 1]: it cannot reach the quotient.
        let mut divisors: Vec<i64> = rest
            .terms
            .iter()
            .map(|(_, k)| gcd(*k, m))
            .filter(|g| *g > 1)
            .collect();
        divisors.sort_unstable();
        divisors.dedup();
        for g in divisors.into_iter().rev() {
            let mut coarse = Self::constant(rest.constant.div_euclid(g));
            let mut fine = Self::constant(rest.constant.rem_euclid(g));
            for (atom, k) in &rest.terms {
                match k % g {
                    0 => coarse.terms.push((atom.clone(), k / g)),
                    _ => fine.terms.push((atom.clone(), *k)),
                }
            }
            let (lo, hi) = fine.range(ranges);
            if lo >= 0 && hi < g {
                return coarse.floor_div(m / g, ranges);
            }
        }
        // (x floordiv a) floordiv b = x floordiv (a * b)
        if let ([(Atom::Floor(inner, a), 1)], 0) = (rest.terms.as_slice(), rest.constant)
            && let Some(product) = a.checked_mul(m)
        {
            return inner.floor_div(product, ranges);
        }
        Self::atom(Atom::Floor(Arc::new(rest), m))
    }

    /// `self mod m`.
    pub fn modulo(&self, m: i64, ranges: &Ranges) -> Self {
        self.plus_scaled(&self.floor_div(m, ranges), -m)
    }

    /// Closed bounds of the value. Remainders (`x - m * (x floordiv m)`) are recognised as such.
    pub fn range(&self, ranges: &Ranges) -> (i64, i64) {
        let plain = self.plain_range(ranges);
        if plain.0 == plain.1 {
            return plain;
        }
        let mut best = plain;
        for (atom, k) in &self.terms {
            let Atom::Floor(inner, m) = atom else {
                continue;
            };
            // k = -m * c: what else is c * inner makes c * (inner mod m).
            if k % m != 0 {
                continue;
            }
            let c = -(k / m);
            let remainder = inner.plus_scaled(&Self::atom(atom.clone()), -m);
            let rest = self.plus_scaled(&remainder, -c);
            if rest.terms.len() >= self.terms.len() {
                continue;
            }
            let (lo, hi) = rest.range(ranges);
            let (a, b) = (0, c.saturating_mul(m - 1));
            best.0 = best.0.max(lo.saturating_add(a.min(b)));
            best.1 = best.1.min(hi.saturating_add(a.max(b)));
        }
        best
    }

    fn plain_range(&self, ranges: &Ranges) -> (i64, i64) {
        let (mut lo, mut hi) = (i128::from(self.constant), i128::from(self.constant));
        for (atom, k) in &self.terms {
            let (a, b) = match atom {
                Atom::Var(v) => ranges.vars[*v],
                Atom::Value(v) => ranges.values[*v],
                Atom::Floor(inner, m) => {
                    let (a, b) = inner.range(ranges);
                    (a.div_euclid(*m), b.div_euclid(*m))
                }
            };
            let (x, y) = (
                i128::from(a) * i128::from(*k),
                i128::from(b) * i128::from(*k),
            );
            lo += x.min(y);
            hi += x.max(y);
        }
        (clamp(lo), clamp(hi))
    }

    /// The expression with every variable replaced by what `f` gives for it (`None`: it stays).
    pub fn substitute(&self, ranges: &Ranges, f: &dyn Fn(&Atom) -> Option<Self>) -> Self {
        let mut sum = Self::constant(self.constant);
        for (atom, k) in &self.terms {
            let value = match (f(atom), atom) {
                (Some(value), _) => value,
                (None, Atom::Floor(inner, m)) => inner.substitute(ranges, f).floor_div(*m, ranges),
                (None, _) => Self::atom(atom.clone()),
            };
            sum = sum.plus_scaled(&value, *k);
        }
        sum
    }

    /// The expression with one variable replaced.
    pub fn with_var(&self, var: VarId, value: &Self, ranges: &Ranges) -> Self {
        match self.depends_on(var) {
            true => self.substitute(ranges, &|atom| {
                (*atom == Atom::Var(var)).then(|| value.clone())
            }),
            false => self.clone(),
        }
    }

    /// Does the variable occur anywhere?
    pub fn depends_on(&self, var: VarId) -> bool {
        self.terms.iter().any(|(atom, _)| match atom {
            Atom::Var(v) => *v == var,
            Atom::Value(_) => false,
            Atom::Floor(inner, _) => inner.depends_on(var),
        })
    }

    /// Coefficient of the variable if it occurs only as a plain term (0 if not at all); `None` if it is inside a quotient.
    pub fn coefficient(&self, var: VarId) -> Option<i64> {
        let mut found = 0;
        for (atom, k) in &self.terms {
            match atom {
                Atom::Var(v) if *v == var => found = *k,
                Atom::Floor(inner, _) if inner.depends_on(var) => return None,
                _ => {}
            }
        }
        Some(found)
    }

    /// The variables, in order, without duplicates.
    pub fn variables(&self, into: &mut Vec<VarId>) {
        for (atom, _) in &self.terms {
            match atom {
                Atom::Var(v) if !into.contains(v) => into.push(*v),
                Atom::Floor(inner, _) => inner.variables(into),
                _ => {}
            }
        }
    }

    /// The run-time values, in order, without duplicates.
    pub fn values(&self, into: &mut Vec<usize>) {
        for (atom, _) in &self.terms {
            match atom {
                Atom::Value(v) if !into.contains(v) => into.push(*v),
                Atom::Floor(inner, _) => inner.values(into),
                _ => {}
            }
        }
    }

    /// The value where variables and run-time values are known; for tests.
    #[cfg(test)]
    pub fn eval(&self, vars: &[i64]) -> i64 {
        self.terms
            .iter()
            .map(|(atom, k)| {
                k * match atom {
                    Atom::Var(v) => vars[*v],
                    Atom::Value(_) => 0,
                    Atom::Floor(inner, m) => inner.eval(vars).div_euclid(*m),
                }
            })
            .sum::<i64>()
            + self.constant
    }
}

/// Row-major offset of `index` in a tensor of `shape`.
pub fn linearize(index: &[Lin], shape: &[i64]) -> Lin {
    let mut offset = Lin::default();
    let mut stride = 1i64;
    for (i, size) in index.iter().zip(shape).rev() {
        offset = offset.plus_scaled(i, stride);
        stride = stride.wrapping_mul(*size);
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranges(sizes: &[i64]) -> Ranges {
        Ranges {
            vars: sizes.iter().map(|n| (0, n - 1)).collect(),
            values: Vec::new(),
        }
    }

    #[test]
    fn delinearised_and_linearised_again_is_the_same() {
        let r = ranges(&[32768]);
        let (x, shape) = (Lin::var(0), [64, 8, 64]);
        let index = [
            x.floor_div(512, &r),
            x.floor_div(64, &r).modulo(8, &r),
            x.modulo(64, &r),
        ];
        assert_eq!(linearize(&index, &shape), x);
    }

    #[test]
    fn what_cannot_reach_the_quotient_is_dropped() {
        let r = ranges(&[8, 4096]);
        let x = Lin::var(1).scaled(8).plus(&Lin::var(0));
        assert_eq!(x.floor_div(512, &r), Lin::var(1).floor_div(64, &r));
        assert_eq!(x.modulo(8, &r), Lin::var(0));
        let y = Lin::var(1).modulo(8, &r).offset(2);
        assert_eq!(y.range(&r), (2, 9));
        assert_eq!(y.floor_div(16, &r), Lin::constant(0));
    }

    proptest! {
        /// Every simplification keeps the value, and ranges hold, at every point.
        #[test]
        fn agrees_with_arithmetic(a in -9i64..9, b in -9i64..9, k in -20i64..20, m in 1i64..13, n in 1i64..7, p in 1i64..9) {
            let r = ranges(&[7, 5]);
            let x = Lin::var(0).scaled(a).plus_scaled(&Lin::var(1), b).offset(k);
            let y = x.floor_div(m, &r).plus_scaled(&x.modulo(n, &r), p).floor_div(n, &r);
            let z = y.modulo(p, &r).plus(&x);
            let (lo, hi) = z.range(&r);
            for u in 0..7 {
                for v in 0..5 {
                    let xv = a * u + b * v + k;
                    let yv = (xv.div_euclid(m) + p * xv.rem_euclid(n)).div_euclid(n);
                    let zv = yv.rem_euclid(p) + xv;
                    prop_assert_eq!(z.eval(&[u, v]), zv);
                    prop_assert!(lo <= zv && zv <= hi);
                }
            }
        }
    }
}
