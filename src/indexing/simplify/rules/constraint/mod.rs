//! Constraints: from `expr in [lower, upper]` to bounds and congruences of variables, and what
//! cannot become one.
//!
//! Two kinds are left in the end, each on a form without a constant whose first coefficient is
//! positive: *ranges* `L in [lower, upper]` and *windows* `L mod m in [lower, lower + extra]`
//! (which may wrap around).

pub(crate) mod decompose;
mod propagate;
pub(crate) mod range;
pub(crate) mod window;
pub(crate) mod windows;

use crate::expr::Op;
use crate::interval::{ceil_div, floor_div};
use crate::linear::gcd;
use crate::simplify::known::{Empty, Known, Outcome};
use crate::simplify::linear::{AtomKind, Forms, LinId, Term, Terms, UNBOUNDED, finite};
use crate::simplify::rules::constraint::decompose::{Splits, unit_digit};
use crate::simplify::rules::constraint::range::RangeOf;
use crate::simplify::rules::constraint::window::Window;
use crate::simplify::rules::{Apply, CONSTRAIN};
use crate::simplify::steps::Side;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The constraints of one round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constraints {
    pub(crate) known: Vec<Known>,
    pub(crate) ranges: Vec<RangeOf>,
    pub(crate) windows: Vec<Window>,
    /// Position in `ranges` of the range of a form.
    range_of: FxHashMap<LinId, usize>,
}

