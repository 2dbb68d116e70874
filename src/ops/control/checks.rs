//! Control flow, composites, tuples, tokens, custom calls and the host interface.

use crate::symbols::{find_function, signature};
use crate::typing::check::*;
use mapwright_mlir::{ElementType, Op, ValueType, attr, text};

fn declared(op: Op<'_>) -> Vec<ValueType> {
    (0..op.num_results()).map(|i| op.result_type(i)).collect()
}

/// Branches take nothing and return the same types, which are those of the results.
fn branches(
    op: Op<'_>,
    none: &'static str,
    same: &'static str,
    results: &'static str,
) -> Check<Inferred> {
    let mut types: Option<Vec<ValueType>> = None;
    for i in 0..op.num_regions() {
        let branch = region(op, i)?;
        ensure!(
            branch.arguments.is_empty(),
            none,
            "branch #{i} must take no arguments, takes {}",
            list(&branch.arguments)
        );
        if let Some(first) = &types {
            ensure!(
                all_agree(first, &branch.results),
                same,
                "branches must return the same types; branch #0 returns {}, branch #{i} {}",
                list(first),
                list(&branch.results)
            );
        } else {
            types = Some(branch.results);
        }
    }
    let types = types.unwrap_or_default();
    ensure!(
        all_agree(&types, &declared(op)),
        results,
        "the branches return {}, the results are {}",
        list(&types),
        list(&declared(op))
    );
    Ok(Some(types))
}

/// `if`.
pub fn if_op(op: Op<'_>) -> Check<Inferred> {
    let pred = operand(op, 0)?;
    ensure!(
        pred.rank() == 0 && pred.element == ElementType::Bool,
        "i1",
        "the predicate must be a 0-dimensional tensor of i1, is {pred}"
    );
    branches(op, "c1", "c2", "c3")
}

/// `case`.
pub fn case(op: Op<'_>) -> Check<Inferred> {
    ensure!(op.num_regions() > 0, "c1", "needs a branch");
    let index = operand(op, 0)?;
    ensure!(
        index.rank() == 0 && index.element == ElementType::int(32),
        "i1",
        "the index must be a 0-dimensional tensor of i32, is {index}"
    );
    branches(op, "c2", "c3", "c4")
}

/// `while`.
pub fn while_op(op: Op<'_>) -> Check<Inferred> {
    let types: Vec<ValueType> = (0..op.num_operands()).map(|i| op.operand_type(i)).collect();
    let (cond, body) = (region(op, 0)?, region(op, 1)?);
    ensure!(
        all_agree(&cond.arguments, &types),
        "c1",
        "the condition must take {}, takes {}",
        list(&types),
        list(&cond.arguments)
    );
    let boolean = matches!(
        cond.results.as_slice(),
        [ValueType::Tensor(ty)] if ty.rank() == 0 && ty.element == ElementType::Bool
    );
    ensure!(
        boolean,
        "c1",
        "the condition must return one 0-dimensional tensor of i1, returns {}",
        list(&cond.results)
    );
    ensure!(
        all_agree(&body.arguments, &types) && all_agree(&body.results, &types),
        "c2",
        "the body must take and return {}, takes {} and returns {}",
        list(&types),
        list(&body.arguments),
        list(&body.results)
    );
    ensure!(
        all_agree(&types, &declared(op)),
        "c3",
        "the operands are {}, the results {}",
        list(&types),
        list(&declared(op))
    );
    // They are what the condition was given last, of which the regions may know less than what the loop begins with.
    Ok(Some(cond.arguments))
}

/// `optimization_barrier`: results are the operands.
pub fn optimization_barrier(op: Op<'_>) -> Check<Inferred> {
    Ok(Some(
        (0..op.num_operands()).map(|i| op.operand_type(i)).collect(),
    ))
}

/// `after_all`, `create_token`.
pub fn token(op: Op<'_>) -> Check<Inferred> {
    for i in 0..op.num_operands() {
        let ty = op.operand_type(i);
        ensure!(
            ty == ValueType::Token,
            "",
            "operand #{i} must be a token, is {ty}"
        );
    }
    Ok(Some(vec![ValueType::Token]))
}

/// `tuple`.
pub fn tuple(op: Op<'_>) -> Check<Inferred> {
    let types = (0..op.num_operands()).map(|i| op.operand_type(i)).collect();
    Ok(Some(vec![ValueType::Tuple(types)]))
}

