//! `while`, `if`, `case` and composites as `scf` and calls.

use super::{cast, is_hlo, quantized};
use crate::error::Located;
use mapwright_mlir::{Blk, Builder, Op, Ty, Val, ValueType, edit, melior::ir::ValueLike, op};
use mapwright_normalize::inline;

/// Rewrites the control flow in `module`. What cannot be rewritten stays.
pub(crate) fn rewrite<'c>(module: Op<'c>) -> Vec<Located<'c>> {
    let mut failures = Vec::new();
    let mut found = inline::programs(module);
    found.retain(|op| {
        is_hlo(*op) && matches!(op.short_name(), "while" | "if" | "case" | "composite")
    });
    // They move when those around them are rewritten, and stay the same.
    for op in found {
        let outcome = match op.short_name() {
            "while" => while_loop(op),
            "if" => branch(op),
            "case" => case(op),
            _ => composite(op),
        };
        failures.extend(outcome.err());
    }
    failures
}

/// The builder before `op`, and no values but tensors.
fn begin<'c>(op: Op<'c>) -> Result<Builder<'c>, Located<'c>> {
    for value in op.operands().into_iter().chain(op.results()) {
        if !matches!(ValueType::from_mlir(value.r#type()), ValueType::Tensor(_)) {
            let why = format!("carries a value of type {}", value.r#type());
            return Err(Located::new(op, why));
        }
    }
    Builder::before(op.context(), op).ok_or_else(|| Located::new(op, "is in no block"))
}

/// The types of what is in memory for `values`.
fn types<'c>(b: &Builder<'c>, values: &[Val<'c>]) -> Vec<Ty<'c>> {
    let held = |value: &Val<'c>| quantized::held(b, value.r#type());
    values.iter().map(held).collect()
}

/// Casts what is in memory for `values` to `types`.
fn casts<'c>(b: &Builder<'c>, values: &[Val<'c>], types: &[Ty<'c>]) -> Vec<Val<'c>> {
    let pairs = values.iter().zip(types);
    pairs
        .map(|(value, ty)| cast(b, quantized::stored(b, *value), *ty))
        .collect()
}

/// The only element of a tensor of rank 0.
fn scalar<'c>(b: &Builder<'c>, tensor: Val<'c>) -> Val<'c> {
    let element = b.element_of(tensor.r#type());
    b.op1("tensor.extract", &[tensor], element, &[])
}

/// The terminator of a region's only block, and a builder before it.
fn end<'c>(op: Op<'c>, region: usize) -> Result<(Op<'c>, Builder<'c>), Located<'c>> {
    let wrong = || Located::new(op, "has a region without a terminator");
    let block: Blk<'c> = op.body(region).ok_or_else(wrong)?;
    let end = op::ops(block).last().copied().ok_or_else(wrong)?;
    let b = Builder::before(op.context(), end).ok_or_else(wrong)?;
    Ok((end, b))
}

/// Ends the regions of `op` with `scf.yield` of values of `types`.
fn yield_results<'c>(op: Op<'c>, regions: usize, types: &[Ty<'c>]) -> Result<(), Located<'c>> {
    for r in 0..regions {
        let (end, b) = end(op, r)?;
        let values = casts(&b, &end.operands(), types);
        b.op("scf.yield", &values, &[], &[]);
        edit::erase_unused(end);
    }
    Ok(())
}

/// Puts `values`, cast to the types of the results, in the place of `op`.
fn replace<'c>(b: &Builder<'c>, op: Op<'c>, values: &[Val<'c>]) {
    for (old, new) in op.results().into_iter().zip(values) {
        op::replace_all_uses(old, quantized::restored(b, *new, old.r#type()));
    }
    edit::erase_unused(op);
}

fn while_loop<'c>(op: Op<'c>) -> Result<(), Located<'c>> {
    let b = begin(op)?;
    let (Some(condition), Some(body)) = (op.body(0), op.body(1)) else {
        return Err(Located::new(op, "has no regions"));
    };
    for block in [condition, body] {
        quantized::hold_arguments(op, block);
    }
    let carried = types(&b, &op::arguments(condition));
    let passed = types(&b, &op::arguments(body));
    let (verdict, at_verdict) = end(op, 0)?;
    let (next, at_next) = end(op, 1)?;
    let go_on = scalar(&at_verdict, verdict.operand(0));
    let mut operands = vec![go_on];
    operands.extend(casts(&at_verdict, &op::arguments(condition), &passed));
    at_verdict.op("scf.condition", &operands, &[], &[]);
    edit::erase_unused(verdict);
    let values = casts(&at_next, &next.operands(), &carried);
    at_next.op("scf.yield", &values, &[], &[]);
    edit::erase_unused(next);
    let inits = casts(&b, &op.operands(), &carried);
    let regions = edit::take_regions(op);
    let new = b.op_with_regions("scf.while", &inits, &passed, &[], regions);
    replace(&b, op, &new.results());
    Ok(())
}

fn branch<'c>(op: Op<'c>) -> Result<(), Located<'c>> {
    let b = begin(op)?;
    let types = types(&b, &op.results());
    yield_results(op, 2, &types)?;
    let condition = scalar(&b, op.operand(0));
    let regions = edit::take_regions(op);
    let new = b.op_with_regions("scf.if", &[condition], &types, &[], regions);
    replace(&b, op, &new.results());
    Ok(())
}

/// An index out of range takes the last branch.
fn case<'c>(op: Op<'c>) -> Result<(), Located<'c>> {
    let b = begin(op)?;
    let types = types(&b, &op.results());
    let count = op.num_regions();
    yield_results(op, count, &types)?;
    let index = b.index_cast(scalar(&b, op.operand(0)), b.index());
    let mut regions = edit::take_regions(op);
    // The default is the first one.
    regions.rotate_right(1);
    let cases: Vec<i64> = (0..count as i64 - 1).collect();
    let cases = [("cases", b.i64_array(&cases))];
    let new = b.op_with_regions("scf.index_switch", &[index], &types, &cases, regions);
    replace(&b, op, &new.results());
    Ok(())
}

fn composite<'c>(op: Op<'c>) -> Result<(), Located<'c>> {
    let b = begin(op)?;
    let Some(name) = op.symbol("decomposition") else {
        return Err(Located::new(op, "has no decomposition"));
    };
    let types: Vec<Ty<'c>> = op.results().iter().map(|value| value.r#type()).collect();
    let results = b.call(&name, &op.operands(), &types);
    for (old, new) in op.results().into_iter().zip(results) {
        op::replace_all_uses(old, new);
    }
    edit::erase_unused(op);
    Ok(())
}
