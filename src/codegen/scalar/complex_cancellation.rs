//! Complex functions with a part that is zero along curves. Beside these it is what nearly equal
//! terms leave, of any format too little: the runtime computes it with as many bits as it takes.

use super::complex::{Pair, Wide};
use crate::{error::Result, math};
use mapwright_mlir::builder::CmpF;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, Val};

/// A function whose part may vanish.
pub(super) struct Function {
    /// Of the operation, and of the runtime's function behind `mw_complex_`.
    name: &'static str,
    terms: for<'b, 'c> fn(&Wide<'b, 'c>, Pair<'c>, Pair<'c>) -> Result<Terms<'c>>,
}

/// A value, and what of it may cancel.
struct Terms<'c> {
    value: Pair<'c>,
    /// Part that may vanish.
    part: Val<'c>,
    /// The size of the terms that it is the sum of.
    terms: Val<'c>,
}

const FUNCTIONS: &[Function] = &[
    Function {
        name: "exponential_minus_one",
        terms: exponential_minus_one,
    },
    Function {
        name: "logistic",
        terms: logistic,
    },
    Function {
        name: "power",
        terms: power,
    },
];

/// The function that the operation `name` computes, if it is one of these.
pub(super) fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

fn exponential_minus_one<'c>(m: &Wide<'_, 'c>, z: Pair<'c>, _: Pair<'c>) -> Result<Terms<'c>> {
    let (value, versine) = m.expm1(z)?;
    Ok(Terms {
        value,
        part: value.0,
        terms: versine,
    })
}

fn logistic<'c>(m: &Wide<'_, 'c>, z: Pair<'c>, _: Pair<'c>) -> Result<Terms<'c>> {
    let (value, denominator) = m.logistic(z)?;
    Ok(Terms {
        value,
        part: denominator,
        terms: m.f(1.0, z.0),
    })
}

fn power<'c>(m: &Wide<'_, 'c>, z: Pair<'c>, w: Pair<'c>) -> Result<Terms<'c>> {
    let b = m.b;
    let (value, log) = m.power(z, w)?;
    let abs = |x: Val<'c>| b.math("absf", &[x]);
    let sum = |(re, im): Pair<'c>| b.addf(abs(re), abs(im));
    // The terms of the angle, whose errors are those of the smaller part.
    let angle = b.fma(sum(w), sum(log), m.f(1.0, z.0));
    let (re, im) = (abs(value.0), abs(value.1));
    let less = b.cmpf(CmpF::Olt, re, im);
    let (least, most) = (b.select(less, re, im), b.select(less, im, re));
    Ok(Terms {
        value,
        part: least,
        terms: b.mulf(most, angle),
    })
}

/// Calls the runtime's function for scalars of `f64`, or for each lane.
pub(super) fn call<'c>(b: &Builder<'c>, function: &Function, arguments: &[Val<'c>]) -> Pair<'c> {
    let symbol = format!("mw_complex_{}", function.name);
    let parts = math::libm::by_lanes(b, &symbol, arguments, 2);
    (parts[0], parts[1])
}

/// `value` where it is `certain`, elsewhere what the runtime computes of `arguments`; all are
/// `f64`.
pub(super) fn unless<'c>(
    b: &Builder<'c>,
    function: &Function,
    arguments: &[Val<'c>],
    value: Pair<'c>,
    certain: Val<'c>,
) -> Pair<'c> {
    let ty = value.0.r#type();
    let all = if b.shape_of(ty).is_empty() {
        certain
    } else {
        b.reduction("and", certain)
    };
    let parts = b.if_else(
        all,
        &[ty, ty],
        |_| vec![value.0, value.1],
        |b| {
            let (re, im) = call(b, function, arguments);
            vec![
                b.select(certain, value.0, re),
                b.select(certain, value.1, im),
            ]
        },
    );
    (parts[0], parts[1])
}

/// The function in the format of `z`, and whether so much of both parts is left that they are right
/// to the last bit of the next narrower format. Not certain either: what is not finite, and what is
/// on an axis.
pub(super) fn guarded<'c>(
    b: &Builder<'c>,
    function: &Function,
    z: Pair<'c>,
    w: Pair<'c>,
) -> Result<(Pair<'c>, Val<'c>)> {
    let m = Wide { b };
    // What is left of 11 bits more than the result has, and of 29.
    let share = if m.is_extended(z.0) {
        m.f(2f64.powi(-7), z.0)
    } else {
        m.f(2f64.powi(-24), z.0)
    };
    let Terms { value, part, terms } = (function.terms)(&m, z, w)?;
    let abs = |x: Val<'c>| b.math("absf", &[x]);
    let certain = b.cmpf(CmpF::Oge, abs(part), b.mulf(abs(terms), share));
    Ok((value, certain))
}