/// `get_tuple_element`.
pub fn get_tuple_element(op: Op<'_>) -> Check<Inferred> {
    let index = required_int(op, "index")?;
    match op.operand_type(0) {
        ValueType::Tuple(types) => match usize::try_from(index).ok().and_then(|i| types.get(i)) {
            Some(ty) => Ok(Some(vec![ty.clone()])),
            None => violation(
                "c1",
                format!("'index' {index} is not in [0, {})", types.len()),
            ),
        },
        other => violation("", format!("the operand must be a tuple, is {other}")),
    }
}

/// `composite`: the decomposition has the operation's own signature.
pub fn composite(op: Op<'_>) -> Check<Inferred> {
    let name = op.string("name").unwrap_or_default();
    let word = |part: &str, extra: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || extra.contains(c);
        !part.is_empty() && part.chars().all(allowed)
    };
    let mut parts = name.split('.');
    let first = parts.next().unwrap_or_default();
    let namespaced = word(first, "")
        && first.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.contains('.')
        && parts.all(|part| word(part, "$"));
    ensure!(
        namespaced,
        "c1",
        "'name' must be a namespaced name such as \"dialect.op\", is \"{name}\""
    );
    let Some(symbol) = op.symbol("decomposition") else {
        return Ok(None);
    };
    let Some(function) = find_function(op, &symbol) else {
        return violation(
            "c2",
            format!("'decomposition' @{symbol} is not a function of the module"),
        );
    };
    let Some((inputs, results)) = signature(function) else {
        return Ok(None);
    };
    let operands: Vec<ValueType> = (0..op.num_operands()).map(|i| op.operand_type(i)).collect();
    ensure!(
        all_agree(&inputs, &operands),
        "c3",
        "@{symbol} takes {}, the operands are {}",
        list(&inputs),
        list(&operands)
    );
    ensure!(
        all_agree(&results, &declared(op)),
        "c4",
        "@{symbol} returns {}, the results are {}",
        list(&results),
        list(&declared(op))
    );
    Ok(Some(results))
}

/// `custom_call`: layouts match operands and results, the configuration fits the API version.
pub fn custom_call(op: Op<'_>) -> Check<Inferred> {
    let layouts = |name: &str| op.attribute(name).and_then(attr::array);
    match (layouts("operand_layouts"), layouts("result_layouts")) {
        (Some(operands), Some(results)) => {
            let types: Vec<ValueType> =
                (0..op.num_operands()).map(|i| op.operand_type(i)).collect();
            check_layouts("operand", &types, &operands)?;
            let types = match declared(op).as_slice() {
                [ValueType::Tuple(types)] => types.clone(),
                types => types.to_vec(),
            };
            check_layouts("result", &types, &results)?;
        }
        (None, None) => {}
        _ => {
            return violation(
                "",
                "'operand_layouts' and 'result_layouts' must be given together",
            );
        }
    }
    let version = op.int("api_version").unwrap_or(1);
    ensure!(
        (0..=4).contains(&version),
        "",
        "'api_version' must be in [0, 4], is {version}"
    );
    if let Some(called) = op.attribute("called_computations") {
        let symbols = attr::array(called)
            .is_some_and(|all| all.iter().all(|name| attr::symbol(*name).is_some()));
        ensure!(
            symbols,
            "",
            "'called_computations' must be a list of functions, is {called}"
        );
    }
    if let Some(config) = op.attribute("backend_config") {
        let dictionary = attr::dictionary(config).is_some();
        ensure!(
            dictionary == (version == 4)
                || (!dictionary && op.string("backend_config").as_deref() == Some("")),
            "",
            "'backend_config' must be a dictionary for 'api_version' 4 and a string for others, the version is {version}"
        );
    }
    if let Some(aliases) = op.attribute("output_operand_aliases").and_then(attr::array) {
        for alias in aliases {
            check_alias(op, &alias.to_string())?;
        }
    }
    Ok(None)
}

