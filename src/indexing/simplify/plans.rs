//! How the digits of a sum are written: side by side or joined, as themselves or as complements,
//! with which constant inside.

use super::emit::Key;
use super::linear::{AtomId, AtomKind, Forms, LinId, Term, UNBOUNDED};
use crate::expr::Op;
use crate::interval::Interval;
use crate::linear::gcd;
use crate::linear::number::nearest;
use smallvec::SmallVec;
use std::cmp::Reverse;

/// Form in which one term of a sum is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) atom: AtomId,
    pub(super) coef: i64,
    /// For a digit: the form, its ends, whether its complement is written, and the constant inside.
    pub(super) digit: Option<(LinId, i64, i64)>,
    pub(super) flip: bool,
    pub(super) inner: i64,
    /// A factor that moves into a remainder: `c * (x mod m) -> (c * x) mod (c * m)`.
    pub(super) factor: i64,
}

impl Plan {
    /// An atom as it is, this many times.
    pub(super) fn from_atom(forms: &Forms, atom: AtomId, coef: i64) -> Self {
        let (digit, inner) = match forms.atom(atom).kind {
            AtomKind::Digit { lin, a, b } => (Some((lin, a, b)), forms.lin(lin).k),
            _ => (None, 0),
        };
        Plan {
            atom,
            coef,
            digit,
            flip: false,
            inner,
            factor: 1,
        }
    }

    /// Returns the parts of which a digit is written: the sum inside, the operation that divides it
    /// by `a`, and the modulus of the quotient.
    pub(super) fn written(&self, forms: &Forms, lin: LinId, a: i64, b: i64) -> (Key, Op, i64) {
        let mut k = self.inner;
        let b = b * self.factor;
        if b != UNBOUNDED {
            k = k.rem_euclid(b);
            // Near zero reads best, but a form without positive terms needs a positive constant.
            let is_positive = |t: &Term| (t.coef > 0) != self.flip || t.coef.abs() > 1;
            let positive = forms.terms(lin).iter().any(is_positive);
            if k > b / 2 && positive && !(a > 1 && k == a - 1) {
                k -= b;
            }
        }
        let (op, k) = if a > 1 && k == a - 1 {
            (Op::CeilDiv, 0)
        } else {
            (Op::FloorDiv, k)
        };
        let scale = if self.flip { -self.factor } else { self.factor };
        ((lin, scale, k, b), op, b / a)
    }
}

/// Whether the factor c of a digit moves inside: where no term of the form becomes a product by it,
/// it is free there.
fn takes_factor(forms: &Forms, lin: LinId, (a, b): (i64, i64), c: u64) -> bool {
    let large = |c: u64| c > 1 << 31;
    a == 1
        && b != UNBOUNDED
        && c > 1
        && !large(c)
        && !large(b.unsigned_abs())
        && forms.terms(lin).iter().all(|t| {
            let own = t.coef.unsigned_abs();
            own != 1 && !large(own)
        })
}

/// True if the negation of a form starts with a minus that is an operation of its own.
fn all_positive(forms: &Forms, lin: LinId) -> bool {
    forms.terms(lin).iter().all(|t| t.coef == 1)
}

/// Operations of `coef * x` beyond those of x.
pub(super) fn factor(coef: i64) -> i32 {
    i32::from(coef.unsigned_abs() > 1)
}

/// Operations of a digit beyond those of its form.
pub(super) fn places(a: i64, b: i64) -> i32 {
    i32::from(a > 1) + i32::from(b != UNBOUNDED)
}

/// Two terms `c * (L, a, m) + c' * (L, m, b)` as `up * (L, a, b)` and so many of one of the two.
struct Pair {
    /// Operations more than now.
    more: i32,
    low: usize,
    high: usize,
    up: i64,
    /// The one that stays, and how many times.
    stays: usize,
    left: i64,
}

