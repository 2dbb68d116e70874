//! Exponentials, circular functions and their inverses in numbers of many bits, to about thirty
//! bits less than these have.

use super::big::Big;

/// Constants of `64 N` bits.
pub struct Constants<const N: usize> {
    pub quarter_pi: Big<N>,
    log_two: Big<N>,
    /// `1 / k!`, as far as the series need them.
    inverse_factorials: Vec<Big<N>>,
}

/// The sum of `(∓1)^k x^(2k+1) / (2k + 1)` for `x` from -1/4 to 1/4: the inverse tangent, or the
/// inverse hyperbolic one.
fn inverse_tangent<const N: usize>(x: Big<N>, hyperbolic: bool) -> Big<N> {
    let square = if hyperbolic { x * x } else { -(x * x) };
    let (mut power, mut sum, mut divisor) = (x, x, 1);
    loop {
        power = power * square;
        divisor += 2;
        if power.is_zero() || power.exponent() < x.exponent() - Big::<N>::BITS {
            return sum;
        }
        sum = sum + power.over(divisor);
    }
}

impl<const N: usize> Constants<N> {
    pub fn new() -> Self {
        let one = Big::whole(1);
        let part = |n: u32, hyperbolic| inverse_tangent(one.over(n), hyperbolic);
        // J. Machin's formula, and one of C. Størmer's kind for the logarithm.
        let quarter_pi = part(5, false).scaled(2) - part(239, false);
        let log_two = part(26, true) * Big::whole(18) - part(4801, true).scaled(1)
            + part(8749, true).scaled(3);
        let mut inverse_factorials = vec![one];
        let mut last = one;
        for k in 1u32.. {
            last = last.over(k);
            inverse_factorials.push(last);
            if last.exponent() < -Big::<N>::BITS {
                break;
            }
        }
        Self {
            quarter_pi,
            log_two,
            inverse_factorials,
        }
    }

    /// The sum of `x^i / (first + i step)!`, for `|x|` below 1.
    fn series(&self, x: Big<N>, first: usize, step: usize) -> Big<N> {
        let coefficients = self.inverse_factorials.iter().skip(first).step_by(step);
        let count = coefficients
            .clone()
            .zip(0..)
            .take_while(|(c, i)| {
                c.exponent() + i * x.exponent().max(-Big::<N>::BITS) > -Big::<N>::BITS
            })
            .count();
        let used: Vec<Big<N>> = coefficients.take(count).copied().collect();
        let last = Big::whole(0);
        used.iter().rev().fold(last, |sum, c| sum * x + *c)
    }

    /// `e^x`, for `|x|` below 2^40.
    pub fn exp(&self, x: Big<N>) -> Big<N> {
        /// Number of times that the argument is halved, and the result squared.
        const HALVINGS: i64 = 8;
        let k = (x.rounded() / std::f64::consts::LN_2).round();
        let rest = x - Big::from_f64(k) * self.log_two;
        let mut power = self.series(rest.scaled(-HALVINGS), 0, 1);
        for _ in 0..HALVINGS {
            power = power * power;
        }
        power.scaled(k as i64)
    }

    /// `e^x - 1`, for `|x|` below 2^40.
    pub fn exp_minus_one(&self, x: Big<N>) -> Big<N> {
        if x.exponent() < -2 {
            x * self.series(x, 1, 1)
        } else {
            self.exp(x) - Big::whole(1)
        }
    }

    /// Cosine and sine of a number between -1 and 1.
    pub fn cos_sin_of_small(&self, x: Big<N>) -> (Big<N>, Big<N>) {
        let square = -(x * x);
        (self.series(square, 0, 2), x * self.series(square, 1, 2))
    }

    /// Cosine and sine of `x + quarters pi / 2`, and the size of `x` less the nearest multiple of
    /// `pi / 2`: the smaller one's.
    pub fn cos_sin(&self, x: Big<N>, quarters: u8) -> (Big<N>, Big<N>, i64) {
        let half_pi = self.quarter_pi.scaled(1);
        let (turns, more) = if x.exponent() < 0 {
            (Big::whole(0), 0)
        } else {
            (x / half_pi).nearest_whole()
        };
        let rest = x - turns * half_pi;
        let (cos, sin) = self.cos_sin_of_small(rest);
        let (cos, sin) = match (quarters + more) % 4 {
            0 => (cos, sin),
            1 => (-sin, cos),
            2 => (-cos, -sin),
            _ => (sin, -cos),
        };
        (cos, sin, rest.exponent())
    }

