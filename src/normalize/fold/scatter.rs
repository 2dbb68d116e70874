//! Updates at computed places.

use super::{
    number::{Number, decode, encode},
    reduction::combiner,
    tensor::{Tensor, ints},
};
use crate::rewrite::replaces;
use mapwright_mlir::{ElementType, Op};
use mapwright_ops::attrs::ScatterDimensions;

/// Returns the dimensions below `all` that are in none of `lists`.
fn except(all: usize, lists: &[&[i64]]) -> Vec<usize> {
    (0..all)
        .filter(|d| !lists.iter().any(|list| list.contains(&(*d as i64))))
        .collect()
}

/// The components of `index` in the dimensions `dims`.
fn components(index: &[i64], dims: &[usize]) -> Option<Vec<i64>> {
    dims.iter().map(|d| index.get(*d).copied()).collect()
}

/// The vector of indices of a batch: along dimension `vector` of `indices`, or the one element
/// where that is the rank.
fn index_vector(values: &[i64], indices: &Tensor, batch: &[i64], vector: i64) -> Option<Vec<i64>> {
    let vector = usize::try_from(vector).ok()?;
    if vector >= indices.shape.len() {
        return Some(vec![*values.get(indices.position(batch))?]);
    }
    (0..indices.shape[vector])
        .map(|k| {
            let mut at = batch.to_vec();
            at.insert(vector, k);
            values.get(indices.position(&at)).copied()
        })
        .collect()
}

/// The component of a batch's index that belongs to dimension `d` of the indices, which has no
/// component for the index vector.
fn of_batch(batch: &[i64], d: i64, vector: i64) -> Option<i64> {
    let d = if d > vector { d - 1 } else { d };
    batch.get(usize::try_from(d).ok()?).copied()
}

/// Way in which an update changes an element.
enum Update {
    /// It takes its place.
    Replace,
    /// Integers are put together, in whatever order.
    Combine(fn(i128, i128) -> i128),
}

/// The result of a `scatter` of one input.
pub fn evaluate(op: Op<'_>, operands: &[Tensor]) -> Option<Tensor> {
    let ("scatter", [input, indices, updates]) = (op.short_name(), operands) else {
        return None;
    };
    let dims = ScatterDimensions::decode(op).ok()?;
    let integers = matches!(input.element, ElementType::Bool | ElementType::Int { .. });
    let update = match replaces(op) {
        true => Update::Replace,
        false if integers => Update::Combine(combiner(op)?),
        false => return None,
    };
    let number = |bytes: &[u8]| match decode(bytes, &input.element)? {
        Number::Int(value) => Some(value),
        Number::Float(_) => None,
    };
    let values = ints(indices)?;
    let rank = input.shape.len();
    let batch_dims = except(updates.shape.len(), &[&dims.update_window_dims]);
    let window_dims: Vec<usize> = dims
        .update_window_dims
        .iter()
        .map(|d| *d as usize)
        .collect();
    let input_dims = except(
        rank,
        &[&dims.inserted_window_dims, &dims.input_batching_dims],
    );
    let mut data = input.data.clone();
    let mut replaced = vec![false; input.count()];
    for i in 0..updates.count() {
        let index = updates.index(i);
        let batch = components(&index, &batch_dims)?;
        let start = index_vector(&values, indices, &batch, dims.index_vector_dim)?;
        let mut at = vec![0i64; rank];
        for (d, start) in dims.scatter_dims_to_operand_dims.iter().zip(&start) {
            *at.get_mut(usize::try_from(*d).ok()?)? = *start;
        }
        let pairs = dims.input_batching_dims.iter();
        for (to, from) in pairs.zip(&dims.scatter_indices_batching_dims) {
            at[*to as usize] = of_batch(&batch, *from, dims.index_vector_dim)?;
        }
        for (d, offset) in input_dims.iter().zip(components(&index, &window_dims)?) {
            at[*d] = at[*d].checked_add(offset)?;
        }
        // An update outside of the input has no effect.
        if !at
            .iter()
            .zip(&input.shape)
            .all(|(i, n)| (0..*n).contains(i))
        {
            continue;
        }
        let place = input.position(&at);
        let range = place * input.width..(place + 1) * input.width;
        match update {
            // Which of two updates is the last one is not defined.
            Update::Replace if replaced[place] => return None,
            Update::Replace => data[range].copy_from_slice(updates.at(i)),
            Update::Combine(combine) => {
                let value = combine(number(&data[range.clone()])?, number(updates.at(i))?);
                data[range].copy_from_slice(&encode(Number::Int(value), &input.element)?);
            }
        }
        replaced[place] = true;
    }
    Some(input.with(data))
}
