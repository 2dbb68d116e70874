//! Updates in place: `scatter` and `select_and_scatter`, which first copy the operand and then
//! apply the updates in order; a tile does so for its slab of the operand, or for all of it.

use super::body::{Body, tensor, tensor_element};
use super::cost::{self, THREAD_COST};
use super::loops::{either, fold, nest, when};
use super::region::Captured;
use super::slabs::Slabs;
use crate::{
    error::{Result, Unsupported, unsupported},
    index::{Ix, Truth},
    launch::MOST_UPDATE_TILES,
    scalar,
    storage::{self, Elem},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpI, ElementType, Op, Val, ValueType, op};
use mapwright_ops::{
    attrs::{ScatterDimensions, Window},
    registry::lookup,
};

/// The scatter that a fusion ends in, if it does: all results are the scatter's.
pub(crate) fn root<'c>(members: &[Op<'c>]) -> Option<Op<'c>> {
    let (yielded, rest) = members.split_last()?;
    let root = rest
        .iter()
        .find(|op| matches!(op.short_name(), "scatter" | "select_and_scatter"))?;
    let all = yielded.num_operands() == root.num_results()
        && (0..root.num_results()).all(|i| op::key(yielded.operand(i)) == op::key(root.result(i)));
    all.then_some(*root)
}

/// Pairs (output, input) that may share memory: the operand is an argument of the fusion that
/// nothing else reads.
pub(crate) fn in_place<'c>(root: Op<'c>, fusion: Op<'c>) -> Vec<(usize, usize)> {
    if root.short_name() != "scatter" {
        return Vec::new();
    }
    let arguments = fusion.body(0).map(op::arguments).unwrap_or_default();
    (0..root.num_results())
        .filter_map(|i| {
            let operand = root.operand(i);
            let input = arguments
                .iter()
                .position(|a| op::key(*a) == op::key(operand))?;
            (op::uses(operand).len() == 1).then_some((i, input))
        })
        .collect()
}

/// The body of the kernel, for these of the `slabs`.
pub(crate) fn kernel<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    root: Op<'c>,
    slabs: Option<Slabs>,
    prefetches: bool,
    (begin, end): (Val<'c>, Val<'c>),
) -> Result<()> {
    let slab = slabs.map(|slabs| {
        let at = |tile: Val<'c>| {
            let at = Ix::Value(tile).mul(b, Ix::Known(slabs.chunk));
            at.min(b, Ix::Known(slabs.size))
        };
        (slabs, at(begin), at(end))
    });
    match root.short_name() {
        "scatter" => scatter(b, body, root, slab, prefetches),
        _ => select_and_scatter(b, body, root),
    }
}

fn all<'c>(sizes: &[Ix<'c>]) -> Vec<(Ix<'c>, Ix<'c>)> {
    sizes.iter().map(|size| (Ix::Known(0), *size)).collect()
}

