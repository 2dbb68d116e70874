//! Operations whose sizes are known at run time only, where maps say less than the sizes
//! themselves.

use super::{reverse::Reverse, window::dilated};
use crate::{
    rewrite::{Result, fail},
    tarray::{
        make::Make,
        sizes::{extents, vary},
    },
};
use mapwright_indexing::Extent;
use mapwright_mlir::{ElementType, Op, TensorType, Val, attr, melior::ir::ValueLike, op};

impl<'c> Make<'c> {
    /// The numbers of a tensor, as sizes: also those below zero, which are no more than added.
    pub(super) fn numbers_in(&self, tensor: Val<'c>) -> Vec<Extent> {
        let made = op::defining_op(tensor).filter(|_| op::is_constant(tensor));
        if let Some(numbers) = made.and_then(|(made, _)| attr::ints(made.attribute("value")?)) {
            return extents(&numbers);
        }
        let wide = self.convert(tensor, &ElementType::int(64));
        let flat = self.reshape(wide, &[self.type_of(wide).1.iter().product()]);
        let numbers = (0..self.len(flat)).map(|i| self.size_of(self.first(flat, i)));
        numbers.collect()
    }

    /// A scalar around the elements of a tensor, as often as vectors say; the result has the sizes
    /// `shape`.
    pub(super) fn pad_by(
        &self,
        (x, scalar): (Val<'c>, Val<'c>),
        (low, high, interior): (Val<'c>, Val<'c>, Val<'c>),
        shape: &[Extent],
    ) -> Val<'c> {
        let element = self.type_of(x).0;
        let operands = [x, scalar, low, high, interior];
        self.op("dynamic_pad", &operands, &element, shape, &[])
    }

    /// Row `i` along the first dimension, without it, whatever sizes a row has.
    pub(super) fn any_row(&self, x: Val<'c>, i: Val<'c>) -> Val<'c> {
        let (_, own) = self.type_of(x);
        if !vary(&own[1..]) {
            return self.row(x, i);
        }
        self.reshape(self.size_rows_from(x, i, Extent::ONE), &own[1..])
    }
}

impl<'c> Reverse<'c> {
    /// Tells whether an operand or a result has sizes that are known at run time only.
    pub(super) fn varies(&self, op: Op<'c>) -> bool {
        let values = op.operands().into_iter().chain(op.results());
        values
            .into_iter()
            .any(|value| vary(&self.m.type_of(value).1))
    }

    /// The type of a value inside of `op` if it can be kept outside of it: its sizes have to be
    /// known there.
    pub(super) fn residual_type(
        &self,
        op: Op<'c>,
        value: Val<'c>,
    ) -> Option<(ElementType, Vec<Extent>)> {
        let m = &self.m;
        let ty = TensorType::from_mlir(value.r#type())?;
        if let Some(shape) = ty.static_shape() {
            return Some((ty.element, extents(&shape)));
        }
        let shape = m.known(value)?;
        let block = |op: Op<'c>| op.block().map(|block| block.to_raw().ptr);
        let is_known = |scalar: Val<'c>| {
            let home = match op::defining_op(scalar) {
                Some((made, _)) => block(made),
                None => op::block_argument(scalar).map(|(block, _)| block.to_raw().ptr),
            };
            let mut at = Some(op);
            while let Some(inner) = at {
                if block(inner) == home {
                    return true;
                }
                at = inner.parent();
            }
            false
        };
        let mut scalars = shape.iter().flat_map(|size| m.scalars(*size));
        scalars.all(is_known).then_some((ty.element, shape))
    }

    /// The type of what is kept; what cannot be is refused.
    pub(super) fn stand_in_type(&self, op: Op<'c>, value: Val<'c>) -> (ElementType, Vec<Extent>) {
        self.residual_type(op, value).unwrap_or_else(|| {
            self.m
                .refuse("sizes that iterations or branches have of their own");
            (ElementType::Bool, Vec::new())
        })
    }

    pub(super) fn of_reshape(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let x = op.operand(0);
        if self.is_active(x) {
            self.give(x, self.m.reshape(given, &self.m.type_of(x).1));
        }
        Ok(())
    }

    pub(super) fn of_reverse(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let dims = op.ints("dimensions").unwrap_or_default();
        if self.is_active(op.operand(0)) {
            self.give(op.operand(0), self.m.reverse(given, &dims));
        }
        Ok(())
    }

