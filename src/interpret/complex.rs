//! Complex numbers: textbook definitions in `f64`, and care where the textbook formula leaves the
//! range.

use crate::{Error, Result, value::Scalar};
use mapwright_mlir::ElementType;

type C = (f64, f64);

fn mul(a: C, b: C) -> C {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn abs(a: C) -> f64 {
    a.0.hypot(a.1)
}

fn is_infinite(a: C) -> bool {
    a.0.is_infinite() || a.1.is_infinite()
}

fn is_finite(a: C) -> bool {
    a.0.is_finite() && a.1.is_finite()
}

/// The square of a number; parts of one size have squares of one size.
fn square(a: C) -> C {
    let re = if a.0.abs() == a.1.abs() && a.0.is_finite() {
        0.0
    } else {
        (a.0 - a.1) * (a.0 + a.1)
    };
    (re, 2.0 * (a.0 * a.1))
}

/// The product of two factors of a part, zero where one of them is.
fn product(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 {
        0f64.copysign(1f64.copysign(x) * 1f64.copysign(y))
    } else {
        x * y
    }
}

/// Division, where what is infinite over what is finite is infinite, as in annex G of the C
/// standard.
fn div(a: C, b: C) -> C {
    let quotient = by_larger(a, b);
    if quotient.0.is_nan() && quotient.1.is_nan() && is_infinite(a) && is_finite(b) {
        let unit = |x: f64| f64::from(u8::from(x.is_infinite())).copysign(x);
        let (re, im) = (unit(a.0), unit(a.1));
        let far = |x: f64| f64::INFINITY * x;
        return (far(re * b.0 + im * b.1), far(im * b.0 - re * b.1));
    }
    quotient
}

/// Smith's division, which scales by the larger part of the divisor. What is divided by zero is
/// infinite, what is finite over what is infinite zero, as in annex G of the C standard.
fn by_larger(a: C, b: C) -> C {
    if is_infinite(b) && is_finite(a) {
        return (0.0, 0.0);
    }
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
    if a.1 == 0.0 {
        return (a.0.exp(), a.1);
    }
    match a.0 {
        // Zero, whatever the direction.
        f64::NEG_INFINITY => (0.0, 0.0),
        f64::INFINITY if !a.1.is_finite() => (a.0, f64::NAN),
        // In two factors: one alone would be infinite.
        x if x > 700.0 => {
            let half = (x / 2.0).exp();
            (half * a.1.cos() * half, half * a.1.sin() * half)
        }
        x => (x.exp() * a.1.cos(), x.exp() * a.1.sin()),
    }
}

/// `cosh x cos y + i sinh x sin y`, also where `cosh x` alone would be infinite.
fn cosh(a: C) -> C {
    if a.0.is_infinite() && !a.1.is_finite() {
        (f64::INFINITY, f64::NAN)
    } else {
        let (cosh, sinh, factor) = hyperbolic(a.0);
        (
            product(factor, product(cosh, a.1.cos())),
            product(factor, product(sinh, a.1.sin())),
        )
    }
}

/// `sinh x cos y + i cosh x sin y`, likewise.
fn sinh(a: C) -> C {
    if a.0.is_infinite() && !a.1.is_finite() {
        (a.0, f64::NAN)
    } else {
        let (cosh, sinh, factor) = hyperbolic(a.0);
        (
            product(factor, product(sinh, a.1.cos())),
            product(factor, product(cosh, a.1.sin())),
        )
    }
}

/// Hyperbolic cosine and sine, divided by the third number.
fn hyperbolic(x: f64) -> (f64, f64, f64) {
    if x.abs() > 700.0 && x.is_finite() {
        let half = (x.abs() / 2.0).exp();
        (half / 2.0, (half / 2.0).copysign(x), half)
    } else {
        (x.cosh(), x.sinh(), 1.0)
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
        false if length == f64::INFINITY && is_finite(a) => {
            (a.0 / 2.0).hypot(a.1 / 2.0).ln() + std::f64::consts::LN_2
        }
        // Of the least numbers the length has few bits.
        false if length < 2f64.powi(-1000) => {
            let many = 2f64.powi(60);
            (a.0 * many).hypot(a.1 * many).ln() - 60.0 * std::f64::consts::LN_2
        }
        false => length.ln(),
    };
    (re, a.1.atan2(a.0))
}

/// `-i log((x + i y) / sqrt(x² + y²))`; the imaginary part from `|x + i y|² - |x - i y|²`, which
/// cancels in the definition.
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
    if a.1.is_infinite() {
        return (f64::INFINITY, a.1);
    }
    if a.0.is_infinite() {
        // Zero, or NaN.
        let none = 0.0 * a.1;
        return if a.0 > 0.0 {
            (a.0, none)
        } else {
            (none.abs(), f64::INFINITY.copysign(a.1))
        };
    }
    if a.0.is_nan() || a.1.is_nan() {
        return (f64::NAN, f64::NAN);
    }
    // Without sums that leave the range, or squares of subnormal numbers.
    let largest = a.0.abs().max(a.1.abs());
    if largest > 1e300 {
        let root = sqrt((a.0 / 16.0, a.1 / 16.0));
        return (root.0 * 4.0, root.1 * 4.0);
    }
    if largest < 1e-290 {
        let up = 2f64.powi(108);
        let root = sqrt((a.0 * up, a.1 * up));
        return (root.0 / 2f64.powi(54), root.1 / 2f64.powi(54));
    }
    let half = (abs(a) + a.0.abs()) / 2.0;
    let t = half.sqrt();
    if a.0 >= 0.0 {
        (t, a.1 / (2.0 * t))
    } else {
        (a.1.abs() / (2.0 * t), t.copysign(a.1))
    }
}