fn scatter<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    root: Op<'c>,
    slab: Option<(Slabs, Ix<'c>, Ix<'c>)>,
    prefetches: bool,
) -> Result<()> {
    let n = root.num_results();
    let operands = root.operands();
    let (inputs, indices, updates) = (&operands[..n], operands[n], &operands[n + 1..]);
    let sizes = body.output_sizes(0);
    let mut own = all(&sizes);
    if let Some((slabs, lo, hi)) = slab {
        own[slabs.operand] = (lo, hi);
    }
    for (i, input) in inputs.iter().enumerate() {
        let mut copy = |body: &mut Body<'c>| {
            nest(b, body, &own, Vec::new(), &mut |body, index| {
                let x = body.element(b, *input, index)?;
                body.store(b, i, index, x)
            })
        };
        match body.buffer(*input) {
            // Nothing to copy where the result took the operand's memory.
            Some(buffer) => {
                let same = body.same_memory(b, buffer, i);
                let other = Truth::Value(b.xori(same, b.cbool(true)));
                when(b, body, other, &mut copy)?;
            }
            None => copy(body)?,
        }
    }
    let dims = ScatterDimensions::decode(root)?;
    let Some(block) = root.body(0) else {
        return unsupported("'scatter' without a body");
    };
    let captured = Captured::from_op(b, body, root)?;
    let counts = body.sizes(b, updates[0])?;
    let mut updated = all(&counts);
    if let Some((slabs, lo, hi)) = slab {
        // Windows may be smaller than the operand.
        let end = updated[slabs.update].1;
        updated[slabs.update] = (lo.min(b, end), hi.min(b, end));
    }
    let index_rank = tensor(indices)?.rank() as i64;
    // Windows along operand dimensions that are neither inserted nor batched, in order.
    let windowed: Vec<i64> = (0..sizes.len() as i64)
        .filter(|d| !dims.inserted_window_dims.contains(d) && !dims.input_batching_dims.contains(d))
        .collect();
    // Dimensions that a window fits into wherever it lands: a condition on these would be one on
    // each element of the innermost loop.
    let inside_anyway: Vec<bool> = (0..sizes.len() as i64)
        .map(|d| {
            let window = windowed.iter().position(|own| *own == d);
            let update = window.and_then(|k| dims.update_window_dims.get(k));
            let count = update.and_then(|w| counts.get(*w as usize)?.known());
            let size = sizes[d as usize].known();
            !dims.scatter_dims_to_operand_dims.contains(&d)
                && matches!((count, size), (Some(count), Some(size)) if count <= size)
        })
        .collect();
    // Where an update lands.
    let place = |body: &mut Body<'c>, index: &[Ix<'c>]| -> Result<Vec<Ix<'c>>> {
        let batch: Vec<Ix<'c>> = (0..index.len() as i64)
            .filter(|d| !dims.update_window_dims.contains(d))
            .map(|d| index[d as usize])
            .collect();
        let mut at = vec![Ix::Known(0); sizes.len()];
        for (k, d) in dims.scatter_dims_to_operand_dims.iter().enumerate() {
            let mut position = batch.clone();
            if dims.index_vector_dim < index_rank {
                position.insert(dims.index_vector_dim as usize, Ix::Known(k as i64));
            }
            at[*d as usize] = body.index(b, indices, &position)?;
        }
        for (k, d) in dims.input_batching_dims.iter().enumerate() {
            let own = dims.scatter_indices_batching_dims[k];
            let skip = i64::from(own > dims.index_vector_dim);
            at[*d as usize] = at[*d as usize].add(b, batch[(own - skip) as usize]);
        }
        for (d, w) in windowed.iter().zip(&dims.update_window_dims) {
            at[*d as usize] = at[*d as usize].add(b, index[*w as usize]);
        }
        Ok(at)
    };
    let mut update = |body: &mut Body<'c>, index: &[Ix<'c>]| -> Result<()> {
        let at = place(body, index)?;
        let mut inside = Truth::Known(true);
        for ((place, size), anyway) in at.iter().zip(&sizes).zip(&inside_anyway) {
            if *anyway {
                continue;
            }
            inside = inside.and(b, place.compare(b, CmpI::Sge, Ix::Known(0)));
            inside = inside.and(b, place.compare(b, CmpI::Slt, *size));
        }
        let mut apply = |body: &mut Body<'c>| -> Result<()> {
            let mut args = Vec::new();
            for i in 0..n {
                args.push(body.output(i).load(b, &at)?);
            }
            for update in updates {
                args.push(body.element(b, *update, index)?);
            }
            let results = captured.apply(b, block, &args)?;
            for (i, result) in results.into_iter().enumerate() {
                body.store(b, i, &at, result)?;
            }
            Ok(())
        };
        when(b, body, inside, &mut apply)
    };
    let rows = updated.len().saturating_sub(1);
    let row_by_row = dims.update_window_dims == [rows as i64]
        && windowed == [sizes.len() as i64 - 1]
        && rows > 0
        && counts.iter().all(|n| n.known().is_some())
        && far_apart(inputs, &sizes);
    if !prefetches || !row_by_row {
        return nest(b, body, &updated, Vec::new(), &mut update);
    }
    let (outer, window) = updated.split_at(rows);
    let (first, last) = window[0];
    nest(b, body, outer, Vec::new(), &mut |body, index| {
        let mut later = index.to_vec();
        later[rows - 1] = later[rows - 1]
            .add(b, Ix::Known(AHEAD))
            .min(b, outer[rows - 1].1.add(b, Ix::Known(-1)));
        later.push(first);
        let at: Vec<Val<'c>> = body.scoped(|body| {
            let at = place(body, &later)?;
            let inside = at.iter().zip(&sizes).map(|(x, size)| {
                let x = x.min(b, size.add(b, Ix::Known(-1)));
                x.max(b, Ix::Known(0)).value(b)
            });
            Ok::<_, Unsupported>(inside.collect())
        })?;
        let from: Vec<Val<'c>> = later.iter().map(|x| x.value(b)).collect();
        let length = b.subi(last.value(b), first.value(b));
        for (i, (input, values)) in inputs.iter().zip(updates).enumerate() {
            let width = tensor_element(*input)?.byte_width().unwrap_or(1) as i64;
            let line = (LINE / width).max(1);
            ask_for(b, (body.output(i).memref, &at), (length, line), true);
            if let Some(memref) = body.buffer(*values) {
                ask_for(b, (memref, &from), (length, line), false);
            }
        }
        nest(b, body, window, index.to_vec(), &mut update)
    })
}

