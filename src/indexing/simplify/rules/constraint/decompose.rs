//! Constraints on sums whose terms nest like digits: bounds of the single terms.

use crate::interval::{Interval, ceil_div, floor_div};
use crate::simplify::known::representable;
use crate::simplify::linear::{AtomKind, Forms, INF, Sum, Term, Terms, finite, gcd};
use crate::simplify::operations::LONG;
use crate::simplify::rules::constraint::RangeOf;
use smallvec::SmallVec;

/// Factors that are tried on one sum.
const MOST: usize = 24;

/// A sum in two parts: what is a multiple of a factor, and the rest.
#[derive(Clone, Copy)]
pub(crate) struct Split {
    g: i64,
    /// The values of the multiples, divided by the factor.
    high: Interval,
    /// Those of the rest.
    low: Interval,
}

/// The ways to split a sum by the sizes of its coefficients.
pub(crate) struct Splits {
    list: SmallVec<[Split; 4]>,
    /// How many of them come from the first [`MOST`] factors.
    first: usize,
}

impl Splits {
    pub(crate) fn of(forms: &Forms, terms: &[Term]) -> Self {
        let most = if terms.len() > LONG {
            MOST
        } else {
            terms.len()
        };
        let mut factors: SmallVec<[i64; 8]> = SmallVec::new();
        let (mut list, mut first) = (SmallVec::new(), 0);
        for t in terms {
            // No coefficient is the one number without a size.
            let g = t.coef.wrapping_abs();
            if g > 1 && factors.len() < most && !factors.contains(&g) {
                factors.push(g);
                list.extend(split(forms, terms, g));
                if factors.len() <= MOST {
                    first = list.len();
                }
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
                    first = list.len();
                }
            }
        }
        Splits { list, first }
    }
}

/// `v / g` if g divides it, which takes no division most of the time.
#[inline]
fn quotient(v: i64, g: i64) -> Option<i64> {
    match v {
        _ if v == g => Some(1),
        _ if v == -g => Some(-1),
        _ if v.unsigned_abs() < g.unsigned_abs() => None,
        _ => (v % g == 0).then(|| v / g),
    }
}

/// The terms whose coefficients are multiples of `g`, divided by it, and the others.
fn parts(terms: &[Term], g: i64) -> (Terms, Terms) {
    let (mut high, mut low) = (Terms::new(), Terms::new());
    for t in terms {
        match quotient(t.coef, g) {
            Some(coef) => high.push(Term { coef, ..*t }),
            None => low.push(*t),
        }
    }
    (high, low)
}

/// The values of [`parts`]; `None` if there are no others.
fn split(forms: &Forms, terms: &[Term], g: i64) -> Option<Split> {
    let narrow = || {
        let (mut high, mut low) = ((0i64, 0i64), (0i64, 0i64));
        let mut others = false;
        for t in terms {
            let b = forms.atom(t.atom).bounds;
            if !finite(b.lower) || !finite(b.upper) {
                return None;
            }
            let (part, coef) = match quotient(t.coef, g) {
                Some(coef) => (&mut high, coef),
                None => {
                    others = true;
                    (&mut low, t.coef)
                }
            };
            let (x, y) = (coef.checked_mul(b.lower)?, coef.checked_mul(b.upper)?);
            part.0 = part.0.checked_add(x.min(y))?;
            part.1 = part.1.checked_add(x.max(y))?;
        }
        let interval = |(lower, upper)| Interval { lower, upper };
        let (high, low) = (interval(high), interval(low));
        Some((others, Split { g, high, low }))
    };
    if forms.nothing_assumed()
        && let Some((others, found)) = narrow()
    {
        return others.then_some(found);
    }
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

/// A sum of which one part can have one value only: `g * high + low`, and that value.
pub(crate) struct Pinned {
    g: i64,
    pub(crate) high: Terms,
    pub(crate) low: Terms,
    pub(crate) value: i128,
}

impl Pinned {
    /// The part of the sum, and where the rest is then.
    pub(crate) fn rest_of(&self, end: i128) -> i128 {
        end - self.g as i128 * self.value
    }
}

impl Splits {
    /// `g * x + t in [l, u]` -> `x in [v, v]` and `t in [l - g * v, u - g * v]` if only one value of x is possible.
    pub(crate) fn pinned(&self, terms: &[Term], lower: i128, upper: i128) -> Option<Pinned> {
        for &Split { g, high, low } in &self.list {
            let ends = [high.lower, high.upper, low.lower, low.upper];
            if !ends.into_iter().all(finite) || high.as_point().is_some() {
                continue;
            }
            let first = ceil_div(lower - low.upper as i128, g as i128).max(high.lower as i128);
            let last = floor_div(upper - low.lower as i128, g as i128).min(high.upper as i128);
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

    /// `g * x + t in [l, u]` -> `x in [l', u']` if every `t` gives the same ends: the terms nest like digits. The terms of x and its
    /// ends; a free end has none.
    pub(crate) fn decompose(
        &mut self,
        terms: &[Term],
        (lower, low_free): (i128, bool),
        (upper, high_free): (i128, bool),
    ) -> Option<(Terms, Option<i128>, Option<i128>)> {
        let candidates = &mut self.list[..self.first];
        if candidates.len() > 1 {
            candidates.sort_unstable_by_key(|split| std::cmp::Reverse(split.g));
        }
        for Split { g, low, .. } in candidates.iter() {
            if !finite(low.lower) || !finite(low.upper) {
                continue;
            }
            let (wide, least, greatest) = (*g as i128, low.lower as i128, low.upper as i128);
            // x >= ceil((l - t) / g) for every t
            let mut ends = (None, None);
            if !low_free {
                let end = ceil_div(lower - least, wide);
                if end != ceil_div(lower - greatest, wide) {
                    continue;
                }
                ends.0 = Some(end);
            }
            if !high_free {
                let end = floor_div(upper - least, wide);
                if end != floor_div(upper - greatest, wide) {
                    continue;
                }
                ends.1 = Some(end);
            }
            return Some((parts(terms, *g).0, ends.0, ends.1));
        }
        None
    }
}

impl Forms {
    /// What is left of a constraint whose high part has one value: that, and the rest in what it leaves.
    pub(crate) fn pinned(&mut self, found: &Pinned, (lower, upper): (i128, i128)) -> [RangeOf; 2] {
        let high = RangeOf {
            lin: self.intern(&found.high, 0),
            lower: found.value,
            upper: found.value,
        };
        let rest = RangeOf {
            lin: self.intern(&found.low, 0),
            lower: found.rest_of(lower),
            upper: found.rest_of(upper),
        };
        [high, rest]
    }
}

/// `y + x floordiv p in [l, u] -> p * y + x in [p * l, p * u + p - 1]`, if x is the only such part.
pub(crate) fn unit_digit(
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

impl Forms {
    /// What [`Splits::decompose`] found, as a constraint; a free end stays free.
    pub(crate) fn decomposed(
        &mut self,
        (terms, lower, upper): (Terms, Option<i128>, Option<i128>),
    ) -> Option<RangeOf> {
        let lin = self.finish(Sum { terms, k: 0 })?;
        let bounds = self.lin(lin).bounds;
        // An end that is not known is no end.
        let end = |v: i64| finite(v).then_some(v as i128);
        Some(RangeOf {
            lin,
            lower: lower.or_else(|| end(bounds.lower))?,
            upper: upper.or_else(|| end(bounds.upper))?,
        })
    }
}
