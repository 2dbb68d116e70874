//! Sizes known at run time: where they come from, where they are kept, what they must satisfy.

use super::{
    emit::{Host, Size},
    plan::tensor,
    stages::{is_stage, is_staged},
};
use crate::{
    error::{Result as Answer, Unsupported, unsupported},
    index::{Ix, product},
    inline::Located,
    sizes::{self, Question},
};
use mapwright_mlir::builder::CmpI;
use mapwright_mlir::{Dim, Op, Val, attr::Dense, op, stand_ins};
use mapwright_ops::attrs;
use std::collections::HashMap;

/// The runtime's `Status::OutOfMemory`.
const OUT_OF_MEMORY: i64 = 2;

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

    /// Records the sizes of a result, checks them against its bounds, and allocates it if its memory is not planned.
    pub(crate) fn define(&self, value: Val<'c>, sizes: &[Ix<'c>]) {
        let Some(tensor) = tensor(value) else {
            return;
        };
        if tensor.static_shape().is_some() {
            return;
        }
        let (f, b) = (self.f, self.b());
        let known = self.sizes.borrow().get(&op::key(value)).cloned();
        let mut slots = Vec::new();
        // Bytes of the dimensions so far; those of static ones and of bounds were checked when the type was.
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
            self.fail_if(bad, 7, &format!("a size of a tensor of type {tensor} is negative or beyond its bound (dimension {d})"));
            if *dim == Dim::Dynamic {
                let size = Ix::Value(b.index_cast(size, b.index()));
                let most = Ix::Known(i64::MAX).div(b, bytes);
                let beyond = b.cmpi(CmpI::Sgt, size.value(b), most.value(b));
                self.fail_if(
                    beyond,
                    OUT_OF_MEMORY,
                    &format!("a tensor of type {tensor} has more bytes than 64 bits count"),
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
            // Memory of the same size stays: what it holds may be what the value is made of, in place.
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

    /// Fails the call where an index or size of `op` is beyond what it may be.
    fn require_at_most(&self, op: Op<'c>, x: Ix<'c>, y: Ix<'c>) {
        let b = self.b();
        if let (Some(x), Some(y)) = (x.known(), y.known())
            && x <= y
        {
            return;
        }
        let beyond = b.cmpi(CmpI::Sgt, x.value(b), y.value(b));
        let what = "reaches outside of its operand, or has a negative size";
        self.fail_if(beyond, 7, &format!("{} {what}", place(op)));
    }

    /// Fails the call where sizes of `op` that must be equal are not.
    fn require_equal(&self, op: Op<'c>, x: &[Ix<'c>], y: &[Ix<'c>]) {
        let b = self.b();
        for (x, y) in x.iter().zip(y) {
            if x.key() == y.key() {
                continue;
            }
            let differ = b.cmpi(CmpI::Ne, x.value(b), y.value(b));
            let what = "has operands or a result whose sizes do not match";
            self.fail_if(differ, 8, &format!("{} {what}", place(op)));
        }
    }

    /// Fails the call where run-time sizes of operands and results of `fusion` that have one name are not equal: its code knows one size alone.
    pub(super) fn require_names(&self, fusion: Op<'c>, sizes: &[Val<'c>]) {
        let dims = |values: Vec<Val<'c>>| -> Vec<Dim> {
            let types = values.into_iter().filter_map(tensor);
            types.flat_map(|ty| ty.dims).collect()
        };
        let lists = [
            (stand_ins::ARGUMENTS, dims(fusion.operands())),
            (stand_ins::SIZES, dims(fusion.results())),
        ];
        // A list that is not there is that of static shapes.
        let named = lists.into_iter().flat_map(|(list, dims)| {
            let names = fusion.ints(list).unwrap_or_else(|| vec![0; dims.len()]);
            dims.into_iter().zip(names)
        });
        let unknown = named.filter(|(dim, _)| dim.fixed().is_none());
        let mut first: HashMap<i64, Val<'c>> = HashMap::new();
        for ((_, name), size) in unknown.zip(sizes) {
            let expected = match name {
                0.. => self.f.i64(name),
                _ => *first.entry(name).or_insert(*size),
            };
            if expected != *size {
                let differ = self.b().cmpi(CmpI::Ne, expected, *size);
                let what = "has operands or a result whose sizes do not match";
                self.fail_if(differ, 8, &format!("{} {what}", place(fusion)));
            }
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
    pub(crate) fn element(&self, value: Val<'c>, index: &[Ix<'c>]) -> Answer<Ix<'c>> {
        let Some(tensor) = tensor(value) else {
            return unsupported("a shape that is no tensor");
        };
        let at = index
            .iter()
            .zip(&tensor.dims)
            .try_fold(0i64, |at, (i, dim)| Some(at * dim.fixed()? + i.known()?));
        let Some(at) = at else {
            return unsupported("a shape tensor whose own shape is not known");
        };
        if let Some((op, _)) = op::defining_op(value)
            && op.is_hlo("constant")
            && let Some(values) = op.attribute("value").and_then(mapwright_mlir::attr::ints)
        {
            let splat = op
                .attribute("value")
                .and_then(Dense::from_mlir)
                .is_some_and(|d| d.splat);
            let value = values
                .get(if splat { 0 } else { at as usize })
                .or(values.first());
            return Ok(Ix::Known(value.copied().unwrap_or(0)));
        }
        if let Some((op, _)) = op::defining_op(value)
            && op.is_hlo("iota")
        {
            // Made again in every fusion that uses it: in memory nowhere.
            let axis = attrs::int(op, "iota_dimension").map_err(|e| Unsupported(e.to_string()))?;
            return Ok(index[axis as usize]);
        }
        let Some(pointer) = self.pointer(value) else {
            return unsupported("a shape that is computed inside of a fusion");
        };
        let b = self.b();
        let width = tensor.element.byte_width().unwrap_or(8) as i64;
        let ty = crate::storage::storage_type(b, &tensor.element)?;
        let stored = self.f.load(self.f.offset(pointer, at * width), ty);
        Ok(Ix::Value(sizes::to_index(b, stored, &tensor.element)))
    }

    /// Sizes of a value inside of a fusion, whose arguments are the operands of `fusion`. `known`: those that have been found.
    pub(super) fn sizes_inside(
        &self,
        fusion: Op<'c>,
        value: Val<'c>,
        known: &mut Inside<'c>,
    ) -> Answer<Vec<Ix<'c>>> {
        let Some(own) = tensor(value) else {
            return Ok(Vec::new());
        };
        if let Some(shape) = own.static_shape() {
            return Ok(shape.into_iter().map(Ix::Known).collect());
        }
        let value = within(fusion, value);
        if let Some((_, number)) = op::block_argument(value) {
            return Ok(self.sizes(fusion.operand(number)));
        }
        if let Some(sizes) = known.get(&op::key(value)) {
            return Ok(sizes.clone());
        }
        let Some((op, result)) = op::defining_op(value) else {
            return unsupported("a value without a definition");
        };
        let mut ask = |_: &_, question: Question<'c>| self.answer(fusion, op, question, known);
        let mut sizes = sizes::of_result(self.b(), op, result, &mut ask)?;
        for (size, dim) in sizes.iter_mut().zip(&own.dims) {
            if let Some(n) = dim.fixed() {
                *size = Ix::Known(n);
            }
        }
        known.insert(op::key(value), sizes.clone());
        Ok(sizes)
    }

    /// Answers a question about `op`, which is in `fusion`.
    fn answer(
        &self,
        fusion: Op<'c>,
        op: Op<'c>,
        question: Question<'c>,
        known: &mut Inside<'c>,
    ) -> Answer<Vec<Ix<'c>>> {
        match question {
            Question::Sizes(value) => return self.sizes_inside(fusion, value, known),
            Question::Equal(x, y) => self.require_equal(op, &x, &y),
            Question::AtMost(x, y) => self.require_at_most(op, x, y),
            Question::Element(value, index) => {
                let value = within(fusion, value);
                let outside = match op::block_argument(value) {
                    Some((_, number)) => fusion.operand(number),
                    None => value,
                };
                return Ok(vec![self.element(outside, &index)?]);
            }
        }
        Ok(Vec::new())
    }

    /// Checks what the sizes inside of a fusion must satisfy.
    ///
    /// # Errors
    /// A shape that is computed inside: it is not known before the launch, and code would read where the sizes say without anybody having
    /// looked at them. The plan keeps shapes outside ([`mapwright_ops::registry::OpDef::is_size_operand`]).
    pub(super) fn check_inside(
        &self,
        fusion: Op<'c>,
        known: &mut Inside<'c>,
    ) -> Result<(), Located<'c>> {
        let mut inside = fusion.body(0).map(op::ops).unwrap_or_default();
        if is_staged(fusion) {
            let stages = inside.into_iter().filter_map(|stage| stage.body(0));
            inside = stages.flat_map(op::ops).collect();
        }
        for op in inside {
            sizes::require(self.b(), op, &mut |_, question| {
                self.answer(fusion, op, question, known)
            })
            .map_err(|why| Located { op, why })?;
        }
        Ok(())
    }

    /// Sizes of a result of a function-level operation by its shape function; what they must satisfy is checked.
    pub(crate) fn infer(&self, op: Op<'c>) -> Result<(), Located<'c>> {
        let mut ask = |_: &_, question: Question<'c>| {
            match question {
                Question::Sizes(value) => return Ok(self.sizes(value)),
                Question::Equal(x, y) => self.require_equal(op, &x, &y),
                Question::AtMost(x, y) => self.require_at_most(op, x, y),
                Question::Element(value, index) => return Ok(vec![self.element(value, &index)?]),
            }
            Ok(Vec::new())
        };
        sizes::require(self.b(), op, &mut ask).map_err(|why| Located { op, why })?;
        for (i, result) in op.results().into_iter().enumerate() {
            let Some(tensor) = tensor(result) else {
                continue;
            };
            if tensor.static_shape().is_some() {
                continue;
            }
            let sizes = sizes::of_result(self.b(), op, i, &mut ask);
            let sizes = sizes.map_err(|why| Located { op, why })?;
            self.define(result, &sizes);
        }
        Ok(())
    }
}

/// A value inside of a fusion as it is known there: an argument or a result of a stage is what the stage is given or makes.
fn within<'c>(fusion: Op<'c>, mut value: Val<'c>) -> Val<'c> {
    loop {
        let is_stage_of = |op: &Op<'c>| op.parent() == Some(fusion) && is_stage(*op);
        let made = op::defining_op(value)
            .filter(|(op, _)| is_stage_of(op) && op.name() == "indexing.fusion");
        let given = op::block_argument(value).and_then(|(block, number)| {
            let stage = op::parent_of_block(block).filter(is_stage_of)?;
            Some(stage.operand(number))
        });
        let end = |stage: Op<'c>| stage.body(0).and_then(|body| op::ops(body).pop());
        let made = made.and_then(|(stage, number)| Some(end(stage)?.operand(number)));
        match made.or(given) {
            Some(other) => value = other,
            None => return value,
        }
    }
}

/// Sizes of values inside of a fusion.
pub(super) type Inside<'c> = HashMap<usize, Vec<Ix<'c>>>;

/// An operation in a message.
fn place(op: Op<'_>) -> String {
    format!("'{}' at {}", op.name(), op.location())
}
