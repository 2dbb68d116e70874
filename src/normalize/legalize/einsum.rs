//! `einsum` and `unary_einsum` as sums, products and transposes.

use crate::make::{HloBuilder, own, tensor};
use crate::rewrite::Error;
use mapwright_mlir::{Op, TensorType, Val};
use std::cmp::Ordering;

pub(super) fn rewrite<'c>(m: &HloBuilder<'c>, op: Op<'c>) -> Result<Vec<Val<'c>>, Error<'c>> {
    let config = op.string("einsum_config").unwrap_or_default();
    let Some((inputs, output)) = config.split_once("->") else {
        return Err(Error::new(
            op,
            format!("has the configuration {config:?} without '->'"),
        ));
    };
    let labels =
        |text: &str| -> Vec<char> { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let output = labels(output);
    let mut inputs: Vec<Vec<char>> = inputs.split(',').map(labels).collect();
    if inputs.len() != op.num_operands() || config.contains('.') {
        return Err(Error::new(
            op,
            format!("has the configuration {config:?}, which is not supported"),
        ));
    }
    let mut values = op.operands();
    for (value, own) in values.iter_mut().zip(&mut inputs) {
        if tensor(*value).is_none_or(|ty| ty.rank() != own.len()) {
            return Err(Error::new(
                op,
                format!("has the configuration {config:?}, which does not fit its operands"),
            ));
        }
        // A label twice in one operand: its diagonal.
        while let Some((first, second)) = repeated(own) {
            *value = diagonal(m, op, *value, first, second)?;
            own.remove(second);
        }
    }
    let mut kept = inputs.clone();
    for (i, value) in values.iter_mut().enumerate() {
        let own = &inputs[i];
        // A label that nobody else has is summed over at once.
        let alone: Vec<i64> = (0..own.len())
            .filter(|k| {
                let others = inputs
                    .iter()
                    .enumerate()
                    .any(|(j, other)| j != i && other.contains(&own[*k]));
                !others && !output.contains(&own[*k])
            })
            .map(|k| k as i64)
            .collect();
        *value = m.sum(*value, &alone);
        kept[i] = own
            .iter()
            .enumerate()
            .filter(|(k, _)| !alone.contains(&(*k as i64)))
            .map(|(_, c)| *c)
            .collect();
    }
    let place = |labels: &[char], c: char| labels.iter().position(|x| *x == c);
    let (value, order) = match (values.as_slice(), kept.as_slice()) {
        ([x], [own]) => (*x, own.clone()),
        ([l, r], [left, right]) => {
            let shared: Vec<char> = left.iter().copied().filter(|c| right.contains(c)).collect();
            let (batch, sum): (Vec<char>, Vec<char>) =
                shared.into_iter().partition(|c| output.contains(c));
            let at = |labels: &[char], which: &[char]| -> Vec<usize> {
                which.iter().filter_map(|c| place(labels, *c)).collect()
            };
            let element = own(op.result(0)).element;
            let product = m.dot(
                (*l, *r),
                (&at(left, &batch), &at(right, &batch)),
                (&at(left, &sum), &at(right, &sum)),
                &element,
            );
            let free = |labels: &[char]| -> Vec<char> {
                labels
                    .iter()
                    .copied()
                    .filter(|c| !batch.contains(c) && !sum.contains(c))
                    .collect()
            };
            let order = [batch.clone(), free(left), free(right)].concat();
            (product, order)
        }
        _ => return Err(Error::new(op, "has more than two operands")),
    };
    let permutation: Option<Vec<usize>> = output.iter().map(|c| place(&order, *c)).collect();
    match permutation {
        Some(permutation) if permutation.len() == order.len() => {
            Ok(vec![m.transpose(value, &permutation)])
        }
        _ => Err(Error::new(
            op,
            format!(
                "has the configuration {config:?}, whose result has labels that no operand has"
            ),
        )),
    }
}

/// The first two places that have the same label.
fn repeated(labels: &[char]) -> Option<(usize, usize)> {
    (1..labels.len()).find_map(|k| {
        let first = labels[..k].iter().position(|label| *label == labels[k])?;
        Some((first, k))
    })
}

/// The elements whose indices in the dimensions `first < second` are the same, without the latter:
/// with both in front and taken as one dimension, every `(n + 1)`th. Nothing is computed, so that
/// zeros keep their signs.
fn diagonal<'c>(
    m: &HloBuilder<'c>,
    op: Op<'c>,
    x: Val<'c>,
    first: usize,
    second: usize,
) -> Result<Val<'c>, Error<'c>> {
    let own = own(x);
    let shape = own.static_shape().filter(|s| s[first] == s[second]);
    let Some(shape) = shape else {
        return Err(Error::new(
            op,
            "takes the diagonal of dimensions that are not known to have the same size",
        ));
    };
    let n = shape[first];
    let others: Vec<usize> = (0..shape.len())
        .filter(|d| ![first, second].contains(d))
        .collect();
    let front = m.transpose(x, &[&[first, second], &others[..]].concat());
    let Some(places) = n.checked_mul(n) else {
        return Err(Error::new(op, "takes the diagonal of too large a matrix"));
    };
    let sizes: Vec<i64> = others.iter().map(|d| shape[*d]).collect();
    let ends = [&[places], &sizes[..]].concat();
    let flat = m.reshape(front, &TensorType::new(own.element.clone(), &ends));
    let starts = vec![0; ends.len()];
    let mut steps = vec![1; ends.len()];
    steps[0] = n + 1;
    let found = m.slice(flat, [&starts, &ends, &steps]);
    // Back to where `first` was.
    let order: Vec<usize> = (0..shape.len() - 1)
        .map(|d| match d.cmp(&first) {
            Ordering::Less => d + 1,
            Ordering::Equal => 0,
            Ordering::Greater => d,
        })
        .collect();
    Ok(m.transpose(found, &order))
}