    /// `log √(x² + y²)` for numbers of which one is not zero.
    pub fn log_length(&self, x: Big<N>, y: Big<N>) -> Big<N> {
        let one = Big::whole(1);
        // Scaled by 2^-k, the square is near 1.
        let square = x * x + y * y;
        let fraction = square.scaled(-square.exponent()).rounded();
        let k = ((fraction.log2() + square.exponent() as f64) / 2.0).round() as i64;
        let (larger, smaller) = if (x.abs() - y.abs()).is_negative() {
            (y.abs(), x.abs())
        } else {
            (x.abs(), y.abs())
        };
        // Exact, or to the last bits, also where the square is 1 but for these.
        let beyond = match k {
            0 => (larger - one) * (larger + one) + smaller * smaller,
            _ => square.scaled(-2 * k) - one,
        };
        let near = if beyond.exponent() < -20 {
            0.0
        } else {
            beyond.rounded().ln_1p()
        };
        let beyond = if near == 0.0 {
            beyond
        } else {
            (beyond + one) * self.exp(Big::from_f64(-near)) - one
        };
        let rest = inverse_tangent(beyond / (beyond + Big::whole(2)), true);
        let log = Big::from_f64(near) + rest.scaled(1);
        Big::whole(k) * self.log_two + log.scaled(-1)
    }

    /// The angle of `x + i y` as `eighths pi / 4 + rest`, with `|rest|` below `pi / 4`; both parts
    /// are finite and not both zero. What is on an axis or on a diagonal has no rest. The sign of a
    /// zero `y` is the side of the cut.
    pub fn angle(&self, x: f64, y: f64) -> (i64, Big<N>) {
        let (a, b) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
        // From the axis to the point, and the axis in eighths of the upper half plane.
        let (axis, away) = match (x.abs() >= y.abs(), x.is_sign_negative()) {
            (true, false) => (0, 1),
            (true, true) => (4, -1),
            (false, false) => (2, -1),
            (false, true) => (2, 1),
        };
        let side = if y.is_sign_negative() { -1 } else { 1 };
        if a == b {
            return (side * (axis + away), Big::whole(0));
        }
        let (far, near) = (Big::<N>::from_f64(a), Big::<N>::from_f64(b));
        let tangent = near / far;
        let rest = if tangent.exponent() < -20 {
            inverse_tangent(tangent, false)
        } else {
            // What is left after turning back by the angle to 53 bits.
            let most = tangent.rounded().atan();
            let (cos, sin) = self.cos_sin_of_small(Big::from_f64(most));
            let left = (near * cos - far * sin) / (far * cos + near * sin);
            Big::from_f64(most) + inverse_tangent(left, false)
        };
        let signed = if side * away < 0 { -rest } else { rest };
        (side * axis, signed)
    }
}

#[cfg(test)]
mod tests {
    use super::Constants;
    use crate::complex::big::Big;

    /// The next doubles of the constants, from their published digits.
    #[test]
    fn constants_to_three_doubles() {
        let constants = Constants::<4>::new();
        let parts = |x: Big<4>| {
            let first = x.rounded();
            let second = (x - Big::from_f64(first)).rounded();
            let third = (x - Big::from_f64(first) - Big::from_f64(second)).rounded();
            [first, second, third]
        };
        // pi = 3.14159265358979323846264338327950288419716939937510582097494…, log 2 =
        // 0.693147180559945309417232121458176568075500134360255…
        assert_eq!(
            parts(constants.quarter_pi.scaled(2)),
            [
                std::f64::consts::PI,
                1.2246467991473532e-16,
                -2.9947698097183397e-33
            ]
        );
        assert_eq!(
            parts(constants.log_two),
            [
                std::f64::consts::LN_2,
                2.3190468138462996e-17,
                5.707708438416212e-34
            ]
        );
    }

    /// Checks that functions and their inverses undo each other but for the last thirty bits.
    #[test]
    fn inverse_functions() {
        let constants = Constants::<3>::new();
        for i in 1..200 {
            let x = f64::from(i * i) * 0.0371 - 300.0;
            let number = Big::from_f64(x);
            let power = constants.exp(number);
            let back = constants.log_length(power, Big::whole(0)) - number;
            assert!(back.exponent() < 10 - 192 + 30, "exp({x})");
            let (cos, sin, _) = constants.cos_sin(number, 1);
            let unit = cos * cos + sin * sin - Big::whole(1);
            assert!(unit.exponent() < 10 - 192, "cos({x})");
            assert!(
                (cos.rounded() + x.sin()).abs() < 1e-15 && (sin.rounded() - x.cos()).abs() < 1e-15
            );
            let (re, im) = (x.cos() * 3.0, x.sin() * 3.0);
            let (eighths, rest) = constants.angle(re, im);
            let angle = constants.quarter_pi * Big::whole(eighths) + rest;
            let (cos, sin, _) = constants.cos_sin(angle, 0);
            let across = Big::from_f64(re) * sin - Big::from_f64(im) * cos;
            assert!(across.exponent() < 4 - 192 + 30, "angle of {re} + {im} i");
            assert!((angle.rounded() - im.atan2(re)).abs() < 1e-15);
            let small = Big::from_f64(x * 1e-5);
            let difference =
                constants.exp_minus_one(small) - (constants.exp(small) - Big::whole(1));
            assert!(difference.exponent() < 20 - 192);
        }
    }
}
