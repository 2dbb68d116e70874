//! A region while it grows: at which indices its members are read, in terms of the dimensions of
//! its root.
//!
//! The maps of all members, composed: a producer that joins is computed once for every index at
//! which members read it, so the number and the kind of these indices say how often an element
//! would be computed again.

mod conditions;
mod product;
mod reads;
mod reduction;
mod siblings;

use crate::composed::{Composing, LoopFacts};
use crate::node::tensor;
use crate::read::moves_last;
use crate::role::{Role, is_plain_op, role, weight};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::{Op, Val, op};
use mapwright_ops::elementwise::widens;
use std::collections::{HashMap, HashSet};

/// Indices at which values of a region are read, at most.
const MAX_READS: usize = 1500;
/// Elements of a dimension along which vectors would be empty for the most part.
const SHORT: i64 = 16;
/// Cost of a separate region in simple operations: its launch and the loops' beginnings and ends.
const LAUNCH: f64 = 4000.0;

/// A region whose reads are known as expressions.
#[derive(Clone)]
pub struct Group {
    ranges: LoopFacts,
    /// Index of the root: a variable a dimension (zero where its size is 1).
    index: Vec<Sum>,
    root_vars: Vec<VarId>,
    /// Indices at which members read values that are not members (yet).
    reads: HashMap<usize, Vec<Vec<Sum>>>,
    total_reads: usize,
    /// Operands of a contraction: read many times.
    contracted: HashSet<usize>,
    /// Variables that the reductions keep.
    kept: Option<Vec<VarId>>,
    scan: bool,
    conditions: bool,
    /// Pieces along dimensions of run-time size: the variable, where the piece begins, and where it
    /// ends.
    pieces: Vec<(VarId, (Extent, Extent))>,
    /// Dimensions of run-time size over whose ends windows reach.
    windows: Vec<VarId>,
    /// It reads in ways that the loops of a product do not know: windows, pieces, indices read at
    /// run time.
    irregular: bool,
    /// It holds a product.
    pub contraction: bool,
    /// The product is a convolution of each feature by itself: vectors run along the features, and
    /// nothing is packed.
    depthwise: bool,
}

/// Why a producer stays outside, in words; nothing has changed then.
pub type JoinError = String;

/// The new reads that joining brings.
#[derive(Default)]
struct Joined {
    reads: Vec<(usize, Vec<Sum>)>,
    contracted: Vec<usize>,
    /// Its elements are copies.
    copies: bool,
    /// Number of times that the member is computed.
    times: f64,
    kept: Option<Vec<VarId>>,
    scan: bool,
    conditions: bool,
    pieces: Vec<(VarId, (Extent, Extent))>,
    windows: Vec<VarId>,
    irregular: bool,
    contraction: bool,
    depthwise: bool,
}

impl Group {
    /// A region with the root `op`; an error if its reads cannot be expressed.
    pub fn new(op: Op<'_>, composing: Composing) -> Result<Self, JoinError> {
        is_plain_op(op)?;
        let (_, shape) = tensor(op.result(0)).map_err(|r| r.0)?;
        let mut ranges = composing.over_sizes(&[]);
        let mut root_vars = Vec::new();
        let mut index = Vec::new();
        for size in &shape {
            if *size == 1 {
                index.push(Sum::constant(0));
                continue;
            }
            ranges.vars.push((Extent::ZERO, *size - 1));
            root_vars.push(ranges.vars.len() - 1);
            index.push(Sum::var(ranges.vars.len() - 1));
        }
        let mut group = Self {
            ranges,
            index: index.clone(),
            root_vars,
            reads: HashMap::new(),
            total_reads: 0,
            contracted: HashSet::new(),
            kept: None,
            scan: false,
            conditions: false,
            pieces: Vec::new(),
            windows: Vec::new(),
            irregular: false,
            contraction: false,
            depthwise: false,
        };
        for result in op.results() {
            group.reads.insert(op::key(result), vec![index.clone()]);
        }
        let joined = group.look(op)?;
        group.commit(op, joined);
        Ok(group)
    }

