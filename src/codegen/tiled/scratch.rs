//! Which values of a row are computed once and kept for the sweeps that follow, which are computed
//! again, and where kept ones are.

use super::analysis::{Analysis, ValueAt};
use super::emitter::{EmitResult, LoopEmitter, parts};
use super::plan::{Plan, ScratchValue};
use super::region::Region;
use crate::{Declined, run_time::known, storage};
use mapwright_fusion::node::{Node, node};
use mapwright_fusion::role::weight;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::{Val, op};
use std::collections::HashMap;

/// Scratch for kept values, in bytes, at most: it is on the stack.
pub(super) const MAX_SCRATCH_BYTES: i64 = 512 << 10;

/// Values that are dear to compute and that a later sweep asks for again.
pub(super) fn choose<'c>(
    region: &Region<'c>,
    analysis: &Analysis<'c>,
    plan: &Plan,
    l2_bytes: i64,
) -> HashMap<ValueAt, ScratchValue> {
    // Half of the level-two cache, so that what is kept stays there beside what is read.
    let room = (l2_bytes / 2).min(MAX_SCRATCH_BYTES);
    let mut found = HashMap::new();
    if !are_legal(analysis) {
        return found;
    }
    // Values in the order of a depth-first search, for a fixed order below.
    let mut values: HashMap<usize, (usize, Val<'c>)> = HashMap::new();
    let mut stack: Vec<Val<'c>> = region.roots.iter().map(|root| root.value).collect();
    while let Some(value) = stack.pop() {
        if values.contains_key(&op::key(value)) {
            continue;
        }
        values.insert(op::key(value), (values.len(), value));
        if let Some((op, _)) = op::defining_op(value) {
            stack.extend(op.operands());
        }
    }
    let mut keys: Vec<&ValueAt> = analysis.visits.keys().collect();
    keys.sort_by_key(|key| (values.get(&key.0).map(|v| v.0), &key.1));
    // What is dear to compute first, then what is slow to read again.
    let dear = |key: &&ValueAt| {
        let value = values.get(&key.0);
        value.is_some_and(|(_, value)| cone(*value, analysis, 64) >= 8.0)
    };
    let (costly, mut others): (Vec<_>, Vec<_>) = keys.into_iter().partition(dear);
    others.retain(|key| evicts_itself(region, analysis, plan, key));
    let mut bytes = 0;
    for key in costly.into_iter().chain(others) {
        if !is_wanted(analysis, key) {
            continue;
        }
        let Ok(mut kept) = place(analysis, plan, key) else {
            continue;
        };
        // There is no scratch of a size that is known at run time only: what is kept is where a
        // result will be.
        if kept.is_of_run_time_size(analysis) {
            kept.root = values
                .get(&key.0)
                .and_then(|value| result_for(region, analysis, (value.1, key), &found))
                .filter(|_| !plan.columns);
            if kept.root.is_none() {
                continue;
            }
        }
        bytes += kept.bytes(region, analysis, plan);
        if bytes > room {
            break;
        }
        kept.number = found.len();
        found.insert(key.clone(), kept);
    }
    found
}

/// Tells whether values can be kept in a region: it has several sweeps over a row, which is
/// computed in one piece.
pub(super) fn are_legal(analysis: &Analysis<'_>) -> bool {
    analysis.conditions.is_empty() && !analysis.instances.is_empty() && analysis.scans.is_empty()
}

fn level(analysis: &Analysis<'_>, sweep: usize) -> usize {
    match sweep {
        0 => usize::MAX,
        i => analysis.instances[i - 1].level,
    }
}

/// The sweep that computes a value first, if a later one asks for it again.
fn first_sweep(analysis: &Analysis<'_>, key: &ValueAt) -> Option<usize> {
    let sweeps = analysis.visits.get(key)?;
    let level = |sweep: usize| level(analysis, sweep);
    let first = sweeps.iter().copied().min_by_key(|s| (level(*s), *s))?;
    (first != 0 && sweeps.iter().any(|s| level(*s) > level(first))).then_some(first)
}

/// Tells whether a sweep that comes after the first one asks for the value, by a reader that was
/// not computed before.
fn is_wanted(analysis: &Analysis<'_>, key: &ValueAt) -> bool {
    let level = |sweep: usize| level(analysis, sweep);
    let Some(first) = first_sweep(analysis, key) else {
        return false;
    };
    analysis.readers[key].iter().any(|(reader, sweep)| {
        level(*sweep) > level(first)
            && reader
                .as_ref()
                .is_none_or(|r| !analysis.visits[r].iter().any(|s| level(*s) <= level(first)))
    })
}

/// Plans the buffer in which a value is kept in scratch, as number 0.
///
/// # Errors
/// Why it cannot be kept, as said of the step.
pub(super) fn place(
    analysis: &Analysis<'_>,
    plan: &Plan,
    key: &ValueAt,
) -> Result<ScratchValue, &'static str> {
    let Some(first) = first_sweep(analysis, key) else {
        return Err("is for values that a later sweep over the same row reads again");
    };
    let mut vars = Vec::new();
    for x in &key.1 {
        x.variables(&mut vars);
    }
    vars.retain(|var| !plan.parallel.contains(var));
    vars.sort_unstable();
    let along = |sweep: usize| analysis.instances[sweep - 1].vars.last();
    let mut walked = analysis.instances[first - 1].vars.clone();
    walked.sort_unstable();
    let same_lane = if plan.columns {
        plan.lane
            .is_some_and(|lane| key.1.iter().any(|x| x.depends_on(lane)))
    } else {
        plan.lane == along(first).copied()
    };
    let sweeps = &analysis.visits[key];
    let level_one = sweeps.iter().all(|s| *s == 0 || along(*s) == along(first));
    let (Some(lane), true) = (plan.lane, vars == walked && same_lane && level_one) else {
        return Err("is for values whose sweeps run in the same order, with the same lanes");
    };
    if plan.columns {
        vars.push(lane)
    } else {
        vars.retain(|v| *v != lane);
        vars.push(lane);
    }
    Ok(ScratchValue {
        first,
        vars,
        number: 0,
        root: None,
    })
}

