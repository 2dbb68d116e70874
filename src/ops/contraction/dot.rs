//! Maps of `dot_general`, `dot` and einsums, all said as labels: every dimension of operands and
//! result has a label, and equal labels are the same index. Labels that the result lacks are
//! contracted.

use crate::attrs::{DotDimensions, axes};
use crate::query::{Pieces, Query, nothing, over, variable};
use mapwright_indexing::{Expr, IndexingMap, d, s};

/// Labels of the dimensions of the operands and of the result.
pub(super) struct Labels {
    pub operands: Vec<Vec<usize>>,
    pub result: Vec<usize>,
}

fn labels(q: &Query<'_>) -> Result<Labels, String> {
    let labels = match q.op.short_name() {
        "einsum" | "unary_einsum" => einsum(q)?,
        "dot" => {
            let (l, r) = (q.operand(0)?.rank(), q.operand(1)?.rank());
            if !(1..=2).contains(&l) || !(1..=2).contains(&r) {
                return Err(format!("a dot of operands of ranks {l} and {r}"));
            }
            dot(&[], &[], &[l - 1], &[0], l, r)
        }
        _ => {
            let dims = DotDimensions::decode(q.op)?;
            let (l, r) = (q.operand(0)?.rank(), q.operand(1)?.rank());
            let name = "dot_dimension_numbers";
            let lhs: Vec<i64> = dims
                .lhs_batching
                .iter()
                .chain(&dims.lhs_contracting)
                .copied()
                .collect();
            let rhs: Vec<i64> = dims
                .rhs_batching
                .iter()
                .chain(&dims.rhs_contracting)
                .copied()
                .collect();
            let (lhs, rhs) = (axes(name, &lhs, l)?, axes(name, &rhs, r)?);
            let n = dims.lhs_batching.len();
            dot(&lhs[..n], &rhs[..n], &lhs[n..], &rhs[n..], l, r)
        }
    };
    for (i, operand) in labels.operands.iter().enumerate() {
        if operand.len() != q.operand(i)?.rank() {
            return Err(format!("operand {i} has the wrong rank"));
        }
    }
    if labels.result.len() != q.result(0)?.rank() {
        return Err("the result has the wrong rank".into());
    }
    Ok(labels)
}

/// Result dimensions: batching, free ones of the left, free ones of the right operand.
pub(super) fn dot(
    lb: &[usize],
    rb: &[usize],
    lc: &[usize],
    rc: &[usize],
    lhs: usize,
    rhs: usize,
) -> Labels {
    // A dimension of the left operand is its own label; one of the right gets the label of its
    // partner, or a new one.
    let left: Vec<usize> = (0..lhs).collect();
    let right: Vec<usize> = (0..rhs)
        .map(|k| {
            let partner = |r: &[usize], l: &[usize]| r.iter().position(|x| *x == k).map(|i| l[i]);
            partner(rb, lb)
                .or_else(|| partner(rc, lc))
                .unwrap_or(lhs + k)
        })
        .collect();
    let free = |k: &usize, a: &[usize], b: &[usize]| !a.contains(k) && !b.contains(k);
    let result = lb
        .iter()
        .copied()
        .chain((0..lhs).filter(|k| free(k, lb, lc)))
        .chain((0..rhs).filter(|k| free(k, rb, rc)).map(|k| lhs + k))
        .collect();
    Labels {
        operands: vec![left, right],
        result,
    }
}

/// `ab,bc->ac` with an optional ellipsis of broadcast dimensions is refused: the dimensions must be
/// named.
fn einsum(q: &Query<'_>) -> Result<Labels, String> {
    let config =
        q.op.string("einsum_config")
            .ok_or("attribute `einsum_config` is missing")?;
    let (inputs, output) = config
        .split_once("->")
        .ok_or_else(|| format!("`{config}` has no `->`"))?;
    let word = |text: &str| -> Result<Vec<usize>, String> {
        text.trim()
            .chars()
            .map(|c| {
                c.is_ascii_alphabetic()
                    .then_some(c as usize)
                    .ok_or_else(|| format!("`{c}` in `{config}` is not a letter"))
            })
            .collect()
    };
    let operands = inputs.split(',').map(word).collect::<Result<Vec<_>, _>>()?;
    if operands.len() != q.num_operands() {
        return Err(format!("`{config}` is for {} operands", operands.len()));
    }
    Ok(Labels {
        operands,
        result: word(output)?,
    })
}

/// From an index space with labels `from` to one with labels `to`: what both have is a variable,
/// the rest is a range.
fn between(from: &[usize], from_sizes: &[i64], to: &[usize], to_sizes: &[i64]) -> IndexingMap {
    labelled(from, from_sizes, to, to_sizes).0
}

/// As [`between`], with the variable of every label.
pub(super) fn labelled(
    from: &[usize],
    from_sizes: &[i64],
    to: &[usize],
    to_sizes: &[i64],
) -> (IndexingMap, Vec<(usize, Expr)>) {
    let mut map = over(from_sizes, vec![]);
    let mut ranged: Vec<usize> = Vec::new();
    for (label, size) in to.iter().zip(to_sizes) {
        let index = match from.iter().position(|l| l == label) {
            Some(k) => d(k),
            None => {
                let k = ranged.iter().position(|l| l == label).unwrap_or_else(|| {
                    ranged.push(*label);
                    map.push_range(variable(*size));
                    ranged.len() - 1
                });
                s(k)
            }
        };
        map.push_result(index);
    }
    // A label twice on one side is a diagonal.
    for (i, label) in from.iter().enumerate() {
        if let Some(j) = from[..i].iter().position(|l| l == label) {
            map = map.with_constraint(d(i) - d(j), mapwright_indexing::Interval::point(0));
        }
    }
    let variables = from
        .iter()
        .enumerate()
        .map(|(k, label)| (*label, d(k)))
        .chain(
            ranged
                .into_iter()
                .enumerate()
                .map(|(k, label)| (label, s(k))),
        )
        .collect();
    (map, variables)
}

/// Tells whether every sum is over no element at all. A dimension that is summed over may belong to
/// one operand alone.
pub(super) fn sums_are_empty(q: &Query<'_>, labels: &Labels) -> Result<bool, String> {
    for (i, operand) in labels.operands.iter().enumerate() {
        let sizes = q.operand_sizes(i)?;
        let mut summed = operand.iter().zip(sizes);
        if summed.any(|(label, size)| size == 0 && !labels.result.contains(label)) {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let labels = labels(q)?;
    if sums_are_empty(q, &labels)? {
        return Ok(nothing(
            &q.result_sizes(result)?,
            &q.operand_sizes(operand)?,
        ));
    }
    let to = labels
        .operands
        .get(operand)
        .ok_or("there is no such operand")?;
    Ok(vec![between(
        &labels.result,
        &q.result_sizes(result)?,
        to,
        &q.operand_sizes(operand)?,
    )])
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let labels = labels(q)?;
    if sums_are_empty(q, &labels)? {
        return Ok(nothing(
            &q.operand_sizes(operand)?,
            &q.result_sizes(result)?,
        ));
    }
    let from = labels
        .operands
        .get(operand)
        .ok_or("there is no such operand")?;
    Ok(vec![between(
        from,
        &q.operand_sizes(operand)?,
        &labels.result,
        &q.result_sizes(result)?,
    )])
}
