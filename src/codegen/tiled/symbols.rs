//! What schedules call the loops and the values of a region.

use super::analysis::{Analysis, Part, ValueAt};
use super::region::Region;
use mapwright_indexing::linear::VarId;
use mapwright_mlir::{Val, op};
use mapwright_schedule::{Illegal, Step};
use std::collections::HashMap;

/// The names, of which each stands for one loop or one value.
pub(super) struct Symbols<'c> {
    loops: Vec<(String, VarId)>,
    /// By the key of the value.
    values: HashMap<usize, (String, Val<'c>)>,
}

impl<'c> Symbols<'c> {
    pub(super) fn for_region(region: &Region<'c>, analysis: &Analysis<'c>) -> Self {
        let mut loops: Vec<(String, VarId)> = Vec::new();
        let first = |group: &Vec<Part>| group.first().map_or(0, |part| part.dim);
        let dims: Vec<usize> = analysis.root_groups.iter().map(first).collect();
        for (i, (var, dim)) in analysis.root_vars.iter().zip(&dims).enumerate() {
            let digit = dims[..i].iter().filter(|other| *other == dim).count();
            let name = match digit {
                0 => format!("d{dim}"),
                digit => format!("d{dim}_{digit}"),
            };
            loops.push((name, *var));
        }
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

    pub(super) fn name(&self, var: VarId) -> String {
        let found = self.loops.iter().find(|(_, known)| *known == var);
        found.map_or_else(String::new, |(name, _)| name.clone())
    }

    /// The loop that a step is about.
    pub(super) fn var(&self, step: &Step) -> Result<VarId, Illegal> {
        let wanted = step.operand.as_deref().unwrap_or_default();
        let found = self.loops.iter().find(|(name, _)| name == wanted);
        found.map(|(_, var)| *var).ok_or_else(|| {
            let names: Vec<&str> = self.loops.iter().map(|(name, _)| name.as_str()).collect();
            Illegal::at_step(
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

    /// Returns the name of a reduction, and the number of its index among those at which it is
    /// reduced.
    pub(super) fn of_instance(&self, analysis: &Analysis<'c>, instance: usize) -> (String, i64) {
        let key = |i: usize| op::key(analysis.instances[i].op.result(0));
        let value = key(instance);
        let before = (0..instance).filter(|i| key(*i) == value).count();
        let name = self.values.get(&value).map(|(name, _)| name.clone());
        (name.unwrap_or_default(), before as i64)
    }

    /// The reduction that a step is about, at its index of this number.
    pub(super) fn instance(
        &self,
        analysis: &Analysis<'c>,
        step: &Step,
        number: i64,
    ) -> Result<usize, Illegal> {
        let wanted = step.operand.as_deref().unwrap_or_default();
        let found = (0..analysis.instances.len()).find(|i| {
            let (name, own) = self.of_instance(analysis, *i);
            (name.as_str(), own) == (wanted, number)
        });
        found.ok_or_else(|| {
            Illegal::at_step(step, "names no reduction of the region at such an index")
        })
    }

    /// Returns the name of a value, and the number of its index among those at which it is read.
    pub(super) fn of_value(&self, analysis: &Analysis<'c>, key: &ValueAt) -> (String, i64) {
        let name = self.values.get(&key.0).map(|(name, _)| name.clone());
        let indices = Self::indices(analysis, key.0);
        let number = indices.iter().position(|index| index == key).unwrap_or(0);
        (name.unwrap_or_default(), number as i64)
    }

    /// Returns the name of an argument or a result of the region.
    pub(super) fn of_port(&self, value: Val<'c>) -> String {
        let name = self.values.get(&op::key(value));
        name.map(|(name, _)| name.clone()).unwrap_or_default()
    }

    /// The value that a step is about.
    pub(super) fn named(&self, step: &Step) -> Result<Val<'c>, Illegal> {
        let wanted = step.operand.as_deref().unwrap_or_default();
        let found = self.values.values().find(|(name, _)| name == wanted);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let mut names: Vec<&str> = self.values.values().map(|(n, _)| n.as_str()).collect();
            // `v2` before `v10`.
            names.sort_by_key(|name| (name.starts_with('v'), name.len(), *name));
            let why = format!("names no value: there are {}", names.join(", "));
            Illegal::at_step(step, why)
        })
    }

    /// The value that a step is about, at its index of this number.
    pub(super) fn value(
        &self,
        analysis: &Analysis<'c>,
        step: &Step,
        number: i64,
    ) -> Result<(Val<'c>, ValueAt), Illegal> {
        let value = self.named(step)?;
        let indices = Self::indices(analysis, op::key(value));
        let index = usize::try_from(number).ok().and_then(|n| indices.get(n));
        match index {
            Some(index) => Ok((value, index.clone())),
            None => Err(Illegal::at_step(
                step,
                format!(
                    "has no index of that number: the value is read at {}",
                    indices.len()
                ),
            )),
        }
    }
}
