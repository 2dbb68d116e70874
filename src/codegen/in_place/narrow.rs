//! What the runtime library computes of signed integers of less than a byte.
//!
//! In its bytes there are copies of the sign above them, in upstream's there are zeros. So the
//! library is given whole bytes: the operands are converted, and so are the results.

use super::{is_hlo, library};
use mapwright_mlir::{
    Blk, Builder, ElementType, Op, TensorType, Ty, Val, edit, melior::ir::ValueLike, op,
};
use mapwright_normalize::inline;

/// The type of the same numbers in bytes, if `ty` is a tensor of signed integers of less than a
/// byte.
fn widened<'c>(b: &Builder<'c>, ty: Ty<'c>) -> Option<Ty<'c>> {
    let tensor = TensorType::from_mlir(ty)?;
    let is_narrow = matches!(
        tensor.element,
        ElementType::Int {
            width: ..8,
            unsigned: false
        }
    );
    let bytes = TensorType {
        element: ElementType::int(8),
        ..tensor
    };
    is_narrow.then(|| b.parse_type(&bytes.to_string()))
}

/// Lets operations that the library computes from such integers, but for functions called by name,
/// compute with bytes.
pub(super) fn widen(module: Op<'_>) {
    for op in inline::programs(module) {
        let is_known = is_hlo(op) && library::is_known(op) && !op.is_hlo("custom_call");
        let Some(b) = Builder::before(op.context(), op).filter(|_| is_known) else {
            continue;
        };
        let mut values = op.operands().into_iter().chain(op.results());
        if values.any(|value| widened(&b, value.r#type()).is_some()) {
            in_bytes(&b, op);
        }
    }
}

fn convert<'c>(b: &Builder<'c>, value: Val<'c>, ty: Ty<'c>) -> Val<'c> {
    if value.r#type() == ty {
        value
    } else {
        b.op1("stablehlo.convert", &[value], ty, &[])
    }
}

fn in_bytes<'c>(b: &Builder<'c>, op: Op<'c>) {
    let wide = |ty: Ty<'c>| widened(b, ty).unwrap_or(ty);
    let operands = op.operands().into_iter();
    let operands: Vec<Val<'c>> = operands
        .map(|value| convert(b, value, wide(value.r#type())))
        .collect();
    let types = op.results().into_iter().map(|value| wide(value.r#type()));
    let types: Vec<Ty<'c>> = types.collect();
    for block in (0..op.num_regions()).filter_map(|r| op.body(r)) {
        take_bytes(op, block);
    }
    let regions = edit::take_regions(op);
    let new = b.op_with_regions(op.name(), &operands, &types, &op.attributes(), regions);
    for (old, new) in op.results().into_iter().zip(new.results()) {
        op::replace_all_uses(old, convert(b, new, old.r#type()));
    }
    edit::erase_unused(op);
}

/// The arguments of a block become bytes. What only compares them with each other compares the
/// bytes.
fn take_bytes<'c>(op: Op<'c>, block: Blk<'c>) {
    let Some(b) = op::first(block).and_then(|first| Builder::before(first.context(), first)) else {
        return;
    };
    let arguments = op::arguments(block);
    let is_argument = |value: Val<'c>| op::block_argument(value).is_some();
    let compares = |(user, _): &(Op<'c>, usize)| {
        user.is_hlo("compare") && user.operands().into_iter().all(is_argument)
    };
    let narrow = arguments.iter().copied();
    let narrow = narrow.filter(|value| widened(&b, value.r#type()).is_some());
    let only_compared = narrow.flat_map(op::uses).collect::<Vec<_>>();
    let only_compared = only_compared.iter().all(compares);
    for (i, old) in arguments.into_iter().enumerate() {
        let Some(ty) = widened(&b, old.r#type()) else {
            continue;
        };
        let new = edit::insert_argument(block, i, ty, op.location());
        let value = if only_compared {
            new
        } else {
            convert(&b, new, old.r#type())
        };
        op::replace_all_uses(old, value);
        edit::erase_argument(block, i + 1);
    }
    // A reducer gives an element, a comparator says which comes first.
    let Some((end, b)) = op::ops(block)
        .pop()
        .and_then(|end| Some((end, Builder::before(end.context(), end)?)))
    else {
        return;
    };
    for (i, given) in end.operands().into_iter().enumerate() {
        if let Some(ty) = widened(&b, given.r#type()) {
            edit::set_operand(end, i, convert(&b, given, ty));
        }
    }
}
