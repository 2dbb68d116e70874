//! Powers of complex numbers, `exp(y log x)`.
//!
//! The error of the logarithm, times the exponent, is the relative error of the result. Both
//! functions are therefore computed with numbers of twice the precision: pairs of `f64` whose sum
//! counts, the second below half a unit of the first.

use std::f64::consts::{FRAC_2_PI, LOG2_E};

type C = (f64, f64);

/// A number as the sum of two.
#[derive(Clone, Copy, Debug)]
struct Two(f64, f64);

const LN2: Two = Two(std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);
const HALF_PI: Two = Two(std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17);
/// Terms of the series: the last one is below 1e-32, also for `pi / 4`.
const TERMS: u32 = 28;

impl Two {
    /// The exact sum of two numbers.
    fn sum(a: f64, b: f64) -> Self {
        let s = a + b;
        let t = s - a;
        Self(s, (a - (s - t)) + (b - t))
    }

    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.0, other.0), Self::sum(self.1, other.1));
        let first = Self::sum(high.0, high.1 + low.0);
        Self::sum(first.0, first.1 + low.1)
    }

    fn negated(self) -> Self {
        Self(-self.0, -self.1)
    }

    fn times(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let lost = self.0.mul_add(other.0, -product);
        Self::sum(product, lost + (self.0 * other.1 + self.1 * other.0))
    }

    fn over(self, divisor: f64) -> Self {
        let first = self.0 / divisor;
        let left = (-first).mul_add(divisor, self.0);
        Self::sum(first, (left + self.1) / divisor)
    }

    /// Times a power of two.
    fn scaled(self, power: f64) -> Self {
        Self(self.0 * power, self.1 * power)
    }
}

/// `m` and `k` with `exp(x) = m 2^k`.
fn exp(x: Two) -> (Two, i32) {
    let k = (x.0 * LOG2_E).round();
    let r = x.add(LN2.times(Two(-k, 0.0)));
    let mut sum = Two(1.0, 0.0);
    for i in (1..=TERMS).rev() {
        sum = Two(1.0, 0.0).add(sum.times(r).over(f64::from(i)));
    }
    (sum, k as i32)
}

/// Cosine and sine of `x`, which is below 2^50.
fn cos_sin(x: Two) -> (Two, Two) {
    let n = (x.0 * FRAC_2_PI).round();
    let r = x.add(HALF_PI.times(Two(-n, 0.0)));
    let square = r.times(r).negated();
    let (mut cos, mut sin) = (Two(1.0, 0.0), Two(1.0, 0.0));
    for i in (1..=TERMS / 2).rev() {
        let two_i = f64::from(2 * i);
        cos = Two(1.0, 0.0).add(cos.times(square).over(two_i * (two_i - 1.0)));
        sin = Two(1.0, 0.0).add(sin.times(square).over(two_i * (two_i + 1.0)));
    }
    sin = sin.times(r);
    match n.rem_euclid(4.0) as u8 {
        0 => (cos, sin),
        1 => (sin.negated(), cos),
        2 => (cos.negated(), sin.negated()),
        _ => (sin, cos.negated()),
    }
}

/// `(a.0 + i a.1) (b.0 + i b.1)`.
fn mul(a: (Two, Two), b: (Two, Two)) -> (Two, Two) {
    (
        a.0.times(b.0).add(a.1.times(b.1).negated()),
        a.0.times(b.1).add(a.1.times(b.0)),
    )
}

