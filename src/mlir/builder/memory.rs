//! `memref` and `vector`.

use super::Builder;
use crate::{Ty, Val};
use melior::ir::ValueLike;
use mlir_sys as sys;

impl<'c> Builder<'c> {
    /// `memref.load`.
    pub fn load(&self, memref: Val<'c>, indices: &[Val<'c>]) -> Val<'c> {
        let mut operands = vec![memref];
        operands.extend(indices);
        self.op1(
            "memref.load",
            &operands,
            self.element_of(memref.r#type()),
            &[],
        )
    }

    /// `memref.store`.
    pub fn store(&self, value: Val<'c>, memref: Val<'c>, indices: &[Val<'c>]) {
        let mut operands = vec![value, memref];
        operands.extend(indices);
        self.op("memref.store", &operands, &[], &[]);
    }

    /// `memref.alloca` of static shape in the function's frame, aligned to 64 bytes. It is placed
    /// in the entry block, so that it is allocated once, wherever it is asked for.
    pub fn alloca(&self, ty: Ty<'c>) -> Val<'c> {
        let segments = self.i32_array(&[0, 0]);
        let attributes = [
            ("operandSegmentSizes", segments),
            ("alignment", self.i64_attr(64)),
        ];
        let op = self.detached("memref.alloca", &[], &[ty], &attributes, Vec::new());
        // SAFETY: the entry block takes ownership of an operation without a parent.
        unsafe {
            sys::mlirBlockInsertOwnedOperation(self.entry.to_raw(), 0, op.to_raw());
        }
        op.result(0)
    }

    /// `memref.view`: `bytes` (`memref<?xi8>` or of static size) from `offset` bytes on, as a
    /// memref of static type `ty`.
    pub fn view(&self, bytes: Val<'c>, offset: Val<'c>, ty: Ty<'c>) -> Val<'c> {
        self.op1("memref.view", &[bytes, offset], ty, &[])
    }

    /// `memref.reinterpret_cast` with everything static (the result type says sizes, strides and
    /// offset, all of them static).
    pub fn reinterpret(
        &self,
        memref: Val<'c>,
        ty: Ty<'c>,
        offset: i64,
        sizes: &[i64],
        strides: &[i64],
    ) -> Val<'c> {
        let attributes = [
            ("static_offsets", self.i64_array(&[offset])),
            ("static_sizes", self.i64_array(sizes)),
            ("static_strides", self.i64_array(strides)),
            ("operandSegmentSizes", self.i32_array(&[1, 0, 0, 0])),
        ];
        self.op1("memref.reinterpret_cast", &[memref], ty, &attributes)
    }

    /// `vector.load` of the contiguous elements from `indices` on; all must be in bounds.
    pub fn vload(&self, memref: Val<'c>, indices: &[Val<'c>], ty: Ty<'c>) -> Val<'c> {
        let mut operands = vec![memref];
        operands.extend(indices);
        self.op1("vector.load", &operands, ty, &[])
    }

    /// `vector.store`.
    pub fn vstore(&self, value: Val<'c>, memref: Val<'c>, indices: &[Val<'c>]) {
        let mut operands = vec![value, memref];
        operands.extend(indices);
        self.op("vector.store", &operands, &[], &[]);
    }

    /// `vector.store` past the caches, to an address that is a multiple of `alignment` bytes.
    pub fn vstore_streaming(
        &self,
        value: Val<'c>,
        memref: Val<'c>,
        indices: &[Val<'c>],
        alignment: i64,
    ) {
        let mut operands = vec![value, memref];
        operands.extend(indices);
        let attributes = [
            ("nontemporal", self.bool_attr(true)),
            ("alignment", self.i64_attr(alignment)),
        ];
        self.op("vector.store", &operands, &[], &attributes);
    }

    /// `memref.prefetch`: an element that is going to be read or written.
    pub fn prefetch(&self, memref: Val<'c>, indices: &[Val<'c>], write: bool) {
        let mut operands = vec![memref];
        operands.extend(indices);
        let attributes = [
            ("isWrite", self.bool_attr(write)),
            ("localityHint", self.int_attr(3, self.int(32))),
            ("isDataCache", self.bool_attr(true)),
        ];
        self.op("memref.prefetch", &operands, &[], &attributes);
    }

    /// `llvm.fence`: everything stored before is seen before everything stored after, streaming
    /// stores included.
    pub fn fence(&self) {
        // Sequentially consistent.
        let ordering = self.i64_attr(7);
        self.op("llvm.fence", &[], &[], &[("ordering", ordering)]);
    }

    /// `vector.maskedload`: lanes that are off take `pass_through` and touch no memory.
    pub fn masked_load(
        &self,
        memref: Val<'c>,
        indices: &[Val<'c>],
        mask: Val<'c>,
        pass_through: Val<'c>,
    ) -> Val<'c> {
        let mut operands = vec![memref];
        operands.extend(indices);
        operands.extend([mask, pass_through]);
        self.op1("vector.maskedload", &operands, pass_through.r#type(), &[])
    }

    /// `vector.maskedstore`: lanes that are off touch no memory.
    pub fn masked_store(
        &self,
        memref: Val<'c>,
        indices: &[Val<'c>],
        mask: Val<'c>,
        value: Val<'c>,
    ) {
        // A single lane is stored by itself: LLVM 22 makes a store of the wider element of one that
        // was truncated before.
        let count = crate::op::defining_op(mask)
            .filter(|(op, _)| op.name() == "vector.create_mask")
            .and_then(|(op, _)| crate::op::defining_op(op.operand(0)))
            .and_then(|(op, _)| op.int("value"));
        if count == Some(1) {
            self.store(self.extract(value, &[0]), memref, indices);
            return;
        }
        let mut operands = vec![memref];
        operands.extend(indices);
        operands.extend([mask, value]);
        self.op("vector.maskedstore", &operands, &[], &[]);
    }

    /// `vector.create_mask` of a 1-D mask whose first `count` lanes are on.
    pub fn mask(&self, count: Val<'c>, lanes: i64) -> Val<'c> {
        let ty = self.vector(&[lanes], self.i1());
        self.op1("vector.create_mask", &[count], ty, &[])
    }

    /// `vector.broadcast` of a scalar or smaller vector.
    pub fn broadcast(&self, value: Val<'c>, ty: Ty<'c>) -> Val<'c> {
        if value.r#type() == ty {
            value
        } else {
            self.op1("vector.broadcast", &[value], ty, &[])
        }
    }

    /// `vector.reduction <kind>` of a 1-D vector (`add`, `mul`, `minsi`, `maximumf`, …), without an
    /// accumulator.
    pub fn reduction(&self, kind: &str, value: Val<'c>) -> Val<'c> {
        let element = self.element_of(value.r#type());
        let kind = self.parse_attr(&format!("#vector.kind<{kind}>"));
        self.op1("vector.reduction", &[value], element, &[("kind", kind)])
    }

    /// `vector.extract` at static positions: a scalar where they are as many as the rank, a
    /// sub-vector otherwise.
    pub fn extract(&self, value: Val<'c>, positions: &[i64]) -> Val<'c> {
        let shape = self.shape_of(value.r#type());
        let element = self.element_of(value.r#type());
        let rest = &shape[positions.len().min(shape.len())..];
        let ty = if rest.is_empty() {
            element
        } else {
            self.vector(rest, element)
        };
        let positions = self.i64_array(positions);
        self.op1(
            "vector.extract",
            &[value],
            ty,
            &[("static_position", positions)],
        )
    }

    /// `vector.insert` at static positions.
    pub fn insert(&self, value: Val<'c>, into: Val<'c>, positions: &[i64]) -> Val<'c> {
        let positions = self.i64_array(positions);
        let ty = into.r#type();
        self.op1(
            "vector.insert",
            &[value, into],
            ty,
            &[("static_position", positions)],
        )
    }

    /// `vector.shuffle` of two 1-D vectors; lane `i` of the result is lane `lanes[i]` of their
    /// concatenation.
    pub fn shuffle(&self, a: Val<'c>, b: Val<'c>, lanes: &[i64]) -> Val<'c> {
        let ty = self.vector(&[lanes.len() as i64], self.element_of(a.r#type()));
        self.op1(
            "vector.shuffle",
            &[a, b],
            ty,
            &[("mask", self.i64_array(lanes))],
        )
    }
}
