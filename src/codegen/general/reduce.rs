//! Elements that sum up many others: reductions, windows, contractions.

use super::body::{Body, tensor, tensor_element};
use super::shape::{bad, conditional, index_element, lookup, region_values};
use crate::{
    error::{Result, unsupported},
    index::{Ix, Truth},
    scalar::{self, convert, narrow},
    storage::Elem,
    windows::RunTimeWindow,
};

use mapwright_mlir::{Builder, CmpI, ElementType, FloatKind, Op, Val};
use mapwright_ops::attrs::{self, ConvDimensions, DotDimensions, Window};

/// What a loop does at an index with the values it carries; it gives the next ones.
type Step<'s, 'c> = dyn FnMut(&mut Body<'c>, &[Ix<'c>], &[Val<'c>]) -> Result<Vec<Val<'c>>> + 's;

/// Loops over `[0, size)` of each of `sizes`, carrying values.
pub(crate) fn fold<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    sizes: &[Ix<'c>],
    index: &[Ix<'c>],
    carried: &[Val<'c>],
    work: &mut Step<'_, 'c>,
) -> Result<Vec<Val<'c>>> {
    let Some((size, rest)) = sizes.split_first() else {
        return work(body, index, carried);
    };
    if size.known() == Some(1) {
        let mut index = index.to_vec();
        index.push(Ix::Known(0));
        return fold(b, body, rest, &index, carried, work);
    }
    let mut failure = None;
    let found = b.for_loop(
        b.cidx(0),
        size.value(b),
        b.cidx(1),
        carried,
        |b, i, carried| {
            let mut index = index.to_vec();
            index.push(Ix::Value(i));
            let next = body.scoped(|body| fold(b, body, rest, &index, carried, work));
            next.unwrap_or_else(|error| {
                failure = Some(error);
                carried.to_vec()
            })
        },
    );
    match failure {
        Some(error) => Err(error),
        None => Ok(found),
    }
}

fn flatten<'c>(elements: &[Elem<'c>]) -> Vec<Val<'c>> {
    elements.iter().flat_map(|e| e.values()).collect()
}

fn unflatten<'c>(types: &[ElementType], mut values: &[Val<'c>]) -> Vec<Elem<'c>> {
    types.iter().map(|ty| Elem::take(ty, &mut values)).collect()
}

/// The elements of all results of `op` at `index`, if `op` is of this family.
pub(crate) fn element<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Option<Vec<Elem<'c>>>> {
    Ok(Some(match attrs::name(op) {
        "reduce" => reduce(b, body, op, index)?,
        "reduce_window" | "dynamic_reduce_window" => reduce_window(b, body, op, index)?,
        "dot_general" => vec![dot(
            b,
            body,
            op,
            index,
            &DotDimensions::decode(op).map_err(bad)?,
        )?],
        "dot" => {
            let left = tensor(op.operand(0))?.rank() as i64;
            let dims = DotDimensions {
                lhs_contracting: vec![left - 1],
                rhs_contracting: vec![0],
                ..DotDimensions::default()
            };
            vec![dot(b, body, op, index, &dims)?]
        }
        "convolution" | "dynamic_conv" => vec![convolution(b, body, op, index)?],
        _ => return Ok(None),
    }))
}

/// Inputs and initial values of a variadic reduction; a window may stand behind them.
fn halves<'c>(op: Op<'c>) -> (Vec<Val<'c>>, Vec<Val<'c>>) {
    let mut inputs = op.operands();
    let count = op.num_results();
    let mut inits = inputs.split_off(count.min(inputs.len()));
    inits.truncate(count);
    (inputs, inits)
}

/// What a reduction carries: elements of the types of the region, which may be wider than those of the inputs.
struct Combine<'c> {
    types: Vec<ElementType>,
    inputs: Vec<ElementType>,
    outer: Vec<(usize, Elem<'c>)>,
    block: mapwright_mlir::Blk<'c>,
}

impl<'c> Combine<'c> {
    fn new(b: &Builder<'c>, body: &mut Body<'c>, op: Op<'c>, inputs: &[Val<'c>]) -> Result<Self> {
        let Some(block) = attrs::computation(op, 0) else {
            return unsupported("a reduction without a body");
        };
        let arguments = mapwright_mlir::op::arguments(block);
        Ok(Self {
            types: arguments[..inputs.len()]
                .iter()
                .map(|v| tensor_element(*v))
                .collect::<Result<_>>()?,
            inputs: inputs
                .iter()
                .map(|v| tensor_element(*v))
                .collect::<Result<_>>()?,
            outer: region_values(b, body, op)?,
            block,
        })
    }

    /// One element for each input, in the types of the region.
    fn widened(
        &self,
        b: &Builder<'c>,
        mut element: impl FnMut(usize) -> Result<Elem<'c>>,
    ) -> Result<Vec<Elem<'c>>> {
        let types = self.inputs.iter().zip(&self.types).enumerate();
        types
            .map(|(i, (from, to))| convert::convert(b, from, to, element(i)?))
            .collect()
    }

    fn apply(
        &self,
        b: &Builder<'c>,
        carried: &[Val<'c>],
        elements: &[Elem<'c>],
    ) -> Result<Vec<Val<'c>>> {
        let mut args = unflatten(&self.types, carried);
        args.extend(elements);
        let find = |v: Val<'c>| lookup(&self.outer, v);
        Ok(flatten(&scalar::apply_region(
            b,
            self.block,
            &args,
            &[],
            &find,
        )?))
    }
}

