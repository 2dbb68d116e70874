//! Prefix reductions from the end of a dimension (`reduce_window` over everything behind an element) as those from its beginning, of the
//! reversed operand: there is fast code for these.

use super::make::Make;
use mapwright_fusion::lin::{Lin, Ranges};
use mapwright_fusion::node::{Node, node, tensor};
use mapwright_fusion::role::combines_simply;
use mapwright_mlir::{Op, Val, edit, op};
use std::collections::HashMap;

/// The results, if it is such a reduction. Elements come in the other order, so the operation has to be commutative.
pub(super) fn rewrite<'c>(m: &Make<'c>, window: Op<'c>) -> Option<Vec<Val<'c>>> {
    if window.num_operands() != 2 || !window.body(0).is_some_and(combines_simply) {
        return None;
    }
    let (_, shape) = tensor(window.result(0)).ok()?;
    let mut ranges = Ranges::default();
    let index: Vec<Lin> = shape
        .iter()
        .map(|size| {
            ranges.vars.push((0, size - 1));
            Lin::var(ranges.vars.len() - 1)
        })
        .collect();
    let Ok(Node::Scan(_, axis, true)) = node(window.result(0), &index, &ranges) else {
        return None;
    };
    let reversed = m.reverse(window.operand(0), axis);
    let map = HashMap::from([(op::key(window.operand(0)), reversed)]);
    let forward = edit::clone(window, &map);
    let padding: Vec<String> = (0..shape.len())
        .map(|i| format!("[{}, 0]", if i == axis { shape[i] - 1 } else { 0 }))
        .collect();
    let text = format!(
        "dense<[{}]> : tensor<{}x2xi64>",
        padding.join(", "),
        shape.len()
    );
    forward.set_attribute("padding", m.attribute(&text));
    edit::insert_before(window, forward);
    Some(vec![m.reverse(forward.result(0), axis)])
}
