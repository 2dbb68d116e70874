//! Element-wise operations, by their derivatives.

use super::{calls, factors::beside, reverse::Reverse};
use crate::{
    canonical::known::defined_by,
    rewrite::{Result, fail},
};
use mapwright_indexing::Extent;
use mapwright_mlir::{ElementType, Op, Val, op};
use mapwright_ops::registry::{self, Class};
use std::f64::consts::PI;

/// The operations of CHLO that have a rule here or beside it; the others become StableHLO before.
pub(super) const OF_CHLO: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "conj",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "lgamma",
    "next_after",
    "polygamma",
    "sinh",
    "square",
    "tan",
    "top_k",
    "zeta",
];

impl<'c> Reverse<'c> {
    /// `given` times the derivative by operand `k`; `None` where that is zero almost everywhere.
    pub(super) fn elementwise(
        &self,
        op: Op<'c>,
        k: usize,
        given: Val<'c>,
    ) -> Result<'c, Option<Val<'c>>> {
        let by_dividend = (op.short_name(), k) == ("divide", 0);
        if (op.short_name(), k) == ("divide", 1) && self.by_divisor(op, given)? {
            return Ok(None);
        }
        if !by_dividend && let Some((x, slope)) = self.by_inner(op, &|x| self.is_active(x)) {
            let part = self.m.same("multiply", &[given, slope]);
            self.give(x, self.masked(op, x, part));
            return Ok(None);
        }
        self.by_formula(op, k, given)
    }

