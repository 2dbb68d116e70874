//! Elements that are made of nothing but their index, or of the bits of others.

use super::body::{Body, tensor, tensor_element};
use crate::{
    error::{Result, Unsupported, unsupported},
    index::{Ix, Truth},
    scalar::{self, convert, quantize},
    sizes::to_index,
    storage::{self, Elem},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{
    Builder, CmpI, ElementType, FloatKind, Op, Val,
    attr::{self, Dense},
    op,
};
use mapwright_ops::attrs::{self, AttrError};
use std::cell::RefCell;

pub(crate) fn bad(error: AttrError) -> Unsupported {
    Unsupported(error.to_string())
}

/// `truth ? yes : no`, only the chosen side computed.
pub(crate) fn conditional<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    truth: Truth<'c>,
    element: &ElementType,
    yes: impl FnOnce(&mut Body<'c>) -> Result<Elem<'c>>,
    no: impl FnOnce(&mut Body<'c>) -> Result<Elem<'c>>,
) -> Result<Elem<'c>> {
    let condition = match truth {
        Truth::Known(true) => return yes(body),
        Truth::Known(false) => return no(body),
        Truth::Value(condition) => condition,
    };
    let types = storage::value_types(b, element, &[])?;
    let body = RefCell::new(body);
    let failure = RefCell::new(None);
    let run = |work: &mut dyn FnMut(&mut Body<'c>) -> Result<Elem<'c>>| -> Vec<Val<'c>> {
        let mut body = body.borrow_mut();
        match body.scoped(|body| work(body)) {
            Ok(found) => found.values(),
            Err(error) => {
                failure.borrow_mut().get_or_insert(error);
                Vec::new()
            }
        }
    };
    let (mut yes, mut no) = (Some(yes), Some(no));
    let missing = || unsupported("a branch that was already taken");
    let values = b.if_else(
        condition,
        &types,
        |_| run(&mut |body| yes.take().map_or_else(missing, |f| f(body))),
        |_| run(&mut |body| no.take().map_or_else(missing, |f| f(body))),
    );
    match failure.into_inner() {
        Some(error) => Err(error),
        None => Ok(Elem::take(element, &mut values.as_slice())),
    }
}

/// The integer element of `value` at `at`, as an index.
pub(crate) fn index_element<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    value: Val<'c>,
    at: &[Ix<'c>],
) -> Result<Ix<'c>> {
    let element = tensor_element(value)?;
    let found = body.element(b, value, at)?;
    Ok(Ix::Value(to_index(b, found.one(), &element)))
}

/// An index as an element of type `element`.
fn of_index<'c>(b: &Builder<'c>, index: Ix<'c>, element: &ElementType) -> Result<Elem<'c>> {
    let wide = match index {
        Ix::Known(n) => b.cint(n, b.i64()),
        Ix::Value(v) => b.cast("arith.index_cast", v, b.i64()),
    };
    convert::convert(b, &ElementType::Index, element, Elem::One(wide))
}

/// The element of `op` at `index`, if `op` is of this family.
pub(crate) fn element<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Option<Elem<'c>>> {
    let rank = index.len();
    Ok(Some(match op.short_name() {
        "constant" => {
            let Some(dense) = op.attribute("value").and_then(Dense::from_mlir) else {
                return unsupported(attr::why_unreadable(op.attribute("value")));
            };
            if !dense.splat && dense.ty.num_elements() != Some(1) {
                return unsupported("a constant with several values inside a fusion");
            }
            storage::constant(b, &dense.ty.element, &dense.data, &[])?
        }
        "iota" | "dynamic_iota" => {
            let axis = attrs::int(op, "iota_dimension").map_err(bad)?;
            let axis = attrs::axis("iota_dimension", axis, rank).map_err(bad)?;
            of_index(b, index[axis], &tensor_element(op.result(0))?)?
        }
        "map" => {
            let mut args = Vec::new();
            for operand in op.operands() {
                args.push(body.element(b, operand, index)?);
            }
            let Some(block) = op.body(0) else {
                return unsupported("'map' without a body");
            };
            let outer = region_values(b, body, op)?;
            let find = |v: Val<'c>| lookup(&outer, v);
            scalar::apply_region(b, block, &args, &[], &find)?
                .first()
                .copied()
                .ok_or_else(|| Unsupported("'map' without a result".into()))?
        }
        "get_dimension_size" => {
            let sizes = body.sizes(b, op.operand(0))?;
            let axis = attrs::int(op, "dimension").map_err(bad)?;
            let axis = attrs::axis("dimension", axis, sizes.len()).map_err(bad)?;
            of_index(b, sizes[axis], &tensor_element(op.result(0))?)?
        }
        "bitcast_convert" => {
            let from = tensor(op.operand(0))?;
            if from.rank() == rank {
                return Ok(None);
            }
            regrouped(b, body, op, index)?
        }
        _ => return Ok(None),
    }))
}

/// Values from outside that the regions of `op` use: they are of rank 0, so they have one element.
pub(crate) fn region_values<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
) -> Result<Vec<(usize, Elem<'c>)>> {
    let inside = op.descendants();
    let mut own: Vec<usize> = inside
        .iter()
        .flat_map(|inner| inner.results())
        .map(op::key)
        .collect();
    for i in 0..op.num_regions() {
        for block in op::blocks(op.region(i)) {
            own.extend(op::arguments(block).into_iter().map(op::key));
        }
    }
    for inner in &inside {
        for r in 0..inner.num_regions() {
            for block in op::blocks(inner.region(r)) {
                own.extend(op::arguments(block).into_iter().map(op::key));
            }
        }
    }
    let mut found: Vec<(usize, Elem<'c>)> = Vec::new();
    for inner in inside {
        for value in inner.operands() {
            let key = op::key(value);
            if own.contains(&key) || found.iter().any(|(known, _)| *known == key) {
                continue;
            }
            if tensor(value)?.rank() != 0 {
                return unsupported("a tensor from outside of a scalar region");
            }
            let element = body.element(b, value, &[])?;
            found.push((key, element));
        }
    }
    Ok(found)
}

/// A value found by [`region_values`].
pub(crate) fn lookup<'c>(outer: &[(usize, Elem<'c>)], value: Val<'c>) -> Option<Elem<'c>> {
    let key = op::key(value);
    outer
        .iter()
        .find(|(known, _)| *known == key)
        .map(|(_, e)| *e)
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
    Ok(match width < storage_width {
        true => b.cast("arith.trunci", whole, b.int(width)),
        false => whole,
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
    let whole = match width < storage_width {
        true => b.cast("arith.extui", bits, b.int(storage_width)),
        false => bits,
    };
    let stored = match element {
        ElementType::Float(kind) if kind.width() >= 16 && *kind != FloatKind::BF16 => {
            b.cast("arith.bitcast", whole, storage::storage_type(b, element)?)
        }
        _ => whole,
    };
    storage::from_storage(b, element, stored)
}

/// `bitcast_convert` between widths: one element becomes several along a new last dimension, or the other way round; the first of
/// them has the lowest bits.
fn regrouped<'c>(
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
pub(crate) fn per_axis<'c>(
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
