//! Functions of real numbers that only CHLO has, in `f64`: by `libm`, or straight from sums and
//! integrals that define them.

use std::f64::consts::PI;

/// Names that [`apply`] knows.
pub fn is_special(name: &str) -> bool {
    matches!(
        name,
        "bessel_i1e" | "digamma" | "erf" | "erf_inv" | "erfc" | "lgamma" | "polygamma" | "zeta"
    )
}

/// The function `name` of `x`, or of `x` and `y`.
pub fn apply(name: &str, x: f64, y: f64) -> Option<f64> {
    Some(match name {
        "bessel_i1e" => bessel_i1e(x),
        "digamma" => digamma(x),
        "erf" => libm::erf(x),
        "erf_inv" => erf_inv(x),
        "erfc" => libm::erfc(x),
        "lgamma" => libm::lgamma(x),
        "polygamma" => polygamma(x, y),
        "zeta" => zeta(x, y),
        _ => return None,
    })
}

/// Newton's method on the error function, from a start that its logarithm gives.
fn erf_inv(y: f64) -> f64 {
    if y.abs() >= 1.0 || y.is_nan() {
        return if y.abs() == 1.0 {
            f64::INFINITY.copysign(y)
        } else {
            f64::NAN
        };
    }
    let log = (-y * y).ln_1p();
    let a = 4.33 + log / 2.0;
    let mut x = ((a * a - log / 0.147).sqrt() - a).sqrt().copysign(y);
    for _ in 0..60 {
        // Beyond a half the complement has the digits.
        let error = if y.abs() > 0.5 {
            (1.0 - y.abs() - libm::erfc(x.abs())) * 1f64.copysign(y)
        } else {
            libm::erf(x) - y
        };
        let step = error * PI.sqrt() / 2.0 * (x * x).exp();
        x -= step;
        if step.abs() <= f64::EPSILON * x.abs() {
            break;
        }
    }
    x
}

/// Bernoulli numbers `B_2`, `B_4`, … in the sums of Euler and Maclaurin.
const BERNOULLI: [f64; 10] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174_611.0 / 330.0,
];
/// From here on ten terms of these sums have all digits.
const FAR: f64 = 20.0;

/// The derivative of `ln Γ`: `ψ(x + 1) = ψ(x) + 1 / x`, and `ψ(1 - x) = ψ(x) + π cot πx`.
fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        return if x == x.floor() {
            f64::NAN
        } else {
            digamma(1.0 - x) - PI / (PI * (x - x.floor())).tan()
        };
    }
    let (mut x, mut below) = (x, 0.0);
    while x < FAR {
        below -= 1.0 / x;
        x += 1.0;
    }
    let series = BERNOULLI.iter().enumerate().map(|(k, b)| {
        let power = 2 * (k as i32 + 1);
        b / (f64::from(power) * x.powi(power))
    });
    x.ln() - 0.5 / x - series.sum::<f64>() + below
}

/// The sum of `(q + k)^-x` over all whole `k` from zero, for `x > 1` and positive `q`.
fn zeta(x: f64, q: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    if x < 1.0 || x.is_nan() || q <= 0.0 || q.is_nan() {
        return f64::NAN;
    }
    let (mut at, mut sum) = (q, 0.0);
    while at < q + FAR {
        sum += at.powf(-x);
        at += 1.0;
    }
    sum += at.powf(1.0 - x) / (x - 1.0) + 0.5 * at.powf(-x);
    // Products `x (x + 1) …` over factorials of even numbers.
    let mut factor = x / 2.0;
    for (k, b) in BERNOULLI.iter().enumerate() {
        let i = 2.0 * (k as f64 + 1.0);
        sum += b * factor * at.powf(1.0 - x - i);
        factor *= (x + i - 1.0) * (x + i) / ((i + 1.0) * (i + 2.0));
    }
    sum
}

/// Derivative number `n` of [`digamma`] at a positive `x`: `(-1)^(n + 1) n! ζ(n + 1, x)`.
fn polygamma(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        return digamma(x);
    }
    if n < 0.0 || n != n.floor() {
        return f64::NAN;
    }
    let sign = if n % 2.0 == 1.0 { 1.0 } else { -1.0 };
    sign * libm::tgamma(n + 1.0) * zeta(n + 1.0, x)
}

/// `exp(-|x|) I1(x)`, by the integral of `exp(|x| (cos t - 1)) cos t / π` from zero to `π`: of a
/// periodic function, so that equal steps have all digits once they are short beside the width of
/// its peak.
fn bessel_i1e(x: f64) -> f64 {
    let size = x.abs();
    if !x.is_finite() {
        return if x.is_nan() { x } else { 0.0 };
    }
    let steps = 64 + (40.0 * size.sqrt().min(1e5)) as usize;
    let value = |i: usize| {
        let t = PI * i as f64 / steps as f64;
        // 1 - cos t without cancellation.
        let lost = 2.0 * (t / 2.0).sin().powi(2);
        (-size * lost).exp() * t.cos()
    };
    let inside: f64 = (1..steps).map(value).sum();
    let sum = inside + 0.5 * (value(0) + value(steps));
    (sum / steps as f64).copysign(x)
}
