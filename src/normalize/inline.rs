//! Inlining of calls and composites, so that fusion sees through them. StableHLO has no recursion,
//! so everything can be inlined.

use crate::rewrite::Error;
use mapwright_mlir::{Blk, Builder, Op, Val, attr, edit, op};
use mapwright_ops::attrs;
use std::collections::{HashMap, HashSet};

/// The most operations that calls become, where nobody says otherwise.
pub const MOST: usize = 1_000_000;

/// `module` and the operations inside of it that have symbols of their own, such as modules.
pub fn modules(module: Op<'_>) -> Vec<Op<'_>> {
    let inside = module.descendants().into_iter();
    let inside = inside.filter(|op| has_symbols(*op));
    std::iter::once(module).chain(inside).collect()
}

/// Tells whether symbols that are referred to in `op` belong to it.
pub fn has_symbols(op: Op<'_>) -> bool {
    op.num_regions() > 0 && op.name() != "func.func" && op.is_symbol_table()
}

/// The functions of a module by name.
pub fn functions<'c>(module: Op<'c>) -> HashMap<String, Op<'c>> {
    let mut found = HashMap::new();
    for block in module.body(0).into_iter() {
        for op in op::ops(block) {
            if op.name() == "func.func"
                && let Some(name) = op.string("sym_name")
            {
                found.insert(name, op);
            }
        }
    }
    found
}

/// The function that `op` calls, if it is a call, a composite (its decomposition) or `chlo`'s and
/// `mhlo`'s relatives.
pub fn callee(op: Op<'_>) -> Option<String> {
    match op.name() {
        "func.call" => op.symbol("callee"),
        "stablehlo.composite" | "mhlo.composite" => op.symbol("decomposition"),
        _ => None,
    }
}

/// A call that was inlined: the function, and the call in whose copy it was found.
struct Call {
    name: String,
    within: Option<usize>,
}

/// Inlines every call in `function`, also those in regions; `most`: operations that may become of
/// them. Functions that call others twice grow with the power of two of how deep that goes.
///
/// # Errors
/// A call of a function that is not there or calls itself, or the limit.
pub fn inline_calls<'c>(module: Op<'c>, function: Op<'c>, most: usize) -> Result<(), Error<'c>> {
    let functions = functions(module);
    let mut calls: Vec<Call> = Vec::new();
    let mut made = 0;
    // Neither calls in calls nor regions in regions take up the stack of this program.
    let mut left: Vec<(Op<'c>, Option<usize>)> = children(function)
        .into_iter()
        .map(|op| (op, None))
        .collect();
    while let Some((op, within)) = left.pop() {
        let Some(name) = callee(op) else {
            left.extend(children(op).into_iter().map(|inner| (inner, within)));
            continue;
        };
        let mut outer = within;
        while let Some(i) = outer {
            if calls[i].name == name {
                return Err(Error::new(op, format!("calls @{name}, which calls itself")));
            }
            outer = calls[i].within;
        }
        let copies = inline_call(&functions, op, &name)?;
        calls.push(Call { name, within });
        for copy in copies {
            made += 1 + copy.descendants().len();
            if made > most {
                let why = format!("calls of functions become more than {most} operations");
                return Err(Error::new(copy, why));
            }
            left.push((copy, Some(calls.len() - 1)));
        }
    }
    Ok(())
}

/// The operations directly in the regions of `op`.
fn children<'c>(op: Op<'c>) -> Vec<Op<'c>> {
    (0..op.num_regions())
        .flat_map(|r| op::blocks(op.region(r)))
        .flat_map(op::ops)
        .collect()
}

/// Puts copies of the operations of function `name` in the place of `call`.
fn inline_call<'c>(
    functions: &HashMap<String, Op<'c>>,
    call: Op<'c>,
    name: &str,
) -> Result<Vec<Op<'c>>, Error<'c>> {
    let wrong = |what: &str| Error::new(call, format!("calls @{name}{what}"));
    let target = functions
        .get(name)
        .ok_or_else(|| wrong(", which does not exist"))?;
    let body = target.body(0).ok_or_else(|| {
        wrong(
            ", which has no body: of the passes that lower, `indexing-lower-in-place` alone leaves calls as they are",
        )
    })?;
    let arguments = op::arguments(body);
    if arguments.len() != call.num_operands() {
        return Err(wrong(&format!(" with {} operands", call.num_operands())));
    }
    let mut map: HashMap<usize, Val<'c>> = arguments
        .into_iter()
        .map(op::key)
        .zip(call.operands())
        .collect();
    let mut copies = Vec::new();
    for member in op::ops(body) {
        if member.short_name() == "return" {
            for (result, value) in call.results().into_iter().zip(member.operands()) {
                let value = map.get(&op::key(value)).copied().unwrap_or(value);
                op::replace_all_uses(result, value);
            }
            continue;
        }
        let inner = edit::copy(member, &mut map);
        edit::insert_before(call, inner);
        copies.push(inner);
    }
    edit::erase_unused(call);
    Ok(copies)
}

