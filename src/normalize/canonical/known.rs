//! What is known of values without evaluating anything.

use crate::fold::number::{Number, decode};
use mapwright_mlir::{
    ElementType, FloatKind, Op, TensorType, Val, attr, melior::ir::ValueLike, op,
};

/// The operation `short` of StableHLO that defines `value`.
pub fn defined_by<'c>(value: Val<'c>, short: &str) -> Option<Op<'c>> {
    let (source, _) = op::defining_op(value)?;
    (source.dialect() == "stablehlo" && source.short_name() == short).then_some(source)
}

/// Whether both values are of exactly one type.
pub fn same_type(a: Val<'_>, b: Val<'_>) -> bool {
    a.r#type() == b.r#type()
}

/// The tensor type of a value.
pub fn tensor(value: Val<'_>) -> Option<TensorType> {
    TensorType::from_mlir(value.r#type())
}

/// One element of a value all of whose elements are the same: a constant, also broadcast or
/// reshaped.
pub fn splat(value: Val<'_>) -> Option<Splat> {
    let mut at = value;
    // Chains of reshapes are short once they have been merged.
    for _ in 0..8 {
        let (source, _) = op::defining_op(at)?;
        if source.dialect() != "stablehlo" {
            return None;
        }
        match source.short_name() {
            "constant" => {
                let dense = attr::Dense::splat_of(source.attribute("value")?)?;
                return Some(Splat {
                    element: dense.ty.element,
                    bytes: dense.data,
                });
            }
            "broadcast_in_dim" | "reshape" => at = source.operand(0),
            _ => return None,
        }
    }
    None
}

/// One element of a constant.
pub struct Splat {
    element: ElementType,
    bytes: Vec<u8>,
}

impl Splat {
    /// The bits, zero-extended.
    fn bits(&self) -> Option<u64> {
        let mut wide = [0u8; 8];
        wide.get_mut(..self.bytes.len())?
            .copy_from_slice(&self.bytes);
        Some(u64::from_le_bytes(wide))
    }

    /// The value of a floating-point number.
    pub fn float(&self) -> Option<f64> {
        match decode(&self.bytes, &self.element)? {
            Number::Float(number) => Some(number),
            Number::Int(_) => None,
        }
    }

    /// The value of an integer or boolean; unsigned ones as their bits.
    pub fn int(&self) -> Option<i64> {
        let bits = self.bits()? as i64;
        match self.element {
            ElementType::Int {
                width,
                unsigned: false,
            } => {
                let shift = 64 - width.clamp(1, 64);
                Some((bits << shift) >> shift)
            }
            ElementType::Int { .. } | ElementType::Bool => Some(bits),
            _ => None,
        }
    }

    /// Whether the integer has all its bits set.
    pub fn is_all_ones(&self) -> bool {
        let width = match self.element {
            ElementType::Bool => 1,
            ElementType::Int { width, .. } => width.clamp(1, 64),
            _ => return false,
        };
        let ones = u64::MAX >> (64 - width);
        self.bits().is_some_and(|bits| bits & ones == ones)
    }

    /// Whether it is the floating-point number `value`, with its sign of zero.
    pub fn is_float(&self, value: f64) -> bool {
        let Some(bits) = self.bits() else {
            return false;
        };
        match self.element {
            ElementType::Float(FloatKind::F64) => bits == value.to_bits(),
            ElementType::Float(FloatKind::F32) => bits == u64::from((value as f32).to_bits()),
            ElementType::Float(FloatKind::BF16) => {
                bits == u64::from((value as f32).to_bits() >> 16)
            }
            ElementType::Float(FloatKind::F16) => match value {
                1.0 => bits == 0x3c00,
                -1.0 => bits == 0xbc00,
                0.0 => bits == if value.is_sign_negative() { 0x8000 } else { 0 },
                _ => false,
            },
            _ => false,
        }
    }
}
