//! Attributes of operations between processes.

use super::{AttrError, Decoded, flag};
use mapwright_mlir::{Op, attr, text};

/// `channel_handle` of a collective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channel {
    /// Identifier; 0 or less: none.
    pub handle: i64,
    /// Kind of transfer (1 device to device, 2 device to host, 3 host to device).
    pub kind: i64,
}

/// `channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>`, or the older `channel_id`; zeros where absent.
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
    let attribute = op
        .attribute(name)
        .ok_or_else(|| AttrError::new(name, "is missing"))?;
    let groups =
        rows(attribute).ok_or_else(|| AttrError::new(name, "is not a matrix of integers"))?;
    let groups = groups
        .into_iter()
        .map(|row| row.into_iter().filter(|member| *member != -1).collect())
        .collect();
    Ok(Groups {
        groups,
        global_device_ids: flag(op, "use_global_device_ids", false)?,
    })
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

/// Rows of a dense matrix or of nested arrays.
fn rows(attribute: mapwright_mlir::Attr<'_>) -> Option<Vec<Vec<i64>>> {
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
