//! The exponential function.
//!
//! `x = n ln 2 + r` with `|r| <= ln 2 / 2` (ln 2 in two parts, so that the product is exact),
//! `exp(r) = 1 + r + r² p(r)` with `p` a polynomial of least relative error, and the scaling by
//! `2^n` in two steps or by the instruction for it, so that results may overflow or be subnormal.
//! Below 1 ULP.

use super::{
    any_above, by_registers,
    double_double::{self, DoubleDouble},
    exp_table, is_f64, lanes, log,
};
use mapwright_mlir::builder::CmpF;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Val};

/// Relative error of the polynomial: 3.1e-9.
const SINGLE: [f64; 5] = [
    0.499_999_934_477_964_868_27,
    0.166_665_206_317_094_968_87,
    0.041_668_388_045_313_996_659,
    0.008_368_716_879_728_139_946_9,
    0.001_381_459_864_666_403_446_3,
];

/// Relative error of the polynomial: 2.3e-19.
pub(super) const DOUBLE: [f64; 11] = [
    0.5,
    0.166_666_666_666_666_710_3,
    0.041_666_666_666_666_669_783,
    0.008_333_333_333_326_083_120_2,
    0.001_388_888_888_888_371_116_7,
    0.000_198_412_698_750_022_787_93,
    0.000_024_801_587_325_677_461_9,
    2.755_725_517_000_887_438_6e-6,
    2.755_727_347_871_858_047_4e-7,
    2.510_531_272_962_210_178_7e-8,
    2.091_475_532_589_32e-9,
];

/// Polynomial with `coefficients` from the constant term on. Neighbouring terms are put together
/// two by two until three are left, so that little waits for what is before it: a processor sees
/// only a few vectors at a time.
pub(crate) fn polynomial<'c>(b: &Builder<'c>, x: Val<'c>, coefficients: &[f64]) -> Val<'c> {
    let c = |value: &f64| b.cfloat(*value, x.r#type());
    let mut terms: Vec<Val<'c>> = coefficients.iter().map(c).collect();
    let mut power = x;
    while terms.len() > 3 {
        terms = terms
            .chunks(2)
            .map(|pair| match pair {
                [low, high] => b.fma(*high, power, *low),
                _ => pair[0],
            })
            .collect();
        power = b.mulf(power, power);
    }
    let highest = terms.pop().unwrap_or_else(|| c(&0.0));
    terms
        .into_iter()
        .rev()
        .fold(highest, |value, term| b.fma(value, power, term))
}

/// `value 2^n` for an integral `n`, which comes as `shifted = n + magic`: in two steps.
pub(super) fn scale<'c>(b: &Builder<'c>, value: Val<'c>, shifted: Val<'c>) -> Val<'c> {
    let (width, _) = layout(b, value);
    let ty = value.r#type();
    let int = b.like(ty, b.int(width));
    let bits = |v: Val<'c>| b.cast("arith.bitcast", v, int);
    let n = b.subi(bits(shifted), bits(magic(b, value)));
    let half = if is_f64(b, value) {
        // Vectors of 64 bits have no arithmetic shift before AVX-512.

        let n = b.subf(shifted, magic(b, value));
        integral(b, b.fma(n, b.cfloat(0.5, ty), magic(b, value)))
    } else {
        b.shrsi(n, b.cint(1, int))
    };
    in_two_steps(b, value, half, b.subi(n, half))
}

/// `value 2^(m + n)` of integers, each the exponent of a number.
fn in_two_steps<'c>(b: &Builder<'c>, value: Val<'c>, m: Val<'c>, n: Val<'c>) -> Val<'c> {
    let (_, mantissa) = layout(b, value);
    let bias = bias(b, value);
    let (ty, int) = (value.r#type(), n.r#type());
    let c = |v: i64| b.cint(v, int);
    let power = |e: Val<'c>| {
        let biased = b.shli(b.addi(e, c(bias)), c(mantissa));
        b.cast("arith.bitcast", biased, ty)
    };
    b.mulf(b.mulf(value, power(m)), power(n))
}

/// `exp(x)`.
pub(crate) fn exp<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    if b.shape_of(ty).is_empty() || lanes::apply(b, x) {
        return of_any(b, x);
    }
    // Vectors of which all results are normal numbers, as nearly all are, need no limits, and are
    // scaled in one step, with the last addition: the same bits with a third less to do.
    let greatest = if is_f64(b, x) { 708.0 } else { 87.3 };
    let (width, mantissa) = layout(b, x);
    let int = b.like(ty, b.int(width));
    let magnitude = b.cast("arith.bitcast", b.math("absf", &[x]), int);
    // The bits of greater numbers, and of NaNs, are greater.
    let bound = if is_f64(b, x) {
        f64::to_bits(greatest) as i64
    } else {
        i64::from((greatest as f32).to_bits())
    };
    b.if_else(
        any_above(b, magnitude, bound, true),
        &[ty],
        |b| vec![by_registers(b, x, of_any)],
        |b| {
            if exp_table::apply(b, x) {
                return vec![exp_table::exp(b, x)];
            }
            // What stands above `n` is shifted out.
            let exponent = |shifted: Val<'c>| {
                let n = b.cast("arith.bitcast", shifted, int);
                b.shli(n, b.cint(mantissa, int))
            };
            if in_steps(b, x) {
                let (r, shifted) = reduced(b, x);
                let value = b.cast("arith.bitcast", steps(b, r), int);
                let value = b.addi(value, exponent(shifted));
                return vec![b.cast("arith.bitcast", value, ty)];
            }
            let (less_one, shifted) = parts(b, x);
            let n = exponent(shifted);
            let power = b.addi(n, b.cint(bias(b, x) << mantissa, int));
            let power = b.cast("arith.bitcast", power, ty);
            vec![b.fma(power, less_one, power)]
        },
    )[0]
}

