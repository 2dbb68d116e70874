//! Binary floating-point numbers of `64 N` bits, for results whose terms cancel.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `±f 2^exponent` with `f` from 1/2 to 1, or zero. Sums, products and quotients are cut off, not
/// rounded: they are right to a few units in the last place of the larger operand, and exact where
/// the exact result has no more than `64 N` bits.
#[derive(Clone, Copy, Debug)]
pub struct Big<const N: usize> {
    negative: bool,
    exponent: i64,
    /// The bits of `f`, those of the highest places in the last limb, whose top bit is set unless
    /// the number is zero.
    limbs: [u64; N],
}

/// `2^k` for `k` from -1074 to 1023.
fn power_of_two(k: i64) -> f64 {
    f64::from_bits(if k < -1022 {
        1 << (k + 1074)
    } else {
        ((k + 1023) as u64) << 52
    })
}

impl<const N: usize> Big<N> {
    /// Number of bits.
    pub const BITS: i64 = 64 * N as i64;

    const ZERO: Self = Self {
        negative: false,
        exponent: 0,
        limbs: [0; N],
    };

    /// `whole`, exact.
    pub fn whole(whole: i64) -> Self {
        Self::of_parts(whole < 0, whole.unsigned_abs(), 0)
    }

    /// A finite number, exact.
    pub fn from_f64(x: f64) -> Self {
        let bits = x.to_bits();
        let field = (bits >> 52 & 0x7ff) as i64;
        let fraction = bits & ((1 << 52) - 1);
        match field {
            0 => Self::of_parts(x < 0.0, fraction, -1074),
            _ => Self::of_parts(x < 0.0, fraction | 1 << 52, field - 1075),
        }
    }

    /// `±m 2^e`.
    fn of_parts(negative: bool, m: u64, e: i64) -> Self {
        let mut number = Self {
            negative,
            exponent: e + Self::BITS,
            limbs: [0; N],
        };
        number.limbs[0] = m;
        number.normalized()
    }

    pub fn is_zero(self) -> bool {
        self.limbs[N - 1] == 0
    }

    pub fn is_negative(self) -> bool {
        self.negative
    }

    /// The least `e` with `|x| < 2^e`; far below every other number's for zero.
    pub fn exponent(self) -> i64 {
        if self.is_zero() {
            i64::MIN / 4
        } else {
            self.exponent
        }
    }

    /// Times `2^k`.
    pub fn scaled(mut self, k: i64) -> Self {
        self.exponent += k;
        self
    }

    pub fn abs(mut self) -> Self {
        self.negative = false;
        self
    }

