//! Windows of `reduce_window`, `select_and_scatter` and `convolution`.

use super::{AttrError, Decoded, ints, ints_or, ints_or_none, pairs_or_zero, sized};
use mapwright_mlir::Op;

/// The strides of a `dynamic_conv` with `spatial` dimensions. JAX repeats the stride of a
/// one-dimensional convolution when it prints one; strides that all are the same mean the same
/// however many of them count.
pub fn repeated_strides(mut strides: Vec<i64>, spatial: usize) -> Vec<i64> {
    if spatial > 0 && strides.windows(2).all(|pair| pair[0] == pair[1]) {
        strides.truncate(spatial);
    }
    strides
}

/// A window that slides over a padded, dilated operand; one entry a dimension.
///
/// Window element `w` of window `o` lies over element `i` of the operand where
/// `o * stride + w * window_dilation = i * base_dilation + padding.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Number of window elements.
    pub size: Vec<i64>,
    /// Step of the window, 1 by default.
    pub stride: Vec<i64>,
    /// Distance of neighbouring operand elements, 1 by default.
    pub base_dilation: Vec<i64>,
    /// Distance of neighbouring window elements, 1 by default.
    pub window_dilation: Vec<i64>,
    /// Padding before and after the dilated operand, 0 by default; may be negative.
    pub padding: Vec<(i64, i64)>,
    /// Window elements run backwards (`convolution` only).
    pub reversal: Vec<bool>,
}

impl Window {
    /// The window of a `reduce_window` over operands of rank `rank`.
    pub fn reduce_window(op: Op<'_>, rank: usize) -> Decoded<Self> {
        Self {
            size: sized("window_dimensions", ints(op, "window_dimensions")?, rank)?,
            stride: ints_or(op, "window_strides", rank, 1)?,
            base_dilation: ints_or(op, "base_dilations", rank, 1)?,
            window_dilation: ints_or(op, "window_dilations", rank, 1)?,
            padding: pairs_or_zero(op, "padding", rank)?,
            reversal: vec![false; rank],
        }
        .checked()
    }

    /// The window of a `select_and_scatter` over an operand of rank `rank`.
    pub fn select_and_scatter(op: Op<'_>, rank: usize) -> Decoded<Self> {
        Self {
            size: ints_or(op, "window_dimensions", rank, 1)?,
            stride: ints_or(op, "window_strides", rank, 1)?,
            base_dilation: vec![1; rank],
            window_dilation: vec![1; rank],
            padding: pairs_or_zero(op, "padding", rank)?,
            reversal: vec![false; rank],
        }
        .checked()
    }

    /// The window of a `convolution` whose kernel has the spatial sizes `kernel`.
    pub fn convolution(op: Op<'_>, kernel: &[i64]) -> Decoded<Self> {
        let n = kernel.len();
        let stride = match ints_or_none(op, "window_strides")? {
            None => vec![1; n],
            Some(strides) if op.short_name() == "dynamic_conv" => {
                sized("window_strides", repeated_strides(strides, n), n)?
            }
            Some(strides) => sized("window_strides", strides, n)?,
        };
        Self {
            size: kernel.to_vec(),
            stride,
            base_dilation: ints_or(op, "lhs_dilation", n, 1)?,
            window_dilation: ints_or(op, "rhs_dilation", n, 1)?,
            // It is an operand of `dynamic_conv`.
            padding: match op.short_name() {
                "dynamic_conv" => vec![(0, 0); n],
                _ => pairs_or_zero(op, "padding", n)?,
            },
            reversal: ints_or(op, "window_reversal", n, 0)?
                .into_iter()
                .map(|v| v != 0)
                .collect(),
        }
        .checked()
    }

    pub(super) fn checked(self) -> Decoded<Self> {
        for (name, values) in [
            ("window_strides", &self.stride),
            ("base dilation", &self.base_dilation),
            ("window dilation", &self.window_dilation),
        ] {
            if let Some(bad) = values.iter().find(|v| **v <= 0) {
                return Err(AttrError::new(name, format!("{bad} is not positive")));
            }
        }
        match self.size.iter().find(|v| **v < 0) {
            Some(bad) => Err(AttrError::new(
                "window_dimensions",
                format!("{bad} is negative"),
            )),
            None => Ok(self),
        }
    }

    /// Size of the operand's dimension `axis` after dilation and padding; at least 0.
    pub fn padded_size(&self, axis: usize, size: i64) -> i64 {
        let dilated = match size {
            0 => 0,
            n => (n - 1)
                .saturating_mul(self.base_dilation[axis])
                .saturating_add(1),
        };
        let (low, high) = self.padding[axis];
        dilated.saturating_add(low).saturating_add(high).max(0)
    }

    /// Number of windows along `axis` of an operand of `size` elements there.
    pub fn output_size(&self, axis: usize, size: i64) -> i64 {
        let padded = self.padded_size(axis, size);
        let window = match self.size[axis] {
            0 => 0,
            n => (n - 1)
                .saturating_mul(self.window_dilation[axis])
                .saturating_add(1),
        };
        if padded == 0 || window > padded {
            return 0;
        }
        (padded - window) / self.stride[axis] + 1
    }
}
