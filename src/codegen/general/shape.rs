//! Elements that are made of nothing but their index, or of the bits of others.

use super::body::{Body, tensor, tensor_element};
use crate::{
    error::{Result, unsupported},
    index::Ix,
    scalar::{convert, quantize},
    storage::{self, Elem},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{
    Builder, CmpI, ElementType, FloatKind, Op, Val,
    attr::{self, Dense},
};
use mapwright_ops::attrs;

/// An index as an element of type `element`.
fn of_index<'c>(b: &Builder<'c>, index: Ix<'c>, element: &ElementType) -> Result<Elem<'c>> {
    let wide = match index {
        Ix::Known(n) => b.cint(n, b.i64()),
        Ix::Value(v) => b.cast("arith.index_cast", v, b.i64()),
    };
    convert::convert(b, &ElementType::Index, element, Elem::One(wide))
}

pub(super) fn constant<'c>(b: &Builder<'c>, op: Op<'c>) -> Result<Elem<'c>> {
    let Some(dense) = op.attribute("value").and_then(Dense::from_mlir) else {
        return unsupported(attr::why_unreadable(op.attribute("value")));
    };
    if !dense.splat && dense.ty.num_elements() != Some(1) {
        return unsupported("a constant with several values inside a fusion");
    }
    storage::constant(b, &dense.ty.element, &dense.data, &[])
}

pub(super) fn iota<'c>(b: &Builder<'c>, op: Op<'c>, index: &[Ix<'c>]) -> Result<Elem<'c>> {
    let axis = attrs::int(op, "iota_dimension")?;
    let axis = attrs::axis("iota_dimension", axis, index.len())?;
    of_index(b, index[axis], &tensor_element(op.result(0))?)
}

pub(super) fn dimension_size<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
) -> Result<Elem<'c>> {
    let sizes = body.sizes(b, op.operand(0))?;
    let axis = attrs::axis("dimension", attrs::int(op, "dimension")?, sizes.len())?;
    of_index(b, sizes[axis], &tensor_element(op.result(0))?)
}

/// The bits of an element as an integer of its bit width.
fn to_bits<'c>(b: &Builder<'c>, element: &ElementType, value: Elem<'c>) -> Result<Val<'c>> {
    let Some(width) = element.bit_width() else {
        return unsupported(format!("the bits of {element}"));
    };
    if let ElementType::Complex(kind) = element {
        let part = ElementType::Float(*kind);
        let wide = b.int(width);
        let (re, im) = value.pair();
        let re = b.cast("arith.extui", to_bits(b, &part, Elem::One(re))?, wide);
        let im = b.cast("arith.extui", to_bits(b, &part, Elem::One(im))?, wide);
        return Ok(b.ori(re, b.shli(im, b.cint(i64::from(width / 2), wide))));
    }
    if matches!(element, ElementType::Bool | ElementType::Int { .. }) {
        return Ok(value.one());
    }
    let stored = storage::to_storage(b, element, value)?;
    let storage_width = element.byte_width().unwrap_or(1) as u32 * 8;
    let whole = match element {
        ElementType::Float(kind) if kind.width() >= 16 => {
            b.cast("arith.bitcast", stored, b.int(storage_width))
        }
        _ => stored,
    };
    Ok(if width < storage_width {
        b.cast("arith.trunci", whole, b.int(width))
    } else {
        whole
    })
}

/// The inverse of [`to_bits`].
fn of_bits<'c>(b: &Builder<'c>, element: &ElementType, bits: Val<'c>) -> Result<Elem<'c>> {
    let Some(width) = element.bit_width() else {
        return unsupported(format!("the bits of {element}"));
    };
    if let ElementType::Complex(kind) = element {
        let part = ElementType::Float(*kind);
        let half = b.int(width / 2);
        let high = b.shrui(bits, b.cint(i64::from(width / 2), b.int(width)));
        let re = of_bits(b, &part, b.cast("arith.trunci", bits, half))?.one();
        let im = of_bits(b, &part, b.cast("arith.trunci", high, half))?.one();
        return Ok(Elem::Pair(re, im));
    }
    if matches!(element, ElementType::Bool | ElementType::Int { .. }) {
        return Ok(Elem::One(bits));
    }
    let storage_width = element.byte_width().unwrap_or(1) as u32 * 8;
    let whole = if width < storage_width {
        b.cast("arith.extui", bits, b.int(storage_width))
    } else {
        bits
    };
    let stored = match element {
        ElementType::Float(kind) if kind.width() >= 16 && *kind != FloatKind::BF16 => {
            b.cast("arith.bitcast", whole, storage::storage_type(b, element)?)
        }
        _ => whole,
    };
    storage::from_storage(b, element, stored)
}

