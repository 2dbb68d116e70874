//! Floating-point numbers taken apart and put together by the instructions that AVX-512 has for it,
//! a full vector at a time.
//!
//! Each function takes subnormal numbers as they are. Elsewhere the callers do the same with
//! integers, and get the same bits.

use super::is_f64;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpF, Val, op};

/// Rounding as the processor is set, in the numbering of the intrinsics.
const CURRENT: i64 = 4;

/// Tells whether the target has the instructions and `x` is a vector that fills a register.
pub(crate) fn apply<'c>(b: &Builder<'c>, x: Val<'c>) -> bool {
    let full = if is_f64(b, x) { 8 } else { 16 };
    b.scales_lanes() && b.shape_of(x.r#type()) == [full]
}

/// Returns the ending of the names of intrinsics for vectors like `x`, and the number of their
/// lanes.
fn kind<'c>(b: &Builder<'c>, x: Val<'c>) -> (&'static str, u32) {
    if is_f64(b, x) { ("pd", 8) } else { ("ps", 16) }
}

/// The intrinsic `name` of AVX-512 on `arguments`, with no lane masked out.
fn call<'c>(b: &Builder<'c>, name: &str, arguments: &[Val<'c>]) -> Val<'c> {
    let x = arguments[0];
    let (suffix, lanes) = kind(b, x);
    let mut all = arguments.to_vec();
    all.extend([b.cint(-1, b.int(lanes)), b.cint(CURRENT, b.int(32))]);
    b.intrinsic(
        &format!("llvm.x86.avx512.mask.{name}.{suffix}.512"),
        &all,
        x.r#type(),
    )
}

/// `x 2^n` for integral `n`, rounded once, in the lanes that are `kept`, and 0 in the others, where
/// nothing is computed.
pub(super) fn scale<'c>(b: &Builder<'c>, x: Val<'c>, n: Val<'c>, kept: Val<'c>) -> Val<'c> {
    let (suffix, lanes) = kind(b, x);
    let mask = b.vector(&[1], b.int(lanes));
    let mask = b.extract(b.cast("vector.bitcast", kept, mask), &[0]);
    let rounding = b.cint(CURRENT, b.int(32));
    b.intrinsic(
        &format!("llvm.x86.avx512.mask.scalef.{suffix}.512"),
        &[x, n, b.cfloat(0.0, x.r#type()), mask, rounding],
        x.r#type(),
    )
}

/// `m` in `[3/4, 3/2)` and `e` with `|x| = 2^e m`. A zero has `m = 1` and `e` infinite.
pub(super) fn parts<'c>(b: &Builder<'c>, x: Val<'c>) -> (Val<'c>, Val<'c>) {
    // The interval from 3/4 on, the sign dropped.
    let interval = b.cint(0b01_11, b.int(32));
    let m = call(b, "getmant", &[x, interval, x]);
    let floor = call(b, "getexp", &[x, x]);
    let one = b.cfloat(1.0, x.r#type());
    let below = b.cmpf(CmpF::Olt, m, one);
    (m, b.select(below, b.addf(floor, one), floor))
}

/// Replacement of a result, by the class of the argument.
#[derive(Clone, Copy)]
pub(super) enum Fix {
    /// The result stays.
    Result = 0,
    /// The argument, a NaN, made quiet.
    Quiet = 2,
    /// The NaN of an invalid operation.
    Invalid = 3,
    /// Minus infinity.
    Low = 4,
    /// Infinity.
    High = 5,
}

/// `value` where `x` is an ordinary number, and what stands in `fixes` for a `x` that is NaN, a
/// zero, 1, minus infinity, infinity, another negative number, another positive number.
pub(super) fn fix<'c>(b: &Builder<'c>, value: Val<'c>, x: Val<'c>, fixes: [Fix; 7]) -> Val<'c> {
    // Four bits a class; quiet and signalling NaNs are two classes.
    let table = fixes
        .iter()
        .rev()
        .chain(&fixes[..1])
        .fold(0, |table, fix| table << 4 | *fix as i64);
    let int = b.int(if is_f64(b, x) { 64 } else { 32 });
    let table = b.cint(table, b.like(x.r#type(), int));
    call(b, "fixupimm", &[value, x, table, b.cint(0, b.int(32))])
}

/// The greater or the lesser of two numbers: NaN if either is, +0 above -0. `None` where the
/// ordinary operation does as well: for a constant, of which the compiler knows that it is not NaN.
pub(crate) fn extreme<'c>(
    b: &Builder<'c>,
    x: Val<'c>,
    y: Val<'c>,
    greater: bool,
) -> Option<Val<'c>> {
    let constant = |v| op::defining_op(v).is_some_and(|(op, _)| op.name() == "arith.constant");
    if !apply(b, x) || constant(x) || constant(y) {
        return None;
    }
    let unordered = b.cmpf(CmpF::Uno, x, y);
    let ordered = ordered_extreme(b, x, y, greater);
    Some(b.select(unordered, b.addf(x, y), ordered))
}

/// As [`extreme`], of numbers that are not NaN.
fn ordered_extreme<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>, greater: bool) -> Val<'c> {
    // The sign is that of the number that is chosen.
    let which = b.cint(0b01_00 | i64::from(greater), b.int(32));
    call(b, "range", &[x, y, which, x])
}

/// The greatest or the least lane, NaN if any is.
pub(crate) fn extreme_lane<'c>(b: &Builder<'c>, x: Val<'c>, greater: bool) -> Val<'c> {
    let n = b.shape_of(x.r#type())[0];
    let any = b.reduction("or", b.cmpf(CmpF::Uno, x, x));
    let mut best = x;
    let mut distance = n / 2;
    while distance > 0 {
        let other: Vec<i64> = (0..n).map(|i| i ^ distance).collect();
        best = ordered_extreme(b, best, b.shuffle(best, best, &other), greater);
        distance /= 2;
    }
    let best = b.extract(best, &[0]);
    b.select(any, b.cfloat(f64::NAN, best.r#type()), best)
}
