//! Elementary and special functions of real numbers, for scalars and vectors of `f32` and `f64`.
//!
//! All are computed inline by polynomials, so that they run at vector speed; the C library is
//! called for arguments that are too far out, lane by lane, and for the 80-bit format. Every
//! function states its error bound in units in the last place; they are measured by the accuracy
//! tests.

mod angle;
mod double;
pub(crate) mod double_double;
mod exp;
mod exp_table;
mod hyperbolic;
pub(crate) mod lanes;
pub(crate) mod libm;
mod log;
mod power;
mod remainder;
mod single;
mod tanh;
mod trig;

use crate::error::{Result, unsupported};
use mapwright_mlir::builder::{CmpF, CmpI};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Ty, Val};

/// Tells whether the value (or its lanes) is of `f64`. Otherwise it is of `f32`.
pub(crate) fn is_f64<'c>(b: &Builder<'c>, x: Val<'c>) -> bool {
    b.element_of(x.r#type()) == b.f64()
}

fn is_f32<'c>(b: &Builder<'c>, x: Val<'c>) -> bool {
    b.element_of(x.r#type()) == b.f32()
}

/// Bits of a register, where several make a vector.
const REGISTER: i64 = 256;

/// Applies `far` to a vector, a register at a time if it has several. For computations that are
/// seldom wanted: a loop takes as long, but is a quarter of the code for LLVM to work through.
fn by_registers<'c>(
    b: &Builder<'c>,
    x: Val<'c>,
    far: impl Fn(&Builder<'c>, Val<'c>) -> Val<'c>,
) -> Val<'c> {
    let (ty, element) = (x.r#type(), b.element_of(x.r#type()));
    let each = REGISTER / if is_f64(b, x) { 64 } else { 32 };
    let n = match b.shape_of(ty).as_slice() {
        [n] if !b.scales_lanes() && *n > each && n % each == 0 => *n,
        _ => return far(b, x),
    };
    let buffer = b.alloca(b.memref(&[n], element));
    b.vstore(x, buffer, &[b.cidx(0)]);
    b.rolled_loop(b.cidx(0), b.cidx(n), b.cidx(each), |b, at| {
        let part = b.vload(buffer, &[at], b.vector(&[each], element));
        b.vstore(far(b, part), buffer, &[at]);
    });
    b.vload(buffer, &[b.cidx(0)], ty)
}

