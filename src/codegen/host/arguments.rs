//! The sizes and the memory that a caller gives are those that the code was made for: it would read
//! beyond what is there.

use super::{emit::Host, values::tensor};
use mapwright_mlir::{Blk, Dim, TensorType, Val, op};

/// A size in the table that the runtime reads: itself where it is static, -1 where it may be any,
/// and `-2 - n` where it is at most `n`.
fn entry(dim: &Dim) -> i64 {
    match dim {
        Dim::Static(n) => *n,
        Dim::Dynamic => -1,
        Dim::Bounded(n) => -2 - *n,
    }
}

/// Tensors that a caller gives memory for.
#[derive(Clone, Copy)]
pub(super) enum Given {
    Arguments,
    Results,
}

impl<'c> Host<'_, 'c> {
    /// Fails the call where `sizes`, one after another, do not fit the arguments of `block`.
    pub(super) fn check_argument_sizes(&self, block: Blk<'c>, sizes: Val<'c>) {
        let tensors: Vec<_> = op::arguments(block)
            .into_iter()
            .filter_map(tensor)
            .collect();
        if tensors.iter().all(|tensor| tensor.rank() == 0) {
            return;
        }
        let args = [
            self.context,
            self.table(&tensors),
            self.f.i64(tensors.len() as i64),
            sizes,
        ];
        self.f.try_call("mw_check_sizes", &args, self.exit);
    }

    /// The ranks and sizes of tensors, as the runtime reads them.
    fn table(&self, tensors: &[TensorType]) -> Val<'c> {
        let mut table: Vec<i64> = Vec::new();
        for tensor in tensors {
            table.push(tensor.rank() as i64);
            table.extend(tensor.dims.iter().map(entry));
        }
        self.constant(table.into_iter().flat_map(i64::to_le_bytes).collect())
    }

    /// Fails the call where there is no memory for a tensor with elements: one of `values`,
    /// arguments or results, as `what` says. Results of sizes that are known at run time only may
    /// get theirs from the call.
    pub(super) fn check_memory(
        &self,
        what: Given,
        values: Vec<Val<'c>>,
        sizes: Val<'c>,
        memory: Val<'c>,
    ) {
        let tensors: Vec<_> = values.into_iter().filter_map(tensor).collect();
        if tensors.is_empty() {
            return;
        }
        let args = [
            self.context,
            self.f.i64(what as i64),
            self.table(&tensors),
            self.f.i64(tensors.len() as i64),
            sizes,
            memory,
        ];
        self.f.try_call("mw_check_memory", &args, self.exit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_an_entry_of_its_own() {
        let dims = [
            Dim::Static(0),
            Dim::Static(3),
            Dim::Dynamic,
            Dim::Bounded(0),
            Dim::Bounded(5),
        ];
        assert_eq!(dims.each_ref().map(entry), [0, 3, -1, -2, -7]);
    }
}
