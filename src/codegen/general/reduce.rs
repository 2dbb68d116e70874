//! Elements of reductions, with and without windows.

use super::body::{Body, tensor_element};
use super::loops::{conditional, fold};
use super::region::Captured;
use crate::{
    error::{Result, unsupported},
    index::{Ix, Truth},
    scalar::convert,
    storage::Elem,
    windows::RunTimeWindow,
};
use mapwright_mlir::{Blk, Builder, ElementType, Op, Val, op};
use mapwright_ops::attrs::{self, Window};

/// A variadic reduction.
struct Reduction<'c> {
    op: Op<'c>,
    inputs: Vec<Val<'c>>,
    inits: Vec<Val<'c>>,
    /// Types of the carried elements: those of the region, which may be wider than those of the
    /// inputs.
    types: Vec<ElementType>,
    captured: Captured<'c>,
    block: Blk<'c>,
}

/// Closure that emits the index of an operand's element for an element of a window, and whether it
/// is inside.
type PlaceOf<'a, 'c> = dyn Fn(&[Ix<'c>]) -> (Vec<Ix<'c>>, Truth<'c>) + 'a;

impl<'c> Reduction<'c> {
    fn new(b: &Builder<'c>, body: &mut Body<'c>, op: Op<'c>) -> Result<Self> {
        // A window may stand behind the initial values.
        let (count, operands) = (op.num_results(), op.operands());
        let operands = operands.get(..2 * count);
        let Some((block, operands)) = attrs::computation(op, 0).zip(operands) else {
            return unsupported("a reduction without a body");
        };
        let carried = op::arguments(block).into_iter().take(count);
        Ok(Self {
            op,
            inputs: operands[..count].to_vec(),
            inits: operands[count..].to_vec(),
            types: carried.map(tensor_element).collect::<Result<_>>()?,
            captured: Captured::from_op(b, body, op)?,
            block,
        })
    }

    /// One element for each result, in the types of the region.
    fn widened(
        &self,
        b: &Builder<'c>,
        mut element: impl FnMut(usize) -> Result<Elem<'c>>,
    ) -> Result<Vec<Elem<'c>>> {
        let inputs = self.inputs.iter().zip(&self.types).enumerate();
        inputs
            .map(|(i, (input, to))| convert::convert(b, &tensor_element(*input)?, to, element(i)?))
            .collect()
    }

    /// Reduces what `place` finds at each index of `ranges`: an index of the inputs, and whether
    /// there is an element. Padding holds the initial value.
    fn over(
        &self,
        b: &Builder<'c>,
        body: &mut Body<'c>,
        ranges: &[Ix<'c>],
        place: &PlaceOf<'_, 'c>,
    ) -> Result<Vec<Elem<'c>>> {
        let flatten = |elements: &[Elem<'c>]| elements.iter().flat_map(|e| e.values()).collect();
        let elements = |mut values: &[Val<'c>]| -> Vec<Elem<'c>> {
            let types = self.types.iter();
            types.map(|ty| Elem::take(ty, &mut values)).collect()
        };
        let start: Vec<_> = flatten(&self.widened(b, |i| body.element(b, self.inits[i], &[]))?);
        let found = fold(b, body, ranges, &[], &start, &mut |body, inner, carried| {
            let (at, inside) = place(inner);
            let mut args = elements(carried);
            args.extend(self.widened(b, |i| {
                let (input, init) = (self.inputs[i], self.inits[i]);
                conditional(
                    b,
                    body,
                    inside,
                    &tensor_element(input)?,
                    |body| body.element(b, input, &at),
                    |body| body.element(b, init, &[]),
                )
            })?);
            Ok(flatten(&self.captured.apply(b, self.block, &args)?))
        })?;
        let results = elements(&found).into_iter().zip(&self.types).enumerate();
        results
            .map(|(i, (x, ty))| convert::convert(b, ty, &tensor_element(self.op.result(i))?, x))
            .collect()
    }
}

pub(super) fn reduce<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Vec<Elem<'c>>> {
    let sizes = body.sizes(b, op.operand(0))?;
    // Loops run in the order of the dimensions, so that the last one is the innermost.
    let mut reduced = attrs::dimensions(op, sizes.len())?;
    reduced.sort_unstable();
    let reduction = Reduction::new(b, body, op)?;
    let ranges: Vec<_> = reduced.iter().map(|d| sizes[*d]).collect();
    reduction.over(b, body, &ranges, &|inner| {
        let mut kept = index.iter();
        let at = (0..sizes.len()).map(|d| match reduced.iter().position(|r| *r == d) {
            Some(k) => inner[k],
            None => kept.next().copied().unwrap_or(Ix::Known(0)),
        });
        (at.collect(), Truth::Known(true))
    })
}

/// The window of `op`, a `reduce_window` over an operand of `rank`, in each dimension.
fn windows<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    rank: usize,
) -> Result<Vec<RunTimeWindow<'c>>> {
    if op.num_operands() > 2 * op.num_results() {
        let mut answer = |b: &Builder<'c>, question| body.answer(b, question);
        return (0..rank)
            .map(|d| RunTimeWindow::from_op(b, op, d, &mut answer))
            .collect();
    }
    let window = Window::reduce_window(op, rank)?;
    Ok((0..rank)
        .map(|d| RunTimeWindow::known(&window, d, window.size[d]))
        .collect())
}

pub(super) fn reduce_window<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    op: Op<'c>,
    index: &[Ix<'c>],
) -> Result<Vec<Elem<'c>>> {
    let sizes = body.sizes(b, op.operand(0))?;
    let window = windows(b, body, op, sizes.len())?;
    let reduction = Reduction::new(b, body, op)?;
    let ranges: Vec<_> = window.iter().map(|along| along.size).collect();
    reduction.over(b, body, &ranges, &|w| {
        let mut inside = Truth::Known(true);
        let mut at = Vec::new();
        for (d, along) in window.iter().enumerate() {
            let one = [along.size, along.stride, along.base_dilation];
            let trivial = one.iter().all(|n| n.known() == Some(1))
                && [along.low, along.high].iter().all(|n| n.known() == Some(0));
            if trivial {
                at.push(index[d]);
                continue;
            }
            let (position, here) = along.place(b, index[d], w[d], sizes[d]);
            at.push(position);
            inside = inside.and(b, here);
        }
        (at, inside)
    })
}
