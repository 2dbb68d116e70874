//! Element-wise operations on plain scalars, by the name of the operation.
//!
//! Real numbers are computed in `f64` and rounded to the format once; integers in 128 bits and
//! wrapped.

use crate::{
    Error, Result, complex, formats, special,
    value::{Scalar, fit, integer},
};
use mapwright_mlir::{ElementType, FloatKind};

/// Names of the operations that [`apply`] knows (and that take one element of each operand).
pub fn is_elementwise(name: &str) -> bool {
    special::is_special(name)
        || matches!(
            name,
            "abs"
                | "acos"
                | "acosh"
                | "add"
                | "and"
                | "asin"
                | "asinh"
                | "atan"
                | "atan2"
                | "atanh"
                | "cbrt"
                | "ceil"
                | "complex"
                | "conj"
                | "cosh"
                | "cosine"
                | "count_leading_zeros"
                | "divide"
                | "exponential"
                | "exponential_minus_one"
                | "floor"
                | "imag"
                | "is_finite"
                | "is_inf"
                | "is_neg_inf"
                | "is_pos_inf"
                | "log"
                | "log_plus_one"
                | "logistic"
                | "maximum"
                | "minimum"
                | "mulhi"
                | "multiply"
                | "negate"
                | "next_after"
                | "not"
                | "or"
                | "popcnt"
                | "power"
                | "real"
                | "remainder"
                | "round_nearest_afz"
                | "round_nearest_even"
                | "rsqrt"
                | "shift_left"
                | "shift_right_arithmetic"
                | "shift_right_logical"
                | "sign"
                | "sine"
                | "sinh"
                | "sqrt"
                | "square"
                | "subtract"
                | "tan"
                | "tanh"
                | "xor"
        )
}

/// Whether the result of `name` on floats is correctly rounded, so that every implementation gives
/// the same.
pub fn is_exact(name: &str) -> bool {
    matches!(
        name,
        "abs"
            | "add"
            | "ceil"
            | "complex"
            | "conj"
            | "divide"
            | "floor"
            | "imag"
            | "maximum"
            | "minimum"
            | "multiply"
            | "negate"
            | "real"
            | "remainder"
            | "round_nearest_afz"
            | "round_nearest_even"
            | "sign"
            | "sqrt"
            | "square"
            | "subtract"
    )
}

fn unknown(name: &str, element: &ElementType) -> Error {
    Error::plain(format!("'{name}' on {element} is not defined"))
}

/// Applies `name` to elements of type `element` (that of the first operand); `result` is the type
/// of the result.
pub fn apply(
    name: &str,
    element: &ElementType,
    result: &ElementType,
    args: &[Scalar],
) -> Result<Scalar> {
    let value = match element {
        ElementType::Bool => booleans(name, element, args)?,
        ElementType::Float(kind) => {
            let x = args[0].real()?;
            let y = args.get(1).map_or(Ok(x), |y| y.real())?;
            reals(name, *kind, element, x, y)?
        }
        ElementType::Complex(_) => {
            let x = args[0].complex()?;
            let y = args.get(1).map_or(Ok(x), |y| y.complex())?;
            complex::apply(name, element, x, y)?
        }
        other => {
            let (width, unsigned) = integer(other).ok_or_else(|| unknown(name, element))?;
            let x = args[0].int()?;
            let y = args.get(1).map_or(Ok(x), |y| y.int())?;
            Scalar::Int(integers(name, element, width, unsigned, x, y)?)
        }
    };
    Ok(fit(result, value))
}

fn booleans(name: &str, element: &ElementType, args: &[Scalar]) -> Result<Scalar> {
    let x = args[0].truth()?;
    let y = args.get(1).map_or(Ok(x), |y| y.truth())?;
    Ok(Scalar::Bool(match name {
        "add" | "or" | "maximum" => x || y,
        "multiply" | "and" | "minimum" => x && y,
        "xor" => x != y,
        "not" => !x,
        _ => return Err(unknown(name, element)),
    }))
}

