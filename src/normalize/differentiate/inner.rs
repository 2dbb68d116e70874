//! Derivatives by a value further inside than the operand, where the product of the derivatives of
//! the steps between is worse than the derivative itself.

use super::{calls, reverse::Reverse};
use crate::canonical::known::{defined_by, splat};
use mapwright_mlir::{Op, Val, op};
use mapwright_ops::attrs::{ComparisonDirection, comparison_direction};

impl<'c> Reverse<'c> {
    /// A value that the result of `op` follows from and that is `wanted`, and the derivative by it.
    /// Of a quotient the dividend is no part of it.
    pub(super) fn by_inner(
        &self,
        op: Op<'c>,
        wanted: &dyn Fn(Val<'c>) -> bool,
    ) -> Option<(Val<'c>, Val<'c>)> {
        match op.short_name() {
            "divide" => self.of_inverse_power(op, wanted),
            "log_plus_one" | "log" => self.of_softplus_beyond(op, wanted),
            _ => None,
        }
    }

    /// Of a quotient `y = a / x^n`: `-n y / x`. What the divisor hands on is infinite times zero
    /// where `x` is so large that `x^n` is infinite.
    fn of_inverse_power(
        &self,
        op: Op<'c>,
        wanted: &dyn Fn(Val<'c>) -> bool,
    ) -> Option<(Val<'c>, Val<'c>)> {
        let m = &self.m;
        let (x, n) = power_of(op.operand(1)).filter(|(x, n)| *n > 1 && wanted(*x))?;
        let (element, shape) = m.type_of(op.result(0));
        let slope = m.same("divide", &[op.result(0), x]);
        let factor = m.number(-f64::from(n), &element, &shape);
        Some((x, m.same("multiply", &[factor, slope])))
    }

    /// Of `log(1 + exp(-c |x|))` with `c > 0`, by which `log(1 + exp(c x))` is more than
    /// `max(c x, 0)`: with `t = c x` that is `c / (1 + exp(-t))` less `c` where `t` is positive. At
    /// zero it is what makes the derivative of the sum, which is smooth, right (see
    /// [`slope_at_corner`]), and so is that of the derivative: around zero it grows by
    /// `c (t / 4 - t^3 / 48)`.
    fn of_softplus_beyond(
        &self,
        op: Op<'c>,
        wanted: &dyn Fn(Val<'c>) -> bool,
    ) -> Option<(Val<'c>, Val<'c>)> {
        let m = &self.m;
        let power = match op.short_name() {
            "log" => {
                let sum = defined_by(op.operand(0), "add")?;
                let (a, b) = (sum.operand(0), sum.operand(1));
                if number(a) == Some(1.0) {
                    b
                } else {
                    Some(a).filter(|_| number(b) == Some(1.0))?
                }
            }
            _ => op.operand(0),
        };
        let (x, c) = of_magnitude(defined_by(power, "exponential")?.operand(0))?;
        let c = Some(-c).filter(|c| *c > 0.0 && wanted(x))?;
        let (element, shape) = m.type_of(op.result(0));
        let n = |value: f64| m.number(value, &element, &shape);
        let mul = |a: Val<'c>, b: Val<'c>| m.same("multiply", &[a, b]);
        let size = m.same("divide", &[power, m.add(power, n(1.0))]);
        let below = m.compare("LT", x, n(0.0));
        let beside = m.select(below, size, m.same("negate", &[size]));
        let t = mul(x, n(c));
        let around = mul(t, m.sub(n(0.25), mul(mul(t, t), n(1.0 / 48.0))));
        let around = m.add(around, n(slope_at_corner(x)));
        let at_zero = m.compare("EQ", x, n(0.0));
        Some((x, mul(m.select(at_zero, around, beside), n(c))))
    }
}

/// The slope that `log(1 + exp(-|x|))` has at zero. What it is added to has a corner there, too,
/// and the two together have none: where that is a maximum or minimum of `x` and zero, or of `a`
/// and `b` whose difference `x` is, each of the equal ones has half, and there is nothing to add.
/// Where what is below zero is handed nothing (`relu`, and a selection by `x > 0`), half is
/// missing. Everything else, `|x|` among it, has the slope from above, and so has this.
fn slope_at_corner(x: Val<'_>) -> f64 {
    let difference = defined_by(x, "subtract").map(|made| (made.operand(0), made.operand(1)));
    let a = difference.map_or(x, |(a, _)| a);
    let is_other = |value: Val<'_>| match difference {
        Some((_, b)) => {
            op::key(value) == op::key(b) || number(b).is_some_and(|b| number(value) == Some(b))
        }
        None => number(value) == Some(0.0),
    };
    // Is it chosen where it is greater than the other, and not where they are equal?
    let is_greater = |condition: Val<'_>, chosen: bool| {
        let Some(made) = defined_by(condition, "compare") else {
            return false;
        };
        let direction = comparison_direction(made).ok();
        let is_a =
            |k: usize| op::key(made.operand(k)) == op::key(a) && is_other(made.operand(1 - k));
        direction.is_some_and(|direction| match (direction, chosen) {
            (ComparisonDirection::Gt, true) | (ComparisonDirection::Le, false) => is_a(0),
            (ComparisonDirection::Lt, true) | (ComparisonDirection::Ge, false) => is_a(1),
            _ => false,
        })
    };
    let is_extreme = |user: Op<'_>, k: usize| {
        (user.is_hlo("maximum") || user.is_hlo("minimum")) && is_other(user.operand(1 - k))
    };
    let halves = |user: Op<'_>| user.attribute(calls::NONE_OF_EQUAL).is_none();
    let corner = |(user, k): (Op<'_>, usize)| match user.short_name() {
        _ if is_extreme(user, k) => Some(match user.is_hlo("maximum") {
            _ if halves(user) => 0.0,
            true => 0.5,
            false => -0.5,
        }),
        "negate" => (op::uses(user.result(0)).into_iter())
            .any(|(user, k)| is_extreme(user, k) && halves(user))
            .then_some(0.0),
        "select" if k > 0 && is_other(user.operand(3 - k)) => {
            is_greater(user.operand(0), k == 1).then_some(0.5)
        }
        _ => None,
    };
    op::uses(a).into_iter().find_map(corner).unwrap_or(-0.5)
}

