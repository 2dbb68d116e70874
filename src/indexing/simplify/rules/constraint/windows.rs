//! Congruences and remainders in intervals: what one of them says, and what several say together.

use crate::interval::Interval;
use crate::simplify::known::{Empty, Outcome, chinese};
use crate::simplify::linear::{AtomId, Forms, LinId, Terms, finite, gcd};
use crate::simplify::rules::constraint::Constraints;
use crate::simplify::rules::constraint::window::{Reduced, Window};
use rustc_hash::FxHashMap;

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
        if let Some(i) = forms.as_variable(&terms) {
            if w.extra == 0 && self.congruent(forms, i, w.m, w.lower)? {
                return Ok(());
            }
            if self.creeping {
                forms.fired("congruence-tightens-bounds");
                self.known[i].meets(&w)?;
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
            let mut all = std::mem::take(&mut self.windows);
            for group in all.chunk_by_mut(|w, v| w.lin == v.lin) {
                // All pairs are looked at, so a long list is taken in pieces.
                if group.len() > PIECE {
                    group.sort_by_key(|w| (w.m, w.lower, w.extra));
                }
                for piece in group.chunks(PIECE) {
                    let mut piece = piece.to_vec();
                    Self::merge_group(&mut piece, forms)?;
                    self.windows.append(&mut piece);
                }
            }
        }
        // Windows that became congruences of a variable.
        let mut kept = Vec::with_capacity(self.windows.len());
        for w in std::mem::take(&mut self.windows) {
            let variable = forms.as_variable(forms.terms(w.lin));
            let solved = match variable.filter(|_| w.extra == 0) {
                Some(v) => self.congruent(forms, v, w.m, w.lower)?,
                None => false,
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
            let n = group.len();
            let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            let mut changed = false;
            for (i, j) in pairs.filter(|(i, j)| i != j) {
                let (w, mut v) = (group[i], group[j]);
                if w.extra == 0 {
                    // L = lower modulo w.m: of v only what agrees with it is left.
                    v.shrink(gcd(w.m, v.m), w.lower)?;
                    changed |= group[j] != v;
                    group[j] = v;
                }
                let both = w.and(&v);
                if both.is_err() {
                    forms.fired("congruences-exclude-each-other");
                }
                if let Some(both) = both? {
                    forms.fired("congruences-merged");
                    group[i] = both;
                    group.remove(j);
                    changed = true;
                    break;
                }
            }
            if !changed || !forms.work(group.len()) {
                return Ok(());
            }
        }
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
        let mut ends = FxHashMap::default();
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

/// Bounds of a form in which an atom, a remainder, has these values; `ends` are those of the forms that were asked for.
fn bounds_with(
    forms: &Forms,
    lin: LinId,
    atom: AtomId,
    values: Interval,
    ends: &mut FxHashMap<LinId, Option<(i128, i128)>>,
) -> Option<Interval> {
    let terms = forms.terms(lin);
    let t = terms.iter().find(|t| t.atom == atom)?;
    let of_form = ends.entry(lin);
    let (least, greatest) =
        (*of_form.or_insert_with(|| forms.wide_bounds(terms, forms.lin(lin).k)))?;
    let times = |b: Interval| {
        let (x, y) = (b.lower as i128, b.upper as i128);
        let (x, y) = (x * t.coef as i128, y * t.coef as i128);
        (x.min(y), x.max(y))
    };
    let (own, new) = (times(forms.atom(atom).bounds), times(values));
    let end = |v: i128| i64::try_from(v).ok().filter(|v| finite(*v));
    Some(Interval::new(
        end(least - own.0 + new.0)?,
        end(greatest - own.1 + new.1)?,
    ))
}
