//! Integers of the type `si32`: the same numbers as StableHLO's `i32`.

use crate::retype;
use mapwright_mlir::Op;

/// A type without signs, if it has any.
fn without_signs(written: &str) -> Option<String> {
    (written.contains("xsi") || written.contains("<si"))
        .then(|| written.replace("xsi", "xi").replace("<si", "<i"))
}

/// Gives every value inside `module` a type without signs. They come in as arguments of functions.
pub(super) fn legalize(module: Op<'_>) {
    let all = module.descendants();
    let signed = |op: &Op<'_>| {
        op.text("function_type")
            .is_some_and(|ty| without_signs(&ty).is_some())
    };
    if !all.iter().any(signed) {
        return;
    }
    for op in all {
        retype::values(op, &without_signs);
        retype::function(op, &without_signs);
    }
}
