//! Collectives among replicas and partitions.

use crate::attrs;
use crate::typing::check::*;
use mapwright_mlir::{Dim, ElementType, Op, TensorType, attr};

/// Replica groups as written, where they are known: rows padded with -1.
fn written(op: Op<'_>, label: &'static str) -> Check<Option<Vec<Vec<i64>>>> {
    let Some(attribute) = op.attribute("replica_groups") else {
        return Ok(None);
    };
    let rows = attrs::written_groups(op);
    if rows.is_none() {
        // The mesh whose axes say the groups may not be known.
        let text = attribute.to_string();
        ensure!(
            attr::Dense::from_mlir(attribute).is_none(),
            label,
            "'replica_groups' must be 2-dimensional, is {text}"
        );
        if let Err(missing) = attrs::axes_are_there(op, &text) {
            return violation(label, format!("'replica_groups': {missing}"));
        }
    }
    Ok(rows)
}

/// Replica groups as written: rows padded with -1.
///
/// The labels are those of the constraints that ids are unique, that they are in range, and that
/// global ids need a channel.
fn groups(
    op: Op<'_>,
    unique_ids: &'static str,
    range: &'static str,
    global: &'static str,
) -> Check<Option<Vec<Vec<i64>>>> {
    let Some(rows) = written(op, range)? else {
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
        "all_reduce" | "collective_broadcast" | "collective_reduce" | "cross-replica-sum"
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
    let mut ascending = ids.clone();
    ascending.sort_unstable();
    for (id, given) in (0..).zip(&ascending) {
        ensure!(
            id == *given,
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

fn channel(op: Op<'_>) -> Option<i64> {
    op.attribute("channel_handle")?;
    Some(attrs::channel(op).ok()?.handle)
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

/// Tells whether the size of a whole can be that of a part for each member of a group. The members
/// that are listed are known to be some of them, as often as there are partitions, and nothing
/// more.
fn times(part: i64, whole: i64, rows: Option<&[Vec<i64>]>) -> bool {
    let listed = rows.and_then(<[_]>::first);
    let listed = listed.map_or(1, |row| row.len().max(1) as i64);
    match part.checked_mul(listed) {
        Some(0) => whole == 0,
        Some(least) => whole % least == 0,
        None => false,
    }
}

/// `all_gather`: the gathered dimension grows by the size of a group.
pub fn all_gather(op: Op<'_>) -> Check<Inferred> {
    let dim = required_int(op, "all_gather_dim")?;
    let rows = groups(op, "c2", "c4", "c5")?;
    channel_is_not_negative(op, "c5")?;
    let members = attrs::members(op);
    let mut types = Vec::new();
    for i in 0..op.num_operands() {
        let operand = operand(op, i)?;
        let result = result(op, i)?;
        in_rank("c1", "all_gather_dim", &[dim], operand.rank())?;
        let mut dims = operand.dims.clone();
        let at = dim as usize;
        match members {
            Some(n) => {
                dims[at] = scaled(dims[at], |size| size.checked_mul(n)).unwrap_or(Dim::Dynamic);
            }
            None => {
                ensure!(
                    result.rank() == operand.rank(),
                    "c6",
                    "operand and result must have the same rank"
                );
                if let (Some(from), Some(to)) = (operand.dims[at].fixed(), result.dims[at].fixed())
                {
                    ensure!(
                        times(from, to, rows.as_deref()),
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
    many(reduced(op, operands(op)?, "c5")?)
}

/// `reduce_scatter`: the scattered dimension shrinks by the size of a group.
pub fn reduce_scatter(op: Op<'_>) -> Check<Inferred> {
    let (operand, result) = (operand(op, 0)?, result(op, 0)?);
    let dim = required_int(op, "scatter_dimension")?;
    in_rank("c2", "scatter_dimension", &[dim], operand.rank())?;
    let rows = groups(op, "c3", "c5", "c6")?;
    channel_is_not_negative(op, "c6")?;
    let element = reducer(op, 0, "c7", std::slice::from_ref(&operand), &[])?.remove(0);
    let at = dim as usize;
    let mut dims = operand.dims.clone();
    let n = attrs::members(op);
    if let (Some(size), Some(n)) = (dims[at].fixed(), n) {
        ensure!(
            size % n == 0,
            "c1",
            "the size {size} of dimension {dim} must be a multiple of the group size {n}"
        );
    }
    dims[at] = match n {
        Some(n) => scaled(dims[at], |size| Some(size / n)).unwrap_or(Dim::Dynamic),
        None => {
            ensure!(
                result.rank() == operand.rank(),
                "c8",
                "operand and result must have the same rank"
            );
            if let (Some(from), Some(to)) = (operand.dims[at].fixed(), result.dims[at].fixed()) {
                ensure!(
                    times(to, from, rows.as_deref()),
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
    if attrs::exchanges_tensors(op) {
        return exchanged_tensors(op);
    }
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
    groups(op, "c5", "c7", "")?;
    members_are(op, count, "'split_count'")?;
    many(results)
}

/// `all_to_all` of MHLO's that sends one of its tensors to each member of a group.
fn exchanged_tensors(op: Op<'_>) -> Check<Inferred> {
    let types = operands(op)?;
    for ty in &types {
        same_shape("", "the operands", &types[0], ty)?;
        same_element("", "the operands", &types[0], ty)?;
    }
    groups(op, "c5", "c7", "")?;
    members_are(op, types.len() as i64, "the number of operands")?;
    many(types)
}

/// (C8) of `all_to_all`: groups have so many members, also where there is no group. All processes
/// are one group where the table has no columns.
fn members_are(op: Op<'_>, count: i64, what: &str) -> Check {
    let table = op
        .attribute("replica_groups")
        .and_then(attr::Dense::from_mlir);
    let shape = table.and_then(|table| table.ty.static_shape());
    if let Some([_, columns]) = shape.as_deref() {
        ensure!(
            *columns == count || *columns == 0,
            "c8",
            "groups must have {count} members, {what}, have {columns}"
        );
    }
    Ok(())
}

/// Pairs of source and target (C1 to C4 of `collective_permute`, `send` and `recv`): no source and
/// no target is there twice.
pub fn source_target_pairs(op: Op<'_>) -> Check {
    let pairs = op.attribute("source_target_pairs");
    // A list of no pairs may have any shape.
    if pairs.and_then(attr::ints).is_some_and(|ids| ids.is_empty()) {
        return Ok(());
    }
    let Some(rows) = pairs.and_then(attrs::rows) else {
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

/// The types of the operands that hold data: all but the places of the roots, which
/// `has_dynamic_root` puts behind them.
fn rooted(op: Op<'_>, label: &'static str) -> Check<Vec<TensorType>> {
    let mut types = operands(op)?;
    if attrs::has_dynamic_root(op).unwrap_or(false) {
        let roots = types.pop();
        let fits = roots.as_ref().is_some_and(|roots| {
            roots.element == ElementType::int(32)
                && roots.rank() == 1
                && sizes_agree(roots.dims[0], Dim::Static(types.len() as i64))
        });
        ensure!(
            fits,
            label,
            "'has_dynamic_root' needs a last operand of the type tensor<{}xi32>",
            types.len()
        );
    }
    ensure!(!types.is_empty(), label, "needs an operand that holds data");
    Ok(types)
}

/// `collective_broadcast`.
pub fn collective_broadcast(op: Op<'_>) -> Check<Inferred> {
    if let Some(rows) = written(op, "c2")? {
        let ids: Vec<i64> = rows.into_iter().flatten().collect();
        for id in &ids {
            ensure!(*id >= 0, "c2", "'replica_groups' has the negative id {id}");
        }
        unique("c1", "replica_groups", &ids)?;
    }
    many(rooted(op, "c4")?)
}

/// `collective_reduce`: as `all_reduce`, for the roots.
pub fn collective_reduce(op: Op<'_>) -> Check<Inferred> {
    groups(op, "c1", "c2", "")?;
    channel_is_not_negative(op, "")?;
    many(reduced(op, rooted(op, "c3")?, "c4")?)
}

/// Returns the types that a reduction over processes gives for tensors, each by itself.
fn reduced(op: Op<'_>, types: Vec<TensorType>, label: &'static str) -> Check<Vec<TensorType>> {
    types
        .into_iter()
        .map(|ty| {
            let element = reducer(op, 0, label, std::slice::from_ref(&ty), &[])?.remove(0);
            Ok(TensorType {
                element,
                dims: ty.dims,
            })
        })
        .collect()
}

/// `cross-replica-sum` (not in HLO).
pub fn cross_replica_sum(op: Op<'_>) -> Check<Inferred> {
    groups(op, "", "", "")?;
    let operand = operand(op, 0)?;
    one(operand.element, operand.dims)
}
