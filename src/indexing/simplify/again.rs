//! Whether what was written is read as what it was, asked of the forms alone: no expression is read.

use super::emit::{Emitter, Rewritten};
use super::linear::{Forms, INF, LinId, Sum, Term};
use super::plans::{Plan, nearest};
use crate::expr::Op;

impl Forms {
    /// True if every sum that was written in another way is read as the form that it was. False also if it is not known.
    pub(super) fn reads_the_same(&mut self, emitter: &Emitter) -> bool {
        emitter.rewritten.iter().all(|r| {
            let (first, last) = r.plans;
            self.same_sum(r, &emitter.plans[first..last]) == Some(true)
        })
    }

    fn same_sum(&mut self, r: &Rewritten, plans: &[Plan]) -> Option<bool> {
        // Mostly only the terms are written in their own way.
        let terms = self.terms(r.lin);
        let as_it_stands = r.outer == r.k
            && plans.len() == terms.len()
            && plans.iter().zip(terms).all(|(p, t)| {
                p.atom == t.atom
                    && t.coef.checked_mul(r.scale).map(|c| nearest(c, r.modulus)) == Some(p.coef)
            });
        if as_it_stands {
            for p in plans {
                let read = self.read_plan(p)?;
                if read != self.atom_form(p.atom) {
                    return Some(false);
                }
            }
            return Some(true);
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
        Some(read == self.written_sum(r.lin, r.scale, r.k, r.modulus)?)
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