/// The pair that saves most, if one saves any.
fn best_pair(forms: &Forms, plans: &[Plan], modulus: i64) -> Option<Pair> {
    let mut best: Option<Pair> = None;
    for (i, low) in plans.iter().enumerate() {
        for (j, high) in plans.iter().enumerate() {
            let (Some((lin, a, m)), Some((lin2, m2, b))) = (low.digit, high.digit) else {
                continue;
            };
            if i == j || lin != lin2 || m != m2 || m == UNBOUNDED {
                continue;
            }
            let n = m / a;
            let terms = forms.terms(lin);
            // The joined digit must be one that stays: no factor can be taken out of it.
            if b != UNBOUNDED && gcd(forms.content(lin), b) > 1 {
                continue;
            }
            // What the form itself costs, as far as it matters: whether it can be left out.
            let whole = a == 1 && b == UNBOUNDED;
            let is_atom = matches!(terms, [t] if t.coef == 1);
            if whole && (!is_atom || plans.iter().any(|p| p.atom == terms[0].atom)) {
                continue;
            }
            let form = i32::from(forms.lin(lin).k != 0);
            let joined = if whole { 0 } else { places(a, b) + form };
            let term = |coef: i64, digit: i32| factor(coef) + digit + form;
            let now = term(low.coef, places(a, m)) + term(high.coef, places(m, b)) + 1;
            let below = low.coef.checked_mul(n);
            let above = (high.coef % n == 0).then_some(high.coef / n);
            let ways = [
                below.and_then(|v| Some((low.coef, j, high.coef.checked_sub(v)?, places(m, b)))),
                above.and_then(|up| Some((up, i, low.coef.checked_sub(up)?, places(a, m)))),
            ];
            for (up, stays, left, digit) in ways.into_iter().flatten() {
                let left = nearest(left, modulus);
                let rest = if left == 0 { 0 } else { term(left, digit) + 1 };
                let more = factor(up) + joined + rest - now;
                if more < best.as_ref().map_or(0, |b| b.more) {
                    let (low, high) = (i, j);
                    best = Some(Pair {
                        more,
                        low,
                        high,
                        up,
                        stays,
                        left,
                    });
                }
            }
        }
    }
    best
}

/// Writes `c * (L, a, m) + c' * (L, m, b)` with `(L, a, b)` and one of the two where that is
/// shorter; the whole digit `(x + k, 1, UNBOUNDED)` is `x` with a constant that goes to `outer`.
pub(super) fn pair_up(
    forms: &Forms,
    plans: &mut SmallVec<[Plan; 6]>,
    outer: &mut i64,
    modulus: i64,
) {
    while let Some(pair) = best_pair(forms, plans, modulus) {
        let (low, high, rest) = (plans[pair.low], plans[pair.high], plans[pair.stays]);
        let (Some((lin, a, _)), Some((_, _, b))) = (low.digit, high.digit) else {
            return;
        };
        let mut joined = Plan {
            coef: pair.up,
            digit: Some((lin, a, b)),
            ..low
        };
        if a == 1 && b == UNBOUNDED {
            let moved = pair.up.checked_mul(forms.lin(lin).k);
            let Some(moved) = moved.and_then(|v| v.checked_add(*outer)) else {
                return;
            };
            *outer = moved;
            joined = Plan::from_atom(forms, forms.terms(lin)[0].atom, pair.up);
        }
        let (first, second) = (pair.low.min(pair.high), pair.low.max(pair.high));
        plans[first] = joined;
        plans[second] = Plan {
            coef: pair.left,
            ..rest
        };
        if pair.left == 0 {
            plans.remove(second);
        }
    }
}

