//! Elements of contractions: products and convolutions.

use super::body::{Body, tensor};
use super::loops::{conditional, fold};
use crate::{
    error::Result,
    index::{Ix, Truth},
    scalar::accumulation::Accumulation,
    storage::Elem,
    windows::RunTimeWindow,
};
use mapwright_mlir::{Builder, Op};
use mapwright_ops::attrs::{self, ConvDimensions, DotDimensions, Window};

pub(super) fn dot<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Elem<'c>> {
    let (l, r) = (op.operand(0), op.operand(1));
    let dims = DotDimensions::from_op(op, tensor(l)?.rank())?;
    let (ls, rs) = (body.sizes(b, l)?, body.sizes(b, r)?);
    let types = Accumulation::from_op(op)?;
    let batch = dims.lhs_batching.len();
    let left_free = ls.len() - batch - dims.lhs_contracting.len();
    let (free_l, free_r) = index[batch..].split_at(left_free);
    let ranges: Vec<_> = dims
        .lhs_contracting
        .iter()
        .map(|d| ls[*d as usize])
        .collect();
    let start = types.zero(b)?.values();
    let found = fold(b, body, &ranges, &[], &start, &mut |body, k, carried| {
        let place = |rank: usize, batching: &[i64], contracting: &[i64], free: &[Ix<'c>]| {
            let mut free = free.iter();
            (0..rank as i64)
                .map(|d| {
                    if let Some(i) = batching.iter().position(|x| *x == d) {
                        index[i]
                    } else if let Some(i) = contracting.iter().position(|x| *x == d) {
                        k[i]
                    } else {
                        free.next().copied().unwrap_or(Ix::Known(0))
                    }
                })
                .collect::<Vec<_>>()
        };
        let at_l = place(ls.len(), &dims.lhs_batching, &dims.lhs_contracting, free_l);
        let at_r = place(rs.len(), &dims.rhs_batching, &dims.rhs_contracting, free_r);
        let (x, y) = (body.element(b, l, &at_l)?, body.element(b, r, &at_r)?);
        let factors = [types.factor(b, 0, x)?, types.factor(b, 1, y)?];
        let sum = Elem::take(&types.sum, &mut &*carried);
        Ok(types.multiply_add(b, sum, factors)?.values())
    })?;
    types.rounded(b, Elem::take(&types.sum, &mut found.as_slice()))
}

pub(super) fn convolution<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Elem<'c>> {
    let (l, r) = (op.operand(0), op.operand(1));
    let (ls, rs) = (body.sizes(b, l)?, body.sizes(b, r)?);
    let types = Accumulation::from_op(op)?;
    let dims = ConvDimensions::decode(op)?;
    let n = dims.input_spatial.len();
    let window = Window::convolution(op, &vec![1; n])?;
    let feature_groups = attrs::int_or(op, "feature_group_count", 1)?.max(1);
    let batch_groups = attrs::int_or(op, "batch_group_count", 1)?.max(1);
    let mut along = Vec::new();
    for k in 0..n {
        let mut known = RunTimeWindow::known(&window, k, 1);
        known.size = rs[dims.kernel_spatial[k] as usize];
        // A `dynamic_conv` is given its padding.
        if op.num_operands() > 2 {
            known.low = body.index(b, op.operand(2), &[Ix::Known(k as i64), Ix::Known(0)])?;
        }
        along.push(known);
    }
    let feature = index[dims.output_feature as usize];
    let out_features = rs[dims.kernel_output_feature as usize];
    let group_features = rs[dims.kernel_input_feature as usize];
    let group = |count: i64| match count {
        1 => Ix::Known(0),
        count => feature.div(b, out_features.div(b, Ix::Known(count))),
    };
    let first_feature = group(feature_groups).mul(b, group_features);
    let batch_size = ls[dims.input_batch as usize].div(b, Ix::Known(batch_groups));
    let batch = index[dims.output_batch as usize].add(b, group(batch_groups).mul(b, batch_size));
    let mut ranges: Vec<_> = along.iter().map(|along| along.size).collect();
    ranges.push(group_features);
    let start = types.zero(b)?.values();
    let found = fold(b, body, &ranges, &[], &start, &mut |body, w, carried| {
        let mut at_l = vec![Ix::Known(0); ls.len()];
        let mut at_r = vec![Ix::Known(0); rs.len()];
        at_l[dims.input_batch as usize] = batch;
        at_l[dims.input_feature as usize] = first_feature.add(b, w[n]);
        at_r[dims.kernel_input_feature as usize] = w[n];
        at_r[dims.kernel_output_feature as usize] = feature;
        let mut inside = Truth::Known(true);
        for k in 0..n {
            let size = ls[dims.input_spatial[k] as usize];
            let o = index[dims.output_spatial[k] as usize];
            let (position, here) = along[k].place(b, o, w[k], size);
            at_l[dims.input_spatial[k] as usize] = position;
            at_r[dims.kernel_spatial[k] as usize] = if window.reversal[k] {
                ranges[k].sub(b, Ix::Known(1)).sub(b, w[k])
            } else {
                w[k]
            };
            inside = inside.and(b, here);
        }
        let sum = Elem::take(&types.sum, &mut &*carried);
        // Padding and the places between dilated elements hold zero, which is multiplied like any
        // other element: an infinite or undefined element of the kernel makes NaN of it.
        let x = conditional(
            b,
            body,
            inside,
            &types.sum,
            |body| {
                let x = body.element(b, l, &at_l)?;
                types.factor(b, 0, x)
            },
            |_| types.zero(b),
        )?;
        let y = body.element(b, r, &at_r)?;
        let y = types.factor(b, 1, y)?;
        Ok(types.multiply_add(b, sum, [x, y])?.values())
    })?;
    types.rounded(b, Elem::take(&types.sum, &mut found.as_slice()))
}