    /// Dimensions that are repeated are summed: those that the operand has not, and those in which
    /// it has the size 1.
    pub(super) fn of_broadcast(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let x = op.operand(0);
        if !self.is_active(x) {
            return Ok(());
        }
        let (own, out) = (m.type_of(x).1, m.type_of(given).1);
        let dims = op.ints("broadcast_dimensions").unwrap_or_default();
        let mut summed: Vec<i64> = (0..out.len() as i64)
            .filter(|d| !dims.contains(d))
            .collect();
        for (size, d) in own.iter().zip(&dims) {
            if *size == out[*d as usize] {
                continue;
            }
            // What is no 1 is as large as the result.
            if *size == 1 {
                summed.push(*d);
            } else if size.is_run_time() {
                m.refuse("what is repeated may have the size 1, or not");
            }
        }
        summed.sort_unstable();
        let total = m.sum(given, &summed);
        let mut kept: Vec<i64> = dims.clone();
        kept.retain(|d| !summed.contains(d));
        let mut order = kept.clone();
        order.sort_unstable();
        let permutation: Vec<i64> = kept
            .iter()
            .map(|d| order.iter().position(|other| other == d).unwrap_or(0) as i64)
            .collect();
        let moved = m.transpose(total, &permutation);
        self.give(x, m.reshape(moved, &own));
        Ok(())
    }

    /// Puts the cotangent of a slice back into the sizes of its operand: elements outside of the
    /// slice get zeros.
    pub(super) fn of_slice(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let x = op.operand(0);
        if !self.is_active(x) {
            return Ok(());
        }
        let (own, out) = (m.type_of(x).1, m.type_of(given).1);
        if own.is_empty() {
            self.give(x, given);
            return Ok(());
        }
        let (starts, strides) = (m.numbers_in(op.operand(1)), m.numbers_in(op.operand(3)));
        let of = |number: &dyn Fn(usize) -> Extent| {
            m.vector(&(0..own.len()).map(number).collect::<Vec<_>>())
        };
        let high = of(&|d| own[d] - starts[d] - dilated(out[d], strides[d]));
        let around = (m.vector(&starts), high, of(&|d| strides[d] - 1));
        let zero = m.zeros(&m.type_of(given).0, &[]);
        self.give(x, m.pad_by((given, zero), around, &own));
        Ok(())
    }

    /// The operand is a part of the result, where elements were not cut off; the padding has what
    /// is left.
    pub(super) fn of_padding(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let (x, value) = (op.operand(0), op.operand(1));
        if !self.is_active(x) && !self.is_active(value) {
            return Ok(());
        }
        let (own, out) = (m.type_of(x).1, m.type_of(given).1);
        if own.is_empty() {
            if self.is_active(x) {
                self.give(x, given);
            }
            return Ok(());
        }
        let n = own.len();
        let none = m.ints(&vec![0; n]);
        let [low, high, interior] = if op.is_hlo("pad") {
            ["edge_padding_low", "edge_padding_high", "interior_padding"]
                .map(|name| extents(&op.ints(name).unwrap_or_default()))
        } else {
            [2, 3, 4].map(|k| m.numbers_in(op.operand(k)))
        };
        let strides: Vec<Extent> = interior.iter().map(|between| *between + 1).collect();
        let reach = own.iter().zip(&strides).map(|(n, by)| dilated(*n, *by));
        let reach = m.vector(&reach.collect::<Vec<_>>());
        let [low, high, strides] = [low, high, strides].map(|numbers| m.vector(&numbers));
        let cut = |by: Val<'c>| m.max(m.same("negate", &[by]), none);
        let (before, behind) = (cut(low), cut(high));
        // As if nothing had been cut off.
        let sizes = m.add(m.add(m.vector(&out), before), behind);
        let all: Vec<Extent> = (0..n)
            .map(|d| m.size_of(m.first(sizes, d as i64)))
            .collect();
        let zero = m.zeros(&m.type_of(given).0, &[]);
        let whole = m.pad_by((given, zero), (before, behind, none), &all);
        let starts = m.max(low, none);
        let part = m.part_of(whole, (starts, m.add(starts, reach), strides), &own);
        if self.is_active(x) {
            self.give(x, part);
        }
        if self.is_active(value) {
            self.give(value, m.sub(m.total(given), m.total(part)));
        }
        Ok(())
    }

    /// Each piece of a concatenation takes its part.
    pub(super) fn of_pieces(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        let m = &self.m;
        let d = op.int("dimension").and_then(|d| usize::try_from(d).ok());
        let d = d.unwrap_or(0);
        let mut begin = Extent::ZERO;
        for piece in op.operands() {
            let (_, own) = m.type_of(piece);
            let (mut starts, mut limits) = (vec![Extent::ZERO; own.len()], own.clone());
            (starts[d], limits[d]) = (begin, begin + own[d]);
            begin = limits[d];
            if self.is_active(piece) {
                let strides = m.ints(&vec![1; own.len()]);
                let part = (m.vector(&starts), m.vector(&limits), strides);
                self.give(piece, m.part_of(given, part, &own));
            }
        }
        Ok(())
    }
}

/// The sizes of a value that has derivatives have to be known.
pub(super) fn check<'c>(m: &Make<'c>, op: Op<'c>, value: Val<'c>) -> Result<'c> {
    let known = TensorType::from_mlir(value.r#type()).is_none_or(|ty| ty.static_shape().is_some())
        || m.known(value).is_some();
    if known {
        Ok(())
    } else {
        fail(
            op,
            format!(
                "has no rule of differentiation: it is not known what the sizes of {} are made of",
                value.r#type()
            ),
        )
    }
}
