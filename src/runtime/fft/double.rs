//! Numbers of twice the precision of `f64`, several beside each other, and the roots of unity in them.

use std::ops::{Add, Mul, Neg, Sub};

/// `N` unevaluated sums of two `f64`, the second below the rounding of the first. Each is computed as if it were alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Double<const N: usize> {
    pub high: [f64; N],
    pub low: [f64; N],
}

/// A sum and its rounding error.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// The same where `a` is the larger in magnitude, or zero.
#[inline(always)]
fn quick_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

impl<const N: usize> Double<N> {
    pub const ZERO: Self = Self {
        high: [0.0; N],
        low: [0.0; N],
    };

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64, f64, f64) -> (f64, f64)) -> Self {
        let mut result = Self::ZERO;
        for i in 0..N {
            (result.high[i], result.low[i]) =
                f(self.high[i], self.low[i], other.high[i], other.low[i]);
        }
        result
    }

    /// The same number in every place.
    #[inline(always)]
    pub fn splat(x: Double<1>) -> Self {
        Self {
            high: [x.high[0]; N],
            low: [x.low[0]; N],
        }
    }
}

impl Double<1> {
    pub fn new(high: f64, low: f64) -> Self {
        Self {
            high: [high],
            low: [low],
        }
    }

    /// A quotient of whole numbers below 2^53.
    pub fn ratio(x: f64, y: f64) -> Self {
        let q = x / y;
        Self::new(q, (-q).mul_add(y, x) / y)
    }

    fn over(self, d: f64) -> Self {
        let q = self.high[0] / d;
        let rest = (-q).mul_add(d, self.high[0]) + self.low[0];
        let (high, low) = quick_sum(q, rest / d);
        Self::new(high, low)
    }
}

impl<const N: usize> Add for Double<N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b, c, d| {
            let (s, e) = two_sum(a, c);
            quick_sum(s, e + (b + d))
        })
    }
}

impl<const N: usize> Neg for Double<N> {
    type Output = Self;

    #[inline(always)]
    fn neg(mut self) -> Self {
        for i in 0..N {
            (self.high[i], self.low[i]) = (-self.high[i], -self.low[i]);
        }
        self
    }
}

impl<const N: usize> Sub for Double<N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<const N: usize> Mul for Double<N> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b, c, d| {
            let p = a * c;
            let e = a.mul_add(c, -p);
            quick_sum(p, a.mul_add(d, b.mul_add(c, e)))
        })
    }
}

/// Complex numbers of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Complex<const N: usize> {
    pub re: Double<N>,
    pub im: Double<N>,
}

impl<const N: usize> Complex<N> {
    pub const ZERO: Self = Self {
        re: Double::ZERO,
        im: Double::ZERO,
    };

    #[inline(always)]
    pub fn splat(x: Complex<1>) -> Self {
        Self {
            re: Double::splat(x.re),
            im: Double::splat(x.im),
        }
    }

    #[inline(always)]
    pub fn conj(self) -> Self {
        Self {
            re: self.re,
            im: -self.im,
        }
    }

    /// `-i` times the number.
    #[inline(always)]
    pub fn turned(self) -> Self {
        Self {
            re: self.im,
            im: -self.re,
        }
    }
}

impl<const N: usize> Add for Complex<N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl<const N: usize> Sub for Complex<N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

impl<const N: usize> Mul for Complex<N> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

/// `exp(-2 pi i k / n)`, for `k < n < 2^50`.
pub(super) fn root(k: usize, n: usize) -> Complex<1> {
    // The angle as quarter turns and at most an eighth of a turn more or less, so that symmetric roots are exactly symmetric.
    let (octant, rest) = (8 * k / n, 8 * k % n);
    let (quarters, rest, backwards) = match octant % 2 {
        0 => (octant / 2, rest, false),
        _ => (octant.div_ceil(2), n - rest, true),
    };
    let quarter_pi = Double::new(std::f64::consts::FRAC_PI_4, 3.061_616_997_868_383e-17);
    let angle = Double::ratio(rest as f64, n as f64) * quarter_pi;
    let square = -(angle * angle);
    // The series of the cosine and the sine; the thirtieth power over its factorial is below 1e-35.
    let one = Double::new(1.0, 0.0);
    let (mut cos, mut sin) = (one, one);
    for k in (1..=15).rev() {
        let k = f64::from(k);
        cos = one + (square * cos).over((2.0 * k - 1.0) * (2.0 * k));
        sin = one + (square * sin).over((2.0 * k) * (2.0 * k + 1.0));
    }
    let sin = angle * sin;
    let mut z = Complex {
        re: cos,
        im: if backwards { sin } else { -sin },
    };
    for _ in 0..quarters {
        z = z.turned();
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_have_the_length_one_and_multiply() {
        for n in [1, 2, 3, 7, 8, 12, 97, 1000, 4099] {
            for k in 0..n {
                let z = root(k, n);
                let size = z.re * z.re + z.im * z.im - Double::new(1.0, 0.0);
                assert!(size.high[0].abs() < 1e-31, "{k} of {n}: {size:?}");
                let other = root((3 * k) % n, n) - z * z * z;
                assert!(
                    other.re.high[0].abs() < 1e-30 && other.im.high[0].abs() < 1e-30,
                    "{k} of {n}: {other:?}"
                );
                let angle = -2.0 * std::f64::consts::PI * k as f64 / n as f64;
                assert!((z.re.high[0] - angle.cos()).abs() < 2e-15);
                assert!((z.im.high[0] - angle.sin()).abs() < 2e-15);
            }
        }
    }
}
