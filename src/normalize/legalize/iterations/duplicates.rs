//! Carried values that are one: they begin as the same value, and every iteration hands them
//! through. JAX passes on apart what the condition of a loop reads and what its body does; the
//! memory of each would be a copy.

use super::is_same;
use mapwright_mlir::{Op, op};

/// Lets the first of such values be read in the places of the others, which nobody reads then.
pub(super) fn rewrite(op: Op<'_>) {
    if !op.is_hlo("while") || op.dialect() != "stablehlo" {
        return;
    }
    let (Some(condition), Some(body)) = (op.body(0), op.body(1)) else {
        return;
    };
    let Some(end) = op::ops(body).last().copied() else {
        return;
    };
    let lists = [op::arguments(condition), op::arguments(body), op.results()];
    let (operands, next) = (op.operands(), end.operands());
    let count = operands.len();
    if next.len() != count || lists.iter().any(|list| list.len() != count) {
        return;
    }
    let through: Vec<usize> = (0..count)
        .filter(|i| is_same(lists[1][*i], next[*i]))
        .collect();
    for (k, i) in through.iter().enumerate() {
        let mut before = through[..k].iter();
        let Some(first) = before.find(|j| is_same(operands[**j], operands[*i])) else {
            continue;
        };
        for list in &lists {
            op::replace_all_uses(list[*i], list[*first]);
        }
    }
}