/// Asks for so many elements of a row from an index on, a line of so many at a time, for writing or
/// not.
fn ask_for<'c>(
    b: &Builder<'c>,
    (memref, from): (Val<'c>, &[Val<'c>]),
    (length, line): (Val<'c>, i64),
    writes: bool,
) {
    b.for_loop(b.cidx(0), length, b.cidx(line), &[], |b, by, _| {
        let mut at = from.to_vec();
        if let Some(column) = at.last_mut() {
            *column = b.addi(*column, by);
        }
        b.prefetch(memref, &at, writes);
        Vec::new()
    });
}

/// Bytes of a cache line.
const LINE: i64 = 64;
/// Updates between the one that is applied and the one whose row is asked for.
const AHEAD: i64 = 6;

/// Tells whether the rows of all operands are longer than what a processor fetches by itself when
/// it comes across the first elements, and the operands too large for the near caches.
fn far_apart(inputs: &[Val<'_>], sizes: &[Ix<'_>]) -> bool {
    const ROW: i64 = 256;
    const ALL: i64 = 1 << 20;
    let known: Option<Vec<i64>> = sizes.iter().map(|size| size.known()).collect();
    let Some(known) = known else { return false };
    let elements: i64 = known.iter().fold(1, |n, size| n.saturating_mul(*size));
    inputs.iter().all(|input| {
        let width = tensor_element(*input)
            .ok()
            .and_then(|element| element.byte_width())
            .unwrap_or(0) as i64;
        let row = known.last().map_or(0, |n| n.saturating_mul(width));
        row >= ROW && elements.saturating_mul(width) >= ALL
    })
}

/// The update, by an index rule, that is all a fusion returns, if it updates an input of the fusion
/// that nothing else reads; with the number of that input.
pub(crate) fn update_root<'c>(fusion: Op<'c>, yielded: Op<'c>) -> Option<(Op<'c>, usize)> {
    if yielded.num_operands() != 1 {
        return None;
    }
    let (root, _) = op::defining_op(yielded.operand(0))?;
    let moves = lookup(root).is_some_and(|def| def.updates && def.index_rule.is_some());
    if !moves || op::uses(root.operand(0)).len() != 1 {
        return None;
    }
    let (_, input) = op::block_argument(root.operand(0))?;
    (root.block() == fusion.body(0)).then_some((root, input))
}

/// Elements that such an update writes, where they are known.
pub(crate) fn window_size(root: Op<'_>) -> Option<i64> {
    match root.operand_type(1) {
        ValueType::Tensor(tensor) => tensor.num_elements(),
        _ => None,
    }
}

/// The dimension along which such an update is cut, the first one that has more than one element;
/// none where it is not worth it.
fn window_cut(root: Op<'_>) -> Option<(usize, i64)> {
    let ValueType::Tensor(update) = root.operand_type(1) else {
        return None;
    };
    let d = update.dims.iter().position(|dim| dim.fixed() != Some(1))?;
    let most = update.dims[d].fixed().unwrap_or(MOST_UPDATE_TILES);
    let worth = match window_size(root) {
        Some(_) => (cost::of_updates(root) / THREAD_COST) as i64,
        None => MOST_UPDATE_TILES,
    };
    let tiles = most.min(worth).min(MOST_UPDATE_TILES);
    (tiles > 1).then_some((d, tiles))
}

/// Tiles that write such an update together.
pub(crate) fn window_tiles(root: Op<'_>) -> i64 {
    window_cut(root).map_or(1, |(_, tiles)| tiles)
}

/// Writes the update of `root` to the output, which holds the operand already: the part that is
/// that of the tiles from `begin` to `end`.
pub(crate) fn update_window<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    root: Op<'c>,
    (begin, end): (Val<'c>, Val<'c>),
) -> Result<()> {
    let sizes = body.output_sizes(0);
    let update = body.sizes(b, root.operand(1))?;
    let mut ranges = all(&update);
    if let Some((d, tiles)) = window_cut(root) {
        let at = |tile: Val<'c>| {
            let part = update[d].mul(b, Ix::Value(tile));
            part.div(b, Ix::Known(tiles))
        };
        ranges[d] = (at(begin), at(end));
    }
    let mut starts = Vec::new();
    for d in 0..sizes.len() {
        let room = sizes[d].sub(b, update[d]);
        starts.push(match room.known() {
            Some(0) => Ix::Known(0),
            _ => body
                .index(b, root.operand(2 + d), &[])?
                .min(b, room)
                .max(b, Ix::Known(0)),
        });
    }
    nest(b, body, &ranges, Vec::new(), &mut |body, index| {
        let at: Vec<_> = index
            .iter()
            .zip(&starts)
            .map(|(i, start)| i.add(b, *start))
            .collect();
        let x = body.element(b, root.operand(1), index)?;
        body.store(b, 0, &at, x)
    })
}

