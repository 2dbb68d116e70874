//! The sides of the steps that are said of a simplification, written while its rules are applied.

use super::linear::{AtomKind, Forms, LinId, Term, UNBOUNDED};
use super::steps::{Fired, Side};
use crate::expr::{Expr, Op, c, d};

/// The length, in operations, from which on an expression is left out of a step: nobody reads it.
const LONGEST: u64 = 200;

impl Forms {
    /// A side of a step, if steps are asked for.
    #[inline]
    pub(crate) fn side(&self, write: impl FnOnce(&Forms) -> Side) -> Side {
        self.steps.as_ref()?;
        write(self)
    }

    /// A rule that rewrites the whole map, or adds to what is known.
    #[inline]
    pub(crate) fn fired(&mut self, rule: &'static str) {
        self.fired_on(rule, None, |_| None);
    }

    /// A rule that makes one thing of another.
    #[inline]
    pub(crate) fn fired_on(
        &mut self,
        rule: &'static str,
        before: Side,
        after: impl FnOnce(&Forms) -> Side,
    ) {
        if self.steps.is_some() {
            let change = before.and_then(|before| Some((before, after(self)?)));
            if let Some(steps) = &mut self.steps {
                steps.push(Fired { rule, change });
            }
        }
    }

    /// The side that is a sum.
    pub(crate) fn side_of_sum(&self, terms: &[Term], k: i64) -> Side {
        Some(vec![(self.written(terms, k)?, None)])
    }

    /// The side that is one constraint.
    pub(crate) fn side_of_constraint(&self, terms: &[Term], k: i64, ends: (i128, i128)) -> Side {
        Some(vec![(self.written(terms, k)?, Some(ends))])
    }

    /// A form as an expression; none if it is too long.
    pub(super) fn of_form(&self, lin: LinId) -> Option<Expr> {
        self.written(self.terms(lin), self.lin(lin).k)
    }

    /// A sum as an expression; none if it is too long.
    pub(super) fn written(&self, terms: &[Term], k: i64) -> Option<Expr> {
        if self.size(terms) > LONGEST {
            return None;
        }
        let mut sum: Option<Expr> = None;
        for term in terms {
            let atom = match self.atom(term.atom).kind {
                AtomKind::Variable => d(term.atom as usize),
                AtomKind::Digit { lin, a, b } => digit_of(self.of_form(lin)?, a, b),
                AtomKind::Opaque { op, x, y } => {
                    Expr::binary(op, self.of_form(x)?, self.of_form(y)?)
                }
            };
            let own = Expr::binary(Op::Mul, atom, c(term.coef));
            sum = Some(match sum {
                Some(sum) => Expr::binary(Op::Add, sum, own),
                None => own,
            });
        }
        Some(match sum {
            Some(sum) => Expr::binary(Op::Add, sum, c(k)),
            None => c(k),
        })
    }
}

/// `(x floordiv a) mod (b / a)`.
pub(super) fn digit_of(x: Expr, a: i64, b: i64) -> Expr {
    let quotient = Expr::binary(Op::FloorDiv, x, c(a));
    if b == UNBOUNDED || a == 0 {
        return quotient;
    }
    Expr::binary(Op::Mod, quotient, c(b / a))
}
