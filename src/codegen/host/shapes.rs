//! Sizes known at run time: where they come from, where they are kept, what they must satisfy.

use super::{
    emit::{Host, Size},
    values::tensor,
};
use crate::{
    error::Located,
    error::{Result as SizeResult, unsupported},
    index::{Ix, product},
    sizes::{
        self,
        launched::{self, Before, Demand, place},
    },
};
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::{Builder, Dim, Op, TensorType, Val, op};

/// The runtime's `Status::OutOfMemory`.
const OUT_OF_MEMORY: i64 = 2;
/// The runtime's `Status::OutOfBounds`.
const OUT_OF_BOUNDS: i64 = 7;
/// The runtime's `Status::ShapeMismatch`.
const SHAPE_MISMATCH: i64 = 8;

impl<'c> Host<'_, 'c> {
    /// The sizes of a value, those known at run time as `i64`.
    pub(crate) fn sizes_i64(&self, value: Val<'c>) -> Vec<Val<'c>> {
        let tensor = tensor(value);
        let slots = self.sizes.borrow().get(&op::key(value)).cloned();
        let dims = tensor.map(|t| t.dims).unwrap_or_default();
        dims.iter()
            .enumerate()
            .map(|(d, dim)| match (dim.fixed(), &slots) {
                (Some(n), _) => self.f.i64(n),
                (None, Some(slots)) => match slots[d] {
                    Size::Known(n) => self.f.i64(n),
                    Size::Slot(slot) => self.f.load_i64(slot),
                },
                (None, None) => self.f.i64(dim.bound().unwrap_or(0)),
            })
            .collect()
    }

    /// The sizes of a value for index arithmetic.
    pub(crate) fn sizes(&self, value: Val<'c>) -> Vec<Ix<'c>> {
        let Some(tensor) = tensor(value) else {
            return Vec::new();
        };
        if let Some(shape) = tensor.static_shape() {
            return shape.into_iter().map(Ix::Known).collect();
        }
        let b = self.b();
        self.sizes_i64(value)
            .into_iter()
            .zip(&tensor.dims)
            .map(|(size, dim)| match dim.fixed() {
                Some(n) => Ix::Known(n),
                None => Ix::Value(b.index_cast(size, b.index())),
            })
            .collect()
    }

    /// Bytes of a value's data as `i64`.
    pub(crate) fn bytes(&self, value: Val<'c>) -> Val<'c> {
        let b = self.b();
        let width = tensor(value)
            .and_then(|t| t.element.byte_width())
            .unwrap_or(1) as i64;
        let total = product(b, &self.sizes(value)).mul(b, Ix::Known(width));
        match total {
            Ix::Known(n) => self.f.i64(n),
            Ix::Value(v) => b.index_cast(v, b.i64()),
        }
    }

    /// Records the sizes of a result, checks them against its bounds, and allocates it if its
    /// memory is not planned.
    pub(crate) fn define(&self, value: Val<'c>, sizes: &[Ix<'c>]) {
        let Some(tensor) = tensor(value) else {
            return;
        };
        if tensor.static_shape().is_some() {
            return;
        }
        let (f, b) = (self.f, self.b());
        let made = op::defining_op(value);
        let at = made.map_or(String::new(), |(op, _)| format!(" ({})", place(op)));
        let known = self.sizes.borrow().get(&op::key(value)).cloned();
        let mut slots = Vec::new();
        // Bytes of the dimensions so far; those of static ones and of bounds were checked when the
        // type was.
        let bounds = tensor.dims.iter().map(|dim| match dim {
            Dim::Static(n) | Dim::Bounded(n) => *n,
            Dim::Dynamic => 1,
        });
        let width = tensor.element.byte_width().unwrap_or(1) as i64;
        let mut bytes = Ix::Known(bounds.fold(width, i64::saturating_mul)).max(b, Ix::Known(1));
        for (d, (dim, size)) in tensor.dims.iter().zip(sizes).enumerate() {
            if let Some(n) = dim.fixed() {
                slots.push(Size::Known(n));
                continue;
            }
            let size = b.index_cast(size.value(b), b.i64());
            let negative = b.cmpi(CmpI::Slt, size, f.i64(0));
            let bad = match dim {
                Dim::Bounded(bound) => b.ori(negative, b.cmpi(CmpI::Sgt, size, f.i64(*bound))),
                _ => negative,
            };
            self.fail_if(bad, OUT_OF_BOUNDS, &format!("a size of a tensor of type {tensor} is negative or beyond its bound (dimension {d}){at}"));
            if *dim == Dim::Dynamic {
                let size = Ix::Value(b.index_cast(size, b.index()));
                let most = Ix::Known(i64::MAX).div(b, bytes);
                let beyond = b.cmpi(CmpI::Sgt, size.value(b), most.value(b));
                self.fail_if(
                    beyond,
                    OUT_OF_MEMORY,
                    &format!("a tensor of type {tensor} has more bytes than 64 bits count{at}"),
                );
                bytes = bytes.mul(b, size.max(b, Ix::Known(1)));
            }
            // A value that is defined again (in a loop) keeps its slots.
            let slot = match known.as_ref().map(|k| k[d]) {
                Some(Size::Slot(slot)) => slot,
                _ => f.alloca(8),
            };
            f.store(size, slot);
            slots.push(Size::Slot(slot));
        }
        self.sizes.borrow_mut().insert(op::key(value), slots);
        let slots = self
            .storage(value)
            .and_then(|id| self.allocated.borrow().get(&id).copied());
        if let Some((pointer, size)) = slots {
            let bytes = self.bytes(value);
            let old = f.load_ptr(pointer);
            let (there, free, next, done) = (f.block(), f.block(), f.block(), f.block());
            f.jump_if(f.is_null(old), next, there);
            // Memory of the same size stays: what it holds may be what the value is made of, in
            // place.
            f.b.set_block(there);
            let same = b.cmpi(CmpI::Eq, f.load_i64(size), bytes);
            f.jump_if(same, done, free);
            f.b.set_block(free);
            f.call("mw_free", &[self.context, old, f.load_i64(size)], "void");
            f.store(f.null(), pointer);
            f.jump(next);
            f.b.set_block(next);
            if let Some(new) = f.call("mw_alloc", &[self.context, bytes], "ptr") {
                f.leave_if(f.is_null(new), self.exit);
                f.store(new, pointer);
                f.store(bytes, size);
            }
            f.jump(done);
            f.b.set_block(done);
        }
    }

    /// `value` has the sizes of `other`, also when those change.
    pub(crate) fn alias_sizes(&self, value: Val<'c>, other: Val<'c>) {
        let sizes = self.sizes.borrow().get(&op::key(other)).cloned();
        if let Some(sizes) = sizes {
            self.sizes.borrow_mut().insert(op::key(value), sizes);
        }
    }

    /// An element of an integer tensor in memory as an index; constants are looked into.
    pub(crate) fn element(&self, value: Val<'c>, index: &[Ix<'c>]) -> SizeResult<Ix<'c>> {
        launched::element(self, value, index)
    }

    /// Sizes of the results of a region or of an operation by shape functions; what they must
    /// satisfy is checked.
    pub(crate) fn infer(&self, op: Op<'c>) -> Result<(), Located<'c>> {
        let sizes = launched::of_results(self, op)?;
        for (result, sizes) in op.results().into_iter().zip(sizes) {
            self.define(result, &sizes);
        }
        Ok(())
    }
}