impl ScratchValue {
    /// Elements of the row, of each column.
    fn elements(&self, analysis: &Analysis<'_>) -> Extent {
        let walked = &analysis.instances[self.first - 1].vars;
        walked.iter().map(|v| Plan::size(analysis, *v)).product()
    }

    /// Tells whether the size of the row is known at run time only.
    pub(super) fn is_of_run_time_size(&self, analysis: &Analysis<'_>) -> bool {
        self.elements(analysis).is_run_time()
    }

    /// Bytes of scratch.
    pub(super) fn bytes(&self, region: &Region<'_>, analysis: &Analysis<'_>, plan: &Plan) -> i64 {
        let columns = if plan.columns {
            plan.lanes * plan.unroll
        } else {
            1
        };
        if self.is_of_run_time_size(analysis) {
            0
        } else {
            let elements = self.elements(analysis).when_large();
            elements
                .saturating_mul(columns)
                .saturating_mul(region.widest)
        }
    }
}

/// A result with the type of a value that is at its own index, in whose memory nothing is kept yet.
fn result_for<'c>(
    region: &Region<'c>,
    analysis: &Analysis<'c>,
    at: (Val<'c>, &ValueAt),
    found: &HashMap<ValueAt, ScratchValue>,
) -> Option<usize> {
    let taken = |root: usize| found.values().any(|kept| kept.root == Some(root));
    (0..region.roots.len()).find(|k| !taken(*k) && may_be_in_result(region, analysis, at, *k))
}

/// Tells whether a result has the type and the shape of a value that is read at the result's own
/// index.
pub(super) fn may_be_in_result<'c>(
    region: &Region<'c>,
    analysis: &Analysis<'c>,
    (value, key): (Val<'c>, &ValueAt),
    result: usize,
) -> bool {
    let Ok((ty, shape)) = mapwright_fusion::node::tensor(value) else {
        return false;
    };
    let main = &region.roots[super::walk::main_root(region)].shape;
    let root = &region.roots[result];
    let same = root.shape == shape && root.ty.element == ty.element;
    key.1 == analysis.index && root.shape == *main && same && root.base.is_none()
}

/// Tells whether the value is an input whose columns lie a multiple of a page apart. Such lines
/// share few places of a cache: the rows of a column that was read are gone when it is read again.
fn evicts_itself(region: &Region<'_>, analysis: &Analysis<'_>, plan: &Plan, key: &ValueAt) -> bool {
    let Some(input) = region.input_of.get(&key.0) else {
        return false;
    };
    let port = &region.inputs[*input];
    let offset = port.offset(&key.1);
    let width = port.ty.element.byte_width().unwrap_or(1) as i64;
    plan.columns
        && analysis.root_vars.iter().any(|var| {
            let stride = offset.coefficient(*var).unwrap_or_default() * width;
            !plan.parallel.contains(var) && stride != 0 && stride.is_multiple_of(4096)
        })
}

