//! Where digits come from.
//!
//! The normal form of a remainder forgets what the modulus hides: `(L, 1, b)` knows the coefficients of `L` modulo `b` only,
//! and `(L, b, INF)` knows them all. If a reshape cuts `L` at `b` and another one puts the parts together again, the sum
//! `b * (L, b, INF) + (L, 1, b)` has to become `L` although the two normal forms have little in common. So a digit remembers
//! the *clean* digits that it is the normal form of: those that come from the given one by splitting alone, without
//! anything that holds only modulo `b`.

use super::arena::{Table, mix};
use super::div_mod::{Digit, Step};
use super::linear::{AtomId, AtomKind, Forms, INF, LinId, NONE, Sum, Term};
use super::recombine::Part;
use smallvec::SmallVec;

/// An atom is `unit * (lin, a, b) + rest`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    unit: i64,
    lin: LinId,
    a: i64,
    b: i64,
    rest: LinId,
    /// The next origin of the same atom.
    next: u32,
}

/// Origins of one atom beyond which no more are kept.
const MOST: usize = 6;

/// The normal forms of digits that were computed.
#[derive(Clone, Debug)]
pub(super) struct DigitMemo {
    table: Table,
    entries: Vec<(LinId, i64, i64, LinId)>,
}

fn hash(lin: LinId, a: i64, b: i64) -> u64 {
    mix(mix(mix(17, lin as u64), a as u64), b as u64)
}

impl DigitMemo {
    pub(super) fn new() -> Self {
        DigitMemo {
            table: Table::new(64),
            entries: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        if !self.entries.is_empty() {
            self.table.clear();
            self.entries.clear();
        }
    }

    pub(super) fn get(&self, lin: LinId, a: i64, b: i64) -> Option<LinId> {
        let entries = &self.entries;
        let same = |i: u32| {
            let e = entries[i as usize];
            (e.0, e.1, e.2) == (lin, a, b)
        };
        let found = self.table.find(hash(lin, a, b), same).ok()?;
        Some(self.entries[found as usize].3)
    }

    pub(super) fn insert(&mut self, lin: LinId, a: i64, b: i64, value: LinId) {
        let entries = &self.entries;
        let same = |i: u32| {
            let e = entries[i as usize];
            (e.0, e.1, e.2) == (lin, a, b)
        };
        if let Err(slot) = self.table.find(hash(lin, a, b), same) {
            let id = self.entries.len() as u32;
            self.entries.push((lin, a, b, value));
            let entries = &self.entries;
            self.table.insert(slot, id, |i| {
                let e = entries[i as usize];
                hash(e.0, e.1, e.2)
            });
        }
    }
}

/// One way to see a digit of a sum.
#[derive(Clone, Copy)]
struct View {
    /// Where the digit stands in the sum.
    at: usize,
    /// The sum has `coef * atom`, and `atom = unit * (lin, a, b) + rest`.
    coef: i64,
    unit: i64,
    lin: LinId,
    a: i64,
    b: i64,
    rest: Option<LinId>,
}

impl Forms {
    /// Notes that `normal` is the normal form of `(lin, a, b)`.
    pub(super) fn note_origin(&mut self, lin: LinId, a: i64, b: i64, normal: LinId) -> Option<()> {
        let t = match *self.terms(normal) {
            [] => return None,
            [t] if t.coef.unsigned_abs() == 1 => t,
            // It falls apart: its clean part, read on its own, notes what it can.
            _ => {
                let mut d = Digit::new(self, lin, a, b);
                self.split_cleanly(&mut d)?;
                if (d.a != 1 || d.b != INF) && !d.terms.is_empty() {
                    let clean = self.intern(&d.terms, d.k);
                    if (clean, d.a, d.b) != (lin, a, b) {
                        self.digit(clean, d.a, d.b)?;
                    }
                }
                return None;
            }
        };
        if !matches!(self.atom(t.atom).kind, AtomKind::Digit { .. }) {
            return None;
        }
        let mut d = Digit::new(self, lin, a, b);
        self.split_cleanly(&mut d)?;
        self.note_view(&d, normal, t);
        // The same with quotients inside put together, which shows more of what they are made of.
        if matches!(self.nested(&mut d)?, Step::Changed) {
            self.split_cleanly(&mut d)?;
            self.note_view(&d, normal, t);
        }
        Some(())
    }

    fn note_view(&mut self, d: &Digit, normal: LinId, t: Term) -> Option<()> {
        let (a, b) = (d.a, d.b);
        if d.terms.is_empty() || (a == 1 && b == INF) {
            return None;
        }
        let clean = self.intern(&d.terms, d.k);
        if self.atom(t.atom).kind == (AtomKind::Digit { lin: clean, a, b }) {
            return None;
        }
        // atom = coef * (value - k) and value = out + scale * (clean, a, b)
        let mut out = d.out.clone();
        out.k = out.k.checked_sub(self.lin(normal).k)?;
        let rest = self.finish_mut(&mut out)?;
        let rest = self.scaled(rest, t.coef, 0)?;
        let unit = d.scale.checked_mul(t.coef)?;
        self.add_origin(
            t.atom,
            Origin {
                unit,
                lin: clean,
                a,
                b,
                rest,
                next: NONE,
            },
        );
        Some(())
    }

    fn add_origin(&mut self, atom: AtomId, origin: Origin) {
        let first = self.atom(atom).origin;
        let (mut i, mut count) = (first, 0);
        while i != NONE {
            let o = self.origins[i as usize];
            count += 1;
            let same = (o.lin, o.a, o.b, o.unit) == (origin.lin, origin.a, origin.b, origin.unit);
            if same || count >= MOST {
                return;
            }
            i = o.next;
        }
        let id = self.origins.len() as u32;
        self.origins.push(Origin {
            next: first,
            ..origin
        });
        self.atoms[atom as usize].origin = id;
    }

