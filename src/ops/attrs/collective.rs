//! Attributes of operations between processes.

use super::{AttrError, Decoded, flag};
use crate::symbols::{declared, is_in_no_module};
use mapwright_mlir::{Attr, Op, attr, text};

/// `channel_handle` of a collective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channel {
    /// Identifier; 0 or less: none.
    pub handle: i64,
    /// Kind of transfer (1 device to device, 2 device to host, 3 host to device).
    pub kind: i64,
}

/// `channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>`, or the older `channel_id`;
/// zeros where absent.
pub fn channel(op: Op<'_>) -> Decoded<Channel> {
    if let Some(text) = op.text("channel_handle") {
        let one = |field| {
            text::integer_list(&text, field)
                .first()
                .copied()
                .unwrap_or(0)
        };
        return Ok(Channel {
            handle: one("handle"),
            kind: one("type"),
        });
    }
    Ok(Channel {
        handle: super::int_or(op, "channel_id", 0)?,
        kind: 0,
    })
}

/// Groups of processes that work together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Members of every group, in order.
    pub groups: Vec<Vec<i64>>,
    /// The members are numbers of devices of the whole system, not of replicas or partitions.
    pub global_device_ids: bool,
}

/// `replica_groups` (rows may be padded with -1) and `use_global_device_ids`.
pub fn replica_groups(op: Op<'_>) -> Decoded<Groups> {
    let name = "replica_groups";
    if op.attribute(name).is_none() {
        return Err(AttrError::new(name, "is missing"));
    }
    let groups = written_groups(op)
        .ok_or_else(|| {
            AttrError::new(
                name,
                "is neither a matrix of integers nor axes of a mesh that is known",
            )
        })?
        .into_iter()
        .map(|row| row.into_iter().filter(|member| *member != -1).collect())
        .collect();
    Ok(Groups {
        groups,
        global_device_ids: flag(op, "use_global_device_ids", false)?,
    })
}

/// The rows of `replica_groups`, padded as they are written; groups along axes of a mesh in the
/// order of these axes.
pub fn written_groups(op: Op<'_>) -> Option<Vec<Vec<i64>>> {
    let attribute = op.attribute("replica_groups")?;
    rows(attribute).or_else(|| groups_along_axes(op, &attribute.to_string()))
}

/// Members of a group with what the channel adds: a positive one, without ids of devices, puts all
/// partitions of the replicas that are listed into the group. `None` where the groups or the number
/// of partitions are not known.
pub fn members(op: Op<'_>) -> Option<i64> {
    let groups = written_groups(op)?;
    let listed = groups.first()?.iter().filter(|member| **member != -1);
    let listed = listed.count() as i64;
    let combined = channel(op).ok()?.handle > 0
        && !flag(op, "use_global_device_ids", false).ok()?
        && matches!(
            op.short_name(),
            "all_gather" | "all_reduce" | "collective_reduce" | "reduce_scatter"
        );
    let partitions = if combined {
        std::iter::successors(op.parent(), |scope| scope.parent())
            .find_map(|scope| scope.int("mhlo.num_partitions"))?
    } else {
        1
    };
    listed.checked_mul(partitions).filter(|n| *n > 0)
}

/// `#stablehlo.replica_group_mesh_axes<mesh = …, axes = […]>`: the devices that differ in the
/// places on these axes alone are a group.
fn groups_along_axes(op: Op<'_>, written: &str) -> Option<Vec<Vec<i64>>> {
    let mesh = text::field(written, "mesh")?;
    let own = mesh_as_written(op, mesh)?;
    let all = names_and_sizes(&own)?;
    let count: i64 = all
        .iter()
        .try_fold(1i64, |n, (_, size)| n.checked_mul(*size))?;
    if !(1..=1 << 20).contains(&count) {
        return None;
    }
    let ids: Vec<i64> = match text::field(&own, "device_ids") {
        Some(ids) => attr::ints(Attr::parse(op.context(), ids)?)?,
        None => (0..count).collect(),
    };
    if ids.len() as i64 != count {
        return None;
    }
    // Axes of the group: size, and the distance between neighbours on them.
    let mut grouped = Vec::new();
    let (_, rest) = written.split_once(mesh)?;
    for reference in text::items(text::field(rest, "axes")?) {
        let name = text::field(reference, "name")?.trim_matches('"');
        let k = all.iter().position(|(own, _)| own == name)?;
        let inner: i64 = all[k + 1..].iter().map(|(_, size)| size).product();
        let (before, size) = match text::integer_list(reference, "sub_axis_info")[..] {
            [] => (1, all[k].1),
            [before, size] => (before, size),
            _ => return None,
        };
        if before < 1 || size < 1 || all[k].1 % before.checked_mul(size)? != 0 {
            return None;
        }
        grouped.push((size, all[k].1 / (before * size) * inner));
    }
    let offsets = grouped.iter().fold(vec![0], |found, (size, step)| {
        found
            .iter()
            .flat_map(|at| (0..*size).map(move |i| at + i * step))
            .collect::<Vec<i64>>()
    });
    let is_first = |at: i64| grouped.iter().all(|(size, step)| at / step % size == 0);
    (0..count)
        .filter(|at| is_first(*at))
        .map(|at| {
            offsets
                .iter()
                .map(|offset| ids.get(usize::try_from(at + offset).ok()?).copied())
                .collect()
        })
        .collect()
}

