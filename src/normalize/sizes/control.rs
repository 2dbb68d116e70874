//! Sizes in control flow: what a loop carries in the shape that it had before, and what all
//! branches of a choice end in.
//!
//! A block of control flow knows all that is known where its operation stands. What is found in it
//! counts in it alone, since it may not run.

use super::{Sizes, tensor};
use mapwright_indexing::Extent;
use mapwright_mlir::{Blk, Op, Val, op};
use mapwright_ops::control::{Flow, flow, reads::yields};

/// Regions of control flow, one in the other, that are looked into from outside.
const DEEPEST: usize = 3;

/// Number of times that a body is looked at until the shapes that it keeps are found.
const ROUNDS: usize = 4;

/// Elements of a list that a loop carries unchanged, at most.
const LONGEST: i64 = 16;

/// Sizes of several values, as far as they are known.
pub(super) type Known = Vec<Vec<Option<Extent>>>;

impl Sizes {
    /// Finds the sizes of the results of control flow, where they follow from what is around it.
    pub(super) fn visit_control<'c>(&mut self, op: Op<'c>) {
        let Some(flow) = flow(op) else { return };
        let Some(first) = op.results().first().copied() else {
            return;
        };
        if !self.flows.contains_key(&op::key(first)) {
            let known = match flow {
                _ if self.nesting >= DEEPEST => return,
                Flow::Loop => self.carried(op),
                Flow::Branches => self.chosen(op),
            };
            self.flows.insert(op::key(first), known);
        }
        let known = self.flows[&op::key(first)].clone();
        for (i, result) in op.results().into_iter().enumerate() {
            // In another form than in the first round of looking at it, where operations have
            // changed since.
            let before = (flow == Flow::Loop).then(|| self.of_value(op.operand(i)));
            let own = self.with_type(result, |d| {
                let known = (*known[i].get(d)?)?;
                Some(before.as_ref().map_or(known, |sizes| sizes[d]))
            });
            self.of.insert(op::key(result), own);
        }
    }

    /// Tells whether something is known of the results of this control flow.
    pub(super) fn is_of_flow(&self, op: Op<'_>) -> bool {
        let first = op.results().first().copied();
        first.is_some_and(|first| self.flows.contains_key(&op::key(first)))
    }

    /// The sizes of a value: those of its type, else those that are `known`, else symbols.
    fn with_type(
        &mut self,
        value: Val<'_>,
        known: impl Fn(usize) -> Option<Extent>,
    ) -> Vec<Extent> {
        let dims = tensor(value).map_or(Vec::new(), |ty| ty.dims);
        let sizes = dims.iter().enumerate();
        sizes
            .map(|(d, dim)| match dim.fixed() {
                Some(n) => n.into(),
                None => known(d).unwrap_or_else(|| self.fresh()),
            })
            .collect()
    }

    /// For each value that a loop carries the sizes that it has in every round: those from before,
    /// where a round that begins with them ends with them.
    fn carried<'c>(&mut self, op: Op<'c>) -> Known {
        let initial = op.operands().into_iter().map(|value| {
            let sizes = self.of_value(value);
            sizes.into_iter().map(Some).collect()
        });
        let mut known: Known = initial.collect();
        let last = op.num_regions().checked_sub(1);
        let Some(body) = last.and_then(|region| op.body(region)) else {
            return vec![Vec::new(); known.len()];
        };
        let next = yields(body);
        if next.len() != known.len() || op::arguments(body).len() != known.len() {
            return vec![Vec::new(); known.len()];
        }
        for _ in 0..ROUNDS {
            let mut inner = self.clone();
            inner.nesting += 1;
            inner.begin(op, body, &known);
            inner.visit_all(body);
            let mut holds = true;
            for (value, sizes) in next.iter().zip(&mut known) {
                for (found, size) in inner.of_value(*value).iter().zip(sizes) {
                    let differs = |size: Extent| inner.resolve(size) != inner.resolve(*found);
                    if size.is_some_and(differs) {
                        *size = None;
                        holds = false;
                    }
                }
            }
            if holds {
                return known;
            }
        }
        vec![Vec::new(); known.len()]
    }

    /// For each result of a choice the sizes that it has whichever branch runs: extents over what
    /// there is outside, each of which is the size in every branch by what is known in that one.
    fn chosen<'c>(&mut self, op: Op<'c>) -> Known {
        let branches = (0..op.num_regions()).map(|region| {
            let mut inner = self.clone();
            inner.nesting += 1;
            let mut sizes = Vec::new();
            if let Some(body) = op.body(region) {
                inner.visit_all(body);
                sizes.extend(yields(body).into_iter().map(|value| inner.of_value(value)));
            }
            (inner, sizes)
        });
        let branches: Vec<(Self, Vec<Vec<Extent>>)> = branches.collect();
        let common = |i: usize, d: usize| {
            let own = (branches.iter())
                .map(|(inner, sizes)| Some((inner, *sizes.get(i)?.get(d)?)))
                .collect::<Option<Vec<_>>>()?;
            let mut candidates =
                (own.iter()).flat_map(|(inner, size)| [inner.resolve(*size), *size]);
            candidates.find(|size| {
                let is =
                    |(inner, own): &(&Self, Extent)| inner.resolve(*own) == inner.resolve(*size);
                self.has(*size) && own.iter().all(is)
            })
        };
        let results = op.results().into_iter().enumerate();
        results
            .map(|(i, result)| {
                let rank = tensor(result).map_or(0, |ty| ty.rank());
                (0..rank).map(|d| common(i, d)).collect()
            })
            .collect()
    }

    /// Tells whether all symbols of the size are known here.
    fn has(&self, size: Extent) -> bool {
        let mut all = true;
        size.for_each_name(&mut |symbol| all &= symbol < self.symbols);
        all
    }

    /// Visits the operations of a block.
    pub fn visit_all<'c>(&mut self, block: Blk<'c>) {
        for op in op::ops(block) {
            self.visit(op);
            self.visit_prefix(op);
        }
    }

    /// Facts at the beginning of `block` in `op`.
    pub fn inside<'c>(&self, op: Op<'c>, block: Blk<'c>) -> Self {
        let mut inner = self.clone();
        if flow(op) == Some(Flow::Loop)
            && let Some(first) = op.results().first()
        {
            let known = self.flows.get(&op::key(*first)).cloned();
            inner.begin(op, block, &known.unwrap_or_default());
        }
        inner
    }

    /// Sets the sizes of the arguments of `block` in the loop `op`, and the elements of lists that
    /// are carried unchanged.
    fn begin<'c>(&mut self, op: Op<'c>, block: Blk<'c>, known: &Known) {
        let last = op.num_regions().checked_sub(1);
        let body = last.and_then(|region| op.body(region));
        let next = body.map(yields).unwrap_or_default();
        let own = body.map(op::arguments).unwrap_or_default();
        for (i, argument) in op::arguments(block).into_iter().enumerate() {
            let sizes = self.with_type(argument, |d| *known.get(i)?.get(d)?);
            self.of.insert(op::key(argument), sizes);
            let same =
                |value: &Val<'c>| own.get(i).map(|own| op::key(*own)) == Some(op::key(*value));
            if next.get(i).is_some_and(same) && i < op.num_operands() {
                self.same_elements(argument, op.operand(i));
            }
        }
    }

    /// The elements of a short list of integers are those of another value.
    fn same_elements<'c>(&mut self, value: Val<'c>, other: Val<'c>) {
        let Some(ty) = tensor(value) else { return };
        let count = ty.num_elements().filter(|n| *n <= LONGEST);
        let (Some(count), true, true) = (count, ty.element.is_int(), ty.rank() <= 1) else {
            return;
        };
        for at in 0..count {
            let index = if ty.rank() == 0 { vec![] } else { vec![at] };
            let element = self.number(other, &index);
            self.elements.insert((op::key(value), index), element);
        }
    }

    /// Facts that remain when the operations of the block may have been changed: of what is outside
    /// of it, of its arguments, and of control flow.
    pub fn around<'c>(mut self, ops: &[Op<'c>]) -> Self {
        for op in ops {
            for result in op.results() {
                self.of.remove(&op::key(result));
            }
        }
        let own: std::collections::HashSet<usize> = (ops.iter())
            .flat_map(|op| op.results())
            .map(op::key)
            .collect();
        self.elements.retain(|(key, _), _| !own.contains(key));
        self
    }
}

/// Whether a value in `block`, or in a block inside of it, has a size that is known at run time
/// only.
pub fn has_unknown(block: Blk<'_>) -> bool {
    let of_block = |block: Blk<'_>| op::arguments(block).into_iter().any(super::is_unknown);
    let of_op = |op: Op<'_>| {
        let mut regions = (0..op.num_regions()).filter_map(|region| op.body(region));
        op.results().into_iter().any(super::is_unknown) || regions.any(of_block)
    };
    let deep = |op: Op<'_>| of_op(op) || op.descendants().into_iter().any(of_op);
    of_block(block) || op::ops(block).into_iter().any(deep)
}