fn tanh(a: C) -> C {
    // (sinh 2x + i sin 2y) / (cosh 2x + cos 2y), whose quotient tends to +-1.
    if a.0.abs() > 20.0 {
        let shrink = 4.0 * (-2.0 * a.0.abs()).exp();
        let turn = if a.0.is_infinite() && !a.1.is_finite() {
            0.0
        } else {
            a.1.sin() * a.1.cos()
        };
        // No number where the sine is none.
        return (1f64.copysign(a.0) + 0.0 * turn, turn * shrink);
    }
    if a.0 == 0.0 || a.1 == 0.0 {
        return (a.0.tanh(), a.1.tan());
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

/// Beyond this, and at infinities, the inverse functions are what their logarithms tend to.
const FAR: f64 = 1e100;

/// `log 2 |z|` of a number that is [`FAR`], and its direction as numbers of a moderate size: of an
/// infinite number the axis or the diagonal.
fn far(z: C) -> Option<(f64, C)> {
    let size = z.0.abs().max(z.1.abs());
    // (The maximum leaves NaN out.)
    if is_infinite(z) {
        let part = |x: f64| {
            if x.is_infinite() {
                1f64.copysign(x)
            } else {
                0.0 * x
            }
        };
        return Some((f64::INFINITY, (part(z.0), part(z.1))));
    }
    (size > FAR && is_finite(z)).then(|| {
        let to = (z.0 / size, z.1 / size);
        (size.ln() + abs(to).ln() + std::f64::consts::LN_2, to)
    })
}

/// The inverse functions are Kahan's formulas ("Branch cuts for complex elementary functions"), and
/// far away the logarithms.
fn asin(z: C) -> C {
    if let Some((log, to)) = far(z) {
        return (to.0.atan2(to.1.abs()), log.copysign(z.1));
    }
    let (p, q) = (sqrt((1.0 - z.0, -z.1)), sqrt((1.0 + z.0, z.1)));
    let im = mul((p.0, -p.1), q).1.asinh();
    // On the imaginary axis the real part is zero, also where the other one is no number.
    if z.0 == 0.0 {
        (z.0, im)
    } else {
        (z.0.atan2(mul(p, q).0), im)
    }
}

fn acos(z: C) -> C {
    if let Some((log, to)) = far(z) {
        return (to.1.abs().atan2(to.0), -log.copysign(z.1));
    }
    let (p, q) = (sqrt((1.0 - z.0, -z.1)), sqrt((1.0 + z.0, z.1)));
    let re = if z.0 == 0.0 {
        std::f64::consts::FRAC_PI_2
    } else {
        2.0 * p.0.atan2(q.0)
    };
    (re, mul((q.0, -q.1), p).1.asinh())
}

fn acosh(z: C) -> C {
    if let Some((log, to)) = far(z) {
        return (log, to.1.atan2(to.0));
    }
    let (p, q) = (sqrt((z.0 - 1.0, z.1)), sqrt((z.0 + 1.0, z.1)));
    let im = if z.0 == 0.0 {
        std::f64::consts::FRAC_PI_2.copysign(z.1)
    } else {
        2.0 * p.1.atan2(q.0)
    };
    (mul((p.0, -p.1), q).0.asinh(), im)
}

fn atanh(z: C) -> C {
    use std::f64::consts::FRAC_PI_2;
    if let Some((log, to)) = far(z) {
        // As 1 / z, a quarter turned.
        let re = if log == f64::INFINITY {
            0f64.copysign(z.0)
        } else {
            z.0 / abs(z) / abs(z)
        };
        let up = FRAC_PI_2.copysign(z.1);
        return (
            re,
            if z.1.is_infinite() {
                up
            } else {
                to.1 * 0.0 + up
            },
        );
    }
    // Of the magnitude: near -1 the logarithm's argument would cancel.
    let (x, y) = (z.0.abs(), z.1);
    let distance = abs((1.0 - x, y));
    let re = match distance < 1e-150 {
        // Its square would be zero.
        true => ((4.0 * x).ln() - 2.0 * distance.ln()) / 4.0,
        false if x == 0.0 => x,
        false => (4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)).ln_1p() / 4.0,
    };
    (
        re.copysign(z.0),
        (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y) / 2.0,
    )
}

/// `z^w`: of 1, and to the exponent 0, it is 1; of positive numbers to real exponents it is the
/// real power.
fn power(z: C, w: C) -> C {
    if w == (0.0, 0.0) || z == (1.0, 0.0) {
        return (1.0, 0.0);
    }
    if z == (0.0, 0.0) && w.0 > 0.0 {
        return (0.0, 0.0);
    }
    if z.0 > 0.0 && z.1 == 0.0 && w.1 == 0.0 && !(is_finite(z) && is_finite(w)) {
        return (z.0.powf(w.0), 0.0);
    }
    let exponent = mul(w, log(z));
    match crate::power::power(z, w) {
        // A zero keeps its sign.
        Some((re, _)) if exponent.1 == 0.0 => (re, exponent.1),
        Some(found) => found,
        None => exp(exponent),
    }
}

/// `name` on complex numbers; `y` is `x` again for operations of one operand.
pub fn apply(name: &str, element: &ElementType, x: C, y: C) -> Result<Scalar> {
    let value = match name {
        "add" => (x.0 + y.0, x.1 + y.1),
        "subtract" => (x.0 - y.0, x.1 - y.1),
        "multiply" => mul(x, y),
        "square" => square(x),
        "divide" => div(x, y),
        "negate" => (-x.0, -x.1),
        "conj" => (x.0, -x.1),
        "abs" => return Ok(Scalar::Real(abs(x))),
        "real" => return Ok(Scalar::Real(x.0)),
        "imag" => return Ok(Scalar::Real(x.1)),
        "exponential" => exp(x),
        "exponential_minus_one" if x.0.is_infinite() || x.1 == 0.0 => {
            if x.1 == 0.0 {
                (x.0.exp_m1(), x.1)
            } else {
                (exp(x).0 - 1.0, exp(x).1)
            }
        }
        "exponential_minus_one" => {
            // e^x cos y - 1 = expm1(x) cos y - 2 sin^2(y / 2).
            let half = (x.1 / 2.0).sin();
            (
                x.0.exp_m1() * x.1.cos() - 2.0 * half * half,
                x.0.exp() * x.1.sin(),
            )
        }
        "log" => log(x),
        "log_plus_one" if x.0.abs().max(x.1.abs()) >= FAR => log((1.0 + x.0, x.1)),
        "log_plus_one" => {
            // log |1 + z|^2 = log1p(x (2 + x) + y^2).
            let length = abs((1.0 + x.0, x.1));
            let re = if length < 0.5 {
                // The square of a small one would be lost beside the other terms.
                length.ln()
            } else {
                0.5 * (x.0 * (2.0 + x.0) + x.1 * x.1).ln_1p()
            };
            (re, x.1.atan2(1.0 + x.0))
        }
        "sqrt" => sqrt(x),
        "cbrt" => {
            if x == (0.0, 0.0) {
                x
            } else {
                // The principal one: a third of the angle.

                let (size, angle) = (abs(x).cbrt(), x.1.atan2(x.0) / 3.0);
                (size * angle.cos(), size * angle.sin())
            }
        }
        "rsqrt" => div((1.0, 0.0), sqrt(x)),
        "cosine" => cosh(turned(x)),
        "sine" => turned_back(sinh(turned(x))),
        "sinh" => sinh(x),
        "cosh" => cosh(x),
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
        "logistic" if x.0.is_infinite() && !x.1.is_finite() => {
            (f64::from(u8::from(x.0 > 0.0)), 0.0)
        }
        "logistic" if x.0 < -300.0 => exp(x),
        "logistic" => {
            let e = exp((-x.0, -x.1));
            div((1.0, 0.0), (1.0 + e.0, e.1))
        }
        "power" => power(x, y),
        "sign" => match abs(x) {
            0.0 => (0.0, 0.0),
            r => (x.0 / r, x.1 / r),
        },
        "maximum" => {
            if crate::elementwise::compare(
                crate::elementwise::Direction::Ge,
                false,
                Scalar::Complex(x.0, x.1),
                Scalar::Complex(y.0, y.1),
            )? {
                x
            } else {
                y
            }
        }
        "minimum" => {
            if crate::elementwise::compare(
                crate::elementwise::Direction::Le,
                false,
                Scalar::Complex(x.0, x.1),
                Scalar::Complex(y.0, y.1),
            )? {
                x
            } else {
                y
            }
        }
        "is_finite" => return Ok(Scalar::Bool(x.0.is_finite() && x.1.is_finite())),
        _ => {
            return Err(Error::plain(format!(
                "'{name}' on {element} is not defined"
            )));
        }
    };
    Ok(Scalar::Complex(value.0, value.1))
}
