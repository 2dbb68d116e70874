//! Products of complex numbers as two of real ones, for which there are register blocks: with `x = a + b i` and `y = c + d i`, the real part of a
//! sum of products is that of `[a, b]` with `[c, -d]`, the imaginary part that of `[a, b]` with `[d, c]`, twice as many terms each. Nothing but the
//! order of the additions is another one.

use super::make::{HloBuilder, tensor};
use crate::rewrite::Error;
use mapwright_mlir::{ElementType, Op, TensorType, Val};
use mapwright_ops::attrs::{Convolution, DotDimensions};

/// Products below which it does not pay.
const FEWEST: i64 = 1 << 14;

/// The new result, and the products of real numbers that it is made of; nothing for other operations, and for small ones.
#[allow(clippy::type_complexity)]
pub(super) fn rewrite<'c>(
    make: &HloBuilder<'c>,
    op: Op<'c>,
) -> Result<Option<(Val<'c>, Vec<Op<'c>>)>, Error<'c>> {
    let result = tensor(op, op.result(0))?;
    let ElementType::Complex(kind) = result.element else {
        return Ok(None);
    };
    let sides = [tensor(op, op.operand(0))?, tensor(op, op.operand(1))?];
    if sides.iter().any(|ty| ty.element != result.element) || op.attribute("algorithm").is_some() {
        return Ok(None);
    }
    let (Some(left), Some(right), Some(shape)) = (
        sides[0].static_shape(),
        sides[1].static_shape(),
        result.static_shape(),
    ) else {
        return Ok(None);
    };
    // The dimension of each side that gets twice as long, and the terms of a sum.
    let doubled = match op.short_name() {
        "dot_general" => DotDimensions::decode(op).ok().and_then(|dims| {
            let terms: i64 = (dims.lhs_contracting.iter())
                .filter_map(|d| left.get(usize::try_from(*d).ok()?))
                .product();
            Some((
                *dims.lhs_contracting.first()?,
                *dims.rhs_contracting.first()?,
                terms,
            ))
        }),
        "convolution" => Convolution::decode(op, &right).ok().and_then(|conv| {
            let dims = conv.dims;
            let features = right.get(usize::try_from(dims.kernel_input_feature).ok()?)?;
            let terms = conv.window.size.iter().product::<i64>() * features;
            let plain = conv.feature_groups == 1 && conv.batch_groups == 1;
            plain.then_some((dims.input_feature, dims.kernel_input_feature, terms))
        }),
        _ => None,
    };
    let Some((l, r, terms)) = doubled else {
        return Ok(None);
    };
    let products = shape.iter().fold(terms, |all, n| all.saturating_mul(*n));
    if products < FEWEST || terms == 0 {
        return Ok(None);
    }
    let element = ElementType::Float(kind);
    let of = |shape: &[i64]| TensorType::new(element.clone(), shape);
    let part = |name: &str, x: Val<'c>, shape: &[i64]| {
        make.operation(&format!("stablehlo.{name}"), &[x], &of(shape), &[])
    };
    let join = |x: Val<'c>, y: Val<'c>, shape: &[i64], d: i64| {
        let mut whole = shape.to_vec();
        // A dimension of the operand, as its attributes were decoded.
        whole[d as usize] *= 2;
        let axis = [("dimension", make.attribute(&format!("{d} : i64")))];
        make.operation("stablehlo.concatenate", &[x, y], &of(&whole), &axis)
    };
    let (x, y) = (op.operand(0), op.operand(1));
    let (a, b) = (part("real", x, &left), part("imag", x, &left));
    let (c, d) = (part("real", y, &right), part("imag", y, &right));
    let left = join(a, b, &left, l);
    let rights = [
        join(c, make.unary("negate", d), &right, r),
        join(d, c, &right, r),
    ];
    let attributes = op.attributes();
    let attributes: Vec<_> = attributes
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let made =
        rights.map(|right| make.several(op.name(), &[left, right], &[of(&shape)], &attributes));
    let parts = [made[0].result(0), made[1].result(0)];
    let value = make.operation("stablehlo.complex", &parts, &result, &[]);
    Ok(Some((value, made.to_vec())))
}
