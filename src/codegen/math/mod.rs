//! Elementary and special functions of real numbers, for scalars and vectors of `f32` and `f64`.
//!
//! What is hot in models (`exp`, `log`, `tanh`, `logistic`, `erf`, …) is computed inline by polynomials, so that it runs at vector speed; the rest calls the
//! C library lane by lane. Every function states its error bound in units in the last place; they are measured by the accuracy tests.

mod exp;
pub(crate) mod lanes;
mod libm;
mod log;
mod single;
mod tanh;
mod trig;

use crate::error::{Result, unsupported};
use mapwright_mlir::builder::CmpF;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Val};

/// Is the value (or its lanes) `f64`? Otherwise it is `f32`.
pub(crate) fn is_f64<'c>(b: &Builder<'c>, x: Val<'c>) -> bool {
    b.element_of(x.r#type()) == b.f64()
}

/// `name(x)`.
pub fn unary<'c>(b: &Builder<'c>, name: &str, x: Val<'c>) -> Result<Val<'c>> {
    if !is_f64(b, x)
        && let Some(value) = single::unary(b, name, x)
    {
        return Ok(value);
    }
    Ok(match name {
        "exp" => exp::exp(b, x),
        "logistic" => logistic(b, x),
        "log" => log::log(b, x),
        "tanh" => tanh::tanh(b, x),
        "log1p" if !is_f64(b, x) => log::log1p_single(b, x),
        "expm1" if !is_f64(b, x) => log::expm1_single(b, x),
        "sin" | "cos" if !is_f64(b, x) => trig::single(b, name, x),
        "expm1" | "log1p" | "sin" | "cos" | "tan" | "cbrt" | "acos" | "acosh" | "asin"
        | "asinh" | "atan" | "atanh" | "cosh" | "sinh" | "erf" | "erfc" => {
            libm::call(b, name, &[x])
        }
        _ => return unsupported(format!("the function '{name}'")),
    })
}

/// The C library's `name`, for numbers of `f32`, `f64` and the 80-bit format.
pub(crate) fn library<'c>(b: &Builder<'c>, name: &str, arguments: &[Val<'c>]) -> Val<'c> {
    libm::call(b, name, arguments)
}

/// `name(x, y)`.
pub fn binary<'c>(b: &Builder<'c>, name: &str, x: Val<'c>, y: Val<'c>) -> Result<Val<'c>> {
    Ok(match name {
        "pow" | "atan2" | "hypot" => libm::call(b, name, &[x, y]),
        _ => return unsupported(format!("the function '{name}'")),
    })
}

/// The remainder of the division towards zero: exact, with the sign of `x`.
pub fn remainder<'c>(b: &Builder<'c>, x: Val<'c>, y: Val<'c>) -> Val<'c> {
    b.same("arith.remf", &[x, y])
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
