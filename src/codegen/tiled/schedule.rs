//! The plan of a region as a [`Schedule`], and what schedules call its loops and values.

use super::analysis::{Analysis, ValueAt};
use super::plan::{Plan, Share};
use super::region::Region;
use super::streamed;
use mapwright_indexing::linear::VarId;
use mapwright_mlir::{Val, op};
use mapwright_schedule::{Illegal, Schedule, Step};
use std::collections::HashMap;

/// What schedules call the loops and the values of a region.
pub(super) struct Names<'c> {
    loops: Vec<(String, VarId)>,
    values: HashMap<usize, (String, Val<'c>)>,
}

impl<'c> Names<'c> {
    pub(super) fn of(region: &Region<'c>, analysis: &Analysis<'c>) -> Self {
        let groups = analysis.root_groups.iter();
        let roots = analysis.root_vars.iter().zip(groups);
        let mut loops: Vec<(String, VarId)> = roots
            .map(|(var, dims)| (format!("d{}", dims.first().unwrap_or(&0)), *var))
            .collect();
        let roots = loops.len();
        for var in analysis.instances.iter().flat_map(|i| &i.vars) {
            if loops.iter().all(|(_, known)| known != var) {
                loops.push((format!("r{}", loops.len() - roots), *var));
            }
        }
        let mut values = HashMap::new();
        for (k, input) in region.inputs.iter().enumerate() {
            values.insert(op::key(input.value), (format!("a{k}"), input.value));
        }
        for (k, op) in region.members.iter().enumerate() {
            for (r, value) in op.results().into_iter().enumerate() {
                let name = match r {
                    0 => format!("v{k}"),
                    r => format!("v{k}_{r}"),
                };
                values.insert(op::key(value), (name, value));
            }
        }
        Self { loops, values }
    }

    fn name(&self, var: VarId) -> String {
        let found = self.loops.iter().find(|(_, known)| *known == var);
        found.map_or_else(String::new, |(name, _)| name.clone())
    }

    /// The loop that a step is about.
    pub(super) fn var(&self, step: &Step) -> Result<VarId, Illegal> {
        let wanted = step.operand.as_deref().unwrap_or_default();
        let found = self.loops.iter().find(|(name, _)| name == wanted);
        found.map(|(_, var)| *var).ok_or_else(|| {
            let names: Vec<&str> = self.loops.iter().map(|(name, _)| name.as_str()).collect();
            Illegal::of(
                step,
                format!("names no loop: there are {}", names.join(", ")),
            )
        })
    }

    /// The indices at which a value is read, in order.
    fn indices(analysis: &Analysis<'c>, value: usize) -> Vec<ValueAt> {
        let of_value = |key: &&ValueAt| key.0 == value;
        let mut keys: Vec<ValueAt> = analysis.visits.keys().filter(of_value).cloned().collect();
        keys.sort();
        keys
    }

    /// The value that a step is about, at its index of this number.
    pub(super) fn value(
        &self,
        analysis: &Analysis<'c>,
        step: &Step,
        number: i64,
    ) -> Result<(Val<'c>, ValueAt), Illegal> {
        let wanted = step.operand.as_deref().unwrap_or_default();
        let found = self.values.iter().find(|(_, (name, _))| name == wanted);
        let Some((key, (_, value))) = found else {
            return Err(Illegal::of(step, "names no value of the region"));
        };
        let indices = Self::indices(analysis, *key);
        let index = usize::try_from(number).ok().and_then(|n| indices.get(n));
        match index {
            Some(index) => Ok((*value, index.clone())),
            None => Err(Illegal::of(
                step,
                format!(
                    "has no index of that number: the value is read at {}",
                    indices.len()
                ),
            )),
        }
    }
}

/// The schedule of a plan.
pub(super) fn written(region: &Region<'_>, analysis: &Analysis<'_>, plan: &Plan) -> Schedule {
    let names = Names::of(region, analysis);
    let mut steps = Vec::new();
    for (var, tile) in &plan.grid {
        steps.push(Step::of("tile", names.name(*var), &[*tile]));
    }
    let of_lane = |primitive: &str, numbers: &[i64]| match plan.lane {
        Some(lane) => Step::of(primitive, names.name(lane), numbers),
        None => Step::plain(primitive, numbers),
    };
    let lanes = [plan.lanes / plan.registers, plan.registers];
    let shown = if plan.registers > 1 { 2 } else { 1 };
    steps.push(of_lane("lanes", &lanes[..shown]));
    if plan.unroll > 1 {
        steps.push(of_lane("unroll", &[plan.unroll]));
    }
    let inner: &[VarId] = plan.inner.as_ref().map_or(&[], |inner| &inner.vars);
    for var in inner {
        steps.push(Step::of("interleave", names.name(*var), &[]));
    }
    for var in plan.unrolled.iter().filter(|var| !inner.contains(var)) {
        steps.push(Step::of("unroll_fully", names.name(*var), &[]));
    }
    if let Some(var) = plan.transpose {
        steps.push(Step::of("transpose_blocks", names.name(var), &[]));
    }
    if let Some(rows) = plan.stored {
        steps.push(Step::plain("store_blocks", &[rows]));
    }
    if let Some(rows) = plan.rows {
        steps.push(Step::of("row_block", names.name(rows.var), &[rows.count]));
    }
    if let Some(wide) = plan.wide {
        steps.push(of_lane("column_block", &[wide.rows]));
    }
    let mut kept: Vec<_> = plan.kept.iter().collect();
    kept.sort_by_key(|(_, kept)| kept.number);
    for (key, kept) in kept {
        let name = names.values.get(&key.0).map(|(name, _)| name.clone());
        let indices = Names::indices(analysis, key.0);
        let number = indices.iter().position(|index| index == key).unwrap_or(0) as i64;
        let index = if number > 0 { &[number][..] } else { &[] };
        let name = name.unwrap_or_default();
        steps.push(match kept.root {
            None => Step::of("keep", name, index),
            Some(root) => Step::of("keep_in_result", name, &[&[root as i64], index].concat()),
        });
    }
    match plan.reciprocals {
        Share::None => {}
        Share::All => steps.push(Step::plain("reciprocal", &[1])),
        Share::Half => steps.push(Step::plain("reciprocal", &[2])),
    }
    if plan.prefetches {
        steps.push(Step::plain("prefetch", &[]));
    }
    steps.extend(streamed::written(region, &plan.streamed));
    Schedule {
        emitter: "tiled".into(),
        steps,
    }
}
