//! The walk that finds everything a region reads, as offsets of its loop variables. No IR is made
//! here.
//!
//! The walk starts at the roots with one variable a dimension and follows [`node`] down to the
//! inputs. A reduction is an *instance*: an operation at an index, with loop variables of its own.
//! The loop that stores the roots is sweep 0, the loop of instance `i` is sweep `i + 1`. Loops over
//! equal sizes share variables where that cannot confuse two values (two sweeps over a row are two
//! loops, not one inside the other), so that one and the same element has one name in all sweeps.

use super::analysis::{Access, Analysis, Groups, Instance, Part, Scan, ValueAt, identity};
use super::nest::Nests;
use super::region::Region;
use crate::Declined;
use mapwright_fusion::condition::Condition;
use mapwright_fusion::node::{Element, Node, node, tensor};
use mapwright_fusion::role::weight;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Facts, Sum, VarId};
use mapwright_mlir::{Op, Val, op};
use std::collections::{HashMap, HashSet};

struct Walk<'r, 'c> {
    region: &'r Region<'c>,
    nests: &'r Nests,
    found: Analysis<'c>,
    instance_of: HashMap<(Op<'c>, Vec<Sum>), usize>,
    seen: HashSet<(usize, Vec<Sum>, usize)>,
    /// The value that is being looked into.
    reader: Option<ValueAt>,
}

/// Walks the region.
pub(crate) fn walk<'c>(region: &Region<'c>, nests: &Nests) -> Result<Analysis<'c>, Declined> {
    let main = main_root(region);
    let shape = &region.roots[main].shape;
    let root_groups = if nests.root.is_empty() {
        one_each(0..shape.len(), shape)
    } else {
        nests.root.clone()
    };
    let mut ranges = region.composing.over_sizes(&[]);
    let (index, root_vars) = group_index(&root_groups, shape.len(), &mut ranges);
    let mut walk = Walk {
        region,
        nests,
        instance_of: HashMap::new(),
        seen: HashSet::new(),
        reader: None,
        found: Analysis {
            index: index.clone(),
            root_vars,
            root_groups,
            work: vec![0.0],
            ..Analysis::bare(ranges)
        },
    };
    for root in &region.roots {
        if root.shape == *shape {
            walk.visit(root.value, &index, 0)?;
        }
    }
    for (k, root) in region.roots.iter().enumerate() {
        if root.shape != *shape {
            let at = walk.secondary_index(&root.shape, shape)?;
            walk.visit(root.value, &at, 0)?;
            walk.found.secondary.insert(k, at);
        }
    }
    Ok(walk.found)
}

/// The first root of the most elements.
pub(crate) fn main_root(region: &Region<'_>) -> usize {
    let elements = |i: usize| region.roots[i].shape.iter().product::<Extent>();
    (0..region.roots.len()).fold(0, |best, i| {
        if elements(i) > elements(best) {
            i
        } else {
            best
        }
    })
}

/// A loop for each of the dimensions; those of size 1 need none.
fn one_each(dims: impl IntoIterator<Item = usize>, sizes: &[Extent]) -> Groups {
    let loops = dims.into_iter().filter(|dim| sizes[*dim] > 1);
    loops
        .map(|dim| {
            vec![Part {
                dim,
                low: Extent::ONE,
                size: sizes[dim],
            }]
        })
        .collect()
}

fn count(group: &[Part]) -> Extent {
    group.iter().map(|part| part.size).product()
}

/// One variable a group; the index of every dimension in terms of them.
fn group_index(groups: &Groups, rank: usize, ranges: &mut Facts) -> (Vec<Sum>, Vec<VarId>) {
    let mut index = vec![Sum::default(); rank];
    let mut vars = Vec::new();
    for group in groups {
        ranges.vars.push((Extent::ZERO, count(group) - 1));
        vars.push(ranges.vars.len() - 1);
        spread(group, ranges.vars.len() - 1, ranges, &mut index);
    }
    (index, vars)
}

/// Adds the digits of `var` to the dimensions of a group.
fn spread(group: &[Part], var: VarId, ranges: &Facts, index: &mut [Sum]) {
    let mut stride = Extent::ONE;
    for (k, part) in group.iter().enumerate().rev() {
        let digit = Sum::var(var).floor_div(stride, ranges);
        let digit = match k {
            0 => digit,
            _ => digit.modulo(part.size, ranges),
        };
        index[part.dim] = index[part.dim].plus_scaled(&digit, part.low);
        stride *= part.size;
    }
}

