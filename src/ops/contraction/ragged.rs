//! Maps of `ragged_dot`: a dimension of the left operand is made of groups, one behind the other,
//! whose sizes are an operand.
//!
//! There are three kinds, by what the ragged dimension is:
//!
//! - a free one: the right operand has a matrix for each group, and a row is multiplied with that
//!   of its group. Rows behind the last group are zero: they are made of nothing;
//! - a contracted one: the result has a product for each group, over the group's part of the
//!   dimension;
//! - a batching one: an ordinary product, for which the sizes do not matter.
//!
//! Index `m` is in group `g` if it is not below the sum of the sizes before `g`, and below that sum
//! with the size of `g`. The sizes are runtime variables, so each group is a piece of its own.

use super::dot::{Labels, dot, labelled, sums_are_empty};
use crate::attrs::{RaggedDotDimensions, axes};
use crate::query::{Pieces, Query, UNBOUNDED, nothing};
use mapwright_indexing::{Constraint, Expr, ExprKind, IndexingMap, Interval, c};

/// The most groups that are told apart. Piece `g` has `g + 1` runtime variables.
const GROUPS: i64 = 32;

struct Ragged {
    labels: Labels,
    /// The label of the ragged dimension; none where the sizes do not matter.
    ragged: Option<usize>,
    /// The label of the groups, in the right operand or in the result.
    group: usize,
    /// The dimensions that have sizes of their own, the groups left out.
    prefix: Vec<usize>,
    /// Number of groups, and of elements that they share.
    groups: i64,
    elements: i64,
}

fn decode(q: &Query<'_>) -> Result<Ragged, String> {
    let dims = RaggedDotDimensions::decode(q.op)?;
    let name = "ragged_dot_dimension_numbers";
    let (lhs, rhs) = (q.operand(0)?.rank(), q.operand(1)?.rank());
    let (lb, lc) = (
        axes(name, &dims.dot.lhs_batching, lhs)?,
        axes(name, &dims.dot.lhs_contracting, lhs)?,
    );
    let (rb, rc) = (
        axes(name, &dims.dot.rhs_batching, rhs)?,
        axes(name, &dims.dot.rhs_contracting, rhs)?,
    );
    if lb.len() != rb.len() || lc.len() != rc.len() {
        return Err(
            "the operands have different numbers of batching or contracting dimensions".into(),
        );
    }
    let ragged = crate::attrs::axis(name, dims.lhs_ragged, lhs)?;
    let mut labels = dot(&lb, &rb, &lc, &rc, lhs, rhs);
    // Beyond the labels of both operands.
    let group = lhs + rhs;
    let batched = lb.contains(&ragged);
    let contracted = lc.contains(&ragged);
    if let Some(at) = dims.rhs_group {
        let at = crate::attrs::axis(name, at, rhs)?;
        let old = labels.operands[1][at];
        if batched || contracted || !labels.result.contains(&old) || old < lhs {
            return Err("the group dimension of the right operand is not one of its own".into());
        }
        labels.operands[1][at] = group;
        labels.result.retain(|label| *label != old);
    } else if contracted {
        labels.result.insert(0, group);
    } else if !batched {
        return Err("the right operand has no group dimension".into());
    }
    let sizes = q.operand_sizes(2)?;
    let (groups, given) = sizes
        .split_last()
        .ok_or("the sizes of the groups are a scalar")?;
    // Sizes may be given for each element of the batch, and of the dimensions of the ragged one's
    // kind before it.
    let kind: Vec<usize> = if contracted {
        lc.clone()
    } else {
        (0..lhs)
            .filter(|k| !lb.contains(k) && !lc.contains(k))
            .collect()
    };
    let before = kind.into_iter().take_while(|k| *k != ragged);
    let mut prefix: Vec<usize> = lb.iter().copied().chain(before).collect();
    if given.is_empty() || batched {
        prefix.clear();
    }
    if prefix.len() != given.len() && !batched {
        return Err(format!(
            "sizes of groups for {} dimensions, not {}",
            given.len(),
            prefix.len()
        ));
    }
    for (i, label) in labels.operands.iter().enumerate() {
        if label.len() != q.operand(i)?.rank() {
            return Err(format!("operand {i} has the wrong rank"));
        }
    }
    if labels.result.len() != q.result(0)?.rank() {
        return Err("the result has the wrong rank".into());
    }
    Ok(Ragged {
        labels,
        ragged: (!batched).then_some(ragged),
        group,
        prefix,
        groups: *groups,
        elements: q.operand_sizes(0)?[ragged],
    })
}

/// A side of the operation: its result, or one of its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Result,
    Operand(usize),
}

