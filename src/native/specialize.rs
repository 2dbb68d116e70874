//! Programs with run-time sizes, made static for the sizes of given arguments.

use crate::{Error, Result};
use mapwright_mlir::{
    Op, TensorType, ValueType, diagnostic::Failure, edit, melior::ir::Module,
    melior::ir::ValueLike, op,
};
use mapwright_normalize::inline;
use mapwright_normalize::{
    frontend,
    mhlo::{self, Direction},
    rewrite,
    shapes::{self, Arguments},
};
use std::collections::{BTreeMap, BTreeSet};

/// The tensors among the arguments of `entry`, if the size of some is known at run time only.
/// `None` as well for functions that take other things than tensors and tokens.
pub fn run_time_inputs(module: Op<'_>, entry: &str) -> Option<Vec<TensorType>> {
    let function = inline::functions(module).remove(entry)?;
    let mut types = Vec::new();
    for argument in op::arguments(function.body(0)?) {
        match ValueType::from_mlir(argument.r#type()) {
            ValueType::Tensor(tensor) => types.push(tensor),
            ValueType::Token => {}
            _ => return None,
        }
    }
    let is_dynamic = types.iter().any(|ty| ty.static_shape().is_none());
    is_dynamic.then_some(types)
}

/// Erases the functions that call `entry`, directly or by way of others. A call of `entry` runs
/// none of them, and it takes other types than they pass.
fn erase_callers(module: Op<'_>, entry: &str) {
    let functions = inline::functions(module);
    let calls: BTreeMap<&str, BTreeSet<String>> = (functions.iter())
        .map(|(name, function)| {
            let inside = function.descendants().into_iter();
            (name.as_str(), inside.filter_map(inline::callee).collect())
        })
        .collect();
    let mut erased: BTreeSet<&str> = BTreeSet::new();
    let mut called = vec![entry];
    while let Some(callee) = called.pop() {
        for (name, callees) in &calls {
            if *name != entry && callees.contains(callee) && erased.insert(name) {
                called.push(name);
            }
        }
    }
    for name in erased {
        if let Some(function) = functions.get(name) {
            edit::erase_unused(*function);
        }
    }
}

/// A copy of `module` whose function `entry` takes tensors of these shapes: what follows from them
/// is static in it, and assertions about shapes are decided.
///
/// # Errors
/// Shapes that the program refuses, as diagnostics.
pub fn specialize<'c>(module: Op<'c>, entry: &str, shapes: &[&[i64]]) -> Result<Module<'c>> {
    let copy = edit::clone_module(module);
    let root: Op<'c> = Op::new(copy.as_operation());
    let diagnosed = |error: rewrite::Error<'_>| {
        error.op.emit_error(&error.message);
        Error::Diagnosed(Failure::reported())
    };
    frontend::legalize(root).map_err(diagnosed)?;
    if root.descendants().iter().any(|op| op.dialect() == "mhlo") {
        mhlo::convert(root, Direction::ToStablehlo).map_err(diagnosed)?;
    }
    erase_callers(root, entry);
    shapes::guard(root);
    let mut known = Arguments::default();
    let mut next = shapes.iter();
    let function = inline::functions(root).remove(entry);
    let arguments = function.and_then(|function| function.body(0));
    for (i, argument) in arguments
        .map(op::arguments)
        .unwrap_or_default()
        .iter()
        .enumerate()
    {
        if let ValueType::Tensor(ty) = ValueType::from_mlir(argument.r#type()) {
            let shape = next.next().ok_or_else(|| {
                Error::Input(format!("@{entry} takes more tensors than {}", shapes.len()))
            })?;
            let ty = TensorType::new(ty.element, shape);
            known.types.insert(i, ty.to_string());
        }
    }
    shapes::refine(root, entry, &known).map_err(diagnosed)?;
    Ok(copy)
}