fn reduce<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Vec<Elem<'c>>> {
    let (inputs, inits) = halves(op);
    let sizes = body.sizes(b, inputs[0])?;
    let dims = attrs::dimensions(op, sizes.len()).map_err(bad)?;
    let combine = Combine::new(b, body, op, &inputs)?;
    let start = combine.widened(b, |i| body.element(b, inits[i], &[]))?;
    // Loops run in the order of the dimensions, so that the last one is the innermost.
    let mut reduced: Vec<usize> = dims;
    reduced.sort_unstable();
    let ranges: Vec<_> = reduced.iter().map(|d| sizes[*d]).collect();
    let found = fold(
        b,
        body,
        &ranges,
        &[],
        &flatten(&start),
        &mut |body, inner, carried| {
            let mut kept = index.iter();
            let at: Vec<_> = (0..sizes.len())
                .map(|d| match reduced.iter().position(|r| *r == d) {
                    Some(k) => inner[k],
                    None => kept.next().copied().unwrap_or(Ix::Known(0)),
                })
                .collect();
            let elements = combine.widened(b, |i| body.element(b, inputs[i], &at))?;
            combine.apply(b, carried, &elements)
        },
    )?;
    results(b, op, &combine, &found)
}

/// The carried values as elements of the results' types.
fn results<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    combine: &Combine<'c>,
    found: &[Val<'c>],
) -> Result<Vec<Elem<'c>>> {
    unflatten(&combine.types, found)
        .into_iter()
        .enumerate()
        .map(|(i, x)| convert::convert(b, &combine.types[i], &tensor_element(op.result(i))?, x))
        .collect()
}

/// The operand index under window element `w` of window `o`, and whether it is inside.
fn under_window<'c>(
    b: &Builder<'c>,
    o: Ix<'c>,
    w: Ix<'c>,
    window: &RunTimeWindow<'c>,
    size: Ix<'c>,
) -> (Ix<'c>, Truth<'c>) {
    let at = o
        .mul(b, window.stride)
        .add(b, w.mul(b, window.window_dilation))
        .sub(b, window.low);
    let mut inside = at.compare(b, CmpI::Sge, Ix::Known(0));
    let position = match window.base_dilation.known() {
        Some(1) => at,
        _ => {
            let n = window.base_dilation;
            let whole = at.rem(b, n).compare(b, CmpI::Eq, Ix::Known(0));
            inside = inside.and(b, whole);
            at.div(b, n)
        }
    };
    inside = inside.and(b, position.compare(b, CmpI::Slt, size));
    (position, inside)
}

/// The window of `op`, a `reduce_window` over an operand of `rank`, in each dimension.
fn windows<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    rank: usize,
) -> Result<Vec<RunTimeWindow<'c>>> {
    if attrs::name(op) == "dynamic_reduce_window" {
        let mut answer = |b: &Builder<'c>, question| body.answer(b, question);
        return (0..rank)
            .map(|d| RunTimeWindow::of(b, op, d, &mut answer))
            .collect();
    }
    let window = Window::reduce_window(op, rank).map_err(bad)?;
    Ok((0..rank)
        .map(|d| RunTimeWindow::known(&window, d, window.size[d]))
        .collect())
}

fn reduce_window<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Vec<Elem<'c>>> {
    let (inputs, inits) = halves(op);
    let sizes = body.sizes(b, inputs[0])?;
    let window = windows(b, body, op, sizes.len())?;
    let combine = Combine::new(b, body, op, &inputs)?;
    let start = combine.widened(b, |i| body.element(b, inits[i], &[]))?;
    let ranges: Vec<_> = window.iter().map(|along| along.size).collect();
    let found = fold(
        b,
        body,
        &ranges,
        &[],
        &flatten(&start),
        &mut |body, w, carried| {
            let mut inside = Truth::Known(true);
            let mut at = Vec::new();
            for d in 0..sizes.len() {
                let along = window[d];
                let one = [along.size, along.stride, along.base_dilation];
                let trivial = one.iter().all(|n| n.known() == Some(1))
                    && [along.low, along.high].iter().all(|n| n.known() == Some(0));
                if trivial {
                    at.push(index[d]);
                    continue;
                }
                let (position, here) = under_window(b, index[d], w[d], &along, sizes[d]);
                at.push(position);
                inside = inside.and(b, here);
            }
            // Padding holds the initial value.
            let elements = combine.widened(b, |i| {
                conditional(
                    b,
                    body,
                    inside,
                    &combine.inputs[i],
                    |body| body.element(b, inputs[i], &at),
                    |body| body.element(b, inits[i], &[]),
                )
            })?;
            combine.apply(b, carried, &elements)
        },
    )?;
    results(b, op, &combine, &found)
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
