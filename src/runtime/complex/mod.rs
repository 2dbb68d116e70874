//! Functions of `complex<f64>` that have parts in which terms cancel: to the last bit everywhere.
//!
//! A part of a power, of `e^z - 1` or of `1 / (1 + e^-z)` is zero along curves, and beside them it
//! is what nearly equal terms leave. The functions are computed with 192 bits, and how many of them
//! are left is known afterwards; where too few are, with 1280. That is enough for all arguments:
//! the curves come no nearer to numbers of 53 bits.

mod big;
mod elementary;

use big::Big;
use elementary::Constants;
use std::sync::LazyLock;

/// Real and imaginary part.
pub type Complex = (f64, f64);

static SHORT: LazyLock<Constants<3>> = LazyLock::new(Constants::new);
static LONG: LazyLock<Constants<20>> = LazyLock::new(Constants::new);

/// Bits that the functions of [`elementary`], and the sums made of them, lose.
const LOST: i64 = 34;
/// Enough for a result of 53 bits that is right to 0.51 units.
const ENOUGH: i64 = 62;
/// The exponential of a number beyond is infinite or zero, even times a part as small as they come.
const FAR: f64 = 8192.0;

/// A sum, and whether enough bits of it are left.
struct Sum<const N: usize> {
    value: Big<N>,
    certain: bool,
}

impl<const N: usize> Sum<N> {
    /// Of terms that are zero, exactly, or the last bits of which are wrong. Enough for what is
    /// below `2^size`; without one, for the sum.
    fn from_terms(terms: &[Big<N>], size: Option<i64>) -> Self {
        let value = terms.iter().fold(Big::whole(0), |sum, term| sum + *term);
        let size = size.unwrap_or(value.exponent());
        let mut terms = terms.iter().filter(|term| !term.is_zero());
        let certain = terms.all(|term| term.exponent() - Big::<N>::BITS + LOST + ENOUGH < size);
        Self { value, certain }
    }
}

/// The result of the first attempt that is certain.
fn certain(short: (Complex, bool), long: impl FnOnce() -> (Complex, bool)) -> Complex {
    if short.1 { short.0 } else { long().0 }
}

/// `x` where exponentials are not out of all bounds.
fn bounded<const N: usize>(x: Big<N>) -> Big<N> {
    if x.exponent() > 13 {
        Big::from_f64(if x.is_negative() { -FAR } else { FAR })
    } else {
        x
    }
}

fn is_finite(z: Complex) -> bool {
    z.0.is_finite() && z.1.is_finite()
}

/// `z^w`, the principal value `exp(w log z)`: right to the last bit for finite numbers, 1 for
/// `w = 0` and for `z = 1`, 0 for `z = 0` and `w` of positive real part, the real power of positive
/// numbers to real exponents, by the definition for other infinities and NaN. Parts that vanish (of
/// `i^2`, `(1 + i)^2`) are zero.
pub fn power(z: Complex, w: Complex) -> Complex {
    if w == (0.0, 0.0) || z == (1.0, 0.0) {
        return (1.0, 0.0);
    }
    if z == (0.0, 0.0) && w.0 > 0.0 {
        return (0.0, 0.0);
    }
    // A positive number and a real exponent, infinite ones as well: the real power.
    if z.0 > 0.0 && z.1 == 0.0 && w.1 == 0.0 {
        let angle = w.0 * z.1 + w.1 * z.0.ln();
        return (z.0.powf(w.0), if angle.is_nan() { 0.0 } else { angle });
    }
    if z == (0.0, 0.0) || !is_finite(z) || !is_finite(w) {
        let (length, angle) = (z.0.hypot(z.1).ln(), z.1.atan2(z.0));
        return exponential((w.0 * length - w.1 * angle, w.0 * angle + w.1 * length));
    }
    certain(power_in(&*SHORT, z, w), || power_in(&*LONG, z, w))
}

/// `e^z` by its definition, and as annex G of the C standard has it at infinities.
fn exponential((re, im): Complex) -> Complex {
    if re == f64::NEG_INFINITY {
        return (0.0, 0.0);
    }
    let size = re.exp();
    match im == 0.0 {
        true => (size, im),
        // Infinite in a direction that is not known.
        false if re == f64::INFINITY && !im.is_finite() => (re, f64::NAN),
        false => (size * im.cos(), size * im.sin()),
    }
}

fn power_in<const N: usize>(constants: &Constants<N>, z: Complex, w: Complex) -> (Complex, bool) {
    let (u, v) = (Big::<N>::from_f64(w.0), Big::from_f64(w.1));
    let log = constants.log_length(Big::from_f64(z.0), Big::from_f64(z.1));
    let (eighths, rest) = constants.angle(z.0, z.1);
    // The size: u log |z| - v angle, right to some 2^-60.
    let angle = constants.quarter_pi * Big::whole(eighths) + rest;
    let size = Sum::from_terms(&[u * log, -(v * angle)], Some(0));
    // The angle: u (eighths pi / 4 + rest) + v log |z|. Whole turns are left out, and quarters
    // taken apart, while they are exact.
    let turned = Big::<N>::from_f64(w.0 % 8.0) * Big::whole(eighths);
    let (halves, quarters) = turned.scaled(-1).nearest_whole();
    let beyond = turned - halves.scaled(1);
    let terms = [beyond * constants.quarter_pi, u * rest, v * log];
    let turn = Sum::from_terms(&terms, None);
    let (cos, sin, smaller) = constants.cos_sin(turn.value, quarters);
    let near = Sum::from_terms(&terms, Some(smaller));
    let length = constants.exp(bounded(size.value));
    let result = ((length * cos).rounded(), (length * sin).rounded());
    (result, size.certain && near.certain)
}

