//! Element-wise operations, by their derivatives.

use super::Reverse;
use crate::{
    rewrite::{Result, fail},
    tarray::make::type_of,
};
use mapwright_mlir::{Op, Val};

impl<'c> Reverse<'c> {
    /// `given` times the derivative by operand `k`; `None` where that is zero almost everywhere.
    pub(super) fn elementwise(
        &self,
        op: Op<'c>,
        k: usize,
        given: Val<'c>,
    ) -> Result<'c, Option<Val<'c>>> {
        let m = &self.m;
        let (element, shape) = type_of(given);
        let x = op.operands();
        let y = op.result(0);
        let c = |value: f64| {
            m.splat(
                &crate::hlo::float_literal(value, &element),
                &element,
                &shape,
            )
        };
        let mul = |a: Val<'c>, b: Val<'c>| m.same("multiply", &[a, b]);
        let div = |a: Val<'c>, b: Val<'c>| m.same("divide", &[a, b]);
        let one = |name: &str, a: Val<'c>| m.same(name, &[a]);
        let zero = || m.zeros(&element, &shape);
        Ok(Some(match (op.short_name(), k) {
            ("add", _) | ("subtract", 0) => given,
            ("subtract", _) | ("negate", _) => one("negate", given),
            ("multiply", k) => mul(given, x[1 - k]),
            ("divide", 0) => div(given, x[1]),
            ("divide", _) => one("negate", mul(given, div(y, x[1]))),
            ("exponential", _) => mul(given, y),
            ("exponential_minus_one", _) => mul(given, m.add(y, c(1.0))),
            ("log", _) => div(given, x[0]),
            ("log_plus_one", _) => div(given, m.add(x[0], c(1.0))),
            ("sqrt", _) => div(mul(given, c(0.5)), y),
            ("rsqrt", _) => mul(mul(given, c(-0.5)), div(y, x[0])),
            ("cbrt", _) => div(mul(given, y), mul(x[0], c(3.0))),
            ("tanh", _) => mul(given, m.sub(c(1.0), mul(y, y))),
            ("logistic", _) => mul(given, mul(y, m.sub(c(1.0), y))),
            ("sine", _) => mul(given, one("cosine", x[0])),
            ("cosine", _) => one("negate", mul(given, one("sine", x[0]))),
            ("tan", _) => mul(given, m.add(c(1.0), mul(y, y))),
            ("abs", _) => mul(given, one("sign", x[0])),
            ("power", 0) => {
                let less = m.same("power", &[x[0], m.sub(x[1], c(1.0))]);
                mul(given, mul(x[1], less))
            }
            ("power", _) => mul(given, mul(y, one("log", x[0]))),
            ("atan2", k) => {
                let square = m.add(mul(x[0], x[0]), mul(x[1], x[1]));
                let other = div(mul(given, x[1 - k]), square);
                if k == 0 { other } else { one("negate", other) }
            }
            // Of equal ones each has half.
            ("maximum" | "minimum", k) => {
                let direction = if op.short_name() == "maximum" {
                    "GT"
                } else {
                    "LT"
                };
                let wins = m.compare(direction, x[k], x[1 - k]);
                let equal = m.compare("EQ", x[k], x[1 - k]);
                let half = m.select(equal, mul(given, c(0.5)), zero());
                m.select(wins, given, half)
            }
            ("select", 1) => m.select(x[0], given, zero()),
            ("select", 2) => m.select(x[0], zero(), given),
            ("clamp", 1) => {
                let low = m.broadcast(x[0], &dims(x[0]), &shape);
                let high = m.broadcast(x[2], &dims(x[2]), &shape);
                let inside = m.and(m.compare("GT", x[1], low), m.compare("LT", x[1], high));
                m.select(inside, given, zero())
            }
            ("convert", _) => m.convert(given, &type_of(x[0]).0),
            ("reduce_precision", _) => given,
            ("floor" | "ceil" | "sign" | "round_nearest_afz" | "round_nearest_even", _) => {
                return Ok(None);
            }
            _ => return fail(op, "has no rule of differentiation"),
        }))
    }
}

/// The dimensions of a value in order.
fn dims(value: Val<'_>) -> Vec<i64> {
    (0..type_of(value).1.len() as i64).collect()
}
