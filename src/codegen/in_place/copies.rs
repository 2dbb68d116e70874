//! Copies of large tensors.
//!
//! Where an update must not overwrite its operand, upstream's bufferization begins it with a copy,
//! for which LLVM calls the C library: on one thread, and through the caches. From some megabytes
//! on the copy is a kernel like others, in the same tiles as the runtime's
//! (`mapwright_runtime::copy`).

use super::{Lowering, regions, tasks};
use crate::{
    emitter::{Phase, Tiles},
    host::KERNEL,
    index::Ix,
    launch::Work,
};
use mapwright_mlir::{Builder, CmpI, Dim, Op, TensorType, Ty, Val, melior::ir::ValueLike};

/// Tensors of so many bytes are copied by kernels.
const LARGE: i64 = 4 << 20;

/// Bytes of a tile.
const PIECE: i64 = 256 << 10;

/// Bytes of a cache line.
const LINE: i64 = 64;

/// Lines are asked for so many bytes ahead of those that are copied.
const AHEAD: i64 = 2 << 10;

impl<'c> Lowering<'_, 'c> {
    /// The function that copies a buffer of the type of `value` into another one; nothing where
    /// that is too small for a kernel.
    pub(super) fn copier(&mut self, op: Op<'c>, value: Val<'c>) -> Option<String> {
        let ty = TensorType::from_mlir(value.r#type())?;
        let width = i64::try_from(ty.element.byte_width()?).ok()?;
        let elements = ty.static_shape().and(ty.num_elements());
        let known = elements.map(|n| n.saturating_mul(width));
        if known.is_some_and(|bytes| bytes < LARGE) {
            return None;
        }
        let key = value.r#type().to_string();
        if let Some(name) = self.copiers.get(&key) {
            return Some(name.clone());
        }
        let name = self.kernels.fresh(op, "copy");
        let kernel = format!("{name}{KERNEL}");
        self.b.set_location(op.location());
        // To upstream's deallocation of buffers the operation itself may do anything.
        let fence = format!("{name}_fence");
        self.code.function(&fence, &[], "void", |f, _| {
            f.b.fence();
            f.ret(None);
        });
        pieces(
            &self.b,
            &kernel,
            &fence,
            i64::from(self.options.vector_bits / 8),
        );
        let tiles = match known {
            Some(bytes) => Tiles::Static((bytes + PIECE - 1) / PIECE),
            None => {
                tiles_of(&self.b, &kernel);
                Tiles::Dynamic
            }
        };
        let work = Work::of_phase(&Phase {
            name: kernel,
            tiles,
            grain: 2,
            cost: known.unwrap_or(LARGE) as f64,
            prepacks: false,
            rounds: 1,
        });
        let buffer: Ty<'c> = regions::buffer(&self.b, value.r#type());
        self.b
            .func(&name, &[buffer, buffer], &[], true, |b, given| {
                b.set_location(op.location());
                let size = |(d, dim): (usize, &Dim)| match dim.fixed() {
                    Some(n) => Ix::Known(n),
                    None => {
                        let d = b.cidx(d as i64);
                        Ix::Value(b.op1("memref.dim", &[given[0], d], b.index(), &[]))
                    }
                };
                let sizes = ty.dims.iter().enumerate().map(size);
                let bytes = sizes.fold(Ix::Known(width), |bytes, size| bytes.mul(b, size));
                let addresses = [tasks::address(b, given[0]), tasks::address(b, given[1])];
                let total = bytes.value(b);
                let run = |b: &Builder<'c>| {
                    let [from, to] = addresses;
                    self.run_tiles(b, &work, &[from, to, total], &[total]);
                    Vec::new()
                };
                if known.is_some() {
                    run(b);
                } else {
                    let is_large = b.cmpi(CmpI::Sge, total, b.cidx(LARGE));
                    b.if_else(is_large, &[], run, |b| {
                        let [from, to] = addresses;
                        let volatile = [("isVolatile", b.bool_attr(false))];
                        let total = b.index_cast(total, b.i64());
                        b.op("llvm.intr.memcpy", &[to, from, total], &[], &volatile);
                        Vec::new()
                    });
                }
                b.ret(&[]);
            });
        self.copiers.insert(key, name.clone());
        Some(name)
    }
}

/// The function that says how many tiles there are of a number of bytes.
fn tiles_of(module: &Builder<'_>, kernel: &str) {
    let index = [module.index()];
    module.func(
        &format!("{kernel}_tiles"),
        &index,
        &index,
        true,
        |b, given| {
            let tiles = Ix::Value(given[0]).add(b, Ix::Known(PIECE - 1));
            b.ret(&[tiles.div(b, Ix::Known(PIECE)).value(b)]);
        },
    );
}

/// The kernel: of so many bytes from one address to another, which do not overlap, those of the
/// tiles `[begin, end)`. Whole lines of the target are stored past the caches: a store that misses
/// reads its line first. `fence` waits for these, `vector` is the number of bytes of a register.
fn pieces<'c>(module: &Builder<'c>, name: &str, fence: &str, vector: i64) {
    let (index, byte) = (module.index(), module.int(8));
    let bytes = module.memref(&[1], byte);
    let arguments = [bytes, bytes, index, index, index];
    let function = module.func(name, &arguments, &[], true, |b, given| {
        let [from, to] = [given[0], given[1]];
        let line = b.cidx(LINE);
        let one = b.cidx(1);
        let begin = b.muli(given[3], b.cidx(PIECE));
        let end = b.minsi(b.muli(given[4], b.cidx(PIECE)), given[2]);
        let pointer = "memref.extract_aligned_pointer_as_index";
        let address = b.addi(b.op1(pointer, &[to], index, &[]), begin);
        let into = b.remui(address, line);
        let before = b.remui(b.subi(line, into), line);
        let first = b.minsi(b.addi(begin, before), end);
        let lines = b.divui(b.subi(end, first), line);
        let last = b.addi(first, b.muli(lines, line));
        let single = |b: &Builder<'c>, at: Val<'c>| {
            b.store(b.load(from, &[at]), to, &[at]);
        };
        b.rolled_loop(begin, first, one, single);
        let ty = b.vector(&[vector], byte);
        b.rolled_loop(first, last, line, |b, at| {
            b.prefetch(from, &[b.addi(at, b.cidx(AHEAD))], false);
            let parts = (0..LINE / vector).map(|i| b.addi(at, b.cidx(i * vector)));
            let parts: Vec<_> = parts.collect();
            let values: Vec<_> = parts.iter().map(|at| b.vload(from, &[*at], ty)).collect();
            for (value, at) in values.into_iter().zip(parts) {
                b.vstore_streaming(value, to, &[at], vector);
            }
        });
        b.rolled_loop(last, end, one, single);
        b.call_llvm(fence, &[], &[]);
        b.ret(&[]);
    });
    let said = ["{llvm.noalias}", "{llvm.noalias}", "{}", "{}", "{}"];
    let said = said.map(|text| module.parse_attr(text));
    function.set_attribute("arg_attrs", module.array_attr(&said));
}
