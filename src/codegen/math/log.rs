//! Logarithms.
//!
//! `x = 2^e m`, `log x = e ln 2 + log m`, ln 2 in two parts; `m` is in `[3/4, 3/2)` for `f32`, in
//! `[sqrt(1/2), sqrt(2))` for `f64`.

use super::{
    any_above,
    exp::polynomial,
    is_f64,
    lanes::{self, Fix},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val};

/// `(log(1 + f) - f + f² / 2) / f³` for `f` in `[-1/4, 1/2]`; relative error of the logarithm
/// 4.9e-9.
const SINGLE: [f64; 8] = [
    0.333_334_491_120_101_624_23,
    -0.250_000_958_405_672_963_21,
    0.199_908_612_625_726_0,
    -0.166_473_122_500_029_85,
    0.144_783_945_995_299_73,
    -0.131_611_925_075_512_4,
    0.104_630_224_051_445_19,
    -0.045_074_815_788_884_46,
];

/// `(log(1 + f) / s - 2) / s²` as a polynomial in `s²`, `s = f / (2 + f)`; relative error 3e-20.
const DOUBLE: [f64; 8] = [
    0.666_666_666_666_666_66,
    0.400_000_000_000_008_8,
    0.285_714_285_708_031_4,
    0.222_222_223_918_039_32,
    0.181_817_956_305_147_3,
    0.153_862_402_259_376_8,
    0.132_687_592_910_967_1,
    0.130_867_726_450_373_5,
];

/// ln 2 in two parts, the first of 33 bits: its products with exponents of `f64` are exact.
pub(super) const LN_2: [f64; 2] = [
    f64::from_bits(0x3fe6_2e42_fee0_0000),
    1.908_214_929_270_587_7e-10,
];

/// The natural logarithm. Below 1 ULP.
pub(crate) fn log<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    if is_f64(b, x) || b.shape_of(ty).is_empty() {
        return of_any(b, x);
    }
    if lanes::apply(b, x) {
        use Fix::{High, Invalid, Low, Quiet, Result};
        let (m, e) = lanes::parts(b, x);
        let fixes = [Quiet, Low, Result, Invalid, High, Invalid, Result];
        return lanes::fix(b, of_parts(b, m, e), x, fixes);
    }
    // Vectors of ordinary numbers, as nearly all are, need no care for zeros, subnormals,
    // infinities, NaNs and negative numbers.
    let int = b.like(ty, b.int(32));
    let bits = b.cast("arith.bitcast", x, int);
    let least = b.cint(i64::from(f32::MIN_POSITIVE.to_bits()), int);
    let ordinary = i64::from(f32::INFINITY.to_bits() - f32::MIN_POSITIVE.to_bits());
    let found = b.if_else(
        any_above(b, b.subi(bits, least), ordinary - 1, false),
        &[ty],
        |b| vec![of_any(b, x)],
        |b| {
            let (m, e) = parts(b, x);
            vec![of_parts(b, m, e)]
        },
    );
    found[0]
}

/// `m` in the interval for the type and `e` with `x = 2^e m`, for normal numbers.
pub(super) fn parts<'c>(b: &Builder<'c>, x: Val<'c>) -> (Val<'c>, Val<'c>) {
    let ty = x.r#type();
    let double = is_f64(b, x);
    let (width, mantissa) = if double { (64, 52) } else { (32, 23) };
    let int = b.like(ty, b.int(width));
    let c = |value: i64| b.cint(value, int);
    let bits = b.cast("arith.bitcast", x, int);
    // Subtracting the bits of where the interval starts puts the cut between exponents there.
    let start = if double {
        f64::to_bits(std::f64::consts::FRAC_1_SQRT_2) as i64
    } else {
        i64::from(f32::to_bits(0.75))
    };
    let relative = b.subi(bits, c(start));
    let exponent = b.shrsi(relative, c(mantissa));
    let m = b.subi(bits, b.shli(exponent, c(mantissa)));
    let m = b.cast("arith.bitcast", m, ty);
    if double {
        // Put into the mantissa of 3 2^51, of which it is exactly the last bits: vectors of 64 bits
        // have no conversion before AVX-512.
        let magic = f64::to_bits(3.0 * 51f64.exp2()) as i64;
        let biased = b.cast("arith.bitcast", b.addi(exponent, c(magic)), ty);
        return (m, b.subf(biased, b.cfloat(3.0 * 51f64.exp2(), ty)));
    }
    (m, b.cast("arith.sitofp", exponent, ty))
}

