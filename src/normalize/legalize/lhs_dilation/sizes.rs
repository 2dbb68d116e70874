//! Sizes of a convolution that is taken apart.

use super::Known;
use crate::{make::tensor, sizes::has_elements};
use mapwright_indexing::Extent;
use mapwright_mlir::Op;

/// The sizes of the operand and of the result, in terms of those of the operand that are known at
/// run time only: these are names, and one more where it is known that there is an element.
/// `None` where the result's do not follow from them. Strides, dilations and the kernel are small.
pub(super) fn of_convolution<'c>(op: Op<'c>, known: &Known) -> Option<[Vec<Extent>; 2]> {
    let own = tensor(op.operand(0))?;
    let has_elements = match own.static_shape() {
        Some(_) => Vec::new(),
        None => has_elements(op, 0),
    };
    let size = |d: usize| match own.dims[d].fixed() {
        Some(n) => n.into(),
        None => Extent::name(d) + i64::from(has_elements[d]),
    };
    let operand: Vec<Extent> = (0..own.rank()).map(size).collect();
    let (dims, window) = (&known.conv.dims, &known.conv.window);
    let at = |d: i64| operand.get(usize::try_from(d).ok()?).copied();
    let mut shape = vec![Extent::ONE; known.result.rank()];
    let mut put = |d: i64, n: Extent| -> Option<()> {
        *shape.get_mut(usize::try_from(d).ok()?)? = n;
        Some(())
    };
    let features = usize::try_from(dims.kernel_output_feature).ok()?;
    put(dims.output_feature, (*known.kernel.get(features)?).into())?;
    put(dims.output_batch, at(dims.input_batch)?)?;
    for (i, (from, to)) in (dims.input_spatial.iter())
        .zip(&dims.output_spatial)
        .enumerate()
    {
        let n = at(*from)?;
        let (low, high) = window.padding[i];
        let padded = (n - 1) * window.base_dilation[i] + 1 + low + high;
        let reach = (window.size[i] - 1) * window.window_dilation[i] + 1;
        let behind_first = padded - reach;
        // Without an element, or without a place for the window, there are other sizes.
        if !n.is_at_least(1) || !behind_first.is_at_least(0) {
            return None;
        }
        put(*to, behind_first.floor_div(window.stride[i].into()) + 1)?;
    }
    let follows = |(n, dim): (&Extent, &mapwright_mlir::Dim)| n.as_constant() == dim.fixed();
    let follow = shape.iter().zip(&known.result.dims).all(follows);
    follow.then_some([operand, shape])
}
