//! What an element of a result is made of: a term over elements of tensors, worked out from the
//! maps of the operations.
//!
//! An index is a list of expressions over the loops of a `linalg.generic` (dimension variables) and
//! values that are read while it runs (runtime variables). The maps of an operation say at which
//! index it reads its operands; where an operand is made by an operation of the same region, its
//! maps are composed with that index and simplified, and so on inwards.

use super::{
    element::{check, splat, tensor},
    maps::{Maps, maps_of_padding, only_map},
};
use crate::{
    error::{Result, Unsupported, unsupported},
    scalar,
};
use mapwright_indexing::{Constraint, Expr, ExprKind, IndexingMap, Interval, Simplifier};
use mapwright_mlir::computation::captured;
use mapwright_mlir::{Dim, ElementType, Op, TensorType, Val, attr::Dense, op};
use mapwright_ops::{
    attrs,
    query::Query,
    registry::{self, Class},
};
use std::collections::HashMap;

/// Terms beyond which a region is not one `linalg.generic`.
const MOST_TERMS: usize = 1024;

/// A term, by its place in [`Reads::terms`].
pub(super) type TermId = usize;

/// Way in which an element is computed.
pub(super) enum Term<'c> {
    /// The element of an operand of the `linalg.generic`.
    Input(usize),
    /// An element of a tensor outside, at an index.
    Element { tensor: Val<'c>, index: Vec<Expr> },
    /// Constant that is the same at every index.
    Constant(Dense),
    /// The index itself.
    Index(Expr, ElementType),
    /// An element-wise operation.
    Apply(Op<'c>, Vec<TermId>),
    /// The computation of a `map`, and what it uses from outside.
    Map(Op<'c>, Vec<TermId>, Captured<'c>),
    /// The first whose constraints hold; the last has none.
    Pieces(Vec<(Vec<Constraint>, TermId)>, ElementType),
}

/// Values that a computation uses from outside, and their elements.
pub(super) type Captured<'c> = Vec<(Val<'c>, TermId)>;

/// A value that is read while the loops run.
pub(super) enum RunTime<'c> {
    /// The size of a dimension.
    Size(Val<'c>, usize),
    /// An integer, clamped.
    Element(TermId, ElementType, Interval),
}

/// An operand of the `linalg.generic`, and where it is read.
pub(super) struct Input<'c> {
    pub tensor: Val<'c>,
    pub index: Vec<Expr>,
}

/// Read of the program: a value, its index, and whether it is guarded.
type Place = (usize, Vec<Expr>, bool);

/// The terms of one `linalg.generic`.
pub(super) struct Reads<'c> {
    /// The indices that each loop runs over.
    pub loops: Vec<Interval>,
    pub inputs: Vec<Input<'c>>,
    pub terms: Vec<Term<'c>>,
    pub runtime: Vec<RunTime<'c>>,
    /// Sums of multiples of loops are indices of operands too, as of windows.
    pub windows: bool,
    /// There are no operands: everything is read where it is needed.
    inline: bool,
    /// The region that is computed; without one, a single operation is.
    region: Option<Op<'c>>,
    known: HashMap<Place, TermId>,
    pub simplifier: Simplifier,
}

impl<'c> Reads<'c> {
    /// For loops over these indices; of the members of `region`, if there is one.
    pub(super) fn new(loops: Vec<Interval>, region: Option<Op<'c>>) -> Self {
        Self {
            loops,
            inputs: Vec::new(),
            terms: Vec::new(),
            runtime: Vec::new(),
            windows: false,
            inline: false,
            region,
            known: HashMap::new(),
            simplifier: Simplifier::new(),
        }
    }

    /// For loops over these indices that are no operation of linalg: everything is read where it is
    /// needed.
    pub(super) fn read_inside(loops: Vec<Interval>) -> Self {
        Self {
            inline: true,
            ..Self::new(loops, None)
        }
    }

