//! Bounds of variables that follow from constraints on sums.

use crate::interval::{Interval, ceil_div, floor_div};
use crate::simplify::known::{Empty, Outcome};
use crate::simplify::linear::{AtomKind, Forms, INF, Term, Terms, finite};
use crate::simplify::rules::constraint::{Constraints, RangeOf};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Constraints that are looked through for a variable.
const SCANNED: usize = 16;

/// How often constraints are looked at in one round, for each of them.
const LOOKS: usize = 8;

impl Constraints {
    /// Bounds that constraints on sums imply for each of their variables. The constraints in which a variable stands whose bounds
    /// are sharper then are looked at again.
    pub(crate) fn propagate(&mut self, forms: &mut Forms) -> Outcome {
        for (atom, known) in forms.atoms.iter_mut().zip(&self.known) {
            atom.bounds = known.interval;
        }
        let count = self.ranges.len();
        let mut waiting: SmallVec<[bool; 16]> = SmallVec::from_elem(true, count);
        let mut todo: VecDeque<usize> = VecDeque::new();
        let mut places = Vec::new();
        // Bounds can creep towards each other; whether they do is decided by the rounds.
        for look in 0..LOOKS * count {
            let i = match look < count {
                true => look,
                false => match todo.pop_front() {
                    Some(i) => i,
                    None => break,
                },
            };
            waiting[i] = false;
            self.derive(forms, self.ranges[i], 8)?;
            for at in 0..forms.terms(self.ranges[i].lin).len() {
                let v = forms.terms(self.ranges[i].lin)[at].atom as usize;
                if v >= forms.variables || forms.atoms[v].bounds == self.known[v].interval {
                    continue;
                }
                forms.atoms[v].bounds = self.known[v].interval;
                if places.is_empty() && count > SCANNED {
                    places = self.places(forms);
                }
                let all = 0..if places.is_empty() { count } else { 0 };
                let stands = |o: &usize| {
                    forms
                        .terms(self.ranges[*o].lin)
                        .iter()
                        .any(|t| t.atom as usize == v)
                };
                let of_variable = places.get(v).into_iter().flatten().copied();
                for other in of_variable.chain(all.filter(stands)) {
                    if other != i && !std::mem::replace(&mut waiting[other], true) {
                        todo.push_back(other);
                    }
                }
            }
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

    /// The ranges in which each of the variables stands.
    fn places(&self, forms: &Forms) -> Vec<Vec<usize>> {
        let mut places = vec![Vec::new(); forms.variables];
        for (i, r) in self.ranges.iter().enumerate() {
            let variables = forms.terms(r.lin).iter().map(|t| t.atom as usize);
            for v in variables.filter(|v| *v < forms.variables) {
                places[v].push(i);
            }
        }
        places
    }

    fn derive(&mut self, forms: &mut Forms, r: RangeOf, fuel: u32) -> Outcome {
        let k = forms.lin(r.lin).k as i128;
        let terms = Terms::from_slice(forms.terms(r.lin));
        self.derive_from(forms, &terms, (r.lower - k, r.upper - k), fuel)
    }

    /// As [`Constraints::derive_from`] for sums of variables; `None` if numbers may not fit.
    fn derive_narrow(
        &mut self,
        forms: &Forms,
        terms: &[Term],
        (lower, upper): (i128, i128),
    ) -> Option<Outcome> {
        let (lower, upper) = (i64::try_from(lower).ok()?, i64::try_from(upper).ok()?);
        let (least, greatest) = forms.narrow_bounds(terms, 0)?;
        // What the others leave: from `lower - greatest` on, up to `upper - least`.
        let (down, up) = (lower.checked_sub(greatest)?, upper.checked_sub(least)?);
        for t in terms {
            let Interval { lower, upper } = forms.atom(t.atom).bounds;
            let (x, y) = (t.coef.checked_mul(lower)?, t.coef.checked_mul(upper)?);
            let (low, high) = (down.checked_add(x.max(y))?, up.checked_add(x.min(y))?);
            if low <= x.min(y) && high >= x.max(y) {
                // Its own values say as much, and a division takes its time.
                continue;
            }
            let (low, high) = (low as i128, high as i128);
            let c = t.coef as i128;
            let (low, high) = if c > 0 {
                (ceil_div(low, c), floor_div(high, c))
            } else {
                (ceil_div(-high, -c), floor_div(-low, -c))
            };
            if low > high {
                return Some(Err(Empty));
            }
            let known = &mut self.known[t.atom as usize];
            let Interval { lower, upper } = known.interval;
            if (low > lower as i128 || high < upper as i128)
                && let Err(Empty) = known.intersect(low, high)
            {
                return Some(Err(Empty));
            }
        }
        Some(Ok(()))
    }

    /// What `terms in [lower, upper]` implies for each of its variables.
    pub(crate) fn derive_from(
        &mut self,
        forms: &mut Forms,
        terms: &[Term],
        (lower, upper): (i128, i128),
        fuel: u32,
    ) -> Outcome {
        // c * x = value - rest, for every rest that the other terms may have.
        let infinite = |forms: &Forms, t: &Term| {
            let b = forms.atom(t.atom).bounds;
            !finite(b.lower) || !finite(b.upper)
        };
        let open = terms.iter().filter(|t| infinite(forms, t)).count();
        if open > 1 || !forms.work(terms.len()) {
            return Ok(());
        }
        if terms.iter().all(|t| (t.atom as usize) < forms.variables)
            && let Some(done) = self.derive_narrow(forms, terms, (lower, upper))
        {
            return done;
        }
        let (mut least, mut greatest) = (0i128, 0i128);
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
        const LIMIT: u128 = 1 << 100;
        if least.unsigned_abs() > LIMIT || greatest.unsigned_abs() > LIMIT {
            return Ok(());
        }
        for t in terms {
            let own = infinite(forms, t);
            if open == 1 && !own {
                continue;
            }
            let (x, y) = if own { (0, 0) } else { ends(forms, t) };
            let (low, high) = (lower - (greatest - y), upper - (least - x));
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
                    if fuel > 0
                        && low.unsigned_abs() < LIMIT >> 40
                        && high.unsigned_abs() < LIMIT >> 40 =>
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
