//! Constants that regions of scalar code use from outside are copied into them: a comparator is
//! known by its constants, and a kernel would read them from memory.

use mapwright_mlir::computation::captured;
use mapwright_mlir::{Op, edit, op};
use std::collections::{BTreeSet, HashMap};

/// Copies the constants that the regions of `op` capture, unless these hold programs.
pub(super) fn rewrite(op: Op<'_>) {
    if op.num_regions() == 0 || matches!(op.short_name(), "while" | "if" | "case") {
        return;
    }
    let constants: BTreeSet<usize> = captured(op)
        .into_iter()
        .filter(|value| op::is_constant(*value))
        .map(op::key)
        .collect();
    if constants.is_empty() {
        return;
    }
    for inner in op.descendants() {
        for (i, value) in inner.operands().into_iter().enumerate() {
            if constants.contains(&op::key(value))
                && let Some((constant, _)) = op::defining_op(value)
            {
                let copy = edit::clone(constant, &HashMap::new());
                edit::insert_before(inner, copy);
                edit::set_operand(inner, i, copy.result(0));
            }
        }
    }
}
