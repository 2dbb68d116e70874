//! Batch dimensions of products along which one operand is the same everywhere: the weights of a
//! linear layer that were broadcast over a batch. For the other operand such a dimension is one
//! more of rows, and one product takes the place of many small ones.

use crate::make::{HloBuilder, tensor};
use mapwright_mlir::{Op, TensorType, Val, attr::Dense, op};
use mapwright_ops::attrs::{self, DotDimensions};

/// Operations that are looked through.
const DEEPEST: usize = 8;

/// The new results and the product that they are made of; nothing where both operands depend on
/// every batch dimension.
#[allow(clippy::type_complexity)]
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<(Val<'c>, Op<'c>)> {
    let sides = [tensor(op.operand(0))?, tensor(op.operand(1))?];
    let (left, right) = (sides[0].static_shape()?, sides[1].static_shape()?);
    let dims = DotDimensions::decode(op).ok()?;
    if op.attribute("algorithm").is_some() {
        return None;
    }
    let size = |n: &i64| usize::try_from(*n).unwrap_or(usize::MAX);
    let list = |dims: &[i64]| -> Vec<usize> { dims.iter().map(size).collect() };
    let batching = [list(&dims.lhs_batching), list(&dims.rhs_batching)];
    let contracting = [list(&dims.lhs_contracting), list(&dims.rhs_contracting)];
    let shapes = [left, right];
    let found = (0..batching[0].len()).find_map(|k| {
        let several = *shapes[0].get(*batching[0].get(k)?)? > 1;
        [1, 0]
            .into_iter()
            .find(|side| several && is_same_along(op.operand(*side), batching[*side][k], DEEPEST))
            .map(|side| (k, side))
    });
    let (k, side) = found?;
    let (gone, kept) = (batching[side][k], batching[1 - side][k]);
    // The first of the slices that are all the same.
    let mut ends = shapes[side].clone();
    ends[gone] = 1;
    let (starts, steps) = (vec![0; ends.len()], vec![1; ends.len()]);
    let one = make.slice(op.operand(side), [&starts, &ends, &steps]);
    ends.remove(gone);
    let one = make.reshape(one, &TensorType::new(sides[side].element.clone(), &ends));
    let without = |list: &[usize]| -> Vec<usize> {
        list.iter()
            .map(|d| if *d > gone { d - 1 } else { *d })
            .collect()
    };
    let rest = |list: &[usize]| -> Vec<usize> {
        let others = list.iter().enumerate().filter(|(i, _)| *i != k);
        others.map(|(_, d)| *d).collect()
    };
    let mut new_batching = [rest(&batching[0]), rest(&batching[1])];
    new_batching[side] = without(&new_batching[side]);
    let mut new_contracting = contracting.clone();
    new_contracting[side] = without(&contracting[side]);
    let mut operands = [op.operand(0), op.operand(1)];
    operands[side] = one;
    let element = tensor(op.result(0))?.element;
    let product = make.dot(
        (operands[0], operands[1]),
        (&new_batching[0], &new_batching[1]),
        (&new_contracting[0], &new_contracting[1]),
        &element,
    );
    let (made, _) = op::defining_op(product)?;
    if let Some(precision) = op.attribute("precision_config") {
        made.set_attribute("precision_config", precision);
    }
    // Where the dimension is among the free ones of its side.
    let free = |side: usize, also: Option<usize>| -> Vec<usize> {
        (0..shapes[side].len())
            .filter(|d| {
                Some(*d) == also || !batching[side].contains(d) && !contracting[side].contains(d)
            })
            .collect()
    };
    let batches = batching[0].len() - 1;
    let own = free(1 - side, Some(kept));
    let before = match side {
        // Those of the left side come first.
        0 => batches + free(0, None).len(),
        _ => batches,
    };
    let at = before + own.iter().position(|d| *d == kept).unwrap_or(0);
    let rank = tensor(product)?.rank();
    let mut order: Vec<usize> = (0..rank).filter(|d| *d != at).collect();
    order.insert(k, at);
    Some((make.transpose(product, &order), made))
}

/// Tells whether the operations that made `value` show that it is the same at all indices of
/// dimension `d`, others being equal.
fn is_same_along(value: Val<'_>, d: usize, deepest: usize) -> bool {
    let Some(deepest) = deepest.checked_sub(1) else {
        return false;
    };
    let Some((op, _)) = op::defining_op(value) else {
        return false;
    };
    let shape = |value| {
        mapwright_mlir::TensorType::from_mlir(mapwright_mlir::melior::ir::ValueLike::r#type(&value))
            .and_then(|ty| ty.static_shape())
    };
    let Some(own) = shape(value) else {
        return false;
    };
    let inner = |i: usize, d: usize| is_same_along(op.operand(i), d, deepest);
    if op.is_hlo("constant") {
        let dense = op.attribute("value").and_then(Dense::from_mlir);
        return dense.is_some_and(|dense| dense.splat);
    }
    if op.is_hlo("broadcast_in_dim") {
        let (Ok(dims), Some(from)) = (
            attrs::ints(op, "broadcast_dimensions"),
            shape(op.operand(0)),
        ) else {
            return false;
        };
        return match dims.iter().position(|to| *to == d as i64) {
            None => true,
            Some(i) => from.get(i) == Some(&1) && own[d] > 1 || inner(0, i),
        };
    }
    if op.is_hlo("transpose") {
        let order = attrs::ints(op, "permutation").unwrap_or_default();
        let from = order.get(d).and_then(|d| usize::try_from(*d).ok());
        return from.is_some_and(|d| inner(0, d));
    }
    if op.is_hlo("reshape") {
        // The dimension of this size with as many elements before it.
        let Some(from) = shape(op.operand(0)) else {
            return false;
        };
        let before: i64 = own[..d].iter().product();
        let at = (0..from.len())
            .find(|e| from[*e] == own[d] && from[..*e].iter().product::<i64>() == before);
        return at.is_some_and(|e| inner(0, e));
    }
    mapwright_ops::registry::is_elementwise(op)
        && op.num_operands() > 0
        && (0..op.num_operands()).all(|i| {
            let scalar = shape(op.operand(i)).is_some_and(|s| s.is_empty());
            scalar && !own.is_empty() || inner(i, d)
        })
}