/// Bits of a number like `x`, and of its mantissa.
fn layout<'c>(b: &Builder<'c>, x: Val<'c>) -> (u32, i64) {
    if is_f64(b, x) { (64, 52) } else { (32, 23) }
}

/// Returns the bias of the exponents of numbers like `x`.
fn bias<'c>(b: &Builder<'c>, x: Val<'c>) -> i64 {
    let (width, mantissa) = layout(b, x);
    (1 << (i64::from(width) - mantissa - 2)) - 1
}

/// A number that moves the integral part of what is added to it to the lowest bits.
pub(super) fn magic<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let (_, mantissa) = layout(b, x);
    b.cfloat(1.5 * (mantissa as f64).exp2(), x.r#type())
}

/// Tells whether the polynomial is evaluated term by term. That is an operation less than by pairs
/// of terms, and more exact, but each waits for the one before: it is for vectors of `f32` without
/// AVX-512 (and without the table of [`eighths`]).
fn in_steps<'c>(b: &Builder<'c>, x: Val<'c>) -> bool {
    !is_f64(b, x) && !b.scales_lanes()
}

/// `exp(r)` of `f32`, term by term.
fn steps<'c>(b: &Builder<'c>, r: Val<'c>) -> Val<'c> {
    let c = |value: f64| b.cfloat(value, r.r#type());
    let highest = c(SINGLE[SINGLE.len() - 1]);
    let tail = SINGLE.iter().rev().skip(1).copied();
    tail.chain([1.0, 1.0])
        .fold(highest, |value, term| b.fma(value, r, c(term)))
}

/// `exp(r) - 1` and `n + magic`, with `x = n ln 2 + r`. The bits of the latter end in those of `n`.
pub(super) fn parts<'c>(b: &Builder<'c>, x: Val<'c>) -> (Val<'c>, Val<'c>) {
    let (r, shifted) = reduced(b, x);
    let coefficients: &[f64] = if is_f64(b, x) { &DOUBLE } else { &SINGLE };
    let tail = polynomial(b, r, coefficients);
    (b.fma(b.mulf(r, r), tail, r), shifted)
}

/// `r` of `f64` in two parts and `n + magic`, with `x = n ln 2 + r`.
pub(super) fn reduced_in_two<'c>(b: &Builder<'c>, x: Val<'c>) -> (DoubleDouble<'c>, Val<'c>) {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let shifted = b.fma(x, f(std::f64::consts::LOG2_E), magic(b, x));
    let n = b.subf(shifted, magic(b, x));
    let first = b.fma(n, f(-log::LN_2[0]), x);
    let r = double_double::ordered_sum(b, first, b.mulf(n, f(-log::LN_2[1])));
    (r, shifted)
}

/// `n` of `f64` from `n + magic`, as integers.
pub(super) fn integral<'c>(b: &Builder<'c>, shifted: Val<'c>) -> Val<'c> {
    let int = b.like(shifted.r#type(), b.i64());
    let bits = |v: Val<'c>| b.cast("arith.bitcast", v, int);
    b.subi(bits(shifted), bits(magic(b, shifted)))
}

/// `r` and `n + magic`, with `x = n ln 2 + r`.
fn reduced<'c>(b: &Builder<'c>, x: Val<'c>) -> (Val<'c>, Val<'c>) {
    let f = |value: f64| b.cfloat(value, x.r#type());
    let (ln2_high, ln2_low) = if is_f64(b, x) {
        (
            f64::from_bits(0x3fe6_2e42_fee0_0000),
            1.908_214_929_270_587_7e-10,
        )
    } else {
        (0.693_359_375, -2.121_944_400_546_905_8e-4)
    };
    let shifted = b.fma(x, f(std::f64::consts::LOG2_E), magic(b, x));
    let n = b.subf(shifted, magic(b, x));
    let r = b.fma(n, f(-ln2_high), x);
    (b.fma(n, f(-ln2_low), r), shifted)
}

/// The exponential of any number.
fn of_any<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    let f = |value: f64| b.cfloat(value, ty);
    // Outside this range the result is 0 or infinite; NaN passes through.
    let (low, high) = if is_f64(b, x) {
        (-746.0, 710.0)
    } else {
        (-104.0, 89.0)
    };
    // Masks (those of attention, say) make most arguments such that the result is 0, and a
    // processor that has to round a result to a subnormal number takes hundreds of cycles: nothing
    // is scaled there.
    let vanishes = b.cmpf(CmpF::Olt, x, f(low));
    let masks = lanes::apply(b, x);
    let ordinary = b.select(vanishes, f(if masks { low } else { 0.0 }), x);
    let clamped = b.select(b.cmpf(CmpF::Ogt, ordinary, f(high)), f(high), ordinary);
    if exp_table::apply(b, x) {
        let (value, n) = exp_table::taken_apart(b, clamped);
        let half = b.shrsi(n, b.cint(1, n.r#type()));
        let value = in_two_steps(b, value, half, b.subi(n, half));
        return b.select(vanishes, f(0.0), value);
    }
    let (value, shifted) = if in_steps(b, x) {
        let (r, shifted) = reduced(b, clamped);
        (steps(b, r), shifted)
    } else {
        let (less_one, shifted) = parts(b, clamped);
        (b.addf(less_one, f(1.0)), shifted)
    };
    if masks {
        let n = b.subf(shifted, magic(b, x));
        lanes::scale(b, value, n, b.cmpf(CmpF::Uge, x, f(low)))
    } else {
        b.select(vanishes, f(0.0), scale(b, value, shifted))
    }
}
