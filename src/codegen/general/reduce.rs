//! Elements that sum up many others: reductions and windows, and the loops over what is summed.

use super::body::{Body, tensor_element};
use super::shape::{bad, conditional, lookup, region_values};
use crate::{
    error::{Result, unsupported},
    index::{Ix, Truth},
    scalar::{self, convert},
    storage::Elem,
    windows::RunTimeWindow,
};
use mapwright_mlir::{Builder, CmpI, ElementType, Op, Val};
use mapwright_ops::attrs::{self, Window};

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
pub(super) fn under_window<'c>(
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