    /// Takes `op`, whose results members read, into the region.
    pub fn join(&mut self, op: Op<'_>) -> Result<(), JoinError> {
        is_plain_op(op)?;
        let vars = self.ranges.clone();
        match self.try_join(op) {
            Ok(joined) => {
                self.commit(op, joined);
                Ok(())
            }
            Err(reason) => {
                self.ranges = vars;
                Err(reason)
            }
        }
    }

    fn try_join(&mut self, op: Op<'_>) -> Result<Joined, JoinError> {
        let contracted = op
            .results()
            .iter()
            .any(|v| self.contracted.contains(&op::key(*v)));
        if contracted {
            let sized = tensor(op.result(0))
                .is_ok_and(|(_, shape)| shape.into_iter().any(Extent::is_run_time));
            if weight(op) > 0.0 && (sized || !widens(op)) {
                return Err(
                    "a factor is packed from memory; only views and widening join it".into(),
                );
            }
            if self.depthwise && moves_last(op) {
                return Err("a convolution of each feature by itself reads its factors where they are, features side by side".into());
            }
            self.is_view(op)?;
            let joined = Joined {
                contracted: op.operands().into_iter().map(op::key).collect(),
                ..Joined::default()
            };
            let used_otherwise = op
                .results()
                .iter()
                .any(|v| self.reads.contains_key(&op::key(*v)));
            if !used_otherwise {
                return Ok(joined);
            }
            let mut both = self.look(op)?;
            both.contracted = joined.contracted;
            return Ok(both);
        }
        let joined = self.look(op)?;
        let elements =
            tensor(op.result(0)).map_or(Extent::ZERO, |(_, sizes)| sizes.iter().product());
        let elements = elements.expected() as f64;
        let elements = elements * self.steps(op);
        // A reduction is computed once for what it keeps, whatever the loops around were before.
        let times = if joined.kept.is_some() && role(op) == Role::Reduce {
            elements
        } else {
            joined.times
        };
        let again = (times - elements).max(0.0) * weight(op);
        let saved = 2.0 * elements + LAUNCH;
        if again > saved {
            return Err(format!(
                "an element would be computed {:.1} times ({again:.0} operations against {saved:.0} saved)",
                joined.times / elements.max(1.0)
            ));
        }
        Ok(joined)
    }

    /// Returns the number of elements of `op` for each that the region goes over, where the region
    /// goes by steps along a run-time size: the numbers that stand for such sizes do not say it.
    fn steps(&self, op: Op<'_>) -> f64 {
        let read = op
            .results()
            .into_iter()
            .find_map(|v| self.reads.get(&op::key(v)));
        let Some(index) = read.and_then(|indices| indices.first()) else {
            return 1.0;
        };
        let sized = |var: &VarId| self.ranges.vars[*var].1.is_run_time();
        let step = |x: &Sum| match x.terms.as_slice() {
            [(atom, k)] if atom.as_var().is_some_and(|var| sized(&var)) => {
                k.expected().unsigned_abs()
            }
            _ => 1,
        };
        index.iter().map(|x| step(x) as f64).product()
    }

    fn commit(&mut self, op: Op<'_>, joined: Joined) {
        for result in op.results() {
            let read = self.reads.remove(&op::key(result));
            // An element that is a copy is read in the place of the copy.
            if joined.copies {
                self.total_reads -= read
                    .map_or(0, |indices| indices.len())
                    .min(self.total_reads);
            }
            self.contracted.remove(&op::key(result));
        }
        self.total_reads += joined.reads.len();
        for (key, index) in joined.reads {
            let list = self.reads.entry(key).or_default();
            if !list.contains(&index) {
                list.push(index);
            }
        }
        self.contracted.extend(joined.contracted);
        self.kept = joined.kept.or(self.kept.take());
        self.scan |= joined.scan;
        self.conditions |= joined.conditions;
        self.pieces.extend(joined.pieces);
        self.windows.extend(joined.windows);
        self.irregular |= joined.irregular;
        self.contraction |= joined.contraction;
        self.depthwise |= joined.depthwise;
    }

