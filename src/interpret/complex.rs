//! Complex numbers: textbook definitions in `f64`, and care where the textbook formula leaves the range.

use crate::{Error, Result, value::Scalar};
use mapwright_mlir::ElementType;

type C = (f64, f64);

fn mul(a: C, b: C) -> C {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn abs(a: C) -> f64 {
    a.0.hypot(a.1)
}

/// Smith's division, which scales by the larger part of the divisor. What is divided by zero is infinite, as in annex G of the C standard.
fn div(a: C, b: C) -> C {
    if b == (0.0, 0.0) {
        let infinite = f64::INFINITY.copysign(b.0);
        return (infinite * a.0, infinite * a.1);
    }
    if b.0.abs() >= b.1.abs() {
        let r = b.1 / b.0;
        let d = b.0 + b.1 * r;
        ((a.0 + a.1 * r) / d, (a.1 - a.0 * r) / d)
    } else {
        let r = b.0 / b.1;
        let d = b.0 * r + b.1;
        ((a.0 * r + a.1) / d, (a.1 * r - a.0) / d)
    }
}

fn exp(a: C) -> C {
    let e = a.0.exp();
    match a.1 == 0.0 {
        true => (e, a.1),
        // Zero, whatever the direction.
        false if a.0 == f64::NEG_INFINITY && !a.1.is_finite() => (0.0, 0.0),
        false => (e * a.1.cos(), e * a.1.sin()),
    }
}

fn log(a: C) -> C {
    let length = abs(a);
    let re = match length > 0.5 && length < 2.0 {
        // Near the unit circle the length has lost what its logarithm is made of.
        true => {
            let (x, y) = (a.0.abs(), a.1.abs());
            let (x, y) = (x.max(y), x.min(y));
            ((x - 1.0) * (x + 1.0) + y * y).ln_1p() / 2.0
        }
        false => length.ln(),
    };
    (re, a.1.atan2(a.0))
}

/// `-i log((x + i y) / sqrt(x² + y²))`; the imaginary part from `|x + i y|² - |x - i y|²`, which cancels in the definition.
fn atan2(y: C, x: C) -> C {
    let (plus, minus) = ((x.0 - y.1, x.1 + y.0), (x.0 + y.1, x.1 - y.0));
    let size = sqrt((mul(x, x).0 + mul(y, y).0, mul(x, x).1 + mul(y, y).1));
    let re = log(div(plus, size)).1;
    let excess = x.0 * y.1 - x.1 * y.0;
    let shorter = abs(plus).min(abs(minus));
    let im = (4.0 * excess.abs() / (shorter * shorter)).ln_1p() / 4.0;
    (re, im.copysign(excess))
}

/// The principal square root.
fn sqrt(a: C) -> C {
    if a == (0.0, 0.0) {
        return (0.0, a.1);
    }
    let half = (abs(a) + a.0.abs()) / 2.0;
    let t = half.sqrt();
    match a.0 >= 0.0 {
        true => (t, a.1 / (2.0 * t)),
        false => (a.1.abs() / (2.0 * t), t.copysign(a.1)),
    }
}

fn tanh(a: C) -> C {
    // (sinh 2x + i sin 2y) / (cosh 2x + cos 2y), whose quotient tends to +-1.
    if a.0.abs() > 20.0 {
        let shrink = 4.0 * (-2.0 * a.0.abs()).exp();
        return (1f64.copysign(a.0), (a.1.sin() * a.1.cos()) * shrink);
    }
    let (t, s) = (a.1.tan(), a.0.sinh());
    let beta = 1.0 + t * t;
    let rho = (1.0 + s * s).sqrt();
    let d = 1.0 + beta * s * s;
    (beta * rho * s / d, t / d)
}

/// `-i z`.
fn turned_back(a: C) -> C {
    (a.1, -a.0)
}

/// `i z`.
fn turned(a: C) -> C {
    (-a.1, a.0)
}

/// The inverse functions are Kahan's formulas ("Branch cuts for complex elementary functions").
fn asin(z: C) -> C {
    let (p, q) = (sqrt((1.0 - z.0, -z.1)), sqrt((1.0 + z.0, z.1)));
    let im = mul((p.0, -p.1), q).1.asinh();
    (z.0.atan2(mul(p, q).0), im)
}

fn acos(z: C) -> C {
    let (p, q) = (sqrt((1.0 - z.0, -z.1)), sqrt((1.0 + z.0, z.1)));
    (2.0 * p.0.atan2(q.0), mul((q.0, -q.1), p).1.asinh())
}

fn acosh(z: C) -> C {
    let (p, q) = (sqrt((z.0 - 1.0, z.1)), sqrt((z.0 + 1.0, z.1)));
    (mul((p.0, -p.1), q).0.asinh(), 2.0 * p.1.atan2(q.0))
}

fn atanh(z: C) -> C {
    // Of the magnitude: near -1 the logarithm's argument would cancel.
    let (x, y) = (z.0.abs(), z.1);
    let re = (4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)).ln_1p() / 4.0;
    (
        re.copysign(z.0),
        (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y) / 2.0,
    )
}

