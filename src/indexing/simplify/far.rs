//! Numbers beyond 64 bits: sums whose coefficients or constants do not fit.
//!
//! A sum `c1 * x1 + … + k` of which some numbers do not fit is `L * 2^62 + M`: each number c that does not fit is `q * 2^62 + r` with
//! r nearest to zero, q goes into L and r into M; where q does not fit either, L is such a sum in turn. However it came about, it is
//! written alike. What is divided takes `c mod m`, what constraints say moves by the constant.

use super::arena::{Arena, Node, NodeId};
use super::constraints::RangeOf;
use super::div_mod::Digit;
use super::driver::Simplifier;
use super::known::representable;
use super::linear::{AtomId, AtomKind, Forms, INF, LinId, Sum, Term, Terms};
use super::read::Unfolded;
use crate::expr::Op;
use crate::interval::{ceil_div, floor_div};
use smallvec::SmallVec;

/// What a number that does not fit is a multiple of, but for what is left.
const BASE: i64 = 1 << 62;

/// Operations of a sum that is read at once.
const LONGEST: usize = 1024;

/// A sum in numbers of 128 bits.
#[derive(Default)]
struct Wide {
    terms: SmallVec<[(AtomId, i128); 8]>,
    k: i128,
}

impl Wide {
    /// One term for each atom; `None` if a number is too large for that its negation and its sums with numbers of 64 bits fit.
    fn merge(&mut self) -> Option<()> {
        self.terms.sort_by_key(|t| t.0);
        let mut merged: SmallVec<[(AtomId, i128); 8]> = SmallVec::new();
        for &(atom, coef) in &self.terms {
            match merged.last_mut() {
                Some(last) if last.0 == atom => last.1 = last.1.checked_add(coef)?,
                _ => merged.push((atom, coef)),
            }
        }
        merged.retain(|t| t.1 != 0);
        self.terms = merged;
        let fits = |v: i128| v.unsigned_abs() < (1 << 127) - (1 << 65);
        (fits(self.k) && self.terms.iter().all(|t| fits(t.1))).then_some(())
    }
}

/// `(q, r)` with `v = q * 2^62 + r` and r nearest to zero, and q = 0 where v fits.
fn divided(v: i128) -> (i128, i64) {
    if let Ok(v) = i64::try_from(v)
        && v != i64::MIN
    {
        return (0, v);
    }
    // Of v and of its negation the same.
    let half = v.signum() * (BASE as i128 / 2);
    let q = (v + half) / BASE as i128;
    (q, (v - q * BASE as i128) as i64)
}

impl Simplifier {
    /// The form of a sum of which numbers do not fit, read at once: what digits in it are put together to must not depend on where such a
    /// number stands.
    #[cold]
    #[inline(never)]
    pub(super) fn wide_sum(&mut self, arena: &Arena, root: NodeId) -> Unfolded {
        let mut todo: SmallVec<[(NodeId, i128); 16]> = SmallVec::new();
        todo.push((root, 1));
        let mut wide = Wide::default();
        let (mut waiting, mut met) = (false, 0);
        while let Some((id, coef)) = todo.pop() {
            met += 1;
            if met > LONGEST {
                return Unfolded::Apart;
            }
            let added = match arena.node(id) {
                Node::Constant(v) => self.forms.add_wide(&mut wide, &[], v, coef),
                Node::Variable(class, v) => {
                    let atom = self.atom_of(class, v) as AtomId;
                    match self.forms.atom(atom).bounds.as_point() {
                        Some(v) => self.forms.add_wide(&mut wide, &[], v, coef),
                        None => {
                            wide.terms.push((atom, coef));
                            Some(())
                        }
                    }
                }
                Node::Binary(Op::Add, a, b) => {
                    todo.push((b, coef));
                    todo.push((a, coef));
                    Some(())
                }
                Node::Binary(op, a, b) => match (op, arena.as_constant(b), self.known(id)) {
                    (Op::Mul, Some(k), _) => {
                        coef.checked_mul(k as i128).map(|coef| todo.push((a, coef)))
                    }
                    (_, _, Some(lin)) => {
                        let (terms, k) = (self.forms.terms(lin), self.forms.lin(lin).k);
                        self.forms.add_wide(&mut wide, terms, k, coef)
                    }
                    _ => {
                        self.stack.push(id);
                        waiting = true;
                        Some(())
                    }
                },
            };
            if added.is_none() {
                return Unfolded::Apart;
            }
        }
        if waiting {
            return Unfolded::Waiting;
        }
        let forms = &mut self.forms;
        forms.overflowed = true;
        forms.fired("overflow-kept-apart");
        let lin = match forms.work(met) {
            true => forms.narrowed(wide).and_then(|sum| forms.finish(sum)),
            false => None,
        };
        lin.map_or(Unfolded::Apart, Unfolded::Done)
    }
}

