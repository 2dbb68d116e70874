//! Collectives among replicas and partitions.

use crate::symbols;
use crate::typing::check::*;
use mapwright_mlir::{Attr, Dim, Op, TensorType, attr, text};

/// Replica groups as written: rows padded with -1.
///
/// The labels are those of the constraints that ids are unique, that they are in range, and that global ids need a channel.
fn groups(
    op: Op<'_>,
    unique_ids: &'static str,
    range: &'static str,
    global: &'static str,
) -> Check<Option<Vec<Vec<i64>>>> {
    let Some(attribute) = op.attribute("replica_groups") else {
        return Ok(None);
    };
    let Some(rows) = rows(attribute) else {
        // Mesh-axes forms say the groups through a mesh that is declared elsewhere.
        let written = attribute.to_string();
        let dense = attr::Dense::from_mlir(attribute).is_some();
        ensure!(
            !dense,
            range,
            "'replica_groups' must be 2-dimensional, is {written}"
        );
        if let Some((_, mesh)) = written.split_once("<mesh = @") {
            let mesh = mesh.split([',', '>']).next().unwrap_or(mesh);
            let mesh = mesh.trim_matches('"');
            ensure!(
                symbols::is_in_no_module(op) || symbols::declared(op, mesh).is_some(),
                range,
                "'replica_groups': there is no mesh @{mesh}"
            );
        }
        return Ok(None);
    };
    let ids: Vec<i64> = rows
        .iter()
        .flatten()
        .copied()
        .filter(|id| *id != -1)
        .collect();
    // Groups of different sizes are for those whose results do not grow with the group.
    let uneven = matches!(
        op.short_name(),
        "all_reduce" | "collective_broadcast" | "cross-replica-sum"
    );
    let padded = rows.len() > 1 && uneven;
    for row in &rows {
        let tail = row.iter().skip_while(|id| **id != -1);
        ensure!(
            (padded || !row.contains(&-1)) && tail.clone().all(|id| *id == -1),
            range,
            "'replica_groups' has the id -1, which may stand only at the end of shorter groups, where these are allowed"
        );
    }
    for id in &ids {
        ensure!(*id >= 0, range, "'replica_groups' has the negative id {id}");
    }
    unique(unique_ids, "replica_groups", &ids)?;
    // All ids from 0 to the greatest one take part.
    let greatest = ids.iter().max().copied().unwrap_or(-1);
    for id in 0..=greatest.min(ids.len() as i64) {
        ensure!(
            ids.contains(&id),
            range,
            "'replica_groups' leaves out the id {id}"
        );
    }
    let channel = channel(op);
    if op.attribute("use_global_device_ids").is_some()
        && op.boolean("use_global_device_ids") != Some(false)
    {
        ensure!(
            channel.is_some_and(|handle| handle > 0),
            global,
            "'use_global_device_ids' needs a positive channel handle"
        );
        ensure!(
            !rows.is_empty(),
            global,
            "'use_global_device_ids' needs 'replica_groups'"
        );
    }
    Ok(Some(rows))
}

/// The rows of a 2-dimensional dense attribute of integers.
pub fn rows(attribute: Attr<'_>) -> Option<Vec<Vec<i64>>> {
    let shape = attr::Dense::from_mlir(attribute)?.ty.static_shape()?;
    let [count, width] = shape[..] else {
        return None;
    };
    let values = attr::ints(attribute)?;
    if width == 0 {
        return Some(vec![Vec::new(); usize::try_from(count).ok()?]);
    }
    Some(
        values
            .chunks_exact(width as usize)
            .map(<[i64]>::to_vec)
            .collect(),
    )
}

fn channel(op: Op<'_>) -> Option<i64> {
    let handle = op.text("channel_handle")?;
    text::integer_list(&handle, "handle").first().copied()
}

fn channel_is_not_negative(op: Op<'_>, label: &'static str) -> Check {
    ensure!(
        channel(op).is_none_or(|handle| handle >= 0),
        label,
        "the channel handle must not be negative"
    );
    Ok(())
}

fn scaled(size: Dim, by: impl Fn(i64) -> Option<i64>) -> Option<Dim> {
    Some(match size {
        Dim::Static(n) => Dim::Static(by(n)?),
        Dim::Bounded(n) => Dim::Bounded(by(n)?),
        Dim::Dynamic => Dim::Dynamic,
    })
}

/// `all_gather`: the gathered dimension grows by the size of a group.
pub fn all_gather(op: Op<'_>) -> Check<Inferred> {
    let dim = required_int(op, "all_gather_dim")?;
    let groups = groups(op, "c2", "c4", "c5")?;
    channel_is_not_negative(op, "c5")?;
    let mut types = Vec::new();
    for i in 0..op.num_operands() {
        let operand = operand(op, i)?;
        let result = result(op, i)?;
        in_rank("c1", "all_gather_dim", &[dim], operand.rank())?;
        let mut dims = operand.dims.clone();
        let at = dim as usize;
        match groups
            .as_deref()
            .and_then(|rows| rows.first())
            .map(Vec::len)
        {
            Some(n) if n > 0 => {
                dims[at] =
                    scaled(dims[at], |size| size.checked_mul(n as i64)).unwrap_or(Dim::Dynamic);
            }
            _ => {
                ensure!(
                    result.rank() == operand.rank(),
                    "c6",
                    "operand and result must have the same rank"
                );
                if let (Some(from), Some(to)) = (operand.dims[at].fixed(), result.dims[at].fixed())
                {
                    ensure!(
                        (from == 0 && to == 0) || (from != 0 && to % from == 0),
                        "c6",
                        "the gathered dimension must grow by a whole factor, from {from} to {to}"
                    );
                }
                dims[at] = result.dims[at];
            }
        }
        types.push(TensorType {
            element: operand.element,
            dims,
        });
    }
    many(types)
}