impl<'c> Walk<'_, 'c> {
    /// A root of a smaller shape keeps some of the main dimensions, in order; the ones that
    /// reductions keep are preferred.
    fn secondary_index(&self, shape: &[Extent], main: &[Extent]) -> Result<Vec<Sum>, Declined> {
        if let Some(instance) = self.found.instances.iter().find(|instance| {
            instance.index.len() == shape.len()
                && instance
                    .index
                    .iter()
                    .zip(shape)
                    .all(|(x, n)| x.range(&self.found.ranges) == (Extent::ZERO, *n - 1))
        }) {
            return Ok(instance.index.clone());
        }
        let mut at = Vec::new();
        let mut from = 0;
        for size in shape {
            if *size == 1 {
                at.push(Sum::constant(0));
                continue;
            }
            let Some(i) = (from..main.len()).find(|i| main[*i] == *size) else {
                return Err(Declined::new("results of unrelated shapes"));
            };
            at.push(self.found.index[i].clone());
            from = i + 1;
        }
        Ok(at)
    }

    fn visit(&mut self, value: Val<'c>, index: &[Sum], sweep: usize) -> Result<(), Declined> {
        let outside = self.reader.clone();
        // Copies are walked in a loop: there may be thousands of them in a row.
        let mut next = Some((value, index.to_vec()));
        while let Some((value, index)) = next.take() {
            let key = (op::key(value), index.clone());
            let readers = self.found.readers.entry(key.clone()).or_default();
            readers.push((self.reader.clone(), sweep));
            if !self.seen.insert((key.0, key.1.clone(), sweep)) {
                break;
            }
            self.reader = Some(key);
            next = self.look(value, &index, sweep)?;
        }
        self.reader = outside;
        Ok(())
    }

    /// The element that it is a copy of, if it is one.
    fn look(
        &mut self,
        value: Val<'c>,
        index: &[Sum],
        sweep: usize,
    ) -> Result<Option<Element<'c>>, Declined> {
        let sweeps = self
            .found
            .visits
            .entry((op::key(value), index.to_vec()))
            .or_default();
        if !sweeps.contains(&sweep) {
            sweeps.push(sweep);
        }
        match node(value, index, &self.found.ranges)? {
            Node::Input => {
                let Some(input) = self.region.input_of.get(&op::key(value)) else {
                    return Err(Declined::new("a value from outside the region"));
                };
                let offset = self.region.inputs[*input].offset(index);
                self.found.accesses.push(Access {
                    input: *input,
                    offset,
                    sweep,
                });
                self.found.work[sweep] += 0.5;
            }
            Node::Splat(_) => {}
            Node::Iota(lin) => self.found.uses.push(lin),
            Node::Copy(source) => return Ok(Some(source)),
            Node::Pieces(pieces) => {
                for (conditions, (source, at)) in pieces {
                    let decided = self.conditions(&conditions);
                    if decided != Some(false) {
                        self.visit(source, &at, sweep)?;
                    }
                    if decided == Some(true) {
                        break;
                    }
                }
            }
            Node::Padded(padded) => {
                let mut lows = Vec::new();
                let (element, conditions, value) = padded.place(|low| {
                    lows.push(low.element.clone());
                    let ranges = &mut self.found.ranges;
                    self.found.runtime.atom(low, ranges)
                });
                for (source, at) in lows {
                    self.visit(source, &at, sweep)?;
                }
                self.visit(element.0, &element.1, sweep)?;
                if self.conditions(&conditions) != Some(true) {
                    self.visit(value, &[], sweep)?;
                }
            }
            Node::Elementwise(op, operands) => {
                self.found.work[sweep] += weight(op);
                for (source, at) in operands {
                    self.visit(source, &at, sweep)?;
                }
            }
            Node::Window(op, number, elements) => {
                let count = op.num_operands() / 2;
                let _ = number;
                self.found.windows = true;
                for (conditions, at) in elements {
                    if self.conditions(&conditions) == Some(false) {
                        continue;
                    }
                    self.found.work[sweep] += 1.0;
                    for i in 0..count {
                        self.visit(op.operand(i), &at, sweep)?;
                    }
                }
                for i in count..op.num_operands() {
                    self.visit(op.operand(i), &[], sweep)?;
                }
            }
            Node::Reduce { op, at, .. } => self.reduce(op, &at, index, sweep)?,
            Node::Scan(op, axis, reverse) => self.scan(op, axis, reverse, index, sweep)?,
            Node::Dynamic {
                operand,
                mut index,
                runtime,
            } => {
                for (dim, start) in runtime {
                    self.visit(start.element.0, &start.element.1, sweep)?;
                    let ranges = &mut self.found.ranges;
                    let atom = self.found.runtime.atom(start, ranges);
                    index[dim] = index[dim].plus(&Sum::atom(atom));
                }
                return Ok(Some((operand, index)));
            }
        }
        Ok(None)
    }

    /// Notes the conditions that ranges do not decide.
    fn conditions(&mut self, conditions: &[Condition]) -> Option<bool> {
        let decide = |condition: &Condition| condition.decide_statically(&self.found.ranges);
        let answers: Vec<Option<bool>> = conditions.iter().map(decide).collect();
        let decided = if answers.contains(&Some(false)) {
            Some(false)
        } else {
            answers.iter().all(Option::is_some).then_some(true)
        };
        if decided.is_none() {
            self.found.conjunctions.push(conditions.to_vec());
            for (condition, answer) in conditions.iter().zip(&answers) {
                if answer.is_some() {
                    continue;
                }
                // A pattern is a mask; anything else cuts the loop.
                if condition.is_periodic() {
                    self.found.uses.push(condition.lin.clone());
                } else if !self.found.conditions.contains(condition) {
                    self.found.conditions.push(condition.clone());
                }
            }
        }
        decided
    }

    fn reduce(
        &mut self,
        op: Op<'c>,
        at: &[Option<Sum>],
        index: &[Sum],
        sweep: usize,
    ) -> Result<(), Declined> {
        let id = match self.instance_of.get(&(op, index.to_vec())) {
            Some(id) => *id,
            None => self.new_instance(op, at, index)?,
        };
        if sweep > 0 && !self.found.instances[sweep - 1].needs.contains(&id) {
            self.found.instances[sweep - 1].needs.push(id);
            let level = self.found.instances[id].level + 1;
            let mine = &mut self.found.instances[sweep - 1].level;
            *mine = (*mine).max(level);
        }
        Ok(())
    }

    /// For a reduction of the elements at `at` (see [`Node::Reduce`]), whose result has index
    /// `index`.
    fn new_instance(
        &mut self,
        op: Op<'c>,
        at: &[Option<Sum>],
        index: &[Sum],
    ) -> Result<usize, Declined> {
        let shape = tensor(op.operand(0))?.1;
        let axes: Vec<usize> = (0..at.len()).filter(|axis| at[*axis].is_none()).collect();
        let groups = match self.nests.reduced.get(&identity(op)) {
            Some(groups) => groups.clone(),
            None => one_each(axes.iter().copied(), &shape),
        };
        let mut vars = Vec::new();
        for group in &groups {
            let size = count(group);
            // A variable of the same range that the index does not use: of the roots, or of another
            // reduction.
            let free = (0..self.found.ranges.vars.len()).find(|v| {
                self.found.ranges.vars[*v] == (Extent::ZERO, size - 1)
                    && !vars.contains(v)
                    && !index.iter().any(|x| self.found.runtime.depends_on(x, *v))
            });
            let var = free.unwrap_or_else(|| {
                self.found.ranges.vars.push((Extent::ZERO, size - 1));
                self.found.ranges.vars.len() - 1
            });
            vars.push(var);
        }
        let id = self.found.instances.len();
        self.found.instances.push(Instance {
            op,
            index: index.to_vec(),
            vars,
            axes,
            groups,
            needs: Vec::new(),
            level: 0,
        });
        self.found.work.push(0.0);
        self.instance_of.insert((op, index.to_vec()), id);
        let at = operand_index(&self.found.instances[id], index, &shape, &self.found.ranges);
        let count = op.num_operands() / 2;
        self.found.work[id + 1] += count as f64;
        let reader = self.reader.take();
        for i in 0..count {
            self.visit(op.operand(i), &at, id + 1)?;
        }
        for i in count..op.num_operands() {
            self.visit(op.operand(i), &[], id + 1)?;
        }
        self.reader = reader;
        Ok(id)
    }

    fn scan(
        &mut self,
        op: Op<'c>,
        axis: usize,
        reverse: bool,
        index: &[Sum],
        sweep: usize,
    ) -> Result<(), Declined> {
        if reverse {
            return Err(Declined::new("a scan from the end"));
        }
        if op.num_results() != 1 {
            return Err(Declined::new("a scan of several operands"));
        }
        let var = match (sweep, index[axis].as_var()) {
            (0, Some(var)) => var,
            _ => {
                return Err(Declined::new(
                    "a scan that is not along a dimension of the results",
                ));
            }
        };
        let others = index
            .iter()
            .enumerate()
            .any(|(i, x)| i != axis && self.found.runtime.depends_on(x, var));
        if others {
            return Err(Declined::new(
                "a scan that is not along a dimension of the results",
            ));
        }
        self.found.work[sweep] += 4.0;
        self.found.scans.push(Scan { op, var });
        self.visit(op.operand(0), index, sweep)?;
        self.visit(op.operand(1), &[], sweep)
    }
}

/// Index of the operands of a reduction whose result is asked for at `index`.
pub(crate) fn operand_index(
    instance: &Instance<'_>,
    index: &[Sum],
    shape: &[Extent],
    ranges: &Facts,
) -> Vec<Sum> {
    let mut at = vec![Sum::default(); shape.len()];
    let mut kept = index.iter();
    for (i, x) in at.iter_mut().enumerate() {
        if !instance.axes.contains(&i) {
            *x = kept.next().cloned().unwrap_or_default();
        }
    }
    for (group, var) in instance.groups.iter().zip(&instance.vars) {
        spread(group, *var, ranges, &mut at);
    }
    at
}
