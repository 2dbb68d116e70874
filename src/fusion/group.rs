//! A region while it grows: at which indices its members are read, in terms of the dimensions of its root.
//!
//! The maps of all members, composed: a producer that joins is computed once for every index at which members read it, so
//! the number and the kind of these indices say how often an element would be computed again.

use crate::condition::{Condition, cuts_of_pieces};
use crate::node::{Node, node, tensor};
use crate::read::moves_last;
use crate::role::{Role, is_plain_op, is_shape_operand, role, weight};
use mapwright_indexing::linear::{Atom, Facts, Sum, VarId};
use mapwright_mlir::{
    Op, Val, op,
    stand_ins::{is_stand_in, typical},
};
use mapwright_ops::contraction::{self, convolution::is_depthwise};
use mapwright_ops::elementwise::widens;
use mapwright_ops::registry;
use std::collections::{HashMap, HashSet};

/// Elements up to which a region may run as one task without loss.
const SMALL: i64 = 1 << 16;
/// Bytes of a row that stays in the second-level cache between sweeps.
const ROW_BYTES: i64 = 1 << 20;
/// Indices at which values of a region are read, at most.
const MAX_READS: usize = 1500;
/// Elements of a dimension along which vectors would be empty for the most part.
const SHORT: i64 = 16;
/// What a separate region costs, in simple operations: its launch and the loops' beginnings and ends.
const LAUNCH: f64 = 4000.0;

/// A region whose reads are known as expressions.
#[derive(Clone)]
pub struct Group {
    ranges: Facts,
    /// Index of the root: a variable a dimension (zero where its size is 1).
    index: Vec<Sum>,
    root_vars: Vec<VarId>,
    /// Where members read values that are not members (yet).
    reads: HashMap<usize, Vec<Vec<Sum>>>,
    total_reads: usize,
    /// Operands of a contraction: read many times.
    contracted: HashSet<usize>,
    /// Variables that the reductions keep.
    kept: Option<Vec<VarId>>,
    scan: bool,
    conditions: bool,
    /// Pieces along dimensions of run-time size: the variable, where the piece begins, and where it ends.
    pieces: Vec<(VarId, (i64, i64))>,
    /// Dimensions of run-time size over whose ends windows reach.
    windows: Vec<VarId>,
    /// It reads in ways that the loops of a product do not know: windows, pieces, indices read at run time.
    irregular: bool,
    /// It holds a product.
    pub contraction: bool,
    /// The product is a convolution of each feature by itself: vectors run along the features, and nothing is packed.
    apart: bool,
}

/// Why a producer stays outside, in words; nothing has changed then.
pub type Refused = String;

/// The new reads that joining brings.
#[derive(Default)]
struct Joined {
    reads: Vec<(usize, Vec<Sum>)>,
    contracted: Vec<usize>,
    /// Its elements are copies.
    copies: bool,
    /// How often the member is computed.
    times: f64,
    kept: Option<Vec<VarId>>,
    scan: bool,
    conditions: bool,
    pieces: Vec<(VarId, (i64, i64))>,
    windows: Vec<VarId>,
    irregular: bool,
    contraction: bool,
    apart: bool,
}

impl Group {
    /// A region with the root `op`; an error if its reads cannot be expressed.
    pub fn new(op: Op<'_>) -> Result<Self, Refused> {
        is_plain_op(op)?;
        let (_, shape) = tensor(op.result(0)).map_err(|r| r.0)?;
        let mut ranges = Facts::default();
        let mut root_vars = Vec::new();
        let mut index = Vec::new();
        for size in &shape {
            if *size == 1 {
                index.push(Sum::constant(0));
                continue;
            }
            ranges.vars.push((0, size - 1));
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
            apart: false,
        };
        for result in op.results() {
            group.reads.insert(op::key(result), vec![index.clone()]);
        }
        let joined = group.look(op)?;
        group.commit(op, joined);
        Ok(group)
    }