    /// The nearest number of double precision (ties to even), subnormal or infinite ones included.
    pub fn rounded(self) -> f64 {
        let sign = if self.negative { -1.0 } else { 1.0 };
        if self.is_zero() || self.exponent < -1074 {
            return 0.0 * sign;
        }
        if self.exponent > 1024 {
            return f64::INFINITY * sign;
        }
        let keep = (self.exponent + 1074).min(53);
        let top = self.limbs[N - 1];
        // Shifts by 64 bits are not defined.
        let (whole, rest) = match keep {
            0 => (0, top),
            _ => (top >> (64 - keep), top << keep),
        };
        let beyond = self.limbs[..N - 1].iter().any(|limb| *limb != 0);
        let up = match rest.cmp(&(1 << 63)) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => beyond || whole & 1 == 1,
        };
        (whole + u64::from(up)) as f64 * power_of_two(self.exponent - keep) * sign
    }

    /// The nearest whole number, and its remainder by 4. Numbers without a fraction, of `64 N` bits
    /// or more, stay.
    pub fn nearest_whole(self) -> (Self, u8) {
        let half = Self::of_parts(self.negative, 1, -1);
        let mut sum = self + half;
        if sum.is_zero() || sum.exponent <= 0 {
            return (Self::ZERO, 0);
        }
        let fraction = Self::BITS - sum.exponent;
        if fraction < 0 {
            return (self, 0);
        }
        let (limb, bit) = ((fraction / 64) as usize, fraction % 64);
        for low in &mut sum.limbs[..limb.min(N)] {
            *low = 0;
        }
        if limb < N {
            sum.limbs[limb] &= u64::MAX << bit;
        }
        let digit = |place: i64| {
            if place < Self::BITS {
                (sum.limbs[(place / 64) as usize] >> (place % 64) & 1) as u8
            } else {
                0
            }
        };
        let magnitude = digit(fraction) + 2 * digit(fraction + 1);
        let remainder = if self.negative {
            (4 - magnitude) % 4
        } else {
            magnitude
        };
        (sum, remainder)
    }

    /// Over a small whole number.
    pub fn over(mut self, divisor: u32) -> Self {
        let mut rest = 0;
        for limb in self.limbs.iter_mut().rev() {
            let all = u128::from(rest) << 64 | u128::from(*limb);
            *limb = (all / u128::from(divisor)) as u64;
            rest = (all % u128::from(divisor)) as u64;
        }
        self.normalized()
    }

    /// With the top bit of the last limb set.
    fn normalized(mut self) -> Self {
        let Some(highest) = self.limbs.iter().rposition(|limb| *limb != 0) else {
            return Self::ZERO;
        };
        let (limbs, bits) = (N - 1 - highest, self.limbs[highest].leading_zeros());
        if limbs == 0 && bits == 0 {
            return self;
        }
        for i in (0..N).rev() {
            let limb = |k: usize| if i >= k { self.limbs[i - k] } else { 0 };
            let below = limb(limbs + 1).checked_shr(64 - bits).unwrap_or(0);
            self.limbs[i] = limb(limbs) << bits | below;
        }
        self.exponent -= 64 * limbs as i64 + i64::from(bits);
        self
    }

    /// The limbs `shift` places further down, for `shift` below `64 N`.
    fn shifted(&self, shift: i64) -> [u64; N] {
        let (limbs, bits) = ((shift / 64) as usize, (shift % 64) as u32);
        std::array::from_fn(|i| {
            let limb = |k: usize| self.limbs.get(i + k).copied().unwrap_or(0);
            let above = limb(limbs + 1).checked_shl(64 - bits).unwrap_or(0);
            limb(limbs) >> bits | above
        })
    }

    fn compare_magnitude(&self, other: &Self) -> Ordering {
        let limbs = || self.limbs.iter().rev().cmp(other.limbs.iter().rev());
        self.exponent().cmp(&other.exponent()).then_with(limbs)
    }
}

impl<const N: usize> Neg for Big<N> {
    type Output = Self;
    fn neg(mut self) -> Self {
        self.negative = !self.negative && !self.is_zero();
        self
    }
}

impl<const N: usize> Add for Big<N> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (mut a, b) = match self.compare_magnitude(&other) {
            Ordering::Less => (other, self),
            _ => (self, other),
        };
        let shift = a.exponent() - b.exponent();
        if b.is_zero() || shift >= Self::BITS {
            return a;
        }
        let b_limbs = b.shifted(shift);
        let mut carry = false;
        if a.negative == b.negative {
            for (x, y) in a.limbs.iter_mut().zip(b_limbs) {
                let (sum, first) = x.overflowing_add(y);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                (*x, carry) = (sum, first || second);
            }
            if carry {
                a.limbs = a.shifted(1);
                a.limbs[N - 1] |= 1 << 63;
                a.exponent += 1;
            }
            return a;
        }
        for (x, y) in a.limbs.iter_mut().zip(b_limbs) {
            let (difference, first) = x.overflowing_sub(y);
            let (difference, second) = difference.overflowing_sub(u64::from(carry));
            (*x, carry) = (difference, first || second);
        }
        a.normalized()
    }
}

