//! How many windows lie over a tensor.

use crate::attrs::{self, Window};
use crate::reduction::sizes::inputs;
use crate::shape_function::{Found, Pairs, ShapeQuery, Shapes, Size, each, same_sizes};
use mapwright_mlir::Op;

/// A window along one dimension; see [`Window`].
#[derive(Clone, Copy)]
pub(crate) struct WindowSizes {
    pub size: Size,
    pub stride: Size,
    pub base_dilation: Size,
    pub window_dilation: Size,
    pub low: Size,
    pub high: Size,
}

impl WindowSizes {
    /// `size` elements along dimension `d` of `window`.
    pub fn known(window: &Window, d: usize, size: Size) -> Self {
        Self {
            size,
            stride: Size::Known(window.stride[d]),
            base_dilation: Size::Known(window.base_dilation[d]),
            window_dilation: Size::Known(window.window_dilation[d]),
            low: Size::Known(window.padding[d].0),
            high: Size::Known(window.padding[d].1),
        }
    }

    /// The window of a `dynamic_reduce_window` along dimension `d`, whose operands behind inputs
    /// and initial values say it.
    fn of_operands(query: &mut ShapeQuery<'_, '_>, d: usize) -> Found<Self> {
        let first = 2 * attrs::window_inputs(query.op)?;
        let d = d as i64;
        let mut part = |i: usize, index: &[i64]| query.element_of(first + i, index);
        Ok(Self {
            size: part(0, &[d])?,
            stride: part(1, &[d])?,
            base_dilation: part(2, &[d])?,
            window_dilation: part(3, &[d])?,
            low: part(4, &[d, 0])?,
            high: part(4, &[d, 1])?,
        })
    }

    /// Number of windows over a dimension of `size` elements: `num_windows` of the specification.
    pub fn count(&self, query: &mut ShapeQuery<'_, '_>, size: Size) -> Found<Size> {
        let padded = dilated(query, size, self.base_dilation)?;
        let padded = query.add(padded, self.low)?;
        let padded = query.add(padded, self.high)?;
        let window = dilated(query, self.size, self.window_dilation)?;
        // No window lies over nothing, be it empty itself.
        if window == Size::Known(0) && padded.known().is_some_and(|n| n <= 0) {
            return Ok(Size::Known(0));
        }
        let room = query.sub(padded, window)?;
        let room = query.add(room, self.stride)?;
        let room = query.max(room, Size::Known(0))?;
        query.div(room, self.stride)
    }
}

/// The size of elements that are `by` apart.
fn dilated(query: &mut ShapeQuery<'_, '_>, size: Size, by: Size) -> Found<Size> {
    if size == Size::Known(0) {
        return Ok(size);
    }
    let span = query.sub(size, Size::Known(1))?;
    let span = query.mul(span, by)?;
    let span = query.add(span, Size::Known(1))?;
    query.max(span, Size::Known(0))
}

fn windows(query: &mut ShapeQuery<'_, '_>, window: &Window, own: &[Size]) -> Found<Vec<Size>> {
    each(own.len(), |d| {
        let along = WindowSizes::known(window, d, Size::Known(window.size[d]));
        along.count(query, own[d])
    })
}

/// `reduce_window`.
pub(crate) fn reduce_window(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.common(&inputs(query.op.num_operands() / 2, query.result))?;
    let window = Window::reduce_window(query.op, own.len())?;
    windows(query, &window, &own)
}

/// The window of a `dynamic_reduce_window` along dimension `d`: its size, stride, base dilation,
/// window dilation, and padding before and behind.
///
/// # Errors
/// Operands that are too few, or whose elements cannot be found.
pub fn window_of_operands<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    d: usize,
) -> Found<Vec<Size>> {
    let window = WindowSizes::of_operands(&mut ShapeQuery::new(shapes, op, 0), d)?;
    Ok(vec![
        window.size,
        window.stride,
        window.base_dilation,
        window.window_dilation,
        window.low,
        window.high,
    ])
}

/// `dynamic_reduce_window`.
pub(crate) fn dynamic_reduce_window(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.operand(query.result)?;
    each(own.len(), |d| {
        WindowSizes::of_operands(query, d)?.count(query, own[d])
    })
}

/// Inputs have the same sizes, and the window is one.
pub(crate) fn dynamic_window_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let pairs = same_sizes(query, attrs::window_inputs(query.op)?)?;
    for d in 0..query.operand(0)?.len() {
        let window = WindowSizes::of_operands(query, d)?;
        query.require_at_most(Size::Known(0), window.size)?;
        for positive in [window.stride, window.base_dilation, window.window_dilation] {
            query.require_at_most(Size::Known(1), positive)?;
        }
    }
    Ok(pairs)
}

/// Counts the windows that `select_and_scatter` lays over its operand: the sizes of its source.
pub(crate) fn of_source(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let own = query.operand(0)?;
    let window = Window::select_and_scatter(query.op, own.len())?;
    windows(query, &window, &own)
}

/// The source has an element for each window.
pub(crate) fn source_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let source = query.operand(1)?;
    let count = of_source(query)?;
    Ok(source.into_iter().zip(count).collect())
}
