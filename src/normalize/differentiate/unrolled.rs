//! Reductions whose bodies have no adjoint of their own are put together pair by pair, and windows
//! of windows of a part of their size, side by side: written out where sizes are known, and else in
//! the rounds of a loop. The body of a `map` is written out for all elements.

use super::{
    reduction::Combination,
    reverse::{Reverse, yields},
    window::{Along, dilated, each, from_known},
    window_of_sizes::of_reduction,
};
use crate::{
    rewrite::{Result, fail, replace},
    tarray::make::Make,
};
use mapwright_indexing::Extent;
use mapwright_mlir::{Blk, Builder, Op, TensorType, Val, melior::ir::ValueLike, op};
use mapwright_ops::{
    attrs::{self, Window},
    registry::{self, Class},
};
use std::collections::HashMap;

impl<'c> Reverse<'c> {
    /// Tells whether a reduction is taken apart into pairs, or a `map` into what its body has.
    pub(super) fn needs_loop(&self, op: Op<'c>) -> bool {
        if !op.results().iter().any(|r| self.is_active(*r)) {
            return false;
        }
        let windows = matches!(attrs::name(op), "reduce_window" | "dynamic_reduce_window");
        if !(windows || op.is_hlo("reduce")) {
            return op.is_hlo("map");
        }
        let n = op.num_results();
        let by_start = op.operands()[n..2 * n]
            .iter()
            .any(|init| self.is_active(*init));
        match Combination::from_op(op) {
            Combination::Sum => false,
            // A formula of quotients has other derivatives than a product where there are zeros.
            Combination::Other | Combination::Product => true,
            Combination::Selection => windows || by_start,
            _ => by_start,
        }
    }
}

/// Tells whether all sizes of operands and results are known.
fn has_known_sizes(op: Op<'_>) -> bool {
    let mut values = op.operands().into_iter().chain(op.results());
    values.all(|value| {
        TensorType::from_mlir(value.r#type()).is_some_and(|ty| ty.static_shape().is_some())
    })
}

/// Replaces such an operation.
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
    if op.is_hlo("map") {
        replace(op, &lifted(&m, block, &op.operands(), &out)?);
        return Ok(());
    }
    let inits: Vec<Val<'c>> = (0..n).map(|k| m.spread(op.operand(n + k), &out)).collect();
    let (_, own) = m.type_of(op.operand(0));
    if has_known_sizes(op) {
        let results = match Window::reduce_window(op, own.len()) {
            _ if out.contains(&Extent::ZERO) => Some(inits.clone()),
            _ if op.is_hlo("reduce") => Some(pairs(&m, op, block, &inits)?),
            Ok(window) => Some(windows(&m, op, (block, &window), &inits)?),
            Err(_) => None,
        };
        if let Some(results) = results {
            replace(op, &results);
            return Ok(());
        }
    }
    let results = if op.is_hlo("reduce") {
        // An initial value stands before the others, so that there is one element at least.
        let (rows, shape) = rows(&m, op);
        let none = vec![Extent::ZERO; shape.len()];
        let mut first = none.clone();
        first[0] = Extent::ONE;
        let mut all = shape;
        all[0] += 1;
        let padded: Vec<Val<'c>> = (rows.iter().enumerate())
            .map(|(k, x)| m.pad((*x, op.operand(n + k)), (&first, &none, &none), &all))
            .collect();
        let along = Doubled {
            d: 0,
            count: m.scalar(all[0]),
            apart: m.int(1),
            starts: m.int(1),
        };
        let found = doubled(&m, op, block, padded, along)?;
        let single = found.iter().map(|x| m.any_row(*x, m.int(0)));
        single.map(|x| m.reshape(x, &out)).collect()
    } else {
        windows_of_sizes(&m, op, block, &inits)?
    };
    replace(op, &results);
    Ok(())
}

/// The operands of a reduction with what is put together along the first dimension, in its order.
fn rows<'c>(m: &Make<'c>, op: Op<'c>) -> (Vec<Val<'c>>, Vec<Extent>) {
    let dims = op.ints("dimensions").unwrap_or_default();
    let (_, own) = m.type_of(op.operand(0));
    let kept: Vec<i64> = (0..own.len() as i64)
        .filter(|d| !dims.contains(d))
        .collect();
    let mut dims = dims;
    dims.sort_unstable();
    let order: Vec<i64> = dims.iter().chain(&kept).copied().collect();
    let sizes = |dims: &[i64]| -> Vec<Extent> { dims.iter().map(|d| own[*d as usize]).collect() };
    let mut shape = vec![sizes(&dims).iter().product()];
    shape.extend(sizes(&kept));
    let rows = (0..op.num_results())
        .map(|k| m.reshape(m.transpose(op.operand(k), &order), &shape))
        .collect();
    (rows, shape)
}

