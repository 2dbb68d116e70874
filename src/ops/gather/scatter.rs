//! Maps of `scatter`.
//!
//! An element of a result is made of the element of the input at the same place and of the updates
//! that are placed there. An update window begins at an index vector of `scatter_indices`, which
//! is *not* clamped: an update element whose place is outside the input is left out. All inputs go
//! through one computation, so every result reads every input and every update.

use super::maps::vector_index;
use crate::attrs::{ScatterDimensions, axes};
use crate::query::{Pieces, Query, identity, nothing, over, variable};
use mapwright_indexing::{Expr, IndexingMap, Interval, RuntimeVariable, c, d};
use mapwright_mlir::ElementType;

/// Dimension numbers as indices.
struct Scatter {
    input: Vec<i64>,
    update: Vec<i64>,
    indices: Vec<i64>,
    /// Update dimensions that are offsets in a window, and the input dimensions they belong to.
    window: Vec<(usize, usize)>,
    /// Update dimensions that are positions in `scatter_indices`, and the dimensions of it.
    scatter: Vec<(usize, usize)>,
    /// Input dimensions that are batched, with the dimension of `scatter_indices`.
    batching: Vec<(usize, usize)>,
    /// Input dimension of every element of an index vector.
    start: Vec<usize>,
    index_vector_dim: usize,
    /// Interval of the values of an index, by its type.
    values: Interval,
}

/// Number of inputs (which is that of updates).
fn inputs(q: &Query<'_>) -> usize {
    q.num_operands().saturating_sub(1) / 2
}

fn decode(q: &Query<'_>) -> Result<Scatter, String> {
    let name = "scatter_dimension_numbers";
    let n = inputs(q);
    if n == 0 || q.num_operands() != 2 * n + 1 {
        return Err(format!("a scatter with {} operands", q.num_operands()));
    }
    let (input, indices, update) = (
        q.operand_sizes(0)?,
        q.operand_sizes(n)?,
        q.operand_sizes(n + 1)?,
    );
    let dims = ScatterDimensions::decode(q.op)?;
    let window_dims = axes(name, &dims.update_window_dims, update.len())?;
    let inserted = axes(name, &dims.inserted_window_dims, input.len())?;
    let batching = axes(name, &dims.input_batching_dims, input.len())?;
    let indices_batching = axes(name, &dims.scatter_indices_batching_dims, indices.len())?;
    let start = axes(name, &dims.scatter_dims_to_operand_dims, input.len())?;
    let index_vector_dim = axes(name, &[dims.index_vector_dim], indices.len() + 1)?[0];
    let kept: Vec<usize> = (0..input.len())
        .filter(|k| !inserted.contains(k) && !batching.contains(k))
        .collect();
    if kept.len() != window_dims.len() {
        return Err(format!(
            "{} window dimensions for {} dimensions of an input",
            window_dims.len(),
            kept.len()
        ));
    }
    let scatter_dims: Vec<usize> = (0..update.len())
        .filter(|k| !window_dims.contains(k))
        .collect();
    let positions: Vec<usize> = (0..indices.len())
        .filter(|k| *k != index_vector_dim)
        .collect();
    if positions.len() != scatter_dims.len() {
        return Err(format!(
            "{} scatter dimensions for {} dimensions of `scatter_indices`",
            scatter_dims.len(),
            positions.len()
        ));
    }
    if indices.get(index_vector_dim).copied().unwrap_or(1) != start.len() as i64 {
        return Err(
            "the size of an index vector is not the number of input dimensions it is for".into(),
        );
    }
    let values = match q.operand(n)?.element {
        ElementType::Int { width, unsigned } => {
            let (lower, upper) = mapwright_mlir::types::default_storage_range(width, unsigned);
            if width >= 64 {
                Interval::new(if unsigned { 0 } else { i64::MIN }, i64::MAX)
            } else {
                Interval::new(lower, upper)
            }
        }
        _ => Interval::FULL,
    };
    Ok(Scatter {
        window: window_dims.into_iter().zip(kept).collect(),
        scatter: scatter_dims.into_iter().zip(positions).collect(),
        batching: batching.into_iter().zip(indices_batching).collect(),
        start,
        index_vector_dim,
        input,
        update,
        indices,
        values,
    })
}

/// Returns the start of the window at `position` in every input dimension.
fn origin(
    q: &Query<'_>,
    scatter: &Scatter,
    position: &[Expr],
    map: &mut IndexingMap,
) -> Result<Vec<Expr>, String> {
    let n = inputs(q);
    let mut origin = vec![c(0); scatter.input.len()];
    for (k, at) in &scatter.batching {
        let at = at - usize::from(*at > scatter.index_vector_dim);
        origin[*k] = position
            .get(at)
            .cloned()
            .ok_or("a batching dimension is the index vector's")?;
    }
    for (component, k) in scatter.start.iter().enumerate() {
        let index = vector_index(
            scatter.indices.len(),
            scatter.index_vector_dim,
            position,
            c(component as i64),
        );
        origin[*k] = match q.known(n, &index, map) {
            Some(value) => value,
            None => {
                let variable: RuntimeVariable = q.element(n, scatter.values, index, map);
                map.push_runtime(variable)
            }
        };
    }
    Ok(origin)
}

