//! Complex versions of the inverse trigonometric and hyperbolic functions, after W. Kahan, "Branch
//! cuts for complex elementary functions" (1987), and T. E. Hull, T. F. Fairgrieve, P. T. P. Tang,
//! "Implementing the complex arcsine and arccosine functions using exception handling" (1997).
//! Parts are computed in double precision.

use crate::hlo::Expr;
use std::f64::consts::{FRAC_PI_2, LN_2};

/// A complex value in parts.
#[derive(Clone, Copy)]
pub struct Parts<'a, 'c> {
    /// Real part.
    pub re: Expr<'a, 'c>,
    /// Imaginary part.
    pub im: Expr<'a, 'c>,
}

/// `sqrt(x^2 + y^2)` without overflow on the way.
fn hypot<'a, 'c>(x: Expr<'a, 'c>, y: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let (x, y) = (x.abs(), y.abs());
    let (big, small) = (x.max(y), x.min(y));
    let ratio = small / big.c(1.0).when(big.eq(0.0), big);
    let equal = big * std::f64::consts::SQRT_2;
    let result = equal.when(big.eq(small), big * (ratio * ratio + 1.0).sqrt());

    big.c(f64::INFINITY)
        .when(x.eq(f64::INFINITY).or(y.eq(f64::INFINITY)), result)
}

/// Values that `asin`, `acos`, `asinh` and `acosh` share, for the first quadrant `x, y >= 0`: the
/// arctangent's two arguments for the real part of asin and acos, and the magnitude of the
/// imaginary part.
struct Kernel<'a, 'c> {
    /// `sqrt((r + x + 1) (a - x) …)` in a form without cancellation: asin's real part is
    /// `atan2(x, root)`, acos's `atan2(root, x)`.
    root: Expr<'a, 'c>,
    /// `|Im asin|`.
    im: Expr<'a, 'c>,
    x: Expr<'a, 'c>,
    /// Condition under which `asin(z)` is nearly `z`, and the real part there.
    near_zero: (Expr<'a, 'c>, Expr<'a, 'c>),
}

impl<'a, 'c> Kernel<'a, 'c> {
    /// `|Re asin|`.
    fn asin_re(&self) -> Expr<'a, 'c> {
        let (near_zero, re) = self.near_zero;
        re.when(near_zero, self.x.atan2(self.root))
    }
}

/// Returns where `asin(x + i y)` is within a few thousandths of `x + i y`, and its parts there by
/// its series, which unlike the logarithm and the root loses nothing of the smaller part.
fn asin_near_zero<'a, 'c>(x: Expr<'a, 'c>, y: Expr<'a, 'c>) -> (Expr<'a, 'c>, Parts<'a, 'c>) {
    const LIMIT: f64 = 1.0 / 64.0;
    let near = x.max(y).lt(LIMIT);
    let (x, y) = (x.min(LIMIT), y.min(LIMIT));
    let (re, im) = ((x - y) * (x + y), x * y * 2.0);
    // asin(z) / z - 1 = z^2 / 6 + 3 z^4 / 40 + …, in powers of z^2.
    let (mut sum_re, mut sum_im) = (x.c(0.0), x.c(0.0));
    for c in [
        63.0 / 2816.0,
        35.0 / 1152.0,
        5.0 / 112.0,
        3.0 / 40.0,
        1.0 / 6.0,
    ] {
        sum_re = sum_re + c;
        (sum_re, sum_im) = (sum_re * re - sum_im * im, sum_re * im + sum_im * re);
    }
    let parts = Parts {
        re: x + (x * sum_re - y * sum_im),
        im: y + (y * sum_re + x * sum_im),
    };
    (near, parts)
}

