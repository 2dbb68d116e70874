//! Complex numbers. `complex<f32>` computes the transcendental functions in 64 bits; the algorithms
//! are chosen so that neither part cancels away (W. Kahan, "Branch cuts for complex elementary
//! functions", 1987).

use super::{complex_cancellation, extended};
use crate::math::double_double;
use crate::{
    error::{Result, unsupported},
    math,
    storage::Elem,
};
use mapwright_mlir::builder::CmpF;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, FloatKind, Val};
use std::f64::consts::LN_2;

pub(super) type Pair<'c> = (Val<'c>, Val<'c>);

/// The operation `name` on complex numbers with parts of `kind`. `abs`, `real` and `imag` give real
/// numbers.
pub(crate) fn apply<'c>(
    b: &Builder<'c>,
    name: &str,
    kind: FloatKind,
    args: &[Elem<'c>],
) -> Result<Elem<'c>> {
    let z = args[0].pair();
    let w = args.get(1).map_or(z, |w| w.pair());
    let (re, im) = z;
    let pair = |(re, im): Pair<'c>| Ok(Elem::Pair(re, im));
    match name {
        "add" => return pair((b.addf(re, w.0), b.addf(im, w.1))),
        "subtract" => return pair((b.subf(re, w.0), b.subf(im, w.1))),
        "multiply" => return pair(multiply(b, z, w)),
        "square" => return pair(square(b, z)),
        "negate" => return pair((b.negf(re), b.negf(im))),
        "conj" => return pair((re, b.negf(im))),
        "real" => return Ok(Elem::One(re)),
        "imag" => return Ok(Elem::One(im)),
        "maximum" | "minimum" => return pair(extreme(b, name == "maximum", z, w)),
        _ => {}
    }
    let widen = kind != FloatKind::F64;
    let wide = |v: Val<'c>| {
        if widen {
            b.cast("arith.extf", v, b.like(v.r#type(), b.f64()))
        } else {
            v
        }
    };
    let narrow = |v: Val<'c>| {
        if widen {
            b.cast("arith.truncf", v, re.r#type())
        } else {
            v
        }
    };
    let z = (wide(z.0), wide(z.1));
    let w = if args.len() > 1 {
        (wide(w.0), wide(w.1))
    } else {
        z
    };
    let m = Wide { b };
    if !widen && let Some(value) = extended::call(b, name, z, w) {
        return pair(value);
    }
    let value = match name {
        "abs" if widen => return Ok(Elem::One(narrow(m.abs_of_narrow(z)))),
        "abs" => return Ok(Elem::One(m.abs(z)?)),
        _ => match complex_cancellation::function(name) {
            Some(function) => {
                let (value, certain) = complex_cancellation::guarded(b, function, z, w)?;
                let parts = [z.0, z.1, w.0, w.1];
                complex_cancellation::unless(b, function, &parts[..2 * args.len()], value, certain)
            }
            None => function(b, name, z, w)?,
        },
    };
    Ok(Elem::Pair(narrow(value.0), narrow(value.1)))
}

/// The function `name` but those of [`vanishing`], on parts of the type at hand: `f64`, or wider
/// for those of [`extended`].
pub(super) fn function<'c>(
    b: &Builder<'c>,
    name: &str,
    z: Pair<'c>,
    w: Pair<'c>,
) -> Result<Pair<'c>> {
    let m = Wide { b };
    match name {
        "divide" => m.divide(z, w),
        "sign" => m.sign(z),
        "exponential" => m.exp(z),
        "log" => m.log(z),
        "log_plus_one" => m.log1p(z),
        "sqrt" => m.sqrt(z),
        "rsqrt" => m.rsqrt(z),
        "cbrt" => m.cbrt(z),
        "cosine" => m.cos(z),
        "sine" => m.sin(z),
        "tan" => m.rotated(z, |m, z| m.tanh(z)),
        "tanh" => m.tanh(z),
        "cosh" => m.cos((b.negf(z.1), z.0)),
        "sinh" => m.rotated(z, |m, z| m.sin(z)),
        "atan2" => m.atan2(z, w),
        "acos" => m.acos(z),
        "asin" => m.asin(z),
        "acosh" => m.acosh(z),
        "asinh" => m.rotated(z, |m, z| m.asin(z)),
        "atanh" => m.atanh(z),
        "atan" => m.rotated(z, |m, z| m.atanh(z)),
        _ => unsupported(format!("'{name}' on complex numbers")),
    }
}

