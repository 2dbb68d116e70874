//! Products: the cotangent of a factor is the product of the cotangent of the result with the other
//! factor.

use super::reverse::Reverse;
use crate::rewrite::{Result, fail};
use mapwright_mlir::{Op, Val};
use mapwright_ops::attrs::DotDimensions;

impl<'c> Reverse<'c> {
    /// Adds to the cotangents of both factors.
    pub(super) fn product(&self, op: Op<'c>, given: Val<'c>) -> Result<'c> {
        for k in [0, 1] {
            if self.is_active(op.operand(k)) {
                let part = self.factor(op, k, given)?;
                self.give(op.operand(k), part);
            }
        }
        Ok(())
    }

    fn factor(&self, op: Op<'c>, k: usize, given: Val<'c>) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let numbers = match DotDimensions::decode(op) {
            Ok(numbers) => numbers,
            Err(error) => return fail(op, error.to_string()),
        };
        let lhs = (&numbers.lhs_batching, &numbers.lhs_contracting);
        let rhs = (&numbers.rhs_batching, &numbers.rhs_contracting);
        let ((own_batch, own_inner), (other_batch, other_inner)) =
            if k == 0 { (lhs, rhs) } else { (rhs, lhs) };
        let (element, shape) = m.type_of(op.operand(k));
        // Both factors are of the type of the cotangent.
        let factor = m.convert(op.operand(1 - k), &m.type_of(given).0);
        let other_rank = m.type_of(factor).1.len() as i64;
        let free = |rank: i64, batch: &[i64], inner: &[i64]| -> Vec<i64> {
            (0..rank)
                .filter(|d| !batch.contains(d) && !inner.contains(d))
                .collect()
        };
        let own_free = free(shape.len() as i64, own_batch, own_inner);
        let other_free = free(other_rank, other_batch, other_inner);
        // In the result: the batch, the free dimensions of the left factor, those of the right one.
        let n = own_batch.len() as i64;
        let before = if k == 0 { own_free.len() } else { 0 } as i64;
        let contracted: Vec<i64> = (0..other_free.len() as i64)
            .map(|d| n + before + d)
            .collect();
        let batch: Vec<i64> = (0..n).collect();
        // The left factor stays on the left where that saves a transpose: it has the free
        // dimensions of its own first.
        let first = k == 0 || own_free.is_empty();
        let mut order: Vec<usize> = (0..other_inner.len()).collect();
        order.sort_by_key(|i| other_inner[*i]);
        let inner = order.iter().map(|i| own_inner[*i]);
        let found: Vec<i64> = if first {
            (own_batch.iter().chain(&own_free).copied())
                .chain(inner)
                .collect()
        } else {
            (own_batch.iter().copied().chain(inner))
                .chain(own_free.iter().copied())
                .collect()
        };
        let (left, right) = if first {
            (given, factor)
        } else {
            (factor, given)
        };
        let ((left_batch, left_inner), (right_batch, right_inner)) = if first {
            ((&batch, &contracted), (other_batch, &other_free))
        } else {
            ((other_batch, &other_free), (&batch, &contracted))
        };
        let dims =
            m.b.dot_numbers([left_batch, right_batch], [left_inner, right_inner]);
        let sizes: Vec<_> = found.iter().map(|d| shape[*d as usize]).collect();
        let mut named = vec![("dot_dimension_numbers", dims)];
        let others = op.attributes().into_iter();
        named.extend(others.filter(|(name, _)| *name != "dot_dimension_numbers"));
        let ty = m.ty(&m.type_of(given).0, &sizes);
        let product = m.sized(m.b.op1(op.name(), &[left, right], ty, &named), &sizes);
        let mut permutation = vec![0; found.len()];
        for (i, d) in found.iter().enumerate() {
            permutation[*d as usize] = i as i64;
        }
        Ok(m.convert(m.transpose(product, &permutation), &element))
    }
}