    /// Returns `given` times the derivative by operand `k`, as [`Reverse::elementwise`], always as
    /// a product.
    pub(super) fn by_formula(
        &self,
        op: Op<'c>,
        k: usize,
        given: Val<'c>,
    ) -> Result<'c, Option<Val<'c>>> {
        if let Some(part) = self.of_parts(op, k, given) {
            return Ok(Some(part));
        }
        let m = &self.m;
        let (element, shape) = m.type_of(given);
        let x = op.operands();
        let y = op.result(0);
        let c = |value: f64| m.number(value, &element, &shape);
        // What is multiplied and divided by the same is neither: it may be zero or infinite.
        let mul = |a: Val<'c>, b: Val<'c>| {
            let whole = quotient_by(a, b).or_else(|| quotient_by(b, a));
            whole.unwrap_or_else(|| m.same("multiply", &[a, b]))
        };
        let div = |a: Val<'c>, b: Val<'c>| {
            product_with(a, b).unwrap_or_else(|| m.same("divide", &[a, b]))
        };
        let one = |name: &str, a: Val<'c>| m.same(name, &[a]);
        let neg = |a: Val<'c>| one("negate", a);
        let chlo = |name: &str, operands: &[Val<'c>]| m.b.same(&format!("chlo.{name}"), operands);
        let zero = || m.zeros(&element, &shape);
        // What has no cotangent has none, whatever it is multiplied by: approximations of functions
        // at the ends of their ranges.
        let if_any = |part: Val<'c>| {
            let none = m.compare("EQ", given, zero());
            m.select(none, zero(), part)
        };
        // Neither have roots of zero, in branches that were not selected. Elsewhere the slope
        // itself counts, for derivatives of the derivative.
        let of_root = |part: Val<'c>| {
            let none = m.compare("EQ", given, zero());
            let none = m.and(none, m.compare("EQ", y, zero()));
            m.select(none, zero(), part)
        };
        Ok(Some(match (op.short_name(), k) {
            ("add", _) | ("subtract", 0) => given,
            ("subtract" | "negate", _) => neg(given),
            ("multiply", k) if is_infinite(&constant_text(x[1 - k])) => {
                if_any(mul(given, x[1 - k]))
            }
            ("multiply", k) => mul(given, x[1 - k]),
            ("divide", 0) => div(given, x[1]),
            ("divide", _) => neg(mul(given, div(y, x[1]))),
            ("remainder", 0) => given,
            ("remainder", _) => {
                let quotient = div(x[0], x[1]);
                let whole = mul(one("sign", quotient), one("floor", one("abs", quotient)));
                neg(mul(given, whole))
            }
            ("exponential", _) => mul(given, y),
            ("exponential_minus_one", _) => mul(given, m.add(y, c(1.0))),
            ("log", _) => div(given, x[0]),
            ("log_plus_one", _) => div(given, m.add(x[0], c(1.0))),
            ("sqrt", _) => of_root(div(mul(given, c(0.5)), y)),
            ("rsqrt", _) => mul(mul(given, c(-0.5)), div(y, x[0])),
            ("cbrt", _) => of_root(div(div(div(given, c(3.0)), y), y)),
            ("tanh", _) => mul(given, m.sub(c(1.0), mul(y, y))),
            ("logistic", _) => mul(given, mul(y, m.sub(c(1.0), y))),
            ("sine", _) => mul(given, one("cosine", x[0])),
            ("cosine", _) => neg(mul(given, one("sine", x[0]))),
            ("tan", _) => mul(given, m.add(c(1.0), mul(y, y))),
            // At zero that from above, so that what is smooth in `x` and written by its magnitude
            // has the right derivative of the derivative.
            ("abs", _) => {
                let at_zero = m.compare("EQ", x[0], zero());
                mul(given, m.select(at_zero, c(1.0), one("sign", x[0])))
            }
            ("power", 0) => {
                // Of the zeroth power it is zero, also where the base is zero or no number.
                let none = m.compare("EQ", x[1], zero());
                let some = m.compare("NE", one("abs", x[0]), zero());
                let number = m.compare("EQ", x[0], x[0]);
                let none = m.and(none, m.same("not", &[m.and(some, number)]));
                let base = m.select(none, c(1.0), x[0]);
                let slope = m.same("power", &[base, m.sub(x[1], c(1.0))]);
                mul(given, mul(x[1], slope))
            }
            ("power", _) => {
                let none = m.compare("EQ", x[0], zero());
                mul(given, mul(y, one("log", m.select(none, c(1.0), x[0]))))
            }
            ("atan2", k) => {
                let square = m.add(mul(x[0], x[0]), mul(x[1], x[1]));
                let other = div(mul(given, x[1 - k]), square);
                if k == 0 { other } else { neg(other) }
            }
            // Of equal ones each has half, and none where the function is named after one that
            // hands nothing on there.
            ("maximum" | "minimum", k) => {
                let direction = match op.short_name() {
                    "maximum" => "GT",
                    _ => "LT",
                };
                let wins = m.compare(direction, x[k], x[1 - k]);
                let equal = m.compare("EQ", x[k], x[1 - k]);
                let of_equal = match op.attribute(calls::NONE_OF_EQUAL) {
                    Some(_) => zero(),
                    None => m.select(equal, mul(given, c(0.5)), zero()),
                };
                m.select(wins, given, of_equal)
            }
            ("select", 1) => m.select(x[0], given, zero()),
            ("select", 2) => m.select(x[0], zero(), given),
            ("clamp", k) => {
                let spread = |x: Val<'c>| {
                    let rank = m.type_of(x).1.len() as i64;
                    m.broadcast(x, &(0..rank).collect::<Vec<_>>(), &shape)
                };
                let (low, high) = (spread(x[0]), spread(x[2]));
                match k {
                    1 => {
                        let inside = m.and(m.compare("GT", x[1], low), m.compare("LT", x[1], high));
                        m.select(inside, given, zero())
                    }
                    _ => {
                        let (direction, bound) = if k == 0 { ("LT", low) } else { ("GT", high) };
                        let beyond = m.compare(direction, x[1], bound);
                        let part = m.select(beyond, given, zero());
                        let spread = m.type_of(x[k]).1 != shape;
                        if spread { m.total(part) } else { part }
                    }
                }
            }
            ("reduce_precision", _) => {
                let names = ["exponent_bits", "mantissa_bits"];
                let bits: Vec<_> = names
                    .into_iter()
                    .filter_map(|name| Some((name, op.attribute(name)?)))
                    .collect();
                m.op("reduce_precision", &[given], &element, &shape, &bits)
            }
            ("square", _) => mul(given, m.add(x[0], x[0])),
            ("acos" | "asin", _) => {
                let rest = mul(m.sub(c(1.0), x[0]), m.add(c(1.0), x[0]));
                let slope = mul(given, one("rsqrt", rest));
                if op.short_name() == "asin" {
                    slope
                } else {
                    neg(slope)
                }
            }
            ("atan", _) => div(given, m.add(c(1.0), mul(x[0], x[0]))),
            ("sinh", _) => mul(given, chlo("cosh", &x)),
            ("cosh", _) => mul(given, chlo("sinh", &x)),
            ("asinh", _) => mul(given, one("rsqrt", m.add(mul(x[0], x[0]), c(1.0)))),
            ("acosh", _) => {
                let rest = mul(m.sub(x[0], c(1.0)), m.add(x[0], c(1.0)));
                mul(given, one("rsqrt", rest))
            }
            ("atanh", _) => {
                // One factor after the other: their product is infinite where each is only large.
                div(div(given, m.sub(c(1.0), x[0])), m.add(c(1.0), x[0]))
            }
            ("erf" | "erfc", _) => {
                let sign = if op.short_name() == "erf" { 1.0 } else { -1.0 };
                let bell = one("exponential", neg(mul(x[0], x[0])));
                mul(given, mul(c(sign * 2.0 / PI.sqrt()), bell))
            }
            ("erf_inv", _) => {
                let bell = one("exponential", mul(y, y));
                mul(given, mul(c(PI.sqrt() / 2.0), bell))
            }
            ("lgamma", _) => mul(given, chlo("digamma", &x)),
            ("digamma", _) => mul(given, chlo("polygamma", &[c(1.0), x[0]])),
            ("polygamma", 1) => {
                let order = m.add(x[0], c(1.0));
                mul(given, chlo("polygamma", &[order, x[1]]))
            }
            ("zeta", 1) => {
                let order = m.add(x[0], c(1.0));
                neg(mul(given, mul(x[0], chlo("zeta", &[order, x[1]]))))
            }
            ("floor" | "ceil" | "sign" | "round_nearest_afz" | "round_nearest_even", _)
            | ("is_finite" | "is_inf" | "is_pos_inf" | "is_neg_inf" | "compare", _) => {
                return Ok(None);
            }
            ("polygamma" | "zeta", _) => {
                return fail(op, "has no rule of differentiation by its order");
            }
            _ => return fail(op, "has no rule of differentiation"),
        }))
    }
}

