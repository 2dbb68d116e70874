//! Kernels that take addresses.
//!
//! What an emitter makes takes buffers, and says of them what LLVM cannot see: that none is written
//! to by way of another one. Upstream's conversion of functions keeps what is said of an argument
//! only where it stays one argument, which a buffer does not. So kernels take the addresses of
//! buffers, whose shapes they know.

use mapwright_mlir::{Builder, Op, Ty, Val, attr, edit, melior::ir::ValueLike, op};

/// Name of the attribute in which emitters say what holds of the arguments of kernels.
const SAID: &str = "arg_attrs";

/// Makes addresses of the buffers that the kernel `function` takes, if it is one.
pub(super) fn take_addresses(function: Op<'_>) {
    let (Some(said), Some(block)) = (
        function.attribute(SAID).and_then(attr::array),
        function.body(0),
    ) else {
        return;
    };
    let Some(b) = op::first(block).and_then(|first| Builder::before(first.context(), first)) else {
        return;
    };
    let index = b.index();
    let mut inputs = Vec::new();
    for (i, old) in op::arguments(block).into_iter().enumerate() {
        if old.r#type() == index {
            inputs.push(index);
            continue;
        }
        let address = edit::insert_argument(block, i, b.ptr(), function.location());
        op::replace_all_uses(old, buffer(&b, address, old.r#type()));
        edit::erase_argument(block, i + 1);
        inputs.push(b.ptr());
    }
    function.set_attribute("function_type", b.type_attr(b.function_type(&inputs, &[])));
    // Nobody has promised how they are aligned.
    let only_one = |said: &mapwright_mlir::Attr<'_>| said.to_string().contains("llvm.noalias");
    let said = said.iter().map(|said| {
        if only_one(said) {
            b.parse_attr("{llvm.noalias}")
        } else {
            b.parse_attr("{}")
        }
    });
    let said: Vec<_> = said.collect();
    function.set_attribute(SAID, b.array_attr(&said));
}

/// The buffer of static type `ty` at an address, in the form that it has in LLVM.
fn buffer<'c>(b: &Builder<'c>, address: Val<'c>, ty: Ty<'c>) -> Val<'c> {
    let shape = b.shape_of(ty);
    let rank = shape.len();
    let text = match rank {
        0 => "!llvm.struct<(ptr, ptr, i64)>".to_string(),
        _ => format!("!llvm.struct<(ptr, ptr, i64, array<{rank} x i64>, array<{rank} x i64>)>"),
    };
    let form = b.parse_type(&text);
    let mut value = b.op1("llvm.mlir.poison", &[], form, &[]);
    let mut insert = |part: Val<'c>, at: &[i64]| {
        let position = [("position", b.i64_array(at))];
        value = b.op1("llvm.insertvalue", &[value, part], form, &position);
    };
    let number = |n: i64| {
        let constant = [("value", b.i64_attr(n))];
        b.op1("llvm.mlir.constant", &[], b.i64(), &constant)
    };
    insert(address, &[0]);
    insert(address, &[1]);
    insert(number(0), &[2]);
    let mut stride = 1;
    for d in (0..rank).rev() {
        insert(number(shape[d]), &[3, d as i64]);
        insert(number(stride), &[4, d as i64]);
        stride *= shape[d];
    }
    b.op1("builtin.unrealized_conversion_cast", &[value], ty, &[])
}
