//! Combining: accumulators of reductions, windows and scans.
//!
//! A combining region may be split over vector lanes if that cannot change the result: it is one of
//! the commutative operations with a known identity, or it selects the better of two (value, index)
//! pairs ([`Selection`]). Anything else is folded in order: with the reduced dimension walked
//! element by element that is always possible.

use super::emitter::{EmitResult, LoopEmitter};
use super::extreme::{self, Extreme};
use super::select::Selection;
use crate::math::lanes;
use crate::{Declined, Elem, scalar, storage};
use mapwright_fusion::node::{Node, node};
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Blk, ElementType, Op, TensorType, Ty, Val, attr::Dense};
use mapwright_ops::reduction::combination::{
    Combination::{self, And, Maximum, Minimum, Or, Product},
    Neutral,
};
use mapwright_ops::{attrs, registry};

/// Computation by which a reduction combines two accumulators.
pub(crate) struct Combiner<'c> {
    op: Op<'c>,
    body: Blk<'c>,
    elements: Vec<ElementType>,
    kind: Kind,
    /// The initial value is the identity.
    trivial_start: bool,
}

enum Kind {
    /// One commutative operation with an identity.
    Known(Combination),
    /// The better of two (value, index) pairs.
    Selection(Selection),
    /// Anything else.
    Other,
}

impl<'c> Combiner<'c> {
    pub fn from_op(op: Op<'c>, generator: &LoopEmitter<'_, 'c>) -> EmitResult<Self> {
        let Some(body) = attrs::computation(op, 0) else {
            return Err(Declined::new(format!("'{}' without a body", op.name())));
        };
        scalar::region_supported(body).map_err(Declined::new)?;
        // Behind inputs and initial values there may be sizes.
        let count = op.num_results();
        let elements: Vec<ElementType> = (count..2 * count)
            .map(|i| Ok(mapwright_fusion::node::tensor(op.operand(i))?.0.element))
            .collect::<EmitResult<_>>()?;
        if elements.iter().any(ElementType::is_complex) {
            return Err(Declined::new("a reduction of complex numbers"));
        }
        // The region may compute in another type than the operands have.
        let arguments = mapwright_mlir::op::arguments(body);
        for (k, argument) in arguments.iter().enumerate() {
            let (ty, _) = mapwright_fusion::node::tensor(*argument)?;
            let operand = mapwright_fusion::node::tensor(op.operand(k % count.max(1)))?
                .0
                .element;
            if ty.element != operand || elements[k % count.max(1)] != operand {
                return Err(Declined::new("a reduction that changes the element type"));
            }
        }
        let kind = match (registry::combination(body), count) {
            (Some(what), 1) => Kind::Known(what),
            (_, 2) => match Selection::from_reduce(op, &generator.ranges) {
                Some(selection) => Kind::Selection(selection),
                None => Kind::Other,
            },
            _ => Kind::Other,
        };
        let mut combiner = Self {
            op,
            body,
            elements,
            kind,
            trivial_start: false,
        };
        combiner.trivial_start = combiner.start_is_identity(generator);
        Ok(combiner)
    }

    /// Tells whether the initial value is a constant with the bits of the identity (or of a zero,
    /// for sums).
    fn start_is_identity(&self, generator: &LoopEmitter<'_, 'c>) -> bool {
        let start = self.start_bits(generator);
        start.is_some() && start == self.neutral().and_then(|n| n.bits(&self.elements[0]))
    }

    /// The bits of the first initial value, if it is a constant.
    fn start_bits(&self, generator: &LoopEmitter<'_, 'c>) -> Option<u64> {
        let dense = self.start(generator, self.op.num_results())?;
        let width = dense.ty.element.byte_width()?;
        let mut wide = [0u8; 8];
        let bytes = dense.data.get(..width.min(8))?;
        wide[..bytes.len()].copy_from_slice(bytes);
        Some(u64::from_le_bytes(wide))
    }

    /// The initial value that is operand `operand`, if it is a constant.
    fn start(&self, generator: &LoopEmitter<'_, 'c>, operand: usize) -> Option<Dense> {
        let mut value = self.op.operand(operand);
        let mut index: Vec<mapwright_indexing::linear::Sum> = Vec::new();
        loop {
            match node(value, &index, &generator.ranges) {
                Ok(Node::Copy((source, at))) => (value, index) = (source, at),
                Ok(Node::Splat(dense)) => {
                    // Whatever it was a constant of, it is one element here.
                    let ty = TensorType::new(dense.ty.element.clone(), &[]);
                    let splat = true;
                    let data = dense.data.clone();
                    return Some(Dense { ty, data, splat });
                }
                _ => return None,
            }
        }
    }

