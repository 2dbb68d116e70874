//! Constraints on sums whose terms nest like digits: bounds of the single terms.

use super::constraints::{Constraints, RangeOf};
use super::known::representable;
use super::linear::{AtomKind, Forms, INF, Sum, Term, Terms, finite};
use super::operations::LONG;
use crate::interval::{Interval, ceil_div, floor_div};
use smallvec::SmallVec;

/// Factors that are tried on one sum.
const MOST: usize = 24;

/// The first of the sizes of the coefficients, each once.
fn factors(terms: &[Term], most: usize) -> SmallVec<[i64; 8]> {
    let mut factors: SmallVec<[i64; 8]> = SmallVec::new();
    for t in terms {
        // No coefficient is the one number without a size.
        let g = t.coef.wrapping_abs();
        if g > 1 && factors.len() < most && !factors.contains(&g) {
            factors.push(g);
        }
    }
    factors
}

/// The terms whose coefficients are multiples of `g`, divided by it, and the others.
fn parts(terms: &[Term], g: i64) -> (Terms, Terms) {
    let (mut high, low): (Terms, Terms) = terms.iter().copied().partition(|t| t.coef % g == 0);
    for t in &mut high {
        t.coef /= g;
    }
    (high, low)
}

/// The values of [`parts`]; `None` if there are no others.
fn split(forms: &Forms, terms: &[Term], g: i64) -> Option<(Interval, Interval)> {
    let narrow = || {
        let (mut high, mut low) = ((0i64, 0i64), (0i64, 0i64));
        for t in terms {
            let b = forms.atom(t.atom).bounds;
            if !finite(b.lower) || !finite(b.upper) {
                return None;
            }
            let (part, coef) = match t.coef % g {
                0 => (&mut high, t.coef / g),
                _ => (&mut low, t.coef),
            };
            let (x, y) = (coef.checked_mul(b.lower)?, coef.checked_mul(b.upper)?);
            part.0 = part.0.checked_add(x.min(y))?;
            part.1 = part.1.checked_add(x.max(y))?;
        }
        let interval = |(lower, upper)| Interval { lower, upper };
        Some((interval(high), interval(low)))
    };
    if terms.iter().all(|t| t.coef % g == 0) {
        return None;
    }
    if forms.nothing_assumed()
        && let Some(found) = narrow()
    {
        return Some(found);
    }
    let (high, low) = parts(terms, g);
    Some((
        forms.bounds_of_terms(&high, 0),
        forms.bounds_of_terms(&low, 0),
    ))
}

/// A sum of which one part can have one value only: `g * high + low`, and that value.
pub(super) struct Pinned {
    g: i64,
    pub(super) high: Terms,
    pub(super) low: Terms,
    pub(super) value: i128,
}

impl Pinned {
    /// The part of the sum, and where the rest is then.
    pub(super) fn rest_of(&self, end: i128) -> i128 {
        end - self.g as i128 * self.value
    }
}

/// `g * x + t in [l, u]` -> `x in [v, v]` and `t in [l - g * v, u - g * v]` if only one value of x is possible.
pub(super) fn pinned(forms: &Forms, terms: &[Term], lower: i128, upper: i128) -> Option<Pinned> {
    let most = if terms.len() > LONG {
        MOST
    } else {
        terms.len()
    };
    for g in factors(terms, most) {
        let Some((h, l)) = split(forms, terms, g) else {
            continue;
        };
        if ![h.lower, h.upper, l.lower, l.upper].into_iter().all(finite) || h.as_point().is_some() {
            continue;
        }
        let first = ceil_div(lower - l.upper as i128, g as i128).max(h.lower as i128);
        let last = floor_div(upper - l.lower as i128, g as i128).min(h.upper as i128);
        if first == last {
            let (high, low) = parts(terms, g);
            let value = first;
            return Some(Pinned {
                g,
                high,
                low,
                value,
            });
        }
    }
    None
}

