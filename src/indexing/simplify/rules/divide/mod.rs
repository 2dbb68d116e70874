//! Division and remainder: the normal form of a digit `(L, a, b) = (L floordiv a) mod (b / a)`.
//!
//! One loop strips the form `L`, scales and splits the digit until nothing applies; what is left
//! becomes an atom. The invariant is `value = out + scale * (terms + k, a, b)` with `a >= 1` and
//! `a | b` (or `b = UNBOUNDED`).

mod nested;
mod periods;
mod places;

use crate::expr::{Expr, Op, c};
use crate::interval::Interval;
use crate::linear::gcd;
use crate::linear::number::remainder;
use crate::simplify::explain::digit_of;
use crate::simplify::linear::{AtomId, AtomKind, Forms, LinId, Sum, Term, Terms, UNBOUNDED};
use crate::simplify::operations::LONG;
use crate::simplify::rules::{Apply, DIVIDE};
use crate::simplify::steps::Side;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Nested calls after which a digit is left as it is.
pub(crate) const MAX_DEPTH: u32 = 48;
/// Rewrites of one digit after which it is left as it is.
const MAX_STEPS: u32 = 64;

/// The state of the loop.
pub(crate) struct Digit {
    pub(crate) out: Sum,
    pub(crate) scale: i64,
    pub(crate) terms: Terms,
    pub(crate) k: i64,
    pub(crate) a: i64,
    pub(crate) b: i64,
    /// No rule applies any more.
    pub(crate) settled: bool,
    /// The ends of `terms + k` for this `k`, if they are known and no term was touched yet.
    pub(crate) ends: Option<(i64, Interval)>,
}

/// Outcome of a rule for a digit.
pub(crate) enum Step {
    /// It does not apply.
    Same,
    /// It changed the digit: start again.
    Changed,
    /// The value is `out + scale * (terms + k)`, or nothing is left.
    Done,
}

use Step::{Changed, Done, Same};

/// The sign with which a form is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sign {
    pub(crate) positive: bool,
    /// Something else than the order of the variables tells the form from its negation. (Where
    /// nothing does, the first term decides.)
    pub(crate) decided: bool,
}

impl Digit {
    #[inline(always)]
    fn new(forms: &Forms, lin: LinId, a: i64, b: i64) -> Self {
        let l = forms.lin(lin);
        Digit {
            out: Sum::default(),
            scale: 1,
            terms: Terms::from_slice(forms.terms(lin)),
            k: l.k,
            a,
            b,
            settled: false,
            // What the form was found to be holds as long as nothing was learnt since.
            ends: forms.nothing_assumed().then_some((l.k, l.bounds)),
        }
    }

    /// The value as a side of a step; `done`: nothing is left of the digit but its terms.
    fn side(&self, forms: &Forms, done: bool) -> Side {
        let mut expr = forms.written(&self.terms, self.k)?;
        if !done {
            expr = digit_of(expr, self.a, self.b);
        }
        let out = forms.written(&self.out.terms, self.out.k)?;
        let expr = Expr::binary(Op::Mul, expr, c(self.scale));
        Some(vec![(Expr::binary(Op::Add, out, expr), None)])
    }

    /// Goes on with a form in place of the terms and the constant.
    pub(crate) fn set(&mut self, forms: &Forms, lin: LinId) {
        self.terms = Terms::from_slice(forms.terms(lin));
        self.k = forms.lin(lin).k;
    }

    /// Ends with the value that was taken out of the digit: the rest is zero.
    pub(crate) fn taken_out(&mut self) -> Option<Step> {
        self.terms.clear();
        self.k = 0;
        Some(Done)
    }

    /// The terms and the constant, out of the digit.
    pub(crate) fn take_sum(&mut self) -> Sum {
        Sum::new(std::mem::take(&mut self.terms), self.k)
    }

    /// The modulus that decides which multiples matter.
    pub(crate) fn modulus(&self) -> i64 {
        if self.b == UNBOUNDED { self.a } else { self.b }
    }

    /// `(g * L + k, g * a, g * b) -> (L + k floordiv g, a, b)` where `g | terms`.
    pub(crate) fn divide(&mut self, g: i64) {
        for t in &mut self.terms {
            t.coef /= g;
        }
        self.k = self.k.div_euclid(g);
        self.a /= g;
        self.b /= g;
    }

    /// The digit of the constant, where nothing else is left.
    fn of_constant(&mut self) -> Step {
        if self.b != UNBOUNDED {
            self.k = self.k.rem_euclid(self.b);
        }
        self.k = self.k.div_euclid(self.a);
        Done
    }

    /// A multiple of the divisor leaves a quotient, and one of the modulus a remainder.
    fn reduce_constant(&mut self) -> Option<()> {
        let m = self.modulus();
        if self.k < 0 || self.k >= m {
            if self.b == UNBOUNDED {
                self.add_constant(self.k.div_euclid(m))?;
            }
            // k - q * m, without the product, which may leave 64 bits.
            self.k = self.k.rem_euclid(m);
        }
        Some(())
    }