    /// For what is computed in front of an operation, outside of any loop.
    pub(super) fn in_front() -> Self {
        Self {
            inline: true,
            ..Self::new(Vec::new(), None)
        }
    }

    fn add(&mut self, term: Term<'c>) -> Result<TermId> {
        if self.terms.len() >= MOST_TERMS {
            return unsupported(format!("a body of more than {MOST_TERMS} operations"));
        }
        self.terms.push(term);
        Ok(self.terms.len() - 1)
    }

    /// The element of `value` at `index`. `guarded`: it is read only where a condition holds, and
    /// may not be there elsewhere.
    pub(super) fn element(
        &mut self,
        value: Val<'c>,
        index: &[Expr],
        guarded: bool,
    ) -> Result<TermId> {
        let place = (op::key(value), index.to_vec(), guarded);
        if let Some(known) = self.known.get(&place) {
            return Ok(*known);
        }
        let found = match self.member(value) {
            Some((op, number)) => self.made(op, number, index, guarded)?,
            None => self.outside(self.given(value), index, guarded)?,
        };
        self.known.insert(place, found);
        Ok(found)
    }

    /// The operation of the region that makes `value`.
    pub(super) fn member(&self, value: Val<'c>) -> Option<(Op<'c>, usize)> {
        let region = self.region?;
        let (op, number) = op::defining_op(value)?;
        (op.parent() == Some(region) && !op.is_hlo("constant")).then_some((op, number))
    }