/// Gives every operation in `root` that names a function as its computation a copy of that function
/// which is nothing else (marked by [`attrs::COMPUTATION`]), with the calls in it inlined. Such a
/// function is read as a region; the function itself may be called as well, and is then compiled
/// like any other.
///
/// # Errors
/// Those of [`inline_calls`].
pub fn separate_computations<'c>(
    module: Op<'c>,
    root: Op<'c>,
    most: usize,
) -> Result<(), Error<'c>> {
    let Some(body) = module.body(0) else {
        return Ok(());
    };
    let b = Builder::new(module.context(), body, module.location());
    let mut copies: HashMap<String, String> = HashMap::new();
    for op in root.descendants() {
        let called = op.is_hlo("custom_call").then(|| attrs::called_function(op));
        let Some(Ok(computation)) = called else {
            continue;
        };
        let name = computation.string("sym_name").unwrap_or_default();
        if is_computation(computation) {
            continue;
        }
        if !copies.contains_key(&name) {
            let taken = functions(module);
            let mut number = 0;
            while taken.contains_key(&format!("{name}_computation_{number}")) {
                number += 1;
            }
            let copy = edit::append_clone(body, computation);
            let fresh = format!("{name}_computation_{number}");
            copy.set_attribute("sym_name", b.str_attr(&fresh));
            copy.set_attribute("sym_visibility", b.str_attr("private"));
            copy.set_attribute(attrs::COMPUTATION, b.unit_attr());
            inline_calls(module, copy, most)?;
            copies.insert(name.clone(), fresh);
        }
        if let Some(copy) = copies.get(&name) {
            op.set_attribute("called_computations", b.array_attr(&[b.symbol_attr(copy)]));
        }
    }
    Ok(())
}

/// Whether `op` is a function that [`separate_computations`] made.
pub fn is_computation(op: Op<'_>) -> bool {
    op.attribute(attrs::COMPUTATION).is_some()
}

/// All operations in `op`, in pre-order, without those of computations ([`is_computation`]), which
/// stay as they are.
pub fn programs<'c>(op: Op<'c>) -> Vec<Op<'c>> {
    let mut found = Vec::new();
    for inner in children(op) {
        if !is_computation(inner) {
            found.push(inner);
            found.extend(programs(inner));
        }
    }
    found
}

/// Erases the functions of `module` that were computations ([`separate_computations`]) of
/// operations that are lowered now.
pub fn erase_computations(module: Op<'_>) {
    let named: HashSet<String> = module
        .descendants()
        .into_iter()
        .filter_map(|op| attrs::called_function(op).ok()?.string("sym_name"))
        .collect();
    for function in children(module) {
        let is_named = |name: String| named.contains(&name);
        if is_computation(function) && !function.string("sym_name").is_some_and(is_named) {
            edit::erase_unused(function);
        }
    }
}

/// Replaces tuples by their elements where both ends are in sight: `get_tuple_element` of `tuple`.
pub fn flatten_tuples<'c>(_b: &Builder<'c>, block: Blk<'c>) {
    for op in op::ops(block) {
        for r in 0..op.num_regions() {
            for inner in op::blocks(op.region(r)) {
                flatten_tuples(_b, inner);
            }
        }
        if op.short_name() == "get_tuple_element"
            && let Some((tuple, 0)) = op::defining_op(op.operand(0))
            && tuple.short_name() == "tuple"
            && let Some(i) = op.attribute("index").and_then(attr::int)
            && let Ok(i) = usize::try_from(i)
            && i < tuple.num_operands()
        {
            op::replace_all_uses(op.result(0), tuple.operand(i));
        }
    }
}
