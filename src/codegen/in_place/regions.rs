//! Regions as kernels on buffers.
//!
//! What an emitter makes takes buffers in the emitter's form and computes a range of tiles. Around
//! it goes a function that takes the buffers that upstream's bufferization makes of tensors, and
//! runs everything: `@<function>_region_<k>` around `@<function>_region_<k>_kernel`.

use super::{Call, Lowering, Threads, cast, check_tensor, quantized, sizes, tasks, values};
use crate::{
    emitter::{Kernel, Tiles},
    error::Located,
    host::KERNEL,
    index::Ix,
    launch::Work,
    sizes::launched,
};
use mapwright_mlir::{
    Builder, Op, TensorType, Ty, Val, ValueType, builder::DYNAMIC, melior::ir::ValueLike, op,
};

/// Most pieces that a kernel is cut into where they may run in parallel.
const PIECES: i64 = 64;

/// The ranked tensor type of a value that was checked to have one.
fn tensor(value: Val<'_>) -> TensorType {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => tensor,
        _ => TensorType::new(mapwright_mlir::ElementType::Bool, &[]),
    }
}

/// The buffer that upstream makes of a tensor of type `ty`.
pub(super) fn buffer<'c>(b: &Builder<'c>, ty: Ty<'c>) -> Ty<'c> {
    b.memref(&b.shape_of(ty), b.element_of(quantized::held(b, ty)))
}