impl Constraints {
    /// Forgets the constraints of a round.
    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
        self.windows.clear();
        self.range_of.clear();
    }

    /// Adds a constraint.
    pub(crate) fn add(&mut self, forms: &mut Forms, constraint: RangeOf) -> Outcome {
        let mut todo: SmallVec<[RangeOf; 4]> = SmallVec::from_elem(constraint, 1);
        while let Some(given) = todo.pop() {
            self.constrain(forms, given, &mut todo)?;
        }
        Ok(())
    }

    /// Applies the rules to a constraint; what it says of parts of its form is left to do.
    fn constrain(
        &mut self,
        forms: &mut Forms,
        given: RangeOf,
        todo: &mut SmallVec<[RangeOf; 4]>,
    ) -> Outcome {
        let mut c = Pending::new(forms, given);
        if c.lower > c.upper {
            return Err(Empty);
        }
        let mut rules = CONSTRAIN.iter();
        while let Some(rule) = rules.next() {
            let Apply::Constraint(apply) = rule.apply else {
                continue;
            };
            let before = forms.side(|forms| c.side(forms));
            let applied = apply(self, forms, &mut c);
            match &applied {
                Ok(Applied::Not) => {}
                // The domain is empty, or what is left are other constraints.
                Err(Empty) => forms.fired(rule.name),
                Ok(Applied::Done) => forms.fired_on(rule.name, before, |forms| {
                    c.todo.iter().map(|left| left.part(forms)).collect()
                }),
                Ok(Applied::Changed) => forms.fired_on(rule.name, before, |forms| c.side(forms)),
            }
            match applied? {
                Applied::Not => {}
                Applied::Changed => rules = CONSTRAIN.iter(),
                Applied::Done => {
                    todo.append(&mut c.todo);
                    return Ok(());
                }
            }
        }
        let new = c.canonical(forms);
        self.range_of.insert(new.lin, self.ranges.len());
        self.ranges.push(new);
        Ok(())
    }

    pub(crate) fn constant(&mut self, _: &mut Forms, c: &mut Pending) -> Outcome<Applied> {
        if !c.terms.is_empty() {
            return Ok(Applied::Not);
        }
        let k = c.k as i128;
        if c.lower <= k && k <= c.upper {
            Ok(Applied::Done)
        } else {
            Err(Empty)
        }
    }

    pub(crate) fn excluded(&mut self, forms: &mut Forms, c: &mut Pending) -> Outcome<Applied> {
        c.look_at_ends(forms);
        let (least, greatest) = c.ends;
        if greatest.is_some_and(|v| v < c.lower) || least.is_some_and(|v| v > c.upper) {
            return Err(Empty);
        }
        Ok(Applied::Not)
    }

    /// An end that no value reaches moves to where they end.
    pub(crate) fn implied(&mut self, _: &mut Forms, c: &mut Pending) -> Outcome<Applied> {
        let (least, greatest) = c.ends;
        c.low_free = least.is_some_and(|v| v >= c.lower);
        c.high_free = greatest.is_some_and(|v| v <= c.upper);
        if c.low_free && c.high_free {
            return Ok(Applied::Done);
        }
        c.lower = least.filter(|_| c.low_free).unwrap_or(c.lower);
        c.upper = greatest.filter(|_| c.high_free).unwrap_or(c.upper);
        Ok(Applied::Not)
    }

    /// The first coefficient is positive then.
    pub(crate) fn factor(&mut self, _: &mut Forms, c: &mut Pending) -> Outcome<Applied> {
        let mut g = c.terms.iter().fold(0, |g, t| gcd(g, t.coef));
        if c.terms[0].coef < 0 {
            g = -g;
        }
        if g == 1 && c.k == 0 {
            return Ok(Applied::Not);
        }
        for t in &mut c.terms {
            t.coef /= g;
        }
        let (g, k) = (g as i128, c.k as i128);
        let up = |v: i128| ceil_div((v - k) * g.signum(), g.abs());
        let down = |v: i128| floor_div((v - k) * g.signum(), g.abs());
        if g < 0 {
            std::mem::swap(&mut c.lower, &mut c.upper);
            std::mem::swap(&mut c.low_free, &mut c.high_free);
            c.ends = (c.ends.1, c.ends.0);
        }
        (c.lower, c.upper) = (up(c.lower), down(c.upper));
        c.ends = (c.ends.0.map(up), c.ends.1.map(down));
        c.k = 0;
        if c.lower > c.upper {
            return Err(Empty);
        }
        Ok(Applied::Changed)
    }

    pub(crate) fn of_variable(&mut self, forms: &mut Forms, c: &mut Pending) -> Outcome<Applied> {
        let Some(i) = forms.as_variable(&c.terms) else {
            return Ok(Applied::Not);
        };
        self.known[i].intersect(c.lower, c.upper)?;
        Ok(Applied::Done)
    }

    pub(crate) fn quotient(&mut self, forms: &mut Forms, c: &mut Pending) -> Outcome<Applied> {
        let found = match c.single(forms) {
            Some(AtomKind::Digit {
                lin,
                a,
                b: UNBOUNDED,
            }) => {
                let a = a as i128;
                let upper = c.upper.saturating_mul(a).saturating_add(a - 1);
                Some(RangeOf::new(lin, c.lower.saturating_mul(a), upper))
            }
            Some(_) => None,
            None => unit_digit(forms, &c.terms, c.lower, c.upper),
        };
        Ok(c.follow(found))
    }

    pub(crate) fn remainder(&mut self, forms: &mut Forms, c: &mut Pending) -> Outcome<Applied> {
        let Some(AtomKind::Digit { lin, a, b: b @ 1.. }) = c.single(forms) else {
            return Ok(Applied::Not);
        };
        let (l, u) = (c.lower.max(0), c.upper.min((b / a) as i128 - 1));
        if l > u {
            return Err(Empty);
        }
        let a = a as i128;
        let (lower, extra) = ((l * a) as i64, ((u - l) * a + a - 1) as i64);
        self.add_window(forms, Window::new(lin, b, lower, extra))?;
        Ok(Applied::Done)
    }

    /// The other end is the form's own.
    pub(crate) fn extremum(&mut self, forms: &mut Forms, c: &mut Pending) -> Outcome<Applied> {
        let Some(AtomKind::Opaque { op, x, y }) = c.single(forms) else {
            return Ok(Applied::Not);
        };
        let part = |lin: LinId| {
            let bounds = forms.lin(lin).bounds;
            let (own, lower, upper) = match op {
                Op::Min => (bounds.upper, c.lower, bounds.upper as i128),
                _ => (bounds.lower, bounds.lower as i128, c.upper),
            };
            finite(own).then_some(RangeOf { lin, lower, upper })
        };
        match (op, part(x), part(y)) {
            (Op::Min, Some(x), Some(y)) if c.high_free => Ok(c.follow([x, y])),
            (Op::Max, Some(x), Some(y)) if c.low_free => Ok(c.follow([x, y])),
            _ => Ok(Applied::Not),
        }
    }

    pub(crate) fn pinned(&mut self, forms: &mut Forms, c: &mut Pending) -> Outcome<Applied> {
        if c.single(forms).is_some() {
            return Ok(Applied::Not);
        }
        let splits = Splits::from_terms(forms, &c.terms);
        let found = splits.pinned(forms, &c.terms, (c.lower, c.upper));
        c.splits = Some(splits);
        Ok(c.follow(found.into_iter().flatten()))
    }

    pub(crate) fn decomposed(&mut self, forms: &mut Forms, c: &mut Pending) -> Outcome<Applied> {
        let Some(mut splits) = c.splits.take() else {
            return Ok(Applied::Not);
        };
        let (lower, upper) = ((c.lower, c.low_free), (c.upper, c.high_free));
        let found = splits.decompose(forms, &c.terms, lower, upper);
        Ok(c.follow(found))
    }

    pub(crate) fn merged(&mut self, forms: &mut Forms, c: &mut Pending) -> Outcome<Applied> {
        let new = c.canonical(forms);
        let Some(&at) = self.range_of.get(&new.lin) else {
            return Ok(Applied::Not);
        };
        let r = &mut self.ranges[at];
        r.lower = r.lower.max(new.lower);
        r.upper = r.upper.min(new.upper);
        if r.lower > r.upper {
            return Err(Empty);
        }
        Ok(Applied::Done)
    }
}

