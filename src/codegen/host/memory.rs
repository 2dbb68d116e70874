//! Where values are while the function runs, views of others among them, and copies between them.

use super::{
    constant_symbol,
    emit::Host,
    values::{Kind, bytes, tensor},
    views::View,
};
use crate::{error::Located, index::Ix, sizes::launched};
use mapwright_indexing::{Extent, Factor};
use mapwright_mlir::{Builder, Op, Val, op};

/// Copies of so many bytes are made by a function of the runtime, on its threads where there are
/// many more.
const LARGE_COPY: i64 = 4096;

/// Copies of up to so many bytes, a cache line, are not counted: scalars and small tensors that go
/// from one register to another, or nearly.
const COUNTED_COPY: i64 = 64;

impl<'c> Host<'_, 'c> {
    pub(super) fn storage(&self, value: Val<'c>) -> Option<usize> {
        self.plan.of.get(&op::key(value)).copied()
    }

    /// Symbol and bytes of a value that is constant data.
    pub(super) fn constant_data(&self, value: Val<'c>) -> Option<(String, usize)> {
        let storage = &self.plan.storages[self.storage(value)?];
        match storage.kind {
            Kind::Constant(i) => Some((constant_symbol(i), storage.bytes.max(1) as usize)),
            _ => None,
        }
    }

    /// Tells whether both values live in the same memory.
    pub(crate) fn same_storage(&self, a: Val<'c>, b: Val<'c>) -> bool {
        self.storage(a).is_some() && self.storage(a) == self.storage(b)
    }

    /// The address of a value's data; `None` for tokens.
    pub(crate) fn pointer(&self, value: Val<'c>) -> Option<Val<'c>> {
        if let Some(view) = self.views.get(value) {
            let base = self.pointer(view.base)?;
            let slot = self.offsets.borrow().get(&op::key(value)).copied();
            return Some(slot.map_or(base, |slot| self.f.offset_by(base, self.f.load_i64(slot))));
        }
        let id = self.storage(value)?;
        if let Some(slot) = self.moving.borrow().get(&id) {
            return Some(self.f.load_ptr(*slot));
        }
        self.planned_address(id)
    }

    /// The address of a storage at the beginning.
    pub(super) fn planned_address(&self, id: usize) -> Option<Val<'c>> {
        let f = self.f;
        let storage = &self.plan.storages[id];
        match storage.kind {
            Kind::Arena(offset) => self.arena.map(|arena| f.offset(arena, offset)),
            Kind::Stack => {
                let mut stack = self.stack.borrow_mut();
                Some(*stack.entry(id).or_insert_with(|| f.alloca(storage.bytes)))
            }
            Kind::Argument(i) => self.arguments.get(i).copied().flatten().map(|s| s.load(f)),
            Kind::Result(i) => self.results.get(i).copied().flatten().map(|s| s.load(f)),
            Kind::Within(i, offset) => self.within_result(i, offset),
            Kind::Constant(i) => Some(f.data(&constant_symbol(i), storage.bytes.max(1) as usize)),
            Kind::Allocated => {
                let slot = self
                    .allocated
                    .borrow()
                    .get(&id)
                    .map(|(pointer, _)| *pointer);
                slot.map(|slot| f.load_ptr(slot))
            }
        }
    }

    /// The address of what is in the memory of a result before that is.
    pub(super) fn within_result(&self, result: usize, offset: i64) -> Option<Val<'c>> {
        let slot = self.results.get(result).copied().flatten();
        slot.map(|slot| self.f.offset(slot.load(self.f), offset))
    }

    /// The storages of each ring of `op` take the addresses of those behind them.
    pub(super) fn rotate(&self, op: Op<'c>) {
        let f = self.f;
        let (moving, allocated) = (self.moving.borrow(), self.allocated.borrow());
        let turn = |slots: Vec<Val<'c>>, load: &dyn Fn(Val<'c>) -> Val<'c>| {
            let now: Vec<Val<'c>> = slots.iter().map(|slot| load(*slot)).collect();
            for (i, slot) in slots.iter().enumerate() {
                f.store(now[(i + 1) % now.len()], *slot);
            }
        };
        for ring in self.plan.rotations.get(&op).into_iter().flatten() {
            let address = |id: &usize| {
                let own = allocated.get(id).map(|(pointer, _)| *pointer);
                own.or_else(|| moving.get(id).copied())
            };
            turn(ring.iter().filter_map(address).collect(), &|slot| {
                f.load_ptr(slot)
            });
            // How large memory is that was allocated goes with its address.
            let bytes = |id: &usize| allocated.get(id).map(|(_, bytes)| *bytes);
            turn(ring.iter().filter_map(bytes).collect(), &|slot| {
                f.load_i64(slot)
            });
        }
    }

    /// Tells whether `to` takes over the address of `from` at the end of an iteration of `op`.
    pub(super) fn is_rotated(&self, op: Op<'c>, from: Val<'c>, to: Val<'c>) -> bool {
        let (Some(from), Some(to)) = (self.storage(from), self.storage(to)) else {
            return false;
        };
        let mut rings = self.plan.rotations.get(&op).into_iter().flatten();
        rings.any(|ring| {
            let at = ring.iter().position(|id| *id == to);
            at.is_some_and(|at| ring[(at + 1) % ring.len()] == from)
        })
    }

    /// The address of a value that must have one.
    pub(crate) fn address(&self, op: Op<'c>, value: Val<'c>) -> Result<Val<'c>, Located<'c>> {
        self.pointer(value)
            .ok_or_else(|| Located::new(op, "has an operand without memory"))
    }

    /// Copies the data (and the sizes) of `from` to the memory of `to`.
    pub(crate) fn transfer(&self, from: Val<'c>, to: Val<'c>) {
        self.define(to, &self.sizes(from));
        if self.same_storage(from, to) {
            return;
        }
        if let (Some(source), Some(target)) = (self.pointer(from), self.pointer(to)) {
            self.copy(from, target, source);
        }
    }

    /// Bytes of a value's data if they are few enough for a copy to be made here.
    pub(crate) fn few_bytes(&self, value: Val<'c>) -> Option<i64> {
        let ty = tensor(value)?;
        ty.static_shape()?;
        bytes(&ty).filter(|n| *n < LARGE_COPY)
    }

    /// Copies what `value` is between places that are the same or do not overlap: two may be one
    /// argument that the caller gave for a result.
    pub(crate) fn copy(&self, value: Val<'c>, to: Val<'c>, from: Val<'c>) {
        let bytes = self.bytes(value);
        match self.few_bytes(value) {
            Some(_) => self.f.copy(to, from, bytes),
            None => {
                let copied = [self.context, to, from, bytes];
                self.f.try_call("mw_copy", &copied, self.exit);
            }
        }
        self.count_copy(value);
    }

    /// Adds to the bytes that were copied because a value is read after its memory would have been
    /// written to.
    fn count_copy(&self, value: Val<'c>) {
        if let Some(slot) = self.copied
            && self.few_bytes(value).is_none_or(|n| n > COUNTED_COPY)
        {
            let bytes = self.bytes(value);
            let sum = self.f.load_i64(slot);
            self.f.store(self.b().addi(sum, bytes), slot);
            self.copies.set(true);
        }
    }

    /// Works out the sizes of the result of `region` and where it begins in its base.
    pub(super) fn view(&self, region: Op<'c>, view: &View<'c>) -> Result<(), Located<'c>> {
        self.infer(region)?;
        let b = self.b();
        let result = region.result(0);
        let sizes = [self.sizes(view.base), self.sizes(result)].concat();
        let number = |extent| {
            let words = || Located::new(region, "begins where no size says");
            number(b, extent, &sizes).ok_or_else(words)
        };
        let mut offset = number(view.offset)?;
        for (stride, start) in &view.added {
            let index: Vec<Ix<'c>> = start.index.iter().map(|i| Ix::Known(*i)).collect();
            let told = launched::element(self, start.tensor, &index)
                .map_err(|why| Located::new(region, why.0))?;
            let most = number(start.most)?;
            let first = told.min(b, most).max(b, Ix::Known(0));
            offset = offset.add(b, first.mul(b, number(*stride)?));
        }
        if offset.known() == Some(0) {
            return Ok(());
        }
        let key = op::key(result);
        let known = self.offsets.borrow().get(&key).copied();
        let slot = known.unwrap_or_else(|| self.f.alloca(8));
        let offset = b.index_cast(offset.value(b), b.i64());
        self.f.store(offset, slot);
        self.offsets.borrow_mut().insert(key, slot);
        Ok(())
    }
}

/// A number that is a polynomial of sizes, which are its names by their positions; `None` for
/// another one.
fn number<'c>(b: &Builder<'c>, number: Extent, sizes: &[Ix<'c>]) -> Option<Ix<'c>> {
    let (parts, constant) = number.parts();
    let size = |factor: &Factor| match factor {
        Factor::Name(k) => sizes.get(*k).copied(),
        _ => None,
    };
    let product = |(factors, times): (&[Factor], i64)| {
        let mut sizes = factors.iter().map(size);
        sizes.try_fold(Ix::Known(times), |all, size| Some(all.mul(b, size?)))
    };
    let mut products = parts.into_iter().map(product);
    products.try_fold(Ix::Known(constant), |sum, product| {
        Some(sum.add(b, product?))
    })
}
