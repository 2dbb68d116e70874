//! Congruences and remainders in intervals: what one of them says, and what several say together.

use crate::interval::Interval;
use crate::linear::gcd;
use crate::linear::number::{chinese, remainder};
use crate::simplify::bounds::times;
use crate::simplify::known::{Empty, Outcome};
use crate::simplify::linear::{AtomId, Forms, LinId, finite};
use crate::simplify::rules::constraint::Constraints;
use crate::simplify::rules::constraint::window::{Reduced, Window};
use rustc_hash::FxHashMap;

/// Windows on one form that are compared with each other.
const PIECE: usize = 64;

/// Number of times that the ends of a range move to values that one of several windows allows: what
/// one leaves, another may not allow.
pub(crate) const SWEEPS: usize = 8;

impl Constraints {
    /// Adds what a window says.
    pub(crate) fn add_window(&mut self, forms: &mut Forms, given: Window) -> Outcome {
        let w = match forms.reduced_window(given)? {
            Reduced::Implied => return Ok(()),
            Reduced::Range(range) => return self.add(forms, range),
            Reduced::Window(w) => w,
        };
        if let Some(i) = forms.as_variable(forms.terms(w.lin))
            && w.extra == 0
            && self.congruent(forms, i, w.m, w.lower)?
        {
            return Ok(());
        }
        self.windows.push(w);
        Ok(())
    }

    /// Adds `x = r` modulo `m` to a variable; false if the common period would not fit.
    pub(crate) fn congruent(
        &mut self,
        forms: &mut Forms,
        i: usize,
        m: i64,
        r: i64,
    ) -> Outcome<bool> {
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

    /// Combines constraints: windows of one form, windows and ranges, windows and congruences of a
    /// variable.
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
        for w in std::mem::take(&mut self.windows) {
            let variable = forms.as_variable(forms.terms(w.lin));
            let solved = match variable.filter(|_| w.extra == 0) {
                Some(v) => self.congruent(forms, v, w.m, w.lower)?,
                None => false,
            };
            if !solved {
                self.windows.push(w);
            }
        }
        self.drop_implied(forms);
        self.move_ends(forms)
    }

    /// The ends of a range move to values that the windows of its form allow.
    fn move_ends(&mut self, forms: &mut Forms) -> Outcome {
        // What is left of a sum modulo m has no other atoms than the sum.
        let mut of_atom = Places::default();
        for (i, w) in self.windows.iter().enumerate() {
            of_atom.0.push((forms.terms(w.lin)[0].atom, i));
        }
        of_atom.0.sort_unstable();
        let mut found: Vec<(usize, bool)> = Vec::new();
        for r in &mut self.ranges {
            found.clear();
            for t in forms.terms(r.lin) {
                // The form of a window is known modulo m only, and up to sign.
                found.extend(of_atom.positions_of(t.atom).filter_map(|i| {
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
                    let w = self.windows[i];
                    let w = if negative { w.negated() } else { w };
                    (r.lower, r.upper) = (w.at_least(r.lower - k) + k, w.at_most(r.upper - k) + k);
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

    /// Drops what a window `x mod m in [l, u]` implies about other constraints in which `x mod m`
    /// occurs.
    pub(crate) fn drop_implied(&mut self, forms: &mut Forms) {
        // Where the remainders occur: in the ranges, then in the windows.
        let ranges = self.ranges.len();
        let mut occur = Places::default();
        let lins = self.ranges.iter().map(|r| r.lin);
        for (i, lin) in lins.chain(self.windows.iter().map(|w| w.lin)).enumerate() {
            let digits = (forms.terms(lin).iter()).filter(|t| forms.is_no_variable(t));
            occur.0.extend(digits.map(|t| (t.atom, i)));
        }
        if occur.0.is_empty() {
            return;
        }
        occur.0.sort_unstable();
        let mut gone = vec![false; ranges + self.windows.len()];
        let mut ends = FxHashMap::default();
        for (i, w) in self.windows.iter().enumerate() {
            let Some(upper) = w.lower.checked_add(w.extra).filter(|u| *u < w.m) else {
                continue;
            };
            let Some(atom) = forms.find_digit(w.lin, 1, w.m) else {
                continue;
            };
            if gone[ranges + i] || !forms.work(occur.positions_of(atom).count()) {
                continue;
            }
            let values = Interval::new(w.lower, upper);
            for at in occur.positions_of(atom) {
                if gone[at] || at == ranges + i {
                    continue;
                }
                let mut bounds = |lin: LinId| bounds_with(forms, lin, atom, values, &mut ends);
                gone[at] = match at.checked_sub(ranges) {
                    None => {
                        let r = &self.ranges[at];
                        bounds(r.lin).is_some_and(|(l, u)| r.lower <= l && u <= r.upper)
                    }
                    Some(at) => {
                        let v = &self.windows[at];
                        let within =
                            |(l, u): (i128, i128)| remainder(l - v.lower as i128, v.m) + u - l;
                        bounds(v.lin).is_some_and(|b| within(b) <= v.extra as i128)
                    }
                };
                if gone[at] {
                    forms.fired("constraint-implied-by-another");
                }
            }
        }
        let mut gone = gone.into_iter();
        self.ranges.retain(|_| gone.next() == Some(false));
        self.windows.retain(|_| gone.next() == Some(false));
    }
}

/// Positions of atoms, in order.
#[derive(Default)]
pub(crate) struct Places(pub(crate) Vec<(AtomId, usize)>);

impl Places {
    pub(crate) fn positions_of(&self, atom: AtomId) -> impl Iterator<Item = usize> {
        let from = self.0.partition_point(|o| o.0 < atom);
        let own = self.0[from..].iter().take_while(move |o| o.0 == atom);
        own.map(|o| o.1)
    }
}

/// Bounds of a form in which an atom, a remainder, has these values; `ends` are those of the forms
/// that were asked for.
fn bounds_with(
    forms: &Forms,
    lin: LinId,
    atom: AtomId,
    values: Interval,
    ends: &mut FxHashMap<LinId, Option<(i128, i128)>>,
) -> Option<(i128, i128)> {
    let terms = forms.terms(lin);
    let t = terms.iter().find(|t| t.atom == atom)?;
    let of_form = ends.entry(lin);
    let (least, greatest) =
        (*of_form.or_insert_with(|| forms.wide_bounds(terms, forms.lin(lin).k)))?;
    let (own, new) = (
        times(forms.atom(atom).bounds, t.coef),
        times(values, t.coef),
    );
    let ends = (least - own.0 + new.0, greatest - own.1 + new.1);
    let fits = |v: i128| i64::try_from(v).is_ok_and(finite);
    (fits(ends.0) && fits(ends.1)).then_some(ends)
}