impl Ragged {
    /// Labels and sizes; the groups of the operand with the sizes have a label of their own.
    fn side(&self, q: &Query<'_>, side: Side) -> Result<(Vec<usize>, Vec<i64>), String> {
        Ok(match side {
            Side::Result => (self.labels.result.clone(), q.result_sizes(0)?),
            Side::Operand(2) => {
                let mut labels = self.prefix.clone();
                labels.push(self.group + 1);
                (labels, q.operand_sizes(2)?)
            }
            Side::Operand(i) => {
                let labels = self
                    .labels
                    .operands
                    .get(i)
                    .ok_or("there is no such operand")?;
                (labels.clone(), q.operand_sizes(i)?)
            }
        })
    }

    /// The maps from one side to the other.
    fn between(&self, q: &Query<'_>, from: Side, to: Side) -> Pieces {
        let ((from_labels, from_sizes), (to_labels, to_sizes)) =
            (self.side(q, from)?, self.side(q, to)?);
        let of_sizes = from == Side::Operand(2) || to == Side::Operand(2);
        let Some(ragged) = self.ragged else {
            if of_sizes || sums_are_empty(q, &self.labels)? {
                return Ok(nothing(&from_sizes, &to_sizes));
            }
            return Ok(vec![
                labelled(&from_labels, &from_sizes, &to_labels, &to_sizes).0,
            ]);
        };
        if self.no_products(q)? {
            return Ok(nothing(&from_sizes, &to_sizes));
        }
        let (map, variables) = labelled(&from_labels, &from_sizes, &to_labels, &to_sizes);
        let variable = |label: usize| {
            variables
                .iter()
                .find(|(other, _)| *other == label)
                .map(|(_, expr)| expr.clone())
        };
        if of_sizes {
            // Where a group begins follows from the sizes before it, and where it ends from its
            // own.
            return Ok(vec![
                match (variable(self.group), variable(self.group + 1)) {
                    (Some(group), Some(size)) => {
                        map.with_constraint(group - size, Interval::new(0, i64::MAX))
                    }
                    _ => map,
                },
            ]);
        }
        let inside = variable(ragged).ok_or("the ragged dimension is missing")?;
        let prefix = self
            .prefix
            .iter()
            .map(|label| variable(*label).ok_or("a dimension of the sizes is missing"))
            .collect::<Result<Vec<_>, _>>()?;
        if self.groups > GROUPS || self.elements == UNBOUNDED {
            return Ok(vec![map.with_exact(false)]);
        }
        let sums = |map: &mut IndexingMap, count: i64| {
            let clamp = Interval::new(0, self.elements);
            let mut sums = vec![c(0)];
            for g in 0..count {
                let index = [prefix.clone(), vec![c(g)]].concat();
                let known = q.known(2, &index, map).and_then(|v| v.as_constant());
                let size = match known {
                    Some(size) => c(size.clamp(clamp.lower, clamp.upper)),
                    None => map.push_runtime(q.element(2, clamp, index, map)),
                };
                sums.push(sums[g as usize].clone() + size);
            }
            sums
        };
        let below = |map: &mut IndexingMap, end: Expr| {
            map.push_constraint(Constraint {
                expr: inside.clone() - end,
                interval: Interval::new(i64::MIN, -1),
            });
        };
        let Some(group) = variable(self.group) else {
            // In any group.
            let mut map = map;
            let ends = sums(&mut map, self.groups);
            below(&mut map, ends[self.groups as usize].clone());
            return Ok(vec![map]);
        };
        Ok((0..self.groups)
            .map(|g| {
                let mut map = map.clone();
                match group.kind() {
                    ExprKind::Dim(k) => map.dims_mut()[*k].interval = Interval::point(g),
                    ExprKind::Range(k) => map.ranges_mut()[*k].interval = Interval::point(g),
                    _ => {}
                }
                let ends = sums(&mut map, g + 1);
                map.push_constraint(Constraint {
                    expr: inside.clone() - ends[g as usize].clone(),
                    interval: Interval::new(0, i64::MAX),
                });
                below(&mut map, ends[g as usize + 1].clone());
                map
            })
            .collect())
    }

    /// Tells whether every sum is over no element at all, whatever the groups are.
    fn no_products(&self, q: &Query<'_>) -> Result<bool, String> {
        for i in 0..2 {
            let sizes = q.operand_sizes(i)?;
            let mut summed = self.labels.operands[i].iter().zip(sizes);
            if summed.any(|(label, size)| {
                size == 0 && *label != self.group && !self.labels.result.contains(label)
            }) {
                return Ok(true);
            }
        }
        Ok(self.groups == 0)
    }
}

pub(crate) fn output_to_input(q: &Query<'_>, _result: usize, operand: usize) -> Pieces {
    decode(q)?.between(q, Side::Result, Side::Operand(operand))
}

pub(crate) fn input_to_output(q: &Query<'_>, operand: usize, _result: usize) -> Pieces {
    decode(q)?.between(q, Side::Operand(operand), Side::Result)
}
