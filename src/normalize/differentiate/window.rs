//! The relation of windows, operands and window elements, solved for another of the three.
//!
//! Element `w` of window `o` lies over element `i` of the operand where
//! `o * stride + w * dilation = i * base + low`. Adjoints are windows of the same kind: over the
//! elements of the result for each element of the operand, or for each element of the window. All
//! numbers are sizes, of which some may be known at run time only.

use crate::tarray::sizes::constants;
use mapwright_indexing::Extent;
use mapwright_ops::attrs::Window;

/// A window along one dimension.
#[derive(Clone, Copy)]
pub(super) struct Along {
    pub(super) size: Extent,
    pub(super) stride: Extent,
    pub(super) base_dilation: Extent,
    pub(super) window_dilation: Extent,
    /// Padding before the operand and behind it.
    pub(super) padding: (Extent, Extent),
}

/// Size of a dimension whose elements are moved apart.
pub(super) fn dilated(size: Extent, by: Extent) -> Extent {
    if by == Extent::ONE {
        return size;
    }
    ((size - 1) * by + 1).greatest(Extent::ZERO)
}

/// A window along each dimension.
pub(super) fn from_known(window: &Window) -> Vec<Along> {
    let along = |k: usize| Along {
        size: window.size[k].into(),
        stride: window.stride[k].into(),
        base_dilation: window.base_dilation[k].into(),
        window_dilation: window.window_dilation[k].into(),
        padding: (window.padding[k].0.into(), window.padding[k].1.into()),
    };
    (0..window.size.len()).map(along).collect()
}

/// One number of all dimensions.
pub(super) fn each(windows: &[Along], number: fn(&Along) -> Extent) -> Vec<Extent> {
    windows.iter().map(number).collect()
}

/// The padding, if it is known.
pub(super) fn known_padding(windows: &[Along]) -> Option<Vec<(i64, i64)>> {
    let known = |(low, high): (Extent, Extent)| Some((low.as_constant()?, high.as_constant()?));
    windows.iter().map(|along| known(along.padding)).collect()
}

/// The windows of which all numbers are known.
pub(super) fn known(windows: &[Along]) -> Option<Window> {
    Some(Window {
        size: constants(&each(windows, |along| along.size))?,
        stride: constants(&each(windows, |along| along.stride))?,
        base_dilation: constants(&each(windows, |along| along.base_dilation))?,
        window_dilation: constants(&each(windows, |along| along.window_dilation))?,
        padding: known_padding(windows)?,
        reversal: vec![false; windows.len()],
    })
}

impl Along {
    /// Extent of the window's elements.
    fn reach(&self) -> Extent {
        dilated(self.size, self.window_dilation)
    }

    /// With as much padding behind as `count` windows over `size` elements have.
    fn padded(self, size: Extent, count: Extent) -> Self {
        let low = self.padding.0;
        let all = (count - 1) * self.stride + self.reach();
        let padding = (low, all - dilated(size, self.base_dilation) - low);
        Self { padding, ..self }
    }

    /// For each of the `operand` elements the windows, among `result`, that lie over it: `w` runs
    /// backwards.
    pub(super) fn over_elements(self, operand: Extent, result: Extent) -> Self {
        let over = Self {
            stride: self.base_dilation,
            base_dilation: self.stride,
            padding: (self.reach() - 1 - self.padding.0, Extent::ZERO),
            ..self
        };
        over.padded(result, operand)
    }

    /// For each element of the window the windows, among `result`, in which it lies over an element
    /// of the operand.
    pub(super) fn over_places(self, operand: Extent, result: Extent) -> Self {
        let over = Self {
            size: result,
            stride: self.window_dilation,
            window_dilation: self.stride,
            ..self
        };
        over.padded(operand, self.size)
    }
}

/// Windows that are solved along each dimension for other ones, by the sizes of the operand and the
/// result.
pub(super) fn solved(
    windows: &[Along],
    (operand, result): (&[Extent], &[Extent]),
    solve: fn(Along, Extent, Extent) -> Along,
) -> Vec<Along> {
    let sizes = operand.iter().zip(result);
    let all = windows.iter().zip(sizes);
    all.map(|(along, (own, out))| solve(*along, *own, *out))
        .collect()
}