/// `all_reduce`.
pub fn all_reduce(op: Op<'_>) -> Check<Inferred> {
    groups(op, "c1", "c3", "c4")?;
    channel_is_not_negative(op, "c4")?;
    let types = operands(op)?;
    let mut reduced = Vec::new();
    for ty in types {
        let element = reducer(op, 0, "c5", std::slice::from_ref(&ty), &[])?.remove(0);
        reduced.push(TensorType {
            element,
            dims: ty.dims,
        });
    }
    many(reduced)
}

/// `reduce_scatter`: the scattered dimension shrinks by the size of a group.
pub fn reduce_scatter(op: Op<'_>) -> Check<Inferred> {
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
    let dim = required_int(op, "scatter_dimension")?;
    in_rank("c2", "scatter_dimension", &[dim], operand.rank())?;
    let groups = groups(op, "c3", "c5", "c6")?;
    channel_is_not_negative(op, "c6")?;
    let element = reducer(op, 0, "c7", std::slice::from_ref(&operand), &[])?.remove(0);
    let at = dim as usize;
    let mut dims = operand.dims.clone();
    let n = groups
        .as_deref()
        .and_then(|rows| rows.first())
        .map(Vec::len)
        .filter(|n| *n > 0);
    if let (Some(size), Some(n)) = (dims[at].fixed(), n) {
        ensure!(
            size % n as i64 == 0,
            "c1",
            "the size {size} of dimension {dim} must be a multiple of the group size {n}"
        );
    }
    dims[at] = match n {
        Some(n) => scaled(dims[at], |size| Some(size / n as i64)).unwrap_or(Dim::Dynamic),
        None => {
            ensure!(
                result.rank() == operand.rank(),
                "c8",
                "operand and result must have the same rank"
            );
            if let (Some(from), Some(to)) = (operand.dims[at].fixed(), result.dims[at].fixed()) {
                ensure!(
                    (from == 0 && to == 0) || (to != 0 && from % to == 0),
                    "c8",
                    "the scattered dimension must shrink by a whole factor, from {from} to {to}"
                );
            }
            result.dims[at]
        }
    };
    one(element, dims)
}

/// `all_to_all`.
pub fn all_to_all(op: Op<'_>) -> Check<Inferred> {
    let split = required_int(op, "split_dimension")?;
    let concat = required_int(op, "concat_dimension")?;
    let count = required_int(op, "split_count")?;
    let types = operands(op)?;
    let mut results = Vec::new();
    for operand in types {
        in_rank("c1", "split_dimension", &[split], operand.rank())?;
        in_rank("c3", "concat_dimension", &[concat], operand.rank())?;
        ensure!(
            count > 0,
            "c4",
            "'split_count' must be positive, is {count}"
        );
        let (s, c) = (split as usize, concat as usize);
        if let Some(size) = operand.dims[s].fixed() {
            ensure!(
                size % count == 0,
                "c2",
                "the size {size} of the split dimension {split} must be a multiple of 'split_count' {count}"
            );
        }
        let mut dims = operand.dims.clone();
        if s != c {
            dims[s] = scaled(dims[s], |n| Some(n / count)).unwrap_or(Dim::Dynamic);
            dims[c] = scaled(dims[c], |n| n.checked_mul(count)).unwrap_or(Dim::Dynamic);
        }
        results.push(TensorType {
            element: operand.element,
            dims,
        });
    }
    if let Some(rows) = groups(op, "c5", "c7", "")? {
        for row in &rows {
            ensure!(
                row.len() as i64 == count,
                "c8",
                "groups must have 'split_count' {count} members, one has {}",
                row.len()
            );
        }
    }
    many(results)
}

/// Pairs of source and target (C1 to C4 of `collective_permute`, `send` and `recv`): no source and no target is there twice.
pub fn source_target_pairs(op: Op<'_>) -> Check {
    let pairs = op.attribute("source_target_pairs");
    let Some(rows) = pairs.and_then(rows) else {
        return violation(
            "c1",
            "'source_target_pairs' must be a 2-dimensional list of integers",
        );
    };
    let mut sources = Vec::new();
    let mut targets = Vec::new();
    for row in &rows {
        let [source, target] = row[..] else {
            return violation(
                "c1",
                format!("'source_target_pairs' must have pairs, has {row:?}"),
            );
        };
        sources.push(source);
        targets.push(target);
        ensure!(
            source >= 0 && target >= 0,
            "c4",
            "'source_target_pairs' has the negative id {}",
            source.min(target)
        );
    }
    unique("c2", "the sources in source_target_pairs", &sources)?;
    unique("c3", "the targets in source_target_pairs", &targets)
}

/// `collective_permute`.
pub fn collective_permute(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    source_target_pairs(op)?;
    one(operand.element, operand.dims)
}

/// `collective_broadcast`.
pub fn collective_broadcast(op: Op<'_>) -> Check<Inferred> {
    let operand = operand(op, 0)?;
    if let Some(rows) = op.attribute("replica_groups").and_then(rows) {
        let ids: Vec<i64> = rows.into_iter().flatten().collect();
        for id in &ids {
            ensure!(*id >= 0, "c2", "'replica_groups' has the negative id {id}");
        }
        unique("c1", "replica_groups", &ids)?;
    }
    one(operand.element, operand.dims)
}

/// `cross-replica-sum` (not in HLO).
pub fn cross_replica_sum(op: Op<'_>) -> Check<Inferred> {
    groups(op, "", "", "")?;
    let operand = operand(op, 0)?;
    one(operand.element, operand.dims)
}