/// `2^k`, for `k` in the range of the normal numbers.
fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// `log x` for finite numbers that are not zero.
fn log(x: C) -> (Two, Two) {
    // The greater part between 1 and 2, in two steps: subnormal numbers have no exponent.
    let largest = |x: C| x.0.abs().max(x.1.abs());
    let (x, up) = if largest(x) < f64::MIN_POSITIVE {
        ((x.0 * power_of_two(60), x.1 * power_of_two(60)), 60)
    } else {
        (x, 0)
    };
    let k = (largest(x).to_bits() >> 52) as i32 - 1023;
    let half = k / 2;
    let down = |x: f64| x * power_of_two(-half) * power_of_two(half - k);
    let x = (down(x.0), down(x.1));
    // One of Newton's steps: log x = z + (x exp(-z) - 1) but for the square of that.
    let z = (x.0.hypot(x.1).ln(), x.1.atan2(x.0));
    let (size, more) = exp(Two(-z.0, 0.0));
    let size = size.scaled(power_of_two(more));
    let (cos, sin) = cos_sin(Two(-z.1, 0.0));
    let quotient = mul(
        (Two(x.0, 0.0), Two(x.1, 0.0)),
        (size.times(cos), size.times(sin)),
    );
    let real = Two(z.0, 0.0).add(quotient.0.add(Two(-1.0, 0.0)));
    let exponent = LN2.times(Two(f64::from(k - up), 0.0));
    (real.add(exponent), Two(z.1, 0.0).add(quotient.1))
}

/// `x^y` for finite numbers of which neither is zero, and for exponentials that neither overflow
/// nor vanish. `None` otherwise.
pub(crate) fn power(x: C, y: C) -> Option<C> {
    let finite = [x.0, x.1, y.0, y.1].into_iter().all(f64::is_finite);
    if !finite || x == (0.0, 0.0) || y == (0.0, 0.0) {
        return None;
    }
    let l = log(x);
    let w = mul((Two(y.0, 0.0), Two(y.1, 0.0)), l);
    // Beyond, the words above do not hold.
    if !(w.0.0.abs() < 700.0 && w.1.0.abs() < power_of_two(50)) {
        return None;
    }
    let (size, k) = exp(w.0);
    let (cos, sin) = cos_sin(w.1);
    let (re, im) = (size.times(cos), size.times(sin));
    let scale = |x: Two| (x.0 + x.1) * power_of_two(k);
    Some((scale(re), scale(im)))
}

#[cfg(test)]
mod tests {
    use super::power;

    /// Against values of 60 digits.
    #[test]
    fn to_the_last_bit() {
        let cases = [
            (
                (1.5, -2.25),
                (3.0, 40.0),
                1.5333055902201966e+18,
                -1.7659247082564682e+18,
            ),
            (
                (-700000.0, 0.001),
                (12.5, -3.0),
                6.424613078557952e+76,
                -1.2831576993568334e+77,
            ),
            (
                (1e-310, -2e-309),
                (0.75, 0.125),
                -1.5935315231202463e-232,
                -3.2506905617396445e-232,
            ),
            (
                (3e+300, 4e+300),
                (-0.5, 2.0),
                -2.947950401068892e-152,
                6.348602354327903e-152,
            ),
            (
                (1.0000001, 1e-09),
                (-123456.7, 89.0),
                0.9877301313508209,
                -0.00011315109307326027,
            ),
            (
                (-2.0, 1.0),
                (300.0, -1.5),
                -1.866958693172744e+106,
                -3.41348429387195e+106,
            ),
            (
                (0.1, 0.2),
                (0.3, -0.4),
                0.5929317165855261,
                0.7971922075627684,
            ),
        ];
        for (x, y, re, im) in cases {
            let found = power(x, y).unwrap_or_default();
            let near = |a: f64, b: f64| (a - b).abs() <= f64::EPSILON / 2.0 * b.abs();
            assert!(
                near(found.0, re) && near(found.1, im),
                "{x:?} ^ {y:?}: {found:?}, not ({re:e}, {im:e})"
            );
        }
    }

    #[test]
    fn the_sides_of_the_cut() {
        let above = power((-2.0, 0.0), (0.5, 0.0)).unwrap_or_default();
        let below = power((-2.0, -0.0), (0.5, 0.0)).unwrap_or_default();
        assert_eq!((above.0, above.1), (below.0, -below.1));
        assert_eq!(above.1, 2f64.sqrt());
    }
}