fn integers(
    name: &str,
    element: &ElementType,
    width: u32,
    unsigned: bool,
    x: i128,
    y: i128,
) -> Result<i128> {
    // The bits as a number that is not negative, for what looks at bits.
    let bits = |x: i128| crate::value::wrap(width, true, x);
    let least = if unsigned { 0 } else { -(1i128 << (width - 1)) };
    let inside = (0..i128::from(width)).contains(&bits(y));
    Ok(match name {
        "add" => x + y,
        "subtract" => x - y,
        "multiply" | "square" => x.wrapping_mul(y),
        "mulhi" => {
            if unsigned {
                ((x as u128).wrapping_mul(y as u128) >> width) as i128
            } else {
                x.wrapping_mul(y) >> width
            }
        }
        // By zero: all bits set; the least by -1: itself.
        "divide" => match y {
            0 => -1,
            -1 if x == least => least,
            _ => x / y,
        },
        "remainder" => match y {
            0 => x,
            _ => x % y,
        },
        "maximum" => x.max(y),
        "minimum" => x.min(y),
        "and" => x & y,
        "or" => x | y,
        "xor" => x ^ y,
        "not" => !x,
        "negate" => -x,
        "abs" => x.abs(),
        "sign" => x.signum(),
        "popcnt" => i128::from(bits(x).count_ones()),
        "count_leading_zeros" => i128::from(bits(x).leading_zeros()) - i128::from(128 - width),
        "shift_left" => {
            if inside {
                x << bits(y)
            } else {
                0
            }
        }
        "shift_right_logical" => {
            if inside {
                bits(x) >> bits(y)
            } else {
                0
            }
        }
        "shift_right_arithmetic" => {
            let signed = crate::value::wrap(width, false, x);
            signed
                >> if inside {
                    bits(y)
                } else {
                    i128::from(width - 1)
                }
        }
        "power" => power(x, y),
        _ => return Err(unknown(name, element)),
    })
}

/// Exponentiation by repeated squaring, modulo `2^128`; a negative exponent truncates the fraction.
fn power(x: i128, mut y: i128) -> i128 {
    if y < 0 {
        return match x {
            1 => 1,
            -1 => 1 - 2 * (y & 1),
            _ => 0,
        };
    }
    let (mut base, mut result) = (x, 1i128);
    while y > 0 {
        if y & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        y >>= 1;
    }
    result
}

/// IEEE 754-2019 `maximum`: NaN if one is, and `+0 > -0`.
pub fn maximum(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    match x == y {
        true if x.is_sign_negative() => y,
        true => x,
        false => x.max(y),
    }
}

/// IEEE 754-2019 `minimum`.
pub fn minimum(x: f64, y: f64) -> f64 {
    -maximum(-x, -y)
}

fn reals(name: &str, kind: FloatKind, element: &ElementType, x: f64, y: f64) -> Result<Scalar> {
    Ok(Scalar::Real(match name {
        "abs" => x.abs(),
        "add" => x + y,
        "subtract" => x - y,
        "multiply" => x * y,
        "square" => x * x,
        "divide" => x / y,
        "remainder" => x % y,
        "maximum" => maximum(x, y),
        "minimum" => minimum(x, y),
        "negate" => -x,
        "floor" => x.floor(),
        "ceil" => x.ceil(),
        "round_nearest_afz" => x.round(),
        "round_nearest_even" => x.round_ties_even(),
        "sign" => {
            if x == 0.0 || x.is_nan() {
                x
            } else {
                1f64.copysign(x)
            }
        }
        "sqrt" => x.sqrt(),
        "rsqrt" => 1.0 / x.sqrt(),
        "cbrt" => x.cbrt(),
        "exponential" => positive(kind, x, x.exp()),
        "exponential_minus_one" => x.exp_m1(),
        "log" => x.ln(),
        "log_plus_one" => x.ln_1p(),
        "sine" => x.sin(),
        "cosine" => x.cos(),
        "tan" => x.tan(),
        "tanh" => x.tanh(),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        "asinh" => asinh(x),
        "acosh" => acosh(x),
        "atanh" => atanh(x),
        "logistic" => 1.0 / (1.0 + (-x).exp()),
        "power" if x > 0.0 && x.is_finite() => positive(kind, y, x.powf(y)),
        "power" => x.powf(y),
        "atan2" => x.atan2(y),
        "real" | "conj" => x,
        "imag" => 0.0,
        "complex" => return Ok(Scalar::Complex(x, y)),
        "is_finite" => return Ok(Scalar::Bool(x.is_finite())),
        "is_inf" => return Ok(Scalar::Bool(x.is_infinite())),
        "is_pos_inf" => return Ok(Scalar::Bool(x == f64::INFINITY)),
        "is_neg_inf" => return Ok(Scalar::Bool(x == f64::NEG_INFINITY)),
        "next_after" => formats::next_after(kind, x, y),
        _ => special::apply(name, x, y).ok_or_else(|| unknown(name, element))?,
    }))
}