    /// The value outside of the region that `value` stands for.
    pub(super) fn given(&self, value: Val<'c>) -> Val<'c> {
        match (self.region, op::block_argument(value)) {
            (Some(region), Some((block, number))) if op::parent_of_block(block) == Some(region) => {
                region.operand(number)
            }
            _ => value,
        }
    }

    /// The value outside that `value` stands for.
    ///
    /// # Errors
    /// The region makes it.
    pub(super) fn outside_of_region(&self, value: Val<'c>) -> Result<Val<'c>> {
        match self.member(value) {
            Some(_) => unsupported("a value that the region makes"),
            None => Ok(self.given(value)),
        }
    }

    fn outside(&mut self, value: Val<'c>, index: &[Expr], guarded: bool) -> Result<TermId> {
        check(value)?;
        if let Some(constant) = splat(value) {
            return self.add(Term::Constant(constant));
        }
        let ty = tensor(value)?;
        if self.inline || !self.is_operand_index(&ty, index) || (guarded && !index.is_empty()) {
            let index = index.to_vec();
            return self.add(Term::Element {
                tensor: value,
                index,
            });
        }
        let same = |input: &Input<'c>| {
            op::key(input.tensor) == op::key(value) && input.index.as_slice() == index
        };
        let at = self.inputs.iter().position(same).unwrap_or_else(|| {
            self.inputs.push(Input {
                tensor: value,
                index: index.to_vec(),
            });
            self.inputs.len() - 1
        });
        self.add(Term::Input(at))
    }

    /// Tells whether the index can be that of an operand of type `ty`: loops of their own, each
    /// over a whole dimension, and zeros; in windows, sums of multiples of loops, too.
    fn is_operand_index(&self, ty: &TensorType, index: &[Expr]) -> bool {
        let mut seen = Vec::new();
        let whole = |dim: &Dim, of: Interval| match dim.fixed() {
            Some(n) => of == Interval::of_size(n),
            None => of.upper == i64::MAX,
        };
        index
            .iter()
            .zip(&ty.dims)
            .all(|(expr, dim)| match expr.kind() {
                ExprKind::Dim(i) => {
                    let new = !seen.contains(i);
                    seen.push(*i);
                    new && whole(dim, self.loops[*i])
                }
                ExprKind::Constant(0) => true,
                _ => self.windows && is_sum_of_multiples(expr),
            })
    }

    /// An element of result `number` of `op`.
    pub(super) fn made(
        &mut self,
        op: Op<'c>,
        number: usize,
        index: &[Expr],
        guarded: bool,
    ) -> Result<TermId> {
        for value in op.operands().into_iter().chain(op.results()) {
            check(value)?;
        }
        let element = tensor(op.result(number))?.element;
        let rank = index.len();
        if matches!(op.short_name(), "iota" | "dynamic_iota") {
            let axis = attrs::int(op, "iota_dimension")?;
            let axis = attrs::axis("iota_dimension", axis, rank)?;
            return self.add(Term::Index(index[axis].clone(), element));
        }
        if op.short_name() == "map" {
            let operands = self.same_place(op, number, index, guarded)?;
            let captured = self.captured(op)?;
            return self.add(Term::Map(op, operands, captured));
        }
        if scalar::is_elementwise(op) {
            let operands = self.same_place(op, number, index, guarded)?;
            return self.add(Term::Apply(op, operands));
        }
        let class = registry::lookup(op).map(|def| def.class);
        match class {
            Some(Class::Movement | Class::Assembly) => self.copied(op, number, index, guarded),
            _ => unsupported(format!("'{}' has no form in linalg", op.name())),
        }
    }

    /// Returns the terms that an element-wise operation reads.
    fn same_place(
        &mut self,
        op: Op<'c>,
        number: usize,
        index: &[Expr],
        guarded: bool,
    ) -> Result<Vec<TermId>> {
        let mut found = Vec::new();
        for (i, value) in op.operands().into_iter().enumerate() {
            let map = only_map(op, number, i)?;
            let at = self.composed(op, &map, index, guarded)?;
            found.push(self.element(value, &at.results, guarded)?);
        }
        Ok(found)
    }

    /// The elements of scalars that the computation of `op` uses from outside.
    pub(super) fn captured(&mut self, op: Op<'c>) -> Result<Captured<'c>> {
        let mut found = Vec::new();
        for value in captured(op) {
            if tensor(value)?.rank() != 0 {
                return unsupported("a tensor from outside of a scalar region");
            }
            found.push((value, self.element(value, &[], false)?));
        }
        Ok(found)
    }

    /// An element that is copied from one of the operands.
    fn copied(
        &mut self,
        op: Op<'c>,
        number: usize,
        index: &[Expr],
        guarded: bool,
    ) -> Result<TermId> {
        let maps = Maps::new(op, number)?;
        let mut pieces = Vec::new();
        for operand in 0..maps.data_operands() {
            let mut found = maps.to_operand(operand)?;
            if found.len() > 1
                && found.iter().all(|map| !map.is_exact())
                && maps.def.family == "shape"
            {
                found = vec![self.stretched(op, operand, found)?];
            }
            pieces.push((operand, found));
        }
        // What an operand gives at one and the same index, wherever that is, is what is left when
        // nothing else applies.
        let is_rest = |(_, maps): &(usize, Vec<IndexingMap>)| {
            maps.iter().all(|map| map.runtime().is_empty())
                && maps
                    .windows(2)
                    .all(|two| two[0].results() == two[1].results())
        };
        if let Some(at) = pieces
            .iter()
            .position(|piece| piece.1.len() > 1 && is_rest(piece))
        {
            let rest = pieces.remove(at);
            pieces.push(rest);
        }
        let last = pieces.iter().rposition(|(_, maps)| !maps.is_empty());
        let Some(last) = last else {
            return unsupported(format!("'{}' reads nothing", op.name()));
        };
        let of = tensor(op.result(number))?.element;
        let mut found: Vec<(Vec<Constraint>, TermId)> = Vec::new();
        for (i, (operand, maps)) in pieces.iter().enumerate() {
            let value = op.operand(*operand);
            for (k, map) in maps.iter().enumerate() {
                let is_last = i == last && (k + 1 == maps.len() || is_rest(&pieces[i]));
                if !map.ranges().is_empty() || !(map.is_exact() || is_last) {
                    return unsupported(format!("'{}' is not read by exact maps", op.name()));
                }
                let at = self.composed(op, map, index, guarded)?;
                let mut conditions = self.conditions(op, map, index, &at)?;
                if maps_of_padding(op) {
                    self.below_sizes(value, &at.results, &mut conditions)?;
                }
                let inside = conditions.is_empty() || is_last && self.is_inside(value, &at.results);
                let element = self.element(value, &at.results, guarded || !inside)?;
                if is_last {
                    conditions.clear();
                }
                let applies = conditions.is_empty();
                found.push((conditions, element));
                if applies {
                    return match found.as_slice() {
                        [(_, only)] => Ok(*only),
                        _ => self.add(Term::Pieces(found, of)),
                    };
                }
            }
        }
        unsupported(format!("'{}' is not read everywhere", op.name()))
    }

    /// Tells whether the index is within the static sizes of `value` wherever the loops are.
    fn is_inside(&self, value: Val<'c>, index: &[Expr]) -> bool {
        tensor(value).is_ok_and(|ty| {
            let mut all = ty.dims.iter().zip(index);
            all.all(|(dim, expr)| {
                let of = dim.fixed().map(Interval::of_size);
                of.is_some_and(|of| of.contains_interval(self.bounds(expr)))
            })
        })
    }

    /// Of maps that differ in whether a dimension of run-time size is stretched: the index, or the
    /// last one there is.
    fn stretched(
        &mut self,
        op: Op<'c>,
        operand: usize,
        maps: Vec<IndexingMap>,
    ) -> Result<IndexingMap> {
        let query = Query::own(op);
        let ty = query.operand(operand).map_err(Unsupported)?.clone();
        let mut map = maps
            .first()
            .cloned()
            .ok_or_else(|| Unsupported("nothing is read".into()))?;
        for k in 0..map.results().len() {
            let plain = maps
                .iter()
                .find(|other| other.results()[k].as_constant() != Some(0));
            let differs = maps
                .iter()
                .any(|other| other.results()[k] != map.results()[k]);
            let Some(plain) = plain.filter(|_| differs) else {
                continue;
            };
            let size = query.size_of_operand(&mut map, operand, k, ty.dims[k]);
            let clamped = plain.results()[k].clone().min(size - 1);
            map.edit(|m| m.results[k] = clamped);
        }
        // The result says how far it is read.
        for variable in map.dims_mut() {
            variable.interval = Interval::new(0, i64::MAX);
        }
        map.set_exact(true);
        Ok(map)
    }
}

impl Reads<'_> {
    /// The loops whose index is computed with.
    pub(super) fn used_loops(&self) -> Vec<usize> {
        let mut used = vec![false; self.loops.len()];
        let mut mark = |expr: &Expr| {
            expr.for_each_variable(|kind| {
                if let ExprKind::Dim(i) = kind {
                    used[*i] = true;
                }
            });
        };
        for term in &self.terms {
            match term {
                Term::Element { index, .. } => index.iter().for_each(&mut mark),
                Term::Index(expr, _) => mark(expr),
                Term::Pieces(pieces, _) => {
                    let all = pieces.iter().flat_map(|(conditions, _)| conditions);
                    all.for_each(|condition| mark(&condition.expr));
                }
                _ => {}
            }
        }
        let all = used.into_iter().enumerate();
        all.filter_map(|(i, used)| used.then_some(i)).collect()
    }
}

impl RunTime<'_> {
    pub(super) fn interval(&self) -> Interval {
        match self {
            Self::Size(..) => Interval::new(0, i64::MAX),
            Self::Element(_, _, clamp) => *clamp,
        }
    }
}

pub(super) fn is_sum_of_multiples(expr: &Expr) -> bool {
    use mapwright_indexing::Op as Arithmetic;
    match expr.kind() {
        ExprKind::Dim(_) => true,
        ExprKind::Binary(Arithmetic::Add, x, y) => is_sum_of_multiples(x) && is_sum_of_multiples(y),
        ExprKind::Binary(Arithmetic::Mul, x, k) => {
            matches!(x.kind(), ExprKind::Dim(_)) && k.as_constant().is_some_and(|k| k > 0)
        }
        _ => false,
    }
}
