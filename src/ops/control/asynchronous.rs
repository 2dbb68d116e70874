//! Constraints of asynchronous operations: those of StableHLO have a region, those of MHLO a
//! function that is called.

use crate::symbols::{find_function, signature};
use crate::typing::check::*;
use mapwright_mlir::{Op, ValueType, op};

/// Operations that a region of StableHLO's may start: collectives, and slices.
const STARTED: &[&str] = &[
    "all_gather",
    "all_reduce",
    "all_to_all",
    "collective_broadcast",
    "collective_permute",
    "collective_reduce",
    "dynamic_slice",
    "dynamic_update_slice",
    "reduce_scatter",
    "slice",
];

/// The bundle of MHLO.
const BUNDLE: &str = "!mhlo.async_bundle";

fn operand_types(op: Op<'_>) -> Vec<ValueType> {
    (0..op.num_operands()).map(|i| op.operand_type(i)).collect()
}

/// `async_start`.
pub fn start(op: Op<'_>) -> Check<Inferred> {
    match op.dialect() {
        "mhlo" => called(op),
        _ => computed(op),
    }
}

fn computed(op: Op<'_>) -> Check<Inferred> {
    let body = region(op, 0)?;
    let inner = op.body(0).map(op::ops).unwrap_or_default();
    let [single, _] = inner[..] else {
        return violation(
            "c1",
            format!(
                "the region must have a single operation and a return, has {} operations",
                inner.len()
            ),
        );
    };
    ensure!(
        single.dialect() == op.dialect() && STARTED.contains(&single.short_name()),
        "c2",
        "the operation in the region must be a collective or a slice, is '{}'",
        single.name()
    );
    let operands = operand_types(op);
    ensure!(
        all_agree(&body.arguments, &operands),
        "c3",
        "the region must take {}, takes {}",
        list(&operands),
        list(&body.arguments)
    );
    let future = ValueType::Future {
        name: "!stablehlo.future",
        types: body.results,
    };
    ensure!(
        types_agree(&future, &op.result_type(0)),
        "c4",
        "the result must be of the type {future}, is {}",
        op.result_type(0)
    );
    Ok(Some(vec![future]))
}

/// Types of what the function that an asynchronous operation starts takes and gives.
type Signature = (Vec<ValueType>, Vec<ValueType>);

/// The function that `start` names; `None` where `start` is in no module, so that it may be any.
fn callee<'c>(start: Op<'c>) -> Check<Option<Op<'c>>> {
    let Some(name) = start.symbol("called_computation") else {
        return violation("", "needs the attribute 'called_computation', a function");
    };
    match find_function(start, &name) {
        None if !crate::symbols::is_in_no_module(start) => violation(
            "",
            format!("'called_computation' @{name} is not a function of the module"),
        ),
        function => Ok(function),
    }
}

fn called(op: Op<'_>) -> Check<Inferred> {
    let bundle = Some(vec![op.result_type(0)]);
    let Some(function) = callee(op)? else {
        return Ok(bundle);
    };
    let (own, thread) = (
        op.string("execution_thread"),
        function.string("execution_thread"),
    );
    ensure!(
        thread.is_some() && own == thread,
        "",
        "'execution_thread' must be that of the function that is called, is {}, the function has {}",
        number(own),
        number(thread)
    );
    let Some(types) = signature(function) else {
        return Ok(bundle);
    };
    let operands = operand_types(op);
    ensure!(
        all_agree(&types.0, &operands),
        "",
        "the function takes {}, the operands are {}",
        list(&types.0),
        list(&operands)
    );
    of_function(&op.result_type(0), &types)?;
    Ok(bundle)
}

/// A bundle begins with what the function takes, as one value, and what it gives, likewise.
fn of_function(bundle: &ValueType, (inputs, results): &Signature) -> Check {
    let ValueType::Future {
        name: BUNDLE,
        types,
    } = bundle
    else {
        return violation("", format!("expected a bundle, is {bundle}"));
    };
    let (Some(taken), Some(given)) = (types.first(), types.get(1)) else {
        return violation(
            "",
            format!("a bundle must have two components at least, is {bundle}"),
        );
    };
    // Several values are a tuple, and what is taken may be one where it is a single value, too.
    let is_single = |component: &ValueType, all: &[ValueType]| matches!(all, [one] if types_agree(component, one));
    let is_tuple = |component: &ValueType, all: &[ValueType]| {
        types_agree(component, &ValueType::Tuple(all.to_vec()))
    };
    ensure!(
        is_single(taken, inputs) || is_tuple(taken, inputs),
        "",
        "component #0 of the bundle must be what the function takes, {}, is {taken}",
        list(inputs)
    );
    ensure!(
        is_single(given, results) || (results.len() != 1 && is_tuple(given, results)),
        "",
        "component #1 of the bundle must be what the function gives, {}, is {given}",
        list(results)
    );
    Ok(())
}

/// Returns the signature of the function whose bundle an `async_update` or `async_done` continues;
/// `None` where that is not known.
fn continued(op: Op<'_>) -> Check<Option<Signature>> {
    let mut maker = op::defining_op(op.operand(0));
    // Whether values come before their uses is checked later: states may be a circle.
    let mut seen = vec![op];
    while let Some((update, _)) = maker
        && update.is_hlo("async_update")
        && !seen.contains(&update)
    {
        seen.push(update);
        maker = op::defining_op(update.operand(0));
    }
    let start = match maker {
        Some((start, _)) if start.is_hlo("async_start") => start,
        _ => {
            return violation(
                "",
                "the operand must come from 'async_start' or 'async_update'",
            );
        }
    };
    let Some(types) = callee(start)?.and_then(signature) else {
        return Ok(None);
    };
    of_function(&op.operand_type(0), &types)?;
    Ok(Some(types))
}

/// `async_update`: the bundle keeps its type.
pub fn update(op: Op<'_>) -> Check<Inferred> {
    continued(op)?;
    Ok(Some(vec![op.operand_type(0)]))
}

/// `async_done`.
pub fn done(op: Op<'_>) -> Check<Inferred> {
    match op.operand_type(0) {
        ValueType::Future { name: BUNDLE, .. } => Ok(continued(op)?.map(|(_, results)| results)),
        ValueType::Future { types, .. } => Ok(Some(types)),
        other => violation("", format!("the operand must be a future, is {other}")),
    }
}
