//! Elements at computed places: `gather`, `scatter` (in [`crate::order`]'s sense a fold over
//! updates), `dynamic_slice` and its inverse.

use crate::{
    Error, Machine, Result, reduce, result,
    value::{Tensor, indices},
};
use mapwright_mlir::Op;
use mapwright_ops::attrs::{self, GatherDimensions, ScatterDimensions};

/// The result of `op`, if it is of this family.
pub(crate) fn execute(op: Op<'_>, name: &str, inputs: &[Tensor]) -> Result<Option<Tensor>> {
    Ok(Some(match name {
        "gather" | "dynamic_gather" => {
            let mut dims = GatherDimensions::decode(op)?;
            if dims.slice_sizes.is_none() {
                dims.slice_sizes = Some(inputs[2].ints()?);
            }
            gather(op, &dims, &inputs[0], &inputs[1])?
        }
        "torch_index_select" => index_select(op, &inputs[0], &inputs[1])?,
        "dynamic_slice" => {
            let x = &inputs[0];
            let sizes = attrs::dynamic_slice_sizes(op, x.rank())?;
            let starts = starts(x, &sizes, &inputs[1..])?;
            Tensor::build(&result(op, 0)?.element, &sizes, |i| x.at(&add(i, &starts)))?
        }
        "dynamic_update_slice" => {
            let (x, update) = (&inputs[0], &inputs[1]);
            let starts = starts(x, &update.shape, &inputs[2..])?;
            let mut found = x.clone();
            for i in indices(&update.shape) {
                if let Some(at) = found.position(&add(&i, &starts)) {
                    found.data[at] = update.at(&i)?;
                }
            }
            found
        }
        _ => return Ok(None),
    }))
}

fn add(a: &[i64], b: &[i64]) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// Start indices, clamped so that a window of `sizes` is inside of `x`.
fn starts(x: &Tensor, sizes: &[i64], given: &[Tensor]) -> Result<Vec<i64>> {
    (0..x.rank())
        .map(|d| {
            let room = i128::from(x.shape[d] - sizes[d]);
            if room < 0 {
                return Err(Error::plain("a window larger than the tensor"));
            }
            Ok(given[d].only()?.int()?.clamp(0, room) as i64)
        })
        .collect()
}

/// The index vector of `batch`, of `size` elements: along `vector` of `of`, or the element itself
/// where `vector` is the rank.
fn index_vector(of: &Tensor, batch: &[i64], vector: i64, size: usize) -> Result<Vec<i128>> {
    let own = of.shape.get(vector as usize).copied().unwrap_or(1);
    if own != size as i64 {
        return Err(Error::plain(format!(
            "index vectors of {own} elements for {size} dimensions"
        )));
    }
    if vector == of.rank() as i64 {
        return Ok(vec![of.at(batch)?.int()?]);
    }
    (0..own)
        .map(|k| {
            let mut at = batch.to_vec();
            at.insert(vector as usize, k);
            of.at(&at)?.int()
        })
        .collect()
}

/// Batching dimensions of the operand and of the indices have the same sizes.
fn beside(own: (&[i64], &[i64]), indices: (&[i64], &[i64])) -> Result<()> {
    for (a, b) in own.1.iter().zip(indices.1) {
        let sizes = (own.0[*a as usize], indices.0[*b as usize]);
        if sizes.0 != sizes.1 {
            return Err(Error::plain(format!(
                "dimension {a} of the operand has the size {}, dimension {b} of the indices {}",
                sizes.0, sizes.1
            )));
        }
    }
    Ok(())
}

fn gather(op: Op<'_>, dims: &GatherDimensions, operand: &Tensor, of: &Tensor) -> Result<Tensor> {
    let sizes = dims.slice_sizes.clone().unwrap_or_default();
    let left_out =
        |d: i64| dims.collapsed_slice_dims.contains(&d) || dims.operand_batching_dims.contains(&d);
    let several = |d: &i64| sizes.get(*d as usize).is_some_and(|size| *size > 1);
    let single = dims.collapsed_slice_dims.iter();
    if let Some(d) = single
        .chain(&dims.operand_batching_dims)
        .find(|d| several(d))
    {
        return Err(Error::plain(format!(
            "the slice size in dimension {d}, which the result does not have, is {}",
            sizes[*d as usize]
        )));
    }
    beside(
        (&operand.shape, &dims.operand_batching_dims),
        (&of.shape, &dims.start_indices_batching_dims),
    )?;
    let mut batch_sizes: Vec<i64> = of.shape.clone();
    if dims.index_vector_dim < of.rank() as i64 {
        batch_sizes.remove(dims.index_vector_dim as usize);
    }
    let offset_sizes: Vec<i64> = (0..operand.rank() as i64)
        .filter(|d| !left_out(*d))
        .map(|d| sizes[d as usize])
        .collect();
    let rank = batch_sizes.len() + offset_sizes.len();
    let (mut batch_sizes, mut offset_sizes) = (batch_sizes.into_iter(), offset_sizes.into_iter());
    let shape: Vec<i64> = (0..rank as i64)
        .filter_map(|d| {
            if dims.offset_dims.contains(&d) {
                offset_sizes.next()
            } else {
                batch_sizes.next()
            }
        })
        .collect();
    Tensor::build(&result(op, 0)?.element, &shape, |i| {
        let batch: Vec<i64> = (0..rank as i64)
            .filter(|d| !dims.offset_dims.contains(d))
            .map(|d| i[d as usize])
            .collect();
        let offset: Vec<i64> = dims.offset_dims.iter().map(|d| i[*d as usize]).collect();
        let size = dims.start_index_map.len();
        let start = index_vector(of, &batch, dims.index_vector_dim, size)?;
        let mut at = vec![0i64; operand.rank()];
        for (k, d) in dims.start_index_map.iter().enumerate() {
            let d = *d as usize;
            let room = i128::from(operand.shape[d] - sizes[d]).max(0);
            at[d] += start[k].clamp(0, room) as i64;
        }
        for (k, d) in dims.operand_batching_dims.iter().enumerate() {
            let of = dims.start_indices_batching_dims[k];
            let skip = i64::from(of > dims.index_vector_dim);
            at[*d as usize] += batch[(of - skip) as usize];
        }
        let inside = (0..operand.rank() as i64).filter(|d| !left_out(*d));
        for (k, d) in inside.enumerate() {
            at[d as usize] += offset[k];
        }
        operand.at(&at)
    })
}

