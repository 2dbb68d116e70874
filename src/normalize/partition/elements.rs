//! Values that each device makes its own part of.

use super::slices::element_bytes;
use crate::make::HloBuilder;
use mapwright_mlir::{Attr, ElementType, Op, TensorType, Val, attr::Dense, op};
use mapwright_sharding::{digits::Digit, propagate::Sharding};

/// Elements that follow from their places: no operand has them, of which an indexing map could say
/// which are read.
#[derive(Clone)]
pub(super) enum Elements {
    /// All are one constant.
    Splat(Dense),
    /// Each is its index in this dimension.
    Index(usize),
}

/// The bytes that are sent for an element of a value: none where each device makes its own part.
pub(super) fn bytes_to_send(value: Val<'_>) -> i64 {
    let made = op::defining_op(value).and_then(|(op, _)| Elements::from_op(op));
    made.map_or_else(|| element_bytes(value), |_| 0)
}

impl Elements {
    pub(super) fn from_op(op: Op<'_>) -> Option<Self> {
        match op.attribute("value").filter(|_| op.num_operands() == 0) {
            Some(constant) => Dense::splat_of(constant).map(Self::Splat),
            None if op.is_hlo("iota") => {
                let dim = usize::try_from(op.int("iota_dimension")?);
                dim.ok().map(Self::Index)
            }
            None => None,
        }
    }

    /// The elements in a tensor of this type.
    pub(super) fn whole<'c>(&self, b: &HloBuilder<'c>, ty: &TensorType) -> Option<Val<'c>> {
        match self {
            Self::Splat(splat) => {
                let value = Dense {
                    ty: ty.clone(),
                    ..splat.clone()
                };
                let value: Attr<'c> = value.to_mlir(b.context())?;
                Some(b.operation("stablehlo.constant", &[], ty, &[("value", value)]))
            }
            Self::Index(dim) => Some(b.iota(ty, *dim)),
        }
    }

    /// A device's slice, of this type, of a value in the layout `has`. `number` makes what digits
    /// of the device's number give, times a size.
    pub(super) fn slice<'c>(
        &self,
        b: &HloBuilder<'c>,
        ty: &TensorType,
        has: &Sharding,
        number: &dyn Fn(&[Digit], i64) -> Val<'c>,
    ) -> Option<Val<'c>> {
        let Self::Index(dim) = self else {
            return self.whole(b, ty);
        };
        let digits = has.dims.get(*dim)?;
        if digits.is_empty() {
            return self.whole(b, ty);
        }
        // Summed as whole numbers: a floating-point type may have no number for the one or the
        // other.
        let size = *ty.static_shape()?.get(*dim)?;
        let start = number(digits, size);
        let whole = TensorType {
            element: ElementType::int(32),
            ..ty.clone()
        };
        let own = b.iota(&whole, *dim);
        let sum = b.binary("add", own, b.broadcast(start, &whole, &[]));
        Some(b.convert(sum, &ty.element))
    }
}