    pub(crate) fn add_constant(&mut self, v: i64) -> Option<()> {
        self.out.k = self.out.k.checked_add(self.scale.checked_mul(v)?)?;
        Some(())
    }
}

impl Forms {
    /// The normal form of `(lin, a, b)`; `None` if a number would not fit.
    pub(crate) fn digit(&mut self, lin: LinId, a: i64, b: i64) -> Option<LinId> {
        if b == UNBOUNDED && a == 1 {
            return Some(lin);
        }
        if a == b {
            return Some(self.constant(0));
        }
        if let Some(known) = self.digits.get(&(lin, a, b)).copied() {
            return Some(known);
        }
        self.open_digits.push((lin, a, b));
        let normal = self.new_digit(lin, a, b);
        self.open_digits.pop();
        let normal = normal?;
        // What falls into variables does so at once: to find it here would take as long.
        if self.depth < MAX_DEPTH && self.budget > 0 && self.has_digits(normal) {
            self.digits.insert((lin, a, b), normal);
        }
        Some(normal)
    }

    pub(crate) fn new_digit(&mut self, lin: LinId, a: i64, b: i64) -> Option<LinId> {
        let n = self.terms(lin).len();
        if !self.admits_sum(n) {
            return Some(self.digit_atom(lin, a, b));
        }
        let mut digit = Digit::new(self, lin, a, b);
        // Of a long form nothing is in the nearest memory.
        let units = if n > LONG { n * 4 } else { n };
        if self.depth < MAX_DEPTH && self.work(units) {
            self.depth += 1;
            let done = self.reduce(&mut digit);
            self.depth -= 1;
            if done? {
                return self.finish(&mut digit.out);
            }
        } else {
            self.cache_unsafe = true;
        }
        let d = &mut digit;
        let form = self.intern(&d.terms, d.k);
        let r = self.digit_atom(form, d.a, d.b);
        if d.settled && form != lin {
            // No rule applies to what is left: reading it gives it again.
            self.digits.insert((form, d.a, d.b), r);
        }
        if d.out.terms.is_empty() && d.out.k == 0 && d.scale == 1 {
            return Some(r);
        }
        self.accumulate(&mut d.out, r, d.scale)?;
        self.finish(&mut d.out)
    }

    /// The digit as an atom.
    pub(crate) fn digit_atom(&mut self, lin: LinId, a: i64, b: i64) -> LinId {
        let bounds = match (b, self.window_facts.get(&(lin, b))) {
            (UNBOUNDED, _) => self.lin(lin).bounds.floor_div_constant(a),
            (_, Some(window)) => window.floor_div_constant(a),
            _ => Interval::new(0, b / a - 1),
        };
        let (stride, offset) = if a == 1 && b != UNBOUNDED {
            self.congruence(self.terms(lin), self.lin(lin).k, b)
        } else {
            (1, 0)
        };
        let atom = self.intern_atom(AtomKind::Digit { lin, a, b }, bounds, stride, offset);
        self.atom_form(atom)
    }

    /// `(g, r)` with `terms + k = r` modulo `g`, `g | m`.
    pub(crate) fn congruence(&self, terms: &[Term], k: i64, m: i64) -> (i64, i64) {
        // Mostly so, and a division takes its time.
        let one = |t: &Term| t.coef.unsigned_abs() == 1 && self.atom(t.atom).stride == 1;
        if terms.len() <= LONG && terms.iter().any(one) {
            return (1, 0);
        }
        let mut g = m;
        for t in terms {
            let step = t.coef as i128 * self.atom(t.atom).stride as i128;
            g = gcd(g, remainder(step, g) as i64);
            if g == 1 {
                return (1, 0);
            }
        }
        let add = |r: i128, t: &Term| {
            let product = t.coef as i128 * self.atom(t.atom).offset as i128;
            remainder(r + product, g)
        };
        (g, terms.iter().fold(remainder(k as i128, g), add) as i64)
    }

    pub(crate) fn is_digit_of(&self, atom: AtomId, form: LinId) -> bool {
        matches!(self.atom(atom).kind, AtomKind::Digit { lin, .. } if lin == form)
    }

    /// True if another digit of the form than this one is among the terms.
    pub(crate) fn is_beside(&self, terms: &[Term], digit: AtomId, form: LinId) -> bool {
        let beside = |u: &Term| u.atom != digit && self.is_digit_of(u.atom, form);
        terms.iter().any(beside)
    }

    /// Counts the digits of each form among the terms.
    pub(crate) fn count_digits(&self, terms: &[Term]) -> FxHashMap<LinId, usize> {
        let mut counted = FxHashMap::default();
        for t in terms {
            if let AtomKind::Digit { lin, .. } = self.atom(t.atom).kind {
                *counted.entry(lin).or_default() += 1;
            }
        }
        counted
    }

