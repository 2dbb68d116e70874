//! The sharding that a program gives to a value.

use super::{SHARDING, read, read_list, regions};
use crate::typing::check::Check;
use mapwright_mlir::{Attr, Val, attr, op};
use mapwright_sharding::notation::ShardySharding;

/// Sharding that a program states for a value.
pub(super) enum Known {
    Sharding(ShardySharding),
    /// Nothing.
    None,
    /// It follows from what is said of other values.
    Elsewhere,
}

impl From<Option<ShardySharding>> for Known {
    fn from(found: Option<ShardySharding>) -> Self {
        found.map_or(Known::None, Known::Sharding)
    }
}

/// The sharding of a value.
///
/// # Errors
/// An attribute that cannot be read.
pub(super) fn sharding(value: Val<'_>) -> Check<Known> {
    if let Some((maker, i)) = op::defining_op(value) {
        let nth = |list: Option<Vec<ShardySharding>>| list.and_then(|list| list.into_iter().nth(i));
        let own = match (maker.dialect(), maker.short_name()) {
            ("sdy", "sharding_constraint" | "reshard" | "data_flow_edge") => maker
                .text("sharding")
                .map(|_| read(maker, "sharding"))
                .transpose()?,
            ("sdy", "manual_computation" | "named_computation") => {
                nth(read_list(maker, "out_shardings")?)
            }
            ("sdy", _) if maker.attribute("out_sharding").is_some() => {
                Some(read(maker, "out_sharding")?)
            }
            _ => nth(read_list(maker, SHARDING)?),
        };
        return Ok(own.into());
    }
    let place = op::block_argument(value);
    let Some((owner, i)) = place.and_then(|(block, i)| Some((op::parent_of_block(block)?, i)))
    else {
        return Ok(Known::Elsewhere);
    };
    let nth = |list: Option<Vec<ShardySharding>>| list.and_then(|list| list.into_iter().nth(i));
    Ok(match owner.name() {
        "sdy.manual_computation" => {
            let mut local = nth(read_list(owner, "in_shardings")?);
            if let Some(local) = &mut local {
                regions::without_manual(local, &regions::manual_axes(owner));
            }
            local.into()
        }
        "sdy.named_computation" => nth(read_list(owner, "in_shardings")?).into(),
        name if name.ends_with(".func") => entry(owner.attribute("arg_attrs"), i).into(),
        _ => Known::Elsewhere,
    })
}

/// The sharding in the entry for an argument of a function.
fn entry(list: Option<Attr<'_>>, i: usize) -> Option<ShardySharding> {
    let entries = list.and_then(attr::array)?;
    let own = attr::entry(*entries.get(i)?, SHARDING)?;
    own.to_string().parse().ok()
}
