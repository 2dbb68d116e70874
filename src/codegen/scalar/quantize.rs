//! Uniform quantized elements, per tensor. (Per-axis scales depend on the index: the emitters that
//! know it call [`quantize_with`] and [`dequantize_with`] with the scale at hand.)

use super::{Types, convert, named};
use crate::{
    error::{Result, unsupported},
    storage::{Elem, value_type},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, Quantization, Val};

/// `uniform_quantize` and `uniform_dequantize` of per-tensor types.
pub(crate) fn apply<'c>(
    b: &Builder<'c>,
    name: &str,
    from: &ElementType,
    to: &ElementType,
    x: Elem<'c>,
) -> Result<Elem<'c>> {
    let real = match from {
        ElementType::Quantized(q) => dequantize(b, q, x)?,
        _ => x,
    };
    match to {
        ElementType::Quantized(q) => {
            let expressed = match from {
                ElementType::Quantized(own) => ElementType::Float(own.expressed),
                other => other.clone(),
            };
            let real = convert::convert(b, &expressed, &ElementType::Float(q.expressed), real)?;
            quantize(b, q, real)
        }
        ElementType::Float(_) if name == "uniform_dequantize" => {
            let ElementType::Quantized(q) = from else {
                return unsupported(format!("{name} of {from}"));
            };
            convert::convert(b, &ElementType::Float(q.expressed), to, real)
        }
        _ => unsupported(format!("{name} from {from} to {to}")),
    }
}

/// The real number that a stored integer stands for: `(x - zero_point) * scale`.
pub fn dequantize<'c>(b: &Builder<'c>, q: &Quantization, x: Elem<'c>) -> Result<Elem<'c>> {
    if q.axis.is_some() {
        return unsupported("per-axis quantization away from its axis");
    }
    let ty = b.like(
        x.one().r#type(),
        value_type(b, &ElementType::Float(q.expressed))?,
    );
    let wide = b.like(ty, b.i64());
    let scale = b.cfloat(q.scales[0], ty);
    dequantize_with(b, q, x, scale, b.cint(q.zero_points[0], wide))
}

/// [`dequantize`] with the scale (of the expressed value type) and the zero point (`i64`) at hand.
pub fn dequantize_with<'c>(
    b: &Builder<'c>,
    q: &Quantization,
    x: Elem<'c>,
    scale: Val<'c>,
    zero_point: Val<'c>,
) -> Result<Elem<'c>> {
    let wide = b.like(x.one().r#type(), b.i64());
    let name = if q.storage.is_unsigned() {
        "arith.extui"
    } else {
        "arith.extsi"
    };
    let stored = if x.one().r#type() == wide {
        x.one()
    } else {
        b.cast(name, x.one(), wide)
    };
    let difference = b.subi(stored, zero_point);
    let real = b.cast("arith.sitofp", difference, scale.r#type());
    // All of them are numbers of the expressed type.
    let round = |value: Val<'c>| super::narrow::round(b, q.expressed, value);
    let product = b.mulf(round(real), round(scale));
    Ok(Elem::One(round(product)))
}

/// The stored integer for a real number: `clamp(round_nearest_even(x / scale + zero_point))`.
pub fn quantize<'c>(b: &Builder<'c>, q: &Quantization, x: Elem<'c>) -> Result<Elem<'c>> {
    if q.axis.is_some() {
        return unsupported("per-axis quantization away from its axis");
    }
    let ty = x.one().r#type();
    quantize_with(
        b,
        q,
        x,
        b.cfloat(q.scales[0], ty),
        b.cfloat(q.zero_points[0] as f64, ty),
    )
}

/// [`quantize`] with the scale and the zero point (both of the expressed value type) at hand.
pub fn quantize_with<'c>(
    b: &Builder<'c>,
    q: &Quantization,
    x: Elem<'c>,
    scale: Val<'c>,
    zero_point: Val<'c>,
) -> Result<Elem<'c>> {
    let ty = x.one().r#type();
    let round = |value: Val<'c>| super::narrow::round(b, q.expressed, value);
    let ratio = round(b.divf(x.one(), round(scale)));
    // The sum is rounded, not the ratio: a tie is one of the stored value.
    let shifted = round(b.addf(ratio, round(zero_point)));
    let rounded = b.math("roundeven", &[shifted]);
    let low = b.maximumf(rounded, b.cfloat(q.storage_min as f64, ty));
    let clamped = b.minimumf(low, b.cfloat(q.storage_max as f64, ty));
    let expressed = if b.element_of(ty) == b.f64() {
        ElementType::F64
    } else {
        ElementType::F32
    };
    convert::convert(b, &expressed, &q.storage, Elem::One(clamped))
}

/// An operation on quantized elements, defined by the specification as the operation on the real
/// numbers, quantized again.
pub(crate) fn through_reals<'c>(
    b: &Builder<'c>,
    name: &str,
    types: &Types,
    args: &[Elem<'c>],
) -> Result<Elem<'c>> {
    let mut reals = Vec::with_capacity(args.len());
    let mut first = None;
    for (element, x) in types.operands.iter().zip(args) {
        let (real, ty) = match element {
            ElementType::Quantized(q) => (dequantize(b, q, *x)?, ElementType::Float(q.expressed)),
            other => (*x, other.clone()),
        };
        first.get_or_insert(ty);
        reals.push(real);
    }
    let Some(first) = first else {
        return unsupported(format!("'{name}' without operands"));
    };
    match &types.results[0] {
        ElementType::Quantized(q) => {
            let real = named(b, name, &first, &ElementType::Float(q.expressed), &reals)?;
            quantize(b, q, real)
        }
        other => named(b, name, &first, other, &reals),
    }
}
