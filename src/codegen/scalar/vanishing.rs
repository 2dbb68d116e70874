//! Complex functions with a part that is zero along curves. Beside these it is what nearly equal terms leave, of any format too little: the
//! runtime computes it with as many bits as it takes.

use super::complex::{Pair, Wide};
use crate::{error::Result, math};
use mapwright_mlir::builder::CmpF;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Val};

/// The functions.
pub(super) const NAMES: &[&str] = &["exponential_minus_one", "logistic", "power"];

/// The runtime's function `name` of scalars of `f64`, or of each lane.
pub(super) fn call<'c>(b: &Builder<'c>, name: &str, arguments: &[Val<'c>]) -> Pair<'c> {
    let parts = math::libm::by_lanes(b, &format!("mw_complex_{name}"), arguments, 2);
    (parts[0], parts[1])
}

/// `value` where it is `certain`, elsewhere what the runtime computes of `arguments`; all are `f64`.
pub(super) fn unless<'c>(
    b: &Builder<'c>,
    name: &str,
    arguments: &[Val<'c>],
    value: Pair<'c>,
    certain: Val<'c>,
) -> Pair<'c> {
    let ty = value.0.r#type();
    let all = match b.shape_of(ty).is_empty() {
        true => certain,
        false => b.reduction("and", certain),
    };
    let parts = b.if_else(
        all,
        &[ty, ty],
        |_| vec![value.0, value.1],
        |b| {
            let (re, im) = call(b, name, arguments);
            vec![
                b.select(certain, value.0, re),
                b.select(certain, value.1, im),
            ]
        },
    );
    (parts[0], parts[1])
}

/// The function `name` of [`NAMES`] in the format of `z`, and whether so much of both parts is left that they are right to the last bit of the
/// next narrower format. Not certain either: what is not finite, and what is on an axis.
pub(super) fn guarded<'c>(
    b: &Builder<'c>,
    name: &str,
    z: Pair<'c>,
    w: Pair<'c>,
) -> Result<(Pair<'c>, Val<'c>)> {
    let m = Wide { b };
    let f = |value: f64| m.f(value, z.0);
    let abs = |x: Val<'c>| b.math("absf", &[x]);
    // What is left of 11 bits more than the result has, and of 29.
    let share = f(match m.is_extended(z.0) {
        true => 2f64.powi(-7),
        false => 2f64.powi(-24),
    });
    let (value, part, terms) = match name {
        "power" => {
            let (value, log) = m.power(z, w)?;
            let sum = |(re, im): Pair<'c>| b.addf(abs(re), abs(im));
            // The terms of the angle, whose errors are those of the smaller part.
            let angle = b.fma(sum(w), sum(log), f(1.0));
            let (re, im) = (abs(value.0), abs(value.1));
            let less = b.cmpf(CmpF::Olt, re, im);
            let (least, most) = (b.select(less, re, im), b.select(less, im, re));
            (value, least, b.mulf(most, angle))
        }
        "exponential_minus_one" => {
            let (value, versine) = m.expm1(z)?;
            (value, value.0, versine)
        }
        _ => {
            let (value, denominator) = m.logistic(z)?;
            (value, denominator, f(1.0))
        }
    };
    let certain = b.cmpf(CmpF::Oge, abs(part), b.mulf(abs(terms), share));
    Ok((value, certain))
}