/// A power with a finite exponent is never zero: where it leaves the range of `f64`, a format
/// without zero gets its least number.
fn positive(kind: FloatKind, exponent: f64, value: f64) -> f64 {
    if value == 0.0 && exponent.is_finite() && kind == FloatKind::F8E8M0FNU {
        f64::MIN_POSITIVE
    } else {
        value
    }
}

/// Beyond this the square root of `x^2 + 1` is `x` to the last bit, and squares may overflow.
const LARGE: f64 = 268_435_456.0;

fn asinh(x: f64) -> f64 {
    let size = x.abs();
    let value = if size > LARGE {
        size.ln() + std::f64::consts::LN_2
    } else {
        // x + x^2 / (1 + sqrt(x^2 + 1)) is e^asinh(x) - 1 without cancellation.
        (size + size * size / (1.0 + size.hypot(1.0))).ln_1p()
    };
    value.copysign(x)
}

fn acosh(x: f64) -> f64 {
    if x > LARGE {
        return x.ln() + std::f64::consts::LN_2;
    }
    if x < 1.0 {
        return f64::NAN;
    }
    let t = x - 1.0;
    (t + (t * (t + 2.0)).sqrt()).ln_1p()
}

/// Of the magnitude: near -1 the logarithm's argument would cancel.
fn atanh(x: f64) -> f64 {
    let size = x.abs();
    (0.5 * (2.0 * size / (1.0 - size)).ln_1p()).copysign(x)
}

/// `reduce_precision` of a value of format `kind`: the mantissa to nearest even, at the places that
/// the operand's format has (fewer in a subnormal number); beyond the exponents infinity, below the
/// normal numbers zero. Every exponent of the format fits as many bits as it has.
pub fn reduce_precision(kind: FloatKind, x: f64, exponent_bits: u32, mantissa_bits: u32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let (own_exponent_bits, least) = crate::formats::exponents(kind);
    let quantum = crate::formats::power(crate::formats::exponent(x).max(least));
    // Between 1 and 2, or below 1 for a subnormal number, so that the steps are exact.
    let steps = crate::formats::power(mantissa_bits.min(52) as i32);
    let ratio = x / quantum;
    let rounded = match mantissa_bits == 0 && ratio.abs() == 1.5 {
        // Without a mantissa the even one of two powers is that whose exponent field is even;
        // biases are odd.
        true if crate::formats::exponent(x) % 2 != 0 => quantum.copysign(x),
        true => (2.0 * quantum).copysign(x),
        false => (ratio * steps).round_ties_even() / steps * quantum,
    };
    if rounded.is_infinite() || rounded == 0.0 || exponent_bits >= own_exponent_bits {
        return rounded;
    }
    let bias = (1i32 << (exponent_bits.min(11) - 1)) - 1;
    let e = crate::formats::exponent(rounded);
    if e > bias {
        f64::INFINITY.copysign(x)
    } else if e < 1 - bias {
        0f64.copysign(x)
    } else {
        rounded
    }
}

/// Comparison direction of `compare`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// At least.
    Ge,
    /// Greater.
    Gt,
    /// At most.
    Le,
    /// Less.
    Lt,
}

/// `compare`; `total` is the total order of IEEE 754.
pub fn compare(direction: Direction, total: bool, x: Scalar, y: Scalar) -> Result<bool> {
    use std::cmp::Ordering::{self, *};
    let order: Option<Ordering> = match (x, y) {
        (Scalar::Bool(x), Scalar::Bool(y)) => Some(x.cmp(&y)),
        (Scalar::Int(x), Scalar::Int(y)) => Some(x.cmp(&y)),
        (Scalar::Real(x), Scalar::Real(y)) if total => Some(x.total_cmp(&y)),
        (Scalar::Real(x), Scalar::Real(y)) => x.partial_cmp(&y),
        (Scalar::Complex(a, b), Scalar::Complex(c, d)) => {
            // Lexicographic for the order; equality needs both parts.
            match a.partial_cmp(&c) {
                Some(Equal) => b.partial_cmp(&d),
                other => other,
            }
        }
        _ => return Err(Error::plain("elements of different kinds are compared")),
    };
    Ok(match direction {
        Direction::Eq => order == Some(Equal),
        Direction::Ne => order != Some(Equal),
        Direction::Ge => matches!(order, Some(Greater | Equal)),
        Direction::Gt => order == Some(Greater),
        Direction::Le => matches!(order, Some(Less | Equal)),
        Direction::Lt => order == Some(Less),
    })
}