fn kernel<'a, 'c>(re: Expr<'a, 'c>, im: Expr<'a, 'c>) -> Kernel<'a, 'c> {
    let (x, y) = (re.abs(), im.abs());
    let one = x.c(1.0);
    // Beyond `huge` the squares would overflow, and asin(z) is atan2(x, y) + i log(2 |z|).
    let huge = x.max(y).gt(1e150);
    let (xs, ys) = (one.when(huge, x), one.when(huge, y));
    let r = hypot(xs + 1.0, ys);
    let s = hypot(xs - 1.0, ys);
    let a = (r + s) * 0.5;
    // a - x without cancellation: for x <= 1 it is (y^2 / (r + x + 1) + (s + (1 - x))) / 2, else
    // with the other sign.
    let yy = ys * ys;
    let from_r = yy / (r + (xs + 1.0));
    let inside = from_r + (s + (-xs + 1.0));
    let beyond_denominator = s + (xs - 1.0);
    let beyond = from_r
        + yy / beyond_denominator
            .c(1.0)
            .when(beyond_denominator.eq(0.0), beyond_denominator);
    let le_one = xs.le(1.0);
    let a_minus_x = inside.when(le_one, beyond) * 0.5;
    // sqrt((a - x) (a + x)), with y taken out of the root where a - x is tiny, so that nothing
    // underflows.
    let scaled = (r + (xs + 1.0)).c(1.0) / (r + (xs + 1.0))
        + beyond_denominator.c(1.0)
            / beyond_denominator
                .c(1.0)
                .when(beyond_denominator.eq(0.0), beyond_denominator);
    let root_inside = (a_minus_x * (a + xs)).sqrt();
    let root_beyond = ys * (scaled * (a + xs) * 0.5).sqrt();
    let root = root_inside.when(le_one, root_beyond);
    // a - 1 = (y^2 / (r + x + 1) + (y^2 / (s + 1 - x) or s + x - 1)) / 2.
    let lower = s + (-xs + 1.0);
    let lower = lower.c(1.0).when(lower.eq(0.0), lower);
    let a_minus_1 = (from_r + (yy / lower).when(xs.lt(1.0), s + (xs - 1.0))) * 0.5;
    let log_part = (a_minus_1 + (a_minus_1 * (a + 1.0)).sqrt()).log1p();
    // Tiny y next to the real segment [0, 1): the term under the root is y^2 / ((1 - x) (1 + x)),
    // whose square may underflow.
    let tiny = ys.lt(1e-140).and(xs.lt(1.0));
    let along = ys / ((-xs + 1.0) * (xs + 1.0)).sqrt();
    let along = along.c(0.0).when(xs.ge(1.0), along);
    let im_value = along.when(tiny, log_part);
    let (near_zero, small) = asin_near_zero(x, y);
    let im_value = small.im.when(near_zero, im_value);
    let far = {
        let (big, small) = (x.max(y), x.min(y));
        let ratio = small / big;
        let ratio = ratio.c(1.0).when(big.eq(small), ratio);
        big.log() + (ratio * ratio).log1p() * 0.5 + LN_2
    };
    let inf = x.eq(f64::INFINITY).or(y.eq(f64::INFINITY));
    let far = x.c(f64::INFINITY).when(inf, far);
    Kernel {
        root: y.when(huge, root),
        im: far.when(huge.or(inf), im_value),
        x,
        near_zero: (near_zero, small.re),
    }
}

/// `asin`.
pub fn asin<'a, 'c>(z: Parts<'a, 'c>) -> Parts<'a, 'c> {
    let k = kernel(z.re, z.im);
    Parts {
        re: k.asin_re().copysign(z.re),
        im: k.im.copysign(z.im),
    }
}

/// `acos`.
pub fn acos<'a, 'c>(z: Parts<'a, 'c>) -> Parts<'a, 'c> {
    let k = kernel(z.re, z.im);
    Parts {
        re: k.root.atan2(z.re),
        im: -(k.im.copysign(z.im)),
    }
}

/// `asinh(z) = i asin(-i z)`.
pub fn asinh<'a, 'c>(z: Parts<'a, 'c>) -> Parts<'a, 'c> {
    let k = kernel(z.im, z.re);
    Parts {
        re: k.im.copysign(z.re),
        im: k.asin_re().copysign(z.im),
    }
}

/// `acosh(z)`: `|Im acos|` and `Re acos` with the sign of the imaginary part.
pub fn acosh<'a, 'c>(z: Parts<'a, 'c>) -> Parts<'a, 'c> {
    let k = kernel(z.re, z.im);
    Parts {
        re: k.im,
        im: k.root.atan2(z.re).copysign(z.im),
    }
}

