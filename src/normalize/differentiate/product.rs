//! Products: the cotangent of a factor is the product of the cotangent of the result with the other factor.

use super::Reverse;
use crate::{
    rewrite::{Result, fail},
    tarray::make::type_of,
};
use mapwright_mlir::{Op, Val, text};

impl<'c> Reverse<'c> {
    pub(super) fn product(&self, op: Op<'c>, k: usize, given: Val<'c>) -> Result<'c, Val<'c>> {
        let m = &self.m;
        let Some(numbers) = op.text("dot_dimension_numbers") else {
            return fail(op, "has no dimension numbers");
        };
        let field = |side: &str, name: &str| {
            let name = format!("{side}_{name}_dimensions");
            text::integer_list(&numbers, &name)
        };
        let sides = ["lhs", "rhs"];
        let (own, other) = (sides[k], sides[1 - k]);
        let factor = op.operand(1 - k);
        let (element, shape) = type_of(op.operand(k));
        let other_rank = type_of(factor).1.len() as i64;
        let (own_batch, own_inner) = (field(own, "batching"), field(own, "contracting"));
        let (other_batch, other_inner) = (field(other, "batching"), field(other, "contracting"));
        let free = |rank: i64, batch: &[i64], inner: &[i64]| -> Vec<i64> {
            (0..rank)
                .filter(|d| !batch.contains(d) && !inner.contains(d))
                .collect()
        };
        let own_free = free(shape.len() as i64, &own_batch, &own_inner);
        let other_free = free(other_rank, &other_batch, &other_inner);
        // In the result: the batch, the free dimensions of the left factor, those of the right one.
        let n = own_batch.len() as i64;
        let before = if k == 0 { own_free.len() } else { 0 } as i64;
        let contracted: Vec<i64> = (0..other_free.len() as i64)
            .map(|d| n + before + d)
            .collect();
        let batch: Vec<i64> = (0..n).collect();
        let dims = format!(
            "#stablehlo.dot<lhs_batching_dimensions = {batch:?}, rhs_batching_dimensions = {other_batch:?}, \
             lhs_contracting_dimensions = {contracted:?}, rhs_contracting_dimensions = {other_free:?}>"
        );
        // It has the batch, the free dimensions of this factor, and the contracted ones in the order that they have in the other one.
        let mut order: Vec<usize> = (0..other_inner.len()).collect();
        order.sort_by_key(|i| other_inner[*i]);
        let found: Vec<i64> = own_batch
            .iter()
            .chain(&own_free)
            .copied()
            .chain(order.iter().map(|i| own_inner[*i]))
            .collect();
        let sizes: Vec<i64> = found.iter().map(|d| shape[*d as usize]).collect();
        let attributes = op.attributes();
        let mut named = vec![("dot_dimension_numbers", m.b.parse_attr(&dims))];
        for (name, value) in &attributes {
            if name != "dot_dimension_numbers" {
                named.push((name.as_str(), *value));
            }
        }
        let product =
            m.b.op1(op.name(), &[given, factor], m.ty(&element, &sizes), &named);
        let mut permutation = vec![0; found.len()];
        for (i, d) in found.iter().enumerate() {
            permutation[*d as usize] = i as i64;
        }
        Ok(m.transpose(product, &permutation))
    }
}
