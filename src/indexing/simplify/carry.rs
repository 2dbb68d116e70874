//! Constraints that a round over all of them would read as the round before did.
//!
//! A long list settles in several rounds, as what one constraint says of a variable sharpens others. A sum of variables that came
//! out of a round as it went in says the same again as long as nothing more is known of its variables: it is taken over.

use super::arena::NodeId;
use super::constraints::{Constraints, RangeOf, Window};
use super::known::{Empty, Known};
use super::linear::{Forms, Term};
use crate::interval::Interval;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Constraints below which all are read in each round.
const FEW: usize = 32;

#[derive(Clone, Copy)]
enum Entry {
    /// With the constant of the form.
    Range(RangeOf, i64),
    Window(Window),
}

/// What a round leaves to the next one.
#[derive(Default)]
pub(super) struct Carried {
    /// For each constraint that was written: where its terms are and what was made of it, if it came out as it went in.
    entries: Vec<Option<(Range<usize>, Entry)>>,
    terms: Vec<Term>,
    /// The variables of which more is known than before the round.
    sharper: Vec<bool>,
}

impl Carried {
    /// Keeps what came out of a round as it went in. The forms of the constraints are still there.
    pub(super) fn keep(
        &mut self,
        constraints: &Constraints,
        forms: &Forms,
        given: &[(NodeId, Interval)],
        written: &[(NodeId, Interval)],
    ) {
        self.entries.clear();
        self.terms.clear();
        let count = constraints.ranges.len() + constraints.windows.len();
        if given.len() < FEW || written.len() != count {
            return;
        }
        let before: FxHashMap<NodeId, Interval> = given.iter().copied().collect();
        let ranges = constraints.ranges.iter().map(|r| {
            let k = forms.lin(r.lin).k;
            (r.lin, Entry::Range(*r, k))
        });
        let windows = constraints.windows.iter();
        let all = ranges.chain(windows.map(|w| (w.lin, Entry::Window(*w))));
        for ((lin, entry), (node, interval)) in all.zip(written) {
            let terms = forms.terms(lin);
            // One variable alone becomes a range or a congruence.
            let same =
                terms.len() > 1 && !forms.has_digits(lin) && before.get(node) == Some(interval);
            self.entries.push(same.then(|| {
                let first = self.terms.len();
                self.terms.extend_from_slice(terms);
                (first..self.terms.len(), entry)
            }));
        }
    }

    /// Compares what is known now with what was known when the round began.
    pub(super) fn compare(&mut self, before: &[Known], now: &[Known]) {
        self.sharper.clear();
        if !self.entries.is_empty() {
            self.sharper
                .extend(before.iter().zip(now).map(|(b, n)| b != n));
        }
    }

    /// Takes over a constraint, by its place in the list; false if it has to be read.
    pub(super) fn take(
        &self,
        at: usize,
        forms: &mut Forms,
        into: &mut Constraints,
    ) -> Result<bool, Empty> {
        let Some(Some((terms, entry))) = self.entries.get(at) else {
            return Ok(false);
        };
        let terms = &self.terms[terms.clone()];
        if terms.iter().any(|t| self.sharper[t.atom as usize]) {
            return Ok(false);
        }
        match *entry {
            Entry::Range(r, k) => {
                let lin = forms.intern(terms, k);
                into.add_range(forms, RangeOf { lin, ..r })?;
            }
            Entry::Window(w) => {
                let lin = forms.intern(terms, 0);
                into.windows.push(Window { lin, ..w });
            }
        }
        Ok(true)
    }
}
