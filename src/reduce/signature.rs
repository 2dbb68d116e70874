//! Functions: what they take, what they give, and who calls them.

use mapwright_mlir::{Attr, Builder, Op, Ty, Val, attr, edit, melior::ir::ValueLike, op};
use std::collections::HashSet;

/// The functions of a module that have a body, in order.
pub(crate) fn functions<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    let all = module.body(0).map(op::ops).unwrap_or_default().into_iter();
    all.filter(|op| op.name() == "func.func" && op.body(0).is_some())
        .collect()
}

/// The names that operations refer to, by the operations.
fn references<'c>(module: Op<'c>) -> Vec<(String, Op<'c>)> {
    let mut found = Vec::new();
    for op in module.descendants() {
        for (_, attribute) in op.attributes() {
            let inside = attr::array(attribute).unwrap_or_default();
            let all = inside.into_iter().chain([attribute]);
            found.extend(all.filter_map(attr::symbol).map(|name| (name, op)));
        }
    }
    found
}

/// The functions that nothing refers to, whose arguments and results are free.
pub(crate) fn uncalled<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    let names: HashSet<String> = references(module).into_iter().map(|(n, _)| n).collect();
    let mut found = functions(module);
    found.retain(|f| f.string("sym_name").is_some_and(|n| !names.contains(&n)));
    found
}

/// The function that an operation is in.
pub(crate) fn around<'c>(op: Op<'c>) -> Option<Op<'c>> {
    let mut outer = op.parent()?;
    while outer.name() != "func.func" {
        outer = outer.parent()?;
    }
    Some(outer)
}

/// The return of a function that has one block.
pub(crate) fn end<'c>(function: Op<'c>) -> Option<Op<'c>> {
    match op::blocks(function.region(0)).as_slice() {
        [block] => op::ops(*block).last().copied(),
        _ => None,
    }
}

/// Puts `with` in the place of an operation: an operation of the same attributes without regions.
fn remake<'c>(old: Op<'c>, operands: &[Val<'c>], kept: &[usize]) -> Option<()> {
    let b = Builder::before(old.context(), old)?;
    let results: Vec<Val<'c>> = kept.iter().map(|i| old.result(*i)).collect();
    let new = b.op(old.name(), operands, &types(&results), &old.attributes());
    for (result, value) in results.into_iter().zip(new.results()) {
        op::replace_all_uses(result, value);
    }
    edit::erase_unused(old);
    Some(())
}

fn types<'c>(values: &[Val<'c>]) -> Vec<Ty<'c>> {
    values.iter().map(|value| value.r#type()).collect()
}

/// Leaves entries out of a list of dictionaries beside arguments or results, or adds empty ones.
fn attributes_beside(function: Op<'_>, name: &str, kept: &[usize], count: usize) {
    let Some(list) = function.attribute(name).and_then(attr::array) else {
        return;
    };
    let Some(b) = Builder::before(function.context(), function) else {
        return;
    };
    let mut list: Vec<Attr<'_>> = kept.iter().filter_map(|i| list.get(*i).copied()).collect();
    list.resize(count, b.parse_attr("{}"));
    function.set_attribute(name, b.array_attr(&list));
}

/// Gives every function the type of its arguments and of what it returns.
pub(crate) fn settle(module: Op<'_>) {
    for function in functions(module) {
        let Some(block) = function.body(0) else {
            continue;
        };
        let blocks = op::blocks(function.region(0)).into_iter();
        let mut ends = blocks.filter_map(|block| op::ops(block).last().copied());
        let Some(end) = ends.find(|end| end.name() == "func.return") else {
            continue;
        };
        let (inputs, results) = (types(&op::arguments(block)), types(&end.operands()));
        let all: Vec<usize> = (0..inputs.len().max(results.len())).collect();
        attributes_beside(function, "arg_attrs", &all, inputs.len());
        attributes_beside(function, "res_attrs", &all, results.len());
        let b = Builder::new(function.context(), block, function.location());
        let ty = b.type_attr(b.function_type(&inputs, &results));
        function.set_attribute("function_type", ty);
    }
}

