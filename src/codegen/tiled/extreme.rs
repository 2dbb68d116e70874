//! The greatest and the least of many numbers of `f32` without comparing floating-point numbers.
//!
//! As integers, numbers without a sign are in their order and above those with one, and these are
//! in the reverse order, with or without a sign for the integers. So the greatest and the least
//! signed integer and the greatest and least unsigned one tell all: three operations an element,
//! where the maximum that knows NaN and the sign of zeros takes five without AVX-512's instruction
//! for it.

use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpI, Ty, Val};

/// Bits of infinity.
const INFINITY: i64 = 0x7f80_0000;
/// Bits of infinity with a sign, as they are sorted among signed integers.
const MINUS_INFINITY: i64 = -0x80_0000;
/// Bits of the NaN that is the result where one of the numbers is NaN.
const NAN: i64 = 0x7fc0_0000;

/// Extreme that is wanted of the numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extreme {
    Greatest,
    Least,
}

/// Operations by which the accumulators grow: the greatest as signed integers, the least and the
/// greatest as unsigned ones.
const GROWTH: [&str; 3] = ["arith.maxsi", "arith.minui", "arith.maxui"];

/// Tells whether it pays for vectors of so many lanes of `f32`, of one register or several. It does
/// for registers of 256 bits, which only processors without an instruction for it have.
pub(crate) fn pays(lanes: &[i64], registers: i64) -> bool {
    *lanes == [8 * registers]
}

/// The integers with the bits of numbers, or the type of these.
fn bits<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    b.cast("arith.bitcast", x, ints(b, x.r#type()))
}

fn ints<'c>(b: &Builder<'c>, ty: Ty<'c>) -> Ty<'c> {
    b.like(ty, b.int(32))
}

/// Accumulators that have seen one number.
pub(crate) fn start<'c>(b: &Builder<'c>, x: Val<'c>) -> Vec<Val<'c>> {
    vec![bits(b, x); GROWTH.len()]
}

/// Accumulators and one more number.
pub(crate) fn grow<'c>(b: &Builder<'c>, sums: &[Val<'c>], x: Val<'c>) -> Vec<Val<'c>> {
    join(b, sums, &start(b, x))
}

/// Two sets of accumulators as one.
pub(crate) fn join<'c>(b: &Builder<'c>, one: &[Val<'c>], other: &[Val<'c>]) -> Vec<Val<'c>> {
    GROWTH
        .iter()
        .zip(one.iter().zip(other))
        .map(|(name, (x, y))| b.same(name, &[*x, *y]))
        .collect()
}

/// Lanes of what [`of_lanes`] gives.
pub(crate) const ALL: i64 = 4;

/// Accumulators of vectors as those of all their lanes, in each of [`ALL`] lanes: what follows
/// stays in vector registers.
pub(crate) fn of_lanes<'c>(b: &Builder<'c>, sums: &[Val<'c>]) -> Vec<Val<'c>> {
    let mut sums = sums.to_vec();
    let lanes = |x: Val<'c>| b.shape_of(x.r#type()).first().copied().unwrap_or(1);
    let part = |sums: &[Val<'c>], places: &[i64]| -> Vec<Val<'c>> {
        sums.iter().map(|x| b.shuffle(*x, *x, places)).collect()
    };
    let mut n = lanes(sums[0]);
    while n > ALL {
        n /= 2;
        let low: Vec<i64> = (0..n).collect();
        let high: Vec<i64> = (n..2 * n).collect();
        sums = join(b, &part(&sums, &low), &part(&sums, &high));
    }
    for distance in [2, 1] {
        let others: Vec<i64> = (0..n).map(|i| i ^ distance).collect();
        sums = join(b, &sums, &part(&sums, &others));
    }
    sums
}

impl Extreme {
    /// The result, of type `ty` (a number or a vector of them), NaN if any number was.
    pub(crate) fn finish<'c>(self, b: &Builder<'c>, sums: &[Val<'c>], ty: Ty<'c>) -> Val<'c> {
        let c = |value: i64| b.cint(value, ints(b, ty));
        let &[greatest, least_bits, greatest_bits] = sums else {
            return b.cfloat(f64::NAN, ty);
        };
        // Is there a number without a sign, or one with a sign?
        let (found, one, other) = match self {
            Self::Greatest => (b.cmpi(CmpI::Sge, greatest, c(0)), greatest, least_bits),
            Self::Least => (
                b.cmpi(CmpI::Slt, greatest_bits, c(0)),
                greatest_bits,
                least_bits,
            ),
        };
        let value = b.select(found, one, other);
        let above = b.cmpi(CmpI::Sgt, greatest, c(INFINITY));
        let below = b.cmpi(CmpI::Ugt, greatest_bits, c(MINUS_INFINITY));
        let value = b.select(b.ori(above, below), c(NAN), value);
        b.cast("arith.bitcast", value, ty)
    }
}
