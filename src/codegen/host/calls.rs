//! What kernels call: functions that are defined beside them, and those of the C library.

use mapwright_mlir::{Builder, Op, op};
use mapwright_normalize::inline::has_symbols;
use std::collections::{BTreeMap, BTreeSet};

/// The calls in `functions` by the names of what is called, one for each; not those in operations that have symbols of their own.
fn calls<'c>(functions: &[Op<'c>]) -> BTreeMap<String, Op<'c>> {
    let mut found = BTreeMap::new();
    let mut left = functions.to_vec();
    while let Some(op) = left.pop() {
        if has_symbols(op) {
            continue;
        }
        if op.name() == "func.call"
            && let Some(name) = op.symbol("callee")
        {
            found.entry(name).or_insert(op);
        }
        for r in 0..op.num_regions() {
            left.extend(op::blocks(op.region(r)).into_iter().flat_map(op::ops));
        }
    }
    found
}

/// The symbols of the module that `b` appends to.
fn symbols(b: &Builder<'_>) -> BTreeSet<String> {
    let all = op::ops(b.block()).into_iter();
    all.filter_map(|op| op.string("sym_name")).collect()
}

/// Defines the functions of [`crate::scalar`] that `functions` call, which are in the module that `b` appends to. `extended`: as in [`Options`].
pub(crate) fn define_calls<'c>(b: &Builder<'c>, functions: &[Op<'c>], extended: Option<&str>) {
    let there = symbols(b);
    for name in calls(functions).into_keys() {
        if !there.contains(&name) {
            // What cannot be defined is left to be declared, and found missing when the code is linked.
            let _ = crate::scalar::define_extended(b, &name, extended);
        }
    }
}

/// Declares what `functions` call and nobody defines in the module that `b` appends to: functions of the C library, and intrinsics.
pub(crate) fn declare_calls<'c>(b: &Builder<'c>, functions: &[Op<'c>]) {
    use mapwright_mlir::melior::ir::ValueLike;
    let there = symbols(b);
    for (name, op) in calls(functions) {
        if !there.contains(&name) {
            let inputs: Vec<_> = op.operands().iter().map(|v| v.r#type()).collect();
            let results: Vec<_> = op.results().iter().map(|v| v.r#type()).collect();
            b.declare(&name, &inputs, &results);
        }
    }
}
