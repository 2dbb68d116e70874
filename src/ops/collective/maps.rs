//! Maps of collectives, over `(replica, index…)`.
//!
//! With m members in a group, and `position` the place of a replica in it:
//! - `all_reduce`: an element of every member;
//! - `all_gather` along k: member `d_k floordiv n` at `d_k mod n`, where n is the operand's size;
//! - `reduce_scatter` along k: every member at `d_k + position * n`, where n is the result's size;
//! - `all_to_all`: the part for `position` of member `d_c floordiv n`;
//! - `collective_permute`: the source of the pair; `collective_broadcast`: the first member;
//! - `collective_reduce`: on the first member, an element of every member.
//!
//! Members are numbered as the replica groups number them (replicas, partitions or devices, by
//! channel and flags).

use super::groups::{Case, Relation, relation};
use crate::attrs;
use crate::query::{Pieces, Query, nothing, variables};
use mapwright_indexing::{Expr, IndexingMap, Interval, Variable, c, d};

/// A map over `(replica, index…)` of a tensor of `sizes`.
fn lifted(replicas: i64, sizes: &[i64]) -> IndexingMap {
    let mut dims = vec![Variable::named("replica", Interval::of_size(replicas))];
    dims.extend(variables(sizes));
    IndexingMap::new(dims, vec![])
}

/// The index without the replica, as variables.
fn index(rank: usize) -> Vec<Expr> {
    (0..rank).map(|k| d(k + 1)).collect()
}

/// One piece for a case: the case's replicas only.
fn for_case(relation: &Relation, case: &Case, sizes: &[i64]) -> IndexingMap {
    let mut map = lifted(relation.replicas, sizes);
    if let Some(replica) = case.replica {
        map.dims_mut()[0].interval = Interval::point(replica);
    }
    map
}

/// The member at a place that is a range variable.
fn any_member(case: &Case, map: &mut IndexingMap) -> Expr {
    case.member(map.push_range(case.places))
}

/// The member at a place that is an expression: where the case tells of that place.
fn member_at(
    relation: &Relation,
    case: &Case,
    place: Expr,
    map: IndexingMap,
) -> (Expr, IndexingMap) {
    let member = case.member(place.clone());
    if case.places == Interval::of_size(relation.size) {
        return (member, map);
    }
    (member, map.with_constraint(place, case.places))
}