/// `e^z - 1`: right to the last bit.
pub fn exponential_minus_one(z: Complex) -> Complex {
    if z.1 == 0.0 {
        return (z.0.exp_m1(), z.1);
    }
    if z.0.is_infinite() && !z.1.is_finite() {
        let (re, im) = exponential(z);
        return (re - 1.0, im);
    }
    if !is_finite(z) {
        let half = (z.1 * 0.5).sin();
        let re = z.0.exp_m1() * z.1.cos() - 2.0 * half * half;
        return (re, z.0.exp() * z.1.sin());
    }
    certain(expm1_in(&*SHORT, z), || expm1_in(&*LONG, z))
}

fn expm1_in<const N: usize>(constants: &Constants<N>, z: Complex) -> (Complex, bool) {
    let (x, y) = (bounded(Big::<N>::from_f64(z.0)), Big::from_f64(z.1));
    let (cos, sin, smaller) = constants.cos_sin(y, 0);
    let (_, half, smaller_of_half) = constants.cos_sin(y.scaled(-1), 0);
    // (e^x - 1) cos y - 2 sin² (y / 2).
    let less = constants.exp_minus_one(x);
    let re = Sum::from_terms(&[less * cos, -(half * half).scaled(1)], None);
    let turns = [smaller, smaller_of_half].map(|size| Sum::from_terms(&[y], Some(size)).certain);
    let im = constants.exp(x) * sin;
    let result = (re.value.rounded(), im.rounded());
    (result, re.certain && turns == [true; 2])
}

/// `1 / (1 + e^-z)`: right to the last bit.
pub fn logistic(z: Complex) -> Complex {
    let real_line = z.1 == 0.0;
    if z.0.is_infinite() && !z.1.is_finite() {
        return (f64::from(u8::from(z.0 > 0.0)), 0.0);
    }
    if z.0.is_nan() || !z.1.is_finite() {
        return (f64::NAN, if real_line { z.1 } else { f64::NAN });
    }
    let z = (z.0.clamp(-FAR, FAR), z.1);
    let (re, im) = certain(logistic_in(&*SHORT, z), || logistic_in(&*LONG, z));
    (re, if real_line { z.1 } else { im })
}

fn logistic_in<const N: usize>(constants: &Constants<N>, z: Complex) -> (Complex, bool) {
    let (x, y) = (Big::<N>::from_f64(z.0), Big::from_f64(z.1));
    let (cos, sin, smaller) = constants.cos_sin(y, 0);
    let turn = Sum::from_terms(&[y], Some(smaller));
    // The conjugate of 1 + e^-z, over its length squared.
    let size = constants.exp(-x);
    let (re, im) = (
        Sum::from_terms(&[Big::whole(1), size * cos], None),
        size * sin,
    );
    let square = re.value * re.value + im * im;
    let result = ((re.value / square).rounded(), (im / square).rounded());
    (result, re.certain && turn.certain)
}

#[cfg(test)]
mod tests {
    use super::{Complex, exponential_minus_one, logistic, power};

    // Against values by mpmath, beside the curves along which parts vanish:
    // `src/native/tests/accuracy.rs`.

    /// To the last bit.
    fn near(found: Complex, exact: Complex, words: &str) {
        let right = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        assert!(
            right(found.0, exact.0) && right(found.1, exact.1),
            "{words}: {found:?}, not {exact:?}"
        );
    }

    /// Powers of Gaussian integers are Gaussian integers; what vanishes is zero.
    #[test]
    fn whole_numbers() {
        for (a, b) in (-7i64..=7).flat_map(|a| (-7..=7).map(move |b| (a, b))) {
            let (mut re, mut im) = (1, 0);
            for n in 1..=12 {
                (re, im) = (re * a - im * b, re * b + im * a);
                let found = power((a as f64, b as f64), (f64::from(n), 0.0));
                near(
                    found,
                    (re as f64, im as f64),
                    &format!("({a} + {b} i) ^ {n}"),
                );
            }
        }
        assert_eq!(power((0.0, 1.0), (4e15, 0.0)), (1.0, 0.0));
        assert_eq!(power((-1.0, 0.0), (1e300, 0.0)), (1.0, 0.0));
    }

    #[test]
    fn outside_of_the_plane() {
        let (infinity, nan) = (f64::INFINITY, f64::NAN);
        assert_eq!(power((nan, nan), (0.0, -0.0)), (1.0, 0.0));
        assert_eq!(power((0.0, -0.0), (0.5, 3.0)), (0.0, 0.0));
        assert_eq!(power((infinity, 0.0), (-1.0, 0.0)), (0.0, 0.0));
        assert_eq!(power((infinity, 0.0), (1.0, 0.0)), (infinity, 0.0));
        assert_eq!(power((1.0, 0.0), (infinity, 0.0)), (1.0, 0.0));
        assert_eq!(power((1.0, 0.0), (1.0, -infinity)), (1.0, 0.0));
        assert!(power((nan, 0.0), (1.0, 0.0)).0.is_nan());
        assert_eq!(exponential_minus_one((-infinity, nan)), (-1.0, 0.0));
        assert_eq!(exponential_minus_one((-infinity, 0.0)), (-1.0, 0.0));
        assert_eq!(exponential_minus_one((infinity, 1.0)), (infinity, infinity));
        assert_eq!(logistic((infinity, 2.0)), (1.0, 0.0));
        assert_eq!(logistic((-infinity, 2.0)), (0.0, 0.0));
        assert_eq!(logistic((infinity, nan)), (1.0, 0.0));
        assert!(logistic((1.0, infinity)).0.is_nan());
        assert_eq!(logistic((0.0, -0.0)), (0.5, -0.0));
    }
}
