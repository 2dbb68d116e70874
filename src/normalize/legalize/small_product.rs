//! Products of a few elements each as element-wise products and sums.
//!
//! A rotation of many points (three contracted elements, three columns) has nothing to pack and no
//! block that would fill registers, and an outer product has nothing to add up: both are bound by
//! memory, and fuse with what is around them when they are element-wise.

use crate::make::{HloBuilder, accumulator, tensor};
use mapwright_mlir::{ElementType, Op, TensorType, Val};
use mapwright_ops::attrs::DotDimensions;

/// Contracted elements, at most.
const DEEPEST: i64 = 8;
/// Rows or columns, at most.
const MOST: i64 = 8;
/// Products in an element of all of them together, at most.
const MOST_PRODUCTS: i64 = 32;

/// The new results, or nothing where the product is not small.
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, op: Op<'c>) -> Option<Vec<Val<'c>>> {
    let sides = [tensor(op.operand(0))?, tensor(op.operand(1))?];
    let result = tensor(op.result(0))?;
    let (left, right) = (sides[0].static_shape()?, sides[1].static_shape()?);
    let (shape, dims) = (result.static_shape()?, DotDimensions::decode(op).ok()?);
    let sum = accumulator(&sides[0].element, &sides[1].element, &result.element)?;
    if op.attribute("algorithm").is_some() {
        return None;
    }
    let product = |shape: &[i64], of: &dyn Fn(i64) -> bool| -> i64 {
        (0i64..)
            .zip(shape)
            .filter(|(d, _)| of(*d))
            .map(|(_, n)| *n)
            .product()
    };
    let depth = product(&left, &|d| dims.lhs_contracting.contains(&d));
    let rows = product(&left, &|d| {
        !dims.lhs_contracting.contains(&d) && !dims.lhs_batching.contains(&d)
    });
    let columns = product(&right, &|d| {
        !dims.rhs_contracting.contains(&d) && !dims.rhs_batching.contains(&d)
    });
    let few = rows.min(columns);
    // Matrices with matrices, one pair for each index of a batch, are blocks in registers.
    let pairs = !dims.lhs_batching.is_empty() && few > 1;
    let small = depth <= DEEPEST && few <= MOST && depth * few <= MOST_PRODUCTS && !pairs;
    // A product of few elements in all is as quick either way, and a known form is of more use.
    let many = shape.iter().product::<i64>() >= 1024;
    if depth == 0 || !many || !(small || depth == 1) {
        return None;
    }

    let rank = shape.len() as i64;
    let mut whole = shape.clone();
    whole.extend(dims.lhs_contracting.iter().map(|d| left[*d as usize]));
    let whole = TensorType::new(sum.clone(), &whole);
    let batches = dims.lhs_batching.len() as i64;
    let free = |shape: &[i64], batching: &[i64], contracting: &[i64]| -> Vec<i64> {
        (0..shape.len() as i64)
            .filter(|d| !batching.contains(d) && !contracting.contains(d))
            .collect()
    };
    let left_free = free(&left, &dims.lhs_batching, &dims.lhs_contracting);
    let right_free = free(&right, &dims.rhs_batching, &dims.rhs_contracting);
    let places =
        |shape: &[i64], batching: &[i64], contracting: &[i64], free: &[i64], first: i64| {
            let at = |list: &[i64], d: i64| list.iter().position(|x| *x == d).map(|i| i as i64);
            (0..shape.len() as i64)
                .map(|d| {
                    at(batching, d)
                        .or(at(free, d).map(|i| first + i))
                        .or(at(contracting, d).map(|i| rank + i))
                        .unwrap_or(0)
                })
                .collect::<Vec<i64>>()
        };
    let spread = |k: usize, places: &[i64]| {
        let value = make.convert(op.operand(k), &sum);
        make.broadcast(value, &whole, places)
    };
    let l = places(
        &left,
        &dims.lhs_batching,
        &dims.lhs_contracting,
        &left_free,
        batches,
    );
    let r = places(
        &right,
        &dims.rhs_batching,
        &dims.rhs_contracting,
        &right_free,
        batches + left_free.len() as i64,
    );
    let products = make.binary("multiply", spread(0, &l), spread(1, &r));
    let contracted: Vec<i64> = (rank..rank + dims.lhs_contracting.len() as i64).collect();
    let total = if contracted.is_empty() && matches!(sum, ElementType::Float(_)) {
        // Sums begin with zero: a product that is -0 becomes 0.
        let zero = make.splat(0.0, products);
        make.binary("add", products, zero)
    } else {
        make.sum(products, &contracted)
    };
    Some(vec![make.convert(total, &result.element)])
}
