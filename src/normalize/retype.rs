//! Types of values in another spelling.

use mapwright_mlir::{
    Op, Ty, attr,
    melior::ir::{TypeLike, ValueLike, attribute::TypeAttribute},
    op,
};

/// Function that writes a type anew; `None` where it stays.
pub type Spelling<'f> = dyn Fn(&str) -> Option<String> + 'f;

fn changed<'c>(ty: Ty<'c>, spelling: &Spelling<'_>) -> Option<Ty<'c>> {
    let context = mapwright_mlir::context::outlive(ty.context());
    Ty::parse(context, &spelling(&ty.to_string())?).filter(|new| *new != ty)
}

/// Results of `op` and arguments of its blocks get the types that `spelling` writes.
pub fn values(op: Op<'_>, spelling: &Spelling<'_>) {
    let mut values = op.results();
    for i in 0..op.num_regions() {
        for block in op::blocks(op.region(i)) {
            values.extend(op::arguments(block));
        }
    }
    for value in values {
        if let Some(ty) = changed(value.r#type(), spelling) {
            value.set_type(ty);
        }
    }
}

/// The type of a function in the spelling; nothing for other operations.
pub fn function(op: Op<'_>, spelling: &Spelling<'_>) {
    if let Some(ty) = op.attribute("function_type").and_then(attr::ty)
        && let Some(ty) = changed(ty, spelling)
    {
        op.set_attribute("function_type", TypeAttribute::new(ty).into());
    }
}
