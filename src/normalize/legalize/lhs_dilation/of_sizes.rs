//! Convolutions of dilated operands whose sizes are known at run time only.
//!
//! With a stride of one there are as many phases as the dilation `d` says, and `d n + c` places
//! over `n` elements, for a number `c` that does not depend on `n`: each phase has
//! `n + ceil(c / d)` of them, so that the padding of a phase is known, as its window is. They are
//! what they are for any other `n`. Where there are no elements there are other places: somebody
//! has to have asserted that there are some.

use super::Known;
use crate::{make::tensor, sizes::has_elements};
use mapwright_mlir::{Dim, Op, TensorType};

/// Number that stands for a spatial size that is known at run time only: more elements than any
/// window has that is taken apart into phases.
const ANY: i64 = 1 << 12;

impl Known {
    /// With numbers in the place of sizes that are known at run time only, and which dimensions of
    /// the result these are. Nothing where the phases would depend on them.
    pub(super) fn of_sizes<'c>(op: Op<'c>) -> Option<(Self, Vec<bool>)> {
        let (own, result) = (tensor(op.operand(0))?, tensor(op.result(0))?);
        let (mut known, dims) = Self::of_kernel(op)?;
        let spatial = |d: usize| dims.input_spatial.contains(&(d as i64));
        let size = |(d, dim): (usize, &Dim)| match dim.fixed() {
            Some(n) => n,
            None if spatial(d) => ANY,
            None => 1,
        };
        known.operand = own.dims.iter().enumerate().map(size).collect();
        let mut unknown = vec![false; result.rank()];
        known.shape = vec![1; result.rank()];
        let at = |list: &[i64], d: i64| list.get(usize::try_from(d).ok()?).copied();
        let mut put = |d: i64, from: Option<i64>, n: Option<i64>| -> Option<()> {
            let place = usize::try_from(d).ok()?;
            *known.shape.get_mut(place)? = n?;
            let is_unknown = |ty: &TensorType, d: usize| Some(ty.dims.get(d)?.fixed().is_none());
            let unknown_there = match from {
                Some(from) => is_unknown(&own, usize::try_from(from).ok()?)?,
                None => false,
            };
            unknown[place] = is_unknown(&result, place)?;
            let fits = unknown[place] || result.dims[place].fixed() == n;
            (unknown[place] == unknown_there && fits).then_some(())
        };
        let window = &known.conv.window;
        let features = at(&known.kernel, dims.kernel_output_feature);
        put(dims.output_feature, None, features)?;
        let batch = at(&known.operand, dims.input_batch);
        put(dims.output_batch, Some(dims.input_batch), batch)?;
        let has_elements = has_elements(op, 0);
        for (i, (from, to)) in dims
            .input_spatial
            .iter()
            .zip(&dims.output_spatial)
            .enumerate()
        {
            let places = window.output_size(i, at(&known.operand, *from)?);
            put(*to, Some(*from), Some(places))?;
            let d = usize::try_from(*from).unwrap_or(0);
            if own.dims.get(d).is_none_or(|dim| dim.fixed().is_some()) {
                continue;
            }
            let dilation = window.base_dilation[i];
            // As many places as there are for one element.
            let one = window.output_size(i, 1);
            let steady = places == (ANY - 1) * dilation + one;
            let some = has_elements.get(d).copied().unwrap_or(false);
            if window.stride[i] != 1 || one < 1 || !steady || !some {
                return None;
            }
        }
        Some((known, unknown))
    }
}