/// `atanh(z) = log1p(4 x / ((1 - x)^2 + y^2)) / 4 + i atan2(2 y, (1 - x) (1 + x) - y^2) / 2`, for
/// `x >= 0`.
pub fn atanh<'a, 'c>(z: Parts<'a, 'c>) -> Parts<'a, 'c> {
    let (x, y) = (z.re.abs(), z.im.abs());
    let huge = x.max(y).gt(1e150);
    let one = x.c(1.0);
    let (xs, ys) = (one.when(huge, x), one.when(huge, y));
    let from_one = -xs + 1.0;
    let square = from_one * from_one + ys * ys;
    let near = (xs * 4.0 / square).log1p() * 0.25;
    // Right above or below 1 it is log(2 / y) / 2; the square underflows where y is small.
    let pole = from_one.eq(0.0).and(ys.lt(1e-100));
    let beside = (ys.c(1.0) / (ys * 2f64.powi(53))).log1p() * 0.5 + 27.0 * LN_2;
    let near = beside.when(pole, near);
    // Far away atanh(z) tends to 1 / z + i pi / 2.
    let h = hypot(x, y);
    let far = (x / h) / h;
    let angle = (ys * 2.0).atan2(from_one * (xs + 1.0) - ys * ys) * 0.5;
    let above = y.eq(f64::INFINITY);
    let angle = angle.c(FRAC_PI_2).when(huge.or(above), angle);
    let re = far.when(huge, near);
    let re = far.c(0.0).when(above.or(x.eq(f64::INFINITY)), re);
    Parts {
        re: re.copysign(z.re),
        im: angle.copysign(z.im),
    }
}

/// `atan(z) = -i atanh(i z)`.
pub fn atan<'a, 'c>(z: Parts<'a, 'c>) -> Parts<'a, 'c> {
    let turned = atanh(Parts {
        re: -z.im,
        im: z.re,
    });
    Parts {
        re: turned.im,
        im: -turned.re,
    }
}

/// `cosh(x + i y) = cosh x cos y + i sinh x sin y`.
pub fn cosh<'a, 'c>(z: Parts<'a, 'c>) -> Parts<'a, 'c> {
    let (c, s) = scaled_hyperbolic(z.re);
    let re = product(c, z.im.cos());
    Parts {
        re: z.re.abs().when(without_direction(z), re),
        im: product(s, z.im.sin()),
    }
}

/// `sinh(x + i y) = sinh x cos y + i cosh x sin y`.
pub fn sinh<'a, 'c>(z: Parts<'a, 'c>) -> Parts<'a, 'c> {
    let (c, s) = scaled_hyperbolic(z.re);
    let re = product(s, z.im.cos());
    Parts {
        re: z.re.when(without_direction(z), re),
        im: product(c, z.im.sin()),
    }
}

/// `cosh` and `sinh` as products of two factors, neither of which overflows before the result does.
type Factors<'a, 'c> = (Expr<'a, 'c>, Expr<'a, 'c>);

fn scaled_hyperbolic<'a, 'c>(x: Expr<'a, 'c>) -> (Factors<'a, 'c>, Factors<'a, 'c>) {
    let far = x.abs().gt(700.0);
    let half = (x.abs() * 0.5).exp();
    let one = x.c(1.0);
    let outer = half.when(far, one);
    let cosh = (half * 0.5).when(far, super::real::cosh(x));
    let sinh = (half * 0.5).copysign(x).when(far, super::real::sinh(x));
    ((outer, cosh), (outer, sinh))
}

/// Tells whether the real part is infinite and the imaginary one infinite or NaN: such a number has
/// a magnitude, but no known direction.
fn without_direction<'a, 'c>(z: Parts<'a, 'c>) -> Expr<'a, 'c> {
    let known = z.im.abs().lt(f64::INFINITY);
    z.re.abs().eq(f64::INFINITY).and(!known)
}

/// The product of the factors and `t`, zero where one of them is, whatever the others are (annex G
/// of the C standard).
fn product<'a, 'c>((outer, inner): Factors<'a, 'c>, t: Expr<'a, 'c>) -> Expr<'a, 'c> {
    let sign = |x: Expr<'a, 'c>| x.c(1.0).copysign(x);
    let value = (t * inner) * outer;
    let value = (inner * sign(t)).when(inner.eq(0.0), value);
    (t * sign(inner)).when(t.eq(0.0), value)
}