/// `(a + bi)(c + di)` by its definition.
fn multiply<'c>(b: &Builder<'c>, (ar, ai): Pair<'c>, (br, bi): Pair<'c>) -> Pair<'c> {
    (
        b.subf(b.mulf(ar, br), b.mulf(ai, bi)),
        b.addf(b.mulf(ar, bi), b.mulf(ai, br)),
    )
}

/// `(a + bi)²`, also where squares of the parts overflow; those of parts of one size have no
/// difference.
fn square<'c>(b: &Builder<'c>, (re, im): Pair<'c>) -> Pair<'c> {
    let (x, y) = (b.math("absf", &[re]), b.math("absf", &[im]));
    let infinity = b.cfloat(f64::INFINITY, re.r#type());
    let same = b.andi(b.cmpf(CmpF::Oeq, x, y), b.cmpf(CmpF::Olt, x, infinity));
    let difference = b.mulf(b.subf(re, im), b.addf(re, im));
    let product = b.mulf(re, im);
    let zero = b.cfloat(0.0, re.r#type());
    (b.select(same, zero, difference), b.addf(product, product))
}

/// Lexicographic maximum or minimum: by real part, then by imaginary part. A NaN anywhere wins.
fn extreme<'c>(b: &Builder<'c>, maximum: bool, z: Pair<'c>, w: Pair<'c>) -> Pair<'c> {
    let better = if maximum { CmpF::Ogt } else { CmpF::Olt };
    let same = b.cmpf(CmpF::Oeq, z.0, w.0);
    let first = b.select(same, b.cmpf(better, z.1, w.1), b.cmpf(better, z.0, w.0));
    let nan = b.ori(b.cmpf(CmpF::Uno, z.0, z.0), b.cmpf(CmpF::Uno, z.1, z.1));
    let first = b.ori(first, nan);
    (b.select(first, z.0, w.0), b.select(first, z.1, w.1))
}

/// The functions in 64 bits, and those of [`extended`] in more.
pub(super) struct Wide<'b, 'c> {
    pub(super) b: &'b Builder<'c>,
}

