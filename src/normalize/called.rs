//! Functions that operations name in `called_computations`, and regions made of them.

use crate::rewrite::{Result, fail};
use mapwright_mlir::{
    Builder, Op, attr, edit,
    melior::ir::{Region, ValueLike},
    op,
};
use std::collections::HashMap;

/// The functions that `op` names, in order; none where the attribute is absent.
///
/// # Errors
/// A name without a function that has a body.
pub fn computations<'c>(op: Op<'c>) -> Result<'c, Vec<Op<'c>>> {
    let names = op.attribute("called_computations").and_then(attr::array);
    let mut module = op;
    while let Some(outer) = module.parent() {
        module = outer;
    }
    let functions = module.body(0).map(op::ops).unwrap_or_default();
    let mut found = Vec::new();
    for name in names.unwrap_or_default() {
        let Some(name) = attr::symbol(name) else {
            return fail(op, "has a name in 'called_computations' that is no symbol");
        };
        let function = functions.iter().find(|function| {
            function.name() == "func.func" && function.string("sym_name").as_deref() == Some(&name)
        });
        match function {
            Some(function) if function.body(0).is_some() => found.push(*function),
            Some(_) => return fail(op, format!("calls @{name}, which has no body")),
            None => return fail(op, format!("calls @{name}, which is not there")),
        }
    }
    Ok(found)
}

/// A region with a copy of the body of `function`, which must have one. It ends in `terminator`.
pub fn region<'c>(b: &Builder<'c>, function: Op<'c>, terminator: &str) -> Region<'c> {
    let Some(body) = function.body(0) else {
        return Region::new();
    };
    let arguments = op::arguments(body);
    let types: Vec<_> = arguments.iter().map(|argument| argument.r#type()).collect();
    b.region(&types, |b, own| {
        let mut map: HashMap<usize, _> = HashMap::new();
        map.extend(arguments.iter().zip(own).map(|(a, v)| (op::key(*a), *v)));
        for inner in op::ops(body) {
            if matches!(
                inner.name(),
                "func.return" | "stablehlo.return" | "mhlo.return"
            ) {
                let values = inner.operands();
                let values: Vec<_> = values
                    .iter()
                    .map(|v| map.get(&op::key(*v)).copied().unwrap_or(*v))
                    .collect();
                b.op(terminator, &values, &[], &[]);
                break;
            }
            edit::append(b.block(), edit::copy(inner, &mut map));
        }
    })
}
