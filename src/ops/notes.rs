//! What MHLO notes at functions, their arguments, and modules.

use crate::control::checks::part;
use crate::symbols::{find_function_in, signature};
use crate::typing::{self, check::*};
use mapwright_mlir::{Attr, Op, ValueType, attr, hooks::Place, text};

/// Checks an attribute that MHLO adds to a function, its arguments, or a module.
pub(crate) fn verify_attribute(op: Op<'_>, name: &str, value: Attr<'_>, place: Place) -> bool {
    let text = value.to_string();
    let checked = match (name, place) {
        _ if text.starts_with("#mhlo.result_alias<") => alias(op, &text, place),
        ("mhlo.parameter_replication", Place::Argument(i)) => replication(op, value, i),
        ("mhlo.cross_program_prefetches", Place::Operation) => prefetches(op, value),
        _ => Ok(()),
    };
    typing::reported(op, at(format_args!("'{name}'"), checked))
}

/// `#mhlo.result_alias<tuple_indices = […], result_index = [result, …], must_alias>`: a part of an
/// argument and one of a result of the same type.
fn alias(function: Op<'_>, text: &str, place: Place) -> Check {
    let (Place::Argument(i), Some((arguments, results))) = (place, signature(function)) else {
        return violation("", "is for arguments of functions");
    };
    let result = text::integer_list(text, "result_index");
    let Some((result, path)) = result.split_first() else {
        return violation("", "must say which result it is in 'result_index'");
    };
    let whole = usize::try_from(*result).ok().and_then(|i| results.get(i));
    let (Some(from), Some(to)) = (arguments.get(i), whole) else {
        return violation(
            "",
            format!("names result #{result}, there are {}", results.len()),
        );
    };
    let from = part(from.clone(), &text::integer_list(text, "tuple_indices"))?;
    let to = part(to.clone(), path)?;
    ensure!(
        types_agree(&from, &to),
        "",
        "argument and result must have the same type, have {from} and {to}"
    );
    Ok(())
}

/// Counts the tensors of a type.
fn leaves(ty: &ValueType) -> usize {
    match ty {
        ValueType::Tuple(types) => types.iter().map(leaves).sum(),
        _ => 1,
    }
}

/// A truth value for each tensor of the argument, or one for all, or none.
fn replication(function: Op<'_>, value: Attr<'_>, argument: usize) -> Check {
    let all = attr::array(value).and_then(|all| {
        all.into_iter()
            .map(attr::boolean)
            .collect::<Option<Vec<_>>>()
    });
    let Some(all) = all else {
        return violation("", format!("must be a list of truth values, is {value}"));
    };
    let (arguments, _) = signature(function).unwrap_or_default();
    let count = arguments.get(argument).map_or(1, leaves);
    ensure!(
        all.len() <= 1 || all.len() == count,
        "",
        "must have a value for each of {count} tensors of the argument, has {}",
        all.len()
    );
    Ok(())
}

/// Parts of arguments of the function `main`.
fn prefetches(module: Op<'_>, value: Attr<'_>) -> Check {
    let Some(all) = attr::array(value) else {
        return violation("", format!("must be a list, is {value}"));
    };
    let main = find_function_in(module, "main").and_then(signature);
    for prefetch in all.into_iter().map(|prefetch| prefetch.to_string()) {
        ensure!(
            prefetch.starts_with("#mhlo.cross_program_prefetch<"),
            "",
            "must have elements of the kind '#mhlo.cross_program_prefetch', has {prefetch}"
        );
        let Some((arguments, _)) = &main else {
            return violation("", "there is no function @main");
        };
        let number = text::integer_list(&prefetch, "parameter");
        let number = number.first().copied().unwrap_or(-1);
        let Some(ty) = usize::try_from(number).ok().and_then(|i| arguments.get(i)) else {
            return violation(
                "",
                format!("names parameter {number}, @main has {}", arguments.len()),
            );
        };
        part(ty.clone(), &text::integer_list(&prefetch, "indices"))?;
    }
    Ok(())
}