impl<'c> Wide<'_, 'c> {
    pub(super) fn f(&self, value: f64, like: Val<'c>) -> Val<'c> {
        self.b.cfloat(value, like.r#type())
    }

    pub(super) fn fun(&self, name: &str, x: Val<'c>) -> Result<Val<'c>> {
        if self.is_extended(x) {
            Ok(math::library(self.b, name, &[x]))
        } else {
            math::unary(self.b, name, x)
        }
    }

    /// Tells whether `x` is wider than 64 bits.
    pub(super) fn is_extended(&self, x: Val<'c>) -> bool {
        self.b.element_of(x.r#type()) != self.b.f64()
    }

    pub(super) fn is(&self, x: Val<'c>, value: f64) -> Val<'c> {
        self.b.cmpf(CmpF::Oeq, x, self.f(value, x))
    }

    pub(super) fn is_infinite(&self, x: Val<'c>) -> Val<'c> {
        self.is(self.b.math("absf", &[x]), f64::INFINITY)
    }

    /// Tests whether `x` is infinite and `y` infinite or NaN: such a number has a magnitude, but no
    /// known direction.
    fn without_direction(&self, x: Val<'c>, y: Val<'c>) -> Val<'c> {
        let b = self.b;
        let size = b.math("absf", &[y]);
        let other = b.cmpf(CmpF::Uge, size, self.f(f64::INFINITY, y));
        b.andi(self.is_infinite(x), other)
    }

    /// The product of an exponential or hyperbolic function with a circular one: zero where one of
    /// them is, whatever the other one is.
    fn product(&self, x: Val<'c>, y: Val<'c>) -> Val<'c> {
        let b = self.b;
        let one = self.f(1.0, x);
        let sign = |x: Val<'c>| b.copysign(one, x);
        let product = b.select(self.is(y, 0.0), b.mulf(sign(x), y), b.mulf(x, y));
        b.select(self.is(x, 0.0), b.mulf(x, sign(y)), product)
    }

    fn root(&self, x: Val<'c>) -> Val<'c> {
        self.b.math("sqrt", &[x])
    }

    /// `-i f(i z)`: tan from tanh, sinh from sin, asinh from asin, atan from atanh.
    fn rotated(
        &self,
        (re, im): Pair<'c>,
        f: impl FnOnce(&Self, Pair<'c>) -> Result<Pair<'c>>,
    ) -> Result<Pair<'c>> {
        let (a, c) = f(self, (self.b.negf(im), re))?;
        Ok((c, self.b.negf(a)))
    }

    fn abs(&self, (re, im): Pair<'c>) -> Result<Val<'c>> {
        math::binary(self.b, "hypot", re, im)
    }

    /// The magnitude of a number whose parts were widened: no square leaves the range.
    fn abs_of_narrow(&self, (re, im): Pair<'c>) -> Val<'c> {
        let b = self.b;
        let length = self.root(b.fma(re, re, b.mulf(im, im)));
        // Infinite whatever the other part is, NaN included.
        let infinite = b.ori(self.is_infinite(re), self.is_infinite(im));
        b.select(infinite, self.f(f64::INFINITY, re), length)
    }

    /// `z / |z|`, and `z` if that is zero.
    fn sign(&self, (re, im): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let length = self.abs((re, im))?;
        let zero = b.cmpf(CmpF::Oeq, length, self.f(0.0, length));
        Ok((
            b.select(zero, re, b.divf(re, length)),
            b.select(zero, im, b.divf(im, length)),
        ))
    }

    /// By the definition, with products that do not lose what cancels; where that overflows, and
    /// for infinities and zeros, by Smith's.
    fn divide(&self, (ar, ai): Pair<'c>, (br, bi): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let smith = self.divide_by_larger((ar, ai), (br, bi));
        let length = double_double::products(b, (br, br), (bi, bi));
        let inverse = b.divf(self.f(1.0, br), length.high);
        let quotient = |x, y| double_double::products(b, x, y).over(b, length, inverse);
        let re = quotient((ar, br), (ai, bi));
        let im = quotient((ai, br), (b.negf(ar), bi));
        // Nothing is lost where no product leaves the range of normal numbers.
        let inside = |x: Val<'c>| {
            let magnitude = b.math("absf", &[x]);
            let large = b.cmpf(CmpF::Ogt, magnitude, self.f(1e-140, x));
            let none = b.cmpf(CmpF::Oeq, x, self.f(0.0, x));
            let small = b.cmpf(CmpF::Olt, magnitude, self.f(1e140, x));
            b.andi(small, b.ori(large, none))
        };
        let divisor = b.andi(
            b.andi(inside(br), inside(bi)),
            b.cmpf(CmpF::Ogt, length.high, self.f(0.0, br)),
        );
        let plain = b.andi(divisor, b.andi(inside(ar), inside(ai)));
        // What is finite over what is infinite.
        let size = |x: Val<'c>| b.math("absf", &[x]);
        let finite = |x: Val<'c>| b.cmpf(CmpF::Olt, size(x), self.f(f64::INFINITY, x));
        let vanishing = b.andi(
            b.ori(self.is_infinite(br), self.is_infinite(bi)),
            b.andi(finite(ar), finite(ai)),
        );
        let zero = self.f(0.0, br);
        let part = |plainly, smith| b.select(vanishing, zero, b.select(plain, plainly, smith));
        let (re, im) = (part(re, smith.0), part(im, smith.1));
        // What is infinite over what is finite, where no part of the quotient is a number: annex G
        // of the C standard.
        let nan = |x| b.cmpf(CmpF::Uno, x, x);
        let far = [nan(re), nan(im), finite(br), finite(bi)];
        let infinite = b.ori(self.is_infinite(ar), self.is_infinite(ai));
        let far = far.into_iter().fold(infinite, |all, one| b.andi(all, one));
        let unit = |x: Val<'c>| {
            let magnitude = b.select(self.is_infinite(x), self.f(1.0, x), zero);
            b.copysign(magnitude, x)
        };
        let (ar, ai) = (unit(ar), unit(ai));
        let large = |x: Val<'c>, y: Val<'c>| b.mulf(self.f(f64::INFINITY, br), b.addf(x, y));
        let infinite = (
            large(b.mulf(ar, br), b.mulf(ai, bi)),
            large(b.mulf(ai, br), b.negf(b.mulf(ar, bi))),
        );
        Ok((b.select(far, infinite.0, re), b.select(far, infinite.1, im)))
    }

    /// Smith's division: by the larger part of the divisor.
    fn divide_by_larger(&self, (ar, ai): Pair<'c>, (br, bi): Pair<'c>) -> Pair<'c> {
        let b = self.b;
        let larger = b.cmpf(CmpF::Oge, b.math("absf", &[br]), b.math("absf", &[bi]));
        let (big, small) = (b.select(larger, br, bi), b.select(larger, bi, br));
        let ratio = b.divf(small, big);
        let denominator = b.fma(small, ratio, big);
        let (p, q) = (b.select(larger, ar, ai), b.select(larger, ai, ar));
        let re = b.divf(b.fma(q, ratio, p), denominator);
        // (ai br - ar bi) / |b|²: the sign depends on which part was larger.
        let im = b.divf(b.subf(q, b.mulf(p, ratio)), denominator);
        let im = b.select(larger, im, b.negf(im));
        // Division by zero: every part that is not zero becomes infinite.
        let zero = self.f(0.0, br);
        let by_zero = b.andi(b.cmpf(CmpF::Oeq, br, zero), b.cmpf(CmpF::Oeq, bi, zero));
        let signed = b.copysign(zero, br);
        (
            b.select(by_zero, b.divf(ar, signed), re),
            b.select(by_zero, b.divf(ai, signed), im),
        )
    }

    /// `-i log((x + i y) / sqrt(x² + y²))`.
    fn atan2(&self, y: Pair<'c>, x: Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let f = |value: f64| self.f(value, x.0);
        // The root is that of the product of both.
        let plus = (b.subf(x.0, y.1), b.addf(x.1, y.0));
        let minus = (b.addf(x.0, y.1), b.subf(x.1, y.0));
        // Which of the angles that have this tangent: the one near to what the definition gives,
        // less exactly.
        let (xx, yy) = (multiply(b, x, x), multiply(b, y, y));
        let root = self.sqrt((b.addf(xx.0, yy.0), b.addf(xx.1, yy.1)))?;
        let (_, near) = self.log(self.divide(plus, root)?)?;
        // Half of the angle between `plus` and `minus`; its sine is 2 Re(y conj(x)).
        let sine = double_double::products(b, (x.0, y.0), (x.1, y.1)).high;
        let cosine = double_double::products(b, (plus.0, minus.0), (plus.1, minus.1)).high;
        let half = math::binary(b, "atan2", b.mulf(f(2.0), sine), cosine)?;
        let half = b.mulf(f(0.5), half);
        let turns = b.divf(b.subf(near, half), f(std::f64::consts::PI));
        let re = b.fma(b.math("roundeven", &[turns]), f(std::f64::consts::PI), half);
        // log |minus / plus| / 2, where the squares of the lengths are 4 `excess` apart.
        let excess = double_double::products(b, (x.0, y.1), (b.negf(x.1), y.0)).high;
        let square = |z: Pair<'c>| b.fma(z.0, z.0, b.mulf(z.1, z.1));
        let (plus, minus) = (square(plus), square(minus));
        let shorter = b.select(b.cmpf(CmpF::Olt, plus, minus), plus, minus);
        let beyond = b.divf(b.mulf(f(4.0), b.math("absf", &[excess])), shorter);
        let length = b.mulf(f(0.25), self.fun("log1p", beyond)?);
        Ok((re, b.copysign(length, excess)))
    }

    fn exp(&self, (re, im): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let zero = self.f(0.0, re);
        // Two factors, so that a product with a small sine does not overflow early.
        let half = b.mulf(re, self.f(0.5, re));
        let large = b.cmpf(CmpF::Ogt, re, self.f(709.0, re));
        let first = self.fun("exp", b.select(large, half, re))?;
        let second = b.select(large, first, self.f(1.0, re));
        let (c, s) = (self.fun("cos", im)?, self.fun("sin", im)?);
        let real_line = b.cmpf(CmpF::Oeq, im, zero);
        let vanishing = b.cmpf(CmpF::Oeq, re, self.f(f64::NEG_INFINITY, re));
        let r = b.mulf(b.mulf(first, c), second);
        let i = b.mulf(b.mulf(first, s), second);
        let r = b.select(self.without_direction(re, im), b.math("absf", &[re]), r);
        Ok((
            b.select(vanishing, zero, r),
            b.select(vanishing, zero, b.select(real_line, im, i)),
        ))
    }

    /// `e^z - 1`, and the second of the terms of the real part.
    pub(super) fn expm1(&self, (re, im): Pair<'c>) -> Result<(Pair<'c>, Val<'c>)> {
        let b = self.b;
        let e = self.fun("expm1", re)?;
        let (c, s) = (self.fun("cos", im)?, self.fun("sin", im)?);
        let half = self.fun("sin", b.mulf(im, self.f(0.5, im)))?;
        let versine = b.mulf(self.f(2.0, im), b.mulf(half, half));
        let real_line = b.cmpf(CmpF::Oeq, im, self.f(0.0, im));
        let r = b.subf(b.mulf(e, c), versine);
        let i = b.mulf(self.fun("exp", re)?, s);
        let value = (b.select(real_line, e, r), b.select(real_line, im, i));
        Ok((value, versine))
    }

    fn log(&self, (re, im): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        // The length of the largest numbers is none, and that of the least is rounded to few bits:
        // what is taken is that of a multiple.
        let (x, y) = (b.math("absf", &[re]), b.math("absf", &[im]));
        let most = b.select(b.cmpf(CmpF::Ogt, x, y), x, y);
        let large = b.cmpf(CmpF::Ogt, most, self.f(2f64.powi(1000), re));
        let small = b.cmpf(CmpF::Olt, most, self.f(2f64.powi(-1000), re));
        let chosen = |at_large: f64, at_small: f64, other: f64| {
            let inner = b.select(small, self.f(at_small, re), self.f(other, re));
            b.select(large, self.f(at_large, re), inner)
        };
        let factor = chosen(2f64.powi(-2), 2f64.powi(60), 1.0);
        let shift = chosen(2.0 * LN_2, -60.0 * LN_2, 0.0);
        let length = self.abs((b.mulf(re, factor), b.mulf(im, factor)))?;
        let plain = b.addf(self.fun("log", length)?, shift);
        // Near the unit circle the logarithm of the length cancels: use |z|² - 1.
        let near = self.half_log1p(double_double::squares_and(b, re, im, self.f(-1.0, re)))?;
        let close = b.andi(
            b.cmpf(CmpF::Ogt, length, self.f(0.5, re)),
            b.cmpf(CmpF::Olt, length, self.f(2.0, re)),
        );
        let angle = math::binary(b, "atan2", im, re)?;
        Ok((b.select(close, near, plain), angle))
    }

    fn log1p(&self, (re, im): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let one = self.f(1.0, re);
        let shifted = (b.addf(re, one), im);
        let (plain, angle) = self.log(shifted)?;
        // |1 + z|² - 1 = re² + im² + 2 re, unless the squares overflow. Where |1 + z| is small, 1 +
        // re has been exact.
        let beyond = double_double::squares_and(b, re, im, b.addf(re, re));
        let near = self.half_log1p(beyond)?;
        let small = b.andi(
            b.cmpf(CmpF::Ogt, beyond.high, self.f(-0.5, re)),
            b.cmpf(CmpF::Olt, beyond.high, self.f(1e300, re)),
        );
        Ok((b.select(small, near, plain), angle))
    }

    /// `log(1 + x) / 2` of a number in two parts.
    fn half_log1p(&self, x: double_double::DoubleDouble<'c>) -> Result<Val<'c>> {
        let b = self.b;
        let one = self.f(1.0, x.high);
        let correction = b.divf(x.low, b.addf(one, x.high));
        let value = b.addf(self.fun("log1p", x.high)?, correction);
        Ok(b.mulf(value, self.f(0.5, value)))
    }

    /// A third of the angle and the cube root of the length.
    fn cbrt(&self, (re, im): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let length = self.fun("cbrt", self.abs((re, im))?)?;
        let angle = b.divf(math::binary(b, "atan2", im, re)?, self.f(3.0, re));
        let r = b.mulf(length, self.fun("cos", angle)?);
        let i = b.mulf(length, self.fun("sin", angle)?);
        let real_line = b.cmpf(CmpF::Oeq, angle, self.f(0.0, re));
        Ok((r, b.select(real_line, im, i)))
    }

    /// `1 / (1 + exp(-z))`: the conjugate of the denominator over its length squared; and the
    /// denominator's real part, of which one term is 1.
    pub(super) fn logistic(&self, (re, im): Pair<'c>) -> Result<(Pair<'c>, Val<'c>)> {
        let b = self.b;
        // Below, exp(-re) is too large for its square; in 64 bits the result is 0 long before, or
        // nearly.
        let least = if self.is_extended(re) {
            -5000.0
        } else {
            -350.0
        };
        let below = b.cmpf(CmpF::Olt, re, self.f(least, re));
        let bounded = b.select(below, self.f(least, re), re);
        let e = self.fun("exp", b.negf(bounded))?;
        let p = b.fma(e, self.fun("cos", im)?, self.f(1.0, re));
        let q = b.mulf(e, self.fun("sin", im)?);
        let length = b.fma(p, p, b.mulf(q, q));
        let real_line = b.cmpf(CmpF::Oeq, im, self.f(0.0, im));
        let (r, i) = (b.divf(p, length), b.divf(q, length));
        if self.is_extended(re) {
            return Ok(((r, b.select(real_line, im, i)), p));
        }
        // exp(z) in 64 bits.
        let small = self.exp((re, im))?;
        let i = b.select(real_line, im, i);
        let value = (b.select(below, small.0, r), b.select(below, small.1, i));
        Ok((value, p))
    }

    pub(super) fn sqrt(&self, (re, im): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let zero = self.f(0.0, re);
        let infinity = self.f(f64::INFINITY, re);
        // Scaled by 1/4 or 2^54, so that neither the sum overflows nor tiny numbers lose bits.
        let (x, y) = (b.math("absf", &[re]), b.math("absf", &[im]));
        // (LLVM has no `maximum` of more than 64 bits.)
        let largest = b.select(b.cmpf(CmpF::Ogt, x, y), x, y);
        let huge = b.cmpf(CmpF::Ogt, largest, self.f(1e300, re));
        let tiny = b.cmpf(CmpF::Olt, largest, self.f(1e-290, re));
        let pick = |h: f64, t: f64| {
            b.select(
                huge,
                self.f(h, re),
                b.select(tiny, self.f(t, re), self.f(1.0, re)),
            )
        };
        let down = pick(0.0625, 2f64.powi(108));
        let up = pick(4.0, 2f64.powi(-54));
        let (sx, sim) = (b.mulf(x, down), b.mulf(im, down));
        let length = self.abs((sx, sim))?;
        let t = self.root(b.mulf(b.addf(sx, length), self.f(0.5, re)));
        let other = b.divf(b.mulf(sim, self.f(0.5, re)), t);
        let positive = b.cmpf(CmpF::Oge, re, zero);
        let (t, other) = (b.mulf(t, up), b.mulf(other, up));
        let r = b.select(positive, t, b.math("absf", &[other]));
        let i = b.select(positive, other, b.copysign(t, im));
        let origin = b.andi(b.cmpf(CmpF::Oeq, x, zero), b.cmpf(CmpF::Oeq, y, zero));
        let (r, i) = (b.select(origin, zero, r), b.select(origin, im, i));
        let endless = b.cmpf(CmpF::Oeq, y, infinity);
        let left = b.cmpf(CmpF::Oeq, re, self.f(f64::NEG_INFINITY, re));
        let right = b.cmpf(CmpF::Oeq, re, infinity);
        // Zero, or NaN where the other part is.
        let none = b.mulf(im, zero);
        let (r, i) = (
            b.select(left, b.math("absf", &[none]), r),
            b.select(left, b.copysign(infinity, im), i),
        );
        let (r, i) = (b.select(right, infinity, r), b.select(right, none, i));
        Ok((b.select(endless, infinity, r), b.select(endless, im, i)))
    }

    /// `1 / sqrt(z)`: the conjugate of the root over the length.
    fn rsqrt(&self, z: Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let (r, i) = self.sqrt(z)?;
        let length = self.abs(z)?;
        let zero = self.f(0.0, length);
        let origin = b.cmpf(CmpF::Oeq, length, zero);
        let endless = b.cmpf(CmpF::Oeq, length, self.f(f64::INFINITY, length));
        let re = b.divf(r, length);
        let im = b.negf(b.divf(i, length));
        let re = b.select(origin, self.f(f64::INFINITY, length), re);
        let im = b.select(origin, self.f(f64::NAN, length), im);
        Ok((b.select(endless, zero, re), b.select(endless, zero, im)))
    }

    fn sin(&self, (re, im): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let r = self.product(self.fun("cosh", im)?, self.fun("sin", re)?);
        let i = self.product(self.fun("sinh", im)?, self.fun("cos", re)?);
        Ok((r, b.select(self.without_direction(im, re), im, i)))
    }

    fn cos(&self, (re, im): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let r = self.product(self.fun("cosh", im)?, self.fun("cos", re)?);
        let s = self.product(self.fun("sinh", im)?, self.fun("sin", re)?);
        let r = b.select(self.without_direction(im, re), b.math("absf", &[im]), r);
        Ok((r, b.negf(s)))
    }

    fn tanh(&self, (re, im): Pair<'c>) -> Result<Pair<'c>> {
        let b = self.b;
        let one = self.f(1.0, re);
        let t = self.fun("tan", im)?;
        let beta = b.fma(t, t, one);
        let s = self.fun("sinh", re)?;
        let rho = self.root(b.fma(s, s, one));
        let denominator = b.fma(beta, b.mulf(s, s), one);
        let r = b.divf(b.mulf(beta, b.mulf(rho, s)), denominator);
        let i = b.divf(t, denominator);
        // Far out the real part is 1 and the imaginary part vanishes.
        let x = b.math("absf", &[re]);
        let far = b.cmpf(CmpF::Ogt, x, self.f(20.0, re));
        let decay = self.fun("exp", b.mulf(x, self.f(-2.0, re)))?;
        let turn = b.mulf(self.fun("sin", im)?, self.fun("cos", im)?);
        let far_im = b.mulf(b.mulf(self.f(4.0, re), turn), decay);
        let real_line = b.cmpf(CmpF::Oeq, im, self.f(0.0, im));
        let endless = b.copysign(self.f(0.0, turn), turn);
        let far_im = b.select(self.is_infinite(re), endless, far_im);
        let far_re = b.copysign(one, re);
        // Of a finite real part it is no number where the tangent is none.
        let finite = b.addf(far_re, b.mulf(self.f(0.0, turn), turn));
        let far_re = b.select(self.is_infinite(re), far_re, finite);
        let r = b.select(far, far_re, r);
        let i = b.select(far, far_im, i);
        Ok((
            b.select(self.is(re, 0.0), re, r),
            b.select(real_line, im, i),
        ))
    }

    /// `z^w` but on the axes, and `log z`.
    pub(super) fn power(&self, z: Pair<'c>, w: Pair<'c>) -> Result<(Pair<'c>, Pair<'c>)> {
        let log = self.log(z)?;
        Ok((self.exp(multiply(self.b, w, log))?, log))
    }
}
