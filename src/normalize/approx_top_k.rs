//! `custom_call @ApproxTopK`, which JAX makes of `approx_max_k` and `approx_min_k`: exact here, a sort and a slice.
//!
//! Comparisons become total ones: a NaN is the largest number, or the smallest one if its sign is negative.
//!
//! What a call must be like stands in `mapwright_ops::library`.

use crate::rewrite::{Error, Result, fail, replace};
use mapwright_mlir::{Builder, Op, Val, edit, melior::ir::ValueLike, op};
use mapwright_ops::library::approx_top_k;
use std::collections::HashMap;

/// Rewrites the calls inside `root`. Returns how many.
///
/// # Errors
/// Calls that are not well-formed.
pub fn legalize<'c>(root: Op<'c>) -> Result<'c, usize> {
    let mut count = 0;
    for op in root.descendants() {
        let named = |op: Op<'c>| op.string("call_target_name");
        if op.name() == "stablehlo.custom_call" && named(op).as_deref() == Some("ApproxTopK") {
            rewrite(op)?;
            count += 1;
        }
    }
    Ok(count)
}

const TOTAL_ORDER: &str = "#stablehlo<comparison_type TOTALORDER>";

/// Does `op` compare the two elements of one tensor of floats? No such comparison but the total one has a place for NaN, without which a
/// sort would lose elements behind it; `top_k` has that order, too.
fn compares_elements<'c>(op: Op<'c>, arguments: &[Val<'c>]) -> bool {
    let place = |value: Val<'c>| arguments.iter().position(|a| op::key(*a) == op::key(value));
    if !op.is_hlo("compare") || op.num_operands() != 2 {
        return false;
    }
    let float = op
        .operand_type(0)
        .tensor()
        .is_some_and(|t| t.element.is_float());
    let pair = place(op.operand(0)).zip(place(op.operand(1)));
    float && pair.is_some_and(|(a, b)| a / 2 == b / 2 && a != b)
}

fn rewrite<'c>(op: Op<'c>) -> Result<'c> {
    let call = approx_top_k::decode(op).map_err(|violation| Error {
        op,
        message: violation.message,
    })?;
    let operands = &op.operands()[..call.tensors];
    let Some(b) = Builder::before(op.context(), op) else {
        return fail(op, "is not inside a block");
    };
    let Some(body) = call.comparator.body(0) else {
        return fail(op, "compares by a function without a body");
    };
    let arguments = op::arguments(body);
    let types: Vec<_> = arguments.iter().map(|argument| argument.r#type()).collect();
    let mut ends = false;
    let region = b.region(&types, |b, own| {
        let mut map: HashMap<usize, _> = HashMap::new();
        map.extend(arguments.iter().zip(own).map(|(a, v)| (op::key(*a), *v)));
        for inner in op::ops(body) {
            if matches!(inner.name(), "func.return" | "stablehlo.return") {
                let values: Vec<_> = inner.operands();
                let values: Vec<_> = values
                    .iter()
                    .map(|v| map.get(&op::key(*v)).copied().unwrap_or(*v))
                    .collect();
                ends = values.len() == 1;
                b.op("stablehlo.return", &values, &[], &[]);
                break;
            }
            let copy = edit::clone(inner, &map);
            if compares_elements(inner, &arguments) {
                copy.set_attribute("compare_type", b.parse_attr(TOTAL_ORDER));
            }
            match own.first().and_then(|v| op::block_argument(*v)) {
                Some((block, _)) => edit::append(block, copy),
                None => return,
            }
            map.extend(
                inner
                    .results()
                    .iter()
                    .zip(copy.results())
                    .map(|(a, v)| (op::key(*a), v)),
            );
        }
    });
    if !ends {
        return fail(op, "compares by a function that gives no truth value");
    }
    let types: Vec<_> = operands.iter().map(|x| x.r#type()).collect();
    let sorted = b.op_with_regions(
        "stablehlo.sort",
        operands,
        &types,
        &[
            ("dimension", b.i64_attr(call.dimension as i64)),
            ("is_stable", b.bool_attr(true)),
        ],
        vec![region],
    );
    let rank = call.kept.len();
    let (starts, steps) = (vec![0; rank], vec![1; rank]);
    let found: Vec<_> = (0..call.tensors)
        .map(|i| {
            let lists = [
                ("start_indices", b.i64_array(&starts)),
                ("limit_indices", b.i64_array(&call.kept)),
                ("strides", b.i64_array(&steps)),
            ];
            let ty = op.result(i).r#type();
            b.op1("stablehlo.slice", &[sorted.result(i)], ty, &lists)
        })
        .collect();
    replace(op, &found);
    Ok(())
}
