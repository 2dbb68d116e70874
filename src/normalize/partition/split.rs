//! A dimension in as many parts as devices split it into.

use crate::make::{HloBuilder, own};
use mapwright_mlir::{TensorType, Val};
use mapwright_sharding::propagate::Sharding;

/// A dimension of a tensor, in parts.
pub(super) struct Split {
    /// The dimension.
    pub(super) dim: usize,
    /// Its size.
    pub(super) size: i64,
    /// The number of parts, which divides it.
    pub(super) parts: i64,
}

impl Split {
    /// The first of some dimensions that one layout splits and another does not.
    pub(super) fn first_of(
        dims: &[i64],
        shape: &[i64],
        (splits, whole): (&Sharding, &Sharding),
    ) -> Option<Split> {
        dims.iter().find_map(|dim| {
            let dim = usize::try_from(*dim).ok()?;
            let (size, parts) = (*shape.get(dim)?, *splits.parts().get(dim)?);
            let is_whole = *whole.parts().get(dim)? == 1;
            let fits = parts > 1 && is_whole && size > 0 && size % parts == 0;
            fits.then_some(Split { dim, size, parts })
        })
    }

    /// The elements of a part.
    pub(super) fn length(&self) -> i64 {
        self.size / self.parts
    }

    /// The operand with the parts as its first dimension.
    pub(super) fn in_parts<'c>(&self, b: &HloBuilder<'c>, x: Val<'c>) -> Val<'c> {
        let ty = own(x);
        let mut sizes = ty.static_shape().unwrap_or_default();
        sizes.splice(self.dim..=self.dim, [self.parts, self.length()]);
        let apart = b.reshape(x, &TensorType::new(ty.element, &sizes));
        let mut order: Vec<usize> = (0..sizes.len()).filter(|d| *d != self.dim).collect();
        order.insert(0, self.dim);
        b.transpose(apart, &order)
    }

    /// Puts together what [`Split::in_parts`] has taken apart.
    pub(super) fn whole<'c>(&self, b: &HloBuilder<'c>, x: Val<'c>, ty: &TensorType) -> Val<'c> {
        let mut order: Vec<usize> = (1..=ty.dims.len()).collect();
        order.insert(self.dim, 0);
        b.reshape(b.transpose(x, &order), ty)
    }
}
