//! Products of quantized numbers as products of the stored integers: with `x = (p - a) s` and
//! `y = q t` the sum of `x y` is `s t (sum p q - a sum q)`, where the second sum is that of the
//! columns of one factor. The specification has no zero point `b` of the second factor.

use super::quantized_elements::{quantization, quantized, reals, stored};
use crate::make::{HloBuilder, tensor};
use mapwright_mlir::{
    ElementType, FloatKind, Op, Quantization, TensorType, Val, melior::ir::ValueLike,
};
use mapwright_ops::attrs::DotDimensions;

/// Terms of a sum of products of bytes that have room in 32 bits.
const MOST_TERMS: i64 = 1 << 15;

/// The new result, and the product of integers that it is made of; nothing for other operations and
/// types.
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<(Val<'c>, Op<'c>)> {
    if op.name() != "stablehlo.dot_general" || op.attribute("algorithm").is_some() {
        return None;
    }
    let (left, right) = (tensor(op.operand(0))?, tensor(op.operand(1))?);
    let result = tensor(op.result(0))?;
    let (x, y, _) = (
        quantization(&left.element)?,
        quantization(&right.element)?,
        quantization(&result.element)?,
    );
    let bytes = |q: &Quantization| {
        q.storage.bit_width() == Some(8)
            && q.expressed == FloatKind::F32
            && !q.storage.is_unsigned()
    };
    let shapes = [&left, &right, &result].map(TensorType::static_shape);
    let [Some(l), Some(r), Some(shape)] = shapes else {
        return None;
    };
    let dims = DotDimensions::decode(op).ok()?;
    let batch = dims.lhs_batching.len();
    let own = (l.len() - batch).saturating_sub(dims.lhs_contracting.len());
    let terms: i64 = (dims.lhs_contracting.iter())
        .filter_map(|d| l.get(usize::try_from(*d).ok()?))
        .product();
    // A scale of the left factor for each slice is not among the types.
    let fits = bytes(x) && bytes(y) && x.axis.is_none() && terms <= MOST_TERMS;
    if !fits || y.zero_points.iter().any(|b| *b != 0) {
        return None;
    }
    // By dimension of the second factor, that of the product; `None` where it is contracted.
    let mut next = (batch + own) as i64;
    let place = |d: i64| {
        if let Some(i) = dims.rhs_batching.iter().position(|b| *b == d) {
            return Some(i as i64);
        }
        if dims.rhs_contracting.contains(&d) {
            return None;
        }
        next += 1;
        Some(next - 1)
    };
    let to: Vec<Option<i64>> = (0..r.len() as i64).map(place).collect();
    // The dimension of the product that has a scale for each slice; of a contracted one there is no
    // formula.
    let axis = match y.axis {
        None => None,
        Some(axis) => Some((*to.get(axis)?)?),
    };
    let wide = TensorType::new(ElementType::int(32), &shape);
    let real = TensorType::new(ElementType::Float(FloatKind::F32), &shape);
    let factors = [stored(make, op.operand(0))?, stored(make, op.operand(1))?];
    let product = make.several(
        op.name(),
        &factors,
        std::slice::from_ref(&wide),
        &op.attributes(),
    );
    let along = |numbers: &[String], ty: &TensorType| match (axis, numbers) {
        (Some(axis), [_, _, ..]) => make.slices(&ty.element, numbers, ty, axis),
        _ => make.constant(&numbers[0], ty),
    };
    let mut sum = product.result(0);
    if x.zero_points[0] != 0 {
        let columns = columns(make, factors[1], &to, &wide)?;
        let a = make.constant(&x.zero_points[0].to_string(), &wide);
        sum = make.binary("subtract", sum, make.binary("multiply", columns, a));
    }
    let sum = make.convert(sum, &real.element);
    let scales: Vec<f64> = y.scales.iter().map(|t| x.scales[0] * t).collect();
    let sum = make.binary(
        "multiply",
        sum,
        along(&reals(&scales, &real.element), &real),
    );
    let value = quantized(make, sum, op.result(0).r#type())?;
    Some((value, product))
}

/// The sums of the columns of the second factor, in the shape of the product.
fn columns<'c>(
    make: &HloBuilder<'c>,
    factor: Val<'c>,
    to: &[Option<i64>],
    product: &TensorType,
) -> Option<Val<'c>> {
    let wide = make.convert(factor, &ElementType::int(32));
    let contracted: Vec<i64> = (0..to.len())
        .filter(|d| to[*d].is_none())
        .map(|d| d as i64)
        .collect();
    let sums = make.sum(wide, &contracted);
    // They are computed before, so that what follows the product is in one region with it, and no
    // reduction.
    let ty = tensor(sums)?;
    let alone = make.several("stablehlo.optimization_barrier", &[sums], &[ty], &[]);
    let dims: Vec<i64> = to.iter().copied().flatten().collect();
    Some(make.broadcast(alone.result(0), product, &dims))
}