/// Positions as variables: result dimension `at` of the update, or the input's own dimension where
/// it is batched.
fn positions(scatter: &Scatter, map: &mut IndexingMap) -> Vec<Expr> {
    scatter
        .scatter
        .iter()
        .enumerate()
        .map(|(i, (at, _))| {
            if let Some(k) = batched(scatter, i) {
                return d(k);
            }
            map.push_range(variable(scatter.update[*at]))
        })
        .collect()
}

/// From a place in the input to the updates that are placed there.
fn updates_at(q: &Query<'_>, scatter: &Scatter) -> Pieces {
    let mut map = over(&scatter.input, vec![]);
    let position = positions(scatter, &mut map);
    let origin = origin(q, scatter, &position, &mut map)?;
    let mut index = vec![c(0); scatter.update.len()];
    for ((at, _), expr) in scatter.scatter.iter().zip(&position) {
        index[*at] = expr.clone();
    }
    for (k, start) in origin.into_iter().enumerate() {
        if scatter.batching.iter().any(|(b, _)| *b == k) {
            continue;
        }
        let offset = d(k) - start;
        match scatter.window.iter().find(|(_, w)| *w == k) {
            Some((at, _)) => {
                map = map.with_constraint(offset.clone(), Interval::of_size(scatter.update[*at]));
                index[*at] = offset;
            }
            // An inserted dimension: the window is one element.
            None => map = map.with_constraint(offset, Interval::point(0)),
        }
    }
    map.set_results(index);
    Ok(vec![map])
}

/// From an update to its place in the input, where there is one.
fn place_of(q: &Query<'_>, scatter: &Scatter) -> Pieces {
    let mut map = over(&scatter.update, vec![]);
    let position: Vec<Expr> = scatter.scatter.iter().map(|(at, _)| d(*at)).collect();
    let mut index = origin(q, scatter, &position, &mut map)?;
    for (at, k) in &scatter.window {
        index[*k] = index[*k].clone() + d(*at);
    }
    for (k, expr) in index.iter().enumerate() {
        map = map.with_constraint(expr.clone(), variable(scatter.input[k]).interval);
    }
    map.set_results(index);
    Ok(vec![map])
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    let (out, inp) = (q.result_sizes(result)?, q.operand_sizes(operand)?);
    let n = inputs(q);
    if operand < n {
        return Ok(vec![identity(&out)]);
    }
    let scatter = decode(q)?;
    let updates = updates_at(q, &scatter)?;
    if operand > n {
        return Ok(updates);
    }
    // Every index vector of the batch is looked at: each may point here.
    if scatter.update.contains(&0) {
        return Ok(nothing(&out, &inp));
    }
    let mut map = over(&out, vec![]);
    let position: Vec<Expr> = (0..scatter.scatter.len())
        .map(|i| match batched(&scatter, i) {
            Some(k) => d(k),
            None => map.push_range(variable(scatter.indices[scatter.scatter[i].1])),
        })
        .collect();
    let component = if scatter.index_vector_dim < scatter.indices.len() {
        map.push_range(variable(scatter.start.len() as i64))
    } else {
        c(0)
    };
    map.set_results(vector_index(
        scatter.indices.len(),
        scatter.index_vector_dim,
        &position,
        component,
    ));
    Ok(vec![map])
}

/// The input dimension that position `i` is batched with.
fn batched(scatter: &Scatter, i: usize) -> Option<usize> {
    let at = scatter.scatter[i].1;
    scatter
        .batching
        .iter()
        .find(|(_, k)| *k == at)
        .map(|(k, _)| *k)
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    let (out, inp) = (q.result_sizes(result)?, q.operand_sizes(operand)?);
    let n = inputs(q);
    if operand < n {
        return Ok(vec![identity(&inp)]);
    }
    let scatter = decode(q)?;
    if scatter.update.contains(&0) {
        return Ok(nothing(&inp, &out));
    }
    if operand > n {
        return place_of(q, &scatter);
    }
    // An index vector can point anywhere in its batch.
    let mut map = over(&inp, vec![]);
    for (k, size) in out.iter().enumerate() {
        let index = match scatter.batching.iter().find(|(b, _)| *b == k) {
            Some((_, at)) => d(*at),
            None => map.push_range(variable(*size)),
        };
        map.push_result(index);
    }
    Ok(vec![map])
}
