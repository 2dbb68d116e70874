//! `einsum` and `unary_einsum` as sums, products and transposes.

use super::make::{Make, tensor};
use crate::inline::Located;
use mapwright_mlir::{Op, Val};

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
    let inputs: Vec<Vec<char>> = inputs.split(',').map(labels).collect();
    if inputs.len() != op.num_operands() || config.contains('.') {
        return Err(Located::new(
            op,
            format!("has the configuration {config:?}, which is not supported"),
        ));
    }
    let mut values = op.operands();
    let mut kept = inputs.clone();
    for (i, value) in values.iter_mut().enumerate() {
        let own = &inputs[i];
        if tensor(op, *value)?.rank() != own.len()
            || (1..own.len()).any(|k| own[..k].contains(&own[k]))
        {
            return Err(Located::new(
                op,
                format!("has the configuration {config:?}, which does not fit its operands"),
            ));
        }
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
