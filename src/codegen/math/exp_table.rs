//! The exponential function of `f32` by a table of eight numbers in a register, for targets that
//! look up lanes in one (AVX2).
//!
//! `x = n ln 2 / 8 + r` with `|r| <= ln 2 / 16`, and `exp(x) = 2^(n div 8) t (1 + q)` with
//! `t = K 2^((n mod 8) / 8)` from the table and `q = exp(r) / K - 1`, of which four terms are
//! enough. That is two multiplications less than for an `r` that is eight times as long, on a chain
//! that is as much shorter; the look-up runs beside it. Below 0.96 units in the last place, on
//! every argument between -87.3 and 87.3 but for the smallest.

use super::is_f64;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Val};

/// `K 2^(i/8)`. `K = 1.0240203...` is such that all eight are within 5e-9 of what they stand for, a
/// twelfth of a unit in the last place.
const TABLE: [f32; 8] = [
    1.024_020_3,
    1.116_702_1,
    1.217_772_2,
    1.327_990_1,
    1.448_183_4,
    1.579_255_2,
    1.722_19,
    1.878_061_5,
];

/// `exp(r) / K - 1` from the constant term on; relative error of `1 + q` with the table 2.0e-8.
const TERMS: [f64; 4] = [
    -0.023_456_893_9,
    0.976_543_188,
    0.488_347_918,
    0.162_741_914,
];

/// `ln 2 / 8`, rounded to `f32`, and what that leaves out.
const LN2_HIGH: f64 = 0.086_643_397_808_074_951;
const LN2_LOW: f64 = -2.380_817_903_94e-10;

/// A number that moves the integral part of what is added to it to the lowest bits.
const MAGIC: f64 = 12_582_912.0;

/// Bits of `n` for which there is a number in the table, and where they end up in exponents.
const BITS: i64 = 3;
const PLACE: i64 = 23 - BITS;

/// Tells whether the target has the instruction and the numbers are of `f32`. On one target all
/// arguments go the same way: a result does not depend on the place of its argument in a vector.
pub(super) fn apply<'c>(b: &Builder<'c>, x: Val<'c>) -> bool {
    b.permutes_lanes() && !is_f64(b, x)
}

/// `exp(x)`, where it is a normal number and `x` at most 87.3 from zero.
pub(super) fn exp<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let (q, shifted) = parts(b, x);
    // What stands above `n` is shifted out, and what is left of `n mod 8` the table takes back.
    let power = scaled(b, shifted);
    b.fma(power, q, power)
}

/// `m` and `n` with `exp(x) = m 2^n` and `m` between 0.9 and 2.
pub(super) fn taken_apart<'c>(b: &Builder<'c>, x: Val<'c>) -> (Val<'c>, Val<'c>) {
    let (q, shifted) = parts(b, x);
    let ty = shifted.r#type();
    let magic = b.cint(i64::from((MAGIC as f32).to_bits()), ty);
    let n = b.subi(shifted, magic);
    let power = scaled(b, b.andi(n, b.cint((1 << BITS) - 1, ty)));
    (b.fma(power, q, power), b.shrsi(n, b.cint(BITS, ty)))
}

/// `q` and the bits of a number that end in those of `n`.
fn parts<'c>(b: &Builder<'c>, x: Val<'c>) -> (Val<'c>, Val<'c>) {
    let ty = x.r#type();
    let f = |value: f64| b.cfloat(value, ty);
    let per_step = 8.0 * std::f64::consts::LOG2_E;
    let shifted = b.fma(x, f(per_step), f(MAGIC));
    let n = b.subf(shifted, f(MAGIC));
    let r = b.fma(n, f(-LN2_HIGH), x);
    let r = b.fma(n, f(-LN2_LOW), r);
    let [lower @ .., highest] = TERMS;
    let q = lower
        .iter()
        .rev()
        .fold(f(highest), |value, term| b.fma(value, r, f(*term)));
    let int = b.like(ty, b.int(32));
    (q, b.cast("arith.bitcast", shifted, int))
}

/// `K 2^(n/8)`, a normal number, of integers whose lowest 12 bits are those of `n`.
fn scaled<'c>(b: &Builder<'c>, n: Val<'c>) -> Val<'c> {
    let exponent = b.shli(n, b.cint(PLACE, n.r#type()));
    let bits = b.addi(looked_up(b, n), exponent);
    b.cast("arith.bitcast", bits, b.like(n.r#type(), b.f32()))
}

/// The bits of the table's numbers at the lowest three bits of `index`, less those bits at their
/// place in the exponent.
fn looked_up<'c>(b: &Builder<'c>, index: Val<'c>) -> Val<'c> {
    let register = b.vector(&[TABLE.len() as i64], b.int(32));
    let entries: Vec<i64> = TABLE
        .iter()
        .zip(0i64..)
        .map(|(number, i)| i64::from(number.to_bits()) - (i << PLACE))
        .collect();
    let table = b.cints(&entries, register);
    let permuted = |index| b.intrinsic("llvm.x86.avx2.permd", &[table, index], register);
    let Some(n) = b.shape_of(index.r#type()).first().copied() else {
        return b.extract(permuted(b.broadcast(index, register)), &[0]);
    };
    // Whole registers, the last lane again and again behind it.
    let whole = (n.max(1) as usize).next_power_of_two().max(TABLE.len()) as i64;
    let resized = |value: Val<'c>, from: i64, to: i64| {
        if from == to {
            value
        } else {
            b.shuffle(
                value,
                value,
                &(0..to).map(|i| i.min(from - 1)).collect::<Vec<_>>(),
            )
        }
    };
    let found = by_halves(b, resized(index, n, whole), &permuted);
    resized(found, whole, n)
}

/// Applies `permuted` to each register of a vector.
fn by_halves<'c>(
    b: &Builder<'c>,
    index: Val<'c>,
    permuted: &impl Fn(Val<'c>) -> Val<'c>,
) -> Val<'c> {
    let n = b.shape_of(index.r#type()).first().copied().unwrap_or(0);
    if n <= TABLE.len() as i64 {
        return permuted(index);
    }
    let lanes: Vec<i64> = (0..n).collect();
    let (low, high) = lanes.split_at(lanes.len() / 2);
    let half = |lanes: &[i64]| by_halves(b, b.shuffle(index, index, lanes), permuted);
    b.shuffle(half(low), half(high), &lanes)
}