/// `convert` between types that are not quantized.
pub fn convert(from: &ElementType, to: &ElementType, x: Scalar) -> Result<Scalar> {
    if from == to {
        return Ok(x);
    }
    let value = match (x, to) {
        (Scalar::Bool(x), ElementType::Bool) => Scalar::Bool(x),
        (Scalar::Int(x), ElementType::Bool) => Scalar::Bool(x != 0),
        (Scalar::Real(x) | Scalar::Complex(x, _), ElementType::Bool) => Scalar::Bool(x != 0.0),
        (Scalar::Bool(x), ElementType::Float(_)) => Scalar::Real(f64::from(u8::from(x))),
        (Scalar::Bool(x), ElementType::Complex(_)) => Scalar::Complex(f64::from(u8::from(x)), 0.0),
        (Scalar::Bool(x), _) => Scalar::Int(i128::from(x)),
        (Scalar::Int(x), ElementType::Float(kind)) => Scalar::Real(integer_to_real(*kind, x)),
        (Scalar::Int(x), ElementType::Complex(kind)) => {
            Scalar::Complex(integer_to_real(*kind, x), 0.0)
        }
        (Scalar::Real(x), ElementType::Complex(_)) => Scalar::Complex(x, 0.0),
        (Scalar::Complex(re, _), ElementType::Float(_)) => Scalar::Real(re),
        (Scalar::Real(x) | Scalar::Complex(x, _), other) if integer(other).is_some() => {
            let (width, unsigned) = integer(other).unwrap_or((64, false));
            Scalar::Int(real_to_integer(width, unsigned, x))
        }
        (x, _) => x,
    };
    Ok(fit(to, value))
}

/// Towards zero, clamped to the type; NaN is 0.
fn real_to_integer(width: u32, unsigned: bool, x: f64) -> i128 {
    let (least, greatest) = if unsigned {
        (0, (1i128 << width) - 1)
    } else {
        (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    };
    // The cast of the language saturates, and NaN gives 0.
    (x as i128).clamp(least, greatest)
}

/// To a `f64` that rounds to the format as the integer itself does: bits that do not fit are folded
/// into the lowest one.
fn integer_to_real(kind: FloatKind, x: i128) -> f64 {
    if kind == FloatKind::F64 {
        return x as f64;
    }
    let magnitude = x.unsigned_abs();
    let used = 128 - magnitude.leading_zeros();
    let drop = used.saturating_sub(50);
    let kept = (magnitude >> drop) << drop;
    let sticky = u128::from(kept != magnitude) << drop;
    let folded = (kept | sticky) as f64;
    if x < 0 { -folded } else { folded }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(name: &str, width: u32, unsigned: bool, x: i128, y: i128) -> i128 {
        let ty = ElementType::Int { width, unsigned };
        match apply(name, &ty, &ty, &[Scalar::Int(x), Scalar::Int(y)]) {
            Ok(Scalar::Int(x)) => x,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn integers_at_their_edges() {
        assert_eq!(int("divide", 8, false, -128, -1), -128);
        assert_eq!(int("divide", 8, true, 7, 0), 255);
        assert_eq!(int("remainder", 8, false, -7, 2), -1);
        assert_eq!(int("remainder", 8, false, -7, 0), -7);
        assert_eq!(int("shift_left", 8, false, 1, 7), -128);
        assert_eq!(int("shift_left", 8, false, 1, 8), 0);
        assert_eq!(int("shift_left", 8, false, 1, -1), 0);
        assert_eq!(int("shift_right_arithmetic", 8, false, -128, 100), -1);
        assert_eq!(int("shift_right_logical", 8, false, -128, 7), 1);
        assert_eq!(int("count_leading_zeros", 4, false, 1, 0), 3);
        assert_eq!(int("popcnt", 8, false, -1, 0), 8);
        assert_eq!(int("power", 32, false, -1, -3), -1);
        assert_eq!(int("abs", 8, false, -128, 0), -128);
        assert_eq!(
            int("multiply", 64, true, u64::MAX.into(), u64::MAX.into()),
            1
        );
    }

    #[test]
    fn conversions_round_once() {
        let big = (1i128 << 62) + (1 << 38) + 1;
        assert_eq!(
            convert(&ElementType::int(64), &ElementType::F32, Scalar::Int(big)),
            Ok(Scalar::Real(f64::from(big as f32)))
        );
        assert_eq!(
            convert(&ElementType::F32, &ElementType::int(8), Scalar::Real(-1e9)),
            Ok(Scalar::Int(-128))
        );
    }

    #[test]
    fn zeros_have_an_order_in_max_and_min() {
        assert!(maximum(-0.0, 0.0).is_sign_positive());
        assert!(minimum(0.0, -0.0).is_sign_negative());
        assert!(maximum(f64::NAN, 1.0).is_nan());
    }
}
