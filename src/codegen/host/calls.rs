//! What kernels call: functions that are defined beside them, and those of the C library.

use crate::error::Located;
use mapwright_mlir::{Builder, Op, op};
use mapwright_normalize::inline::has_symbols;
use std::collections::{BTreeMap, BTreeSet};

/// The calls in `functions` by the names of what is called, one for each; not those in operations
/// that have symbols of their own.
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

/// Defines the functions of [`crate::scalar`] that `functions` call, which are in the module that
/// `b` appends to. `extended`: as in [`Options`].
pub(crate) fn define_calls<'c>(b: &Builder<'c>, functions: &[Op<'c>], extended: Option<&str>) {
    let there = symbols(b);
    for name in calls(functions).into_keys() {
        if !there.contains(&name) {
            // What cannot be defined is left to be declared, and found missing when the code is
            // linked.
            let _ = crate::scalar::define_extended(b, &name, extended);
        }
    }
}

/// Declares what `functions` call and nobody defines in the module that `b` appends to: functions
/// of the C library, and intrinsics.
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

/// The functions of a program and how often it calls each, in order to find those that generated
/// code calls in the place of a library's.
pub(crate) struct Named {
    functions: BTreeSet<String>,
    calls: BTreeMap<String, usize>,
}

impl Named {
    /// Of a program for which no code was generated yet.
    pub(crate) fn for_module(module: Op<'_>) -> Self {
        let all = module.descendants();
        let functions = all.iter().filter(|op| op.name() == "func.func");
        Self {
            functions: functions.filter_map(|op| op.string("sym_name")).collect(),
            calls: counted(&all),
        }
    }

    /// An error at each function that is called more often now. There is one function of a name
    /// where modules are linked, and the program's names are its own: others know them.
    pub(crate) fn mistaken<'c>(&self, module: Op<'c>) -> Vec<Located<'c>> {
        let all = module.descendants();
        let calls = counted(&all);
        let is_mistaken = |op: &Op<'c>| {
            let name = op.string("sym_name").unwrap_or_default();
            op.name() == "func.func"
                && op.body(0).is_some()
                && self.functions.contains(&name)
                && calls.get(&name) > self.calls.get(&name)
        };
        let why = "has the name of a library's function that generated code calls";
        let found = all.iter().filter(|op| is_mistaken(op));
        found.map(|op| Located::new(*op, why)).collect()
    }
}

/// Counts the calls among these operations by the name of the callee.
fn counted(ops: &[Op<'_>]) -> BTreeMap<String, usize> {
    let calls = ops
        .iter()
        .filter(|op| matches!(op.name(), "func.call" | "llvm.call"));
    let mut counted = BTreeMap::new();
    for name in calls.filter_map(|op| op.symbol("callee")) {
        *counted.entry(name).or_insert(0) += 1;
    }
    counted
}