    /// Takes `op`, whose results members read, into the region.
    pub fn join(&mut self, op: Op<'_>) -> Result<(), Refused> {
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

    fn try_join(&mut self, op: Op<'_>) -> Result<Joined, Refused> {
        let contracted = op
            .results()
            .iter()
            .any(|v| self.contracted.contains(&op::key(*v)));
        if contracted {
            let sized =
                tensor(op.result(0)).is_ok_and(|(_, shape)| shape.into_iter().any(is_stand_in));
            if weight(op) > 0.0 && (sized || !widens(op)) {
                return Err(
                    "a factor is packed from memory; only views and widening join it".into(),
                );
            }
            if self.apart && moves_last(op) {
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
        let elements = tensor(op.result(0))
            .ok()
            .and_then(|(ty, _)| ty.num_elements())
            .unwrap_or(0) as f64;
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

    /// How many elements of `op` there are for each that the region goes over: where it goes by steps along a run-time size, what stands for the sizes
    /// does not say.
    fn steps(&self, op: Op<'_>) -> f64 {
        let read = op
            .results()
            .into_iter()
            .find_map(|v| self.reads.get(&op::key(v)));
        let Some(index) = read.and_then(|indices| indices.first()) else {
            return 1.0;
        };
        let sized = |var: &VarId| is_stand_in(self.ranges.vars[*var].1 + 1);
        let step = |x: &Sum| match x.terms.as_slice() {
            [(atom, k)] if atom.as_var().is_some_and(|var| sized(&var)) => k.unsigned_abs(),
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
        self.apart |= joined.apart;
    }

    /// What joining would read.
    fn look(&mut self, op: Op<'_>) -> Result<Joined, Refused> {
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

    fn look_at<'c>(
        &mut self,
        op: Op<'c>,
        value: Val<'c>,
        index: &[Sum],
        indices: usize,
        joined: &mut Joined,
    ) -> Result<(), Refused> {
        let read = |joined: &mut Joined, value: Val<'_>, index: Vec<Sum>| {
            let new = (op::key(value), index);
            if !joined.reads.contains(&new) {
                joined.reads.push(new);
            }
        };
        let sized = (0..op.num_operands()).any(|i| is_shape_operand(op, i));
        if role(op) == Role::Contraction && !sized {
            if indices != 1 {
                return Err("a product that is used at several indices".into());
            }
            self.product_order(op, index)?;
            if self.kept.is_some() || self.scan || self.conditions || self.contraction {
                return Err("one product in a region, and no reduction after it".into());
            }
            if self.irregular {
                return Err("what follows a product is element by element".into());
            }
            joined.contraction = true;
            joined.apart = is_depthwise(op);
            joined
                .contracted
                .extend(op.operands().into_iter().map(op::key));
            return Ok(());
        }
        let found = node(value, index, &self.ranges).map_err(|r| r.0)?;
        joined.irregular |= !matches!(
            found,
            Node::Splat(_) | Node::Iota(_) | Node::Copy(_) | Node::Elementwise(..)
        );
        if self.contraction && joined.irregular {
            return Err("what goes with a product is element by element".into());
        }
        match found {
            Node::Input => return Err("not an operation".into()),
            Node::Splat(_) | Node::Iota(_) => {}
            Node::Copy((source, at)) => {
                joined.copies = true;
                read(joined, source, at);
            }
            Node::Elementwise(_, operands) => {
                for (source, at) in operands {
                    read(joined, source, at);
                }
            }
            Node::Padded(padded) => {
                let mut lows = Vec::new();
                let (element, mut conditions, value) = padded.place(|low| {
                    self.ranges.values.push((low.lo, low.hi));
                    lows.push(low.element);
                    Atom::value(self.ranges.values.len() - 1)
                });
                self.over_the_ends(&mut conditions, joined)?;
                joined.conditions |= self.separable(&conditions)?.is_none();
                for (source, at) in lows.into_iter().chain([element, (value, Vec::new())]) {
                    read(joined, source, at);
                }
            }
            Node::Pieces(pieces) => {
                for (mut conditions, (source, at)) in pieces {
                    let cut = self.cut_at_run_time(&mut conditions, joined)?;
                    match self.separable(&conditions)? {
                        Some(false) => continue,
                        Some(true) if !cut => {
                            read(joined, source, at);
                            break;
                        }
                        decided => joined.conditions |= decided.is_none(),
                    }
                    read(joined, source, at);
                }
            }
            Node::Window(op, _, elements) => {
                for (mut conditions, at) in elements {
                    self.over_the_ends(&mut conditions, joined)?;
                    match self.separable(&conditions)? {
                        Some(false) => continue,
                        Some(true) => {}
                        None => joined.conditions = true,
                    }
                    for i in 0..op.num_operands() / 2 {
                        read(joined, op.operand(i), at.clone());
                    }
                }
                for i in op.num_operands() / 2..op.num_operands() {
                    read(joined, op.operand(i), Vec::new());
                }
            }
            Node::Scan(op, _, reverse) => {
                if reverse {
                    return Err("a scan from the end is a region of its own".into());
                }
                if index != self.index
                    || self.kept.is_some()
                    || self.scan
                    || self.contraction
                    || !self.windows.is_empty()
                {
                    return Err(
                        "a scan is fused only where its result is used at its own index".into(),
                    );
                }
                joined.scan = true;
                read(joined, op.operand(0), index.to_vec());
                read(joined, op.operand(1), Vec::new());
            }
            Node::Dynamic {
                operand,
                index: mut at,
                runtime,
            } => {
                for (dim, start) in runtime {
                    read(joined, start.element.0, start.element.1);
                    self.ranges.values.push((start.lo, start.hi));
                    let atom = Atom::value(self.ranges.values.len() - 1);
                    at[dim] = at[dim].plus(&Sum::atom(atom));
                }
                read(joined, operand, at);
            }
            Node::Reduce { op, at, .. } => self.reduce(op, &at, index, indices, joined)?,
        }
        Ok(())
    }

    /// May the result of a product be used at this index? The dimensions may come in another order, but the last one of the region's results,
    /// along which vectors lie, must not be one that both factors share.
    fn product_order(&self, op: Op<'_>, index: &[Sum]) -> Result<(), Refused> {
        if *index == self.index {
            return Ok(());
        }
        let words = "a product is fused only where its result is used at its own index, perhaps with dimensions in another order";
        let mut seen = Vec::new();
        for x in index {
            match (x.as_constant(), x.as_var()) {
                (Some(0), _) => {}
                (_, Some(v)) if self.root_vars.contains(&v) && !seen.contains(&v) => seen.push(v),
                _ => return Err(words.into()),
            }
        }
        let Some(shared) = contraction::shared_dimensions(op)? else {
            return Err(
                "a convolution is fused only where its result is used at its own index".into(),
            );
        };
        let last = self.root_vars.last();
        let shared = index
            .iter()
            .take(shared)
            .any(|x| last.is_some_and(|v| x.depends_on(*v)));
        if seen.len() != self.root_vars.len() || shared {
            return Err(words.into());
        }
        // Of the results, in the order of the region and in that of the product.
        let (_, own) = tensor(op.result(0)).map_err(|r| r.0)?;
        let length = |v: &VarId| self.ranges.vars[*v].1 + 1;
        let ends = (last.map_or(1, length), own.last().copied().unwrap_or(1));
        if ends.0 < SHORT && ends.1 > ends.0 {
            return Err(format!(
                "vectors would run along a dimension of {} elements, not of {}",
                ends.0, ends.1
            ));
        }
        Ok(())
    }

    /// Is an element of `op` made from one element of each operand, at indices that are expressions?
    fn is_view(&self, op: Op<'_>) -> Result<(), Refused> {
        for result in op.results() {
            let (_, shape) = tensor(result).map_err(|r| r.0)?;
            let mut ranges = Facts::default();
            let index: Vec<Sum> = shape
                .iter()
                .map(|n| {
                    ranges.vars.push((0, n - 1));
                    Sum::var(ranges.vars.len() - 1)
                })
                .collect();
            match node(result, &index, &ranges).map_err(|r| r.0)? {
                Node::Splat(_) | Node::Iota(_) | Node::Copy(_) | Node::Elementwise(..) => {}
                _ => return Err("a factor that is not read element by element".into()),
            }
        }
        Ok(())
    }

    /// Takes out the conditions of windows that reach over the ends of a dimension of run-time size: where its loop is near the ends, elements are
    /// looked at one by one. That is for loops outside of the vectors, and without reductions.
    fn over_the_ends(
        &self,
        conditions: &mut Vec<Condition>,
        joined: &mut Joined,
    ) -> Result<(), Refused> {
        let mut found = Vec::new();
        conditions.retain(|condition| {
            let own = condition.bounds_at_run_time(&self.ranges);
            let own = own
                .filter(|_| condition.window && !condition.holds_for_every_size(&self.ranges))
                .map(|(var, _)| var);
            let own = own.or_else(|| Some(condition.over_steps(&self.ranges)?.1));
            found.extend(own);
            own.is_none()
        });
        let pieces = || self.pieces.iter().chain(&joined.pieces);
        for var in &found {
            let is_loop = self.root_vars.contains(var) && self.root_vars.last() != Some(var);
            let cut = pieces().any(|(other, _)| other == var);
            if !is_loop || cut || self.kept.is_some() || self.scan {
                return Err("windows over the ends of a dimension of run-time size".into());
            }
        }
        joined.conditions |= !found.is_empty();
        joined.windows.extend(found);
        Ok(())
    }

    /// Takes out the conditions at which loops are cut at run time; an error where nothing says in which order. Are there some?
    fn cut_at_run_time(
        &self,
        conditions: &mut Vec<Condition>,
        joined: &mut Joined,
    ) -> Result<bool, Refused> {
        let words = || "pieces along a dimension of run-time size".to_string();
        let before = conditions.len();
        for condition in conditions.iter().filter(|condition| condition.run_time) {
            let bounds = condition.bounds_at_run_time(&self.ranges);
            joined.pieces.push(bounds.ok_or_else(words)?);
        }
        conditions.retain(|condition| !condition.run_time);
        let all = || self.pieces.iter().chain(&joined.pieces);
        for (var, _) in all() {
            let own: Vec<(i64, i64)> = all().filter(|(v, _)| v == var).map(|(_, p)| *p).collect();
            if cuts_of_pieces(&own).is_none() || self.windows.contains(var) {
                return Err(words());
            }
        }
        let cut = conditions.len() < before;
        joined.conditions |= cut;
        Ok(cut)
    }

    /// Conditions on one dimension each can be cut into separate loops.
    fn separable(&self, conditions: &[Condition]) -> Result<Option<bool>, Refused> {
        let mut known = Some(true);
        for condition in conditions {
            let mut vars = Vec::new();
            condition.lin.variables(&mut vars);
            let sized = |v: &VarId| is_stand_in(self.ranges.vars[*v].1 + 1);
            let told = condition.is_periodic() || condition.holds_for_every_size(&self.ranges);
            if vars.iter().any(sized) && !told {
                return Err("pieces along a dimension of run-time size".into());
            }
            match condition.decide(&self.ranges) {
                Some(false) => return Ok(Some(false)),
                Some(true) => {}
                None => {
                    let cut = matches!(condition.lin.terms.as_slice(), [(atom, _)] if atom.as_var().is_some());
                    if !cut && !condition.is_periodic() {
                        return Err("which piece an element comes from depends on several dimensions at once".into());
                    }
                    known = None;
                }
            }
        }
        Ok(known)
    }

    fn reduce(
        &mut self,
        op: Op<'_>,
        read: &[Option<Sum>],
        index: &[Sum],
        indices: usize,
        joined: &mut Joined,
    ) -> Result<(), Refused> {
        if indices != 1 {
            return Err(
                "a reduction that is used at several indices would be computed several times"
                    .into(),
            );
        }
        if self.contraction || self.scan || !self.windows.is_empty() {
            return Err("a reduction in the region of a product, a scan, or windows over the ends of a run-time size".into());
        }
        let mut kept = Vec::new();
        for x in index {
            match (x.as_constant(), x.as_var()) {
                (Some(0), _) => {}
                (_, Some(var)) if self.root_vars.contains(&var) && !kept.contains(&var) => {
                    kept.push(var);
                }
                _ => {
                    return Err(
                        "the result of the reduction is not used along dimensions of the root"
                            .into(),
                    );
                }
            }
        }
        kept.sort_unstable();
        if self.kept.as_ref().is_some_and(|other| *other != kept) {
            return Err("another reduction of the region keeps other dimensions".into());
        }
        let (_, shape) = tensor(op.operand(0)).map_err(|r| r.0)?;
        let reduced: i64 = (shape.iter().zip(read))
            .filter(|(_, at)| at.is_none())
            .map(|(size, _)| typical(*size))
            .product();
        let is_root = kept == self.root_vars;
        if !is_root {
            // Anything else is folded element by element, which must not happen again for every element of the root.
            if op.num_results() != 1 || !op.body(0).is_some_and(registry::combines) {
                return Err(
                    "its combining function is not one that splits over vector lanes".into(),
                );
            }
            let elements = |vars: &[VarId]| -> i64 {
                let sizes = vars.iter().map(|v| typical(self.ranges.vars[*v].1 + 1));
                sizes.fold(1, i64::saturating_mul)
            };
            let (parallel, all) = (elements(&kept), elements(&self.root_vars));
            if parallel < 8 && all.max(reduced) > SMALL {
                return Err(format!(
                    "only {parallel} rows: the reduction splits better alone"
                ));
            }
            if reduced.saturating_mul(4) > ROW_BYTES {
                return Err(format!(
                    "a row of {reduced} elements does not stay in cache between sweeps"
                ));
            }
        }
        let mut vars = Vec::new();
        let mut at = Vec::with_capacity(shape.len());
        for (i, x) in read.iter().enumerate() {
            at.push(x.clone().unwrap_or_default());
            if x.is_none() && shape[i] > 1 {
                // The same element has the same name in all sweeps over a row.
                let free = (0..self.ranges.vars.len()).find(|v| {
                    self.ranges.vars[*v] == (0, shape[i] - 1)
                        && !vars.contains(v)
                        && !kept.contains(v)
                });
                let var = free.unwrap_or_else(|| {
                    self.ranges.vars.push((0, shape[i] - 1));
                    self.ranges.vars.len() - 1
                });
                vars.push(var);
                at[i] = Sum::var(var);
            }
        }
        for i in 0..op.num_operands() / 2 {
            joined.reads.push((op::key(op.operand(i)), at.clone()));
        }
        for i in op.num_operands() / 2..op.num_operands() {
            joined.reads.push((op::key(op.operand(i)), Vec::new()));
        }
        joined.kept = Some(kept);
        Ok(())
    }

    /// How often a value at this index is computed: once for every iteration of the loops that it depends on and of those around
    /// them. What reductions keep is outermost; the rest is in the order of the root.
    fn count(&self, index: &[Sum]) -> f64 {
        let mut vars = Vec::new();
        for x in index {
            x.variables(&mut vars);
        }
        let kept = self.kept.as_deref().unwrap_or_default();
        let mut order = kept.to_vec();
        order.extend(self.root_vars.iter().filter(|v| !kept.contains(v)));
        let size = |v: &VarId| (self.ranges.vars[*v].1 + 1) as f64;
        let deepest = order.iter().rposition(|v| vars.contains(v));
        let around = deepest.map_or(&[][..], |i| &order[..=i]);
        // Loops of reductions are inside of all of these.
        let inner = vars.iter().filter(|v| !order.contains(v));
        around.iter().chain(inner).map(size).product()
    }

    /// Can `op` be a result of the region as well? Only if members read all of it, each element once.
    pub fn can_yield(&self, op: Op<'_>) -> Result<(), Refused> {
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
                (Some(0), _) if *size == 1 => {}
                (_, Some(v)) if !vars.contains(&v) && self.ranges.vars[v] == (0, size - 1) => {
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

    /// Does every element of the root read elements of `value`, which has its shape, in its own row only (along the last dimension)? And are
    /// rows what the reductions of the region reduce?
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

    /// The index at which all elements of `value` are read, each once; none where its loops do more than that.
    pub fn reads_once(&self, value: Val<'_>) -> Option<&[Sum]> {
        let [index] = &self.reads.get(&op::key(value))?[..] else {
            return None;
        };
        let mut vars = Vec::new();
        for x in index {
            vars.extend(x.as_var());
        }
        let plain = index
            .iter()
            .all(|x| x.as_var().is_some() || x.as_constant() == Some(0));
        vars.sort_unstable();
        let all = vars.into_iter().eq(0..self.ranges.vars.len());
        (plain && all && self.is_plain()).then_some(index)
    }

    fn is_plain(&self) -> bool {
        let loops = !self.scan && !self.conditions && !self.contraction;
        loops && self.pieces.is_empty() && self.windows.is_empty()
    }

    /// Takes in the reads of another region of the same loops.
    ///
    /// # Errors
    /// Regions of other loops, and too many reads.
    pub fn merge(&mut self, other: &Self) -> Result<(), Refused> {
        let same = self.ranges.vars == other.ranges.vars
            && self.index == other.index
            && self.kept == other.kept;
        // What is known at run time only has numbers of its own in each.
        let at_run_time = !self.ranges.values.is_empty() && !other.ranges.values.is_empty();
        if !same || at_run_time || !self.is_plain() || !other.is_plain() {
            return Err("it is computed in other loops".into());
        }
        if self.total_reads + other.total_reads > MAX_READS {
            return Err("the region would read too many different elements".into());
        }
        self.ranges.values.extend(&other.ranges.values);
        for (key, indices) in &other.reads {
            let list = self.reads.entry(*key).or_default();
            for index in indices {
                if !list.contains(index) {
                    list.push(index.clone());
                }
            }
        }
        self.total_reads += other.total_reads;
        self.irregular |= other.irregular;
        Ok(())
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
    pub fn signature(&self) -> (Vec<(i64, i64)>, Option<Vec<VarId>>) {
        (self.ranges.vars.clone(), self.kept.clone())
    }
}