    /// Whether the initial value is the same, however often it is combined with itself. A window
    /// holds it once more for every element that lies in the padding.
    pub fn start_repeats(&self, generator: &LoopEmitter<'_, 'c>) -> bool {
        let bits = || self.start_bits(generator);
        let sign = match (&self.elements[0], self.elements[0].bit_width()) {
            (ElementType::Float(_), Some(width)) => 1 << (width.min(64) - 1),
            _ => 0,
        };
        match self.kind {
            Kind::Known(Maximum | Minimum | And | Or) => true,
            Kind::Known(Product) => self.trivial_start,
            Kind::Known(_) => bits().is_some_and(|bits| bits & !sign == 0),
            // One of the two that are compared.
            Kind::Selection(_) => true,
            // Of a function that is made of several it is worked out.
            Kind::Other => self.starts_stay(generator).unwrap_or(false),
        }
    }

    /// Tells whether the region, applied to the initial values and themselves, gives them again, if
    /// they are constants. `None` where that cannot be worked out.
    fn starts_stay(&self, generator: &LoopEmitter<'_, 'c>) -> Option<bool> {
        let count = self.op.num_results();
        let starts: Vec<Dense> = (count..2 * count)
            .map(|i| self.start(generator, i))
            .collect::<Option<_>>()?;
        let twice = [starts.clone(), starts.clone()].concat();
        let given = mapwright_normalize::fold::computation(self.body, &twice)?;
        let bytes =
            |all: &[Dense]| -> Option<Vec<Vec<u8>>> { all.iter().map(Dense::expanded).collect() };
        Some(bytes(&given)? == bytes(&starts)?)
    }

    /// The identity, if it is known.
    fn neutral(&self) -> Option<Neutral> {
        match self.kind {
            Kind::Known(what) => what.neutral(&self.elements[0]),
            _ => None,
        }
    }

    /// The identity as a value of type `ty`, if it is known.
    pub fn identity(&self, generator: &LoopEmitter<'_, 'c>, ty: Ty<'c>) -> Option<Val<'c>> {
        let b = generator.b;
        Some(match (self.neutral()?, &self.elements[0]) {
            (Neutral::Float(x), _) => b.cfloat(x, ty),
            (Neutral::Int(n), ElementType::Int { width, .. }) => {
                let shift = 64 - *width;
                b.cint((n as i64) << shift >> shift, ty)
            }
            (Neutral::Int(n), _) => b.cint(n as i64, ty),
        })
    }

    /// Tells whether accumulators may be split over lanes.
    pub fn splits(&self) -> bool {
        match &self.kind {
            Kind::Known(_) => !self.elements[0].is_quantized(),
            Kind::Selection(_) => true,
            Kind::Other => false,
        }
    }

    /// The greatest or the least number of vectors of `lanes`, where there is a better way to that.
    fn extreme(&self, generator: &LoopEmitter<'_, 'c>, lanes: &[i64]) -> Option<Extreme> {
        let registers = generator.plan.registers;
        let pays = self.elements[0] == ElementType::F32 && extreme::pays(lanes, registers);
        match self.kind {
            Kind::Known(Maximum) if pays => Some(Extreme::Greatest),
            Kind::Known(Minimum) if pays => Some(Extreme::Least),
            _ => None,
        }
    }

    /// Accumulators that a sweep begins with instead of initial values.
    pub fn accumulators(
        &self,
        generator: &LoopEmitter<'_, 'c>,
        starts: Vec<Val<'c>>,
        lanes: &[i64],
    ) -> Vec<Val<'c>> {
        match self.extreme(generator, lanes) {
            Some(_) => extreme::start(generator.b, starts[0]),
            None => starts,
        }
    }

    /// Combines what a sweep has seen so far with one more element.
    pub fn grow(
        &self,
        generator: &LoopEmitter<'_, 'c>,
        sums: &[Val<'c>],
        element: &[Val<'c>],
        lanes: &[i64],
    ) -> EmitResult<Vec<Val<'c>>> {
        match self.extreme(generator, lanes) {
            Some(_) => Ok(extreme::grow(generator.b, sums, element[0])),
            None => self.combine(generator, sums, element, lanes),
        }
    }

    /// Whether the initial value is without effect.
    pub fn starts_with_identity(&self) -> bool {
        self.trivial_start
    }

    /// Initial accumulators. In order they are the operation's initial values; split over lanes,
    /// the identity, which the initial values join at the end (a selection chooses among equals: it
    /// starts with them everywhere).
    pub fn starts(
        &self,
        generator: &mut LoopEmitter<'_, 'c>,
        lanes: &[i64],
        in_order: bool,
    ) -> EmitResult<Vec<Val<'c>>> {
        let count = self.op.num_results();
        if !in_order && let Kind::Known(_) = self.kind {
            let one = storage::value_type(generator.b, &self.elements[0])?;
            let ty = match lanes {
                [] => one,
                lanes => generator.b.vector(lanes, one),
            };
            return match self.identity(generator, ty) {
                Some(identity) => Ok(vec![identity]),
                None => Err(Declined::new("a reduction without a known identity")),
            };
        }
        (count..2 * count)
            .map(|i| {
                let value = generator.eval(self.op.operand(i), &[])?.one();
                Ok(generator.spread(value, lanes))
            })
            .collect()
    }

