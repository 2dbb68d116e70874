//! The dialect of the reference interpreter's tests: functions run as processes.

use super::check::*;
use super::{find_function, signature};
use mapwright_mlir::{Attr, Op, ValueType, attr};

/// `run_parallel`: a grid of functions, whose arguments are the operands in order and whose results
/// are the results.
pub fn run_parallel(op: Op<'_>) -> Check<Inferred> {
    let rows: Vec<Vec<String>> = op
        .attribute("programs")
        .and_then(attr::array)
        .unwrap_or_default()
        .into_iter()
        .map(|row| names("programs", row))
        .collect::<Check<_>>()?;
    let width = rows.first().map_or(0, Vec::len);
    ensure!(
        width > 0 && rows.iter().all(|row| row.len() == width),
        "",
        "'programs' must be a grid of functions, has rows of {:?}",
        rows.iter().map(Vec::len).collect::<Vec<_>>()
    );
    let (mut inputs, mut results) = (Vec::new(), Vec::new());
    for name in rows.iter().flatten() {
        let (takes, gives) = function(op, name)?;
        inputs.extend(takes);
        results.extend(gives);
    }
    let operands: Vec<ValueType> = (0..op.num_operands()).map(|i| op.operand_type(i)).collect();
    ensure!(
        all_agree(&inputs, &operands),
        "",
        "the programs take {}, the operands are {}",
        list(&inputs),
        list(&operands)
    );
    if let Some(infeed) = op.attribute("infeed") {
        let infeed = names("infeed", infeed)?;
        ensure!(!infeed.is_empty(), "", "'infeed' must name a function");
        for name in infeed {
            let (takes, gives) = function(op, &name)?;
            ensure!(
                takes.is_empty()
                    && !gives.is_empty()
                    && gives.iter().all(|ty| ty.tensor().is_some()),
                "",
                "@{name} of 'infeed' must take nothing and give tensors, takes {} and gives {}",
                list(&takes),
                list(&gives)
            );
        }
    }
    Ok(Some(results))
}

/// A list of functions.
fn names(name: &str, list: Attr<'_>) -> Check<Vec<String>> {
    let all: Option<Vec<String>> =
        attr::array(list).and_then(|all| all.into_iter().map(attr::symbol).collect());
    match all {
        Some(all) => Ok(all),
        None => violation("", format!("'{name}' must list functions, has {list}")),
    }
}

/// Types of the arguments and results of a function of the module.
fn function(op: Op<'_>, name: &str) -> Check<(Vec<ValueType>, Vec<ValueType>)> {
    match find_function(op, name).and_then(signature) {
        Some(types) => Ok(types),
        None => violation("", format!("@{name} is not a function of the module")),
    }
}