fn select_and_scatter<'c>(b: &Builder<'c>, body: &mut Body<'c>, root: Op<'c>) -> Result<()> {
    let (operand, source, init) = (root.operand(0), root.operand(1), root.operand(2));
    let sizes = body.output_sizes(0);
    let window = Window::select_and_scatter(root, sizes.len())?;
    let (Some(select), Some(scatter)) = (root.body(0), root.body(1)) else {
        return unsupported("'select_and_scatter' without its regions");
    };
    let element = tensor_element(operand)?;
    nest(b, body, &all(&sizes), Vec::new(), &mut |body, index| {
        let x = body.element(b, init, &[])?;
        body.store(b, 0, index, x)
    })?;
    let captured = Captured::from_op(b, body, root)?;
    let source_sizes = body.sizes(b, source)?;
    let rank = sizes.len();
    nest(
        b,
        body,
        &all(&source_sizes),
        Vec::new(),
        &mut |body, index| {
            // Carried: found anything yet, the selected value, its index.
            let mut start = vec![b.cbool(false)];
            start.extend(storage::constant(b, &element, &[0; 16], &[])?.values());
            start.extend(vec![b.cidx(0); rank]);
            let ranges: Vec<_> = window.size.iter().map(|n| Ix::Known(*n)).collect();
            let found = fold(b, body, &ranges, &[], &start, &mut |body, w, carried| {
                let mut inside = Truth::Known(true);
                let mut at = Vec::new();
                for d in 0..rank {
                    let place = index[d]
                        .mul(b, Ix::Known(window.stride[d]))
                        .add(b, w[d])
                        .sub(b, Ix::Known(window.padding[d].0));
                    inside = inside.and(b, place.compare(b, CmpI::Sge, Ix::Known(0)));
                    inside = inside.and(b, place.compare(b, CmpI::Slt, sizes[d]));
                    at.push(place);
                }
                selected(
                    b,
                    body,
                    inside,
                    &element,
                    carried,
                    operand,
                    &at,
                    &|b, old, new| {
                        let results = captured.apply(b, select, &[old, new])?;
                        Ok(results[0].one())
                    },
                )
            })?;
            let mut rest = &found[1..];
            let _ = Elem::take(&element, &mut rest);
            let at: Vec<_> = rest.iter().map(|v| Ix::Value(*v)).collect();
            let any = Truth::Value(found[0]);
            when(b, body, any, &mut |body| {
                let old = body.output(0).load(b, &at)?;
                let update = body.element(b, source, index)?;
                let results = captured.apply(b, scatter, &[old, update])?;
                body.store(b, 0, &at, results[0])
            })
        },
    )
}

/// One step of the selection: the element at `at`, if inside, replaces the carried one if there is
/// none yet or if `keep` is false.
#[allow(clippy::too_many_arguments)]
fn selected<'c>(
    b: &Builder<'c>,
    body: &mut Body<'c>,
    inside: Truth<'c>,
    element: &ElementType,
    carried: &[Val<'c>],
    operand: Val<'c>,
    at: &[Ix<'c>],
    keep: &dyn Fn(&Builder<'c>, Elem<'c>, Elem<'c>) -> Result<Val<'c>>,
) -> Result<Vec<Val<'c>>> {
    let update = |body: &mut Body<'c>| -> Result<Vec<Val<'c>>> {
        let new = body.element(b, operand, at)?;
        let mut rest = &carried[1..];
        let old = Elem::take(element, &mut rest);
        let stays = b.andi(carried[0], keep(b, old, new)?);
        let mut next = vec![b.cbool(true)];
        next.extend(scalar::select(b, Elem::One(stays), old, new).values());
        for (old, new) in rest.iter().zip(at) {
            next.push(b.select(stays, *old, new.value(b)));
        }
        Ok(next)
    };
    let types: Vec<_> = carried.iter().map(|v| v.r#type()).collect();
    either(b, body, inside, &types, update, |_| Ok(carried.to_vec()))
}