    /// Applies the first rule that does something.
    #[inline(always)]
    fn apply_one(&mut self, digit: &mut Digit) -> Option<Step> {
        let before = self.side(|forms| digit.side(forms, false));
        for rule in DIVIDE {
            let apply = match rule.apply {
                Apply::Quotient(apply) if digit.b == UNBOUNDED => apply,
                Apply::Remainder(apply) if digit.b != UNBOUNDED => apply,
                Apply::Digits(apply) => apply,
                _ => continue,
            };
            let step = apply(self, digit)?;
            if !matches!(step, Same) {
                let done = matches!(step, Done);
                self.fired_on(rule.name, before, |forms| digit.side(forms, done));
                return Some(step);
            }
        }
        Some(Same)
    }

    /// Applies the rules until none does. True if nothing is left of the digit: the value is `out`.
    pub(crate) fn reduce(&mut self, digit: &mut Digit) -> Option<bool> {
        for _ in 0..MAX_STEPS {
            digit.reduce_constant()?;
            let step = if digit.terms.is_empty() {
                digit.of_constant()
            } else {
                self.apply_one(digit)?
            };
            if matches!(step, Done) || (digit.a == 1 && digit.b == UNBOUNDED) {
                for t in &digit.terms {
                    digit.out.terms.push(t.times(digit.scale)?);
                }
                digit.add_constant(digit.k)?;
                return Some(true);
            }
            if matches!(step, Same) {
                digit.settled = true;
                break;
            }
            if !self.work(digit.terms.len()) {
                break;
            }
        }
        Some(false)
    }

    /// The greatest coefficient is positive, whatever the order of the terms. (Half the modulus is
    /// its own negation and decides nothing.)
    pub(crate) fn sign(&mut self, d: &mut Digit) -> Option<Step> {
        // The constant of the negation.
        let other = d.modulus() - 1 - d.k;
        let sign = self.sign_of(&d.terms, d.b);
        let own = sign.filter(|sign| sign.decided || d.k == other);
        if own.map_or(d.k <= other, |sign| sign.positive) {
            return Some(Same);
        }
        for t in &mut d.terms {
            t.coef = t.coef.checked_neg()?;
        }
        d.k = d.k.checked_neg()?.checked_sub(1)?;
        d.add_constant(if d.b == UNBOUNDED { -1 } else { d.b / d.a - 1 })?;
        d.scale = d.scale.checked_neg()?;
        Some(Changed)
    }

    /// Whether a form modulo `m` is written as it is and not negated: its greatest coefficient is
    /// positive, whatever the order of its terms. `None` if the form is its own negation.
    pub(crate) fn sign_of(&self, terms: &[Term], m: i64) -> Option<Sign> {
        let half = |c: i64| m != UNBOUNDED && c.checked_mul(2) == Some(m);
        let mut others = terms.iter().filter(|t| !half(t.coef));
        let first = others.next()?;
        // Of the greatest coefficients, how many more are positive.
        let (mut size, mut balance) = (first.coef.unsigned_abs(), first.coef.signum());
        let first_positive = first.coef > 0;
        let mut alike = true;
        for t in others {
            let c = t.coef.unsigned_abs();
            alike &= (t.coef > 0) == first_positive;
            if c > size {
                (size, balance) = (c, t.coef.signum());
            } else if c == size {
                balance += t.coef.signum();
            }
        }
        let positive = if alike || balance != 0 {
            Some(balance > 0)
        } else {
            self.leaning(terms, half)
        };
        let decided = positive.is_some();
        let positive = positive.unwrap_or(first_positive);
        Some(Sign { positive, decided })
    }

    /// Whether the positive terms of a form outweigh the negative ones, where as many of either
    /// sign have the greatest coefficient: by the other coefficients, then by what the terms are.
    /// `None` if they are alike.
    fn leaning(&self, terms: &[Term], half: impl Fn(i64) -> bool) -> Option<bool> {
        if terms.len() > 32 {
            return None;
        }
        let key = |t: &Term| {
            let a = self.atom(t.atom);
            let width = a.bounds.upper.wrapping_sub(a.bounds.lower) as u64;
            let kind = match a.kind {
                AtomKind::Digit { a, b, .. } => (a, b),
                _ => (0, 0),
            };
            let look = (a.depth, a.size, width, kind, a.bounds.lower);
            (t.coef.unsigned_abs(), look)
        };
        let counting = terms.iter().filter(|t| !half(t.coef));
        let mut keys: SmallVec<[_; 8]> = counting.map(|t| (key(t), t.coef.signum())).collect();
        keys.sort_unstable_by(|x, y| y.cmp(x));
        let mut i = 0;
        while i < keys.len() {
            let group = keys[i..].iter().take_while(|k| k.0 == keys[i].0);
            let (count, balance) = group.fold((0, 0), |s, k| (s.0 + 1, s.1 + k.1));
            if balance != 0 {
                return Some(balance > 0);
            }
            i += count;
        }
        None
    }

    /// A digit of base 2 has a neighbour; its constant is less than a.
    pub(crate) fn parity(&mut self, d: &mut Digit) -> Option<Step> {
        if d.b / d.a != 2 || d.k < d.a {
            return Some(Same);
        }
        d.k -= d.a;
        d.add_constant(1)?;
        d.scale = d.scale.checked_neg()?;
        Some(Changed)
    }
}
