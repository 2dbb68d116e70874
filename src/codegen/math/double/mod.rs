//! Functions of `f64` by polynomials, in two parts where one number is too little: at vector speed,
//! and below a unit in the last place.
//!
//! Every lane is computed from its own argument alone; what is too far out for the polynomials goes
//! to the C library, in a loop beside the others.

mod angle;
mod circular;
mod error_function;
mod hyperbolic;
mod logarithm;
mod power;
mod root;

use super::{any_above, libm};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpI, Val};

/// `name(x)`; `None` for what is not computed here.
pub(super) fn unary<'c>(b: &Builder<'c>, name: &str, x: Val<'c>) -> Option<Val<'c>> {
    Some(match name {
        "sin" | "cos" | "tan" => circular::circular(b, name, x),
        "expm1" => logarithm::expm1(b, x),
        "log1p" => logarithm::log1p(b, x),
        "erf" => error_function::erf(b, x),
        "erfc" => error_function::erfc(b, x),
        "asin" | "acos" | "atan" => angle::inverse(b, name, x),
        "sinh" => hyperbolic::sine(b, x),
        "cosh" => hyperbolic::cosine(b, x),
        "asinh" => hyperbolic::inverse_sine(b, x),
        "acosh" => hyperbolic::inverse_cosine(b, x),
        "atanh" => hyperbolic::inverse_tangent(b, x),
        "cbrt" => root::cube_root(b, x),
        _ => return None,
    })
}

/// `name(x, y)`; `None` for what is not computed here.
pub(super) fn binary<'c>(b: &Builder<'c>, name: &str, x: Val<'c>, y: Val<'c>) -> Option<Val<'c>> {
    Some(match name {
        "pow" => power::power(b, x, y),
        "atan2" => angle::of_point(b, x, y),
        "hypot" => root::length(b, x, y),
        _ => return None,
    })
}

/// The sign bits of integers, all other bits zero.
fn sign_bits<'c>(b: &Builder<'c>, bits: Val<'c>) -> Val<'c> {
    b.andi(bits, b.cint(i64::MIN, bits.r#type()))
}

/// `value`, but what the C library says of `x` where its magnitude is above `bound`, which is
/// positive, or NaN.
fn library_beyond<'c>(
    b: &Builder<'c>,
    name: &str,
    x: Val<'c>,
    bound: f64,
    value: Val<'c>,
) -> Val<'c> {
    let int = b.like(x.r#type(), b.i64());
    let magnitude = b.cast("arith.bitcast", b.math("absf", &[x]), int);
    // Of numbers without a sign the bits are in the order of the numbers, those of NaNs above.
    elsewhere(b, name, &[x], (magnitude, bound.to_bits() as i64), value)
}

/// `value`, but what the C library says of `arguments` where the integer of `far` is above its
/// bound.
fn elsewhere<'c>(
    b: &Builder<'c>,
    name: &str,
    arguments: &[Val<'c>],
    far: (Val<'c>, i64),
    value: Val<'c>,
) -> Val<'c> {
    let ty = value.r#type();
    let is_far = |b: &Builder<'c>| b.cmpi(CmpI::Sgt, far.0, b.cint(far.1, far.0.r#type()));
    let any = match b.shape_of(ty).as_slice() {
        [] => is_far(b),
        _ => any_above(b, far.0, far.1, true),
    };
    let found = b.if_else(
        any,
        &[ty],
        |b| {
            let all = libm::in_turn(b, name, arguments);
            vec![b.select(is_far(b), all, value)]
        },
        |_| vec![value],
    );
    found[0]
}