impl Forms {
    /// The sum L of an atom `L * 2^62`.
    fn far_part(&self, atom: AtomId) -> Option<LinId> {
        match self.atom(atom).kind {
            AtomKind::Opaque { op: Op::Mul, x, y } if self.as_constant(y) == Some(BASE) => Some(x),
            _ => None,
        }
    }

    /// True if a number in the sum does not fit.
    pub(super) fn is_far(&self, terms: &[Term]) -> bool {
        self.overflowed && terms.iter().any(|t| self.far_part(t.atom).is_some())
    }

    /// `sum += coef * (terms + k)`; `None` if a number is beyond 128 bits.
    fn add_wide(&self, sum: &mut Wide, terms: &[Term], k: i64, coef: i128) -> Option<()> {
        sum.k = sum.k.checked_add(coef.checked_mul(k as i128)?)?;
        for t in terms {
            let coef = coef.checked_mul(t.coef as i128)?;
            let Some(far) = self.far_part(t.atom) else {
                sum.terms.push((t.atom, coef));
                continue;
            };
            let coef = coef.checked_mul(BASE as i128)?;
            self.add_wide(sum, self.terms(far), self.lin(far).k, coef)?;
        }
        Some(())
    }

    /// The terms and a constant in numbers of 128 bits, one term for each atom; `None` if a number is beyond them.
    fn wide(&self, terms: &[Term], k: i64) -> Option<Wide> {
        let mut wide = Wide::default();
        self.add_wide(&mut wide, terms, k, 1)?;
        wide.merge()?;
        Some(wide)
    }

    /// The sum in numbers of 64 bits; `None` if one is beyond what can be written.
    fn narrowed(&mut self, mut sum: Wide) -> Option<Sum> {
        sum.merge()?;
        let (mut near, mut far) = (Sum::default(), Wide::default());
        for &(atom, coef) in &sum.terms {
            let (q, r) = divided(coef);
            near.terms
                .extend((r != 0).then_some(Term { atom, coef: r }));
            far.terms.extend((q != 0).then_some((atom, q)));
        }
        (far.k, near.k) = match i64::try_from(sum.k) {
            Ok(k) => (0, k),
            Err(_) => divided(sum.k),
        };
        if far.k != 0 || !far.terms.is_empty() {
            let mut far = self.narrowed(far)?;
            self.merge(&mut far.terms)?;
            let (x, y) = (self.intern(&far.terms, far.k), self.constant(BASE));
            let product = self.opaque(Op::Mul, x, y);
            near.terms.push(self.terms(product)[0]);
        }
        Some(near)
    }

    /// The numbers of a sum that do not fit are put together with those that do; `None` if that cannot be written.
    pub(super) fn join_far(&mut self, sum: &mut Sum) -> Option<()> {
        let alone = sum.terms.len() == 1 && sum.k == 0;
        if !alone && self.is_far(&sum.terms) {
            let wide = self.wide(&sum.terms, sum.k)?;
            *sum = self.narrowed(wide)?;
        }
        Some(())
    }

    /// `x + y` or `x * y`, of which numbers do not fit.
    pub(super) fn far_operation(&mut self, op: Op, x: LinId, y: LinId) -> Option<LinId> {
        let (other, coef) = match (op, self.as_constant(y)) {
            (Op::Add, _) => (Some(y), 1),
            (Op::Mul, Some(k)) => (None, k),
            _ => return None,
        };
        let mut wide = Wide::default();
        for lin in [Some(x), other].into_iter().flatten() {
            let k = self.lin(lin).k;
            self.add_wide(&mut wide, self.terms(lin), k, coef as i128)?;
        }
        let sum = self.narrowed(wide)?;
        self.finish(sum)
    }

    /// `x * c`, which is beyond that, with a positive factor and the sign of x that a digit takes.
    pub(super) fn kept_product(&mut self, x: LinId, c: i64) -> Option<LinId> {
        let mut sign = c.signum();
        let c = self.constant(c.checked_abs()?);
        let mut x = x;
        let terms = Terms::from_slice(self.terms(x));
        if self.takes_sign(&terms, INF) == Some(false) {
            x = self.scaled(x, -1, 0)?;
            sign = -sign;
        }
        let product = self.opaque(Op::Mul, x, c);
        self.scaled(product, sign, 0)
    }