fn index_select(op: Op<'_>, operand: &Tensor, index: &Tensor) -> Result<Tensor> {
    let dim = attrs::int(op, "dim")? as usize;
    let batch = attrs::int(op, "batch_dims")? as usize;
    let shape: Vec<i64> = operand.shape[..dim]
        .iter()
        .chain(&index.shape[batch..])
        .chain(&operand.shape[dim + 1..])
        .copied()
        .collect();
    let both: Vec<i64> = (0..batch as i64).collect();
    beside((&operand.shape, &both), (&index.shape, &both))?;
    let inner = index.rank() - batch;
    Tensor::build(&result(op, 0)?.element, &shape, |i| {
        let place: Vec<i64> = i[..batch]
            .iter()
            .chain(&i[dim..dim + inner])
            .copied()
            .collect();
        let chosen = index
            .at(&place)?
            .int()?
            .clamp(0, i128::from(operand.shape[dim] - 1).max(0)) as i64;
        let mut at = i[..dim].to_vec();
        at.push(chosen);
        at.extend(&i[dim + inner..]);
        operand.at(&at)
    })
}

/// `scatter`: every update that falls inside is folded into its place; the order is not determined,
/// here it is that of the updates.
pub(crate) fn scatter<'c>(
    machine: &mut Machine<'c>,
    op: Op<'c>,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>> {
    let n = inputs.len() / 2;
    let (operands, of, updates) = (&inputs[..n], &inputs[n], &inputs[n + 1..]);
    let dims = ScatterDimensions::decode(op)?;
    let mut found = operands.to_vec();
    let rank = updates[0].rank() as i64;
    let left_out =
        |d: i64| dims.inserted_window_dims.contains(&d) || dims.input_batching_dims.contains(&d);
    beside(
        (&operands[0].shape, &dims.input_batching_dims),
        (&of.shape, &dims.scatter_indices_batching_dims),
    )?;
    let windows = (0..).zip(&operands[0].shape).filter(|(d, _)| !left_out(*d));
    for (d, (from, most)) in dims.update_window_dims.iter().zip(windows) {
        let size = updates[0].shape[*d as usize];
        if size > *most {
            return Err(Error::plain(format!(
                "the window of updates has the size {size} in dimension {d}, dimension {from} of the operand {most}"
            )));
        }
    }
    let list = indices(&updates[0].shape).collect();
    for u in machine.disorder(list, |u| updates[0].at(u).ok()) {
        let batch: Vec<i64> = (0..rank)
            .filter(|d| !dims.update_window_dims.contains(d))
            .map(|d| u[d as usize])
            .collect();
        let window: Vec<i64> = dims
            .update_window_dims
            .iter()
            .map(|d| u[*d as usize])
            .collect();
        let size = dims.scatter_dims_to_operand_dims.len();
        let start = index_vector(of, &batch, dims.index_vector_dim, size)?;
        let mut at = vec![0i128; operands[0].rank()];
        for (k, d) in dims.scatter_dims_to_operand_dims.iter().enumerate() {
            at[*d as usize] += start[k];
        }
        for (k, d) in dims.input_batching_dims.iter().enumerate() {
            let of = dims.scatter_indices_batching_dims[k];
            let skip = i64::from(of > dims.index_vector_dim);
            at[*d as usize] += i128::from(batch[(of - skip) as usize]);
        }
        let inside = (0..operands[0].rank() as i64).filter(|d| !left_out(*d));
        for (k, d) in inside.enumerate() {
            at[d as usize] += i128::from(window[k]);
        }
        let at: Option<Vec<i64>> = at.into_iter().map(|i| i64::try_from(i).ok()).collect();
        let Some(place) = at.and_then(|at| found[0].position(&at)) else {
            continue;
        };
        let mut arguments = Vec::new();
        for t in &found {
            arguments.push(Tensor::scalar(&t.element, t.data[place]));
        }
        for t in updates {
            arguments.push(Tensor::scalar(&t.element, t.at(&u)?));
        }
        machine.folding += 1;
        let combined = reduce::region(machine, op, 0, &arguments);
        machine.folding -= 1;
        for (t, value) in found.iter_mut().zip(combined?) {
            t.data[place] = value.only()?;
        }
    }
    Ok(found)
}