    /// Notes that `fused = x * p + y * q + k`, where p and q are digits: what p and q are, `fused` is too.
    pub(super) fn note_fused(
        &mut self,
        fused: LinId,
        parts: [(i64, AtomId); 2],
        k: i64,
    ) -> Option<()> {
        let mut views: [SmallVec<[View; 16]>; 2] = [SmallVec::new(), SmallVec::new()];
        for (at, (coef, atom)) in parts.into_iter().enumerate() {
            if let AtomKind::Digit { lin, a, b } = self.atom(atom).kind {
                let part = Part {
                    at,
                    coef,
                    lin,
                    a,
                    b,
                };
                self.views(&part, atom, &mut views[at]);
            }
        }
        // If both are digits of one form, so is what they make. Reading it notes where it comes from.
        for low in views[0].clone() {
            for high in &views[1] {
                if (low.rest.is_some() || high.rest.is_some())
                    && let Some((lin, b)) = self.together(low, *high)?
                {
                    self.digit(lin, low.a, b)?;
                }
            }
        }
        let [t] = *self.terms(fused) else {
            return None;
        };
        if t.coef.unsigned_abs() != 1 || !matches!(self.atom(t.atom).kind, AtomKind::Digit { .. }) {
            return None;
        }
        let k = k.checked_sub(self.lin(fused).k)?;
        for i in 0..2 {
            let ((x, _), (y, q)) = (parts[i], parts[1 - i]);
            for v in views[i].clone() {
                // atom = coef * (x * (unit * digit + rest) + y * q + k)
                let mut sum = Sum {
                    k,
                    ..Sum::default()
                };
                sum.terms.push(Term { atom: q, coef: y });
                if let Some(rest) = v.rest {
                    self.accumulate(&mut sum, rest, x)?;
                }
                self.merge(&mut sum.terms)?;
                let rest = self.intern(&sum.terms, sum.k);
                let rest = self.scaled(rest, t.coef, 0)?;
                let unit = v.unit.checked_mul(x)?.checked_mul(t.coef)?;
                self.add_origin(
                    t.atom,
                    Origin {
                        unit,
                        lin: v.lin,
                        a: v.a,
                        b: v.b,
                        rest,
                        next: NONE,
                    },
                );
            }
        }
        Some(())
    }

    fn views(&self, part: &Part, atom: AtomId, into: &mut SmallVec<[View; 16]>) {
        let own = View {
            at: part.at,
            coef: part.coef,
            unit: 1,
            lin: part.lin,
            a: part.a,
            b: part.b,
            rest: None,
        };
        into.push(own);
        let mut i = self.atom(atom).origin;
        while i != NONE {
            let o = self.origins[i as usize];
            into.push(View {
                unit: o.unit,
                lin: o.lin,
                a: o.a,
                b: o.b,
                rest: Some(o.rest),
                ..own
            });
            i = o.next;
        }
    }

    /// The form and the end of the digit that two are together, in a sum with `unit` times the lower one.
    fn together(&mut self, low: View, high: View) -> Option<Option<(LinId, i64)>> {
        if low.b == INF || low.b != high.a {
            return Some(None);
        }
        let x = low.coef as i128 * low.unit as i128 * (low.b / low.a) as i128;
        if x != high.coef as i128 * high.unit as i128 {
            return Some(None);
        }
        let part = |v: View| Part {
            at: v.at,
            coef: 1,
            lin: v.lin,
            a: v.a,
            b: v.b,
        };
        self.align(part(low), part(high), false, 0)
    }

    /// `c * (L, a, m) + c * (m / a) * (L, m, b) -> c * (L, a, b)` for digits that were these before they were normalised, where
    /// that makes the sum shorter.
    pub(super) fn fuse_origins(&mut self, sum: &mut Sum, parts: &[Part]) -> Option<bool> {
        if parts.len() < 2
            || parts
                .iter()
                .all(|p| self.atom(sum.terms[p.at].atom).origin == NONE)
        {
            return Some(false);
        }
        let mut views: SmallVec<[View; 16]> = SmallVec::new();
        for p in parts {
            self.views(p, sum.terms[p.at].atom, &mut views);
        }
        for i in 0..views.len() {
            let low = views[i];
            if low.b == INF {
                continue;
            }
            if !self.work(views.len()) {
                return Some(false);
            }
            for j in 0..views.len() {
                let high = views[j];
                if high.at == low.at || (low.rest.is_none() && high.rest.is_none()) {
                    continue;
                }
                let Some((lin, b)) = self.together(low, high)? else {
                    continue;
                };
                if self.open_digits.contains(&(lin, low.a, b)) {
                    continue;
                }
                let fused = self.digit(lin, low.a, b)?;
                let Some(unit) = low.coef.checked_mul(low.unit) else {
                    continue;
                };
                let mut new = Sum::default();
                self.accumulate(&mut new, fused, unit)?;
                for v in [low, high] {
                    if let Some(rest) = v.rest {
                        self.accumulate(&mut new, rest, v.coef)?;
                    }
                }
                self.merge(&mut new.terms)?;
                let parts = self.size(&[sum.terms[low.at], sum.terms[high.at]]);
                if self.size(&new.terms) >= parts {
                    continue;
                }
                self.fired("cut-digits-fused");
                sum.terms[low.at].coef = 0;
                sum.terms[high.at].coef = 0;
                sum.k = sum.k.checked_add(new.k)?;
                sum.terms.extend(new.terms);
                return Some(true);
            }
        }
        Some(false)
    }
}
