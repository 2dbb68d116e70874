//! How elements live in memory and in SSA values.
//!
//! *Storage* is what a buffer holds (see `mapwright_runtime::ElementKind`): one byte for booleans
//! and sub-byte types, the bits of 4-, 6- and 8-bit floats in a byte, a pair of parts for a complex
//! number. A *value* is what scalar code computes with:
//!
//! | element | storage | value |
//! |---|---|---|
//! | `i1` | `i8` (0 or 1) | `i1` |
//! | integers of w bits, signed or not | `i8`/`i16`/`i32`/`i64`, extended | `iw`, signless |
//! | `f64`, `f32` | itself | itself |
//! | `f16`, `tf32` | itself | `f32` that the format can represent |
//! | `bf16` | `i16` bits | `f32` that the format can represent |
//! | 8-, 6-, 4-bit floats | `i8` bits | `f32` that the format can represent |
//! | complex | two elements side by side (memref of element type `complex<T>`) | a pair of parts |
//! | quantized | its storage integer | its storage integer |
//!
//! Everything here works for vectors as for scalars: a value's type is the value type, or a vector
//! of it.

use crate::{
    error::{Result, unsupported},
    scalar::narrow,
};
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, FloatKind, Ty, Val};

/// The SSA value(s) of one element, or of a vector of elements: a complex element is a pair (real,
/// imaginary).
#[derive(Clone, Copy, Debug)]
pub enum Elem<'c> {
    /// Value of an element that is not complex.
    One(Val<'c>),
    /// Real and imaginary part.
    Pair(Val<'c>, Val<'c>),
}

impl<'c> Elem<'c> {
    /// The value of an element that is not complex; the real part of one that is.
    pub fn one(self) -> Val<'c> {
        match self {
            Self::One(value) | Self::Pair(value, _) => value,
        }
    }

    /// The parts; an element that is not complex has no second part and gives the first twice.
    pub fn pair(self) -> (Val<'c>, Val<'c>) {
        match self {
            Self::One(value) => (value, value),
            Self::Pair(re, im) => (re, im),
        }
    }

    /// `f` of each part.
    pub fn map(self, mut f: impl FnMut(Val<'c>) -> Val<'c>) -> Self {
        match self {
            Self::One(value) => Self::One(f(value)),
            Self::Pair(re, im) => Self::Pair(f(re), f(im)),
        }
    }

    /// The SSA values in order: one or two.
    pub fn values(self) -> Vec<Val<'c>> {
        match self {
            Self::One(value) => vec![value],
            Self::Pair(re, im) => vec![re, im],
        }
    }

    /// The inverse of [`Elem::values`] for an element of type `element`; takes what it needs from
    /// the front of `values`.
    pub fn take(element: &ElementType, values: &mut &[Val<'c>]) -> Self {
        if element.is_complex() {
            let pair = Self::Pair(values[0], values[1]);
            *values = &values[2..];
            pair
        } else {
            let one = Self::One(values[0]);
            *values = &values[1..];
            one
        }
    }
}

/// Element type of the buffer of a tensor.
pub fn storage_type<'c>(b: &Builder<'c>, element: &ElementType) -> Result<Ty<'c>> {
    Ok(match element {
        ElementType::Bool => b.int(8),
        ElementType::Int { width, .. } => b.int((*width).max(8)),
        ElementType::Index => b.i64(),
        ElementType::Float(FloatKind::TF32) => b.f32(),
        ElementType::Float(kind) if kind.width() < 16 => b.int(8),
        // LLVM moves numbers of `bf16` through `f32`, and x86 makes zero of subnormals on the way
        // back.
        ElementType::Float(FloatKind::BF16) => b.int(16),
        ElementType::Float(kind) => b.float(*kind),
        ElementType::Complex(kind) => b.complex(b.float(*kind)),
        ElementType::Quantized(q) => return storage_type(b, &q.storage),
        ElementType::Other(name) => return unsupported(format!("element type {name}")),
    })
}

/// Type of the value of an element; for complex elements the type of each part.
pub fn value_type<'c>(b: &Builder<'c>, element: &ElementType) -> Result<Ty<'c>> {
    Ok(match element {
        ElementType::Bool => b.i1(),
        ElementType::Int { width, .. } => b.int(*width),
        ElementType::Index => b.i64(),
        ElementType::Float(FloatKind::F64) | ElementType::Complex(FloatKind::F64) => b.f64(),
        ElementType::Float(_) | ElementType::Complex(_) => b.f32(),
        ElementType::Quantized(q) => return value_type(b, &q.storage),
        ElementType::Other(name) => return unsupported(format!("element type {name}")),
    })
}

/// Types of the SSA values of an element (two for complex), as vectors of `lanes` unless that is
/// empty.
pub fn value_types<'c>(
    b: &Builder<'c>,
    element: &ElementType,
    lanes: &[i64],
) -> Result<Vec<Ty<'c>>> {
    let one = value_type(b, element)?;
    let ty = if lanes.is_empty() {
        one
    } else {
        b.vector(lanes, one)
    };
    Ok(vec![ty; if element.is_complex() { 2 } else { 1 }])
}

