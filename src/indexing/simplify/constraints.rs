//! Constraints: from `expr in [lower, upper]` to bounds and congruences of variables, and what cannot become one.
//!
//! Two kinds are left in the end, each on a form without a constant whose first coefficient is positive:
//! *ranges* `L in [lower, upper]` and *windows* `L mod m in [lower, lower + extra]` (which may wrap around).

use super::linear::{AtomKind, Forms, INF, LinId, Sum, Term, Terms, finite, gcd};
use crate::expr::Op;
use crate::interval::{Interval, ceil_div, floor_div};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The domain turned out to have no point.
#[derive(Debug)]
pub(crate) struct Empty;

pub(super) type Outcome = Result<(), Empty>;

/// What is known of a variable: an interval and a congruence, `offset` modulo `stride`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    pub(crate) interval: Interval,
    pub(crate) stride: i64,
    pub(crate) offset: i64,
}

impl Known {
    pub(crate) fn new(interval: Interval) -> Self {
        Known {
            interval,
            stride: 1,
            offset: 0,
        }
    }

    /// Moves the ends to values that satisfy the congruence.
    pub(super) fn tighten(&mut self) -> Outcome {
        if self.stride > 1 {
            let (m, r) = (self.stride as i128, self.offset as i128);
            let lower = self.interval.lower as i128;
            let upper = self.interval.upper as i128;
            let first = lower + (r - lower).rem_euclid(m);
            let last = upper - (upper - r).rem_euclid(m);
            if first > last {
                return Err(Empty);
            }
            self.interval = Interval::new(first as i64, last as i64);
        }
        if self.interval.is_empty() {
            return Err(Empty);
        }
        if self.interval.as_point().is_some() {
            (self.stride, self.offset) = (1, 0);
        }
        Ok(())
    }

    pub(super) fn intersect(&mut self, lower: i128, upper: i128) -> Outcome {
        let lower = lower.max(self.interval.lower as i128);
        let upper = upper.min(self.interval.upper as i128);
        if lower > upper {
            return Err(Empty);
        }
        self.interval = Interval::new(lower as i64, upper as i64);
        self.tighten()
    }
}

/// `x = r` modulo `m` and `x = s` modulo `n`: one congruence (Chinese remainder theorem), `None` if none, `Err` if too large.
pub(super) fn chinese((m, r): (i64, i64), (n, s): (i64, i64)) -> Result<Option<(i64, i64)>, ()> {
    let g = gcd(m, n);
    let (m, n, g) = (m as i128, n as i128, g as i128);
    let difference = s as i128 - r as i128;
    if difference % g != 0 {
        return Ok(None);
    }
    let lcm = m / g * n;
    if lcm > i64::MAX as i128 {
        return Err(());
    }
    // r + m * t = s modulo n, so t = (s - r) / g * (m / g)^-1 modulo n / g.
    let period = n / g;
    let inverse = inverse((m / g).rem_euclid(period), period);
    let t = ((difference / g).rem_euclid(period) * inverse).rem_euclid(period);
    Ok(Some((
        lcm as i64,
        (r as i128 + m * t).rem_euclid(lcm) as i64,
    )))
}

/// The inverse of `a` modulo `m`, for coprime numbers; 0 modulo 1.
pub(super) fn inverse(a: i128, m: i128) -> i128 {
    let (mut r, mut next_r, mut x, mut next_x) = (m, a, 0i128, 1i128);
    while next_r != 0 {
        let q = r / next_r;
        (r, next_r) = (next_r, r - q * next_r);
        (x, next_x) = (next_x, x - q * next_x);
    }
    x.rem_euclid(m)
}

/// True for what can be an end of an interval.
pub(super) fn representable(v: i128) -> bool {
    i64::try_from(v).is_ok()
}

/// `lin in [lower, upper]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RangeOf {
    pub(crate) lin: LinId,
    pub(crate) lower: i128,
    pub(crate) upper: i128,
}

/// `lin mod m` in `[lower, lower + extra]`, `0 <= lower < m`, `extra < m - 1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    pub(crate) lin: LinId,
    pub(crate) m: i64,
    pub(crate) lower: i64,
    pub(crate) extra: i64,
}

