//! Reductions in a region: which dimensions they keep, and whether their rows stay in the caches.

use super::{Group, JoinError, Joined};
use crate::node::tensor;
use mapwright_indexing::Extent;
use mapwright_indexing::linear::{Sum, VarId};
use mapwright_mlir::{Op, op};
use mapwright_ops::registry;

/// Elements up to which a region may run as one task without loss.
const SMALL: i64 = 1 << 16;
/// Bytes of a row that stays in the second-level cache between sweeps.
const ROW_BYTES: i64 = 1 << 20;

impl Group {
    pub(super) fn reduce(
        &mut self,
        op: Op<'_>,
        read: &[Option<Sum>],
        index: &[Sum],
        indices: usize,
        joined: &mut Joined,
    ) -> Result<(), JoinError> {
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
                (Some(Extent::ZERO), _) => {}
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
            .map(|(size, _)| size.expected())
            .product();
        let is_root = kept == self.root_vars;
        if !is_root {
            // Anything else is folded element by element, which must not happen again for every
            // element of the root.
            if op.num_results() != 1 || !op.body(0).is_some_and(registry::combines) {
                return Err(
                    "its combining function is not one that splits over vector lanes".into(),
                );
            }
            let elements = |vars: &[VarId]| -> i64 {
                let sizes = vars.iter().map(|v| (self.ranges.vars[*v].1 + 1).expected());
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
                    self.ranges.vars[*v] == (Extent::ZERO, shape[i] - 1)
                        && !vars.contains(v)
                        && !kept.contains(v)
                });
                let var = free.unwrap_or_else(|| {
                    self.ranges.vars.push((Extent::ZERO, shape[i] - 1));
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
}
