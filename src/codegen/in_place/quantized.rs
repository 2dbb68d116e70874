//! Quantized tensors among those that upstream has buffers for: their stored integers, with
//! `quant.scast` wherever something else than StableHLO wants the quantized type.

use super::{cast, is_hlo};
use mapwright_mlir::{
    Attr, Blk, Builder, ElementType, Op, TensorType, Ty, Val,
    attr::{self, Dense},
    edit,
    melior::ir::ValueLike,
    op,
};
use mapwright_normalize::inline;
use mapwright_ops::registry::{self, Class};

/// The conversion between a quantized tensor and that of its stored integers.
pub(super) const CAST: &str = "quant.scast";

/// The type of the tensor that is in memory for one of type `ty`.
pub(crate) fn held<'c>(b: &Builder<'c>, ty: Ty<'c>) -> Ty<'c> {
    let of = |tensor: TensorType| {
        let element = ElementType::from_mlir(b.stored_integer(b.element_of(ty))?);
        let stored = TensorType { element, ..tensor };
        Some(b.parse_type(&stored.to_string()))
    };
    TensorType::from_mlir(ty).and_then(of).unwrap_or(ty)
}

/// The stored integers of `value`; any other tensor itself.
pub(crate) fn stored<'c>(b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
    let ty = held(b, value.r#type());
    if ty == value.r#type() {
        return value;
    }
    match op::defining_op(value) {
        Some((made, _)) if made.name() == CAST && made.operand(0).r#type() == ty => made.operand(0),
        _ => b.op1(CAST, &[value], ty, &[]),
    }
}

/// `value`, which holds what a tensor of type `ty` does, as that.
pub(crate) fn restored<'c>(b: &Builder<'c>, value: Val<'c>, ty: Ty<'c>) -> Val<'c> {
    let value = cast(b, value, held(b, ty));
    if value.r#type() == ty {
        value
    } else {
        b.op1(CAST, &[value], ty, &[])
    }
}

/// The elements of a constant in a tensor of type `ty`: the stored integers of a quantized one are
/// written with or without a sign.
pub(super) fn retyped<'c>(b: &Builder<'c>, value: Attr<'c>, ty: Ty<'c>) -> Attr<'c> {
    let (Some(own), Some(wanted)) = (attr::tensor_type(value), TensorType::from_mlir(ty)) else {
        return value;
    };
    if own.element == wanted.element {
        return value;
    }
    let dense = Dense::from_mlir(value).map(|dense| Dense {
        ty: wanted,
        ..dense
    });
    dense
        .and_then(|dense| dense.to_mlir(b.context()))
        .unwrap_or(value)
}

/// The arguments of a block become what is in memory for them.
pub(crate) fn hold_arguments(context: Op<'_>, block: Blk<'_>) {
    let Some(b) = op::first(block).and_then(|first| Builder::before(first.context(), first)) else {
        return;
    };
    for (i, old) in op::arguments(block).into_iter().enumerate() {
        let ty = held(&b, old.r#type());
        if ty != old.r#type() {
            let new = edit::insert_argument(block, i, ty, context.location());
            op::replace_all_uses(old, restored(&b, new, old.r#type()));
            edit::erase_argument(block, i + 1);
        }
    }
}

/// Operations that move quantized elements, and do not compute with them, move their stored
/// integers, and reductions reduce them.
pub(crate) fn move_stored<'c>(module: Op<'c>) {
    for op in inline::programs(module) {
        let class = registry::lookup(op).map(|def| def.class);
        let moves = match class {
            Some(Class::Movement | Class::Assembly) => true,
            _ if op.is_hlo("reduce") || op.is_hlo("reduce_window") => reduces_stored(op),
            _ => op.is_hlo("constant") || op.is_hlo("select") || op.is_hlo("bitcast_convert"),
        };
        let Some(b) = Builder::before(op.context(), op).filter(|_| moves && is_hlo(op)) else {
            continue;
        };
        let mut values = op.operands().into_iter().chain(op.results());
        if values.all(|value| held(&b, value.r#type()) == value.r#type()) {
            continue;
        }
        let operands = op.operands().into_iter().map(|value| stored(&b, value));
        let operands: Vec<Val<'c>> = operands.collect();
        let types = op.results().into_iter().map(|v| held(&b, v.r#type()));
        let types: Vec<Ty<'c>> = types.collect();
        let is_same = op.is_hlo("bitcast_convert") && operands[0].r#type() == types[0];
        let made = if is_same {
            operands
        } else {
            let mut attributes = op.attributes();
            if op.is_hlo("constant") {
                for (_, value) in &mut attributes {
                    *value = retyped(&b, *value, types[0]);
                }
            }
            for block in (0..op.num_regions()).filter_map(|r| op.body(r)) {
                hold_arguments(op, block);
                hold_results(block);
            }
            let regions = edit::take_regions(op);
            let made = b.op_with_regions(op.name(), &operands, &types, &attributes, regions);
            made.results()
        };
        for (old, new) in op.results().into_iter().zip(made) {
            op::replace_all_uses(old, restored(&b, new, old.r#type()));
        }
        edit::erase_unused(op);
    }
}

/// Tells whether the computation of a reduction takes elements as they are stored.
fn reduces_stored(op: Op<'_>) -> bool {
    let element = |value: Val<'_>| TensorType::from_mlir(value.r#type()).map(|ty| ty.element);
    let mut all = op.operands().into_iter().chain(op.results());
    let taken = op.body(0).map(op::arguments).unwrap_or_default();
    let first = taken.first().copied().and_then(element);
    first.is_some() && all.all(|value| element(value) == first)
}

/// Replaces the operands of the last operation of a block by the integers that are stored for them.
fn hold_results(block: Blk<'_>) {
    let Some(end) = op::ops(block).last().copied() else {
        return;
    };
    let Some(b) = Builder::before(end.context(), end) else {
        return;
    };
    for (i, value) in end.operands().into_iter().enumerate() {
        op::set_operand(end, i, stored(&b, value));
    }
}

/// Removes conversions there and back, and those that nothing reads.
pub(crate) fn fold(module: Op<'_>) {
    let mut casts = inline::programs(module);
    casts.retain(|op| op.name() == CAST);
    for cast in &casts {
        let Some((before, _)) = op::defining_op(cast.operand(0)) else {
            continue;
        };
        if before.name() == CAST && before.operand(0).r#type() == cast.result(0).r#type() {
            op::replace_all_uses(cast.result(0), before.operand(0));
        }
    }
    // One may have been read by the next one only.
    for cast in casts.into_iter().rev() {
        if op::uses(cast.result(0)).is_empty() {
            edit::erase_unused(cast);
        }
    }
}