impl Window {
    /// The least allowed value that is not below `value`, and the greatest that is not above.
    pub(super) fn at_least(&self, value: i128) -> i128 {
        let over = (value - self.lower as i128).rem_euclid(self.m as i128);
        if over <= self.extra as i128 {
            value
        } else {
            value + self.m as i128 - over
        }
    }

    pub(super) fn at_most(&self, value: i128) -> i128 {
        let over = (value - self.lower as i128).rem_euclid(self.m as i128);
        if over <= self.extra as i128 {
            value
        } else {
            value - (over - self.extra as i128)
        }
    }
}

/// The constraints of one round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constraints {
    pub(crate) known: Vec<Known>,
    pub(crate) ranges: Vec<RangeOf>,
    pub(crate) windows: Vec<Window>,
    /// Constraints were merged in this round.
    pub(crate) merged: bool,
    /// Windows move the bounds of their variables. Two of them, or one and a congruence, could go on with that for long.
    pub(crate) creeping: bool,
    /// Where the range of a form is, for the first `indexed` ranges, once there are many.
    range_of: FxHashMap<LinId, usize>,
    indexed: usize,
}

impl Constraints {
    /// Forgets the constraints of a round.
    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
        self.windows.clear();
        self.merged = false;
        self.indexed = 0;
        if !self.range_of.is_empty() {
            self.range_of.clear();
        }
    }

    /// Where the range of a form is.
    fn find_range(&mut self, lin: LinId) -> Option<usize> {
        if self.ranges.len() <= 16 {
            return self.ranges.iter().position(|r| r.lin == lin);
        }
        for (i, r) in self.ranges.iter().enumerate().skip(self.indexed) {
            self.range_of.insert(r.lin, i);
        }
        self.indexed = self.ranges.len();
        self.range_of.get(&lin).copied()
    }

    /// Adds `lin in [lower, upper]`.
    pub(crate) fn add(
        &mut self,
        forms: &mut Forms,
        lin: LinId,
        lower: i128,
        upper: i128,
    ) -> Outcome {
        let mut todo: SmallVec<[RangeOf; 4]> = SmallVec::new();
        todo.push(RangeOf { lin, lower, upper });
        while let Some(c) = todo.pop() {
            self.step(forms, c, &mut todo)?;
        }
        Ok(())
    }

    pub(super) fn step(
        &mut self,
        forms: &mut Forms,
        c: RangeOf,
        todo: &mut SmallVec<[RangeOf; 4]>,
    ) -> Outcome {
        let RangeOf {
            lin,
            mut lower,
            mut upper,
        } = c;
        if lower > upper {
            return Err(Empty);
        }
        let form = *forms.lin(lin);
        if let Some(k) = forms.as_constant(lin) {
            forms.fired("constant-constraint");
            return if lower <= k as i128 && k as i128 <= upper {
                Ok(())
            } else {
                Err(Empty)
            };
        }
        // What the ranges imply or exclude.
        let (low_known, high_known) = (finite(form.bounds.lower), finite(form.bounds.upper));
        let (least, greatest) = (form.bounds.lower as i128, form.bounds.upper as i128);
        if (high_known && greatest < lower) || (low_known && least > upper) {
            forms.fired("constraint-excluded-by-ranges");
            return Err(Empty);
        }
        let (low_free, high_free) = (low_known && least >= lower, high_known && greatest <= upper);
        if low_free && high_free {
            forms.fired("constraint-implied-by-ranges");
            return Ok(());
        }
        if low_free {
            lower = least;
        }
        if high_free {
            upper = greatest;
        }
        // x + k in [l, u] -> x in [l - k, u - k]; g * x in [l, u] -> x in [ceil(l / g), floor(u / g)]; -x in [l, u] likewise.
        lower -= form.k as i128;
        upper -= form.k as i128;
        let mut g = forms.content(lin);
        if forms.terms(lin)[0].coef < 0 {
            g = -g;
        }
        let mut terms = Terms::from_slice(forms.terms(lin));
        if g != 1 {
            forms.fired("factor-out-of-constraint");
            for t in &mut terms {
                t.coef /= g;
            }
            let g = g as i128;
            (lower, upper) = if g > 0 {
                (ceil_div(lower, g), floor_div(upper, g))
            } else {
                (ceil_div(upper, g), floor_div(lower, g))
            };
            if lower > upper {
                return Err(Empty);
            }
        }
        let (mut low_free, mut high_free) = if g < 0 {
            (high_free, low_free)
        } else {
            (low_free, high_free)
        };
        if !low_known || !high_known {
            // Without its constant and its factor the form may have ends that fit where they did not before: what is decided
            // here is what a reader of the shorter form decides.
            let (least, greatest) = forms.ends_of_terms(&terms);
            if greatest.is_some_and(|v| v < lower) || least.is_some_and(|v| v > upper) {
                forms.fired("constraint-excluded-by-ranges");
                return Err(Empty);
            }
            if let Some(least) = least.filter(|v| *v >= lower) {
                (lower, low_free) = (least, true);
            }
            if let Some(greatest) = greatest.filter(|v| *v <= upper) {
                (upper, high_free) = (greatest, true);
            }
            if low_free && high_free {
                forms.fired("constraint-implied-by-ranges");
                return Ok(());
            }
        }
        if let [t] = terms[..]
            && t.coef == 1
        {
            match forms.atom(t.atom).kind {
                AtomKind::Variable => {
                    forms.fired("constraint-becomes-range");
                    return self.known[t.atom as usize].intersect(lower, upper);
                }
                AtomKind::Digit { lin, a, b: INF } => {
                    // x floordiv a in [l, u] -> x in [l * a, u * a + a - 1]
                    forms.fired("floordiv-out-of-constraint");
                    let a = a as i128;
                    let (l, u) = (
                        lower.saturating_mul(a),
                        upper.saturating_mul(a).saturating_add(a - 1),
                    );
                    if representable(l) && representable(u) {
                        todo.push(RangeOf {
                            lin,
                            lower: l,
                            upper: u,
                        });
                        return Ok(());
                    }
                }
                AtomKind::Digit { lin, a, b } => {
                    // (x floordiv a) mod n in [l, u] -> x mod (a * n) in [l * a, u * a + a - 1]
                    let n = (b / a) as i128;
                    let (l, u) = (lower.max(0), upper.min(n - 1));
                    if l > u {
                        return Err(Empty);
                    }
                    let a = a as i128;
                    return self.add_window(
                        forms,
                        lin,
                        b,
                        (l * a) as i64,
                        ((u - l) * a + a - 1) as i64,
                    );
                }
                // min(x, y) >= l -> x >= l and y >= l; max(x, y) <= u likewise. The other end is the form's own.
                AtomKind::Opaque { op: Op::Min, x, y }
                    if high_free && [x, y].iter().all(|l| finite(forms.lin(*l).bounds.upper)) =>
                {
                    forms.fired("min-max-out-of-constraint");
                    for lin in [x, y] {
                        todo.push(RangeOf {
                            lin,
                            lower,
                            upper: forms.lin(lin).bounds.upper as i128,
                        });
                    }
                    return Ok(());
                }
                AtomKind::Opaque { op: Op::Max, x, y }
                    if low_free && [x, y].iter().all(|l| finite(forms.lin(*l).bounds.lower)) =>
                {
                    forms.fired("min-max-out-of-constraint");
                    for lin in [x, y] {
                        todo.push(RangeOf {
                            lin,
                            lower: forms.lin(lin).bounds.lower as i128,
                            upper,
                        });
                    }
                    return Ok(());
                }
                AtomKind::Opaque { .. } => {}
            }
        } else if let Some(next) = unit_digit(forms, &terms, lower, upper) {
            forms.fired("floordiv-out-of-constraint");
            todo.push(next);
            return Ok(());
        } else if self.pinned(forms, &terms, lower, upper, todo) {
            forms.fired("sum-constraint-pins-high-part");
            return Ok(());
        } else if let Some(next) = decompose(forms, &terms, (lower, low_free), (upper, high_free)) {
            forms.fired("sum-constraint-decomposed");
            todo.push(next);
            return Ok(());
        }
        let (lin, lower, upper) = if representable(lower) && representable(upper) {
            (forms.intern(&terms, 0), lower, upper)
        } else {
            // The constant stays inside, so that the ends fit.
            (c.lin, c.lower, c.upper)
        };
        self.add_range(forms, RangeOf { lin, lower, upper })
    }

    /// Adds a range on a form as it stands.
    pub(super) fn add_range(&mut self, forms: &mut Forms, new: RangeOf) -> Outcome {
        let Some(at) = self.find_range(new.lin) else {
            self.ranges.push(new);
            return Ok(());
        };
        let r = &mut self.ranges[at];
        forms.fired("constraints-on-one-form-merged");
        self.merged = true;
        r.lower = r.lower.max(new.lower);
        r.upper = r.upper.min(new.upper);
        if r.lower > r.upper {
            Err(Empty)
        } else {
            Ok(())
        }
    }

    /// `g * x + t in [l, u]` -> `x in [v, v]` and `t in [l - g * v, u - g * v]` if only one value of x is possible.
    pub(super) fn pinned(
        &mut self,
        forms: &mut Forms,
        terms: &Terms,
        lower: i128,
        upper: i128,
        todo: &mut SmallVec<[RangeOf; 4]>,
    ) -> bool {
        for t in terms {
            let g = t.coef.unsigned_abs() as i64;
            if g <= 1 {
                continue;
            }
            let (high, low): (Terms, Terms) = terms.iter().copied().partition(|t| t.coef % g == 0);
            let high: Terms = high
                .iter()
                .map(|t| Term {
                    atom: t.atom,
                    coef: t.coef / g,
                })
                .collect();
            let (h, l) = (
                forms.bounds_of_terms(&high, 0),
                forms.bounds_of_terms(&low, 0),
            );
            if low.is_empty()
                || ![h.lower, h.upper, l.lower, l.upper].into_iter().all(finite)
                || h.as_point().is_some()
            {
                continue;
            }
            let first = ceil_div(lower - l.upper as i128, g as i128).max(h.lower as i128);
            let last = floor_div(upper - l.lower as i128, g as i128).min(h.upper as i128);
            if first == last {
                let x = forms.intern(&high, 0);
                let rest = forms.intern(&low, 0);
                todo.push(RangeOf {
                    lin: x,
                    lower: first,
                    upper: first,
                });
                todo.push(RangeOf {
                    lin: rest,
                    lower: lower - g as i128 * first,
                    upper: upper - g as i128 * first,
                });
                return true;
            }
        }
        false
    }
}

