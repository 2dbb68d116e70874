//! `uniform_quantize` and `uniform_dequantize` as arithmetic on the stored integers, element by
//! element, for which there are lanes: the real number of a stored `q` is
//! `(q - zero_point) * scale`, the stored one of a real `x` is
//! `clamp(round_nearest_even(x / scale + zero_point))`.

use crate::{
    hlo::float_literal,
    make::{HloBuilder, tensor},
};
use mapwright_mlir::{
    ElementType, FloatKind, Op, Quantization, TensorType, Ty, Val, melior::ir::ValueLike, op,
};

/// The quantization of an element type whose real numbers and stored integers vectors can hold.
pub(super) fn quantization(element: &ElementType) -> Option<&Quantization> {
    let q = written_out(element)?;
    // MLIR knows two types of unsigned storage that are written alike, so that a type made from its
    // text may be the other one.
    let signed = !q.storage.is_unsigned();
    (signed && q.storage.bit_width()? >= 8).then_some(q)
}

/// The quantization of an element type that arithmetic on elements can be written out for.
pub(super) fn written_out(element: &ElementType) -> Option<&Quantization> {
    let ElementType::Quantized(q) = element else {
        return None;
    };
    let real = matches!(
        q.expressed,
        FloatKind::F16 | FloatKind::BF16 | FloatKind::F32 | FloatKind::F64
    );
    (real && q.storage.bit_width()? <= 32).then_some(q)
}

/// Writes a `uniform_quantize` or `uniform_dequantize` as arithmetic; `None` for other operations
/// and for types that vectors do not hold.
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<Val<'c>> {
    if !matches!(
        op.short_name(),
        "uniform_quantize" | "uniform_dequantize" if op.dialect() == "stablehlo"
    ) {
        return None;
    }
    let (from, to) = (tensor(op.operand(0))?, tensor(op.result(0))?);
    let fits = |ty: &TensorType| {
        !ty.element.is_quantized()
            || (quantization(&ty.element).is_some() && ty.static_shape().is_some())
    };
    if !fits(&from) || !fits(&to) {
        return None;
    }
    between(make, op)
}

/// Writes `op`, which is one of the two, as arithmetic.
pub(super) fn between<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<Val<'c>> {
    let (from, to) = (tensor(op.operand(0))?, tensor(op.result(0))?);
    let mut value = op.operand(0);
    if from.element.is_quantized() {
        value = real(make, value)?;
    }
    if to.element.is_quantized() {
        return quantized(make, value, op.result(0).r#type());
    }
    Some(make.convert(value, &to.element))
}

/// The stored integers of `value`, which is quantized.
pub(super) fn stored<'c>(make: &HloBuilder<'c>, value: Val<'c>) -> Option<Val<'c>> {
    let ty = tensor(value)?;
    let ElementType::Quantized(q) = &ty.element else {
        return Some(value);
    };
    let element = q.storage.clone();
    // Where it was made of them.
    if let Some((made, _)) =
        op::defining_op(value).filter(|(made, _)| made.is_hlo("bitcast_convert"))
        && tensor(made.operand(0))?.element == element
    {
        return Some(made.operand(0));
    }
    let to = TensorType { element, ..ty };
    Some(make.operation("stablehlo.bitcast_convert", &[value], &to, &[]))
}

/// The real numbers of `value`, whose type is one of [`of`].
pub(super) fn real<'c>(make: &HloBuilder<'c>, value: Val<'c>) -> Option<Val<'c>> {
    let ty = tensor(value)?;
    let Some(q) = written_out(&ty.element) else {
        return Some(value);
    };
    let moved = q.zero_points.iter().any(|z| *z != 0);
    // The difference of two numbers of 16 bits has room in 32.
    let narrow = q.storage.bit_width().is_some_and(|width| width <= 16);
    let wide = if narrow || !moved {
        ElementType::int(32)
    } else {
        ElementType::int(64)
    };
    let mut value = make.convert(stored(make, value)?, &wide);
    if moved {
        let zero_points = along(make, q, value, &wide, &integers(&q.zero_points))?;
        value = make.binary("subtract", value, zero_points);
    }
    let expressed = ElementType::Float(q.expressed);
    let value = make.convert(value, &expressed);
    let scales = along(make, q, value, &expressed, &reals(&q.scales, &expressed))?;
    Some(make.binary("multiply", value, scales))
}

/// The quantized numbers, of type `to`, of real ones.
pub(super) fn quantized<'c>(make: &HloBuilder<'c>, value: Val<'c>, to: Ty<'c>) -> Option<Val<'c>> {
    let ty = TensorType::from_mlir(to);
    let Some(q) = ty.as_ref().and_then(|ty| written_out(&ty.element)) else {
        return Some(make.op1("stablehlo.uniform_quantize", &[value], to, &[]));
    };
    let expressed = ElementType::Float(q.expressed);
    let value = make.convert(value, &expressed);
    let scales = along(make, q, value, &expressed, &reals(&q.scales, &expressed))?;
    let mut value = make.binary("divide", value, scales);
    if q.zero_points.iter().any(|z| *z != 0) {
        let zero_points: Vec<f64> = q.zero_points.iter().map(|z| *z as f64).collect();
        let zero_points = along(make, q, value, &expressed, &reals(&zero_points, &expressed))?;
        value = make.binary("add", value, zero_points);
    }
    // The sum is rounded, not the ratio: a tie is one of the stored value.
    let mut value = make.unary("round_nearest_even", value);
    // Ends of the range need not be numbers of a narrow type.
    if matches!(q.expressed, FloatKind::F16 | FloatKind::BF16) {
        value = make.convert(value, &ElementType::F32);
    }
    let least = make.splat(q.storage_min as f64, value);
    let value = make.binary("maximum", value, least);
    let most = make.splat(q.storage_max as f64, value);
    let value = make.binary("minimum", value, most);
    let value = make.convert(value, &q.storage);
    Some(make.op1("stablehlo.bitcast_convert", &[value], to, &[]))
}

/// Literals of numbers.
fn integers(numbers: &[i64]) -> Vec<String> {
    numbers.iter().map(ToString::to_string).collect()
}

/// Literals of numbers.
pub(super) fn reals(numbers: &[f64], element: &ElementType) -> Vec<String> {
    (numbers.iter().map(|x| float_literal(*x, element))).collect()
}

/// One number for all elements of `like`, or one for each slice along the quantized dimension, in
/// its shape.
fn along<'c>(
    make: &HloBuilder<'c>,
    q: &Quantization,
    like: Val<'c>,
    element: &ElementType,
    numbers: &[String],
) -> Option<Val<'c>> {
    let to = TensorType {
        element: element.clone(),
        dims: tensor(like)?.dims,
    };
    let slices = q.axis.filter(|_| numbers.len() > 1);
    if to.static_shape().is_some() {
        return Some(match slices {
            None => make.constant(&numbers[0], &to),
            Some(axis) => make.slices(element, numbers, &to, axis as i64),
        });
    }
    let (shape, text, dims) = match slices {
        None => (vec![], numbers[0].clone(), vec![]),
        Some(axis) => {
            let list = format!("[{}]", numbers.join(", "));
            (vec![numbers.len() as i64], list, vec![axis as i64])
        }
    };
    let few = make.constant(&text, &TensorType::new(element.clone(), &shape));
    Some(make.broadcast_like(few, like, &dims))
}
