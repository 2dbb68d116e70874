//! Results that are put together of pieces which end where sizes say that are known at run time
//! only.

use crate::condition::Condition;
use crate::node::{Node, Padded, Reason, RuntimeIndex, tensor};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::Sum;
use mapwright_mlir::Op;
use mapwright_normalize::size_annotations;
use mapwright_ops::attrs;

/// An element of the first operand, behind `low` others along each dimension, or the second
/// operand.
pub(super) fn padded<'c>(op: Op<'c>, low: &[i64], index: &[Sum]) -> Result<Node<'c>, Reason> {
    let (_, own) = tensor(op.operand(0))?;
    let (_, from) = tensor(op.result(0))?;
    let mut conditions = Vec::new();
    let mut read = Vec::with_capacity(index.len());
    for (k, (x, low)) in index.iter().zip(low).enumerate() {
        if *low != 0 || own[k] != from[k] {
            let last = own[k] - 1 + *low;
            let at_run_time = own[k].is_run_time() || from[k].is_run_time();
            conditions.push(Condition::between(x, *low, last).at_run_time(at_run_time));
        }
        read.push(x.offset(low.saturating_neg()));
    }
    let element = (op.operand(0), read);
    Ok(if conditions.is_empty() {
        Node::Copy(element)
    } else {
        Node::Pieces(vec![
            (conditions, element),
            (Vec::new(), (op.operand(1), Vec::new())),
        ])
    })
}

/// An element of what is padded along dimensions of run-time size that are gone along in steps.
/// Loops over steps are not cut where the pieces end: as for windows, elements are looked at one by
/// one near the ends. `None` for all other elements.
pub(super) fn padded_in_steps<'c>(op: Op<'c>, index: &[Sum]) -> Option<Padded<'c>> {
    let (_, own) = tensor(op.operands().first().copied()?).ok()?;
    let (_, from) = tensor(op.results().first().copied()?).ok()?;
    let low = match size_annotations::padding(op) {
        Some(low) => low,
        None => {
            let padding = attrs::Pad::decode(op, own.len()).ok()?;
            let dense = padding.interior.iter().all(|n| *n == 0);
            Some(padding.low).filter(|_| dense)?
        }
    };
    let in_steps = |x: &Sum| match x.terms.as_slice() {
        [(atom, step)] => *step > 1 && atom.as_var().is_some(),
        _ => false,
    };
    let ends: Vec<usize> = (0..index.len())
        .filter(|k| low[*k] != 0 || own[*k] != from[*k])
        .collect();
    let all = ends.iter().all(|k| {
        let at_run_time = own[*k].is_run_time() || from[*k].is_run_time();
        at_run_time && in_steps(&index[*k])
    });
    (all && !ends.is_empty()).then(|| Padded {
        operand: op.operand(0),
        index: (index.iter().zip(&low))
            .map(|(x, low)| x.offset(low.saturating_neg()))
            .collect(),
        low: Vec::new(),
        ends: ends.into_iter().map(|k| (k, own[k])).collect(),
        value: op.operand(1),
    })
}

/// An element of the first operand, behind as many others along each dimension as the third operand
/// says, between `ranges`; or the second operand.
pub(super) fn padded_at_run_time<'c>(
    op: Op<'c>,
    ranges: &[(i64, i64)],
    index: &[Sum],
) -> Result<Node<'c>, Reason> {
    let (_, own) = tensor(op.operand(0))?;
    let (_, from) = tensor(op.result(0))?;
    tensor(op.operand(2))?;
    let mut padded = Padded {
        operand: op.operand(0),
        index: index.to_vec(),
        low: Vec::new(),
        ends: Vec::new(),
        value: op.operand(1),
    };
    for (k, (lo, hi)) in ranges.iter().copied().enumerate() {
        if (lo, hi) == (0, 0) && own[k] == from[k] {
            continue;
        }
        padded.ends.push((k, own[k]));
        if lo == hi {
            padded.index[k] = index[k].offset(lo.saturating_neg())
        } else {
            let element = (op.operand(2), vec![Sum::constant(k as i64)]);
            let (lo, hi) = (lo.into(), hi.into());
            padded.low.push((k, RuntimeIndex { element, lo, hi }));
        }
    }
    Ok(Node::Padded(padded))
}

/// Tells whether a piece of sizes `own` in a result of sizes `from` ends somewhere along dimension
/// `k` that is known at run time only.
pub(super) fn ends_at_run_time(own: &[Extent], from: &[Extent], k: usize) -> bool {
    own.len() == from.len() && own[k] != from[k] && (own[k].is_run_time() || from[k].is_run_time())
}