/// The value of an element from what was loaded (a scalar or a vector of storage elements; a
/// complex one as `complex<T>`, scalar only).
pub fn from_storage<'c>(
    b: &Builder<'c>,
    element: &ElementType,
    stored: Val<'c>,
) -> Result<Elem<'c>> {
    let target = b.like(stored.r#type(), value_type(b, element)?);
    Ok(Elem::One(match element {
        ElementType::Bool => b.cmpi(CmpI::Ne, stored, b.cint(0, stored.r#type())),
        ElementType::Int { width, .. } if *width < 8 => b.cast("arith.trunci", stored, target),
        ElementType::Quantized(q) => return from_storage(b, &q.storage, stored),
        ElementType::Float(FloatKind::F16) => b.cast("arith.extf", stored, target),
        ElementType::Float(FloatKind::BF16) => {
            let wide = b.cast("arith.extui", stored, b.like(stored.r#type(), b.int(32)));
            let high = b.shli(wide, b.cint(16, wide.r#type()));
            b.cast("arith.bitcast", high, target)
        }
        ElementType::Float(kind) if kind.width() < 16 => narrow::decode(b, *kind, stored),
        ElementType::Complex(_) => {
            let part = value_type(b, element)?;
            let re = b.op1("complex.re", &[stored], part, &[]);
            let im = b.op1("complex.im", &[stored], part, &[]);
            return Ok(Elem::Pair(re, im));
        }
        _ => stored,
    }))
}

/// Stored form of a value (the inverse of [`from_storage`]).
pub fn to_storage<'c>(b: &Builder<'c>, element: &ElementType, value: Elem<'c>) -> Result<Val<'c>> {
    let v = value.one();
    let target = b.like(v.r#type(), storage_type(b, element)?);
    Ok(match element {
        ElementType::Bool => b.cast("arith.extui", v, target),
        ElementType::Int { width, unsigned } if *width < 8 => {
            let name = if *unsigned || b.zeros_above() {
                "arith.extui"
            } else {
                "arith.extsi"
            };
            b.cast(name, v, target)
        }
        ElementType::Quantized(q) => return to_storage(b, &q.storage, value),
        ElementType::Float(FloatKind::F16) => b.cast("arith.truncf", v, target),
        ElementType::Float(FloatKind::BF16) => {
            // The value is representable: its upper half is the number.
            let bits = b.cast("arith.bitcast", v, b.like(v.r#type(), b.int(32)));
            let high = b.shrui(bits, b.cint(16, bits.r#type()));
            b.cast("arith.trunci", high, target)
        }
        ElementType::Float(kind) if kind.width() < 16 => narrow::encode(b, *kind, v),
        ElementType::Complex(_) => {
            let (re, im) = value.pair();
            b.op1("complex.create", &[re, im], target, &[])
        }
        _ => v,
    })
}

/// The constant element with these little-endian storage bytes, splat over `lanes` unless that is
/// empty.
pub fn constant<'c>(
    b: &Builder<'c>,
    element: &ElementType,
    bytes: &[u8],
    lanes: &[i64],
) -> Result<Elem<'c>> {
    let one = value_type(b, element)?;
    let ty = if lanes.is_empty() {
        one
    } else {
        b.vector(lanes, one)
    };
    let width = element.byte_width().unwrap_or(bytes.len());
    if bytes.len() < width {
        return unsupported(format!("constant of type {element} without data"));
    }
    let raw = |bytes: &[u8]| {
        let mut wide = [0u8; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(wide)
    };
    Ok(Elem::One(match element {
        ElementType::Bool => b.cint(i64::from(bytes[0] & 1), ty),
        ElementType::Int { width: bits, .. } => {
            // Sign-extended from its width, as integer attributes want it.
            let shift = 64 - *bits;
            b.cint(((raw(&bytes[..width]) << shift) as i64) >> shift, ty)
        }
        ElementType::Index => b.cint(raw(&bytes[..8]) as i64, ty),
        ElementType::Quantized(q) => return constant(b, &q.storage, bytes, lanes),
        ElementType::Float(FloatKind::F64) => float_bits(b, raw(&bytes[..8]), 64, ty),
        ElementType::Float(FloatKind::F32 | FloatKind::TF32) => {
            float_bits(b, raw(&bytes[..4]), 32, ty)
        }
        ElementType::Float(kind) => {
            let value = narrow::decode_host(*kind, raw(&bytes[..width]) as u32);
            float_bits(b, u64::from(value.to_bits()), 32, ty)
        }
        ElementType::Complex(FloatKind::F64) => {
            return Ok(Elem::Pair(
                float_bits(b, raw(&bytes[..8]), 64, ty),
                float_bits(b, raw(&bytes[8..16]), 64, ty),
            ));
        }
        ElementType::Complex(_) => {
            return Ok(Elem::Pair(
                float_bits(b, raw(&bytes[..4]), 32, ty),
                float_bits(b, raw(&bytes[4..8]), 32, ty),
            ));
        }
        ElementType::Other(name) => return unsupported(format!("element type {name}")),
    }))
}

/// A float constant by its bits, so that the payload of a NaN survives.
pub fn float_bits<'c>(b: &Builder<'c>, bits: u64, width: u32, ty: Ty<'c>) -> Val<'c> {
    let value = match width {
        64 => f64::from_bits(bits),
        _ => f64::from(f32::from_bits(bits as u32)),
    };
    if !value.is_nan() {
        return b.cfloat(value, ty);
    }
    let int = b.like(ty, b.int(width));
    let signed = match width {
        64 => bits as i64,
        _ => i64::from(bits as u32 as i32),
    };
    b.cast("arith.bitcast", b.cint(signed, int), ty)
}

/// The MLIR type of a kernel argument for a tensor: `memref<shape x storage>` where the shape is
/// static, `memref<1 x storage>` otherwise.
pub fn buffer_type<'c>(b: &Builder<'c>, tensor: &mapwright_mlir::TensorType) -> Result<Ty<'c>> {
    let element = storage_type(b, &tensor.element)?;
    Ok(match tensor.static_shape() {
        // Upstream cannot pass a memref without elements as a bare pointer; nothing of it is ever
        // read.
        Some(shape) => {
            let shape: Vec<i64> = shape.into_iter().map(|n| n.max(1)).collect();
            b.memref(&shape, element)
        }
        None => b.memref(&[1], element),
    })
}
