//! Shape functions of products and convolutions.

use crate::attrs::{self, ConvDimensions, DotDimensions, Window};
use crate::shape_function::{Found, Shapes, Size, SizeError, result_rank};
use crate::window::sizes::WindowSizes;
use mapwright_mlir::Op;

/// The dimensions of a product of operands of these ranks; a `dot` contracts the last of the left with the first of the right one.
fn dimensions(op: Op<'_>, left: usize) -> Found<DotDimensions> {
    match op.short_name() {
        "dot" => Ok(DotDimensions {
            lhs_contracting: vec![left as i64 - 1],
            rhs_contracting: vec![0],
            ..DotDimensions::default()
        }),
        _ => Ok(DotDimensions::decode(op)?),
    }
}

fn at(sizes: &[Size], d: i64) -> Found<Size> {
    let size = usize::try_from(d).ok().and_then(|d| sizes.get(d));
    size.copied()
        .ok_or_else(|| SizeError::Unknown(format!("dimension {d} of an operand is missing")))
}

/// `dot_general`, `dot`: batched dimensions, those of the left operand, those of the right one.
pub(crate) fn dot<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>, _: usize) -> Found<Vec<Size>> {
    let (l, r) = (shapes.operand(op, 0)?, shapes.operand(op, 1)?);
    let dims = dimensions(op, l.len())?;
    let mut sizes = Vec::new();
    for (x, y) in dims.lhs_batching.iter().zip(&dims.rhs_batching) {
        sizes.push(shapes.merge(at(&l, *x)?, at(&r, *y)?));
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
pub(crate) fn dot_fits<'c>(shapes: &mut dyn Shapes<'c>, op: Op<'c>) -> Found<Vec<(Size, Size)>> {
    let (l, r) = (shapes.operand(op, 0)?, shapes.operand(op, 1)?);
    let dims = dimensions(op, l.len())?;
    let batching = dims.lhs_batching.iter().zip(&dims.rhs_batching);
    let contracting = dims.lhs_contracting.iter().zip(&dims.rhs_contracting);
    batching
        .chain(contracting)
        .map(|(x, y)| Ok((at(&l, *x)?, at(&r, *y)?)))
        .collect()
}

/// `convolution`, and `dynamic_conv`, whose padding is an operand.
pub(crate) fn convolution<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
    result: usize,
) -> Found<Vec<Size>> {
    let dims = ConvDimensions::decode(op)?;
    let (input, kernel) = (shapes.operand(op, 0)?, shapes.operand(op, 1)?);
    let window = Window::convolution(op, &vec![1; dims.kernel_spatial.len()])?;
    let batch_groups = attrs::int_or(op, "batch_group_count", 1)?.max(1);
    let mut sizes = vec![Size::Known(1); result_rank(op, result)?];
    let batch = shapes.div(at(&input, dims.input_batch)?, Size::Known(batch_groups))?;
    let features = at(&kernel, dims.kernel_output_feature)?;
    let mut parts = vec![(dims.output_batch, batch), (dims.output_feature, features)];
    for (k, d) in dims.output_spatial.iter().enumerate() {
        let size = at(&input, dims.input_spatial[k])?;
        let own = at(&kernel, dims.kernel_spatial[k])?;
        let mut along = WindowSizes::known(&window, k, own);
        if op.short_name() == "dynamic_conv" {
            let mut side = |side: i64| shapes.element_of(op, 2, &[k as i64, side]);
            (along.low, along.high) = (side(0)?, side(1)?);
        }
        parts.push((*d, along.count(shapes, size)?));
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
pub(crate) fn convolution_fits<'c>(
    shapes: &mut dyn Shapes<'c>,
    op: Op<'c>,
) -> Found<Vec<(Size, Size)>> {
    let (input, kernel) = (shapes.operand(op, 0)?, shapes.operand(op, 1)?);
    let dims = ConvDimensions::decode(op)?;
    let groups = attrs::int_or(op, "feature_group_count", 1)?;
    let own = at(&kernel, dims.kernel_input_feature)?;
    let features = shapes.mul(own, Size::Known(groups))?;
    Ok(vec![(at(&input, dims.input_feature)?, features)])
}
