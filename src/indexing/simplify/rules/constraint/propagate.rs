//! Bounds of variables that follow from constraints on sums.

use crate::interval::{ceil_div, floor_div};
use crate::simplify::bounds::{bounded, times};
use crate::simplify::known::{Empty, KnownList, Outcome};
use crate::simplify::linear::{AtomKind, Forms, LinId, Term, Terms, UNBOUNDED};
use crate::simplify::rules::constraint::Constraints;
use crate::simplify::rules::constraint::range::RangeOf;
use crate::simplify::rules::constraint::windows::Places;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Number of times that a constraint is looked at before the bounds that it moves are taken to
/// creep.
const LOOKS: usize = 192;
/// Looks at a constraint that was given up.
const GIVEN_UP: usize = usize::MAX;
/// Digits in digits whose bounds follow those of the variables in them.
const FUEL: u32 = 8;

impl Constraints {
    /// Bounds that constraints imply for each of their variables, until none moves: where that ends
    /// does not depend on which constraint is looked at first. Bounds can creep towards each other
    /// in more steps than can be taken. All variables that constraints tie to such a bound keep
    /// those that they had.
    pub(crate) fn propagate(&mut self, forms: &mut Forms) -> Outcome {
        let before = KnownList::from_slice(&self.known);
        // Atoms have the bounds of what was known when they were read.
        let mut fuel = 0;
        for (atom, known) in forms.atoms.iter_mut().zip(&self.known) {
            if std::mem::replace(&mut atom.bounds, known.interval) != known.interval {
                fuel = FUEL;
            }
        }
        let windows = self.windows.iter().map(|w| w.lin);
        let lins: SmallVec<[LinId; 16]> =
            self.ranges.iter().map(|r| r.lin).chain(windows).collect();
        let count = lins.len();
        let mut looks: SmallVec<[usize; 16]> = SmallVec::from_elem(0, count);
        let mut waiting: SmallVec<[bool; 16]> = SmallVec::from_elem(true, count);
        let (mut first, mut todo) = (0..count, VecDeque::new());
        // The constraints in which each variable stands.
        let mut places = Places::default();
        while let Some(i) = first.next().or_else(|| todo.pop_front()) {
            waiting[i] = false;
            if looks[i] == GIVEN_UP {
                continue;
            }
            looks[i] += 1;
            let moved = match self.ranges.get(i) {
                Some(r) => self.derive(forms, *r, (fuel, FUEL))?,
                None => self.meet(forms, i - self.ranges.len())?,
            };
            if moved {
                fuel = FUEL;
                if places.0.is_empty() {
                    let of_form = |(i, lin): (usize, &LinId)| {
                        forms.variables_in(*lin).into_iter().map(move |v| (v, i))
                    };
                    places.0.extend(lins.iter().enumerate().flat_map(of_form));
                    places.0.sort_unstable();
                }
                for v in forms.variables_in(lins[i]) {
                    let known = self.known[v as usize].interval;
                    if std::mem::replace(&mut forms.atoms[v as usize].bounds, known) != known {
                        let idle = |i: &usize| !std::mem::replace(&mut waiting[*i], true);
                        todo.extend(places.positions_of(v).filter(idle));
                    }
                }
            }
            let creeps = looks[i] > LOOKS || forms.budget == 0;
            let mut tied = Vec::from_iter(Some(i).filter(|_| creeps));
            while let Some(i) = tied.pop() {
                if std::mem::replace(&mut looks[i], GIVEN_UP) != GIVEN_UP {
                    for v in forms.variables_in(lins[i]) {
                        self.known[v as usize] = before[v as usize];
                        forms.atoms[v as usize].bounds = before[v as usize].interval;
                        tied.extend(places.positions_of(v));
                    }
                }
            }
        }
        Ok(())
    }

    /// The ends of a variable move to values that its window allows; true if one moves.
    fn meet(&mut self, forms: &mut Forms, window: usize) -> Outcome<bool> {
        let w = self.windows[window];
        let variable = forms.as_variable(forms.terms(w.lin));
        let moved = variable.map_or(Ok(false), |v| self.known[v].meets(&w))?;
        if moved {
            forms.fired("congruence-tightens-bounds");
        }
        Ok(moved)
    }

    /// Derives the bounds that a constraint implies for each of its variables; true if one of them
    /// moves. Digits nested up to `fuel` deep have the bounds that follow from those of the
    /// variables now.
    fn derive(
        &mut self,
        forms: &mut Forms,
        r: RangeOf,
        (fuel, depth): (u32, u32),
    ) -> Outcome<bool> {
        const LIMIT: u128 = 1 << 100;
        let terms = Terms::from_slice(forms.terms(r.lin));
        // c * x = value - rest, for every rest that the other terms may have. The ends of each
        // term, if there are any:
        let of_term = |t: &Term| {
            let b = forms.bounds_now(t.atom, fuel);
            bounded(b).then(|| times(b, t.coef))
        };
        let ends: SmallVec<[Option<(i128, i128)>; 8]> = terms.iter().map(of_term).collect();
        let open = ends.iter().filter(|ends| ends.is_none()).count();
        if open > 1 || !forms.work(terms.len()) {
            return Ok(false);
        }
        let mut moved = false;
        let (mut least, mut greatest) = (0i128, 0i128);
        for (x, y) in ends.iter().flatten() {
            least = least.saturating_add(*x);
            greatest = greatest.saturating_add(*y);
        }
        if least.unsigned_abs() > LIMIT || greatest.unsigned_abs() > LIMIT {
            return Ok(false);
        }
        let k = forms.lin(r.lin).k as i128;
        let (lower, upper) = (r.lower - k, r.upper - k);
        for (t, own) in terms.iter().zip(ends) {
            if open == 1 && own.is_some() {
                continue;
            }
            let (x, y) = own.unwrap_or((0, 0));
            let (low, high) = (lower - (greatest - y), upper - (least - x));
            if own.is_some() && low <= x && high >= y {
                // Its own values say as much.
                continue;
            }
            let c = t.coef as i128;
            let (low, high) = if c > 0 { (low, high) } else { (-high, -low) };
            let (low, high) = (ceil_div(low, c.abs()), floor_div(high, c.abs()));
            if low > high {
                return Err(Empty);
            }
            let small = |v: i128| v.unsigned_abs() < LIMIT >> 40;
            match forms.atom(t.atom).kind {
                AtomKind::Variable => moved |= self.known[t.atom as usize].intersect(low, high)?,
                AtomKind::Digit {
                    lin,
                    a,
                    b: UNBOUNDED,
                } if depth > 0 && small(low) && small(high) => {
                    let a = a as i128;
                    let (lower, upper) = (low * a, high * a + a - 1);
                    moved |=
                        self.derive(forms, RangeOf { lin, lower, upper }, (fuel, depth - 1))?;
                }
                _ => {}
            }
        }
        Ok(moved)
    }
}