/// A mesh, which may be given by its name.
fn mesh_as_written(op: Op<'_>, mesh: &str) -> Option<String> {
    match mesh.strip_prefix('@') {
        Some(name) => declared(op, name.trim_matches('"'))?.text("mesh"),
        None => Some(mesh.to_string()),
    }
}

/// Checks that a mesh and its axes are there, if `written` has groups along such. The error says
/// what is not there.
pub(crate) fn axes_are_there(op: Op<'_>, written: &str) -> Result<(), String> {
    let Some(mesh) = text::field(written, "mesh") else {
        return Ok(());
    };
    let Some(own) = mesh_as_written(op, mesh) else {
        return if is_in_no_module(op) {
            Ok(())
        } else {
            Err(format!("there is no mesh {}", mesh.replace('"', "")))
        };
    };
    let axes = written.split_once(mesh).map_or("", |(_, rest)| rest);
    let (Some(all), Some(axes)) = (names_and_sizes(&own), text::field(axes, "axes")) else {
        return Ok(());
    };
    for reference in text::items(axes) {
        let name = text::field(reference, "name").unwrap_or_default();
        let name = name.trim_matches('"');
        if all.iter().all(|(own, _)| own != name) {
            return Err(format!("the mesh has no axis \"{name}\""));
        }
    }
    Ok(())
}

/// The axes of `#stablehlo.mesh<axes = [<name = "x", size = 2>]>` or of `#sdy.mesh<["x"=2]>`.
fn names_and_sizes(mesh: &str) -> Option<Vec<(String, i64)>> {
    let named = text::field(mesh, "axes");
    let list = named.or_else(|| Some(mesh.split_once('[')?.1))?;
    let axis = |axis: &str| {
        let (name, size) = match named {
            Some(_) => (text::field(axis, "name")?, text::field(axis, "size")?),
            None => axis.rsplit_once('=')?,
        };
        let name = name.trim().trim_matches('"');
        Some((name.to_string(), size.trim().parse().ok()?))
    };
    text::items(list).into_iter().map(axis).collect()
}

/// Whether an `all_to_all` of MHLO's exchanges whole tensors, one for each member of a group. Then
/// it names no dimensions.
pub fn exchanges_tensors(op: Op<'_>) -> bool {
    op.name() == "mhlo.all_to_all" && op.attribute("split_dimension").is_none()
}

/// `has_dynamic_root`: the last operand holds the places of the roots.
pub fn has_dynamic_root(op: Op<'_>) -> Decoded<bool> {
    flag(op, "has_dynamic_root", false)
}

/// `source_target_pairs` of a `collective_permute`.
pub fn source_target_pairs(op: Op<'_>) -> Decoded<Vec<(i64, i64)>> {
    let name = "source_target_pairs";
    let attribute = op
        .attribute(name)
        .ok_or_else(|| AttrError::new(name, "is missing"))?;
    rows(attribute)
        .unwrap_or_default()
        .into_iter()
        .map(|row| match row.as_slice() {
            [source, target] => Ok((*source, *target)),
            _ => Err(AttrError::new(name, "is not a matrix with two columns")),
        })
        .collect()
}

/// Tells whether a message goes between processes by pairs.
pub fn is_paired(op: Op<'_>) -> bool {
    op.attribute("source_target_pairs").is_some() && op.boolean("is_host_transfer") != Some(true)
}

/// The greatest number that the groups or the pairs of a collective have for a replica, a partition
/// or a process.
///
/// # Errors
/// Groups or pairs that cannot be read.
pub fn last_member(op: Op<'_>) -> Decoded<Option<i64>> {
    if op.attribute("source_target_pairs").is_some() {
        let pairs = source_target_pairs(op)?.into_iter();
        return Ok(pairs.map(|(source, target)| source.max(target)).max());
    }
    Ok(replica_groups(op)?.groups.into_iter().flatten().max())
}

/// Rows of a dense matrix or of nested arrays.
pub fn rows(attribute: Attr<'_>) -> Option<Vec<Vec<i64>>> {
    if let Some(items) = attr::array(attribute) {
        return items.into_iter().map(attr::ints).collect();
    }
    let dense = attr::Dense::from_mlir(attribute)?;
    let shape = dense.ty.static_shape()?;
    let values = attr::ints(attribute)?;
    match shape.as_slice() {
        [_, columns] if *columns > 0 => Some(
            values
                .chunks(usize::try_from(*columns).ok()?)
                .map(<[i64]>::to_vec)
                .collect(),
        ),
        [rows, _] => Some(vec![Vec::new(); usize::try_from(*rows).ok()?]),
        _ => None,
    }
}
