//! Elements of small tensors that are put together of others, by their numbers in row-major order.

use mapwright_mlir::{TensorType, Val, attr, melior::ir::ValueLike, op};

/// Where an element comes from.
pub enum Found<'c> {
    /// It is this number.
    Number(i64),
    /// It is an element of a tensor of at most one dimension, or of one that nothing is known of.
    Element(Val<'c>, i64),
}

/// Element number `at` of `value`, looked for through reshapes and what is put together along the first dimension.
pub fn element<'c>(value: Val<'c>, at: i64) -> Found<'c> {
    let ty = |value: Val<'c>| TensorType::from_mlir(value.r#type());
    let (mut value, mut at) = (value, at);
    while ty(value).is_some_and(|ty| ty.rank() > 1)
        && let Some((op, _)) = op::defining_op(value)
    {
        match op.short_name() {
            "reshape" => value = op.operand(0),
            "concatenate" if op.int("dimension") == Some(0) => {
                // One operand follows the other.
                let mut rest = at;
                let piece = op.operands().into_iter().find(|piece| {
                    let elements = ty(*piece).and_then(|ty| ty.num_elements());
                    let inside = elements.is_none_or(|n| rest < n);
                    if !inside {
                        rest -= elements.unwrap_or(0);
                    }
                    inside
                });
                let Some(piece) = piece else { break };
                (value, at) = (piece, rest);
            }
            "constant" => {
                let all = op.attribute("value").and_then(attr::ints);
                let all = all.unwrap_or_default();
                let only = if all.len() == 1 { 0 } else { at as usize };
                match all.get(only) {
                    Some(n) => return Found::Number(*n),
                    None => break,
                }
            }
            _ => break,
        }
    }
    Found::Element(value, at)
}
