//! How long expressions are: of several that follow each other in a circle the shortest are taken.

use crate::arena::{Arena, NodeId};
use crate::expr::Expr;
use crate::program::{Instr, Program};
use std::collections::BTreeSet;

/// Of lists that follow each other in a circle the shortest, whichever of them was met first: that
/// of the fewest operations, then of the smallest numbers. Neither knows the order of the
/// variables.
pub(super) fn shortest<T: Clone + Default + std::fmt::Debug>(
    arena: &Arena,
    circle: &[T],
    nodes: impl Fn(&T) -> Vec<NodeId>,
) -> T {
    let key = |list: &&T| {
        let exprs = arena.export(&nodes(list));
        let operations = exprs.iter().map(Expr::operation_count);
        let number = |instr: &Instr| match instr {
            Instr::Constant(v) => Some(v.unsigned_abs()),
            _ => None,
        };
        let instrs = Program::new(&exprs).instrs;
        let numbers: BTreeSet<u64> = instrs.iter().filter_map(number).collect();
        (
            operations.fold(0, usize::saturating_add),
            numbers.into_iter().fold(0, u64::saturating_add),
            format!("{exprs:?}"),
            format!("{list:?}"),
        )
    };
    circle.iter().min_by_key(key).cloned().unwrap_or_default()
}
