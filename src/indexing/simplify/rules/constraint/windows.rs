//! Congruences and remainders in intervals: what one of them says, and what several say together.

use crate::interval::Interval;
use crate::simplify::known::{Empty, Outcome, chinese};
use crate::simplify::linear::{AtomId, Forms, LinId, Terms, finite, gcd};
use crate::simplify::operations::LONG;
use crate::simplify::rules::constraint::Constraints;
use crate::simplify::rules::constraint::window::{Reduced, Window};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Windows on one form that are compared with each other.
const PIECE: usize = 64;

/// How often the ends of a range move to what one of several windows allows: what one leaves may not be allowed by another.
pub(crate) const SWEEPS: usize = 8;

impl Constraints {
    /// Adds `lin mod m in [lower, lower + extra]`.
    pub(crate) fn add_window(
        &mut self,
        forms: &mut Forms,
        lin: LinId,
        m: i64,
        lower: i64,
        extra: i64,
    ) -> Outcome {
        let (terms, k) = (Terms::from_slice(forms.terms(lin)), forms.lin(lin).k);
        let (terms, w) = match forms.reduced_window(terms, k, m, (lower, extra))? {
            Reduced::Implied => return Ok(()),
            Reduced::Range(terms, lower, upper) => {
                let lin = forms.intern(&terms, 0);
                return self.add(forms, lin, lower, upper);
            }
            Reduced::Window(terms, w) => (terms, w),
        };
        if let [t] = terms[..]
            && t.coef == 1
            && (t.atom as usize) < forms.variables
        {
            let i = t.atom as usize;
            if w.extra == 0 && self.congruent(forms, i, w.m, w.lower)? {
                return Ok(());
            }
            let known = self.known[i].interval;
            if self.creeping {
                forms.fired("congruence-tightens-bounds");
                self.known[i].intersect(
                    w.at_least(known.lower as i128),
                    w.at_most(known.upper as i128),
                )?;
            }
        }
        let lin = forms.intern(&terms, 0);
        self.windows.push(Window { lin, ..w });
        Ok(())
    }

    /// Adds `x = r` modulo `m` to a variable; false if the common period would not fit.
    pub(crate) fn congruent(
        &mut self,
        forms: &mut Forms,
        i: usize,
        m: i64,
        r: i64,
    ) -> Result<bool, Empty> {
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
        if self.windows.is_empty() {
            return Ok(());
        }
        // A congruence of the form itself tightens its windows.
        for i in 0..self.windows.len() {
            let w = self.windows[i];
            let (g, r) = forms.congruence(forms.terms(w.lin), 0, w.m);
            if g > 1 {
                self.windows[i].shrink(g, r)?;
            }
        }
        // Only windows of one form say something together.
        self.windows.sort_by_key(|w| w.lin);
        let alone = self.windows.windows(2).all(|w| w[0].lin != w[1].lin);
        if !alone {
            let all = std::mem::take(&mut self.windows);
            for group in all.chunk_by(|w, v| w.lin == v.lin) {
                let mut group = group.to_vec();
                // All pairs are looked at, so a long list is taken in pieces.
                if group.len() > PIECE {
                    group.sort_by_key(|w| (w.m, w.lower, w.extra));
                }
                for piece in group.chunks(PIECE) {
                    let mut piece = piece.to_vec();
                    if piece.len() > 1 {
                        Self::merge_group(&mut piece, forms)?;
                    }
                    self.windows.append(&mut piece);
                }
            }
        }
        // Windows that became congruences of a variable.
        let mut kept = Vec::with_capacity(self.windows.len());
        for w in std::mem::take(&mut self.windows) {
            let solved = if let [t] = *forms.terms(w.lin)
                && t.coef == 1
                && (t.atom as usize) < forms.variables
                && w.extra == 0
            {
                self.congruent(forms, t.atom as usize, w.m, w.lower)?
            } else {
                false
            };
            if !solved {
                kept.push(w);
            }
        }
        self.windows = kept;
        self.drop_implied(forms);
        self.move_ends(forms)
    }

