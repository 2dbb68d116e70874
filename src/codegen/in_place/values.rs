//! Constants, sizes, and operations that give their operands back.

use super::{check_tensor, is_hlo, quantized};
use mapwright_fusion::role::{Role, role};
use mapwright_mlir::{Builder, Op, Steps, Val, ValueType, edit, melior::ir::ValueLike, op};
use mapwright_normalize::inline;
use mapwright_ops::library::{self, Meaning};
use std::collections::HashMap;

/// Replaces what gives its operands back: barriers, and marks of sharding.
pub(crate) fn forward(module: Op<'_>) {
    for op in inline::programs(module) {
        let is_mark = |op: Op<'_>| {
            let meaning = library::verify(op);
            matches!(
                meaning,
                Ok(Some(Meaning::Annotation | Meaning::PartitionCast))
            )
        };
        let gives_back =
            op.is_hlo("optimization_barrier") || (op.is_hlo("custom_call") && is_mark(op));
        let pairs = || op.results().into_iter().zip(op.operands());
        if gives_back
            && op.num_operands() == op.num_results()
            && pairs().all(|(a, b)| a.r#type() == b.r#type())
        {
            for (result, operand) in pairs() {
                op::replace_all_uses(result, operand);
            }
            edit::erase_unused(op);
        }
    }
}

/// Sizes of dimensions are asked of the tensor, so that no kernel reads it for them; constants that
/// are not only read by regions are constants of `arith`.
pub(super) fn before_regions(module: Op<'_>) {
    for op in inline::programs(module) {
        if op.is_hlo("get_dimension_size") {
            dimension_size(op);
        }
    }
    for op in inline::programs(module) {
        // A region that is there already makes its own.
        let is_member = op.parent().is_some_and(|op| op.name() == "indexing.fusion");
        if !op.is_hlo("constant") || is_member {
            continue;
        }
        let others: Vec<_> = op::uses(op.result(0))
            .into_iter()
            .filter(|(user, _)| role(*user) == Role::Outside && !is_scalar_code(*user))
            .collect();
        if others.is_empty() {
            continue;
        }
        if let Some(value) = constant(op) {
            for (user, number) in others {
                // What a function returns is written to by its callers.
                let given = match user.name() {
                    "func.return" => copied(user, value),
                    _ => value,
                };
                op::set_operand(user, number, given);
            }
            edit::erase_unused(op);
        }
    }
}

/// Tells whether `op` belongs to the computation on single elements of an operation of StableHLO.
fn is_scalar_code(op: Op<'_>) -> bool {
    op.parent().is_some_and(is_hlo)
}

/// Constants that are left become those of `arith`.
pub(super) fn after_regions(module: Op<'_>) {
    for op in super::left(module) {
        if op.is_hlo("constant")
            && let Some(value) = constant(op)
        {
            op::replace_all_uses(op.result(0), value);
            edit::erase_unused(op);
        }
    }
}

fn constant<'c>(op: Op<'c>) -> Option<Val<'c>> {
    check_tensor(op.result(0)).ok()?;
    let value = op.attribute("value")?;
    let b = Builder::before(op.context(), op)?;
    let ty = op.result(0).r#type();
    let held = quantized::held(&b, ty);
    let value = [("value", quantized::retyped(&b, value, held))];
    let constant = b.op1("arith.constant", &[], held, &value);
    Some(quantized::restored(&b, constant, ty))
}

/// A copy of `value` in memory of its own, before `user`.
pub(crate) fn copied<'c>(user: Op<'c>, value: Val<'c>) -> Val<'c> {
    match Builder::before(user.context(), user) {
        Some(b) => copy(&b, value),
        None => value,
    }
}

/// A copy of `value` in memory of its own.
pub(super) fn copy<'c>(b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
    let segments = [("operandSegmentSizes", b.i32_array(&[0, 1, 0]))];
    let stored = quantized::stored(b, value);
    let name = "bufferization.alloc_tensor";
    let copy = b.op1(name, &[stored], stored.r#type(), &segments);
    quantized::restored(b, copy, value.r#type())
}

/// Tells whether `value` may be a constant that a function returns. Upstream's bufferization takes
/// its memory, which must not be written to, for that of the caller.
pub(super) fn is_returned_constant<'c>(
    value: Val<'c>,
    functions: &HashMap<String, Op<'c>>,
) -> bool {
    comes_from_constant(value, functions, false, &Steps::default())
}

/// Tells whether `value` is an argument of a function that can be called from outside of the
/// module. Upstream's bufferization takes its memory for that of the function.
pub(super) fn is_of_callers(value: Val<'_>) -> bool {
    let mut value = value;
    while let Some((op, _)) = op::defining_op(value) {
        if !matches!(op.name(), "tensor.cast" | quantized::CAST) {
            return false;
        }
        value = op.operand(0);
    }
    let around = op::block_argument(value).and_then(|(block, _)| op::parent_of_block(block));
    around.is_some_and(|op| {
        let visibility = op.string("sym_visibility");
        op.name() == "func.func" && visibility.is_none_or(|text| text == "public")
    })
}

fn comes_from_constant<'c>(
    value: Val<'c>,
    functions: &HashMap<String, Op<'c>>,
    is_returned: bool,
    steps: &Steps,
) -> bool {
    let Some((op, number)) = op::defining_op(value) else {
        return false;
    };
    if steps.take().is_none() {
        return true;
    }
    let follow =
        |value: Val<'c>, returned: bool| comes_from_constant(value, functions, returned, steps);
    let end = |op: Op<'c>, region: usize| op.body(region).and_then(|b| op::ops(b).last().copied());
    match op.name() {
        "arith.constant" | "stablehlo.constant" => is_returned,
        "tensor.cast"
        | quantized::CAST
        | "tensor.collapse_shape"
        | "tensor.expand_shape"
        | "tensor.extract_slice"
        | "tensor.reshape" => follow(op.operand(0), is_returned),
        "func.call" => {
            let function = op.symbol("callee").and_then(|name| functions.get(&name));
            let end = function.and_then(|function| end(*function, 0));
            end.is_some_and(|end| number < end.num_operands() && follow(end.operand(number), true))
        }
        "scf.if" | "scf.index_switch" => (0..op.num_regions())
            .filter_map(|region| end(op, region))
            .any(|end| number < end.num_operands() && follow(end.operand(number), is_returned)),
        "scf.for" => follow(op.operand(number + 3), is_returned),
        "scf.while" => op.num_operands() > number && follow(op.operand(number), is_returned),
        _ => false,
    }
}

/// `tensor.dim` in the place of a `get_dimension_size`.
pub(crate) fn dimension_size(op: Op<'_>) {
    let Some(b) = Builder::before(op.context(), op) else {
        return;
    };
    let is_tensor = matches!(op.operand_type(0), ValueType::Tensor(_));
    if check_tensor(op.operand(0)).is_err() || !is_tensor {
        return;
    }
    let Some(dimension) = op.int("dimension") else {
        return;
    };
    let ty = op.result(0).r#type();
    let size = b.op1(
        "tensor.dim",
        &[quantized::stored(&b, op.operand(0)), b.cidx(dimension)],
        b.index(),
        &[],
    );
    let size = b.index_cast(size, b.element_of(ty));
    let value = b.op1("tensor.from_elements", &[size], ty, &[]);
    op::replace_all_uses(op.result(0), value);
    edit::erase_unused(op);
}
