//! Windows of numbers that may be known at run time only.

use crate::{
    error::{Result, unsupported},
    index::{Ix, Truth},
    sizes::{self, SizeOracle},
};
use mapwright_mlir::{Builder, CmpI, Op};
use mapwright_ops::{attrs::Window, window::window_of_operands};

/// A window along one dimension (see [`Window`]) of numbers that may be known at run time only.
#[derive(Clone, Copy)]
pub struct RunTimeWindow<'c> {
    /// Number of window elements.
    pub size: Ix<'c>,
    /// Step of the window.
    pub stride: Ix<'c>,
    /// Distance of neighbouring operand elements.
    pub base_dilation: Ix<'c>,
    /// Distance of neighbouring window elements.
    pub window_dilation: Ix<'c>,
    /// Padding before the dilated operand.
    pub low: Ix<'c>,
    /// Padding behind it.
    pub high: Ix<'c>,
}

impl<'c> RunTimeWindow<'c> {
    /// `size` elements along dimension `d` of `window`.
    pub fn known(window: &Window, d: usize, size: i64) -> Self {
        Self {
            size: Ix::Known(size),
            stride: Ix::Known(window.stride[d]),
            base_dilation: Ix::Known(window.base_dilation[d]),
            window_dilation: Ix::Known(window.window_dilation[d]),
            low: Ix::Known(window.padding[d].0),
            high: Ix::Known(window.padding[d].1),
        }
    }

    /// The window of a `dynamic_reduce_window` along dimension `d`.
    ///
    /// # Errors
    /// Operands that are too few, or whose elements cannot be found.
    pub fn from_op(b: &Builder<'c>, op: Op<'c>, d: usize, ask: SizeOracle<'_, 'c>) -> Result<Self> {
        let found = sizes::evaluate(b, ask, |shapes| window_of_operands(shapes, op, d))?;
        let [size, stride, base_dilation, window_dilation, low, high] = found[..] else {
            return unsupported("a window of other numbers");
        };
        Ok(Self {
            size,
            stride,
            base_dilation,
            window_dilation,
            low,
            high,
        })
    }

    /// The index of the operand under window element `w` of window `o`, and whether there is an
    /// element of so many.
    pub fn place(
        &self,
        b: &Builder<'c>,
        o: Ix<'c>,
        w: Ix<'c>,
        size: Ix<'c>,
    ) -> (Ix<'c>, Truth<'c>) {
        let at = o
            .mul(b, self.stride)
            .add(b, w.mul(b, self.window_dilation))
            .sub(b, self.low);
        let mut inside = at.compare(b, CmpI::Sge, Ix::Known(0));
        let position = match self.base_dilation.known() {
            Some(1) => at,
            _ => {
                let n = self.base_dilation;
                let whole = at.rem(b, n).compare(b, CmpI::Eq, Ix::Known(0));
                inside = inside.and(b, whole);
                at.div(b, n)
            }
        };
        inside = inside.and(b, position.compare(b, CmpI::Slt, size));
        (position, inside)
    }
}
