//! Numbers as expressions. Constants are taken together and factors multiplied out as far as that
//! needs no look at what variables can be.

use super::Found;
use crate::number::{Arithmetic, NumberDomain};
use mapwright_indexing::{Expr, ExprKind, Op, c};

/// The domain of expressions of any variables.
pub(crate) struct Expressions;

impl NumberDomain for Expressions {
    type Value = Expr;
    type Error = String;

    fn constant(&mut self, n: i64) -> Expr {
        c(n)
    }

    fn known(&self, number: &Expr) -> Option<i64> {
        number.as_constant()
    }

    fn arithmetic(&mut self, what: Arithmetic, a: Expr, b: Expr) -> Found<Expr> {
        let divisor = b.as_constant().filter(|n| *n > 0);
        Ok(match (what, divisor) {
            (Arithmetic::Add, _) => sum(a, b),
            (Arithmetic::Sub, _) => match b.as_constant().and_then(i64::checked_neg) {
                Some(n) => sum(a, c(n)),
                None => a - b,
            },
            (Arithmetic::Mul, _) => match (a.as_constant(), b.as_constant()) {
                (_, Some(n)) => scaled(a, n),
                (Some(n), None) => scaled(b, n),
                (None, None) => return Err("a factor that is known at run time only".into()),
            },
            (Arithmetic::Div, Some(n)) => quotient(a, n),
            (Arithmetic::Rem, Some(n)) => a.modulo(n),
            (Arithmetic::Div | Arithmetic::Rem, None) => {
                return Err("a divisor that is known at run time only".into());
            }
            (Arithmetic::Min, _) => a.min(b),
            (Arithmetic::Max, _) => a.max(b),
        })
    }
}

/// The sum, with constants taken together.
fn sum(a: Expr, b: Expr) -> Expr {
    if let (ExprKind::Binary(Op::Add, x, y), Some(n)) = (a.kind(), b.as_constant())
        && let Some(total) = y.as_constant().and_then(|m| m.checked_add(n))
    {
        return x.clone() + total;
    }
    a + b
}

/// The product, multiplied out.
pub(super) fn scaled(number: Expr, factor: i64) -> Expr {
    match number.kind() {
        _ if factor == 0 => c(0),
        ExprKind::Binary(Op::Add, a, b) => scaled(a.clone(), factor) + scaled(b.clone(), factor),
        ExprKind::Binary(Op::Mul, a, b) => {
            match b.as_constant().and_then(|n| n.checked_mul(factor)) {
                Some(both) => a.clone() * both,
                None => number * factor,
            }
        }
        _ => number * factor,
    }
}

/// The quotient; that of a quotient is one.
fn quotient(number: Expr, divisor: i64) -> Expr {
    if let ExprKind::Binary(Op::FloorDiv, a, b) = number.kind()
        && let Some(both) = b
            .as_constant()
            .filter(|n| *n > 0)
            .and_then(|n| n.checked_mul(divisor))
    {
        return a.clone().floor_div(both);
    }
    number.floor_div(divisor)
}
