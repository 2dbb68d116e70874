//! Reductions whose bodies have no adjoint of their own become loops over the elements that are put together, for all results at once.

use super::{
    reduction::Combination,
    reverse::{Reverse, yields},
};
use crate::{
    rewrite::{Result, fail, replace},
    tarray::make::{Make, type_of},
};
use mapwright_mlir::{Blk, Builder, Op, TensorType, Val, melior::ir::ValueLike, op};
use mapwright_ops::{
    attrs::Window,
    registry::{self, Class},
};
use std::collections::HashMap;

impl<'c> Reverse<'c> {
    /// Does a reduction need the loop?
    pub(super) fn needs_loop(&self, op: Op<'c>) -> bool {
        let windows = op.is_hlo("reduce_window");
        if !(windows || op.is_hlo("reduce")) || !op.results().iter().any(|r| self.is_active(*r)) {
            return false;
        }
        let n = op.num_operands() / 2;
        let by_start = op.operands()[n..].iter().any(|init| self.is_active(*init));
        match Combination::of(op) {
            Combination::Sum => false,
            Combination::Other => true,
            Combination::Selection => windows || by_start,
            _ => by_start,
        }
    }
}

/// Replaces such a reduction.
pub(super) fn unroll<'c>(op: Op<'c>) -> Result<'c> {
    let Some(b) = Builder::before(op.context(), op) else {
        return fail(op, "is not inside a block");
    };
    let m = Make::new(b);
    let Some(block) = op.body(0) else {
        return fail(op, "has no body");
    };
    let values = op.operands().into_iter().chain(op.results());
    let known = |value: Val<'c>| {
        TensorType::from_mlir(value.r#type()).is_some_and(|ty| ty.static_shape().is_some())
    };
    if !values.into_iter().all(known) {
        return fail(
            op,
            "has no rule of differentiation where sizes are known at run time only",
        );
    }
    let n = op.num_operands() / 2;
    let out = type_of(op.result(0)).1;
    let inits: Vec<Val<'c>> = (0..n).map(|k| m.spread(op.operand(n + k), &out)).collect();
    let (count, of) = match op.is_hlo("reduce") {
        true => elements(&m, op)?,
        false => windows(&m, op, &out)?,
    };
    let results = m.repeat(op, m.int(count), &inits, |time, state| {
        let mut values = state.to_vec();
        for k in 0..n {
            values.push(of(k, time));
        }
        lifted(&m, block, &values, &out)
    })?;
    replace(op, &results);
    Ok(())
}

/// How many elements are put together, and the one of operand `k` at a time, for all results.
type Elements<'a, 'c> = (i64, Box<dyn Fn(usize, Val<'c>) -> Val<'c> + 'a>);

fn elements<'a, 'c>(m: &'a Make<'c>, op: Op<'c>) -> Result<'c, Elements<'a, 'c>> {
    let dims = op.ints("dimensions").unwrap_or_default();
    let (_, own) = type_of(op.operand(0));
    let kept: Vec<i64> = (0..own.len() as i64)
        .filter(|d| !dims.contains(d))
        .collect();
    let order: Vec<i64> = dims.iter().chain(&kept).copied().collect();
    let count: i64 = dims.iter().map(|d| own[*d as usize]).product();
    let mut shape = vec![count];
    shape.extend(kept.iter().map(|d| own[*d as usize]));
    let rows: Vec<Val<'c>> = (0..op.num_operands() / 2)
        .map(|k| m.reshape(m.transpose(op.operand(k), &order), &shape))
        .collect();
    Ok((count, Box::new(move |k, time| m.row(rows[k], time))))
}

fn windows<'a, 'c>(m: &'a Make<'c>, op: Op<'c>, out: &[i64]) -> Result<'c, Elements<'a, 'c>> {
    let (_, own) = type_of(op.operand(0));
    let window = match Window::reduce_window(op, own.len()) {
        Ok(window) => window,
        Err(error) => return fail(op, error.to_string()),
    };
    let n = op.num_operands() / 2;
    let low: Vec<i64> = window.padding.iter().map(|pair| pair.0).collect();
    let high: Vec<i64> = window.padding.iter().map(|pair| pair.1).collect();
    let interior: Vec<i64> = window.base_dilation.iter().map(|by| by - 1).collect();
    let padded: Vec<Val<'c>> = (0..n)
        .map(|k| m.pad_with(op.operand(k), op.operand(n + k), (&low, &interior, &high)))
        .collect();
    let count: i64 = window.size.iter().product();
    let out = out.to_vec();
    let of = move |k: usize, time: Val<'c>| {
        let x: Val<'c> = padded[k];
        let element = type_of(x).0;
        let reach: Vec<i64> = (0..out.len())
            .map(|d| (out[d] - 1).max(0) * window.stride[d] + i64::from(out[d] > 0))
            .collect();
        let mut operands = vec![x];
        for d in 0..out.len() {
            let inner: i64 = window.size[d + 1..].iter().product();
            let place = m.same("divide", &[time, m.int(inner.max(1))]);
            let place = m.same("remainder", &[place, m.int(window.size[d].max(1))]);
            let start = m.same("multiply", &[place, m.int(window.window_dilation[d])]);
            operands.push(start);
        }
        let attributes = [("slice_sizes", m.b.i64_array(&reach))];
        let mut cut = m.op("dynamic_slice", &operands, &element, &reach, &attributes);
        for (d, size) in reach.iter().enumerate().take(out.len()) {
            cut = m.slice(cut, d, (0, window.stride[d], *size));
        }
        cut
    };
    Ok((count, Box::new(of)))
}

/// What a body on scalars computes, of tensors of `shape`.
fn lifted<'c>(
    m: &Make<'c>,
    block: Blk<'c>,
    values: &[Val<'c>],
    shape: &[i64],
) -> Result<'c, Vec<Val<'c>>> {
    let mut known: HashMap<usize, Val<'c>> = HashMap::new();
    for (argument, value) in op::arguments(block).into_iter().zip(values) {
        known.insert(op::key(argument), *value);
    }
    let of = |known: &HashMap<usize, Val<'c>>, value: Val<'c>| {
        let there = known.get(&op::key(value)).copied();
        there.unwrap_or_else(|| m.spread(value, shape))
    };
    let all = op::ops(block);
    for inner in &all[..all.len().saturating_sub(1)] {
        let class = registry::lookup(*inner).map(|def| def.class);
        let results = inner.results();
        if op::is_constant(results.first().copied().unwrap_or(values[0])) {
            let constant = mapwright_mlir::edit::clone(*inner, &HashMap::new());
            mapwright_mlir::edit::append(m.b.block(), constant);
            known.insert(op::key(results[0]), m.spread(constant.result(0), shape));
            continue;
        }
        let scalar = results
            .first()
            .and_then(|value| TensorType::from_mlir(value.r#type()))
            .filter(|ty| ty.static_shape().is_some_and(|shape| shape.is_empty()));
        let (Some(Class::Elementwise), Some(ty), 0) = (class, scalar, inner.num_regions()) else {
            return fail(
                *inner,
                "has no rule of differentiation in the body of a reduction",
            );
        };
        let operands: Vec<Val<'c>> = (inner.operands().into_iter())
            .map(|value| of(&known, value))
            .collect();
        let named = inner.attributes();
        let named: Vec<_> = named.iter().map(|(name, v)| (name.as_str(), *v)).collect();
        let made =
            m.b.op1(inner.name(), &operands, m.ty(&ty.element, shape), &named);
        known.insert(op::key(results[0]), made);
    }
    let next = yields(block);
    Ok(next.into_iter().map(|value| of(&known, value)).collect())
}