/// Weight of everything between a value and the inputs or reductions it is made of, at most a few
/// dozen operations deep.
fn cone(value: Val<'_>, analysis: &Analysis<'_>, budget: usize) -> f64 {
    let mut total = 0.0;
    let mut stack = vec![value];
    let mut seen = Vec::new();
    while let Some(value) = stack.pop() {
        if seen.len() > budget || seen.contains(&op::key(value)) {
            continue;
        }
        seen.push(op::key(value));
        let rank = match mapwright_fusion::node::tensor(value) {
            Ok((_, shape)) => shape.len(),
            Err(_) => continue,
        };
        let index = vec![Sum::default(); rank];
        match node(value, &index, &analysis.ranges) {
            Ok(Node::Elementwise(op, operands)) => {
                total += weight(op);
                stack.extend(operands.into_iter().map(|(value, _)| value));
            }
            Ok(Node::Copy((source, _))) => stack.push(source),
            _ => {}
        }
    }
    total
}

impl<'c> LoopEmitter<'_, 'c> {
    /// Memory for the values that are kept in no result.
    pub fn scratch_buffers(&mut self) -> EmitResult<()> {
        let mut sizes = vec![None; self.plan.scratch_values.len()];
        #[expect(
            clippy::iter_over_hash_type,
            reason = "each goes to the place with its number"
        )]
        for (key, kept) in &self.plan.scratch_values {
            if kept.root.is_none() {
                let elements = kept
                    .vars
                    .iter()
                    .map(|var| self.scratch_extent(*var))
                    .product();
                sizes[kept.number] = Some((key.0, known(elements)?));
            }
        }
        let elements = self.region.values();
        for (key, size) in sizes.into_iter().flatten() {
            let Some(element) = elements.get(&key) else {
                return Err(Declined::new("a kept value that is not in the region"));
            };
            let ty = self
                .b
                .memref(&[size], storage::storage_type(self.b, element)?);
            let buffer = self.b.alloca(ty);
            self.scratch.push(parts(self.b, buffer));
        }
        Ok(())
    }

    /// Elements of a scratch buffer along a variable.
    fn scratch_extent(&self, var: VarId) -> Extent {
        match self.plan.rows {
            Some(rows) if rows.number == var => rows.count.into(),
            _ if self.plan.columns && self.plan.lane == Some(var) => {
                (self.plan.lanes * self.plan.unroll).into()
            }
            _ => Plan::size(self.analysis, var),
        }
    }

    /// Tells whether sweep `other` is emitted in the same loops as the current one.
    pub(super) fn same_group(&self, other: usize) -> bool {
        if self.sweep == 0 || other == 0 {
            return self.sweep == other;
        }
        let (a, b) = (
            &self.analysis.instances[self.sweep - 1],
            &self.analysis.instances[other - 1],
        );
        a.level == b.level && a.vars == b.vars
    }

    /// Returns the place of a kept value, buffer and offset, and the sweep that computes it.
    pub(super) fn scratch_place(&self, key: &ValueAt) -> Option<((Val<'c>, Sum), usize)> {
        if self.plan.scratch_values.is_empty() {
            return None;
        }
        // The plan knows the value without the shift of this copy.
        let back: Vec<Sum> = match self.copy {
            Some((var, by)) if by != 0 => {
                let value = Sum::var(var).offset(-by);
                key.1
                    .iter()
                    .map(|x| x.with_var(var, &value, &self.ranges))
                    .collect()
            }
            _ => key.1.clone(),
        };
        let kept = self.plan.scratch_values.get(&(key.0, back))?;
        if let Some(root) = kept.root {
            let offset = self.region.roots[root].offset(&key.1);
            return Some(((self.outputs[root], offset), kept.first));
        }
        let mut offset = Sum::default();
        for var in &kept.vars {
            let shift = self
                .copy
                .map_or(0, |(v, by)| if v == *var { by } else { 0 });
            let mut at = Sum::var(*var).offset(shift);
            if self.plan.columns && self.plan.lane == Some(*var) {
                // Relative to the tile: its first lane is lane 0 of the buffer.
                at = Sum::constant(shift);
            }
            offset = offset.scaled(self.scratch_extent(*var)).plus(&at);
        }
        Some(((self.scratch[kept.number], offset), kept.first))
    }
}