impl Constraints {
    /// Adds what is left of a constraint whose high part has one value.
    pub(super) fn add_pinned(
        &mut self,
        forms: &mut Forms,
        found: &Pinned,
        (lower, upper): (i128, i128),
        todo: &mut SmallVec<[RangeOf; 4]>,
    ) {
        let x = forms.intern(&found.high, 0);
        let rest = forms.intern(&found.low, 0);
        todo.push(RangeOf {
            lin: x,
            lower: found.value,
            upper: found.value,
        });
        todo.push(RangeOf {
            lin: rest,
            lower: found.rest_of(lower),
            upper: found.rest_of(upper),
        });
    }
}

/// `y + x floordiv p in [l, u] -> p * y + x in [p * l, p * u + p - 1]`, if x is the only such part.
pub(super) fn unit_digit(
    forms: &mut Forms,
    terms: &Terms,
    lower: i128,
    upper: i128,
) -> Option<RangeOf> {
    let mut found = None;
    for (i, t) in terms.iter().enumerate() {
        if let AtomKind::Digit { lin, a, b: INF } = forms.atom(t.atom).kind
            && t.coef.abs() == 1
        {
            if found.is_some() {
                return None;
            }
            found = Some((i, lin, a, t.coef));
        }
    }
    let (at, lin, p, sign) = found?;
    let mut sum = Sum::default();
    for (i, t) in terms.iter().enumerate() {
        if i != at {
            sum.terms.push(Term {
                atom: t.atom,
                coef: t.coef.checked_mul(p)?.checked_mul(sign)?,
            });
        }
    }
    forms.accumulate(&mut sum, lin, 1)?;
    let merged = forms.finish(sum)?;
    if forms
        .terms(merged)
        .iter()
        .any(|t| matches!(forms.atom(t.atom).kind, AtomKind::Digit { lin: l, .. } if l == lin))
    {
        return None;
    }
    let (l, u) = if sign > 0 {
        (lower, upper)
    } else {
        (-upper, -lower)
    };
    let p = p as i128;
    let next = RangeOf {
        lin: merged,
        lower: l.checked_mul(p)?,
        upper: u.checked_mul(p)?.checked_add(p - 1)?,
    };
    (representable(next.lower) && representable(next.upper)).then_some(next)
}

/// `g * x + t in [l, u]` -> `x in [l', u']` if every `t` gives the same ends: the terms nest like digits. The terms of x and its ends;
/// a free end has none.
pub(super) fn decompose(
    forms: &Forms,
    terms: &[Term],
    (lower, low_free): (i128, bool),
    (upper, high_free): (i128, bool),
) -> Option<(Terms, Option<i128>, Option<i128>)> {
    let mut candidates = factors(terms, MOST);
    candidates.sort_unstable_by(|x, y| y.cmp(x));
    for g in candidates {
        let Some((_, b)) = split(forms, terms, g) else {
            continue;
        };
        if !finite(b.lower) || !finite(b.upper) {
            continue;
        }
        let (g, least, greatest) = (g as i128, b.lower as i128, b.upper as i128);
        // x >= ceil((l - t) / g) for every t
        let (l1, l2) = (ceil_div(lower - least, g), ceil_div(lower - greatest, g));
        let (u1, u2) = (floor_div(upper - least, g), floor_div(upper - greatest, g));
        if (!low_free && l1 != l2) || (!high_free && u1 != u2) {
            continue;
        }
        let high = parts(terms, g as i64).0;
        let end = |free: bool, end: i128| (!free).then_some(end);
        return Some((high, end(low_free, l1), end(high_free, u1)));
    }
    None
}

impl Forms {
    /// What [`decompose`] found, as a constraint; a free end stays free.
    pub(super) fn decomposed(
        &mut self,
        (terms, lower, upper): (Terms, Option<i128>, Option<i128>),
    ) -> Option<RangeOf> {
        let lin = self.finish(Sum { terms, k: 0 })?;
        let bounds = self.lin(lin).bounds;
        Some(RangeOf {
            lin,
            lower: lower.unwrap_or(bounds.lower as i128),
            upper: upper.unwrap_or(bounds.upper as i128),
        })
    }
}
