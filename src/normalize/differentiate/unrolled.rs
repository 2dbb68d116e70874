//! Reductions whose bodies have no adjoint of their own become loops over the elements that are put together, for all results at once; where
//! sizes are known, they are put together pair by pair, and windows of windows of a part of their size, side by side.

use super::{
    reduction::Combination,
    reverse::{Reverse, yields},
    window_of_sizes::Sliding,
};
use crate::{
    rewrite::{Result, fail, replace},
    tarray::make::Make,
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
            // Of known sizes; for others there is a formula by quotients, whose own derivatives are not those of the product at zeros.
            Combination::Product => by_start || has_known_sizes(op),
            Combination::Selection => windows || by_start,
            _ => by_start,
        }
    }
}

/// Are all sizes of operands and results known?
fn has_known_sizes(op: Op<'_>) -> bool {
    let mut values = op.operands().into_iter().chain(op.results());
    values.all(|value| {
        TensorType::from_mlir(value.r#type()).is_some_and(|ty| ty.static_shape().is_some())
    })
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
    let (_, own) = m.type_of(op.operand(0));
    if has_known_sizes(op) {
        let results = match Window::reduce_window(op, own.len()) {
            _ if out.contains(&0) => Some(inits.clone()),
            _ if op.is_hlo("reduce") => Some(pairs(&m, op, block, &inits)?),
            Ok(window) => Some(windows(&m, op, (block, &window), &inits)?),
            Err(_) => None,
        };
        if let Some(results) = results {
            replace(op, &results);
            return Ok(());
        }
    }
    let (count, of) = match op.is_hlo("reduce") {
        true => elements(&m, op),
        false => windows_of_sizes(&m, op, &out)?,
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

/// The operands of a reduction with what is put together along the first dimension, in its order.
fn rows<'c>(m: &Make<'c>, op: Op<'c>) -> (Vec<Val<'c>>, Vec<i64>) {
    let dims = op.ints("dimensions").unwrap_or_default();
    let (_, own) = m.type_of(op.operand(0));
    let kept: Vec<i64> = (0..own.len() as i64)
        .filter(|d| !dims.contains(d))
        .collect();
    let mut dims = dims;
    dims.sort_unstable();
    let order: Vec<i64> = dims.iter().chain(&kept).copied().collect();
    let sizes = |dims: &[i64]| -> Vec<i64> { dims.iter().map(|d| own[*d as usize]).collect() };
    let mut shape = vec![m.count(&sizes(&dims))];
    shape.extend(sizes(&kept));
    let rows = (0..op.num_results())
        .map(|k| m.reshape(m.transpose(op.operand(k), &order), &shape))
        .collect();
    (rows, shape)
}

fn elements<'a, 'c>(m: &'a Make<'c>, op: Op<'c>) -> Elements<'a, 'c> {
    let (rows, shape) = rows(m, op);
    let of = move |k: usize, time| m.any_row(rows[k], time);
    (m.scalar(shape[0]), Box::new(of))
}

/// The results of a reduction whose sizes are known: neighbours are put together, pair by pair, until one is left, which needs no quotients where
/// it is differentiated, and no memory but that of as many elements.
fn pairs<'c>(
    m: &Make<'c>,
    op: Op<'c>,
    block: Blk<'c>,
    inits: &[Val<'c>],
) -> Result<'c, Vec<Val<'c>>> {
    let (mut values, mut shape) = rows(m, op);
    let (_, out) = m.type_of(op.result(0));
    let one = [&[1], &out[..]].concat();
    let cut = |values: &[Val<'c>], part: (i64, i64, i64)| -> Vec<Val<'c>> {
        values.iter().map(|x| m.slice(*x, 0, part)).collect()
    };
    if shape[0] == 0 {
        return Ok(inits.to_vec());
    }
    // What stands behind the others, from lengths that are odd.
    let mut last: Option<Vec<Val<'c>>> = None;
    while shape[0] > 1 {
        let count = shape[0];
        if count % 2 == 1 {
            let single = cut(&values, (count - 1, 1, count));
            last = Some(match last {
                Some(behind) => lifted(m, block, &[single, behind].concat(), &one)?,
                None => single,
            });
        }
        let even = count - count % 2;
        let both = [cut(&values, (0, 2, even)), cut(&values, (1, 2, even))].concat();
        shape[0] = even / 2;
        values = lifted(m, block, &both, &shape)?;
    }
    if let Some(last) = last {
        values = lifted(m, block, &[values, last].concat(), &one)?;
    }
    let values = values.into_iter().map(|x| m.reshape(x, &out));
    let values: Vec<Val<'c>> = values.collect();
    lifted(m, block, &[inits.to_vec(), values].concat(), &out)
}

/// Some values for each place of a tensor: how many elements of each operand are put together from there on, and what they make.
type Together<'c> = (i64, Vec<Val<'c>>);

/// The results of windows whose sizes are known. Windows of twice as many elements are made of two that lie side by side, dimension by dimension,
/// so that there are as many steps as a size has digits; the order of the elements stays.
fn windows<'c>(
    m: &Make<'c>,
    op: Op<'c>,
    (block, window): (Blk<'c>, &Window),
    inits: &[Val<'c>],
) -> Result<'c, Vec<Val<'c>>> {
    let n = op.num_results();
    let low: Vec<i64> = window.padding.iter().map(|pair| pair.0).collect();
    let high: Vec<i64> = window.padding.iter().map(|pair| pair.1).collect();
    let interior: Vec<i64> = window.base_dilation.iter().map(|by| by - 1).collect();
    let mut values: Vec<Val<'c>> = (0..n)
        .map(|k| m.pad_with(op.operand(k), op.operand(n + k), (&low, &interior, &high)))
        .collect();
    let (_, out) = m.type_of(op.result(0));
    for d in (0..out.len()).rev() {
        let side_by_side = |(a, first): &Together<'c>, (b, second): &Together<'c>| {
            let apart = a * window.window_dilation[d];
            let (_, shape) = m.type_of(second[0]);
            let count = shape[d] - apart;
            let parts = |values: &[Val<'c>], from: i64| -> Vec<Val<'c>> {
                let part = |x: &Val<'c>| m.slice(*x, d, (from, 1, from + count));
                values.iter().map(part).collect()
            };
            let both = [parts(first, 0), parts(second, apart)].concat();
            let (_, shape) = m.type_of(both[0]);
            let made = lifted(m, block, &both, &shape)?;
            Ok::<Together<'c>, _>((a + b, made))
        };
        let mut power: Together<'c> = (1, values);
        let mut found: Option<Together<'c>> = None;
        while 2 * power.0 <= window.size[d] {
            if window.size[d] & power.0 != 0 {
                found = Some(match found {
                    Some(before) => side_by_side(&before, &power)?,
                    None => power.clone(),
                });
            }
            power = side_by_side(&power, &power)?;
        }
        let (_, all) = match found {
            Some(before) => side_by_side(&before, &power)?,
            None => power,
        };
        let reach = (out[d] - 1) * window.stride[d] + 1;
        let each = |x: Val<'c>| m.slice(x, d, (0, window.stride[d], reach));
        values = all.into_iter().map(each).collect();
    }
    lifted(m, block, &[inits.to_vec(), values].concat(), &out)
}

/// The elements of windows where numbers of them are known at run time only.
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
