//! The shape function of what the members of a group exchange.

use crate::attrs;
use crate::shape_function::{Found, ShapeQuery, Size, axis};

/// One dimension has the pieces of all members of a group, another one a piece of what it had.
pub(crate) fn exchanged(query: &mut ShapeQuery<'_, '_>) -> Found<Vec<Size>> {
    let mut sizes = query.operand(query.result)?;
    let groups = attrs::replica_groups(query.op)?.groups;
    let listed = groups.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let members = Size::Known(attrs::members(query.op).unwrap_or(listed as i64));
    let (joined, split) = match query.op.short_name() {
        "all_gather" => (Some("all_gather_dim"), None),
        "reduce_scatter" => (None, Some("scatter_dimension")),
        _ => (Some("concat_dimension"), Some("split_dimension")),
    };
    if let Some(name) = split {
        let d = axis(query.op, name, &sizes)?;
        sizes[d] = query.div(sizes[d], members)?;
    }
    if let Some(name) = joined {
        let d = axis(query.op, name, &sizes)?;
        sizes[d] = query.mul(sizes[d], members)?;
    }
    Ok(sizes)
}