fn between(
    q: &Query<'_>,
    from: &[i64],
    to: &[i64],
    operand: usize,
    result: usize,
    backward: bool,
) -> Pieces {
    if attrs::has_dynamic_root(q.op)? {
        return Err("the root is known at run time only".into());
    }
    if operand != result {
        let lift = |sizes: &[i64]| [&[1], sizes].concat();
        return Ok(nothing(&lift(from), &lift(to)));
    }
    if from.len() != to.len() {
        return Err("operand and result have different ranks".into());
    }
    let name = q.op.short_name();
    let rank = from.len();
    let axis = |attribute: &str| -> Result<usize, String> {
        Ok(attrs::axis(attribute, attrs::int(q.op, attribute)?, rank)?)
    };
    if name == "collective_permute" {
        return permute(q, from, backward);
    }
    let groups = attrs::replica_groups(q.op)?;
    let listed = groups.groups.first().map_or(0, Vec::len) as i64;
    if attrs::members(q.op).is_some_and(|members| members != listed) {
        return Err("the groups hold all partitions of the replicas that are listed".into());
    }
    let relation = relation(&groups.groups, d(0))?;
    let mut pieces = Vec::new();
    for case in &relation.cases {
        let mut map = for_case(&relation, case, from);
        let mut index = index(rank);
        let position = case.position.clone();
        let replica = match name {
            "all_reduce" | "cross-replica-sum" => any_member(case, &mut map),
            "collective_broadcast" | "collective_reduce" => {
                if (name == "collective_broadcast") == backward {
                    // Only the first member; cases that tell of other places say nothing about it.
                    if case.places.lower > 0 {
                        continue;
                    }
                    case.member(c(0))
                } else {
                    map = map.with_constraint(position, Interval::point(0));
                    any_member(case, &mut map)
                }
            }
            // From the whole to the part of a member: all_gather backward, reduce_scatter forward.
            "all_gather" | "reduce_scatter" if (name == "all_gather") == backward => {
                let k = axis(if name == "all_gather" {
                    "all_gather_dim"
                } else {
                    "scatter_dimension"
                })?;
                let part = to[k].max(1);
                let place = index[k].clone().floor_div(part);
                index[k] = index[k].clone().modulo(part);
                let (member, constrained) = member_at(&relation, case, place, map);
                map = constrained;
                member
            }
            // From the part of this replica to the whole of every member.
            "all_gather" | "reduce_scatter" => {
                let k = axis(if name == "all_gather" {
                    "all_gather_dim"
                } else {
                    "scatter_dimension"
                })?;
                index[k] = index[k].clone() + position * from[k];
                any_member(case, &mut map)
            }
            "all_to_all" => {
                let (split, concat) = (axis("split_dimension")?, axis("concat_dimension")?);
                let (inp, out) = if backward { (to, from) } else { (from, to) };
                let part = (inp[split] / relation.size).max(1);
                // Sizes of what one member sends, along the concatenated dimension.
                let piece = (out[concat] / relation.size).max(1);
                let (taken, width, put, other) = if backward {
                    (concat, piece, split, part)
                } else {
                    (split, part, concat, piece)
                };
                let place = index[taken].clone().floor_div(width);
                index[taken] = index[taken].clone().modulo(width);
                index[put] = index[put].clone() + position * other;
                let (member, constrained) = member_at(&relation, case, place, map);
                map = constrained;
                member
            }
            _ => return Err(format!("`{}` is not known", q.op.name())),
        };
        map.set_results([vec![replica], index].concat());
        pieces.push(map);
    }
    Ok(pieces)
}

fn permute(q: &Query<'_>, sizes: &[i64], backward: bool) -> Pieces {
    let pairs = attrs::source_target_pairs(q.op)?;
    let replicas = pairs.iter().map(|(a, b)| a.max(b) + 1).max().unwrap_or(1);
    if pairs.is_empty() {
        let lift = [&[1], sizes].concat();
        return Ok(nothing(&lift, &lift));
    }
    let ends: Vec<(i64, i64)> = pairs
        .into_iter()
        .map(|(a, b)| if backward { (b, a) } else { (a, b) })
        .collect();
    // Rotations and the like are one formula: to = from + shift on an interval of replicas.
    let mut runs: Vec<(i64, i64, i64)> = Vec::new();
    let mut sorted = ends;
    sorted.sort_unstable();
    for (from, to) in sorted {
        match runs.last_mut() {
            Some((_, last, shift)) if *last + 1 == from && *shift == to - from => *last = from,
            _ => runs.push((from, from, to - from)),
        }
    }
    if runs.len() > 256 {
        return Err("the pairs follow no rule and are too many to be told one by one".into());
    }
    Ok(runs
        .into_iter()
        .map(|(first, last, shift)| {
            let mut map = lifted(replicas, sizes);
            map.dims_mut()[0].interval = Interval::new(first, last);
            map.set_results([vec![d(0) + shift], index(sizes.len())].concat());
            map
        })
        .collect())
}

pub(crate) fn output_to_input(q: &Query<'_>, result: usize, operand: usize) -> Pieces {
    between(
        q,
        &q.static_result(result)?,
        &q.static_operand(operand)?,
        operand,
        result,
        true,
    )
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, result: usize) -> Pieces {
    between(
        q,
        &q.static_operand(operand)?,
        &q.static_result(result)?,
        operand,
        result,
        false,
    )
}
