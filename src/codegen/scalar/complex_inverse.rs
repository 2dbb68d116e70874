//! Inverse circular and hyperbolic functions of complex numbers (W. Kahan, "Branch cuts for complex
//! elementary functions", 1987), at infinities as annex G of the C standard has them.

use super::complex::{Pair, Wide};
use crate::{error::Result, math};
use mapwright_mlir::Val;
use mapwright_mlir::builder::CmpF;

/// Beyond this the inverse functions compute with what [`SCALED`] powers of two make smaller.
const FAR: f64 = 1e150;
const SCALED: i32 = 600;

/// Distance of a number that [`Wide::near`] brought near.
struct Far<'c> {
    /// Condition that the number is beyond [`FAR`].
    is: Val<'c>,
    infinite: Val<'c>,
    scale: Val<'c>,
    log: Val<'c>,
}

impl<'c> Wide<'_, 'c> {
    /// A number whose squares are finite, for the inverse functions: as far as [`FAR`] it is `z`,
    /// beyond `z` times a power of two, and where `z` is infinite the same angle far away. And the
    /// logarithm of what it was divided by, infinite where `z` is.
    fn near(&self, (re, im): Pair<'c>) -> (Pair<'c>, Far<'c>) {
        let b = self.b;
        let size = |x: Val<'c>| b.math("absf", &[x]);
        let beyond = |x: Val<'c>| b.cmpf(CmpF::Ogt, size(x), self.f(FAR, x));
        let is = b.ori(beyond(re), beyond(im));
        let scale = b.select(is, self.f(2f64.powi(-SCALED), re), self.f(1.0, re));
        let (endless, also) = (self.is_infinite(re), self.is_infinite(im));
        let infinite = b.ori(endless, also);
        let part = |x: Val<'c>, endless| {
            // Of two parts one of which is infinite the other one, zero times it, is a zero or NaN.
            let none = b.mulf(x, self.f(0.0, x));
            let far = b.copysign(self.f(FAR, x), x);
            let at_infinity = b.select(endless, far, none);
            b.select(infinite, at_infinity, b.mulf(x, scale))
        };
        let log = self.f(f64::from(SCALED) * std::f64::consts::LN_2, re);
        let log = b.select(infinite, self.f(f64::INFINITY, re), log);
        let far = Far {
            is,
            infinite,
            scale,
            log: b.select(is, log, self.f(0.0, re)),
        };
        ((part(re, endless), part(im, also)), far)
    }

    /// The logarithm, or minus that, that grows with the number without bound: of what
    /// [`Wide::near`] made, and of what that was made from.
    fn grown(&self, log: Val<'c>, far: &Far<'c>) -> Val<'c> {
        let b = self.b;
        let more = b.copysign(far.log, log);
        let grown = b.select(far.infinite, more, b.addf(log, more));
        b.select(far.is, grown, log)
    }

    /// `sqrt(1 - z)` and `sqrt(1 + z)`.
    fn roots(&self, (re, im): Pair<'c>) -> Result<(Pair<'c>, Pair<'c>)> {
        let b = self.b;
        let one = self.f(1.0, re);
        let minus = self.sqrt((b.subf(one, re), b.negf(im)))?;
        let plus = self.sqrt((b.addf(one, re), im))?;
        Ok((minus, plus))
    }

    pub(super) fn asin(&self, (re, im): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let (z, far) = self.near((re, im));
        let (m, p) = self.roots(z)?;
        // Re(m p) and Im(conj(m) p).
        let cosine = b.subf(b.mulf(m.0, p.0), b.mulf(m.1, p.1));
        let height = b.subf(b.mulf(m.0, p.1), b.mulf(m.1, p.0));
        let r = math::binary(b, "atan2", z.0, cosine)?;
        let i = self.grown(self.fun("asinh", height)?, &far);
        // On the imaginary axis the real part is zero also where the other one is no number, and
        // the imaginary part has the sign of `z`'s everywhere.
        let r = b.select(self.is(re, 0.0), re, r);
        Ok((r, b.copysign(i, im)))
    }

    pub(super) fn acos(&self, (re, im): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let (z, far) = self.near((re, im));
        let (m, p) = self.roots(z)?;
        let half = math::binary(b, "atan2", m.0, p.0)?;
        // Im(conj(p) m).
        let height = b.subf(b.mulf(p.0, m.1), b.mulf(p.1, m.0));
        let i = self.grown(self.fun("asinh", height)?, &far);
        // As for `asin`, whose values are those of pi / 2 - `acos`.
        let quarter = self.f(std::f64::consts::FRAC_PI_2, half);
        let r = b.select(self.is(re, 0.0), quarter, b.mulf(self.f(2.0, half), half));
        Ok((r, b.copysign(i, b.negf(im))))
    }

    pub(super) fn acosh(&self, z: Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let on_axis = self.is(z.0, 0.0);
        let quarter = self.f(std::f64::consts::FRAC_PI_2, z.1);
        let quarter = b.copysign(quarter, z.1);
        let ((re, im), far) = self.near(z);
        let one = self.f(1.0, re);
        let m = self.sqrt((b.subf(re, one), im))?;
        let p = self.sqrt((b.addf(re, one), im))?;
        // Re(conj(m) p).
        let length = b.addf(b.mulf(m.0, p.0), b.mulf(m.1, p.1));
        let half = math::binary(b, "atan2", m.1, p.0)?;
        let r = self.grown(self.fun("asinh", length)?, &far);
        let i = b.mulf(self.f(2.0, half), half);
        // It is positive also where it is infinite beside a part that is no number, whose sign is
        // any.
        Ok((b.math("absf", &[r]), b.select(on_axis, quarter, i)))
    }

    pub(super) fn atanh(&self, z: Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let ((re, im), far) = self.near(z);
        let one = self.f(1.0, re);
        // Of the magnitude: near -1 the logarithm's argument would cancel.
        let x = b.math("absf", &[re]);
        let gap = b.subf(one, x);
        let distance = b.fma(im, im, b.mulf(gap, gap));
        let quotient = b.divf(b.mulf(self.f(4.0, re), x), distance);
        // Right above or below 1 it is log(2 / y) / 2; the square in the distance underflows where
        // y is small.
        let y = b.math("absf", &[im]);
        let small = b.cmpf(CmpF::Olt, y, self.f(1e-100, y));
        let pole = b.andi(self.is(gap, 0.0), small);
        let beside = b.divf(one, b.mulf(y, self.f(2f64.powi(53), y)));
        let share = b.select(pole, self.f(0.5, re), self.f(0.25, re));
        let more = b.select(
            pole,
            self.f(27.0 * std::f64::consts::LN_2, re),
            self.f(0.0, re),
        );
        let r = self.fun("log1p", b.select(pole, beside, quotient))?;
        let r = b.fma(share, r, more);
        // Far away it is that of 1 / z.
        let r = b.select(far.infinite, self.f(0.0, r), b.mulf(r, far.scale));
        let r = b.copysign(r, re);
        let r = b.select(self.is(z.0, 0.0), z.0, r);
        let adjacent = b.subf(b.mulf(gap, b.addf(one, x)), b.mulf(im, im));
        let angle = math::binary(b, "atan2", b.mulf(self.f(2.0, im), im), adjacent)?;
        // Right above and below, whatever the real part is.
        let up = b.copysign(self.f(std::f64::consts::PI, im), im);
        let angle = b.select(self.is_infinite(z.1), up, angle);
        Ok((r, b.mulf(self.f(0.5, re), angle)))
    }
}
