//! Division by what the innermost loop does not change: a multiplication by the reciprocal and two
//! corrections.
//!
//! With `y` the rounded reciprocal of `d`, `q0 = x y` is off by less than two units in the last
//! place, `q1 = q0 + y (x - d q0)` by less than one, and then `q1 + y (x - d q1)` is the rounded
//! quotient, as both remainders are exact (Markstein, "Computation of elementary functions on the
//! IBM RISC System/6000", 1990). That holds as long as nothing overflows or is subnormal: outside
//! of a range of exponents the vector is divided. Of vectors of several registers half is divided
//! in any case, and half is multiplied meanwhile.

use super::emitter::{EmitResult, LoopEmitter};
use super::plan::Share;
use crate::{Declined, Elem, math::any_above};
use mapwright_fusion::node::{Node, node};
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, CmpI, ElementType, Op, Steps, Val, op};
use mapwright_ops::elementwise::{divisor, quotient::by_constant};

/// Bits of the magnitudes between which the quotient is computed by multiplication: 2^-60 and 2^60.
/// The remainder of such numbers is at least 2^-60 2^-24 2^-24, far from subnormal.
const LEAST: i64 = (127 - 60) << 23;
const GREATEST: i64 = (127 + 60) << 23;

/// `x / d` from the product with the reciprocal `y`, corrected twice.
fn corrected<'c>(b: &Builder<'c>, x: Val<'c>, (d, y): (Val<'c>, Val<'c>)) -> Val<'c> {
    let correct = |q: Val<'c>| {
        let left = b.fma(b.negf(q), d, x);
        b.fma(left, y, q)
    };
    correct(correct(b.mulf(x, y)))
}

impl<'c> LoopEmitter<'_, 'c> {
    /// The quotient of the arguments of `op`, element `index`, if it is such a division of `f32`.
    pub(super) fn quotient(
        &mut self,
        op: Op<'c>,
        index: &[Sum],
        args: &[Elem<'c>],
    ) -> EmitResult<Option<Val<'c>>> {
        let b = self.b;
        if let Some(quotient) = self.by_constant(op, args) {
            return Ok(Some(quotient));
        }
        let (Some(innermost), [Elem::One(x), Elem::One(d)]) =
            (self.plan.row_vars.last().copied(), args)
        else {
            return Ok(None);
        };
        let Some(divisor) = divisor(op) else {
            return Ok(None);
        };
        if self.sweep != 0
            || self.plan.reciprocals == Share::None
            || !self.is_vector(*x)
            || mapwright_fusion::node::tensor(op.result(0))?.0.element != ElementType::F32
            || self.varies(divisor, index, innermost)?
        {
            return Ok(None);
        }
        // Lanes of many columns have a divisor each, whose reciprocal was computed before.
        let known = self.inverses.get(&op::key(op.result(0))).copied();
        let inverse = match (self.plan.wide, known) {
            (None, _) => None,
            (Some(_), None) => return Ok(None),
            (Some(_), Some(buffer)) => Some(b.load(buffer, &[self.place()?])),
        };
        let n = self.plan.lanes;
        if self.plan.reciprocals == Share::All {
            return self.multiplied(*x, *d, inverse).map(Some);
        }
        let part = |v: Val<'c>, from: i64| {
            let lanes: Vec<i64> = (from..from + n / 2).collect();
            b.shuffle(v, v, &lanes)
        };
        // What all lanes have in common is put into them at the end.
        let halves = if self.is_vector(*d) {
            [part(*d, 0), part(*d, n / 2)]
        } else {
            [self.spread(*d, &[n / 2]), *d]
        };
        let one = b.divf(part(*x, 0), halves[0]);
        let other = {
            let inverse = inverse.map(|y| part(y, n / 2));
            self.multiplied(part(*x, n / 2), halves[1], inverse)?
        };
        Ok(Some(b.shuffle(one, other, &(0..n).collect::<Vec<_>>())))
    }

    /// The quotient of a vector by a constant, where the operations around it say that no range has
    /// to be checked.
    fn by_constant(&self, op: Op<'c>, args: &[Elem<'c>]) -> Option<Val<'c>> {
        let b = self.b;
        let [Elem::One(x), _] = args else {
            return None;
        };
        if !self.plan.constant_reciprocals || !self.is_vector(*x) {
            return None;
        }
        let by = by_constant(op)?;
        let ty = x.r#type();
        let number = |n: f32| b.cfloat(f64::from(n), ty);
        let x = by.limit.map_or(*x, |limit| {
            let below = b.minimumf(*x, number(limit));
            b.maximumf(below, number(-limit))
        });
        let parts = (number(by.divisor), number(1.0 / by.divisor));
        Some(corrected(b, x, parts))
    }

    /// `x / d` of vectors (or of a vector and a number) by multiplications, if no lane is out of
    /// range; `inverse`: `1 / d`, where that is known.
    fn multiplied(&self, x: Val<'c>, d: Val<'c>, inverse: Option<Val<'c>>) -> EmitResult<Val<'c>> {
        let b = self.b;
        let ty = x.r#type();
        let outside = |v: Val<'c>| {
            let ints = b.like(v.r#type(), b.int(32));
            let bits = b.cast("arith.bitcast", v, ints);
            let magnitude = b.andi(bits, b.cint(0x7fff_ffff, ints));
            let above = b.subi(magnitude, b.cint(LEAST, ints));
            if self.is_vector(v) {
                any_above(b, above, GREATEST - LEAST, false)
            } else {
                b.cmpi(CmpI::Ugt, above, b.cint(GREATEST - LEAST, ints))
            }
        };
        let any = b.unlikely(b.ori(outside(x), outside(d)));
        // Invariant in the loop, if it is not known; it is moved out of it by LLVM.
        let y = inverse.unwrap_or_else(|| b.divf(b.cfloat(1.0, d.r#type()), d));
        let lanes = b.shape_of(ty);
        let (y, d) = (self.spread(y, &lanes), self.spread(d, &lanes));
        let value = b.if_else(
            any,
            &[ty],
            |b| vec![b.divf(x, d)],
            |b| vec![corrected(b, x, (d, y))],
        );
        match value.first() {
            Some(value) => Ok(*value),
            None => Err(Declined::new("no quotient")),
        }
    }

    /// Tells whether element `index` of a value may change with `var`. Looks at some operations; a
    /// value that is made of more is said to.
    pub(super) fn varies(&self, value: Val<'c>, index: &[Sum], var: VarId) -> EmitResult<bool> {
        self.varies_within(value, index, var, &Steps::default())
    }

    fn varies_within(
        &self,
        value: Val<'c>,
        index: &[Sum],
        var: VarId,
        steps: &Steps,
    ) -> EmitResult<bool> {
        if steps.take().is_none() {
            return Ok(true);
        }
        let depends = |index: &[Sum]| index.iter().any(|x| self.runtime.depends_on(x, var));
        Ok(match node(value, index, &self.ranges)? {
            Node::Splat(_) => false,
            Node::Input | Node::Reduce { .. } => depends(index),
            Node::Copy((source, at)) => self.varies_within(source, &at, var, steps)?,
            Node::Elementwise(_, operands) => {
                for (source, at) in operands {
                    if self.varies_within(source, &at, var, steps)? {
                        return Ok(true);
                    }
                }
                false
            }
            _ => true,
        })
    }
}
