//! `einsum` and `unary_einsum` as sums, products and transposes.

use super::make::{Make, tensor};
use crate::inline::Located;
use mapwright_mlir::{ElementType, Op, TensorType, Val};

pub(super) fn rewrite<'c>(m: &Make<'c>, op: Op<'c>) -> Result<Vec<Val<'c>>, Located<'c>> {
    let config = op.string("einsum_config").unwrap_or_default();
    let Some((inputs, output)) = config.split_once("->") else {
        return Err(Located::new(
            op,
            format!("has the configuration {config:?} without '->'"),
        ));
    };
    let labels =
        |text: &str| -> Vec<char> { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let output = labels(output);
    let mut inputs: Vec<Vec<char>> = inputs.split(',').map(labels).collect();
    if inputs.len() != op.num_operands() || config.contains('.') {
        return Err(Located::new(
            op,
            format!("has the configuration {config:?}, which is not supported"),
        ));
    }
    let mut values = op.operands();
    for (value, own) in values.iter_mut().zip(&mut inputs) {
        if tensor(op, *value)?.rank() != own.len() {
            return Err(Located::new(
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
        *value = m.sum(op, *value, &alone)?;
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
            let element = tensor(op, op.result(0))?.element;
            let product = m.dot(
                op,
                (*l, *r),
                (&at(left, &batch), &at(right, &batch)),
                (&at(left, &sum), &at(right, &sum)),
                &element,
            )?;
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
        _ => return Err(Located::new(op, "has more than two operands")),
    };
    let permutation: Option<Vec<usize>> = output.iter().map(|c| place(&order, *c)).collect();
    match permutation {
        Some(permutation) if permutation.len() == order.len() => {
            Ok(vec![m.transpose(op, value, &permutation)?])
        }
        _ => Err(Located::new(
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

/// The elements whose indices in the dimensions `first` and `second` are the same, without the latter.
fn diagonal<'c>(
    m: &Make<'c>,
    op: Op<'c>,
    x: Val<'c>,
    first: usize,
    second: usize,
) -> Result<Val<'c>, Located<'c>> {
    let own = tensor(op, x)?;
    if own.dims[first] != own.dims[second] || own.dims.iter().any(|dim| dim.fixed().is_none()) {
        return Err(Located::new(
            op,
            "takes the diagonal of dimensions that are not known to have the same size",
        ));
    }
    let places = TensorType {
        element: ElementType::Bool,
        dims: own.dims.clone(),
    };
    let direction = m.attribute("#stablehlo<comparison_direction EQ>");
    let same = m.operation(
        "stablehlo.compare",
        &[m.iota(&own, first), m.iota(&own, second)],
        &places,
        &[("comparison_direction", direction)],
    );
    let zero = m.broadcast(m.zero(&own.element), &own, &[]);
    let inside = m.operation("stablehlo.select", &[same, x, zero], &own, &[]);
    m.sum(op, inside, &[second as i64])
}
