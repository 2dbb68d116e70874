//! What kernels call: functions that are defined beside them, and those of the C library.

use mapwright_mlir::{Builder, op};
use std::collections::BTreeSet;

/// Defines the functions of [`crate::scalar`] that kernels call. `extended`: as in [`Options`].
pub(crate) fn define_calls(b: &Builder<'_>, extended: Option<&str>) {
    let there: BTreeSet<String> = op::ops(b.block())
        .into_iter()
        .filter_map(|function| function.string("sym_name"))
        .collect();
    let called: BTreeSet<String> = op::ops(b.block())
        .into_iter()
        .flat_map(|function| function.descendants())
        .filter(|op| op.name() == "func.call")
        .filter_map(|op| op.symbol("callee"))
        .filter(|name| !there.contains(name))
        .collect();
    for name in called {
        // What cannot be defined is left to be declared, and found missing when the code is linked.
        let _ = crate::scalar::define_extended(b, &name, extended);
    }
}

/// Declares functions that kernels call and nobody defines: those of the C library.
pub(crate) fn declare_calls(b: &Builder<'_>) {
    use mapwright_mlir::melior::ir::ValueLike;
    let mut defined = BTreeSet::new();
    let mut called = std::collections::BTreeMap::new();
    for function in op::ops(b.block()) {
        defined.extend(function.string("sym_name"));
        for op in function.descendants() {
            if op.name() == "func.call"
                && let Some(name) = op.symbol("callee")
            {
                called.entry(name).or_insert(op);
            }
        }
    }
    for (name, op) in called {
        if !defined.contains(&name) {
            let inputs: Vec<_> = op.operands().iter().map(|v| v.r#type()).collect();
            let results: Vec<_> = op.results().iter().map(|v| v.r#type()).collect();
            b.declare(&name, &inputs, &results);
        }
    }
}