/// A constraint while the rules are applied to it: `terms + k` in an interval.
pub(crate) struct Pending {
    given: RangeOf,
    terms: Terms,
    k: i64,
    lower: i128,
    upper: i128,
    /// The least and the greatest value of the form, where they are known.
    ends: (Option<i128>, Option<i128>),
    looked: bool,
    /// No value of the form is below or above the interval.
    low_free: bool,
    high_free: bool,
    splits: Option<Splits>,
    /// Constraints on parts of the form that say the same.
    todo: SmallVec<[RangeOf; 4]>,
}

/// Outcome of a rule for a constraint.
pub(crate) enum Applied {
    Not,
    /// The rules start again.
    Changed,
    /// The constraint is gone, but for those in `todo`.
    Done,
}

impl Pending {
    fn new(forms: &Forms, given: RangeOf) -> Self {
        let RangeOf { lin, lower, upper } = given;
        Pending {
            given,
            terms: Terms::from_slice(forms.terms(lin)),
            k: forms.lin(lin).k,
            lower,
            upper,
            ends: (None, None),
            looked: false,
            low_free: false,
            high_free: false,
            splits: None,
            todo: SmallVec::new(),
        }
    }

    /// The least and the greatest value. Digits of one number do not reach their ends together.
    fn look_at_ends(&mut self, forms: &Forms) {
        if !self.looked {
            self.looked = true;
            let bounds = forms.lin(self.given.lin).bounds;
            let end = |v: i64| finite(v).then_some(v as i128);
            self.ends = (end(bounds.lower), end(bounds.upper));
            if let (Some(least), Some(greatest)) = self.ends
                && (least < self.lower || greatest > self.upper)
                && let Some((l, g)) = forms.ends_of_numerals(self.given.lin)
            {
                self.ends = (Some(least.max(l)), Some(greatest.min(g)));
            }
        }
        if self.k == 0 && (self.ends.0.is_none() || self.ends.1.is_none()) {
            // Without its constant and its factor the form may have ends that fit where they did
            // not before.
            let (least, greatest) = forms.ends_of_terms(&self.terms, 0);
            self.ends = (self.ends.0.or(least), self.ends.1.or(greatest));
        }
    }

    /// The atom that is the form.
    fn single(&self, forms: &Forms) -> Option<AtomKind> {
        match self.terms[..] {
            [Term { atom, coef: 1 }] => Some(forms.atom(atom).kind),
            _ => None,
        }
    }

    /// Goes on with what a constraint says of parts of its form, if all ends can be written.
    fn follow(&mut self, parts: impl IntoIterator<Item = RangeOf>) -> Applied {
        self.todo.extend(parts);
        if self.todo.is_empty() {
            return Applied::Not;
        }
        if !self.todo.iter().all(RangeOf::fits) {
            self.todo.clear();
            return Applied::Not;
        }
        Applied::Done
    }

    /// The constraint as a side of a step.
    fn side(&self, forms: &Forms) -> Side {
        forms.side_of_constraint(&self.terms, self.k, (self.lower, self.upper))
    }

    /// The constraint as it is written. Where the ends do not fit, those of the negation may; else
    /// the constant stays inside, with a first coefficient that is positive.
    fn canonical(&self, forms: &mut Forms) -> RangeOf {
        let whole = RangeOf::new(forms.intern(&self.terms, 0), self.lower, self.upper);
        if whole.fits() {
            return whole;
        }
        whole.negated(forms).unwrap_or_else(|| {
            let c = self.given;
            if forms.terms(c.lin)[0].coef < 0 {
                c.negated(forms).unwrap_or(c)
            } else {
                c
            }
        })
    }
}
