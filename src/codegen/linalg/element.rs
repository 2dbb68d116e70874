//! Elements between tensors, as upstream's dialects hold them, and scalar code.
//!
//! | element of the tensor | in scalar code |
//! |---|---|
//! | `i1`, signless integers, `f32`, `f64` | itself |
//! | unsigned integers | the signless integer of the width |
//! | `index` | `i64` |
//! | `f16` | `f32` that the format can represent |
//! | `bf16`, floats of 8, 6 and 4 bits | `f32` that the format can represent, by their bits |
//! | complex | a pair of parts |

use crate::{
    error::{Result, unsupported},
    scalar::narrow,
    storage::{self, Elem, value_type},
};
use mapwright_mlir::{
    Builder, Dim, ElementType, FloatKind, TensorType, Ty, Val, ValueType, attr::Dense,
    melior::ir::ValueLike, op,
};

/// The ranked tensor type of a value.
pub(super) fn tensor(value: Val<'_>) -> Result<TensorType> {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => Ok(tensor),
        other => unsupported(format!("a value of type {other}")),
    }
}

/// Checks that `value` holds elements that upstream's dialects compute with.
///
/// # Errors
/// Why it does not.
pub(super) fn check(value: Val<'_>) -> Result<()> {
    let tensor = tensor(value)?;
    let is_known = match &tensor.element {
        ElementType::Bool | ElementType::Index | ElementType::Int { .. } => true,
        ElementType::Float(kind) => *kind != FloatKind::TF32,
        ElementType::Complex(_) => true,
        ElementType::Quantized(_) | ElementType::Other(_) => false,
    };
    if !is_known {
        return unsupported(format!(
            "has a value of type {}, whose elements linalg does not compute with",
            value.r#type()
        ));
    }
    // What is reduced over a bounded dimension would be reduced over all that the bound has room
    // for.
    if tensor.dims.iter().any(|dim| matches!(dim, Dim::Bounded(_))) {
        return unsupported(format!(
            "has a value of type {}, whose bounds tensors of linalg do not have",
            value.r#type()
        ));
    }
    Ok(())
}

/// The type of an element in a tensor.
pub(super) fn type_of<'c>(b: &Builder<'c>, element: &ElementType) -> Ty<'c> {
    match element {
        ElementType::Index => b.index(),
        other => b.parse_type(&other.to_string()),
    }
}

fn reinterpreted<'c>(b: &Builder<'c>, value: Val<'c>, ty: Ty<'c>) -> Val<'c> {
    b.op1("builtin.unrealized_conversion_cast", &[value], ty, &[])
}

/// An element of a tensor for scalar code.
pub(super) fn from_tensor<'c>(
    b: &Builder<'c>,
    element: &ElementType,
    value: Val<'c>,
) -> Result<Elem<'c>> {
    let target = value_type(b, element)?;
    Ok(Elem::One(match element {
        ElementType::Int { unsigned: true, .. } => reinterpreted(b, value, target),
        ElementType::Index => b.index_cast(value, target),
        ElementType::Float(FloatKind::F16) => b.cast("arith.extf", value, target),
        ElementType::Float(FloatKind::BF16) => {
            let bits = b.cast("arith.bitcast", value, b.int(16));
            let wide = b.cast("arith.extui", bits, b.int(32));
            b.cast("arith.bitcast", b.shli(wide, b.cint(16, b.int(32))), target)
        }
        ElementType::Float(kind) if kind.width() < 16 => {
            let bits = b.cast("arith.bitcast", value, b.int(kind.width()));
            let byte = match kind.width() {
                8 => bits,
                _ => b.cast("arith.extui", bits, b.int(8)),
            };
            narrow::decode(b, *kind, byte)
        }
        ElementType::Complex(_) => {
            let re = b.op1("complex.re", &[value], target, &[]);
            let im = b.op1("complex.im", &[value], target, &[]);
            return Ok(Elem::Pair(re, im));
        }
        _ => value,
    }))
}

/// Converts an element of scalar code to the type that tensors hold it in.
pub(super) fn to_tensor<'c>(
    b: &Builder<'c>,
    element: &ElementType,
    value: Elem<'c>,
) -> Result<Val<'c>> {
    let ty = type_of(b, element);
    let v = value.one();
    Ok(match element {
        ElementType::Int { unsigned: true, .. } => reinterpreted(b, v, ty),
        ElementType::Index => b.index_cast(v, ty),
        ElementType::Float(FloatKind::F16) => b.cast("arith.truncf", v, ty),
        ElementType::Float(FloatKind::BF16) => {
            let bits = b.cast("arith.bitcast", v, b.int(32));
            let high = b.shrui(bits, b.cint(16, b.int(32)));
            b.cast("arith.bitcast", b.cast("arith.trunci", high, b.int(16)), ty)
        }
        ElementType::Float(kind) if kind.width() < 16 => {
            let byte = narrow::encode(b, *kind, v);
            let bits = match kind.width() {
                8 => byte,
                width => b.cast("arith.trunci", byte, b.int(width)),
            };
            b.cast("arith.bitcast", bits, ty)
        }
        ElementType::Complex(_) => {
            let (re, im) = value.pair();
            b.op1("complex.create", &[re, im], ty, &[])
        }
        _ => v,
    })
}

/// The element of a tensor that is a constant whose elements are all the same.
pub(super) fn splat(value: Val<'_>) -> Option<Dense> {
    let (op, _) = op::defining_op(value)?;
    if !op.is_hlo("constant") && op.name() != "arith.constant" {
        return None;
    }
    Dense::splat_of(op.attribute("value")?).filter(|dense| !dense.data.is_empty())
}

/// Element `index` of a tensor.
pub(super) fn extract<'c>(b: &Builder<'c>, value: Val<'c>, index: &[Val<'c>]) -> Result<Elem<'c>> {
    if let Some(dense) = splat(value) {
        return storage::constant(b, &dense.ty.element, &dense.data, &[]);
    }
    let element = tensor(value)?.element;
    let mut operands = vec![value];
    operands.extend(index);
    let ty = b.element_of(value.r#type());
    from_tensor(b, &element, b.op1("tensor.extract", &operands, ty, &[]))
}
