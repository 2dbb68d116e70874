//! What a product demands of its region: in which order its result is used, and what may become of
//! its factors.

use super::{Group, JoinError, SHORT};
use crate::node::{Node, node, tensor};
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::Op;
use mapwright_ops::contraction;

impl Group {
    /// Checks that the result of a product may be used at this index. The dimensions may come in
    /// another order, but the last one of the region's results, along which vectors lie, must not
    /// be one that both factors share.
    pub(super) fn product_order(&self, op: Op<'_>, index: &[Sum]) -> Result<(), JoinError> {
        if *index == self.index {
            return Ok(());
        }
        let words = "a product is fused only where its result is used at its own index, perhaps with dimensions in another order";
        let mut seen = Vec::new();
        for x in index {
            match (x.as_constant(), x.as_var()) {
                (Some(Extent::ZERO), _) => {}
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
        let ends = (
            last.map_or(Extent::ONE, length),
            own.last().copied().unwrap_or(Extent::ONE),
        );
        if ends.0 < SHORT && ends.1 > ends.0 {
            return Err(format!(
                "vectors would run along a dimension of {} elements, not of {}",
                ends.0, ends.1
            ));
        }
        Ok(())
    }

    /// Checks that an element of `op` is made from one element of each operand, at indices that are
    /// expressions.
    pub(super) fn is_view(&self, op: Op<'_>) -> Result<(), JoinError> {
        for result in op.results() {
            let (_, shape) = tensor(result).map_err(|r| r.0)?;
            let ranges = self.ranges.composing.over_sizes(&shape);
            let index: Vec<Sum> = (0..shape.len()).map(Sum::var).collect();
            match node(result, &index, &ranges).map_err(|r| r.0)? {
                Node::Splat(_) | Node::Iota(_) | Node::Copy(_) | Node::Elementwise(..) => {}
                _ => return Err("a factor that is not read element by element".into()),
            }
        }
        Ok(())
    }
}