/// Decides how the digits of a sum are written; `outer` is the constant of the sum, which is no
/// operation where it is `free`.
pub(super) fn choose(forms: &Forms, plans: &mut [Plan], outer: &mut i64, free: bool) {
    let nonzero = |v: i64| i32::from(v != 0);
    // What is left of the constant goes into a quotient; large digits come first, whatever the
    // order of the terms.
    let mut turns: SmallVec<[_; 8]> = SmallVec::new();
    for (i, p) in plans.iter().enumerate() {
        // A quotient without a constant, or rounded up, takes none.
        if let Some((_, a, b)) = p.digit
            && (b != UNBOUNDED || (p.inner != 0 && p.inner != a - 1))
        {
            turns.push((b == UNBOUNDED, Reverse(p.coef.unsigned_abs()), a, b, i));
        }
    }
    let mut positive = plans.iter().filter(|p| p.coef > 0).count();
    turns.sort_unstable();
    for (_, _, _, _, i) in turns {
        let p = plans[i];
        let Some((lin, a, b)) = p.digit else { continue };
        if b == UNBOUNDED {
            if *outer != 0 && outer.checked_rem(p.coef) == Some(0) {
                let moved = (outer.checked_div(p.coef)).and_then(|v| v.checked_mul(a));
                if let Some(inner) = moved.and_then(|v| v.checked_add(p.inner)) {
                    plans[i].inner = inner;
                    *outer = 0;
                }
            }
            continue;
        }
        if p.coef == i64::MIN {
            // Its complement would not fit.
            continue;
        }
        positive -= usize::from(p.coef > 0);
        let others = positive > 0;
        let n = b / a;
        let moves_in = takes_factor(forms, lin, (a, b), p.coef.unsigned_abs());
        let cost = |flip: bool, inner: i64, coef: i64, outer: i64| {
            let rounded_up = a > 1 && inner == a - 1;
            let inside = if rounded_up { 0 } else { nonzero(inner) };
            let starts_negative = flip && all_positive(forms, lin) && inside == 0;
            let outside = !others && coef == -1 && outer <= 0;
            // With a factor a constant below it moves inside, too.
            let joins = moves_in && inside != 0 && 0 < outer && outer < coef;
            let outer = i32::from(outer != 0 && !joins && !free);
            outer + inside + i32::from(starts_negative) + i32::from(outside)
        };
        let mut best = (i32::MAX, false, p.inner, p.coef, *outer);
        let mut offer = |flip: bool, inner: i64, coef: i64, constant: Option<i64>| {
            let constant = constant.and_then(|v| v.checked_add(*outer));
            if let Some(constant) = constant {
                let new = cost(flip, inner, coef, constant);
                if new < best.0 {
                    best = (new, flip, inner, coef, constant);
                }
            }
        };
        let complement = b - 1 - p.inner;
        offer(false, p.inner, p.coef, Some(0));
        offer(true, complement, -p.coef, p.coef.checked_mul(n - 1));
        if n == 2 {
            // (x, a, 2a) = 1 - (x + a, a, 2a), of itself and of the complement.
            let next = |k: i64| if k < a { k + a } else { k - a };
            offer(false, next(p.inner), -p.coef, Some(p.coef));
            offer(true, next(complement), p.coef, Some(0));
        }
        let p = &mut plans[i];
        (_, p.flip, p.inner, p.coef, *outer) = best;
        positive += usize::from(p.coef > 0);
    }
    for p in plans.iter_mut() {
        let Some((lin, 1, b)) = p.digit else { continue };
        let c = p.coef.unsigned_abs();
        if !takes_factor(forms, lin, (1, b), c) {
            continue;
        }
        let c = c as i64;
        p.factor = c;
        p.inner *= c;
        p.coef = p.coef.signum();
        if p.coef > 0 && *outer > 0 && *outer < c {
            p.inner += *outer;
            *outer = 0;
        }
    }
    // A sum without a positive part starts with a minus, which a quotient can swallow: -(x floordiv
    // a) = (-x + a - 1) floordiv a.
    if *outer <= 0
        && plans.iter().all(|p| p.coef < 0)
        && let Some((i, inner)) = swallows_minus(forms, plans, *outer)
    {
        let p = &mut plans[i];
        (p.flip, p.coef, p.inner, *outer) = (true, 1, inner, 0);
    }
}

/// The quotient that is written negated, with the constant inside, so that a sum starts without a
/// minus: where that takes fewest operations, then by what the quotients are, whatever their order.
fn swallows_minus(forms: &Forms, plans: &[Plan], outer: i64) -> Option<(usize, i64)> {
    let mut best: Option<(_, usize, i64)> = None;
    for (i, p) in plans.iter().enumerate() {
        let Some((lin, a, UNBOUNDED)) = p.digit else {
            continue;
        };
        if p.coef != -1 {
            continue;
        }
        let moved = outer.checked_mul(a).and_then(|v| v.checked_add(a - 1));
        let Some(inner) = moved.and_then(|v| v.checked_sub(p.inner)) else {
            continue;
        };
        let positive = all_positive(forms, lin);
        if inner <= 0 && positive {
            continue;
        }
        // Beside a quotient a constant is an operation, unless it is rounded up.
        let constant = |k: i64| i32::from(k != 0 && k != a - 1);
        let minus = i32::from(positive && constant(inner) == 0);
        let operations = constant(inner) + minus - constant(p.inner);
        let atom = forms.atom(p.atom);
        let Interval { lower, upper } = atom.bounds;
        let look = (
            atom.size,
            atom.depth,
            upper.wrapping_sub(lower) as u64,
            lower,
        );
        let key = (operations, a, p.inner, look);
        if best.as_ref().is_none_or(|b| key < b.0) {
            best = Some((key, i, inner));
        }
    }
    best.map(|(_, i, inner)| (i, inner))
}
