//! Constraints on sums whose terms nest like digits: bounds of the single terms.

use crate::interval::{Interval, ceil_div, floor_div};
use crate::linear::gcd;
use crate::simplify::bounds::bounded;
use crate::simplify::linear::{Forms, Sum, Term, Terms, UNBOUNDED, finite};
use crate::simplify::operations::LONG;
use crate::simplify::rules::constraint::range::RangeOf;
use smallvec::SmallVec;

/// Factors that are tried on one sum.
const MOST: usize = 24;

/// A sum in two parts: what is a multiple of a factor, and the rest.
#[derive(Clone, Copy)]
pub(crate) struct Split {
    g: i64,
    /// The values of the multiples, divided by the factor.
    high: Interval,
    /// Values of the rest.
    low: Interval,
}

/// The ways to split a sum by the sizes of its coefficients.
pub(crate) struct Splits(SmallVec<[Split; 4]>);

impl Splits {
    pub(crate) fn from_terms(forms: &Forms, terms: &[Term]) -> Self {
        let long = terms.len() > LONG;
        let most = if long { MOST } else { terms.len() };
        let mut factors: SmallVec<[i64; 8]> = SmallVec::new();
        let mut list = SmallVec::new();
        for t in terms {
            // No coefficient is the one number without a size.
            let g = t.coef.wrapping_abs();
            if g > 1 && factors.len() < most && !factors.contains(&g) {
                factors.push(g);
                list.extend(split(forms, terms, g));
            }
        }
        if (2..MOST).contains(&factors.len()) {
            // What the larger coefficients have in common may lie above the smaller ones, too.
            let sizes = factors.clone();
            for least in sizes.iter() {
                let larger = sizes.iter().filter(|g| *g >= least);
                let g = larger.fold(0, |g, size| gcd(*size, g));
                if g > 1 && !factors.contains(&g) {
                    factors.push(g);
                    list.extend(split(forms, terms, g));
                }
            }
        }
        Splits(list)
    }
}

/// The terms whose coefficients are multiples of `g`, divided by it, and the others.
fn parts(terms: &[Term], g: i64) -> (Terms, Terms) {
    let (mut high, mut low) = (Terms::new(), Terms::new());
    for t in terms {
        match t.coef % g {
            0 => high.push(Term::new(t.atom, t.coef / g)),
            _ => low.push(*t),
        }
    }
    (high, low)
}

/// The values of [`parts`]; `None` if there are no others.
fn split(forms: &Forms, terms: &[Term], g: i64) -> Option<Split> {
    let (high, low) = parts(terms, g);
    if low.is_empty() {
        return None;
    }
    Some(Split {
        g,
        high: forms.bounds_of_terms(&high, 0),
        low: forms.bounds_of_terms(&low, 0),
    })
}

impl Splits {
    /// `g * x + t in [l, u]` -> `x in [v, v]` and `t in [l - g * v, u - g * v]` if only one value
    /// of x is possible.
    pub(crate) fn pinned(
        &self,
        forms: &mut Forms,
        terms: &[Term],
        (lower, upper): (i128, i128),
    ) -> Option<[RangeOf; 2]> {
        for &Split { g, high, low } in &self.0 {
            if !bounded(high) || !bounded(low) || high.as_point().is_some() {
                continue;
            }
            let wide = g as i128;
            let first = ceil_div(lower - low.upper as i128, wide).max(high.lower as i128);
            let last = floor_div(upper - low.lower as i128, wide).min(high.upper as i128);
            if first == last {
                let (high, low) = parts(terms, g);
                let (lower, upper) = (lower - wide * first, upper - wide * first);
                return Some([
                    RangeOf::new(forms.intern(&high, 0), first, first),
                    RangeOf::new(forms.intern(&low, 0), lower, upper),
                ]);
            }
        }
        None
    }

    /// `g * x + t in [l, u]` -> `x in [l', u']` if every `t` gives the same ends: the terms nest
    /// like digits. A free end stays free, and one that is not known is none.
    pub(crate) fn decompose(
        &mut self,
        forms: &mut Forms,
        terms: &[Term],
        (lower, low_free): (i128, bool),
        (upper, high_free): (i128, bool),
    ) -> Option<RangeOf> {
        self.0.sort_by_key(|split| std::cmp::Reverse(split.g));
        for Split { g, low, .. } in &self.0 {
            if !bounded(*low) {
                continue;
            }
            let (wide, least, greatest) = (*g as i128, low.lower as i128, low.upper as i128);
            // x >= ceil((l - t) / g) and x <= floor((u - t) / g) for every t
            let first = ceil_div(lower - least, wide);
            let last = floor_div(upper - least, wide);
            let low_fits = low_free || first == ceil_div(lower - greatest, wide);
            let high_fits = high_free || last == floor_div(upper - greatest, wide);
            if !low_fits || !high_fits {
                continue;
            }
            let lin = forms.finish(&mut Sum::new(parts(terms, *g).0, 0))?;
            let bounds = forms.lin(lin).bounds;
            let end = |free: bool, own: i128, v: i64| {
                if free {
                    finite(v).then_some(v as i128)
                } else {
                    Some(own)
                }
            };
            let lower = end(low_free, first, bounds.lower)?;
            let upper = end(high_free, last, bounds.upper)?;
            return Some(RangeOf { lin, lower, upper });
        }
        None
    }
}

/// `y + x floordiv p in [l, u] -> p * y + x in [p * l, p * u + p - 1]`, if x is the only such part.
pub(crate) fn unit_digit(
    forms: &mut Forms,
    terms: &Terms,
    lower: i128,
    upper: i128,
) -> Option<RangeOf> {
    let part = forms.only_unit_digit(terms, |_, b| b == UNBOUNDED)?;
    let (lin, p, sign) = (part.lin, part.a, part.coef);
    let merged = forms.without_divisor(terms, &part, lin, (sign, 0))?;
    if (forms.terms(merged).iter()).any(|t| forms.is_digit_of(t.atom, lin)) {
        return None;
    }
    let (l, u) = if sign > 0 {
        (lower, upper)
    } else {
        (-upper, -lower)
    };
    let p = p as i128;
    let upper = u.checked_mul(p)?.checked_add(p - 1)?;
    Some(RangeOf::new(merged, l.checked_mul(p)?, upper)).filter(RangeOf::fits)
}
