//! What is known of a region before its loops are made: the analysis half of the emitter, which
//! [`super::walk`] fills in.

use mapwright_fusion::composed::LoopFacts;
use mapwright_fusion::condition::Condition;
use mapwright_fusion::node::RuntimeIndex;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Atom, Facts, Sum, VarId};
use mapwright_mlir::{Op, op};
use std::collections::{BTreeMap, HashMap};

/// A value of the region (its number) at an index.
pub type ValueAt = (usize, Vec<Sum>);

/// A read of an input.
pub(crate) struct Access {
    pub input: usize,
    pub offset: Sum,
    pub sweep: usize,
}

/// Part of a dimension that a loop runs over: `size` values of its digit that begins at `low`. A
/// whole dimension is its own digit from 1 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub dim: usize,
    pub low: Extent,
    pub size: Extent,
}

/// Dimensions that each loop of a nest runs over: one number whose digits the parts are.
pub(crate) type Groups = Vec<Vec<Part>>;

/// A reduction at an index.
pub(crate) struct Instance<'c> {
    pub op: Op<'c>,
    /// Index of its result.
    pub index: Vec<Sum>,
    /// Loop variables, outermost first: one a group of reduced dimensions.
    pub vars: Vec<VarId>,
    /// The reduced dimensions, ascending.
    pub axes: Vec<usize>,
    /// Dimensions that each variable runs over (dimensions of size 1 need none).
    pub groups: Groups,
    /// Instances that its operands need.
    pub needs: Vec<usize>,
    /// Length of the longest chain of instances below this one.
    pub level: usize,
}

/// A prefix reduction in the root sweep.
pub(crate) struct Scan<'c> {
    pub op: Op<'c>,
    pub var: VarId,
}

/// Names for indices read at run time; the same element has the same name.
#[derive(Default)]
pub(crate) struct RuntimeTable<'c> {
    pub entries: Vec<RuntimeIndex<'c>>,
    names: HashMap<(usize, Vec<Sum>, Extent), usize>,
}

impl<'c> RuntimeTable<'c> {
    /// The atom of an index, whose interval is in `ranges` afterwards.
    pub fn atom(&mut self, read: RuntimeIndex<'c>, ranges: &mut Facts) -> Atom {
        let (lo, hi) = (read.lo, read.hi);
        let key = (op::key(read.element.0), read.element.1.clone(), hi);
        let id = *self.names.entry(key).or_insert_with(|| {
            self.entries.push(read);
            self.entries.len() - 1
        });
        if ranges.values.len() <= id {
            ranges.values.resize(id + 1, Default::default());
        }
        ranges.values[id] = (lo, hi);
        Atom::value(id)
    }

    /// Whether the expression depends on a variable, run-time values included.
    pub fn depends_on(&self, lin: &Sum, var: VarId) -> bool {
        if lin.depends_on(var) {
            return true;
        }
        let mut values = Vec::new();
        lin.values(&mut values);
        values.iter().any(|id| {
            let index = &self.entries[*id].element.1;
            index.iter().any(|x| self.depends_on(x, var))
        })
    }
}

/// The result of [`super::walk`].
pub(crate) struct Analysis<'c> {
    pub ranges: LoopFacts,
    /// Index of every root of the main shape.
    pub index: Vec<Sum>,
    /// Variables of the roots, outermost first.
    pub root_vars: Vec<VarId>,
    pub root_groups: Groups,
    /// Roots that have not the main shape: their indices.
    pub secondary: BTreeMap<usize, Vec<Sum>>,
    pub accesses: Vec<Access>,
    pub instances: Vec<Instance<'c>>,
    pub scans: Vec<Scan<'c>>,
    /// There is a window of several elements.
    pub windows: bool,
    pub conditions: Vec<Condition>,
    /// Lists of conditions that choose a piece together.
    pub conjunctions: Vec<Vec<Condition>>,
    /// Numbers used as values (`iota`).
    pub uses: Vec<Sum>,
    /// Sweeps that compute a value at an index.
    pub visits: HashMap<ValueAt, Vec<usize>>,
    /// Readers of a value at an index, with their sweep; no one: the sweep itself.
    pub readers: HashMap<ValueAt, Vec<(Option<ValueAt>, usize)>>,
    /// Estimated work for one element of each sweep (root first).
    pub work: Vec<f64>,
    pub runtime: RuntimeTable<'c>,
}

impl Analysis<'_> {
    /// Analysis of loop variables alone, for [`super::emitter::LoopEmitter`] as an evaluator inside
    /// the loops of another emitter.
    pub fn bare(ranges: LoopFacts) -> Self {
        Self {
            ranges,
            index: Vec::new(),
            root_vars: Vec::new(),
            root_groups: Vec::new(),
            secondary: BTreeMap::new(),
            accesses: Vec::new(),
            instances: Vec::new(),
            scans: Vec::new(),
            windows: false,
            conditions: Vec::new(),
            conjunctions: Vec::new(),
            uses: Vec::new(),
            visits: HashMap::new(),
            readers: HashMap::new(),
            work: Vec::new(),
            runtime: RuntimeTable::default(),
        }
    }

    /// Variables that reductions (or scans, or smaller results) need fixed: the parallel ones.
    pub fn parallel(&self) -> Vec<VarId> {
        let mut vars = Vec::new();
        for instance in &self.instances {
            for x in &instance.index {
                x.variables(&mut vars);
            }
        }
        for at in self.secondary.values() {
            for x in at {
                x.variables(&mut vars);
            }
        }
        if let Some(scan) = self.scans.first() {
            for var in &self.root_vars {
                if *var != scan.var && !vars.contains(var) {
                    vars.push(*var);
                }
            }
        }
        vars.sort_unstable();
        vars
    }
}

/// An operation as a key.
pub(crate) fn identity(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
}
