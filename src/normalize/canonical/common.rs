//! Common subexpressions: of two operations of a block that are the same, on the same operands, one computes what both give.

use mapwright_mlir::melior::ir::{AttributeLike, TypeLike, ValueLike};
use mapwright_mlir::{Blk, Op, Val, ValueType, edit, op};
use mapwright_ops::registry::{self, Class};
use std::collections::HashMap;

/// Simple operations on an element from which on a value had better be read than computed again.
const WORTH: f64 = 4.0;

/// What makes two operations the same: name, operands, types and attributes, the last three by their unique addresses.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    name: String,
    operands: Vec<usize>,
    types: Vec<usize>,
    attributes: Vec<(String, usize)>,
}

/// In every block inside of `root`, in its order, uses of operations that repeat one before become uses of that one, which costs something to compute
/// again. Returns how many.
pub fn share_common(root: Op<'_>) -> usize {
    let regions = (0..root.num_regions()).flat_map(|r| op::blocks(root.region(r)));
    regions.map(share_in_block).sum()
}

fn share_in_block(block: Blk<'_>) -> usize {
    let mut count = 0;
    let mut known: HashMap<Key, Op<'_>> = HashMap::new();
    for op in op::ops(block) {
        count += share_common(op);
        if op.num_regions() > 0 || !is_worth_it(op) || !registry::is_pure(op) {
            continue;
        }
        let key = Key {
            name: op.name().to_string(),
            operands: op.operands().into_iter().map(op::key).collect(),
            types: (op.results().into_iter())
                .map(|value| value.r#type().to_raw().ptr as usize)
                .collect(),
            attributes: (op.attributes().into_iter())
                .map(|(name, value)| (name, value.to_raw().ptr as usize))
                .collect(),
        };
        match known.get(&key) {
            Some(first) => {
                for (old, new) in op.results().into_iter().zip(first.results()) {
                    op::replace_all_uses(old, new);
                }
                edit::erase_unused(op);
                count += 1;
            }
            None => {
                known.insert(key, op);
            }
        }
    }
    count
}

/// Does `op` cost more than its results cost to be read? The absolute value of a complex number is a square root.
fn is_worth_it(op: Op<'_>) -> bool {
    let Some(def) = registry::lookup(op) else {
        return false;
    };
    match def.class {
        Class::Contraction => true,
        Class::Elementwise => def.cost >= WORTH || op.operands().into_iter().any(is_complex),
        _ => false,
    }
}

fn is_complex(value: Val<'_>) -> bool {
    let ty = ValueType::from_mlir(value.r#type());
    ty.tensor().is_some_and(|ty| ty.element.is_complex())
}
