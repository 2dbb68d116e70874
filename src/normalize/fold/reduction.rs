//! Reductions of integers: in whatever order, the result is one.

use super::{
    number::{Number, decode, encode},
    tensor::{Tensor, attribute},
};
use mapwright_mlir::{ElementType, Op, op};

/// The result of a `reduce` by one associative and commutative operation.
pub fn evaluate(op: Op<'_>, operands: &[Tensor], result: &Tensor) -> Option<Tensor> {
    if !op.is_hlo("reduce") {
        return None;
    }
    let [input, init] = operands else { return None };
    let integers = matches!(input.element, ElementType::Bool | ElementType::Int { .. });
    if !integers || input.element != result.element {
        return None;
    }
    let combine = combiner(op)?;
    let dims = attribute(op, "dimensions")?;
    let number = |bytes: &[u8]| match decode(bytes, &input.element)? {
        Number::Int(value) => Some(value),
        Number::Float(_) => None,
    };
    let mut values = vec![number(init.at(0))?; result.count()];
    for i in 0..input.count() {
        let kept: Vec<i64> = input
            .index(i)
            .into_iter()
            .enumerate()
            .filter(|(d, _)| !dims.contains(&(*d as i64)))
            .map(|(_, i)| i)
            .collect();
        let at = result.position(&kept);
        let sum = combine(values[at], number(input.at(i))?);
        // Within the type, so that nothing grows beyond 128 bits.
        values[at] = number(&encode(Number::Int(sum), &input.element)?)?;
    }
    let mut data = Vec::with_capacity(result.count() * result.width);
    for value in values {
        data.extend(encode(Number::Int(value), &result.element)?);
    }
    Some(result.with(data))
}

/// The one operation of the region, on its two arguments.
pub fn combiner(op: Op<'_>) -> Option<fn(i128, i128) -> i128> {
    let block = op.body(0)?;
    let inner = op::ops(block);
    let [combine, ret] = inner[..] else {
        return None;
    };
    let arguments = op::arguments(block);
    let mut operands = combine.operands();
    // Either order.
    if operands.first() != arguments.first() {
        operands.reverse();
    }
    let plain = operands == arguments && ret.operands() == combine.results();
    let boolean = op.result_type(0).tensor()?.element == ElementType::Bool;
    if !plain || combine.dialect() != "stablehlo" {
        return None;
    }
    Some(match (combine.short_name(), boolean) {
        ("add", true) => |a, b| a | b,
        ("multiply", true) => |a, b| a & b,
        ("add", false) => |a, b| a + b,
        ("multiply", false) => |a, b| a.wrapping_mul(b),
        ("maximum", _) => |a, b| a.max(b),
        ("minimum", _) => |a, b| a.min(b),
        ("and", _) => |a, b| a & b,
        ("or", _) => |a, b| a | b,
        ("xor", _) => |a, b| a ^ b,
        _ => return None,
    })
}
