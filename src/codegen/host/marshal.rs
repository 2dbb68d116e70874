//! Operands, sizes and messages as the runtime library takes them.

use super::{code::Frame, emit::Host, values::tensor};
use crate::{
    error::{self, Located, Unsupported},
    storage::{self, Elem},
};
use mapwright_mlir::{ElementType, FloatKind, Op, TensorType, Val};
use mapwright_ops::attrs::AttrError;

/// The runtime's number for an element type (`enum mw_element_kind`); quantized types go by their
/// storage.
fn kind(element: &ElementType) -> Option<i64> {
    Some(match element {
        ElementType::Bool => 0,
        ElementType::Int { width, unsigned } => {
            let place = [2, 4, 8, 16, 32, 64].iter().position(|w| w == width)? as i64;
            1 + place + if *unsigned { 6 } else { 0 }
        }
        ElementType::Index => 6,
        ElementType::Float(kind) => match kind {
            FloatKind::F4E2M1FN => 13,
            FloatKind::F6E2M3FN => 14,
            FloatKind::F6E3M2FN => 15,
            FloatKind::F8E3M4 => 16,
            FloatKind::F8E4M3 => 17,
            FloatKind::F8E4M3FN => 18,
            FloatKind::F8E4M3B11FNUZ => 19,
            FloatKind::F8E4M3FNUZ => 20,
            FloatKind::F8E5M2 => 21,
            FloatKind::F8E5M2FNUZ => 22,
            FloatKind::F8E8M0FNU => 23,
            FloatKind::F16 => 24,
            FloatKind::BF16 => 25,
            FloatKind::F32 | FloatKind::TF32 => 26,
            FloatKind::F64 => 27,
        },
        ElementType::Complex(FloatKind::F64) => 29,
        ElementType::Complex(_) => 28,
        ElementType::Quantized(q) => return kind(&q.storage),
        ElementType::Other(_) => return None,
    })
}

pub(super) type Outcome<'c> = Result<(), Located<'c>>;

pub(super) fn bad<'c>(op: Op<'c>) -> impl Fn(AttrError) -> Located<'c> {
    move |error| Located::new(op, error.to_string())
}

pub(super) fn why<'c>(op: Op<'c>) -> impl Fn(Unsupported) -> Located<'c> {
    move |why| Located::new(op, why.0)
}

/// The tensor type and element number of a value.
pub(super) fn typed<'c>(op: Op<'c>, value: Val<'c>) -> Result<(TensorType, i64), Located<'c>> {
    let Some(tensor) = tensor(value) else {
        return Err(Located::new(op, "has an operand that is no tensor"));
    };
    let Some(kind) = kind(&tensor.element) else {
        return Err(Located::new(
            op,
            format!("has elements of type {}", tensor.element),
        ));
    };
    Ok((tensor, kind))
}

/// The sizes of a value in memory, as an array of `i64`.
pub(super) fn shape<'c>(host: &Host<'_, 'c>, value: Val<'c>) -> Val<'c> {
    list(host, &host.sizes_i64(value))
}

/// An array of values of 8 bytes each.
pub(super) fn list<'c>(host: &Host<'_, 'c>, values: &[Val<'c>]) -> Val<'c> {
    let place = host.f.alloca(values.len() as i64 * 8);
    for (i, value) in values.iter().enumerate() {
        host.f.store(*value, host.f.offset(place, i as i64 * 8));
    }
    place
}

/// The product of sizes.
pub(super) fn product<'c>(host: &Host<'_, 'c>, sizes: &[Val<'c>]) -> Val<'c> {
    sizes
        .iter()
        .fold(host.f.i64(1), |total, size| host.b().muli(total, *size))
}

/// Element `index` (`i64`) of the dense data at `base`.
pub(super) fn load<'c>(
    f: &Frame<'_, 'c>,
    value: Val<'c>,
    base: Val<'c>,
    index: Val<'c>,
) -> error::Result<Elem<'c>> {
    let b = &f.b;
    let element = tensor(value)
        .map(|t| t.element)
        .ok_or_else(|| Unsupported("an operand that is no tensor".into()))?;
    let width = element.byte_width().unwrap_or(1) as i64;
    let at = f.offset_by(base, b.muli(index, f.i64(width)));
    if element.is_complex() {
        let part = storage::value_type(b, &element)?;
        return Ok(Elem::Pair(
            f.load(at, part),
            f.load(f.offset(at, width / 2), part),
        ));
    }
    let stored = f.load(at, storage::storage_type(b, &element)?);
    storage::from_storage(b, &element, stored)
}
