//! Expressions of maps as sums, and sums as expressions.

use super::{Base, Facts, Sum};
use crate::expr::{Expr, ExprKind, Op, c};

impl Sum {
    /// The sum that an expression is, with every variable replaced by what `variable` gives for it,
    /// and so with every operation of which no sum is made: a minimum, a quotient by what is no
    /// positive constant, a product of variables. `None` where it gives nothing.
    pub fn of_expr(
        expr: &Expr,
        facts: &Facts,
        variable: &dyn Fn(&ExprKind) -> Option<Self>,
    ) -> Option<Self> {
        let mut found = Self::default();
        // Sums may be long, so that they are walked without recursion; quotients are nested a few
        // times at most.
        let mut stack = vec![(1_i64, expr)];
        while let Some((factor, expr)) = stack.pop() {
            let inner = |a| Self::of_expr(a, facts, variable);
            let term = match expr.kind() {
                ExprKind::Constant(value) => Self::constant(*value),
                ExprKind::Binary(Op::Add, a, b) => {
                    stack.push((factor, b));
                    stack.push((factor, a));
                    continue;
                }
                ExprKind::Binary(Op::Mul, a, b)
                    if let Some((k, other)) = (b.as_constant().map(|k| (k, a)))
                        .or_else(|| Some((a.as_constant()?, b))) =>
                {
                    match factor.checked_mul(k) {
                        Some(k) => stack.push((k, other)),
                        None => return Some(Self::beyond()),
                    }
                    continue;
                }
                ExprKind::Binary(op @ (Op::FloorDiv | Op::CeilDiv | Op::Mod), a, b)
                    if let Some(m) = b.as_constant().filter(|m| *m > 0) =>
                {
                    match op {
                        Op::FloorDiv => inner(a)?.floor_div(m, facts),
                        Op::CeilDiv => inner(a)?.offset(m - 1).floor_div(m, facts),
                        _ => inner(a)?.modulo(m, facts),
                    }
                }
                other => variable(other)?,
            };
            found = found.plus_scaled(&term, factor);
        }
        Some(found)
    }

    /// The expression, with every variable and value written as `variable` says. `None` for what is
    /// beyond 64 bits, or has a coefficient that is known at run time only.
    pub fn to_expr(&self, variable: &dyn Fn(&Base) -> Expr) -> Option<Expr> {
        let mut sum: Option<Expr> = None;
        for (atom, k) in &self.terms {
            let base = match &atom.base {
                Base::Sum(inner) => inner.to_expr(variable)?,
                Base::Beyond => return None,
                base => variable(base),
            };
            let (low, high) = atom.numbers()?;
            let mut term = base.floor_div(low);
            if let Some(high) = high {
                term = term.modulo(high / low);
            }
            term = term * k.as_constant()?;
            sum = Some(match sum {
                Some(sum) => sum + term,
                None => term,
            });
        }
        Some(match sum {
            Some(sum) => sum + self.constant.as_constant()?,
            None => c(self.constant.as_constant()?),
        })
    }
}
