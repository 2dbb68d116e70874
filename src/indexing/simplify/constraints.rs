//! Constraints: from `expr in [lower, upper]` to bounds and congruences of variables, and what cannot become one.
//!
//! Two kinds are left in the end, each on a form without a constant whose first coefficient is positive:
//! *ranges* `L in [lower, upper]` and *windows* `L mod m in [lower, lower + extra]` (which may wrap around).

use super::linear::{AtomKind, Forms, INF, LinId, Sum, Term, Terms, finite, gcd};
use crate::expr::Op;
use crate::interval::{Interval, ceil_div, floor_div};
use smallvec::SmallVec;

/// The domain turned out to have no point.
#[derive(Debug)]
pub(crate) struct Empty;

type Outcome = Result<(), Empty>;

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
    fn tighten(&mut self) -> Outcome {
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

    fn intersect(&mut self, lower: i128, upper: i128) -> Outcome {
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
fn chinese((m, r): (i64, i64), (n, s): (i64, i64)) -> Result<Option<(i64, i64)>, ()> {
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
fn inverse(a: i128, m: i128) -> i128 {
    let (mut r, mut next_r, mut x, mut next_x) = (m, a, 0i128, 1i128);
    while next_r != 0 {
        let q = r / next_r;
        (r, next_r) = (next_r, r - q * next_r);
        (x, next_x) = (next_x, x - q * next_x);
    }
    x.rem_euclid(m)
}

/// True for what can be an end of an interval.
fn representable(v: i128) -> bool {
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
    fn at_least(&self, value: i128) -> i128 {
        let over = (value - self.lower as i128).rem_euclid(self.m as i128);
        if over <= self.extra as i128 {
            value
        } else {
            value + self.m as i128 - over
        }
    }

    fn at_most(&self, value: i128) -> i128 {
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
}

impl Constraints {
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

    fn step(
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
        let (low_free, high_free) = if g < 0 {
            (high_free, low_free)
        } else {
            (low_free, high_free)
        };
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
        match self.ranges.iter_mut().find(|r| r.lin == lin) {
            Some(r) => {
                forms.fired("constraints-on-one-form-merged");
                self.merged = true;
                r.lower = r.lower.max(lower);
                r.upper = r.upper.min(upper);
                if r.lower > r.upper {
                    Err(Empty)
                } else {
                    Ok(())
                }
            }
            None => {
                self.ranges.push(RangeOf { lin, lower, upper });
                Ok(())
            }
        }
    }

    /// `g * x + t in [l, u]` -> `x in [v, v]` and `t in [l - g * v, u - g * v]` if only one value of x is possible.
    fn pinned(
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

    /// Adds `lin mod m in [lower, lower + extra]`.
    fn add_window(
        &mut self,
        forms: &mut Forms,
        lin: LinId,
        m: i64,
        lower: i64,
        extra: i64,
    ) -> Outcome {
        let mut terms = Terms::new();
        let mut m = m as i128;
        let mut lower = lower as i128 - forms.lin(lin).k as i128;
        let mut extra = extra as i128;
        for t in forms.terms(lin) {
            let atom = forms.atom(t.atom);
            if (t.coef as i128 * atom.stride as i128) % m == 0 {
                lower -= t.coef as i128 * atom.offset as i128 % m;
            } else {
                terms.push(Term {
                    atom: t.atom,
                    coef: (t.coef as i128 % m) as i64,
                });
            }
        }
        // g * x mod (g * n) in [l, u] -> x mod n in [ceil(l / g), floor(u / g)]
        let g = terms.iter().fold(m as i64, |g, t| gcd(g, t.coef)) as i128;
        lower = lower.rem_euclid(m);
        if g > 1 {
            forms.fired("factor-out-of-congruence");
            let upper = floor_div(lower + extra, g);
            lower = ceil_div(lower, g);
            extra = upper - lower;
            if extra < 0 {
                return Err(Empty);
            }
            m /= g;
            for t in &mut terms {
                t.coef = (t.coef as i128 / g) as i64;
            }
        }
        if extra + 1 >= m {
            return Ok(());
        }
        if terms.is_empty() {
            return if (0 - lower).rem_euclid(m) <= extra {
                Ok(())
            } else {
                Err(Empty)
            };
        }
        for t in &mut terms {
            // Nearest to zero.
            let c = (t.coef as i128).rem_euclid(m);
            t.coef = (if c > m / 2 { c - m } else { c }) as i64;
        }
        if terms
            .iter()
            .find(|t| t.coef as i128 * 2 != m)
            .is_some_and(|t| t.coef < 0)
        {
            for t in &mut terms {
                let c = (-(t.coef as i128)).rem_euclid(m);
                t.coef = (if c > m / 2 { c - m } else { c }) as i64;
            }
            lower = -(lower + extra);
        }
        lower = lower.rem_euclid(m);
        // c * x = r modulo m -> x = r / c modulo m, where c has an inverse.
        if let [t] = &mut terms[..]
            && t.coef != 1
            && extra == 0
            && gcd(t.coef, m as i64) == 1
        {
            forms.fired("congruence-solved");
            lower = (lower * inverse((t.coef as i128).rem_euclid(m), m)).rem_euclid(m);
            t.coef = 1;
        }
        // A window in whose period all values lie is a range.
        if let Some((least, greatest)) = forms.wide_bounds(&terms, 0) {
            let q = floor_div(least - lower, m);
            if q == floor_div(greatest - lower, m) {
                forms.fired("congruence-in-one-period");
                let lin = forms.intern(&terms, 0);
                return self.add(forms, lin, lower + q * m, lower + q * m + extra);
            }
        }
        let (m, lower, extra) = (m as i64, lower as i64, extra as i64);
        if let [t] = terms[..]
            && t.coef == 1
            && (t.atom as usize) < forms.variables
        {
            let i = t.atom as usize;
            if extra == 0 && self.congruent(forms, i, m, lower)? {
                return Ok(());
            }
            let w = Window {
                lin: 0,
                m,
                lower,
                extra,
            };
            let known = self.known[i].interval;
            forms.fired("congruence-tightens-bounds");
            self.known[i].intersect(
                w.at_least(known.lower as i128),
                w.at_most(known.upper as i128),
            )?;
        }
        let lin = forms.intern(&terms, 0);
        self.windows.push(Window {
            lin,
            m,
            lower,
            extra,
        });
        Ok(())
    }

    /// Adds `x = r` modulo `m` to a variable; false if the common period would not fit.
    fn congruent(&mut self, forms: &mut Forms, i: usize, m: i64, r: i64) -> Result<bool, Empty> {
        let known = &mut self.known[i];
        match chinese((known.stride, known.offset), (m, r)) {
            Ok(Some((stride, offset))) => {
                (known.stride, known.offset) = (stride, offset);
                forms.fired("congruence-of-variable");
                known.tighten()?;
                Ok(true)
            }
            Ok(None) => Err(Empty),
            Err(()) => Ok(false),
        }
    }

    /// What several constraints say together: windows of one form, windows and ranges, windows and congruences of a variable.
    pub(crate) fn combine(&mut self, forms: &mut Forms) -> Outcome {
        let before = (self.windows.clone(), self.ranges.clone());
        self.combine_all(forms)?;
        self.merged |= before.0 != self.windows || before.1 != self.ranges;
        Ok(())
    }

    fn combine_all(&mut self, forms: &mut Forms) -> Outcome {
        if self.windows.is_empty() {
            return Ok(());
        }
        // A congruence of the form itself tightens its windows.
        for i in 0..self.windows.len() {
            let w = self.windows[i];
            let (g, r) = forms.congruence(forms.terms(w.lin), 0, w.m);
            if g > 1 {
                self.shrink(i, g, r)?;
            }
        }
        loop {
            let mut changed = false;
            for i in 0..self.windows.len() {
                for j in 0..self.windows.len() {
                    let (w, v) = (self.windows[i], self.windows[j]);
                    if i == j || w.lin != v.lin {
                        continue;
                    }
                    if w.extra == 0 {
                        // L = lower modulo w.m: of v only what agrees with it is left.
                        let before = self.windows[j];
                        self.shrink(j, gcd(w.m, v.m), w.lower)?;
                        changed |= self.windows[j] != before;
                        let v = self.windows[j];
                        if v.extra == 0
                            && let Ok(merged) = chinese((w.m, w.lower), (v.m, v.lower))
                        {
                            let Some((m, lower)) = merged else {
                                return Err(Empty);
                            };
                            forms.fired("congruences-merged");
                            self.windows[i] = Window {
                                lin: w.lin,
                                m,
                                lower,
                                extra: 0,
                            };
                            self.windows.remove(j);
                            changed = true;
                            break;
                        }
                    } else if w.m % v.m == 0 && v.extra > 0 {
                        // The values that w allows: are they all allowed by v, or only a part?
                        let offset = (w.lower as i128 - v.lower as i128).rem_euclid(v.m as i128);
                        if offset + w.extra as i128 <= v.extra as i128 {
                            forms.fired("congruences-merged");
                            self.windows.remove(j);
                            changed = true;
                            break;
                        }
                        if w.m == v.m {
                            // Circular intersection, when it is one piece.
                            let back = (v.lower as i128 - w.lower as i128).rem_euclid(w.m as i128);
                            let (we, ve) = (w.extra as i128, v.extra as i128);
                            let meets_first = back <= we;
                            let meets_second = offset <= ve;
                            if !meets_first && !meets_second {
                                return Err(Empty);
                            }
                            if meets_first != meets_second {
                                let (lower, extra) = if meets_first {
                                    (v.lower, (we - back).min(ve))
                                } else {
                                    (w.lower, (ve - offset).min(we))
                                };
                                forms.fired("congruences-merged");
                                self.windows[i] = Window {
                                    lin: w.lin,
                                    m: w.m,
                                    lower,
                                    extra: extra as i64,
                                };
                                self.windows.remove(j);
                                changed = true;
                                break;
                            }
                        }
                    }
                }
                if changed {
                    break;
                }
            }
            if !changed || !forms.work(self.windows.len()) {
                break;
            }
        }
        // Windows that became congruences of a variable.
        let mut i = 0;
        while i < self.windows.len() {
            let w = self.windows[i];
            if let [t] = *forms.terms(w.lin)
                && t.coef == 1
                && (t.atom as usize) < forms.variables
                && w.extra == 0
                && self.congruent(forms, t.atom as usize, w.m, w.lower)?
            {
                self.windows.remove(i);
            } else {
                i += 1;
            }
        }
        self.drop_implied(forms);
        // The ends of a range move to values that the windows allow.
        for w in &self.windows {
            for r in &mut self.ranges {
                // The form of a window is known modulo m only, and up to sign.
                let Some(negative) = forms.congruent(r.lin, w.lin, w.m) else {
                    continue;
                };
                if negative {
                    (r.lower, r.upper) = (-w.at_most(-r.lower), -w.at_least(-r.upper));
                } else {
                    (r.lower, r.upper) = (w.at_least(r.lower), w.at_most(r.upper));
                }
                if r.lower > r.upper {
                    return Err(Empty);
                }
            }
        }
        Ok(())
    }

    /// Drops what a window `x mod m in [l, u]` implies about other constraints in which `x mod m` occurs.
    fn drop_implied(&mut self, forms: &mut Forms) {
        for i in 0..self.windows.len() {
            let Some(&w) = self.windows.get(i) else {
                return;
            };
            let Some(upper) = w.lower.checked_add(w.extra).filter(|u| *u < w.m) else {
                continue;
            };
            let Some(atom) = forms.find_digit(w.lin, 1, w.m) else {
                continue;
            };
            let values = Interval::new(w.lower, upper);
            let bounds = |forms: &Forms, lin: LinId| -> Option<Interval> {
                let terms = forms.terms(lin);
                let at = terms.iter().position(|t| t.atom == atom)?;
                let rest: Terms = terms
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| *i != at)
                    .map(|(_, t)| *t)
                    .collect();
                let b = forms
                    .bounds_of_terms(&rest, forms.lin(lin).k)
                    .plus(values.times_constant(terms[at].coef));
                (finite(b.lower) && finite(b.upper)).then_some(b)
            };
            let before = self.windows.len() + self.ranges.len();
            self.ranges.retain(|r| {
                !bounds(forms, r.lin)
                    .is_some_and(|b| r.lower <= b.lower as i128 && b.upper as i128 <= r.upper)
            });
            let mut at = 0;
            self.windows.retain(|v| {
                at += 1;
                at - 1 == i
                    || !bounds(forms, v.lin).is_some_and(|b| {
                        let first = (b.lower as i128 - v.lower as i128).rem_euclid(v.m as i128);
                        first + (b.upper as i128 - b.lower as i128) <= v.extra as i128
                    })
            });
            if self.windows.len() + self.ranges.len() < before {
                forms.fired("constraint-implied-by-another");
                return self.drop_implied(forms);
            }
        }
    }

    /// Of window `i` only values that are `r` modulo `g` count: move its ends there. `g` divides the modulus.
    fn shrink(&mut self, i: usize, g: i64, r: i64) -> Outcome {
        let w = &mut self.windows[i];
        if g <= 1 {
            return Ok(());
        }
        let (m, g, r) = (w.m as i128, g as i128, r as i128);
        let lower = w.lower as i128;
        let upper = lower + w.extra as i128;
        let first = lower + (r - lower).rem_euclid(g);
        let last = upper - (upper - r).rem_euclid(g);
        if first > last {
            return Err(Empty);
        }
        w.lower = first.rem_euclid(m) as i64;
        w.extra = (last - first) as i64;
        Ok(())
    }

    /// Bounds that a constraint on a sum implies for each of its variables.
    pub(crate) fn propagate(&mut self, forms: &mut Forms) -> Outcome {
        for i in 0..self.ranges.len() {
            let r = self.ranges[i];
            self.derive(forms, r, 8)?;
        }
        for i in 0..self.windows.len() {
            let w = self.windows[i];
            if let [t] = *forms.terms(w.lin)
                && t.coef == 1
                && (t.atom as usize) < forms.variables
            {
                let known = self.known[t.atom as usize].interval;
                self.known[t.atom as usize].intersect(
                    w.at_least(known.lower as i128),
                    w.at_most(known.upper as i128),
                )?;
            }
        }
        Ok(())
    }

    fn derive(&mut self, forms: &mut Forms, r: RangeOf, fuel: u32) -> Outcome {
        let form = *forms.lin(r.lin);
        let terms = Terms::from_slice(forms.terms(r.lin));
        // c * x = value - rest, for every rest that the other terms may have.
        let infinite = |forms: &Forms, t: &Term| {
            let b = forms.atom(t.atom).bounds;
            !finite(b.lower) || !finite(b.upper)
        };
        let open = terms.iter().filter(|t| infinite(forms, t)).count();
        if open > 1 || !forms.work(terms.len()) {
            return Ok(());
        }
        let (mut least, mut greatest) = (form.k as i128, form.k as i128);
        let ends = |forms: &Forms, t: &Term| {
            let b = forms.atom(t.atom).bounds;
            let (x, y) = (
                b.lower as i128 * t.coef as i128,
                b.upper as i128 * t.coef as i128,
            );
            (x.min(y), x.max(y))
        };
        for t in terms.iter().filter(|t| !infinite(forms, t)) {
            let (x, y) = ends(forms, t);
            least = least.saturating_add(x);
            greatest = greatest.saturating_add(y);
        }
        const LIMIT: i128 = 1 << 100;
        if least.abs() > LIMIT || greatest.abs() > LIMIT {
            return Ok(());
        }
        for t in &terms {
            let own = infinite(forms, t);
            if open == 1 && !own {
                continue;
            }
            let (x, y) = if own { (0, 0) } else { ends(forms, t) };
            let (low, high) = (r.lower - (greatest - y), r.upper - (least - x));
            let c = t.coef as i128;
            let (low, high) = if c > 0 {
                (ceil_div(low, c), floor_div(high, c))
            } else {
                (ceil_div(high, c), floor_div(low, c))
            };
            if low > high {
                return Err(Empty);
            }
            match forms.atom(t.atom).kind {
                AtomKind::Variable => self.known[t.atom as usize].intersect(low, high)?,
                AtomKind::Digit { lin, a, b: INF }
                    if fuel > 0 && low.abs() < LIMIT >> 40 && high.abs() < LIMIT >> 40 =>
                {
                    let b = forms.atom(t.atom).bounds;
                    if low > b.lower as i128 || high < b.upper as i128 {
                        let a = a as i128;
                        self.derive(
                            forms,
                            RangeOf {
                                lin,
                                lower: low * a,
                                upper: high * a + a - 1,
                            },
                            fuel - 1,
                        )?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
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
