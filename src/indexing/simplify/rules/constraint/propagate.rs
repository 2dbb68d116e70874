//! Bounds of variables that follow from constraints on sums.

use crate::interval::{ceil_div, floor_div};
use crate::simplify::bounds::{bounded, times};
use crate::simplify::known::{Empty, Outcome};
use crate::simplify::linear::{AtomKind, Forms, INF, Term, Terms};
use crate::simplify::rules::constraint::Constraints;
use crate::simplify::rules::constraint::range::RangeOf;
use smallvec::SmallVec;
use std::collections::VecDeque;

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
                if places.is_empty() {
                    places = self.places(forms);
                }
                for &other in &places[v] {
                    if other != i && !std::mem::replace(&mut waiting[other], true) {
                        todo.push_back(other);
                    }
                }
            }
        }
        for i in 0..self.windows.len() {
            let w = self.windows[i];
            if let Some(v) = forms.as_variable(forms.terms(w.lin)) {
                self.known[v].meets(&w)?;
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

    /// What a constraint implies for each of its variables.
    fn derive(&mut self, forms: &mut Forms, r: RangeOf, fuel: u32) -> Outcome {
        const LIMIT: u128 = 1 << 100;
        let terms = Terms::from_slice(forms.terms(r.lin));
        // c * x = value - rest, for every rest that the other terms may have. The ends of a term, if there are any:
        let ends = |forms: &Forms, t: &Term| {
            let b = forms.atom(t.atom).bounds;
            bounded(b).then(|| times(b, t.coef))
        };
        let open = terms.iter().filter(|t| ends(forms, t).is_none()).count();
        if open > 1 || !forms.work(terms.len()) {
            return Ok(());
        }
        let (mut least, mut greatest) = (0i128, 0i128);
        for (x, y) in terms.iter().filter_map(|t| ends(forms, t)) {
            least = least.saturating_add(x);
            greatest = greatest.saturating_add(y);
        }
        if least.unsigned_abs() > LIMIT || greatest.unsigned_abs() > LIMIT {
            return Ok(());
        }
        let k = forms.lin(r.lin).k as i128;
        let (lower, upper) = (r.lower - k, r.upper - k);
        for t in &terms {
            let own = ends(forms, t);
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
            let (low, high) = if c > 0 {
                (ceil_div(low, c), floor_div(high, c))
            } else {
                (ceil_div(-high, -c), floor_div(-low, -c))
            };
            if low > high {
                return Err(Empty);
            }
            let small = |v: i128| v.unsigned_abs() < LIMIT >> 40;
            match forms.atom(t.atom).kind {
                AtomKind::Variable => self.known[t.atom as usize].intersect(low, high)?,
                AtomKind::Digit { lin, a, b: INF } if fuel > 0 && small(low) && small(high) => {
                    let a = a as i128;
                    let (lower, upper) = (low * a, high * a + a - 1);
                    self.derive(forms, RangeOf { lin, lower, upper }, fuel - 1)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