/// The results of a reduction whose sizes are known: neighbours are put together, pair by pair,
/// until one is left, which needs no quotients where it is differentiated, and no memory but that
/// of as many elements.
fn pairs<'c>(
    m: &Make<'c>,
    op: Op<'c>,
    block: Blk<'c>,
    inits: &[Val<'c>],
) -> Result<'c, Vec<Val<'c>>> {
    let (mut values, mut shape) = rows(m, op);
    let (_, out) = m.type_of(op.result(0));
    let one = [&[Extent::ONE], &out[..]].concat();
    let cut = |values: &[Val<'c>], part: (i64, i64, i64)| -> Vec<Val<'c>> {
        values.iter().map(|x| m.slice(*x, 0, part)).collect()
    };
    let mut count = shape[0].as_constant().unwrap_or_default();
    if count == 0 {
        return Ok(inits.to_vec());
    }
    // What stands behind the others, from lengths that are odd.
    let mut last: Option<Vec<Val<'c>>> = None;
    while count > 1 {
        if count % 2 == 1 {
            let single = cut(&values, (count - 1, 1, count));
            last = Some(match last {
                Some(behind) => lifted(m, block, &[single, behind].concat(), &one)?,
                None => single,
            });
        }
        let even = count - count % 2;
        let both = [cut(&values, (0, 2, even)), cut(&values, (1, 2, even))].concat();
        count = even / 2;
        shape[0] = count.into();
        values = lifted(m, block, &both, &shape)?;
    }
    if let Some(last) = last {
        values = lifted(m, block, &[values, last].concat(), &one)?;
    }
    let values = values.into_iter().map(|x| m.reshape(x, &out));
    let values: Vec<Val<'c>> = values.collect();
    lifted(m, block, &[inits.to_vec(), values].concat(), &out)
}

/// Some values for each place of a tensor: how many elements of each operand are put together from
/// there on, and what they make.
type Together<'c> = (i64, Vec<Val<'c>>);

