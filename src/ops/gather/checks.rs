//! `gather`, `dynamic_gather` and `scatter`.

use crate::typing::{check::*, results::sizes as found};
use mapwright_mlir::{Dim, Op, TensorType, text};

struct Numbers {
    offset_dims: Vec<i64>,
    collapsed: Vec<i64>,
    operand_batching: Vec<i64>,
    indices_batching: Vec<i64>,
    start_index_map: Vec<i64>,
    index_vector_dim: i64,
}

/// The label of a constraint of `gather` for `dynamic_gather`, whose constraints are the same under
/// other numbers (and without any on batching dimensions).
fn dynamic_label(label: &'static str) -> &'static str {
    match label {
        "c1" | "c2" | "c3" | "c4" | "c5" | "c6" => label,
        "c7" => "c6",
        "c8" => "c7",
        "c9" => "c8",
        "c18" => "c9",
        "c19" => "c10",
        "c20" => "c11",
        "c21" => "c12",
        "c22" => "c13",
        "c23" => "c14",
        _ => "",
    }
}

/// `gather`: `slice_sizes` is an attribute.
pub fn gather(op: Op<'_>) -> Check<Inferred> {
    let sizes = required_ints(op, "slice_sizes")?;
    let rank = operand(op, 0)?.rank();
    size_is("c20", "slice_sizes", &sizes, rank)?;
    check_gather(op, sizes.into_iter().map(Dim::Static).collect())
}

/// `dynamic_gather`: the slice sizes are an operand.
pub fn dynamic_gather(op: Op<'_>) -> Check<Inferred> {
    let (rank, sizes) = (operand(op, 0)?.rank(), operand(op, 2)?);
    ensure!(
        sizes.rank() == 1 && sizes_agree(sizes.dims[0], Dim::Static(rank as i64)),
        "c11",
        "'slice_sizes' must have {rank} values, has the shape {}",
        shape_text(&sizes.dims)
    );
    let known = match constant_ints(op.operand(2)) {
        Some(sizes) => sizes.into_iter().map(Dim::Static).collect(),
        None => vec![Dim::Dynamic; rank],
    };
    check_gather(op, known).map_err(|violation| Violation {
        label: dynamic_label(violation.label),
        ..violation
    })
}

fn check_gather(op: Op<'_>, sizes: Vec<Dim>) -> Check<Inferred> {
    let (operand, indices) = (operand(op, 0)?, operand(op, 1)?);
    let Some(numbers) = op.text("dimension_numbers") else {
        return violation("", "needs the attribute 'dimension_numbers'");
    };
    let list = |name: &str| text::integer_list(&numbers, name);
    let n = Numbers {
        offset_dims: list("offset_dims"),
        collapsed: list("collapsed_slice_dims"),
        operand_batching: list("operand_batching_dims"),
        indices_batching: list("start_indices_batching_dims"),
        start_index_map: list("start_index_map"),
        index_vector_dim: list("index_vector_dim").first().copied().unwrap_or(0),
    };
    ensure!(
        operand.rank() == n.offset_dims.len() + n.collapsed.len() + n.operand_batching.len(),
        "c1",
        "the operand's rank {} must be the number of offset, collapsed and batching dimensions, {} + {} + {}",
        operand.rank(),
        n.offset_dims.len(),
        n.collapsed.len(),
        n.operand_batching.len()
    );
    ensure!(
        (0..=indices.rank() as i64).contains(&n.index_vector_dim),
        "c2",
        "'index_vector_dim' {} is not in [0, {}]",
        n.index_vector_dim,
        indices.rank()
    );
    index_vector(
        "c3",
        "start_index_map",
        &n.start_index_map,
        n.index_vector_dim,
        &indices,
    )?;
    let rank = batch_dims(&indices, n.index_vector_dim).len() + n.offset_dims.len();
    unique("c4", "offset_dims", &n.offset_dims)?;
    sorted("c4", "offset_dims", &n.offset_dims)?;
    in_rank("c5", "offset_dims", &n.offset_dims, rank)?;
    let both: Vec<i64> = n
        .collapsed
        .iter()
        .chain(&n.operand_batching)
        .copied()
        .collect();
    unique(
        "c6",
        "collapsed_slice_dims and operand_batching_dims",
        &both,
    )?;
    sorted("c7", "collapsed_slice_dims", &n.collapsed)?;
    in_rank("c8", "collapsed_slice_dims", &n.collapsed, operand.rank())?;
    at_most_one("c9", "collapsed", &n.collapsed, &sizes)?;
    sorted("c10", "operand_batching_dims", &n.operand_batching)?;
    in_rank(
        "c11",
        "operand_batching_dims",
        &n.operand_batching,
        operand.rank(),
    )?;
    at_most_one("c12", "batching", &n.operand_batching, &sizes)?;
    batching(
        ["c13", "c14", "c15", "c16", "c17"],
        "start_indices_batching_dims",
        &n.operand_batching,
        &n.indices_batching,
        n.index_vector_dim,
        &operand,
        &indices,
    )?;
    let both: Vec<i64> = n
        .start_index_map
        .iter()
        .chain(&n.operand_batching)
        .copied()
        .collect();
    unique("c18", "start_index_map and operand_batching_dims", &both)?;
    in_rank("c19", "start_index_map", &n.start_index_map, operand.rank())?;
    for (d, size) in sizes.iter().enumerate() {
        let Some(size) = size.fixed() else { continue };
        ensure!(
            size >= 0,
            "c21",
            "'slice_sizes' has the negative value {size} in dimension {d}"
        );
        if let Some(bound) = operand.dims[d].bound() {
            ensure!(
                size <= bound,
                "c21",
                "'slice_sizes' has {size} in dimension {d}, beyond the operand's size {bound}"
            );
        }
    }
    let result = result(op, 0)?;
    let dims = found(op, 0)?;
    ensure!(
        same_storage(&operand.element, &result.element),
        "c23",
        "operand and result must have the same element type, have {} and {}",
        operand.element,
        result.element
    );
    ensure!(
        shapes_agree(&dims, &result.dims),
        "c22",
        "the result must have the shape {}, has {}",
        shape_text(&dims),
        shape_text(&result.dims)
    );
    one(operand.element, dims)
}

fn at_most_one(label: &'static str, what: &str, dims: &[i64], sizes: &[Dim]) -> Check {
    for &d in dims {
        if let Some(size) = sizes[d as usize].fixed() {
            ensure!(
                size <= 1,
                label,
                "the slice size of the {what} dimension {d} must be 0 or 1, is {size}"
            );
        }
    }
    Ok(())
}

/// Sizes of the indices without the index vector dimension.
fn batch_dims(indices: &TensorType, index_vector_dim: i64) -> Vec<Dim> {
    (0..indices.rank())
        .filter(|d| *d as i64 != index_vector_dim)
        .map(|d| indices.dims[d])
        .collect()
}

/// The map has as many entries as an index vector has components (one where the vector dimension is
/// implicit).
fn index_vector(
    label: &'static str,
    name: &str,
    map: &[i64],
    index_vector_dim: i64,
    indices: &TensorType,
) -> Check {
    let components = match indices.dims.get(index_vector_dim as usize) {
        Some(dim) => *dim,
        None => Dim::Static(1),
    };
    ensure!(
        sizes_agree(components, Dim::Static(map.len() as i64)),
        label,
        "'{name}' has {} entries, an index vector {} components",
        map.len(),
        shape_text(&[components])
    );
    Ok(())
}

/// Batching dimensions of operand and indices pair up; labels in the order: unique, in range, not
/// the index vector, as many, same sizes.
fn batching(
    labels: [&'static str; 5],
    name: &str,
    operand_dims: &[i64],
    indices_dims: &[i64],
    index_vector_dim: i64,
    operand: &TensorType,
    indices: &TensorType,
) -> Check {
    unique(labels[0], name, indices_dims)?;
    in_rank(labels[1], name, indices_dims, indices.rank())?;
    ensure!(
        !indices_dims.contains(&index_vector_dim),
        labels[2],
        "'{name}' must not have 'index_vector_dim' {index_vector_dim}"
    );
    ensure!(
        operand_dims.len() == indices_dims.len(),
        labels[3],
        "operand and indices must have as many batching dimensions, have {} and {}",
        operand_dims.len(),
        indices_dims.len()
    );
    for (&o, &i) in operand_dims.iter().zip(indices_dims) {
        let (a, b) = (operand.dims[o as usize], indices.dims[i as usize]);
        ensure!(
            sizes_agree(a, b),
            labels[4],
            "batching dimensions must have the same size, dimension {o} of the operand has {}, dimension {i} of the indices {}",
            shape_text(&[a]),
            shape_text(&[b])
        );
    }
    Ok(())
}

/// `scatter`, variadic.
pub fn scatter(op: Op<'_>) -> Check<Inferred> {
    let types = operands(op)?;
    ensure!(
        types.len() >= 3 && types.len() % 2 == 1,
        "c5",
        "needs inputs, indices and as many updates as inputs; has {} operands",
        types.len()
    );
    let n = types.len() / 2;
    let (inputs, indices, updates) = (&types[..n], &types[n], &types[n + 1..]);
    for (i, input) in inputs.iter().enumerate() {
        same_shape("c1", &format!("inputs #0 and #{i}"), &inputs[0], input)?;
    }
    let Some(numbers) = op.text("scatter_dimension_numbers") else {
        return violation("", "needs the attribute 'scatter_dimension_numbers'");
    };
    let list = |name: &str| text::integer_list(&numbers, name);
    let window = list("update_window_dims");
    let inserted = list("inserted_window_dims");
    let input_batching = list("input_batching_dims");
    let indices_batching = list("scatter_indices_batching_dims");
    let scattered = list("scatter_dims_to_operand_dims");
    let vector_dim = list("index_vector_dim").first().copied().unwrap_or(0);
    let input = &inputs[0];
    ensure!(
        input.rank() == window.len() + inserted.len() + input_batching.len(),
        "c2",
        "the inputs' rank {} must be the number of window, inserted and batching dimensions, {} + {} + {}",
        input.rank(),
        window.len(),
        inserted.len(),
        input_batching.len()
    );
    for (i, update) in updates.iter().enumerate() {
        same_shape("c3", &format!("updates #0 and #{i}"), &updates[0], update)?;
        ensure!(
            same_storage(&inputs[i].element, &update.element),
            "c6",
            "input #{i} and update #{i} must have the same element type, have {} and {}",
            inputs[i].element,
            update.element
        );
    }
    let update = &updates[0];
    unique("c7", "update_window_dims", &window)?;
    sorted("c7", "update_window_dims", &window)?;
    in_rank("c8", "update_window_dims", &window, update.rank())?;
    let both: Vec<i64> = inserted.iter().chain(&input_batching).copied().collect();
    unique("c9", "inserted_window_dims and input_batching_dims", &both)?;
    sorted("c10", "inserted_window_dims", &inserted)?;
    in_rank("c11", "inserted_window_dims", &inserted, input.rank())?;
    sorted("c12", "input_batching_dims", &input_batching)?;
    in_rank("c13", "input_batching_dims", &input_batching, input.rank())?;
    ensure!(
        (0..=indices.rank() as i64).contains(&vector_dim),
        "c22",
        "'index_vector_dim' {vector_dim} is not in [0, {}]",
        indices.rank()
    );
    batching(
        ["c14", "c15", "c16", "c17", "c18"],
        "scatter_indices_batching_dims",
        &input_batching,
        &indices_batching,
        vector_dim,
        input,
        indices,
    )?;
    index_vector(
        "c19",
        "scatter_dims_to_operand_dims",
        &scattered,
        vector_dim,
        indices,
    )?;
    let both: Vec<i64> = scattered.iter().chain(&input_batching).copied().collect();
    unique(
        "c20",
        "scatter_dims_to_operand_dims and input_batching_dims",
        &both,
    )?;
    in_rank(
        "c21",
        "scatter_dims_to_operand_dims",
        &scattered,
        input.rank(),
    )?;
    // (C4): the shape of the updates is that of the scatter indices with the windows put in.
    let mut batch = batch_dims(indices, vector_dim).into_iter();
    let mut windows = (0..input.rank())
        .filter(|d| !inserted.contains(&(*d as i64)) && !input_batching.contains(&(*d as i64)));
    for d in 0..update.rank() {
        let have = update.dims[d];
        if window.contains(&(d as i64)) {
            let Some(from) = windows.next() else { continue };
            if let (Some(size), Some(bound)) = (have.fixed(), input.dims[from].bound()) {
                ensure!(
                    size <= bound,
                    "c4",
                    "the update window has size {size} in dimension {d}, beyond the size {bound} of dimension {from} of the inputs"
                );
            }
        } else {
            let want = batch.next();
            ensure!(
                want.is_some_and(|want| sizes_agree(want, have)),
                "c4",
                "dimension {d} of the updates must have the size of the scatter indices, {} against {}",
                shape_text(want.as_slice()),
                shape_text(&[have])
            );
        }
    }
    ensure!(
        batch.next().is_none(),
        "c4",
        "the updates' rank {} must be the number of window dimensions and of scatter dimensions of the indices",
        update.rank()
    );
    // Updates are combined an element at a time.
    let updates: Vec<TensorType> = updates
        .iter()
        .map(|update| TensorType::new(update.element.clone(), &[]))
        .collect();
    let elements = reducer(op, 0, "c23", inputs, &updates)?;
    many(
        inputs
            .iter()
            .zip(elements)
            .map(|(input, element)| TensorType {
                element,
                dims: input.dims.clone(),
            })
            .collect(),
    )
}

/// `torch_index_select` (not in HLO).
pub fn torch_index_select(op: Op<'_>) -> Check<Inferred> {
    let (operand, index) = (operand(op, 0)?, operand(op, 1)?);
    let dim = required_int(op, "dim")?;
    let batch = required_int(op, "batch_dims")?;
    in_rank("", "dim", &[dim], operand.rank())?;
    ensure!(
        (0..=index.rank().min(operand.rank()) as i64).contains(&batch) && batch <= dim,
        "",
        "'batch_dims' {batch} must be at most 'dim' {dim} and the rank of the index {}",
        index.rank()
    );
    for d in 0..batch as usize {
        ensure!(
            sizes_agree(operand.dims[d], index.dims[d]),
            "",
            "dimension {d}, one of 'batch_dims', must have the same size in both, has {} and {}",
            shape_text(&[operand.dims[d]]),
            shape_text(&[index.dims[d]])
        );
    }
    one(operand.element, found(op, 0)?)
}
