//! What a host function gives back.

use super::{
    emit::Host,
    values::{Kind, bytes, tensor},
};
use crate::error::Located;
use mapwright_mlir::{Op, Val};

/// From so many sizes known at compile time on, one copy takes the place of the stores.
const COPIED_SIZES: usize = 16;

impl<'c> Host<'_, 'c> {
    /// Hands over the sizes of the results: those known at compile time in runs, the others one by
    /// one.
    fn return_sizes(&self, end: Op<'c>, result_sizes: Val<'c>) {
        let f = self.f;
        let dims: Vec<(Option<i64>, Val<'c>)> = end
            .operands()
            .into_iter()
            .filter_map(|value| Some((value, tensor(value)?)))
            .flat_map(|(value, tensor)| {
                let fixed = tensor.dims.into_iter().map(|dim| dim.fixed());
                fixed.zip(self.sizes_i64(value))
            })
            .collect();
        let mut at = 0usize;
        for run in dims.chunk_by(|(a, _), (b, _)| a.is_some() == b.is_some()) {
            let place = |k: usize| f.offset(result_sizes, ((at + k) * 8) as i64);
            let known: Vec<u8> = run
                .iter()
                .filter_map(|(size, _)| *size)
                .flat_map(i64::to_ne_bytes)
                .collect();
            if known.len() >= COPIED_SIZES * size_of::<i64>() {
                let bytes = f.i64(known.len() as i64);
                f.copy(place(0), self.constant(known), bytes);
            } else {
                for (k, (_, size)) in run.iter().enumerate() {
                    f.store(*size, place(k));
                }
            }
            at += run.len();
        }
    }

    /// Returns the slots that hold the pointer to the memory of a returned value and its bytes, if
    /// it was allocated during the call, for nothing else.
    fn own_memory(&self, end: Op<'c>, value: Val<'c>) -> Option<(Val<'c>, Val<'c>)> {
        let id = self.storage(value)?;
        let storage = &self.plan.storages[id];
        let returned = end
            .operands()
            .into_iter()
            .filter(|v| self.storage(*v) == Some(id))
            .count();
        let own = storage.kind == Kind::Allocated && returned == 1;
        self.allocated.borrow().get(&id).copied().filter(|_| own)
    }

    /// Hands the results over.
    pub(super) fn return_values(
        &self,
        end: Op<'c>,
        results: Val<'c>,
        result_sizes: Val<'c>,
    ) -> Result<(), Located<'c>> {
        let f = self.f;
        self.return_sizes(end, result_sizes);
        let mut number = 0i64;
        for (i, value) in end.operands().into_iter().enumerate() {
            let Some(tensor) = tensor(value) else {
                continue;
            };
            let source = self.address(end, value)?;
            if tensor.static_shape().is_some() {
                let own = self.storage(value).map(|id| &self.plan.storages[id]);
                let there = own.is_some_and(|own| own.kind == Kind::Result(i));
                let moves = own.is_some_and(|own| own.moves);
                if (!there || moves)
                    && let Some(target) = self.results.get(i).copied().flatten()
                {
                    let target = target.load(f);
                    let bytes = f.i64(bytes(&tensor).unwrap_or(0));
                    if moves {
                        // It may be there already.

                        let copied = [self.context, target, source, bytes];
                        f.try_call("mw_copy", &copied, self.exit);
                    } else {
                        f.copy(target, source, bytes)
                    }
                }
            } else if let Some((pointer, _)) = self.own_memory(end, value) {
                // The memory that was allocated for it is the caller's from here on.
                f.store(source, f.offset(results, number * 8));
                f.store(f.null(), pointer);
            } else {
                let bytes = self.bytes(value);
                if let Some(target) = f.call("mw_alloc", &[self.context, bytes], "ptr") {
                    f.leave_if(f.is_null(target), self.exit);
                    f.copy(target, source, bytes);
                    f.store(target, f.offset(results, number * 8));
                }
            }
            number += 1;
        }
        Ok(())
    }
}
