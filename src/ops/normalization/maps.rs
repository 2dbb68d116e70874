//! Maps of batch normalisation.
//!
//! The feature dimension tells everything: tensors of the operand's shape and vectors with an
//! element for every feature. In inference an element is made of the element at its place and its
//! feature's scale, offset, mean and variance. Training computes mean and variance of a feature
//! from all elements of that feature first, and the gradients are sums over a feature.

use crate::attrs;
use crate::query::{Pieces, Query, identity, nothing, over, variable};
use mapwright_indexing::{IndexingMap, d};

/// Dependence of an element on a tensor of the operand's shape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// It does not.
    None,
    /// On the element at its place.
    Own,
    /// On all elements of its feature.
    Feature,
}

/// From result to operand: how far result `result` reaches in operand `operand`. For vectors `Own`
/// and `Feature` are the same.
fn reach(name: &str, result: usize, operand: usize) -> Reach {
    match (name, result, operand) {
        ("batch_norm_inference", ..) => Reach::Own,
        // operand, scale, offset -> output, mean, variance
        ("batch_norm_training", 0, 0) => Reach::Feature,
        ("batch_norm_training", 0, _) => Reach::Own,
        ("batch_norm_training", _, 0) => Reach::Feature,
        ("batch_norm_training", ..) => Reach::None,
        // operand, scale, mean, variance, grad_output -> grad_operand, grad_scale, grad_offset
        ("batch_norm_grad", 0, 0 | 4) => Reach::Feature,
        ("batch_norm_grad", 0, _) => Reach::Own,
        ("batch_norm_grad", 1, 0 | 4) => Reach::Feature,
        ("batch_norm_grad", 1, 2 | 3) => Reach::Own,
        ("batch_norm_grad", 2, 4) => Reach::Feature,
        _ => Reach::None,
    }
}

/// Between a tensor and another, of the operand's shape or a vector of features each.
fn between(q: &Query<'_>, from: &[i64], to: &[i64], result: usize, operand: usize) -> Pieces {
    let shape = q.operand_sizes(0)?;
    let feature = attrs::axis(
        "feature_index",
        attrs::int(q.op, "feature_index")?,
        shape.len(),
    )?;
    let reach = reach(q.op.short_name(), result, operand);
    if reach == Reach::None {
        return Ok(nothing(from, to));
    }
    for sizes in [from, to] {
        if sizes.len() != shape.len() && sizes.len() != 1 {
            return Err(format!(
                "a tensor of rank {} beside an operand of rank {}",
                sizes.len(),
                shape.len()
            ));
        }
    }
    // A tensor of rank 1 is a vector of features either way.
    let at = |sizes: &[i64]| {
        if sizes.len() == shape.len() {
            feature
        } else {
            0
        }
    };
    if from.len() == to.len() && (from.len() != shape.len() || reach == Reach::Own) {
        return Ok(vec![identity(from)]);
    }
    let mut map: IndexingMap = over(from, vec![]);
    for (k, size) in to.iter().enumerate() {
        if k == at(to) {
            map.push_result(d(at(from)));
        } else {
            let own = map.push_range(variable(*size));
            map.push_result(own);
        }
    }
    Ok(vec![map])
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    between(
        q,
        &q.result_sizes(result)?,
        &q.operand_sizes(operand)?,
        result,
        operand,
    )
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    between(
        q,
        &q.operand_sizes(operand)?,
        &q.result_sizes(result)?,
        result,
        operand,
    )
}
