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
    // They are what the condition was given last, of which the regions may know less than what the
    // loop begins with.
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
        check_layout(what, i, ty, &attr::ints(*layout).unwrap_or_default())?;
    }
    Ok(())
}

/// Dimensions from minor to major, each once.
fn check_layout(what: &str, i: usize, ty: &ValueType, order: &[i64]) -> Check {
    match ty {
        ValueType::Tensor(tensor) => {
            let mut sorted = order.to_vec();
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
    Ok(())
}

/// The part of a type that `path` leads to: the number of an element of a tuple, that of one of its
/// elements, and so on.
pub(crate) fn part(ty: ValueType, path: &[i64]) -> Check<ValueType> {
    path.iter().try_fold(ty, |ty, index| {
        let ValueType::Tuple(types) = ty else {
            return violation("", format!("there is no element {index} of {ty}"));
        };
        let count = types.len();
        let named = usize::try_from(*index).ok();
        match named.and_then(|i| types.into_iter().nth(i)) {
            Some(ty) => Ok(ty),
            None => violation(
                "",
                format!("there is no element {index} of a tuple of {count}"),
            ),
        }
    })
}

/// `#stablehlo.output_operand_alias<output_tuple_indices = […],
/// operand_index = i, operand_tuple_indices = […]>`.
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
    let from = part(
        op.operand_type(operand_index as usize),
        &text::integer_list(alias, "operand_tuple_indices"),
    )?;
    let path = text::integer_list(alias, "output_tuple_indices");
    let results = declared(op);
    let to = match (results.as_slice(), path.split_first()) {
        ([one], _) => part(one.clone(), &path)?,
        (many, Some((first, rest))) => {
            match usize::try_from(*first)
                .ok()
                .and_then(|i| many.get(i).cloned())
            {
                Some(ty) => part(ty, rest)?,
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
    let payload = payload(op, ["c1", "c2", "c3"])?;
    let layouts = op.attribute("layout").and_then(attr::array);
    let layouts = layouts.unwrap_or_default();
    ensure!(
        layouts.is_empty() || layouts.len() == payload.len(),
        "",
        "'layout' must have one entry for each result but the token, {} for {}",
        layouts.len(),
        payload.len()
    );
    for (i, (layout, ty)) in layouts.iter().zip(&payload).enumerate() {
        let order: Option<Vec<i64>> =
            attr::array(*layout).and_then(|order| order.into_iter().map(attr::int).collect());
        let Some(order) = order else {
            return violation(
                "",
                format!("the layout of result #{i} must be a list of integers, is {layout}"),
            );
        };
        check_layout("result", i, ty, &order)?;
    }
    Ok(None)
}

/// Returns the types of the values that come from elsewhere: tensors (older programs: tuples), and
/// a token at the end. The labels are of the constraints that there is a result, that those before
/// the token are tensors, and that the last one is the token.
fn payload(op: Op<'_>, [any, tensors, token]: [&'static str; 3]) -> Check<Vec<ValueType>> {
    let mut types = declared(op);
    let text = list(&types);
    let Some(last) = types.pop() else {
        return violation(any, "needs a result, the token at least");
    };
    ensure!(
        last == ValueType::Token,
        token,
        "the last result must be a token, the results are {text}"
    );
    ensure!(
        types.iter().all(|ty| *ty != ValueType::Token),
        tensors,
        "all results but the last must be tensors, the results are {text}"
    );
    Ok(types)
}

/// `recv`: what is received, and a token at the end.
pub fn recv(op: Op<'_>) -> Check<Inferred> {
    payload(op, ["c2", "c3", "c4"])?;
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

/// Constraints of `send` and `recv`: who sends to whom (C1 to C4), and a channel of the type
/// device-to-device (1), or to/from the host (2, 3) for host transfers (C5).
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
