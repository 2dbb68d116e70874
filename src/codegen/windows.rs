//! Sizes that windows give results, of numbers that may be known at run time only.

use crate::{
    error::Result,
    index::Ix,
    sizes::{Answer, Question},
};
use mapwright_mlir::{Builder, Op};
use mapwright_ops::attrs::{self, ConvDimensions, Window};

/// Number of windows along a dimension of `size`.
pub(crate) fn windows<'c>(b: &Builder<'c>, window: &Window, d: usize, size: Ix<'c>) -> Ix<'c> {
    RunTimeWindow::known(window, d, window.size[d]).count(b, size)
}

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
    pub fn of(b: &Builder<'c>, op: Op<'c>, d: usize, ask: Answer<'_, 'c>) -> Result<Self> {
        let bad = |error: attrs::AttrError| crate::Unsupported(format!("'{}': {error}", op.name()));
        let first = 2 * attrs::window_inputs(op).map_err(bad)?;
        let d = Ix::Known(d as i64);
        let mut part = |i: usize, index: Vec<Ix<'c>>| -> Result<Ix<'c>> {
            Ok(ask(b, Question::Element(op.operand(first + i), index))?[0])
        };
        Ok(Self {
            size: part(0, vec![d])?,
            stride: part(1, vec![d])?,
            base_dilation: part(2, vec![d])?,
            window_dilation: part(3, vec![d])?,
            low: part(4, vec![d, Ix::Known(0)])?,
            high: part(4, vec![d, Ix::Known(1)])?,
        })
    }

    /// How many windows lie over a dimension of `size` elements.
    pub(crate) fn count(&self, b: &Builder<'c>, size: Ix<'c>) -> Ix<'c> {
        let padded = dilated(b, size, self.base_dilation)
            .add(b, self.low)
            .add(b, self.high);
        count_windows(b, padded, self.size, self.window_dilation, self.stride)
    }
}

/// How many windows `select_and_scatter` lays over its operand, in each dimension.
pub fn of_windows<'c>(b: &Builder<'c>, op: Op<'c>, ask: Answer<'_, 'c>) -> Result<Vec<Ix<'c>>> {
    let bad = |error: attrs::AttrError| crate::Unsupported(format!("'{}': {error}", op.name()));
    let own = ask(b, Question::Sizes(op.operand(0)))?;
    let window = Window::select_and_scatter(op, own.len()).map_err(bad)?;
    let sizes = own.into_iter().enumerate();
    Ok(sizes
        .map(|(d, size)| windows(b, &window, d, size))
        .collect())
}

fn dilated<'c>(b: &Builder<'c>, size: Ix<'c>, by: Ix<'c>) -> Ix<'c> {
    let span = size.sub(b, Ix::Known(1)).mul(b, by).add(b, Ix::Known(1));
    match size.known() {
        Some(0) => Ix::Known(0),
        _ => span.max(b, Ix::Known(0)),
    }
}

fn count_windows<'c>(
    b: &Builder<'c>,
    padded: Ix<'c>,
    window: Ix<'c>,
    dilation: Ix<'c>,
    stride: Ix<'c>,
) -> Ix<'c> {
    let window = dilated(b, window, dilation);
    let room = padded.sub(b, window).add(b, stride).max(b, Ix::Known(0));
    room.div(b, stride)
}

pub(crate) fn convolution<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    rank: usize,
    ask: Answer<'_, 'c>,
) -> Result<Vec<Ix<'c>>> {
    let bad = |error: attrs::AttrError| crate::Unsupported(format!("'{}': {error}", op.name()));
    let dims = ConvDimensions::decode(op).map_err(bad)?;
    let input = ask(b, Question::Sizes(op.operand(0)))?;
    let kernel = ask(b, Question::Sizes(op.operand(1)))?;
    let spatial = vec![1; dims.kernel_spatial.len()];
    let window = Window::convolution(op, &spatial).map_err(bad)?;
    let batch_groups = attrs::int_or(op, "batch_group_count", 1).map_err(bad)?;
    let mut sizes = vec![Ix::Known(1); rank];
    sizes[dims.output_batch as usize] =
        input[dims.input_batch as usize].div(b, Ix::Known(batch_groups.max(1)));
    sizes[dims.output_feature as usize] = kernel[dims.kernel_output_feature as usize];
    for (k, at) in dims.output_spatial.iter().enumerate() {
        let size = input[dims.input_spatial[k] as usize];
        let (low, high) = match op.short_name() {
            "dynamic_conv" => {
                let mut part = |side: i64| -> Result<Ix<'c>> {
                    let index = vec![Ix::Known(k as i64), Ix::Known(side)];
                    Ok(ask(b, Question::Element(op.operand(2), index))?[0])
                };
                (part(0)?, part(1)?)
            }
            _ => (
                Ix::Known(window.padding[k].0),
                Ix::Known(window.padding[k].1),
            ),
        };
        let padded = dilated(b, size, Ix::Known(window.base_dilation[k]))
            .add(b, low)
            .add(b, high);
        sizes[*at as usize] = count_windows(
            b,
            padded,
            kernel[dims.kernel_spatial[k] as usize],
            Ix::Known(window.window_dilation[k]),
            Ix::Known(window.stride[k]),
        );
    }
    Ok(sizes)
}
