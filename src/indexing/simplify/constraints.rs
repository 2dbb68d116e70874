//! Constraints: from `expr in [lower, upper]` to bounds and congruences of variables, and what cannot become one.
//!
//! Two kinds are left in the end, each on a form without a constant whose first coefficient is positive:
//! *ranges* `L in [lower, upper]` and *windows* `L mod m in [lower, lower + extra]` (which may wrap around).

use super::decompose::{Splits, unit_digit};
use super::known::{Empty, Known, Outcome, representable};
use super::linear::{AtomKind, Forms, INF, LinId, Terms, finite};
use super::window::Window;
use crate::expr::Op;
use crate::interval::{ceil_div, floor_div};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// `lin in [lower, upper]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RangeOf {
    pub(crate) lin: LinId,
    pub(crate) lower: i128,
    pub(crate) upper: i128,
}

/// The constraints of one round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constraints {
    pub(crate) known: Vec<Known>,
    pub(crate) ranges: Vec<RangeOf>,
    pub(crate) windows: Vec<Window>,
    /// Windows move the bounds of their variables. Two of them, or one and a congruence, could go on with that for long.
    pub(crate) creeping: bool,
    /// Where the range of a form is, for the first `indexed` ranges, once there are many.
    range_of: FxHashMap<LinId, usize>,
    indexed: usize,
}

/// Whether the ends can be written.
fn fits(c: &RangeOf) -> bool {
    representable(c.lower) && representable(c.upper)
}

/// Goes on with what a constraint says of parts of its form, if all ends can be written.
fn follow<const N: usize>(todo: &mut SmallVec<[RangeOf; 4]>, parts: [RangeOf; N]) -> bool {
    let all = parts.iter().all(fits);
    if all {
        todo.extend(parts);
    }
    all
}

/// `x in [l, u] -> -x in [-u, -l]`, if that can be written.
fn negated(forms: &mut Forms, c: &RangeOf) -> Option<RangeOf> {
    let (lower, upper) = (-c.upper, -c.lower);
    if !representable(lower) || !representable(upper) {
        return None;
    }
    let lin = forms.scaled(c.lin, -1, 0)?;
    Some(RangeOf { lin, lower, upper })
}

impl Constraints {
    /// Forgets the constraints of a round.
    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
        self.windows.clear();
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
        let (mut least, mut greatest) = (form.bounds.lower as i128, form.bounds.upper as i128);
        if low_known
            && high_known
            && (least < lower || greatest > upper)
            && let Some((l, g)) = forms.ends_of_numerals(lin)
        {
            (least, greatest) = (least.max(l), greatest.min(g));
        }
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
                    let (lower, upper) = (l, u);
                    if follow(todo, [RangeOf { lin, lower, upper }]) {
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
                    let of = |lin: LinId| RangeOf {
                        lin,
                        lower,
                        upper: forms.lin(lin).bounds.upper as i128,
                    };
                    if follow(todo, [of(x), of(y)]) {
                        return Ok(());
                    }
                }
                AtomKind::Opaque { op: Op::Max, x, y }
                    if low_free && [x, y].iter().all(|l| finite(forms.lin(*l).bounds.lower)) =>
                {
                    forms.fired("min-max-out-of-constraint");
                    let of = |lin: LinId| RangeOf {
                        lin,
                        lower: forms.lin(lin).bounds.lower as i128,
                        upper,
                    };
                    if follow(todo, [of(x), of(y)]) {
                        return Ok(());
                    }
                }
                AtomKind::Opaque { .. } => {}
            }
        } else if let Some(next) = unit_digit(forms, &terms, lower, upper)
            && follow(todo, [next])
        {
            forms.fired("floordiv-out-of-constraint");
            return Ok(());
        } else {
            let mut splits = Splits::of(forms, &terms);
            if let Some(found) = splits.pinned(&terms, lower, upper)
                && follow(todo, forms.pinned(&found, (lower, upper)))
            {
                forms.fired("sum-constraint-pins-high-part");
                return Ok(());
            }
            let found = splits.decompose(&terms, (lower, low_free), (upper, high_free));
            if let Some(next) = found.and_then(|found| forms.decomposed(found))
                && follow(todo, [next])
            {
                forms.fired("sum-constraint-decomposed");
                return Ok(());
            }
        }
        // Where the ends do not fit, those of the negation may; else the constant stays inside, with a first coefficient that is positive.
        let lin = forms.intern(&terms, 0);
        let whole = RangeOf { lin, lower, upper };
        let new = if fits(&whole) {
            whole
        } else if let Some(negated) = negated(forms, &whole) {
            negated
        } else if forms.terms(c.lin)[0].coef < 0 {
            negated(forms, &c).unwrap_or(c)
        } else {
            c
        };
        self.add_range(forms, new)
    }

    /// Adds a range on a form as it stands. Its ends fit: where it is written they would be cut off.
    pub(super) fn add_range(&mut self, forms: &mut Forms, new: RangeOf) -> Outcome {
        debug_assert!(fits(&new), "ends beyond 64 bits");
        let Some(at) = self.find_range(new.lin) else {
            self.ranges.push(new);
            return Ok(());
        };
        let r = &mut self.ranges[at];
        forms.fired("constraints-on-one-form-merged");
        r.lower = r.lower.max(new.lower);
        r.upper = r.upper.min(new.upper);
        if r.lower > r.upper {
            Err(Empty)
        } else {
            Ok(())
        }
    }
}
