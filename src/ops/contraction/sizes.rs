//! Shape functions of products and convolutions.

use crate::attrs::{self, ConvDimensions, DotDimensions, Window};
use crate::shape_function::{Found, Pairs, ShapeQuery, Size, SizeError};
use crate::window::sizes::WindowSizes;

fn at(sizes: &[Size], d: i64) -> Found<Size> {
    let size = usize::try_from(d).ok().and_then(|d| sizes.get(d));
    size.copied()
        .ok_or_else(|| SizeError::Unknown(format!("dimension {d} of an operand is missing")))
}

/// `dot_general`, `dot`: batched dimensions, those of the left operand, those of the right one.
pub(crate) fn dot(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let (l, r) = (query.operand(0)?, query.operand(1)?);
    let dims = DotDimensions::from_op(query.op, l.len())?;
    let mut sizes = Vec::new();
    for (x, y) in dims.lhs_batching.iter().zip(&dims.rhs_batching) {
        sizes.push(query.merge(at(&l, *x)?, at(&r, *y)?));
    }
    for (all, batching, contracting) in [
        (l, &dims.lhs_batching, &dims.lhs_contracting),
        (r, &dims.rhs_batching, &dims.rhs_contracting),
    ] {
        let free = all.into_iter().enumerate().filter(|(d, _)| {
            let d = *d as i64;
            !batching.contains(&d) && !contracting.contains(&d)
        });
        sizes.extend(free.map(|(_, size)| size));
    }
    Ok(sizes)
}

/// Batched and contracted dimensions have the same sizes in both operands.
pub(crate) fn dot_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let (l, r) = (query.operand(0)?, query.operand(1)?);
    let dims = DotDimensions::from_op(query.op, l.len())?;
    let batching = dims.lhs_batching.iter().zip(&dims.rhs_batching);
    let contracting = dims.lhs_contracting.iter().zip(&dims.rhs_contracting);
    batching
        .chain(contracting)
        .map(|(x, y)| Ok((at(&l, *x)?, at(&r, *y)?)))
        .collect()
}

/// `convolution`, and `dynamic_conv`, whose padding is an operand.
pub(crate) fn convolution(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let dims = ConvDimensions::decode(query.op)?;
    let (input, kernel) = (query.operand(0)?, query.operand(1)?);
    let window = Window::convolution(query.op, &vec![1; dims.kernel_spatial.len()])?;
    let batch_groups = attrs::int_or(query.op, "batch_group_count", 1)?.max(1);
    let mut sizes = vec![Size::Known(1); query.rank()?];
    let batch = query.div(at(&input, dims.input_batch)?, Size::Known(batch_groups))?;
    let features = at(&kernel, dims.kernel_output_feature)?;
    let mut parts = vec![(dims.output_batch, batch), (dims.output_feature, features)];
    for (k, d) in dims.output_spatial.iter().enumerate() {
        let size = at(&input, dims.input_spatial[k])?;
        let own = at(&kernel, dims.kernel_spatial[k])?;
        let mut along = WindowSizes::known(&window, k, own);
        if query.op.short_name() == "dynamic_conv" {
            let mut side = |side: i64| query.element_of(2, &[k as i64, side]);
            (along.low, along.high) = (side(0)?, side(1)?);
        }
        parts.push((*d, along.count(query, size)?));
    }
    for (d, size) in parts {
        let place = usize::try_from(d).ok().and_then(|d| sizes.get_mut(d));
        if let Some(place) = place {
            *place = size;
        }
    }
    Ok(sizes)
}

/// The kernel has the features of the input, divided into groups.
pub(crate) fn convolution_fits(query: &mut ShapeQuery<'_, '_>) -> Found<Pairs> {
    let (input, kernel) = (query.operand(0)?, query.operand(1)?);
    let dims = ConvDimensions::decode(query.op)?;
    let groups = attrs::int_or(query.op, "feature_group_count", 1)?;
    let own = at(&kernel, dims.kernel_input_feature)?;
    let features = query.mul(own, Size::Known(groups))?;
    Ok(vec![(at(&input, dims.input_feature)?, features)])
}
