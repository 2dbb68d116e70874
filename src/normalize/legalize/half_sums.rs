//! Sums of floats below 32 bits: added up in `f32` and rounded once, whichever emitter or library
//! function computes them. The specification leaves the precision of a sum to the implementation; a
//! term at a time, a sum of some thousand `f16` would lose most of its digits.

use crate::make::{HloBuilder, tensor};
use mapwright_mlir::{Blk, ElementType, FloatKind, Op, TensorType, Val, op};

/// The results, and the operation that adds up in `f32`; nothing if it is no sum of such floats.
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, sum: Op<'c>) -> Option<(Vec<Val<'c>>, Op<'c>)> {
    let count = sum.num_results();
    if sum.num_operands() != 2 * count || !sum.body(0).is_some_and(|body| adds(body, count)) {
        return None;
    }
    // The type of an initial value is the one that is added up in.
    let starts = (0..count).map(|i| Some(tensor(sum.operand(count + i))?.element));
    let mut types: Vec<ElementType> = starts.collect::<Option<_>>()?;
    if !types.iter().any(is_narrow) {
        return None;
    }
    for element in types.iter_mut().filter(|element| is_narrow(element)) {
        *element = ElementType::Float(FloatKind::F32);
    }
    let own = sum.results().into_iter().map(tensor);
    let own: Vec<TensorType> = own.collect::<Option<_>>()?;
    let operands: Vec<Val<'c>> = sum.operands();
    if !operands.iter().all(|value| tensor(*value).is_some()) {
        return None;
    }
    let operands = operands.into_iter().zip(types.iter().cycle());
    let operands: Vec<Val<'c>> = operands.map(|(x, ty)| make.convert(x, ty)).collect();
    let results = own.iter().zip(&types).map(|(own, element)| TensorType {
        element: element.clone(),
        dims: own.dims.clone(),
    });
    let wide = make.sums(sum, &operands, &results.collect::<Vec<_>>());
    let values = wide.results().into_iter().zip(&own);
    let values = values.map(|(value, own)| make.convert(value, &own.element));
    Some((values.collect(), wide))
}

fn is_narrow(element: &ElementType) -> bool {
    matches!(element, ElementType::Float(kind) if kind.width() < 32)
}

/// Tells whether each of the `count` results of the computation is the sum of the value so far and
/// the one that comes.
fn adds(body: Blk<'_>, count: usize) -> bool {
    let arguments = op::arguments(body);
    let Some(last) = op::ops(body).last().copied() else {
        return false;
    };
    let results = last.operands();
    arguments.len() == 2 * count
        && results.len() == count
        && results.iter().enumerate().all(|(i, result)| {
            let Some((definition, _)) = op::defining_op(*result) else {
                return false;
            };
            let pair = [arguments[i], arguments[count + i]].map(op::key);
            let is_sum = definition.name() == "stablehlo.add" && definition.num_operands() == 2;
            is_sum && {
                let [a, b] = [definition.operand(0), definition.operand(1)].map(op::key);
                [a, b] == pair || [b, a] == pair
            }
        })
}
