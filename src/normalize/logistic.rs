//! The logistic function where programs write it as `1 / (1 + exp(-x))`.
//!
//! The exponential of a large `-x` is infinite, where the function is small, and so is its
//! derivative, which is infinity times zero. As one operation it has neither fault, and costs less.

use crate::{
    canonical::known::{defined_by, splat, tensor},
    make::HloBuilder,
    rewrite::replace,
};
use mapwright_mlir::{ElementType, FloatKind, Op, Val};

/// Rewrites the quotients inside `root` that have such a divisor. Returns how many.
pub fn recognize(root: Op<'_>) -> usize {
    let mut count = 0;
    for op in root.descendants() {
        let Some(x) = argument(op) else { continue };
        let Some(b) = HloBuilder::before(op) else {
            continue;
        };
        let mut value = b.same("stablehlo.logistic", &[x]);
        if !is(op.operand(0), 1.0) {
            value = b.same("stablehlo.multiply", &[op.operand(0), value]);
        }
        replace(op, &[value]);
        count += 1;
    }
    count
}

/// `x` of the quotient `y / (1 + exp(-x))`.
fn argument<'c>(op: Op<'c>) -> Option<Val<'c>> {
    use FloatKind::{BF16, F16, F32, F64};
    if op.name() != "stablehlo.divide" {
        return None;
    }
    let result = tensor(op.result(0))?;
    if !matches!(result.element, ElementType::Float(F16 | BF16 | F32 | F64)) {
        return None;
    }
    let sum = defined_by(op.operand(1), "add")?;
    let power = match (is(sum.operand(0), 1.0), is(sum.operand(1), 1.0)) {
        (true, _) => sum.operand(1),
        (_, true) => sum.operand(0),
        _ => return None,
    };
    let x = negated(defined_by(power, "exponential")?.operand(0))?;
    (tensor(x)? == result && tensor(op.operand(0))? == result).then_some(x)
}

fn negated<'c>(value: Val<'c>) -> Option<Val<'c>> {
    if let Some(negate) = defined_by(value, "negate") {
        return Some(negate.operand(0));
    }
    let product = defined_by(value, "multiply")?;
    let (x, y) = (product.operand(0), product.operand(1));
    match (is(x, -1.0), is(y, -1.0)) {
        (true, _) => Some(y),
        (_, true) => Some(x),
        _ => None,
    }
}

/// Tells whether all elements of a value are this number.
fn is(value: Val<'_>, number: f64) -> bool {
    let one = defined_by(value, "dynamic_broadcast_in_dim").map_or(value, |made| made.operand(0));
    splat(one).is_some_and(|splat| splat.is_float(number))
}
