//! What a loop starts with and overwrites before anybody reads it.

use super::{Rounds, is_plain, tensor, typed};
use crate::legalize::make::HloBuilder;
use mapwright_mlir::{edit, op};
use mapwright_ops::attrs::UNREAD;

/// Histories begin as constants of which nothing is read.
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, rounds: &Rounds<'c>) {
    for (i, _) in rounds.histories() {
        let operand = rounds.op.operand(i);
        let Some((element, sizes)) = tensor(operand).filter(|(element, _)| is_plain(element))
        else {
            continue;
        };
        let start = make.constant(zero(&element), &typed(&element, &sizes));
        if let Some((constant, _)) = op::defining_op(start) {
            constant.set_attribute(UNREAD, make.attribute("unit"));
            edit::set_operand(rounds.op, i, start);
        }
    }
}

/// The literal of a zero.
fn zero(element: &mapwright_mlir::ElementType) -> &'static str {
    match element {
        mapwright_mlir::ElementType::Bool => "false",
        element if element.is_complex() => "(0.0, 0.0)",
        element if element.is_int() => "0",
        _ => "0.0",
    }
}