fn check_layouts(what: &str, types: &[ValueType], layouts: &[mapwright_mlir::Attr<'_>]) -> Check {
    ensure!(
        types.len() == layouts.len(),
        "",
        "'{what}_layouts' must have one layout for each of {} {what}s, has {}",
        types.len(),
        layouts.len()
    );
    for (i, (ty, layout)) in types.iter().zip(layouts).enumerate() {
        let indices = attr::Dense::from_mlir(*layout)
            .is_some_and(|dense| dense.ty.rank() == 1 && dense.ty.element == ElementType::Index);
        ensure!(
            indices,
            "",
            "the layout of {what} #{i} must be a vector of 'index', is {layout}"
        );
        let order = attr::ints(*layout).unwrap_or_default();
        match ty {
            ValueType::Tensor(tensor) => {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                ensure!(
                    sorted.iter().copied().eq(0..tensor.rank() as i64),
                    "",
                    "the layout {order:?} of {what} #{i} is not a permutation of [0, {})",
                    tensor.rank()
                );
            }
            ValueType::Tuple(_) => {
                return violation("", format!("{what} #{i} is a tuple, which has no layout"));
            }
            _ => ensure!(
                order.is_empty(),
                "",
                "{what} #{i} is {ty}, which has no dimensions to lay out"
            ),
        }
    }
    Ok(())
}

/// `#stablehlo.output_operand_alias<output_tuple_indices = […], operand_index = i, operand_tuple_indices = […]>`.
fn check_alias(op: Op<'_>, alias: &str) -> Check {
    let operand_index = text::integer_list(alias, "operand_index")
        .first()
        .copied()
        .unwrap_or(-1);
    ensure!(
        (0..op.num_operands() as i64).contains(&operand_index),
        "",
        "the alias names operand #{operand_index}, there are {}",
        op.num_operands()
    );
    let walk = |mut ty: ValueType, path: &[i64]| -> Check<ValueType> {
        for index in path {
            ty = match ty {
                ValueType::Tuple(types) => {
                    match usize::try_from(*index)
                        .ok()
                        .and_then(|i| types.get(i).cloned())
                    {
                        Some(ty) => ty,
                        None => {
                            return violation(
                                "",
                                format!(
                                    "the alias names element {index} of a tuple of {}",
                                    types.len()
                                ),
                            );
                        }
                    }
                }
                other => {
                    return violation("", format!("the alias names element {index} of {other}"));
                }
            };
        }
        Ok(ty)
    };
    let from = walk(
        op.operand_type(operand_index as usize),
        &text::integer_list(alias, "operand_tuple_indices"),
    )?;
    let path = text::integer_list(alias, "output_tuple_indices");
    let results = declared(op);
    let to = match (results.as_slice(), path.split_first()) {
        ([one], _) => walk(one.clone(), &path)?,
        (many, Some((first, rest))) => {
            match usize::try_from(*first)
                .ok()
                .and_then(|i| many.get(i).cloned())
            {
                Some(ty) => walk(ty, rest)?,
                None => {
                    return violation(
                        "",
                        format!("the alias names result #{first}, there are {}", many.len()),
                    );
                }
            }
        }
        _ => return violation("", "the alias must say which result it is"),
    };
    ensure!(
        types_agree(&from, &to),
        "",
        "aliased operand and result must have the same type, have {from} and {to}"
    );
    Ok(())
}

/// `infeed`: tensors (older programs: tuples), and a token at the end.
pub fn infeed(op: Op<'_>) -> Check<Inferred> {
    let types = declared(op);
    ensure!(
        !types.is_empty(),
        "c1",
        "needs a result, the token at least"
    );
    ensure!(
        types.last() == Some(&ValueType::Token),
        "c3",
        "the last result must be a token, the results are {}",
        list(&types)
    );
    let payload = &types[..types.len() - 1];
    ensure!(
        payload.iter().all(|ty| *ty != ValueType::Token),
        "c2",
        "all results but the last must be tensors, the results are {}",
        list(&types)
    );
    if let Some(layout) = op.attribute("layout").and_then(attr::array) {
        ensure!(
            layout.is_empty() || layout.len() == payload.len(),
            "",
            "'layout' must have one entry for each result but the token, {} for {}",
            layout.len(),
            payload.len()
        );
    }
    Ok(None)
}

/// `recv`: what is received, and a token at the end.
pub fn recv(op: Op<'_>) -> Check<Inferred> {
    let types = declared(op);
    ensure!(
        types.last() == Some(&ValueType::Token),
        "",
        "the last result must be a token, the results are {}",
        list(&types)
    );
    transfer(op, 3)?;
    Ok(None)
}

/// `send`, `outfeed`.
pub fn sends(op: Op<'_>) -> Check<Inferred> {
    if op.short_name() == "send" {
        transfer(op, 2)?;
    }
    Ok(Some(vec![ValueType::Token]))
}

/// Constraints of `send` and `recv`: who sends to whom (C1 to C4), and a channel of the type device-to-device (1), or to/from
/// the host (2, 3) for host transfers (C5).
fn transfer(op: Op<'_>, host: i64) -> Check {
    let handle = op.text("channel_handle").unwrap_or_default();
    let kind = text::integer_list(&handle, "type")
        .first()
        .copied()
        .unwrap_or(0);
    let to_host = op.boolean("is_host_transfer").unwrap_or(false);
    let expected = if to_host { host } else { 1 };
    if op.attribute("source_target_pairs").is_some() {
        crate::collective::checks::source_target_pairs(op)?;
    }
    ensure!(
        kind == expected || (!to_host && kind == 0),
        "c5",
        "the type of the channel must be {expected}, is {kind}"
    );
    Ok(())
}
