//! Arrays of lists as the array of all elements of their lists, and what loops over lists ask of
//! the operations in their bodies.

use super::{form::Form, lifted::Level, sizes::extents};
use mapwright_indexing::Extent;
use mapwright_mlir::{
    ElementType, Op, TensorType, Val, ValueType, attr, melior::ir::ValueLike, op,
};
use std::collections::HashSet;

/// Values that operations use and do not define, each once.
pub(super) fn captures<'c>(ops: &[Op<'c>]) -> Vec<Val<'c>> {
    let all: Vec<Op<'c>> = ops
        .iter()
        .flat_map(|op| {
            let mut own = op.descendants();
            own.push(*op);
            own
        })
        .collect();
    let mut known: HashSet<usize> = HashSet::new();
    for op in &all {
        known.extend(op.results().into_iter().map(op::key));
        for i in 0..op.num_regions() {
            for block in op::blocks(op.region(i)) {
                known.extend(op::arguments(block).into_iter().map(op::key));
            }
        }
    }
    // In the order of use, which does not depend on addresses.
    let used = ops.iter().flat_map(|op| {
        let mut own = op.operands();
        own.extend(op.descendants().into_iter().flat_map(Op::operands));
        own
    });
    used.filter(|value| known.insert(op::key(*value))).collect()
}

/// The number that a value is, if it is constant.
pub(super) fn constant(value: Val<'_>) -> Option<i64> {
    let (made, _) = op::defining_op(value).filter(|_| op::is_constant(value))?;
    match made.attribute("value").and_then(attr::ints)?[..] {
        [number] => Some(number),
        _ => None,
    }
}

/// Tells whether the lists of arrays of lists have the same lengths.
pub(super) fn of_one_shape(xs: &[Form<'_>]) -> bool {
    xs.iter().all(|form| {
        form.parts.len() > 2
            && form.parts[1..3] == xs[0].parts[1..3]
            && inside(&form.ty).is_some()
            && inside(&form.ty) == inside(&xs[0].ty)
    })
}

/// The maxima of the two outer levels of an array of arrays.
pub(super) fn inside(ty: &ValueType) -> Option<(i64, i64)> {
    match ty {
        ValueType::Array { element, max } => match **element {
            ValueType::Array { max: inner, .. } => Some((*max, inner)),
            _ => None,
        },
        _ => None,
    }
}

/// The array of all elements of the lists of an array, which are those of a level.
pub(super) fn flat<'c>(form: &Form<'c>, level: Level<'c>) -> Form<'c> {
    let element = match &form.ty {
        ValueType::Array { element, .. } => match &**element {
            ValueType::Array { element, .. } => element.clone(),
            _ => element.clone(),
        },
        _ => Box::new(form.ty.clone()),
    };
    let mut parts = vec![form.parts[0], level.count];
    parts.extend(form.parts.iter().skip(3));
    Form {
        ty: ValueType::Array {
            element,
            max: level.most,
        },
        parts,
    }
}

/// The inverse of [`flat`].
pub(super) fn lists<'c>(
    form: Form<'c>,
    offsets: Val<'c>,
    level: Level<'c>,
    inner: i64,
) -> Form<'c> {
    let element = match form.ty {
        ValueType::Array { element, .. } => element,
        other => Box::new(other),
    };
    let mut parts = vec![form.parts[0], level.count, offsets];
    parts.extend(form.parts.iter().skip(2));
    Form {
        ty: ValueType::Array {
            element: Box::new(ValueType::Array {
                element,
                max: inner,
            }),
            max: level.most,
        },
        parts,
    }
}

/// Returns the numbers of first operations that may be done round by round: behind them no value is
/// used that only a round can have. The last number is sure to be right; behind the others there
/// are Tensors of which only the first size is not known, and which may be as long as a list.
pub(super) fn groups(ops: &[Op<'_>]) -> Vec<usize> {
    let open = |value: &Val<'_>| match ValueType::from_mlir(value.r#type()).tensor() {
        Some(ty) if ty.static_shape().is_none() => {
            Some(ty.dims[1..].iter().all(|dim| dim.fixed().is_some()))
        }
        _ => None,
    };
    let mut counts = Vec::new();
    for n in 1..=ops.len() {
        let results: Vec<_> = ops[..n]
            .iter()
            .flat_map(|op| op.results())
            .filter_map(|value| Some((value, open(&value)?)))
            .collect();
        let used = captures(&ops[n..]);
        let mut still = results
            .iter()
            .filter(|(value, _)| used.contains(value))
            .peekable();
        if still.peek().is_none() || n == ops.len() {
            counts.push(n);
            break;
        }
        if still.all(|(_, may_be_slices)| *may_be_slices) {
            counts.push(n);
        }
    }
    counts
}

/// Room for so many values of a type, as sizes.
pub(super) fn rows_of(ty: &TensorType, n: Extent) -> (ElementType, Vec<Extent>) {
    let own = extents(&ty.static_shape().unwrap_or_default());
    (ty.element.clone(), [&[n], &own[..]].concat())
}