/// The calls of a function; `None` where something else refers to it.
fn calls<'c>(module: Op<'c>, function: Op<'c>) -> Option<Vec<Op<'c>>> {
    let name = function.string("sym_name")?;
    let all = references(module).into_iter();
    let own: Vec<Op<'c>> = all.filter(|(n, _)| *n == name).map(|(_, op)| op).collect();
    own.iter().all(|op| op.name() == "func.call").then_some(own)
}

/// The arguments of functions that nothing uses: the function, and the number of the argument.
pub(crate) fn unused_arguments<'c>(module: Op<'c>) -> Vec<(Op<'c>, usize)> {
    let mut found = Vec::new();
    for function in functions(module) {
        let Some(block) = function.body(0) else {
            continue;
        };
        if calls(module, function).is_some() {
            let arguments = op::arguments(block).into_iter().enumerate();
            let unused = arguments.filter(|(_, value)| !edit::is_used(*value));
            found.extend(unused.map(|(i, _)| (function, i)));
        }
    }
    found
}

/// The results of functions that no call uses: the function, and the number of the result.
pub(crate) fn unused_results<'c>(module: Op<'c>) -> Vec<(Op<'c>, usize)> {
    let mut found = Vec::new();
    for function in functions(module) {
        if let (Some(end), Some(calls)) = (end(function), calls(module, function)) {
            let unused = |i: usize| {
                let mut results = calls.iter().filter(|call| i < call.num_results());
                results.all(|call| !edit::is_used(call.result(i)))
            };
            let all = 0..end.num_operands();
            found.extend(all.filter(|i| unused(*i)).map(|i| (function, i)));
        }
    }
    found
}

/// The places by functions, each with the numbers that are not in the list.
fn by_function<'c>(
    places: &[(Op<'c>, usize)],
    count: impl Fn(Op<'c>) -> usize,
) -> Vec<(Op<'c>, Vec<usize>)> {
    let mut functions: Vec<Op<'c>> = places.iter().map(|(function, _)| *function).collect();
    functions.dedup();
    let kept = |function| {
        let all = 0..count(function);
        all.filter(|i| !places.contains(&(function, *i))).collect()
    };
    functions.into_iter().map(|f| (f, kept(f))).collect()
}

/// Leaves out arguments that are not used, also where the functions are called.
pub(crate) fn drop_arguments<'c>(module: Op<'c>, places: &[(Op<'c>, usize)]) {
    let count = |f: Op<'c>| f.body(0).map_or(0, |block| op::arguments(block).len());
    for (function, kept) in by_function(places, count) {
        let Some(block) = function.body(0) else {
            continue;
        };
        for call in calls(module, function).unwrap_or_default() {
            let operands: Vec<_> = kept.iter().map(|i| call.operand(*i)).collect();
            let results: Vec<usize> = (0..call.num_results()).collect();
            let _ = remake(call, &operands, &results);
        }
        attributes_beside(function, "arg_attrs", &kept, kept.len());
        for i in (0..count(function)).rev().filter(|i| !kept.contains(i)) {
            edit::erase_argument(block, i);
        }
    }
}

/// Leaves out results that are not used, also where the functions are called.
pub(crate) fn drop_results<'c>(module: Op<'c>, places: &[(Op<'c>, usize)]) {
    let count = |f: Op<'c>| end(f).map_or(0, Op::num_operands);
    for (function, kept) in by_function(places, count) {
        let Some(end) = end(function) else {
            continue;
        };
        for call in calls(module, function).unwrap_or_default() {
            let _ = remake(call, &call.operands(), &kept);
        }
        attributes_beside(function, "res_attrs", &kept, kept.len());
        let operands: Vec<_> = kept.iter().map(|i| end.operand(*i)).collect();
        let _ = remake(end, &operands, &[]);
    }
}