/// `e ln 2 + log m`.
fn of_parts<'c>(b: &Builder<'c>, m: Val<'c>, e: Val<'c>) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, m.r#type());
    let t = b.subf(m, f(1.0));
    if is_f64(b, m) {
        of_fraction(b, t, e, None)
    } else {
        let half_square = b.mulf(b.mulf(t, t), f(0.5));
        let cube = b.mulf(b.mulf(t, t), t);
        let tail = b.fma(
            cube,
            polynomial(b, t, &SINGLE),
            b.mulf(e, f(-2.121_944_400_546_905_8e-4)),
        );
        let rest = b.addf(b.subf(tail, half_square), t);
        b.fma(e, f(0.693_359_375), rest)
    }
}

/// `e ln 2 + log(1 + t)` of `f64`, and `extra`, which is at most a unit in the last place or so of
/// the rest.
pub(super) fn of_fraction<'c>(
    b: &Builder<'c>,
    t: Val<'c>,
    e: Val<'c>,
    extra: Option<Val<'c>>,
) -> Val<'c> {
    let f = |value: f64| b.cfloat(value, t.r#type());
    let half_square = b.mulf(b.mulf(t, t), f(0.5));
    let s = b.divf(t, b.addf(t, f(2.0)));
    let z = b.mulf(s, s);
    let r = b.mulf(z, polynomial(b, z, &DOUBLE));
    let low = b.mulf(e, f(LN_2[1]));
    let low = extra.map_or(low, |extra| b.addf(low, extra));
    let tail = b.fma(s, b.addf(half_square, r), low);
    let rest = b.subf(b.subf(half_square, tail), t);
    b.subf(b.mulf(e, f(LN_2[0])), rest)
}

/// The logarithm of any number.
fn of_any<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    let double = is_f64(b, x);
    let f = |value: f64| b.cfloat(value, ty);
    let least = if double {
        f64::MIN_POSITIVE
    } else {
        f64::from(f32::MIN_POSITIVE)
    };
    // Subnormal numbers, the smallest as well, are scaled into the normal range first.
    let up = if double { 54 } else { 25 };
    let small = b.cmpf(CmpF::Olt, x, f(least));
    let scaled = b.select(small, b.mulf(x, f(f64::from(up).exp2())), x);
    let (m, e) = parts(b, scaled);
    let e = b.select(small, b.subf(e, f(f64::from(up))), e);
    let value = of_parts(b, m, e);
    // log(0) = -inf, log(inf) = inf, NaN for what is negative or not a number.
    let infinity = f(f64::INFINITY);
    let value = b.select(b.cmpf(CmpF::Oeq, x, infinity), infinity, value);
    let zero = b.cmpf(CmpF::Oeq, x, f(0.0));
    let value = b.select(zero, f(f64::NEG_INFINITY), value);
    let bad = b.cmpf(CmpF::Ult, x, f(0.0));
    // The NaN that processors give for an invalid operation.
    let quiet = b.cast(
        "arith.bitcast",
        b.cint(
            if double {
                0xfff8_0000_0000_0000_u64 as i64
            } else {
                i64::from(0xffc0_0000_u32 as i32)
            },
            b.like(ty, b.int(if double { 64 } else { 32 })),
        ),
        ty,
    );
    let nan = b.select(b.cmpf(CmpF::Uno, x, x), x, quiet);
    b.select(bad, nan, value)
}

/// `log(1 + x)` for `f32`, computed in `f64`: `log(u) x / (u - 1)` with `u = 1 + x` rounded. Below
/// 1 ULP.
pub(crate) fn log1p_single<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let wide_ty = b.like(x.r#type(), b.f64());
    let f = |value: f64| b.cfloat(value, wide_ty);
    let wide = b.cast("arith.extf", x, wide_ty);
    let u = b.addf(wide, f(1.0));
    let difference = b.subf(u, f(1.0));
    let exact = b.cmpf(CmpF::Oeq, difference, f(0.0));
    let safe = b.select(exact, f(1.0), difference);
    let l = log(b, u);
    // Infinite and zero `u` need no correction, and infinite ones would spoil it.
    let plain = b.cmpf(CmpF::Ogt, b.math("absf", &[l]), f(100.0));
    let corrected = b.select(plain, l, b.mulf(l, b.divf(wide, safe)));
    let value = b.select(exact, wide, corrected);
    b.cast("arith.truncf", value, x.r#type())
}

/// `exp(x) - 1` for `f32`, computed in `f64`. Below 1 ULP.
pub(crate) fn expm1_single<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let wide_ty = b.like(x.r#type(), b.f64());
    let f = |value: f64| b.cfloat(value, wide_ty);
    let wide = b.cast("arith.extf", x, wide_ty);
    let e = b.subf(super::exp::exp(b, wide), f(1.0));
    let tiny = b.cmpf(CmpF::Olt, b.math("absf", &[wide]), f(1e-6));
    let square = b.mulf(b.mulf(wide, wide), f(0.5));
    let value = b.select(tiny, b.addf(wide, square), e);
    let narrow = b.cast("arith.truncf", value, x.r#type());
    // The sign of a zero is that of the argument.
    b.copysign(narrow, x)
}