    /// The ends of a product that leaves 64 bits.
    pub(super) fn far_ends(&self, atom: AtomId) -> Option<(i128, i128)> {
        let AtomKind::Opaque { op: Op::Mul, x, y } = self.atom(atom).kind else {
            return None;
        };
        let c = self.as_constant(y)? as i128;
        let (least, greatest) = self.narrow_bounds(self.terms(x), self.lin(x).k)?;
        let (v, w) = (c * least as i128, c * greatest as i128);
        Some((v.min(w), v.max(w)))
    }

    /// `c * x + k in [l, u] -> x in [ceil((l - k) / c), floor((u - k) / c)]` for one variable x and numbers that do not fit.
    pub(super) fn far_interval(&self, c: &RangeOf) -> Option<(usize, i128, i128)> {
        let wide = self.wide(self.terms(c.lin), self.lin(c.lin).k)?;
        let [(atom, coef)] = wide.terms[..] else {
            return None;
        };
        let (lower, upper) = (c.lower.checked_sub(wide.k)?, c.upper.checked_sub(wide.k)?);
        let (lower, upper) = match coef {
            1.. => (ceil_div(lower, coef), floor_div(upper, coef)),
            _ => (ceil_div(-upper, -coef), floor_div(-lower, -coef)),
        };
        let variable = atom as usize;
        (variable < self.variables).then_some((variable, lower, upper))
    }

    /// A constraint on a form of which numbers do not fit, without the constant if the ends fit then, and with a first coefficient that
    /// is positive if the ends of the negation fit. `None` if it has to stay as it is.
    pub(super) fn far_constraint(&mut self, c: &RangeOf) -> Option<RangeOf> {
        let mut wide = self.wide(self.terms(c.lin), self.lin(c.lin).k)?;
        let moved = |v: i128| v.checked_sub(wide.k);
        let (lower, upper) = (moved(c.lower)?, moved(c.upper)?);
        let first = wide.terms.iter().min_by(|s, t| self.order(s.0, t.0))?.1;
        // In the order in which they are preferred: without a constant, with a positive first coefficient.
        let mut ends = [
            (false, 0, (lower, upper)),
            (true, 0, (-upper, -lower)),
            (false, wide.k, (c.lower, c.upper)),
            (true, -wide.k, (-c.upper, -c.lower)),
        ];
        // Of 2^63 and its negation the latter is a number.
        let large = |turns: bool| {
            let two = |c: i128| divided(c).0 == if turns { -2 } else { 2 };
            wide.terms.iter().filter(|t| two(t.1)).count()
        };
        ends.sort_by_key(|e| (e.1 != 0, large(e.0), (first > 0) == e.0));
        let fits = |e: &&(bool, i128, (i128, i128))| representable(e.2.0) && representable(e.2.1);
        let &(turns, k, (lower, upper)) = ends.iter().find(fits)?;
        if turns {
            wide.terms.iter_mut().for_each(|t| t.1 = -t.1);
        }
        wide.k = k;
        let sum = self.narrowed(wide)?;
        let lin = self.finish(sum)?;
        Some(RangeOf { lin, lower, upper })
    }

    /// `(c * x + y, a, b)` with a number c that does not fit: only what it is modulo b, or modulo a, stays inside.
    #[cold]
    pub(super) fn far_out_of_digit(&mut self, d: &mut Digit) {
        if self.is_far(&d.terms) && self.reduced_far(d).is_some() {
            self.fired("coefficient-beyond-64-bits");
        }
    }

    /// As [`Forms::far_out_of_digit`]; `None` if what is taken out is beyond what can be written.
    fn reduced_far(&mut self, d: &mut Digit) -> Option<()> {
        let m = d.modulus() as i128;
        let scale = d.scale as i128;
        let (mut inside, mut outside) = (self.wide(&d.terms, d.k)?, Wide::default());
        for (atom, coef) in &mut inside.terms {
            if divided(*coef).0 == 0 {
                continue;
            }
            let q = coef.div_euclid(m).checked_mul(scale)?;
            outside.terms.push((*atom, q));
            *coef = coef.rem_euclid(m);
        }
        outside.k = inside.k.div_euclid(m).checked_mul(scale)?;
        inside.k = inside.k.rem_euclid(m);
        let mut sum = self.narrowed(inside)?;
        self.merge(&mut sum.terms)?;
        if d.b == INF {
            outside.k = outside.k.checked_add(d.out.k as i128)?;
            let out = self.narrowed(outside)?;
            d.out.terms.extend(out.terms);
            d.out.k = out.k;
        }
        (d.terms, d.k, d.ends) = (sum.terms, sum.k, None);
        Some(())
    }
}