impl<'c> Reverse<'c> {
    /// The cotangent of the divisors of `op` where these are fewer than the quotients, each
    /// repeated: what its quotients say is summed before it is divided, once for each divisor.
    /// False where it is not so.
    fn by_divisor(&self, op: Op<'c>, given: Val<'c>) -> Result<'c, bool> {
        let m = &self.m;
        let count = |value: Val<'c>| {
            let size: Extent = m.type_of(value).1.iter().product();
            size.as_constant()
        };
        let mut divisor = op.operand(1);
        let mut moves = Vec::new();
        while let Some((made, _)) = op::defining_op(divisor)
            && registry::lookup(made).map(|def| def.class) == Some(Class::Movement)
            && made.num_operands() == 1
            && beside(made, op)
            && self.is_active(made.operand(0))
        {
            moves.push(made);
            divisor = made.operand(0);
        }
        let counts = (count(divisor), count(given));
        if moves.is_empty() || !matches!(counts, (Some(own), Some(all)) if own < all) {
            return Ok(false);
        }
        let mut sum = m.same("multiply", &[given, op.operand(0)]);
        for made in moves {
            sum = self.of_movement(made, sum)?;
        }
        let quotient = m.same("divide", &[sum, divisor]);
        let part = m.same("divide", &[quotient, divisor]);
        self.give(divisor, m.same("negate", &[part]));
        Ok(true)
    }
}

/// `a` of a quotient `a / d`.
fn quotient_by<'c>(value: Val<'c>, d: Val<'c>) -> Option<Val<'c>> {
    let made = defined_by(value, "divide")?;
    (op::key(made.operand(1)) == op::key(d)).then(|| made.operand(0))
}

/// `a` of a product `a x` or `x a`.
fn product_with<'c>(value: Val<'c>, x: Val<'c>) -> Option<Val<'c>> {
    let made = defined_by(value, "multiply")?;
    let (a, b) = (made.operand(0), made.operand(1));
    match (op::key(a) == op::key(x), op::key(b) == op::key(x)) {
        (_, true) => Some(a),
        (true, _) => Some(b),
        _ => None,
    }
}

/// Tells whether a constant, as MLIR writes it, is infinite everywhere.
pub(super) fn is_infinite(text: &str) -> bool {
    let bits = [
        "7FF0000000000000",
        "FFF0000000000000",
        "7F800000",
        "FF800000",
        "7F80",
        "FF80",
        "7C00",
        "FC00",
    ];
    let value = text.strip_prefix("dense<0x");
    let value = value
        .and_then(|rest| rest.split_once('>'))
        .map(|(value, _)| value);
    value.is_some_and(|value| bits.contains(&value))
}

/// The text of a constant.
fn constant_text(value: Val<'_>) -> String {
    let made = op::defining_op(value).filter(|_| op::is_constant(value));
    made.and_then(|(made, _)| made.text("value"))
        .unwrap_or_default()
}

/// Tells whether elements of this type are complex.
pub(super) fn is_complex(element: &ElementType) -> bool {
    matches!(element, ElementType::Complex(_))
}