impl<'c> Before<'c> for Host<'_, 'c> {
    fn builder(&self) -> &Builder<'c> {
        self.b()
    }

    fn sizes_of(&self, tensor: Val<'c>) -> SizeResult<Vec<Ix<'c>>> {
        Ok(self.sizes(tensor))
    }

    fn load(&self, tensor: Val<'c>, ty: &TensorType, index: &[Ix<'c>]) -> SizeResult<Ix<'c>> {
        let mut places = index.iter().zip(&ty.dims);
        let at = places.try_fold(0i64, |at, (i, dim)| Some(at * dim.fixed()? + i.known()?));
        let Some(at) = at else {
            return unsupported("a shape tensor whose own shape is not known");
        };
        let Some(pointer) = self.pointer(tensor) else {
            return unsupported("a shape that is computed inside of a region");
        };
        let b = self.b();
        let width = ty.element.byte_width().unwrap_or(8) as i64;
        let stored = crate::storage::storage_type(b, &ty.element)?;
        let stored = self.f.load(self.f.offset(pointer, at * width), stored);
        Ok(Ix::Value(sizes::to_index(b, stored, &ty.element)))
    }

    fn demand(&self, demand: Demand, x: Ix<'c>, y: Ix<'c>, message: &str) {
        let b = self.b();
        let (fails, status) = match demand {
            Demand::Equal => (CmpI::Ne, SHAPE_MISMATCH),
            Demand::AtMost => (CmpI::Sgt, OUT_OF_BOUNDS),
        };
        let bad = b.cmpi(fails, x.value(b), y.value(b));
        self.fail_if(bad, status, message);
    }
}
