//! Terms as scalar code in the body of a `linalg.generic`.

use super::{
    element::{from_tensor, tensor},
    reads::{Reads, RunTime, Term, TermId},
};
use crate::{
    error::{Result, Unsupported, unsupported},
    scalar::{self, convert},
    sizes::to_index,
    storage::{self, Elem},
};
use mapwright_indexing::{Constraint, Expr, ExprKind, Interval};
use mapwright_mlir::{
    Builder, CmpI, ElementType, Val,
    affine::{AffineMap, AffineNode},
};
use mapwright_ops::affine::from_expr;
use std::{cell::RefCell, collections::HashMap};

/// Values that are computed already in one block.
#[derive(Default)]
struct Frame<'c> {
    terms: HashMap<TermId, Elem<'c>>,
    loops: HashMap<usize, Val<'c>>,
    runtime: HashMap<usize, Val<'c>>,
}

/// The body of one `linalg.generic`.
pub(super) struct Body<'a, 'c> {
    reads: &'a Reads<'c>,
    /// The elements of its operands.
    arguments: Vec<Val<'c>>,
    /// Blocks, the innermost last.
    frames: RefCell<Vec<Frame<'c>>>,
}

impl<'a, 'c> Body<'a, 'c> {
    /// With the block's arguments for the inputs of `reads`; `b` is at the beginning of the block.
    pub(super) fn within(b: &Builder<'c>, reads: &'a Reads<'c>, arguments: &[Val<'c>]) -> Self {
        let body = Self::new(reads, arguments);
        // Upstream wants them in the block itself, and not in that of a condition.
        for i in reads.used_loops() {
            body.loop_index(b, i);
        }
        body
    }

    /// With the arguments for the inputs of `reads`, outside of loops.
    pub(super) fn new(reads: &'a Reads<'c>, arguments: &[Val<'c>]) -> Self {
        Self {
            reads,
            arguments: arguments.to_vec(),
            frames: RefCell::new(vec![Frame::default()]),
        }
    }

    /// In loops that are no operation of linalg, at these indices.
    pub(super) fn at(reads: &'a Reads<'c>, iteration: &[Val<'c>]) -> Self {
        let body = Self::new(reads, &[]);
        let loops = iteration.iter().copied().enumerate().collect();
        body.remember(|frame| frame.loops = loops);
        body
    }

    fn known<K: std::hash::Hash + Eq, V: Copy>(
        &self,
        map: impl for<'f> Fn(&'f Frame<'c>) -> &'f HashMap<K, V>,
        key: &K,
    ) -> Option<V> {
        let frames = self.frames.borrow();
        frames
            .iter()
            .rev()
            .find_map(|frame| map(frame).get(key).copied())
    }

    fn remember(&self, add: impl FnOnce(&mut Frame<'c>)) {
        if let Some(frame) = self.frames.borrow_mut().last_mut() {
            add(frame);
        }
    }

    /// The value of a term.
    pub(super) fn term(&self, b: &Builder<'c>, id: TermId) -> Result<Elem<'c>> {
        if let Some(known) = self.known(|frame| &frame.terms, &id) {
            return Ok(known);
        }
        let found = self.computed(b, id)?;
        self.remember(|frame| {
            frame.terms.insert(id, found);
        });
        Ok(found)
    }

    fn computed(&self, b: &Builder<'c>, id: TermId) -> Result<Elem<'c>> {
        match &self.reads.terms[id] {
            Term::Input(i) => {
                let element = tensor(self.reads.inputs[*i].tensor)?.element;
                from_tensor(b, &element, self.arguments[*i])
            }
            Term::Element { tensor, index } => {
                let index: Vec<Val<'c>> = index
                    .iter()
                    .map(|expr| self.index(b, expr))
                    .collect::<Result<_>>()?;
                super::element::extract(b, *tensor, &index)
            }
            Term::Constant(dense) => storage::constant(b, &dense.ty.element, &dense.data, &[]),
            Term::Index(expr, element) => {
                let wide = b.index_cast(self.index(b, expr)?, b.i64());
                convert::convert(b, &ElementType::Index, element, Elem::One(wide))
            }
            Term::Apply(op, operands) => {
                let operands = self.terms(b, operands)?;
                scalar::apply(b, *op, &operands)
            }
            Term::Map(op, operands, captured) => {
                let operands = self.terms(b, operands)?;
                let Some(block) = op.body(0) else {
                    return unsupported("'map' without a body");
                };
                let outer = self.captured(b, captured)?;
                let find = |value: Val<'c>| outer.get(&mapwright_mlir::op::key(value)).copied();
                let found = scalar::apply_region(b, block, &operands, &[], &find)?;
                let first = found.first().copied();
                first.ok_or_else(|| Unsupported("'map' without a result".into()))
            }
            Term::Pieces(pieces, element) => self.pieces(b, pieces, element),
        }
    }

    fn terms(&self, b: &Builder<'c>, ids: &[TermId]) -> Result<Vec<Elem<'c>>> {
        ids.iter().map(|id| self.term(b, *id)).collect()
    }

    /// The elements of values from outside of a computation, by their keys.
    pub(super) fn captured(
        &self,
        b: &Builder<'c>,
        captured: &[(Val<'c>, TermId)],
    ) -> Result<HashMap<usize, Elem<'c>>> {
        let all = captured.iter();
        all.map(|(value, id)| Ok((mapwright_mlir::op::key(*value), self.term(b, *id)?)))
            .collect()
    }

    fn pieces(
        &self,
        b: &Builder<'c>,
        pieces: &[(Vec<Constraint>, TermId)],
        element: &ElementType,
    ) -> Result<Elem<'c>> {
        let Some(((conditions, first), rest)) = pieces.split_first() else {
            return unsupported("an element without a piece");
        };
        if conditions.is_empty() {
            return self.term(b, *first);
        }
        let mut holds: Option<Val<'c>> = None;
        for condition in conditions {
            for one in self.condition(b, condition)? {
                holds = Some(holds.map_or(one, |all| b.andi(all, one)));
            }
        }
        let Some(holds) = holds else {
            return self.term(b, *first);
        };
        let types = storage::value_types(b, element, &[])?;
        let failure = RefCell::new(None);
        let run = |b: &Builder<'c>, work: &dyn Fn(&Builder<'c>) -> Result<Elem<'c>>| {
            self.frames.borrow_mut().push(Frame::default());
            let found = work(b);
            self.frames.borrow_mut().pop();
            found.map(Elem::values).unwrap_or_else(|error| {
                failure.borrow_mut().get_or_insert(error);
                Vec::new()
            })
        };
        let values = b.if_else(
            holds,
            &types,
            |b| run(b, &|b| self.term(b, *first)),
            |b| run(b, &|b| self.pieces(b, rest, element)),
        );
        match failure.into_inner() {
            Some(error) => Err(error),
            None => Ok(Elem::take(element, &mut values.as_slice())),
        }
    }

    /// Emits the tests that the expression is in the interval. All of them must be true.
    pub(super) fn condition(
        &self,
        b: &Builder<'c>,
        constraint: &Constraint,
    ) -> Result<Vec<Val<'c>>> {
        let value = self.index(b, &constraint.expr)?;
        let Interval { lower, upper } = constraint.interval;
        if lower == upper {
            return Ok(vec![b.cmpi(CmpI::Eq, value, b.cidx(lower))]);
        }
        let mut found = Vec::new();
        if lower > i64::MIN {
            found.push(b.cmpi(CmpI::Sge, value, b.cidx(lower)));
        }
        if upper < i64::MAX {
            found.push(b.cmpi(CmpI::Sle, value, b.cidx(upper)));
        }
        Ok(found)
    }

    /// The value of an expression over the loops: what is affine is one `affine.apply`.
    pub(super) fn index(&self, b: &Builder<'c>, expr: &Expr) -> Result<Val<'c>> {
        match expr.kind() {
            ExprKind::Constant(value) => return Ok(b.cidx(*value)),
            ExprKind::Dim(i) => return Ok(self.loop_index(b, *i)),
            ExprKind::Runtime(i) => return self.runtime(b, *i),
            ExprKind::Range(_) => return unsupported("an index over a range"),
            ExprKind::Binary(..) => {}
        }
        let mut variables: Vec<ExprKind> = Vec::new();
        expr.for_each_variable(|kind| {
            if !variables.contains(kind) {
                variables.push(kind.clone());
            }
        });
        let leaf = |kind: &ExprKind| {
            let at = variables.iter().position(|other| other == kind);
            at.map(AffineNode::Dim)
        };
        if let Some(node) = from_expr(expr, &leaf) {
            let operands: Vec<Val<'c>> = variables
                .iter()
                .map(|kind| match kind {
                    ExprKind::Runtime(i) => self.runtime(b, *i),
                    ExprKind::Dim(i) => Ok(self.loop_index(b, *i)),
                    _ => unsupported("an index over a range"),
                })
                .collect::<Result<_>>()?;
            return Ok(apply(b, &node, &operands));
        }
        let ExprKind::Binary(operation, x, y) = expr.kind() else {
            return unsupported("an index that is not affine");
        };
        let (x, y) = (self.index(b, x)?, self.index(b, y)?);
        Ok(crate::apply::binary(b, *operation, x, y))
    }

    fn loop_index(&self, b: &Builder<'c>, i: usize) -> Val<'c> {
        if let Some(known) = self.known(|frame| &frame.loops, &i) {
            return known;
        }
        let dim = [("dim", b.i64_attr(i as i64))];
        let index = b.op1("linalg.index", &[], b.index(), &dim);
        self.remember(|frame| {
            frame.loops.insert(i, index);
        });
        index
    }

    fn runtime(&self, b: &Builder<'c>, i: usize) -> Result<Val<'c>> {
        if let Some(known) = self.known(|frame| &frame.runtime, &i) {
            return Ok(known);
        }
        let value = match &self.reads.runtime[i] {
            RunTime::Size(tensor, k) => size(b, *tensor, *k),
            RunTime::Element(term, element, clamp) => {
                let index = self.term(b, *term)?.one();
                clamped(b, index, element, *clamp)
            }
        };
        self.remember(|frame| {
            frame.runtime.insert(i, value);
        });
        Ok(value)
    }
}

/// The size of a dimension.
pub(super) fn size<'c>(b: &Builder<'c>, tensor: Val<'c>, k: usize) -> Val<'c> {
    b.op1("tensor.dim", &[tensor, b.cidx(k as i64)], b.index(), &[])
}

/// An integer as an index in an interval.
pub(super) fn clamped<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    element: &ElementType,
    clamp: Interval,
) -> Val<'c> {
    let mut index = match element {
        ElementType::Index => b.index_cast(value, b.index()),
        _ => to_index(b, value, element),
    };
    // An unsigned number of 64 bits beyond the signed ones is beyond any size.
    if matches!(
        element,
        ElementType::Int {
            width: 64,
            unsigned: true
        }
    ) {
        let negative = b.cmpi(CmpI::Slt, index, b.cidx(0));
        index = b.select(negative, b.cidx(i64::MAX), index);
    }
    if clamp.lower > i64::MIN {
        index = b.maxsi(index, b.cidx(clamp.lower));
    }
    if clamp.upper < i64::MAX {
        index = b.minsi(index, b.cidx(clamp.upper));
    }
    index
}

/// `affine.apply`.
fn apply<'c>(b: &Builder<'c>, node: &AffineNode, operands: &[Val<'c>]) -> Val<'c> {
    let map = AffineMap {
        dims: operands.len(),
        symbols: 0,
        results: vec![node.clone()],
    };
    let map = [("map", map.to_mlir(b.context()))];
    b.op1("affine.apply", operands, b.index(), &map)
}
