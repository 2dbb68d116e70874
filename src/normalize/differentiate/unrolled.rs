//! Reductions whose bodies have no adjoint of their own become loops over the elements that are put together, for all results at once.

use super::{
    reduction::Combination,
    reverse::{Reverse, yields},
    window_of_sizes::Sliding,
};
use crate::{
    rewrite::{Result, fail, replace},
    tarray::{
        make::{Make, type_of},
        sizes::at_run_time,
    },
};
use mapwright_mlir::{Blk, Builder, Op, TensorType, Val, melior::ir::ValueLike, op};
use mapwright_ops::{
    attrs::{self, Window},
    registry::{self, Class},
};
use std::collections::HashMap;

impl<'c> Reverse<'c> {
    /// Does a reduction need the loop?
    pub(super) fn needs_loop(&self, op: Op<'c>) -> bool {
        let windows = matches!(attrs::name(op), "reduce_window" | "dynamic_reduce_window");
        if !(windows || op.is_hlo("reduce")) || !op.results().iter().any(|r| self.is_active(*r)) {
            return false;
        }
        let n = op.num_results();
        let by_start = op.operands()[n..2 * n]
            .iter()
            .any(|init| self.is_active(*init));
        match Combination::of(op) {
            Combination::Sum => false,
            Combination::Other => true,
            Combination::Selection => windows || by_start,
            _ => by_start,
        }
    }
}

/// Replaces such a reduction.
pub(super) fn unroll<'c>(m: &Make<'c>, op: Op<'c>) -> Result<'c> {
    let Some(b) = Builder::before(op.context(), op) else {
        return fail(op, "is not inside a block");
    };
    let m = m.elsewhere(b);
    if op.is_hlo("custom_call")
        && let Ok(function) = attrs::called_function(op)
    {
        super::calls::expand(function)?;
    }
    let Some(block) = super::window_of_sizes::body(op) else {
        return fail(op, "has no body");
    };
    let n = op.num_results();
    let out = m.type_of(op.result(0)).1;
    let inits: Vec<Val<'c>> = (0..n).map(|k| m.spread(op.operand(n + k), &out)).collect();
    let (count, of) = match op.is_hlo("reduce") {
        true => elements(&m, op),
        false => windows(&m, op, &out)?,
    };
    let results = m.repeat(op, count, &inits, |time, state| {
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
type Elements<'a, 'c> = (Val<'c>, Box<dyn Fn(usize, Val<'c>) -> Val<'c> + 'a>);

fn elements<'a, 'c>(m: &'a Make<'c>, op: Op<'c>) -> Elements<'a, 'c> {
    let dims = op.ints("dimensions").unwrap_or_default();
    let (_, own) = m.type_of(op.operand(0));
    let kept: Vec<i64> = (0..own.len() as i64)
        .filter(|d| !dims.contains(d))
        .collect();
    let order: Vec<i64> = dims.iter().chain(&kept).copied().collect();
    let sizes = |dims: &[i64]| -> Vec<i64> { dims.iter().map(|d| own[*d as usize]).collect() };
    let mut shape = vec![m.count(&sizes(&dims))];
    shape.extend(sizes(&kept));
    let rows: Vec<Val<'c>> = (0..op.num_results())
        .map(|k| m.reshape(m.transpose(op.operand(k), &order), &shape))
        .collect();
    let of = move |k: usize, time| m.any_row(rows[k], time);
    (m.scalar(shape[0]), Box::new(of))
}

fn windows<'a, 'c>(m: &'a Make<'c>, op: Op<'c>, out: &[i64]) -> Result<'c, Elements<'a, 'c>> {
    let (_, own) = m.type_of(op.operand(0));
    let known = |shape: &[i64]| !shape.iter().any(|size| at_run_time(*size));
    let window = match Window::reduce_window(op, own.len()) {
        Ok(window) if known(&own) && known(out) => window,
        _ => return windows_of_sizes(m, op, out),
    };
    let n = op.num_results();
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
    Ok((m.int(count), Box::new(of)))
}

/// The same, where numbers of the windows are known at run time only.
fn windows_of_sizes<'a, 'c>(
    m: &'a Make<'c>,
    op: Op<'c>,
    out: &[i64],
) -> Result<'c, Elements<'a, 'c>> {
    let n = op.num_results();
    let (_, own) = m.type_of(op.operand(0));
    let rank = own.len() as i64;
    let window = Sliding::of_reduction(m, op, own.len())?;
    let ones = m.ints(&vec![1; own.len()]);
    let interior = m.sub(window.base_dilation, ones);
    let apart = m.reach(m.vector(&own), window.base_dilation);
    let sizes = m.add(m.add(apart, window.low), window.high);
    let sizes: Vec<i64> = (0..rank).map(|d| m.size_of(m.first(sizes, d))).collect();
    let padded: Vec<Val<'c>> = (0..n)
        .map(|k| {
            let (x, init) = (op.operand(k), op.operand(n + k));
            let operands = [x, init, window.low, window.high, interior];
            m.op("dynamic_pad", &operands, &m.type_of(x).0, &sizes, &[])
        })
        .collect();
    let count = m.product_from(window.size, 0);
    let inner: Vec<Val<'c>> = (1..=rank)
        .map(|d| m.reshape(m.product_from(window.size, d), &[1]))
        .collect();
    let inner = m.max(m.concatenate(&inner, 0), ones);
    let size = m.max(window.size, ones);
    let reach = m.reach(m.vector(out), window.stride);
    let out = out.to_vec();
    let of = move |k: usize, time: Val<'c>| {
        let place = m.same("divide", &[m.spread(time, &[rank]), inner]);
        let place = m.same("remainder", &[place, size]);
        let starts = m.same("multiply", &[place, window.window_dilation]);
        m.part_of(
            padded[k],
            (starts, m.add(starts, reach), window.stride),
            &out,
        )
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
        let made = m.b.op1(
            inner.name(),
            &operands,
            m.ty(&ty.element, shape),
            &inner.attributes(),
        );
        let made = m.sized(made, shape);
        known.insert(op::key(results[0]), made);
    }
    let next = yields(block);
    Ok(next.into_iter().map(|value| of(&known, value)).collect())
}
