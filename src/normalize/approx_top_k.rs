//! `custom_call @ApproxTopK`, which JAX makes of `approx_max_k` and `approx_min_k`: exact here, a
//! sort and a slice.
//!
//! Comparisons become total ones: a NaN is the largest number, or the smallest one if its sign is
//! negative.
//!
//! What a call must be like stands in `mapwright_ops::library`.

use crate::{
    called,
    make::HloBuilder,
    rewrite::{Error, Result, fail, replace},
};
use mapwright_mlir::{Op, TensorType, Val, melior::ir::ValueLike, op, region};
use mapwright_ops::library::{
    Meaning,
    approx_top_k::{self, ApproxTopK},
    meaning,
};

/// Rewrites the calls inside `root`. Returns how many.
///
/// # Errors
/// Calls that are not well-formed.
pub fn legalize<'c>(root: Op<'c>) -> Result<'c, usize> {
    let mut count = 0;
    for op in root.descendants() {
        if op.name() == "stablehlo.custom_call" && meaning(op) == Some(Meaning::ApproxTopK) {
            rewrite(op)?;
            count += 1;
        }
    }
    Ok(count)
}

const TOTAL_ORDER: &str = "#stablehlo<comparison_type TOTALORDER>";

/// Tells whether `op` compares the two elements of one tensor of floats. Only the comparison of the
/// total order, which `top_k` has too, has a place for NaN: with any other a sort would lose the
/// elements behind a NaN.
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
    let Some(b) = HloBuilder::before(op) else {
        return fail(op, "is not inside a block");
    };
    let Some(body) = call.comparator.body(0) else {
        return fail(op, "compares by a function without a body");
    };
    let one = op::ops(body)
        .last()
        .is_some_and(|end| end.num_operands() == 1);
    if !one {
        return fail(op, "compares by a function that gives no truth value");
    }
    let comparison = called::region(&b, call.comparator, "stablehlo.return");
    for block in op::blocks(region(&comparison)) {
        let arguments = op::arguments(block);
        for inner in op::ops(block) {
            if compares_elements(inner, &arguments) {
                inner.set_attribute("compare_type", b.parse_attr(TOTAL_ORDER));
            }
        }
    }
    let sorted = b.sort(operands, call.dimension, comparison);
    let mut found = Vec::new();
    for (i, sorted) in sorted.iter().enumerate().take(call.tensors) {
        found.push(kept(op, &b, &call, i, *sorted)?);
    }
    replace(op, &found);
    Ok(())
}

/// The elements of `sorted` that result `i` has: those in front.
fn kept<'c>(
    op: Op<'c>,
    b: &HloBuilder<'c>,
    call: &ApproxTopK<'c>,
    i: usize,
    sorted: Val<'c>,
) -> Result<'c, Val<'c>> {
    let ty = op.result(i).r#type();
    if let Some(sizes) = &call.kept {
        let lists = [
            ("start_indices", b.i64_array(&vec![0; sizes.len()])),
            ("limit_indices", b.i64_array(sizes)),
            ("strides", b.i64_array(&vec![1; sizes.len()])),
        ];
        return Ok(b.op1("stablehlo.slice", &[sorted], ty, &lists));
    }
    let limits = call.sizes.get(i).map(|place| op.operand(*place));
    let Some((limits, list)) = limits.and_then(|v| Some((v, TensorType::from_mlir(v.r#type())?)))
    else {
        return fail(op, "needs operands with the sizes of its results");
    };
    let filled = |n: i64| b.constant(&n.to_string(), &list);
    let operands = [sorted, filled(0), limits, filled(1)];
    Ok(b.op1("stablehlo.real_dynamic_slice", &operands, ty, &[]))
}
