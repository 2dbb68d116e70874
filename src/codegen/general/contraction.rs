//! Elements of contractions: products and convolutions.

use super::body::{Body, tensor, tensor_element};
use super::reduce::{fold, under_window};
use super::shape::{bad, conditional, index_element};
use crate::{
    error::Result,
    index::{Ix, Truth},
    scalar::{self, convert, narrow},
    storage::Elem,
    windows::RunTimeWindow,
};
use mapwright_mlir::{Builder, ElementType, FloatKind, Op};
use mapwright_ops::attrs::{self, ConvDimensions, DotDimensions, Window};

/// The element of the result of `op` at `index`, if `op` is of this family.
pub(crate) fn element<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Option<Elem<'c>>> {
    Ok(Some(match attrs::name(op) {
        "dot_general" => {
            let dims = DotDimensions::decode(op).map_err(bad)?;
            dot(b, body, op, index, &dims)?
        }
        "dot" => {
            let left = tensor(op.operand(0))?.rank() as i64;
            let dims = DotDimensions {
                lhs_contracting: vec![left - 1],
                rhs_contracting: vec![0],
                ..DotDimensions::default()
            };
            dot(b, body, op, index, &dims)?
        }
        "convolution" | "dynamic_conv" => convolution(b, body, op, index)?,
        _ => return Ok(None),
    }))
}

/// The type that products are summed in: `f32` for narrow floats, the result's type otherwise.
pub(crate) fn accumulator(result: &ElementType) -> ElementType {
    match result {
        ElementType::Float(FloatKind::F64) => ElementType::F64,
        ElementType::Float(_) => ElementType::F32,
        ElementType::Quantized(q) => accumulator(&ElementType::Float(q.expressed)),
        other => other.clone(),
    }
}

/// Zero, as an element of type `element`.
pub(crate) fn zero<'c>(b: &Builder<'c>, element: &ElementType) -> Result<Elem<'c>> {
    crate::storage::constant(b, element, &[0; 16], &[])
}

/// A factor of element type `from` in the type that products are summed in.
pub(crate) fn factor<'c>(
    b: &Builder<'c>,
    from: &ElementType,
    to: &ElementType,
    x: Elem<'c>,
) -> Result<Elem<'c>> {
    match from {
        ElementType::Quantized(q) => {
            let real = scalar::quantize::dequantize(b, q, x)?;
            convert::convert(b, &ElementType::Float(q.expressed), to, real)
        }
        other => convert::convert(b, other, to, x),
    }
}

/// `sum + x y`, all of type `to`. Floats are multiplied and added with one rounding.
fn multiply_add<'c>(
    b: &Builder<'c>,
    to: &ElementType,
    sum: Elem<'c>,
    x: Elem<'c>,
    y: Elem<'c>,
) -> Result<Elem<'c>> {
    match to {
        ElementType::Float(_) => Ok(Elem::One(b.fma(x.one(), y.one(), sum.one()))),
        _ => {
            let product = scalar::named(b, "multiply", to, to, &[x, y])?;
            scalar::named(b, "add", to, to, &[sum, product])
        }
    }
}

/// Rounds a sum to the type of the result.
pub(crate) fn finish<'c>(
    b: &Builder<'c>,
    from: &ElementType,
    to: &ElementType,
    sum: Elem<'c>,
) -> Result<Elem<'c>> {
    match to {
        ElementType::Float(kind) if *kind != FloatKind::F64 => {
            Ok(Elem::One(narrow::round(b, *kind, sum.one())))
        }
        ElementType::Quantized(q) => {
            let expressed = ElementType::Float(q.expressed);
            let real = convert::convert(b, from, &expressed, sum)?;
            scalar::quantize::quantize(b, q, real)
        }
        _ => Ok(sum),
    }
}

fn dot<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
    dims: &DotDimensions,
) -> Result<Elem<'c>> {
    let (l, r) = (op.operand(0), op.operand(1));
    let (ls, rs) = (body.sizes(b, l)?, body.sizes(b, r)?);
    let (left, right) = (tensor_element(l)?, tensor_element(r)?);
    let result = tensor_element(op.result(0))?;
    let to = accumulator(&result);
    let batch = dims.lhs_batching.len();
    let left_free = ls.len() - batch - dims.lhs_contracting.len();
    let (free_l, free_r) = (
        &index[batch..batch + left_free],
        &index[batch + left_free..],
    );
    let ranges: Vec<_> = dims
        .lhs_contracting
        .iter()
        .map(|d| ls[*d as usize])
        .collect();
    let start = zero(b, &to)?.values();
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
        let x = body.element(b, l, &at_l)?;
        let y = body.element(b, r, &at_r)?;
        let (x, y) = (factor(b, &left, &to, x)?, factor(b, &right, &to, y)?);
        let sum = Elem::take(&to, &mut &*carried);
        Ok(multiply_add(b, &to, sum, x, y)?.values())
    })?;
    finish(b, &to, &result, Elem::take(&to, &mut found.as_slice()))
}

fn convolution<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Elem<'c>> {
    let (l, r) = (op.operand(0), op.operand(1));
    let (ls, rs) = (body.sizes(b, l)?, body.sizes(b, r)?);
    let (left, right) = (tensor_element(l)?, tensor_element(r)?);
    let result = tensor_element(op.result(0))?;
    let to = accumulator(&result);
    let dims = ConvDimensions::decode(op).map_err(bad)?;
    let n = dims.input_spatial.len();
    let window = Window::convolution(op, &vec![1; n]).map_err(bad)?;
    let feature_groups = attrs::int_or(op, "feature_group_count", 1)
        .map_err(bad)?
        .max(1);
    let batch_groups = attrs::int_or(op, "batch_group_count", 1)
        .map_err(bad)?
        .max(1);
    let mut along = Vec::new();
    for k in 0..n {
        let size = rs[dims.kernel_spatial[k] as usize];
        let mut known = RunTimeWindow::known(&window, k, 1);
        known.size = size;
        if op.short_name() == "dynamic_conv" {
            known.low =
                index_element(b, body, op.operand(2), &[Ix::Known(k as i64), Ix::Known(0)])?;
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
    let mut ranges: Vec<_> = dims
        .kernel_spatial
        .iter()
        .map(|d| rs[*d as usize])
        .collect();
    ranges.push(group_features);
    let start = zero(b, &to)?.values();
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
            let (position, here) = under_window(b, o, w[k], &along[k], size);
            at_l[dims.input_spatial[k] as usize] = position;
            at_r[dims.kernel_spatial[k] as usize] = match window.reversal[k] {
                true => ranges[k].sub(b, Ix::Known(1)).sub(b, w[k]),
                false => w[k],
            };
            inside = inside.and(b, here);
        }
        let sum = Elem::take(&to, &mut &*carried);
        // Padding and the places between dilated elements hold zero, which is multiplied like any other element: an infinite or undefined
        // element of the kernel makes NaN of it.
        let x = conditional(
            b,
            body,
            inside,
            &to,
            |body| {
                let x = body.element(b, l, &at_l)?;
                factor(b, &left, &to, x)
            },
            |_| zero(b, &to),
        )?;
        let y = body.element(b, r, &at_r)?;
        let y = factor(b, &right, &to, y)?;
        let next = multiply_add(b, &to, sum, x, y)?;
        Ok(next.values())
    })?;
    finish(b, &to, &result, Elem::take(&to, &mut found.as_slice()))
}
