//! Constraints and result types of sorts and selections.

use crate::typing::{check::*, results::sizes};
use mapwright_mlir::{ElementType, Op, TensorType, ValueType};

/// `sort`.
pub fn sort(op: Op<'_>) -> Check<Inferred> {
    let types = operands(op)?;
    let Some(first) = types.first() else {
        return violation("c1", "needs an input");
    };
    for (i, ty) in types.iter().enumerate() {
        same_shape("c3", &format!("inputs #0 and #{i}"), first, ty)?;
    }
    let rank = first.rank() as i64;
    let dimension = op.int("dimension").unwrap_or(-1);
    ensure!(
        (-rank..rank.max(1)).contains(&dimension),
        "c4",
        "'dimension' {dimension} is not in [{}, {rank})",
        -rank
    );
    let comparator = region(op, 0)?;
    ensure!(
        comparator.arguments.len() == 2 * types.len(),
        "c5",
        "the comparator must take {} arguments, takes {}",
        2 * types.len(),
        comparator.arguments.len()
    );
    for (i, argument) in comparator.arguments.iter().enumerate() {
        let element = &types[i / 2].element;
        let fits = argument
            .tensor()
            .is_some_and(|ty| ty.rank() == 0 && same_storage(&ty.element, element));
        ensure!(
            fits,
            "c5",
            "argument #{i} of the comparator must be a 0-dimensional tensor of {element}, is {argument}"
        );
    }
    let boolean = matches!(
        comparator.results.as_slice(),
        [ValueType::Tensor(ty)] if ty.rank() == 0 && ty.element == ElementType::Bool
    );
    ensure!(
        boolean,
        "c5",
        "the comparator must return one 0-dimensional tensor of i1, returns {}",
        list(&comparator.results)
    );
    many(types)
}

/// `top_k`, MHLO's `topk`: the last dimension is cut to `k`; indices are `i32`.
pub fn top_k(op: Op<'_>) -> Check<Inferred> {
    if !ranked(op) {
        return Ok(None);
    }
    let operand = operand(op, 0)?;
    let k = required_int(op, "k")?;
    let Some(last) = operand.dims.last() else {
        return violation("", "the operand must have a dimension");
    };
    ensure!(
        k >= 0 && last.bound().is_none_or(|n| k <= n),
        "",
        "'k' {k} is not in [0, {}]",
        number(last.bound())
    );
    let dims = sizes(op, 0)?;
    let values = TensorType {
        element: operand.element,
        dims: dims.clone(),
    };
    let indices = TensorType {
        element: ElementType::int(32),
        dims,
    };
    many(vec![values, indices])
}