/// The results of windows whose sizes are known. Windows of twice as many elements are made of two
/// that lie side by side, dimension by dimension, so that there are as many steps as a size has
/// digits; the order of the elements stays.
fn windows<'c>(
    m: &Make<'c>,
    op: Op<'c>,
    (block, window): (Blk<'c>, &Window),
    inits: &[Val<'c>],
) -> Result<'c, Vec<Val<'c>>> {
    let (mut values, _) = padded(m, op, &from_known(window));
    let (_, out) = m.type_of(op.result(0));
    for d in (0..out.len()).rev() {
        let side_by_side = |(a, first): &Together<'c>, (b, second): &Together<'c>| {
            let apart = a * window.window_dilation[d];
            let (_, shape) = m.type_of(second[0]);
            let count = shape[d] - apart;
            let parts = |values: &[Val<'c>], from: i64| -> Vec<Val<'c>> {
                let part = |x: &Val<'c>| m.slice(*x, d, (from, 1, count + from));
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

/// Elements that are put together: along a dimension so many of them, which are so far apart, from
/// each of so many places on; numbers that the program computes.
struct Doubled<'c> {
    d: usize,
    count: Val<'c>,
    apart: Val<'c>,
    starts: Val<'c>,
}

/// Combines the elements from each place on that is a start. A loop has as many rounds as their
/// number has binary digits: each doubles the number of elements that are combined, in their order,
/// and where its digit is one puts these before what was found so far. Elements that belong to no
/// start are not computed with: their slopes would count, though nothing comes of them.
fn doubled<'c>(
    m: &Make<'c>,
    op: Op<'c>,
    block: Blk<'c>,
    values: Vec<Val<'c>>,
    along: Doubled<'c>,
) -> Result<'c, Vec<Val<'c>>> {
    let n = values.len();
    let Doubled {
        d,
        count,
        apart,
        starts,
    } = along;
    let (_, shape) = m.type_of(values[0]);
    let wide = |number: Val<'c>| m.spread(number, &shape);
    let length = m.scalar(shape[d]);
    let (one, none) = (m.int(1), m.int(0));
    let place = m.iota(&shape, d);
    let is_start = m.compare("LT", place, wide(starts));
    let mut behind = shape.clone();
    behind[d] *= 2;
    // A vector with a number for the dimension, and none for the others.
    let only = |number: Val<'c>| {
        let each: Vec<Val<'c>> = (0..shape.len())
            .map(|k| m.reshape(if k == d { number } else { none }, &[Extent::ONE]))
            .collect();
        m.concatenate(&each, 0)
    };
    let nothing = vec![Extent::ZERO; shape.len()];
    let mut doubled = nothing.clone();
    doubled[d] = shape[d];
    let ones = m.ints(&vec![1; shape.len()]);
    let inits: Vec<Val<'c>> = (0..n).map(|k| wide(op.operand(n + k))).collect();
    // The elements that stand so far ahead, and initial values where there are none.
    let ahead = |values: &[Val<'c>], by: Val<'c>| -> Vec<Val<'c>> {
        let from = only(m.min(m.same("multiply", &[by, apart]), length));
        let part = (from, m.add(from, m.vector(&shape)), ones);
        let of = |(k, x): (usize, &Val<'c>)| {
            let pair = (*x, op.operand(n + k));
            let all = m.pad(pair, (&nothing, &doubled, &nothing), &behind);
            m.part_of(all, part, &shape)
        };
        values.iter().enumerate().map(of).collect()
    };
    let chosen = |condition: Val<'c>, yes: &[Val<'c>], no: &[Val<'c>]| -> Vec<Val<'c>> {
        let both = yes.iter().zip(no);
        both.map(|(yes, no)| m.select(condition, *yes, *no))
            .collect()
    };
    let together = |there: Val<'c>, first: &[Val<'c>], second: &[Val<'c>]| {
        let [first, second] = [first, second].map(|values| chosen(there, values, &inits));
        lifted(m, block, &[first, second].concat(), &shape)
    };
    let zeros = m.same("count_leading_zeros", &[count]);
    let digits = m.sub(m.int(64), zeros);
    let state = [values.clone(), values].concat();
    let mut results = m.repeat(op, digits, &state, |time, state| {
        let (found, power) = state.split_at(n);
        let size = m.same("shift_left", &[one, time]);
        let twice = m.add(size, size);
        let more = m.same("divide", &[count, twice]);
        let digit = m.compare("NE", m.and(count, size), none);
        let is_first = m.compare("EQ", m.and(count, m.sub(size, one)), none);
        let takes = m.and(is_start, wide(digit));
        let blocks = ahead(power, m.same("multiply", &[more, twice]));
        let begins = m.and(takes, wide(is_first));
        let goes_on = m.and(takes, m.same("not", &[wide(is_first)]));
        let before = together(goes_on, &blocks, found)?;
        let found = chosen(begins, &blocks, &chosen(goes_on, &before, found));
        // The last one of a start's blocks that a place can be.
        let reach = wide(m.same("multiply", &[twice, apart]));
        let last = m.min(m.same("divide", &[place, reach]), wide(m.sub(more, one)));
        let start = m.sub(place, m.same("multiply", &[last, reach]));
        let is_block = m.and(
            m.compare("LT", start, wide(starts)),
            wide(m.compare("GT", more, none)),
        );
        let doubled = together(is_block, power, &ahead(power, size))?;
        Ok([found, chosen(is_block, &doubled, power)].concat())
    })?;
    results.truncate(n);
    Ok(results)
}

/// The results of windows where numbers of them are known at run time only.
fn windows_of_sizes<'c>(
    m: &Make<'c>,
    op: Op<'c>,
    block: Blk<'c>,
    inits: &[Val<'c>],
) -> Result<'c, Vec<Val<'c>>> {
    let (_, out) = m.type_of(inits[0]);
    let windows = of_reduction(m, op, out.len())?;
    let (mut values, mut shape) = padded(m, op, &windows);
    for (d, along) in windows.iter().enumerate() {
        let reach = dilated(out[d], along.stride);
        if along.size != 1 {
            let together = Doubled {
                d,
                count: m.scalar(along.size),
                apart: m.scalar(along.window_dilation),
                starts: m.scalar(reach),
            };
            values = doubled(m, op, block, values, together)?;
        }
        // The windows that there are along it.
        let (mut limits, mut strides) = (shape.clone(), vec![Extent::ONE; shape.len()]);
        (limits[d], strides[d]) = (reach, along.stride);
        let starts = vec![Extent::ZERO; shape.len()];
        shape[d] = out[d];
        values = (values.into_iter())
            .map(|x| m.sliced(x, (&starts, &limits, &strides), &shape))
            .collect();
    }
    lifted(m, block, &[inits.to_vec(), values].concat(), &out)
}

/// The operands of a reduction of windows, with initial values where there is padding, and their
/// sizes.
fn padded<'c>(m: &Make<'c>, op: Op<'c>, windows: &[Along]) -> (Vec<Val<'c>>, Vec<Extent>) {
    let n = op.num_results();
    let low = each(windows, |along| along.padding.0);
    let high = each(windows, |along| along.padding.1);
    let between = each(windows, |along| along.base_dilation - 1);
    let (_, own) = m.type_of(op.operand(0));
    let shape = (own.iter().zip(windows)).map(|(size, along)| {
        let (low, high) = along.padding;
        dilated(*size, along.base_dilation) + low + high
    });
    let shape: Vec<Extent> = shape.collect();
    let values = (0..n).map(|k| {
        let pair = (op.operand(k), op.operand(n + k));
        m.pad(pair, (&low, &high, &between), &shape)
    });
    (values.collect(), shape)
}

/// Emits what a body on scalars computes on tensors of `shape`, element by element.
fn lifted<'c>(
    m: &Make<'c>,
    block: Blk<'c>,
    values: &[Val<'c>],
    shape: &[Extent],
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
                "has no rule of differentiation in a body for single elements",
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