    /// The ends of a range move to values that the windows of its form allow.
    fn move_ends(&mut self, forms: &mut Forms) -> Outcome {
        // What is left of a sum modulo m has no other atoms than the sum.
        let first = |(i, w): (usize, &Window)| (forms.terms(w.lin)[0].atom, i);
        let mut of_atom: Vec<(AtomId, usize)> =
            self.windows.iter().enumerate().map(first).collect();
        of_atom.sort_unstable();
        let mut found: Vec<(usize, bool)> = Vec::new();
        for r in &mut self.ranges {
            found.clear();
            for t in forms.terms(r.lin) {
                let from = of_atom.partition_point(|o| o.0 < t.atom);
                let places = of_atom[from..].iter().take_while(|o| o.0 == t.atom);
                // The form of a window is known modulo m only, and up to sign.
                found.extend(places.filter_map(|&(_, i)| {
                    let w = &self.windows[i];
                    Some((i, forms.congruent(r.lin, w.lin, w.m)?))
                }));
            }
            found.sort_unstable();
            if !forms.work(found.len()) {
                break;
            }
            // The window is about the terms alone.
            let k = forms.lin(r.lin).k as i128;
            for _ in 0..SWEEPS {
                let before = (r.lower, r.upper);
                for &(i, negative) in &found {
                    let w = &self.windows[i];
                    let (lower, upper) = (r.lower - k, r.upper - k);
                    let (lower, upper) = if negative {
                        (-w.at_most(-lower), -w.at_least(-upper))
                    } else {
                        (w.at_least(lower), w.at_most(upper))
                    };
                    (r.lower, r.upper) = (lower + k, upper + k);
                    if r.lower > r.upper {
                        return Err(Empty);
                    }
                }
                if found.len() < 2 || before == (r.lower, r.upper) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Merges windows of one form.
    fn merge_group(group: &mut Vec<Window>, forms: &mut Forms) -> Outcome {
        loop {
            let mut changed = false;
            for i in 0..group.len() {
                for j in 0..group.len() {
                    let (w, v) = (group[i], group[j]);
                    if i == j {
                        continue;
                    }
                    if w.extra == 0 {
                        // L = lower modulo w.m: of v only what agrees with it is left.
                        group[j].shrink(gcd(w.m, v.m), w.lower)?;
                        changed |= group[j] != v;
                        let v = group[j];
                        if v.extra == 0
                            && let Ok(merged) = chinese((w.m, w.lower), (v.m, v.lower))
                        {
                            let Some((m, lower)) = merged else {
                                return Err(Empty);
                            };
                            forms.fired("congruences-merged");
                            group[i] = Window {
                                lin: w.lin,
                                m,
                                lower,
                                extra: 0,
                            };
                            group.remove(j);
                            changed = true;
                            break;
                        }
                    } else if w.m % v.m == 0 && v.extra > 0 {
                        // The values that w allows: are they all allowed by v, or only a part?
                        let offset = (w.lower as i128 - v.lower as i128).rem_euclid(v.m as i128);
                        if offset + w.extra as i128 <= v.extra as i128 {
                            forms.fired("congruences-merged");
                            group.remove(j);
                            changed = true;
                            break;
                        }
                        // No value of w in the one period of v in which they lie?
                        if offset > v.extra as i128 && offset + (w.extra as i128) < v.m as i128 {
                            forms.fired("congruences-exclude-each-other");
                            return Err(Empty);
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
                                group[i] = Window {
                                    lin: w.lin,
                                    m: w.m,
                                    lower,
                                    extra: extra as i64,
                                };
                                group.remove(j);
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
            if !changed || !forms.work(group.len()) {
                break;
            }
        }
        Ok(())
    }

    /// Drops what a window `x mod m in [l, u]` implies about other constraints in which `x mod m` occurs.
    pub(crate) fn drop_implied(&mut self, forms: &mut Forms) {
        // Where the remainders occur: in the ranges, then in the windows.
        let ranges = self.ranges.len();
        let mut occur: Vec<(AtomId, usize)> = Vec::new();
        let lins = self.ranges.iter().map(|r| r.lin);
        for (i, lin) in lins.chain(self.windows.iter().map(|w| w.lin)).enumerate() {
            let atoms = forms.terms(lin).iter().map(|t| t.atom);
            let digits = atoms.filter(|a| (*a as usize) >= forms.variables);
            occur.extend(digits.map(|a| (a, i)));
        }
        if occur.is_empty() {
            return;
        }
        occur.sort_unstable();
        let mut gone = vec![false; ranges + self.windows.len()];
        let mut ends: FxHashMap<LinId, (i128, i128)> = FxHashMap::default();
        let mut any = false;
        for (i, w) in self.windows.iter().enumerate() {
            let Some(upper) = w.lower.checked_add(w.extra).filter(|u| *u < w.m) else {
                continue;
            };
            let Some(atom) = forms.find_digit(w.lin, 1, w.m) else {
                continue;
            };
            let first = occur.partition_point(|o| o.0 < atom);
            let places = occur[first..].iter().take_while(|o| o.0 == atom);
            if gone[ranges + i] || !forms.work(places.clone().count()) {
                continue;
            }
            let values = Interval::new(w.lower, upper);
            for &(_, at) in places {
                if gone[at] || at == ranges + i {
                    continue;
                }
                let mut bounds = |lin: LinId| bounds_with(forms, lin, atom, values, &mut ends);
                gone[at] = match at.checked_sub(ranges) {
                    None => {
                        let r = &self.ranges[at];
                        bounds(r.lin).is_some_and(|b| {
                            r.lower <= b.lower as i128 && b.upper as i128 <= r.upper
                        })
                    }
                    Some(at) => {
                        let v = &self.windows[at];
                        bounds(v.lin).is_some_and(|b| {
                            let first = (b.lower as i128 - v.lower as i128).rem_euclid(v.m as i128);
                            first + (b.upper as i128 - b.lower as i128) <= v.extra as i128
                        })
                    }
                };
                if gone[at] {
                    any = true;
                    forms.fired("constraint-implied-by-another");
                }
            }
        }
        if any {
            let (of_ranges, of_windows) = gone.split_at(ranges);
            let mut dead = of_ranges.iter();
            self.ranges.retain(|_| !dead.next().is_some_and(|g| *g));
            let mut dead = of_windows.iter();
            self.windows.retain(|_| !dead.next().is_some_and(|g| *g));
        }
    }
}

/// Bounds of a form in which an atom has these values. Of long forms all bounds are known only once, in `ends`.
fn bounds_with(
    forms: &Forms,
    lin: LinId,
    atom: AtomId,
    values: Interval,
    ends: &mut FxHashMap<LinId, (i128, i128)>,
) -> Option<Interval> {
    let terms = forms.terms(lin);
    let at = terms.iter().position(|t| t.atom == atom)?;
    let k = forms.lin(lin).k;
    let rest = if terms.len() > LONG {
        if let Entry::Vacant(new) = ends.entry(lin) {
            new.insert(forms.wide_bounds(terms, k)?);
        }
        let (least, greatest) = ends[&lin];
        let (own, own_greatest) = forms.wide_bounds(&terms[at..=at], 0)?;
        Interval::new(
            i64::try_from(least - own).ok()?,
            i64::try_from(greatest - own_greatest).ok()?,
        )
    } else {
        let others = terms.iter().enumerate().filter(|(i, _)| *i != at);
        let rest: Terms = others.map(|(_, t)| *t).collect();
        forms.bounds_of_terms(&rest, k)
    };
    let b = rest.plus(values.times_constant(terms[at].coef));
    (finite(b.lower) && finite(b.upper)).then_some(b)
}