impl<'c> Lowering<'_, 'c> {
    /// Replaces a region by the call of its kernel.
    pub(super) fn region(&mut self, fusion: Op<'c>) -> Result<(), Located<'c>> {
        let values = fusion.operands().into_iter().chain(fusion.results());
        for value in values {
            check_tensor(value).map_err(|why| Located::new(blamed(fusion, value), why))?;
        }
        let b = Builder::before(fusion.context(), fusion)
            .ok_or_else(|| Located::new(fusion, "is in no block"))?;
        let (name, kernel) = self.kernels.get(fusion)?;
        if kernel.prepacked_bytes > 0 {
            return Err(Located::new(fusion, "keeps memory from call to call"));
        }
        let updates = kernel.updates.is_some();
        let mut call = self.operands(&b, fusion, &kernel, updates)?;
        let updated = call.updates.clone().into_iter();
        let updated = updated.map(|j| fusion.result(j as usize));
        call.copied_by = updated.map(|value| self.copier(fusion, value)).collect();
        let own = name.strip_suffix(KERNEL).unwrap_or(&name);
        // Sizes inside may follow from constants of this region: another one has others.
        let wrapper = if kernel.inner_sizes.is_empty() {
            own.to_string()
        } else {
            format!("{own}_{}", self.wrappers.len())
        };
        if !self.wrappers.contains(&wrapper) {
            self.wrapper(fusion, &wrapper, &name, &kernel, updates)?;
            self.wrappers.insert(wrapper.clone());
        }
        self.call(fusion, &wrapper, &call);
        Ok(())
    }

    /// The function `name` on the buffers of the operands of the call of `fusion`, which runs
    /// `symbol`.
    fn wrapper(
        &self,
        fusion: Op<'c>,
        name: &str,
        symbol: &str,
        kernel: &Kernel,
        updates: bool,
    ) -> Result<(), Located<'c>> {
        let module = &self.b;
        module.set_location(fusion.location());
        let updated = |input: usize| kernel.in_place.iter().find(|(_, i)| updates && *i == input);
        let inputs = (0..fusion.num_operands()).filter(|i| updated(*i).is_none());
        let inputs: Vec<usize> = inputs.collect();
        let given = inputs.iter().map(|i| fusion.operand(*i));
        let types: Vec<Ty<'c>> = given
            .chain(fusion.results())
            .map(|value| buffer(module, value.r#type()))
            .collect();
        let made = module.try_func(name, &types, &[], true, |b, arguments| {
            b.set_location(fusion.location());
            let result = |j: usize| arguments[inputs.len() + j];
            let input = |i: usize| match updated(i) {
                Some((output, _)) => result(*output),
                None => arguments[inputs.iter().position(|k| *k == i).unwrap_or(0)],
            };
            let buffers = (0..fusion.num_operands())
                .map(|i| (input(i), tensor(fusion.operand(i))))
                .chain((0..fusion.num_results()).map(|j| (result(j), tensor(fusion.result(j)))));
            let buffers: Vec<(Val<'c>, TensorType)> = buffers.collect();
            let mut all = Vec::new();
            let mut sizes = Vec::new();
            let of_values = fusion.operands().into_iter().map(op::key);
            let known = sizes::Buffers {
                b,
                of: of_values
                    .zip(buffers.iter().map(|(memref, _)| *memref))
                    .collect(),
            };
            for (memref, ty) in &buffers {
                all.push(tasks::address(b, *memref));
                for (d, dim) in ty.dims.iter().enumerate() {
                    if dim.fixed().is_none() {
                        let d = b.cidx(d as i64);
                        sizes.push(b.op1("memref.dim", &[*memref, d], b.index(), &[]));
                    }
                }
            }
            if kernel.emitter != "general" {
                let inner = launched::inner_sizes(&known, fusion, &kernel.inner_sizes)?;
                sizes.extend(inner.iter().map(|size| size.value(b)));
                let sizes: Vec<Ix<'c>> = sizes.iter().copied().map(Ix::Value).collect();
                launched::require_names(&known, fusion, &sizes, &kernel.inner_sizes);
            }
            let scratch = match kernel.scratch_bytes {
                0 => None,
                Kernel::SCRATCH_OF_SIZES => {
                    let bytes = b.call(&format!("{symbol}_scratch"), &sizes, &[b.index()]);
                    Some(scratch(b, Ix::Value(bytes[0])))
                }
                bytes => Some(scratch(b, Ix::Known(bytes))),
            };
            all.extend(scratch.map(|memory| tasks::address(b, memory)));
            all.extend(&sizes);
            for work in Work::for_kernel(symbol, kernel, updates, is_in_loop(fusion)) {
                self.run_tiles(b, &work, &all, &sizes);
            }
            if let Some(scratch) = scratch {
                let manual = [(MANUAL, b.unit_attr())];
                b.op("memref.dealloc", &[scratch], &[], &manual);
            }
            b.ret(&[]);
            Ok(())
        });
        made.map(|_| ())
    }

    /// Calls a kernel for all of its tiles.
    pub(super) fn run_tiles(
        &self,
        b: &Builder<'c>,
        work: &Work,
        arguments: &[Val<'c>],
        sizes: &[Val<'c>],
    ) {
        let call = |b: &Builder<'c>, begin: Val<'c>, end: Val<'c>| {
            let mut all = arguments.to_vec();
            let first = b.cidx(work.first);
            all.extend([begin, end].map(|tile| b.addi(tile, first)));
            b.call(&work.name, &all, &[]);
        };
        let tiles = match work.tiles {
            Tiles::Static(n) => Ix::Known(n),
            Tiles::Dynamic => {
                let count = format!("{}_tiles", work.name);
                Ix::Value(b.call(&count, sizes, &[b.index()])[0])
            }
        };
        if self.mode.threads == Threads::None || work.is_alone() || work.weighed {
            return call(b, b.cidx(0), tiles.value(b));
        }
        if self.mode.threads == Threads::Runtime {
            return tasks::run((&self.b, &self.code), b, work, tiles.value(b), arguments);
        }
        // Pieces of equal numbers of tiles; the last may have fewer.
        let most = tiles.div(b, Ix::Known(work.grain)).max(b, Ix::Known(1));
        let pieces = most.min(b, Ix::Known(PIECES));
        let up = tiles.add(b, pieces).sub(b, Ix::Known(1));
        let each = up.div(b, pieces).value(b);
        let (zero, one) = (b.cidx(0), b.cidx(1));
        let (pieces, tiles) = (pieces.value(b), tiles.value(b));
        let region = b.region(&[b.index()], |b, index| {
            let begin = b.minsi(b.muli(index[0], each), tiles);
            let end = b.minsi(b.addi(begin, each), tiles);
            call(b, begin, end);
            b.op("scf.reduce", &[], &[], &[]);
        });
        let segments = [("operandSegmentSizes", b.i32_array(&[1, 1, 1, 0]))];
        let bounds = [zero, pieces, one];
        b.op_with_regions("scf.parallel", &bounds, &[], &segments, vec![region]);
    }

    /// The operands of the call of a region's kernel.
    fn operands(
        &self,
        b: &Builder<'c>,
        fusion: Op<'c>,
        kernel: &Kernel,
        updates: bool,
    ) -> Result<Call<'c>, Located<'c>> {
        let sizes = sizes::of_results(b, fusion)?;
        let mut call = Call::default();
        let mut shared: Vec<(usize, usize)> = Vec::new();
        let mut taken: Vec<usize> = Vec::new();
        let read_only =
            |input: usize| values::is_returned_constant(fusion.operand(input), &self.functions);
        // Nothing is gained by writing there.
        let is_kept =
            |input: usize| read_only(input) || values::is_of_callers(fusion.operand(input));
        for (j, result) in fusion.results().into_iter().enumerate() {
            let mut pairs = kernel.in_place.iter().filter(|(output, _)| *output == j);
            let may_share = |input: &usize| {
                let same = fusion.operand(*input).r#type() == result.r#type();
                !taken.contains(input) && (updates || same && !is_kept(*input))
            };
            let input = pairs.by_ref().map(|(_, input)| *input).find(may_share);
            let Some(input) = input else {
                call.inits.push(empty(b, result.r#type(), &sizes[j]));
                continue;
            };
            let init = quantized::stored(b, fusion.operand(input));
            let init = cast(b, init, quantized::held(b, result.r#type()));
            call.inits.push(if read_only(input) {
                values::copy(b, init)
            } else {
                init
            });
            taken.push(input);
            if updates {
                call.updates.push(j as i64)
            } else {
                shared.push((j, input))
            }
        }
        let kept = (0..fusion.num_operands()).filter(|i| !(updates && taken.contains(i)));
        let kept: Vec<usize> = kept.collect();
        call.inputs = kept.iter().map(|i| fusion.operand(*i)).collect();
        for (j, input) in shared {
            if let Some(number) = kept.iter().position(|i| *i == input) {
                call.elementwise.extend([j as i64, number as i64]);
            }
        }
        Ok(call)
    }
}

/// Tells whether `op` is inside of a loop.
fn is_in_loop(op: Op<'_>) -> bool {
    let mut around = op.parent();
    while let Some(op) = around {
        if matches!(op.name(), "scf.for" | "scf.while") {
            return true;
        }
        around = op.parent();
    }
    false
}

/// Says that memory is freed by hand, for upstream's deallocation of buffers.
const MANUAL: &str = "bufferization.manual_deallocation";

/// Memory of one call.
fn scratch<'c>(b: &Builder<'c>, bytes: Ix<'c>) -> Val<'c> {
    let sizes: Vec<Val<'c>> = match bytes {
        Ix::Known(_) => Vec::new(),
        Ix::Value(bytes) => vec![bytes],
    };
    let attributes = [
        ("operandSegmentSizes", b.i32_array(&[sizes.len() as i32, 0])),
        ("alignment", b.i64_attr(64)),
        (MANUAL, b.unit_attr()),
    ];
    let ty = b.memref(&[bytes.known().unwrap_or(DYNAMIC)], b.int(8));
    b.op1("memref.alloc", &sizes, ty, &attributes)
}

/// `tensor.empty` of these sizes.
pub(crate) fn empty<'c>(b: &Builder<'c>, ty: Ty<'c>, sizes: &[Ix<'c>]) -> Val<'c> {
    let ty = quantized::held(b, ty);
    let shape = b.shape_of(ty);
    let dynamic = sizes.iter().zip(shape).filter(|(_, n)| *n == DYNAMIC);
    let sizes: Vec<Val<'c>> = dynamic.map(|(size, _)| size.value(b)).collect();
    b.op1("tensor.empty", &sizes, ty, &[])
}

/// The member of a region that a value of a type that cannot be is to be blamed on.
fn blamed<'c>(fusion: Op<'c>, value: Val<'c>) -> Op<'c> {
    let members = fusion.body(0).map(op::ops).unwrap_or_default();
    let ty = value.r#type();
    let has = |op: &&Op<'c>| {
        let mut values = op.operands().into_iter().chain(op.results());
        values.any(|value| value.r#type() == ty)
    };
    members.iter().find(has).copied().unwrap_or(fusion)
}