    /// The region on two sets of accumulators (`a` is the earlier one).
    pub fn combine(
        &self,
        generator: &LoopEmitter<'_, 'c>,
        a: &[Val<'c>],
        b: &[Val<'c>],
        lanes: &[i64],
    ) -> EmitResult<Vec<Val<'c>>> {
        let args: Vec<Elem<'c>> = a.iter().chain(b).map(|v| Elem::One(*v)).collect();
        let results = scalar::apply_region(generator.b, self.body, &args, lanes, &|_| None)?;
        results
            .into_iter()
            .map(|x| match x {
                Elem::One(x) => Ok(x),
                Elem::Pair(..) => Err(Declined::new("complex numbers")),
            })
            .collect()
    }

    /// Combines accumulators whose elements are interleaved: among equals a selection takes the one
    /// of the better index, not the one of the lower lane.
    fn join(
        &self,
        generator: &LoopEmitter<'_, 'c>,
        a: &[Val<'c>],
        b: &[Val<'c>],
        lanes: &[i64],
    ) -> EmitResult<Vec<Val<'c>>> {
        let Kind::Selection(selection) = &self.kind else {
            return self.combine(generator, a, b, lanes);
        };
        let first = self.combine(generator, a, b, lanes)?;
        let second = self.combine(generator, b, a, lanes)?;
        let predicate = match (selection.smaller_index, self.elements[1].is_unsigned()) {
            (true, false) => CmpI::Sle,
            (true, true) => CmpI::Ule,
            (false, false) => CmpI::Sge,
            (false, true) => CmpI::Uge,
        };
        let better = generator.b.cmpi(predicate, first[1], second[1]);
        Ok(first
            .iter()
            .zip(&second)
            .map(|(x, y)| generator.b.select(better, *x, *y))
            .collect())
    }

    /// The result of all accumulators: of several vectors one, of its lanes one, and the initial
    /// values where they were left out.
    pub fn finish(
        &self,
        generator: &mut LoopEmitter<'_, 'c>,
        parts: Vec<Vec<Val<'c>>>,
        lanes: &[i64],
        in_order: bool,
    ) -> EmitResult<Vec<Val<'c>>> {
        if let Some(extreme) = self.extreme(generator, lanes) {
            return self.finish_extreme(generator, extreme, &parts, lanes, in_order);
        }
        let mut parts = parts;
        while parts.len() > 1 {
            let mut next = Vec::new();
            for pair in parts.chunks(2) {
                next.push(match pair {
                    [a, b] => self.join(generator, a, b, lanes)?,
                    other => other[0].clone(),
                });
            }
            parts = next;
        }
        let mut total = parts.pop().unwrap_or_default();
        if in_order {
            return Ok(total);
        }
        let b = generator.b;
        let mut n = lanes.first().copied().unwrap_or(1);
        if let (Kind::Known(what @ (Maximum | Minimum)), ElementType::Float(_)) =
            (&self.kind, &self.elements[0])
            && n > 1
            && lanes::apply(b, total[0])
        {
            total[0] = lanes::extreme_lane(b, total[0], *what == Maximum);
            n = 1;
        }
        while n > 1 {
            n /= 2;
            let low: Vec<i64> = (0..n).collect();
            let high: Vec<i64> = (n..2 * n).collect();
            let half = |lanes: &[i64]| -> Vec<Val<'c>> {
                total.iter().map(|v| b.shuffle(*v, *v, lanes)).collect()
            };
            let (low, high) = (half(&low), half(&high));
            total = self.join(generator, &low, &high, &[n])?;
        }
        let total: Vec<Val<'c>> = total
            .iter()
            .map(|v| {
                if b.shape_of(v.r#type()).is_empty() {
                    *v
                } else {
                    b.extract(*v, &[0])
                }
            })
            .collect();
        self.with_start(generator, total)
    }

    /// [`Combiner::finish`] of the accumulators of an extreme.
    fn finish_extreme(
        &self,
        generator: &mut LoopEmitter<'_, 'c>,
        extreme: Extreme,
        parts: &[Vec<Val<'c>>],
        lanes: &[i64],
        in_order: bool,
    ) -> EmitResult<Vec<Val<'c>>> {
        let b = generator.b;
        let one = storage::value_type(b, &self.elements[0])?;
        let joined = parts
            .iter()
            .skip(1)
            .fold(parts[0].clone(), |sums, part| extreme::join(b, &sums, part));
        if in_order {
            return Ok(vec![extreme.finish(b, &joined, b.vector(lanes, one))]);
        }
        let all = b.vector(&[extreme::ALL], one);
        let total = extreme.finish(b, &extreme::of_lanes(b, &joined), all);
        self.with_start(generator, vec![b.extract(total, &[0])])
    }

    /// Combines the total of all elements with the initial values, if they were left out.
    fn with_start(
        &self,
        generator: &mut LoopEmitter<'_, 'c>,
        total: Vec<Val<'c>>,
    ) -> EmitResult<Vec<Val<'c>>> {
        match (&self.kind, self.trivial_start) {
            (Kind::Known(_), false) => {
                let start = self.starts(generator, &[], true)?;
                self.combine(generator, &start, &total, &[])
            }
            _ => Ok(total),
        }
    }
}