/// `bitcast_convert` between widths: one element becomes several along a new last dimension, or the
/// other way round; the first of them has the lowest bits.
pub(super) fn regrouped<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Elem<'c>> {
    let (from, to) = (tensor(op.operand(0))?, tensor(op.result(0))?);
    let (Some(wide), Some(narrow)) = (from.element.bit_width(), to.element.bit_width()) else {
        return unsupported(format!("bitcast from {} to {}", from.element, to.element));
    };
    if wide > narrow {
        let value = body.element(b, op.operand(0), &index[..index.len() - 1])?;
        let bits = to_bits(b, &from.element, value)?;
        let ty = bits.r#type();
        let which = index[index.len() - 1].value(b);
        let which = b.cast("arith.index_cast", which, b.i64());
        let amount = b.muli(which, b.cint(i64::from(narrow), b.i64()));
        let amount = match wide {
            64 => amount,
            n if n < 64 => b.cast("arith.trunci", amount, ty),
            _ => b.cast("arith.extui", amount, ty),
        };
        let part = b.cast("arith.trunci", b.shrui(bits, amount), b.int(narrow));
        return of_bits(b, &to.element, part);
    }
    let count = narrow / wide;
    let ty = b.int(narrow);
    let mut total = b.cint(0, ty);
    for part in 0..count {
        let mut at = index.to_vec();
        at.push(Ix::Known(i64::from(part)));
        let value = body.element(b, op.operand(0), &at)?;
        let bits = b.cast("arith.extui", to_bits(b, &from.element, value)?, ty);
        total = b.ori(total, b.shli(bits, b.cint(i64::from(part * wide), ty)));
    }
    of_bits(b, &to.element, total)
}

/// `uniform_quantize` and `uniform_dequantize` with a scale for each slice along an axis.
pub(super) fn per_axis<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
    args: &[Elem<'c>],
) -> Result<Option<Elem<'c>>> {
    if !matches!(op.short_name(), "uniform_quantize" | "uniform_dequantize") {
        return Ok(None);
    }
    let (from, to) = (
        tensor_element(op.operand(0))?,
        tensor_element(op.result(0))?,
    );
    let axis_of = |e: &ElementType| match e {
        ElementType::Quantized(q) => q.axis,
        _ => None,
    };
    if axis_of(&from).is_none() && axis_of(&to).is_none() {
        return Ok(None);
    }
    // The scale of the slice: a chain of selects, since there are few slices.
    let pick = |values: Vec<Val<'c>>, at: Ix<'c>| {
        let mut chosen = values[0];
        for (i, value) in values.iter().enumerate().skip(1) {
            let here = b.cmpi(CmpI::Eq, at.value(b), b.cidx(i as i64));
            chosen = b.select(here, *value, chosen);
        }
        chosen
    };
    let mut value = args[0];
    let mut element = from.clone();
    if let ElementType::Quantized(q) = &from {
        let ty = storage::value_type(b, &ElementType::Float(q.expressed))?;
        let at = index[q.axis.unwrap_or(0)];
        let scale = pick(q.scales.iter().map(|s| b.cfloat(*s, ty)).collect(), at);
        let zero = pick(
            q.zero_points.iter().map(|z| b.cint(*z, b.i64())).collect(),
            at,
        );
        value = quantize::dequantize_with(b, q, value, scale, zero)?;
        element = ElementType::Float(q.expressed);
    }
    match &to {
        ElementType::Quantized(q) => {
            let expressed = ElementType::Float(q.expressed);
            let ty = storage::value_type(b, &expressed)?;
            value = convert::convert(b, &element, &expressed, value)?;
            let at = index[q.axis.unwrap_or(0)];
            let scale = pick(q.scales.iter().map(|s| b.cfloat(*s, ty)).collect(), at);
            let zero = pick(
                q.zero_points
                    .iter()
                    .map(|z| b.cfloat(*z as f64, ty))
                    .collect(),
                at,
            );
            Ok(Some(quantize::quantize_with(b, q, value, scale, zero)?))
        }
        other => Ok(Some(convert::convert(b, &element, other, value)?)),
    }
}