/// Tests whether a lane of the integers is above `bound`, which is seldom so, as numbers with or
/// without a sign. Several registers become one before they are compared.
pub(crate) fn any_above<'c>(b: &Builder<'c>, x: Val<'c>, bound: i64, signed: bool) -> Val<'c> {
    let width: i64 = if is_wide(b, x) { 64 } else { 32 };
    let (greater, predicate) = if signed {
        ("arith.maxsi", CmpI::Sgt)
    } else {
        ("arith.maxui", CmpI::Ugt)
    };
    let mut x = x;
    let mut n = b.shape_of(x.r#type()).first().copied().unwrap_or(1);
    while !b.scales_lanes() && n * width > REGISTER && n % 2 == 0 {
        n /= 2;
        let low: Vec<i64> = (0..n).collect();
        let high: Vec<i64> = (n..2 * n).collect();
        x = b.same(greater, &[b.shuffle(x, x, &low), b.shuffle(x, x, &high)]);
    }
    b.unlikely(b.reduction("or", b.cmpi(predicate, x, b.cint(bound, x.r#type()))))
}

/// Tells whether the integers have 64 bits. Otherwise they have 32.
fn is_wide<'c>(b: &Builder<'c>, x: Val<'c>) -> bool {
    b.element_of(x.r#type()) == b.int(64)
}

/// `near`, and `far` in the lanes that are `large`, which is computed only where there are any. The
/// other lanes are as without them: a result depends on its own argument only.
fn unless<'c>(
    b: &Builder<'c>,
    (large, ty): (Val<'c>, Ty<'c>),
    near: impl Fn(&Builder<'c>) -> Val<'c>,
    far: impl Fn(&Builder<'c>) -> Val<'c>,
) -> Val<'c> {
    let any = if b.shape_of(large.r#type()).is_empty() {
        large
    } else {
        b.unlikely(b.reduction("or", large))
    };
    b.if_else(
        any,
        &[ty],
        |b| vec![b.select(large, far(b), near(b))],
        |b| vec![near(b)],
    )[0]
}

/// Tells whether the function of numbers of `f32` is a polynomial that is computed in `f32`, in as
/// many registers as the argument has.
pub(crate) fn in_registers(name: &str) -> bool {
    matches!(
        name,
        "exponential" | "log" | "tanh" | "logistic" | "erf" | "erfc"
    )
}

/// Tells whether a function of [`in_registers`] keeps more values at hand than most, and never asks
/// about all lanes of a vector together.
pub(crate) fn crowds(name: &str) -> bool {
    name == "tanh"
}

/// Tells whether the operation uses the divider, which takes half a vector at a time.
pub(crate) fn takes_divider(name: &str) -> bool {
    name == "divide"
}

/// Tells whether the function of numbers of `f64` is a polynomial of which two registers at a time
/// are faster than one after the other.
pub(crate) fn in_pairs(name: &str) -> bool {
    matches!(
        name,
        "log"
            | "sine"
            | "cosine"
            | "tan"
            | "log_plus_one"
            | "power"
            | "cbrt"
            | "erf"
            | "erfc"
            | "asin"
            | "acos"
            | "atan"
            | "sinh"
            | "cosh"
    )
}

/// `name(x)`.
pub fn unary<'c>(b: &Builder<'c>, name: &str, x: Val<'c>) -> Result<Val<'c>> {
    let own = match (is_f32(b, x), is_f64(b, x)) {
        (true, _) => of_single(b, name, x),
        (_, true) => double::unary(b, name, x),
        _ => None,
    };
    Ok(match (own, name) {
        (Some(value), _) => value,
        (_, "exp") => exp::exp(b, x),
        (_, "logistic") => logistic(b, x),
        (_, "log") => log::log(b, x),
        (_, "tanh") => tanh::tanh(b, x),
        _ => return unsupported(format!("the function '{name}'")),
    })
}

/// `name(x)` of `f32`, where that is computed in a way of its own.
fn of_single<'c>(b: &Builder<'c>, name: &str, x: Val<'c>) -> Option<Val<'c>> {
    Some(match name {
        "erf" => single::erf(b, x),
        "erfc" => single::erfc(b, x),
        "log1p" => log::log1p_single(b, x),
        "expm1" => log::expm1_single(b, x),
        "sin" | "cos" | "tan" => trig::single(b, name, x),
        "asin" | "acos" | "atan" => angle::inverse(b, name, x),
        "sinh" => hyperbolic::sine(b, x),
        "cosh" => hyperbolic::cosine(b, x),
        "asinh" => hyperbolic::inverse_sine(b, x),
        "acosh" => hyperbolic::inverse_cosine(b, x),
        "atanh" => hyperbolic::inverse_tangent(b, x),
        "cbrt" => power::cube_root(b, x),
        _ => return None,
    })
}

/// The C library's `name`, for numbers of `f32`, `f64` and the 80-bit format.
pub(crate) fn library<'c>(b: &Builder<'c>, name: &str, arguments: &[Val<'c>]) -> Val<'c> {
    libm::call(b, name, arguments)
}

/// `name(x, y)`.
pub fn binary<'c>(b: &Builder<'c>, name: &str, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>> {
    let own = if is_f64(b, x) {
        double::binary(b, name, x, y)
    } else {
        None
    };
    if let Some(value) = own {
        return Ok(value);
    }
    Ok(match name {
        "pow" if is_f32(b, x) => power::power(b, x, y),
        "atan2" if is_f32(b, x) => angle::of_point(b, x, y),
        "pow" | "atan2" | "hypot" => libm::call(b, name, &[x, y]),
        _ => return unsupported(format!("the function '{name}'")),
    })
}

/// The remainder of the division towards zero: exact, with the sign of `x`.
pub fn remainder<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    match (is_f32(b, x), is_f64(b, x)) {
        (true, _) => remainder::single(b, x, y),
        (_, true) => remainder::double(b, x, y),
        _ => b.same("arith.remf", &[x, y]),
    }
}

/// Applies `work` to numbers of `f32` in `f64`, and rounds to `f32`.
fn widely<'c>(
    b: &Builder<'c>,
    values: &[Val<'c>],
    work: impl FnOnce(&Builder<'c>, &[Val<'c>]) -> Val<'c>,
) -> Val<'c> {
    let ty = values[0].r#type();
    let wide_ty = b.like(ty, b.f64());
    let wide: Vec<Val<'c>> = values
        .iter()
        .map(|value| b.cast("arith.extf", *value, wide_ty))
        .collect();
    b.cast("arith.truncf", work(b, &wide), ty)
}

/// `1 / (1 + exp(-x))`, without overflow and without cancellation for very negative `x`.
fn logistic<'c>(b: &Builder<'c>, x: Val<'c>) -> Val<'c> {
    let ty = x.r#type();
    let one = b.cfloat(1.0, ty);
    let small = exp::exp(b, b.negf(b.math("absf", &[x])));
    let negative = b.cmpf(CmpF::Olt, x, b.cfloat(0.0, ty));
    let numerator = b.select(negative, small, one);
    b.divf(numerator, b.addf(one, small))
}
