//! Whether what was written is read as what it was, asked of the forms alone: no expression is read.

use super::emit::{Emitter, Rewritten};
use super::linear::{AtomId, Forms, INF, LinId, Sum, Term};
use super::operations::LONG;
use super::plans::{Plan, nearest};
use crate::expr::Op;
use smallvec::SmallVec;

/// What is read where forms were written.
pub(super) enum Reading {
    /// The forms that they were.
    Same,
    /// This instead of the only one.
    Other(LinId),
    Unknown,
}

/// What is read where a sum was written, if it is known.
enum Read {
    Same,
    Other(LinId),
}

impl Forms {
    /// Whether every sum that was written in another way is read as the form that it was. `whole` is the only form that was written,
    /// if there is only one.
    pub(super) fn read_again(&mut self, emitter: &Emitter, whole: Option<LinId>) -> Reading {
        for (i, r) in emitter.rewritten.iter().enumerate() {
            let (first, last) = r.plans;
            match self.read_sum(r, &emitter.plans[first..last]) {
                Some(Read::Same) => {}
                // The last one that was written is the outermost: nothing else has it inside.
                Some(Read::Other(lin))
                    if i + 1 == emitter.rewritten.len()
                        && Some(r.lin) == whole
                        && (r.scale, r.k, r.modulus) == (1, self.lin(r.lin).k, INF) =>
                {
                    return Reading::Other(lin);
                }
                _ => return Reading::Unknown,
            }
        }
        Reading::Same
    }

    fn read_sum(&mut self, r: &Rewritten, plans: &[Plan]) -> Option<Read> {
        if let Some(same) = self.read_apart(r, plans)? {
            return same.then_some(Read::Same);
        }
        let mut sum = Sum {
            k: r.outer,
            ..Sum::default()
        };
        for p in plans {
            let lin = self.read_plan(p)?;
            self.accumulate(&mut sum, lin, p.coef)?;
        }
        let read = self.finish_mut(&mut sum)?;
        let same = read == self.written_sum(r.lin, r.scale, r.k, r.modulus)?;
        Some(if same { Read::Same } else { Read::Other(read) })
    }

    /// Whether the terms that are not written as they stand are read as they were, together with the constant: the others are, so
    /// that the whole is then. If not, `Some(false)` where each term is written by itself; `None` where that is not known.
    fn read_apart(&mut self, r: &Rewritten, plans: &[Plan]) -> Option<Option<bool>> {
        if plans.len() != self.terms(r.lin).len() {
            return Some(None);
        }
        let mut by_itself = r.outer == r.k;
        let mut difference = Sum {
            k: r.outer.checked_sub(r.k)?,
            ..Sum::default()
        };
        let mut others: SmallVec<[(AtomId, usize, i64); 8]> = SmallVec::new();
        for (i, p) in plans.iter().enumerate() {
            let t = self.terms(r.lin)[i];
            if t.atom != p.atom {
                return Some(None);
            }
            let coef = nearest(t.coef.checked_mul(r.scale)?, r.modulus);
            if p.coef == coef && p.stands {
                continue;
            }
            by_itself &= p.coef == coef;
            others.push((p.atom, i, coef));
        }
        if others.len() > LONG {
            // In the order in which they were read: what is needed of them lies side by side then.
            others.sort_unstable();
        }
        for (atom, i, coef) in others {
            let p = &plans[i];
            let read = self.read_plan(p)?;
            if p.coef != coef || read != self.atom_form(atom) {
                self.accumulate(&mut difference, read, p.coef)?;
                let coef = coef.checked_neg()?;
                difference.terms.push(Term { atom, coef });
            }
        }
        self.merge(&mut difference.terms)?;
        let same = difference.terms.is_empty() && difference.k == 0;
        Some((same || by_itself).then_some(same))
    }

    /// The terms of a form, each times `scale` and modulo `modulus`, plus `k`.
    fn written_sum(&mut self, lin: LinId, scale: i64, k: i64, modulus: i64) -> Option<LinId> {
        if scale == 1
            && k == self.lin(lin).k
            && !self.has_digits(lin)
            && self
                .terms(lin)
                .iter()
                .all(|t| nearest(t.coef, modulus) == t.coef)
        {
            return Some(lin);
        }
        let mut sum = Sum {
            k,
            ..Sum::default()
        };
        for t in self.terms(lin) {
            sum.terms.push(Term {
                atom: t.atom,
                coef: nearest(t.coef.checked_mul(scale)?, modulus),
            });
        }
        self.finish_mut(&mut sum)
    }

    /// What is read where a plan was written, if the sum inside is read as it was.
    fn read_plan(&mut self, p: &Plan) -> Option<LinId> {
        let Some((lin, a, b)) = p.digit else {
            return Some(self.atom_form(p.atom));
        };
        let w = p.written(self, lin, a, b);
        let inside = self.written_sum(lin, w.scale, w.k, w.b)?;
        let quotient = match w.op {
            Some(op) => {
                let divisor = self.constant(a);
                self.try_operation(op, inside, divisor)?
            }
            None => inside,
        };
        if w.b == INF {
            return Some(quotient);
        }
        let modulus = self.constant(w.b / a);
        self.try_operation(Op::Mod, quotient, modulus)
    }
}
