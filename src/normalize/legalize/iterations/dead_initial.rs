//! What a loop starts with and overwrites before anybody reads it.

use super::{CountedLoop, is_plain, tensor, typed};
use crate::{hlo::zero_literal, make::HloBuilder};
use mapwright_mlir::{edit, op};
use mapwright_ops::attrs::UNREAD;

/// Histories begin as constants of which nothing is read.
pub(super) fn rewrite<'c>(make: &HloBuilder<'c>, iterations: &CountedLoop<'c>) {
    for (i, _) in iterations.histories() {
        let operand = iterations.op.operand(i);
        let Some((element, sizes)) = tensor(operand).filter(|(element, _)| is_plain(element))
        else {
            continue;
        };
        let start = make.constant(zero_literal(&element), &typed(&element, &sizes));
        if let Some((constant, _)) = op::defining_op(start) {
            constant.set_attribute(UNREAD, make.parse_attr("unit"));
            edit::set_operand(iterations.op, i, start);
        }
    }
}