/// `y + x floordiv p in [l, u] -> p * y + x in [p * l, p * u + p - 1]`, if x is the only such part.
fn unit_digit(forms: &mut Forms, terms: &Terms, lower: i128, upper: i128) -> Option<RangeOf> {
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

/// `g * x + t in [l, u]` -> `x in [l', u']` if every `t` gives the same ends: the terms nest like digits.
fn decompose(
    forms: &mut Forms,
    terms: &Terms,
    (lower, low_free): (i128, bool),
    (upper, high_free): (i128, bool),
) -> Option<RangeOf> {
    let mut candidates: SmallVec<[i64; 8]> = SmallVec::new();
    for t in terms {
        let g = t.coef.checked_abs()?;
        if g > 1 && !candidates.contains(&g) && candidates.len() < 24 {
            candidates.push(g);
        }
    }
    candidates.sort_unstable_by(|x, y| y.cmp(x));
    for g in candidates {
        let low: Terms = terms.iter().filter(|t| t.coef % g != 0).copied().collect();
        if low.is_empty() {
            continue;
        }
        let b = forms.bounds_of_terms(&low, 0);
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
        let mut sum = Sum::default();
        for t in terms.iter().filter(|t| t.coef % g as i64 == 0) {
            sum.terms.push(Term {
                atom: t.atom,
                coef: t.coef / g as i64,
            });
        }
        let lin = forms.finish(sum)?;
        let bounds = forms.lin(lin).bounds;
        // A free end stays free.
        let l = if low_free { bounds.lower as i128 } else { l1 };
        let u = if high_free { bounds.upper as i128 } else { u1 };
        return Some(RangeOf {
            lin,
            lower: l,
            upper: u,
        });
    }
    None
}