/// `x` and `c` of `c |x|`.
fn of_magnitude<'c>(value: Val<'c>) -> Option<(Val<'c>, f64)> {
    let (mut value, mut factor) = (value, 1.0);
    loop {
        if let Some(negate) = defined_by(value, "negate") {
            (value, factor) = (negate.operand(0), -factor);
        } else if let Some(product) = defined_by(value, "multiply") {
            let (a, b) = (product.operand(0), product.operand(1));
            let (c, other) = match (number(a), number(b)) {
                (Some(c), _) => (c, b),
                (_, c) => (c?, a),
            };
            (value, factor) = (other, c * factor);
        } else {
            return Some((defined_by(value, "abs")?.operand(0), factor));
        }
    }
}

/// The number that all elements of a value are.
fn number(value: Val<'_>) -> Option<f64> {
    let one = defined_by(value, "dynamic_broadcast_in_dim").map_or(value, |made| made.operand(0));
    splat(one)?.float()
}

/// The variable and the exponent of a power that is written as products.
fn power_of(value: Val<'_>) -> Option<(Val<'_>, u16)> {
    let made = op::defining_op(value).filter(|(made, _)| made.is_hlo("multiply"));
    let Some((made, _)) = made else {
        return Some((value, 1));
    };
    let (x, n) = power_of(made.operand(0))?;
    // A square of a square and so on: the second factor is the first one again.
    if op::key(made.operand(0)) == op::key(made.operand(1)) {
        return Some((x, n.checked_mul(2)?));
    }
    let (y, k) = power_of(made.operand(1))?;
    (op::key(x) == op::key(y)).then_some((x, n.checked_add(k)?))
}