impl<const N: usize> Sub for Big<N> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<const N: usize> Mul for Big<N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        // The sum of the rows so far; each further one is a limb higher, and the lowest limb falls
        // off.
        let (mut sum, mut lost) = ([0u64; N], 0);
        for x in self.limbs {
            let mut carry = 0;
            let mut row = [0; N];
            for ((y, s), r) in other.limbs.iter().zip(sum).zip(&mut row) {
                let all = u128::from(x) * u128::from(*y) + u128::from(s) + u128::from(carry);
                (*r, carry) = (all as u64, (all >> 64) as u64);
            }
            lost = row[0];
            sum = std::array::from_fn(|i| row.get(i + 1).copied().unwrap_or(carry));
        }
        let mut exponent = self.exponent + other.exponent;
        if sum[N - 1] >> 63 == 0 {
            for limb in &mut sum {
                let top = lost >> 63;
                lost = *limb;
                *limb = *limb << 1 | top;
            }
            exponent -= 1;
        }
        Self {
            negative: self.negative != other.negative,
            exponent,
            limbs: sum,
        }
    }
}

impl<const N: usize> Div for Big<N> {
    type Output = Self;
    /// By a number that is not zero: times the reciprocal, by Newton's iteration.
    fn div(self, other: Self) -> Self {
        let fraction = other.scaled(-other.exponent);
        let mut inverse = Self::from_f64(1.0 / fraction.rounded());
        let two = Self::whole(2);
        let mut right = 50;
        while right < Self::BITS {
            inverse = inverse * (two - fraction * inverse);
            right *= 2;
        }
        self * inverse.scaled(-other.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::Big;

    type Number = Big<3>;

    /// Sums, products, quotients and roundings that are exact in integers of 128 bits.
    #[test]
    fn arithmetic_is_that_of_integers() {
        let mut state = 1u64;
        let mut random = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 20) as i64 >> (state % 43)
        };
        for _ in 0..10_000 {
            let (a, b) = (random() - (1 << 42), random() - (1 << 20));
            let (x, y) = (Number::whole(a), Number::whole(b));
            assert_eq!((x + y).rounded(), (a + b) as f64);
            assert_eq!((x - y).rounded(), (a - b) as f64);
            assert_eq!((x * y).rounded(), (i128::from(a) * i128::from(b)) as f64);
            if b != 0 {
                assert!((x * y / y - x).exponent() < 44 - 180);
                assert_eq!(x.over(7).rounded(), a as f64 / 7.0);
                assert_eq!((x / y).rounded(), a as f64 / b as f64);
            }
            let quarters = x.scaled(-2);
            let (whole, rest) = quarters.nearest_whole();
            let expected = (a as f64 / 4.0).round();
            assert_eq!(whole.rounded(), expected);
            assert_eq!(i64::from(rest), (expected as i64).rem_euclid(4));
        }
    }

    #[test]
    fn doubles_go_in_and_come_out() {
        for x in [
            1.0,
            -0.1,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            1e-310,
            -3e300,
        ] {
            assert_eq!(Number::from_f64(x).rounded(), x);
        }
        let least = Number::from_f64(5e-324);
        assert_eq!(least.scaled(-1).rounded(), 0.0);
        assert_eq!((least.scaled(-1) + least.scaled(-100)).rounded(), 5e-324);
        assert_eq!((least + least.scaled(-1)).rounded(), 1e-323);
        assert_eq!(least.scaled(-1000).rounded(), 0.0);
        assert_eq!(
            Number::from_f64(f64::MAX).scaled(1).rounded(),
            f64::INFINITY
        );
        // Half a unit above the greatest number.
        let half = Number::from_f64(2f64.powi(970));
        assert_eq!((Number::from_f64(f64::MAX) + half).rounded(), f64::INFINITY);
        assert_eq!(
            (Number::from_f64(f64::MAX) + half - Number::from_f64(2f64.powi(900))).rounded(),
            f64::MAX
        );
    }
}