/// `name` on complex numbers; `y` is `x` again for operations of one operand.
pub fn apply(name: &str, element: &ElementType, x: C, y: C) -> Result<Scalar> {
    let value = match name {
        "add" => (x.0 + y.0, x.1 + y.1),
        "subtract" => (x.0 - y.0, x.1 - y.1),
        "multiply" | "square" => mul(x, y),
        "divide" => div(x, y),
        "negate" => (-x.0, -x.1),
        "conj" => (x.0, -x.1),
        "abs" => return Ok(Scalar::Real(abs(x))),
        "real" => return Ok(Scalar::Real(x.0)),
        "imag" => return Ok(Scalar::Real(x.1)),
        "exponential" => exp(x),
        "exponential_minus_one" => {
            // e^x cos y - 1 = expm1(x) cos y - 2 sin^2(y / 2).
            let half = (x.1 / 2.0).sin();
            (
                x.0.exp_m1() * x.1.cos() - 2.0 * half * half,
                x.0.exp() * x.1.sin(),
            )
        }
        "log" => log(x),
        "log_plus_one" => {
            // log |1 + z|^2 = log1p(x (2 + x) + y^2).
            let re = 0.5 * (x.0 * (2.0 + x.0) + x.1 * x.1).ln_1p();
            (re, x.1.atan2(1.0 + x.0))
        }
        "sqrt" => sqrt(x),
        "cbrt" => match x == (0.0, 0.0) {
            true => x,
            // The principal one: a third of the angle.
            false => {
                let (size, angle) = (abs(x).cbrt(), x.1.atan2(x.0) / 3.0);
                (size * angle.cos(), size * angle.sin())
            }
        },
        "rsqrt" => div((1.0, 0.0), sqrt(x)),
        "cosine" => (x.0.cos() * x.1.cosh(), -(x.0.sin() * x.1.sinh())),
        "sine" => (x.0.sin() * x.1.cosh(), x.0.cos() * x.1.sinh()),
        "sinh" => (x.0.sinh() * x.1.cos(), x.0.cosh() * x.1.sin()),
        "cosh" => (x.0.cosh() * x.1.cos(), x.0.sinh() * x.1.sin()),
        "asin" => asin(x),
        "acos" => acos(x),
        "acosh" => acosh(x),
        "atanh" => atanh(x),
        "asinh" => turned_back(asin(turned(x))),
        "atan" => turned_back(atanh(turned(x))),
        "atan2" => atan2(x, y),
        "tan" => {
            // tan z = -i tanh(i z).
            let t = tanh((-x.1, x.0));
            (t.1, -t.0)
        }
        "tanh" => tanh(x),
        // The exponential of what is far left of zero, before its inverse leaves the range.
        "logistic" if x.0 < -300.0 => exp(x),
        "logistic" => {
            let e = exp((-x.0, -x.1));
            div((1.0, 0.0), (1.0 + e.0, e.1))
        }
        "power" => match (x == (0.0, 0.0), y == (0.0, 0.0)) {
            (_, true) => (1.0, 0.0),
            (true, _) => (0.0, 0.0),
            _ => {
                let exponent = mul(y, log(x));
                match crate::power::power(x, y) {
                    // A zero keeps its sign.
                    Some((re, _)) if exponent.1 == 0.0 => (re, exponent.1),
                    Some(found) => found,
                    None => exp(exponent),
                }
            }
        },
        "sign" => match abs(x) {
            0.0 => (0.0, 0.0),
            r => (x.0 / r, x.1 / r),
        },
        "maximum" => match crate::elementwise::compare(
            crate::elementwise::Direction::Ge,
            false,
            Scalar::Complex(x.0, x.1),
            Scalar::Complex(y.0, y.1),
        )? {
            true => x,
            false => y,
        },
        "minimum" => match crate::elementwise::compare(
            crate::elementwise::Direction::Le,
            false,
            Scalar::Complex(x.0, x.1),
            Scalar::Complex(y.0, y.1),
        )? {
            true => x,
            false => y,
        },
        "is_finite" => return Ok(Scalar::Bool(x.0.is_finite() && x.1.is_finite())),
        _ => {
            return Err(Error::plain(format!(
                "'{name}' on {element} is not defined"
            )));
        }
    };
    Ok(Scalar::Complex(value.0, value.1))
}