    /// Finds the reads that joining would bring.
    fn look(&mut self, op: Op<'_>) -> Result<Joined, JoinError> {
        let mut joined = Joined::default();
        let mut indices: Vec<Vec<Sum>> = Vec::new();
        for result in op.results() {
            for index in self.reads.get(&op::key(result)).into_iter().flatten() {
                if !indices.contains(index) {
                    indices.push(index.clone());
                }
            }
        }
        let Some(first) = op.results().first().copied() else {
            return Err("no result".into());
        };
        for index in &indices {
            joined.times += self.count(index);
            self.look_at(op, first, index, indices.len(), &mut joined)?;
        }
        if self.total_reads + joined.reads.len() > MAX_READS {
            return Err("the region would read too many different elements".into());
        }
        Ok(joined)
    }

    /// Returns how often a value at this index is computed: once for every iteration of the loops
    /// that it depends on and of those around them. The dimensions that reductions keep are
    /// outermost; the rest is in the order of the root.
    fn count(&self, index: &[Sum]) -> f64 {
        let mut vars = Vec::new();
        for x in index {
            x.variables(&mut vars);
        }
        let kept = self.kept.as_deref().unwrap_or_default();
        let mut order = kept.to_vec();
        order.extend(self.root_vars.iter().filter(|v| !kept.contains(v)));
        let size = |v: &VarId| (self.ranges.vars[*v].1 + 1).expected() as f64;
        let deepest = order.iter().rposition(|v| vars.contains(v));
        let around = deepest.map_or(&[][..], |i| &order[..=i]);
        // Loops of reductions are inside of all of these.
        let inner = vars.iter().filter(|v| !order.contains(v));
        around.iter().chain(inner).map(size).product()
    }

    /// Checks that `op` can be a result of the region as well. Only if members read all of it, each
    /// element once.
    pub fn can_yield(&self, op: Op<'_>) -> Result<(), JoinError> {
        let mut used: Option<&Vec<Sum>> = None;
        for result in op.results() {
            match self.reads.get(&op::key(result)).map(Vec::as_slice) {
                Some([one]) => used = Some(one),
                Some(_) => {
                    return Err("it is used elsewhere too, and at several indices here".into());
                }
                None => {}
            }
        }
        if op
            .results()
            .iter()
            .any(|v| self.contracted.contains(&op::key(*v)))
            || self.contraction
        {
            return Err("it is used elsewhere too".into());
        }
        let Some(index) = used else {
            return Err("it is used elsewhere too".into());
        };
        if *index == self.index {
            return Ok(());
        }
        let mut vars = Vec::new();
        let (_, shape) = tensor(op.result(0)).map_err(|r| r.0)?;
        for (x, size) in index.iter().zip(&shape) {
            match (x.as_constant(), x.as_var()) {
                (Some(Extent::ZERO), _) if *size == 1 => {}
                (_, Some(v))
                    if !vars.contains(&v) && self.ranges.vars[v] == (Extent::ZERO, *size - 1) =>
                {
                    vars.push(v)
                }
                _ => return Err("it is used elsewhere too, and only in parts here".into()),
            }
        }
        vars.sort_unstable();
        if self.kept.as_ref() != Some(&vars) {
            return Err(
                "it is used elsewhere too, and computed in other loops than the results here"
                    .into(),
            );
        }
        Ok(())
    }

    /// Whether every element of the root reads elements of `value`, which has its shape, in its own
    /// row only (along the last dimension), and whether rows are what the reductions of the region
    /// reduce.
    pub fn reads_own_rows(&self, value: Val<'_>) -> bool {
        let Some((_, outer)) = self.index.split_last() else {
            return false;
        };
        let mut rows = Vec::new();
        for x in outer {
            x.variables(&mut rows);
        }
        rows.sort_unstable();
        self.kept.as_ref() == Some(&rows)
            && self.reads.get(&op::key(value)).is_some_and(|reads| {
                reads
                    .iter()
                    .all(|at| at.len() == self.index.len() && at[..outer.len()] == *outer)
            })
    }

    /// Name of the loop nest.
    pub fn kind(&self) -> &'static str {
        match (self.contraction, self.kept.is_some(), self.scan) {
            (true, ..) => "contraction",
            (_, true, _) => "reduction",
            (_, _, true) => "scan",
            _ => "streaming",
        }
    }

    /// Sizes of the root and variables that reductions keep, for joining siblings.
    pub fn signature(&self) -> (Vec<(Extent, Extent)>, Option<Vec<VarId>>) {
        (self.ranges.vars.clone(), self.kept.clone())
    }
}
