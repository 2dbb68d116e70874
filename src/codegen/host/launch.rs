//! Launches of kernels.

use super::{
    emit::{Host, Preparation},
    values::{is_while, tensor},
};
use crate::{
    emitter::{Kernel, Tiles},
    error::Located,
    index::Ix,
    launch::{LEAST_BYTES, Work},
    sizes::launched,
};
use mapwright_mlir::{Op, TensorType, Val, builder::CmpI, op};
use mapwright_ops::attrs::UNREAD;

/// Bytes in front of memory that is kept between calls: whether it has been filled (`mw_once`).
const PREPACKED_HEAD: i64 = 64;

/// Tells whether `op` is inside of a loop.
fn is_in_loop(op: Op<'_>) -> bool {
    let mut at = op.parent();
    while let Some(around) = at {
        if is_while(around) {
            return true;
        }
        at = around.parent();
    }
    false
}

/// Tells whether none of the results of a fusion are ever read.
fn is_unread(fusion: Op<'_>) -> bool {
    let members = fusion.body(0).map(op::ops).unwrap_or_default();
    let Some(end) = members.last() else {
        return false;
    };
    let unread = |value: Val<'_>| {
        op::defining_op(value).is_some_and(|(made, _)| made.attribute(UNREAD).is_some())
    };
    let given = end.operands();
    !given.is_empty() && given.into_iter().all(unread)
}

impl<'c> Host<'_, 'c> {
    /// Launches the kernel of a fusion.
    pub(super) fn fusion(&self, fusion: Op<'c>) -> Result<(), Located<'c>> {
        if is_unread(fusion) {
            return self.infer(fusion);
        }
        let (name, kernel) = self.kernels.get(fusion)?;
        let f = self.f;
        self.infer(fusion)?;
        let mut pointers = Vec::new();
        let mut sizes = Vec::new();
        for value in fusion.operands().into_iter().chain(fusion.results()) {
            pointers.push(self.address(fusion, value)?);
            let own: Option<TensorType> = tensor(value);
            let dims = own.map(|t| t.dims).unwrap_or_default();
            let values = self.sizes_i64(value);
            sizes.extend(
                values
                    .into_iter()
                    .zip(dims)
                    .filter(|(_, dim)| dim.fixed().is_none())
                    .map(|(size, _)| size),
            );
        }
        if kernel.emitter != "general" {
            let b = self.b();
            let inner = launched::inner_sizes(self, fusion, &kernel.inner_sizes)?;
            let inner = inner.into_iter().map(|size| size.value(b));
            sizes.extend(inner.map(|size| b.index_cast(size, b.i64())));
            let sizes = sizes.iter().map(|n| Ix::Value(b.index_cast(*n, b.index())));
            let sizes: Vec<Ix<'c>> = sizes.collect();
            launched::require_names(self, fusion, &sizes, &kernel.inner_sizes);
        }
        let mut scratch = None;
        if kernel.scratch_bytes == Kernel::SCRATCH_OF_SIZES {
            let bytes = f.call(&format!("{name}_scratch"), &sizes, "i64");
            let bytes = bytes.unwrap_or_else(|| f.i64(0));
            if let Some(memory) = f.call("mw_scratch", &[self.context, bytes], "ptr") {
                f.leave_if(f.is_null(memory), self.exit);
                pointers.push(memory);
                scratch = Some(memory);
            }
        } else if kernel.scratch_bytes > 0 {
            pointers.push(self.workspace(fusion)?);
        }
        let mut kept = None;
        if kernel.prepacked_bytes > 0 {
            let bytes = PREPACKED_HEAD + kernel.prepacked_bytes;
            let memory = (self.kernels.prepacked_memory(bytes), bytes as usize);
            let values = fusion.operands().into_iter().chain(fusion.results());
            let constants: Vec<_> = values.map(|v| self.constant_data(v)).collect();
            let mut operands = fusion.operands().into_iter().zip(&constants);
            // Sizes that come with a call, and constants that it makes, wait for it.
            if sizes.is_empty() && operands.all(|(v, c)| c.is_some() || !op::is_constant(v)) {
                self.preparations.borrow_mut().push(Preparation {
                    memory: memory.clone(),
                    constants,
                    kernel: kernel.clone(),
                });
            }
            let memory = f.data(&memory.0, memory.1);
            pointers.push(f.offset(memory, PREPACKED_HEAD));
            kept = Some(memory);
        }
        let mut args = pointers;
        let buffers = args.len();
        args.extend(&sizes);
        let mut packed = None;
        if kernel.updates.is_some() {
            // The operand is copied first; the kernel finds it where its result is, and writes what
            // is updated.
            for (output, input) in &kernel.in_place {
                let (operand, result) = (fusion.operand(*input), fusion.result(*output));
                let target = args[fusion.num_operands() + output];
                if !self.same_storage(operand, result) {
                    self.copy(result, target, args[*input]);
                }
                args[*input] = target;
            }
        }
        if let Some(memory) = kept {
            self.fill(&kernel, memory, buffers, &args);
        }
        for work in Work::for_kernel(&name, &kernel, kernel.updates.is_some(), is_in_loop(fusion)) {
            if work.weighed && self.threads != 1 {
                self.launch_weighed(fusion, &kernel, &work, buffers, &args)
            } else {
                self.launch(&work, buffers, &args, &mut packed)
            }
        }
        if let Some(memory) = scratch {
            f.call("mw_scratch_release", &[self.context, memory], "void");
        }
        Ok(())
    }

    /// Launches an update whose size is known at run time only: on this thread where it is small.
    fn launch_weighed(
        &self,
        fusion: Op<'c>,
        kernel: &Kernel,
        work: &Work,
        buffers: usize,
        args: &[Val<'c>],
    ) {
        let f = self.f;
        let updated: Vec<usize> = kernel.in_place.iter().map(|(_, input)| *input).collect();
        let mut bytes = f.i64(0);
        for (i, value) in fusion.operands().into_iter().enumerate() {
            if !updated.contains(&i) {
                bytes = f.b.addi(bytes, self.bytes(value));
            }
        }
        let few = f.b.cmpi(CmpI::Slt, bytes, f.i64(LEAST_BYTES));
        let (alone, shared, next) = (f.block(), f.block(), f.block());
        f.jump_if(few, alone, shared);
        f.b.set_block(alone);
        self.launch_alone(work, args);
        f.jump(next);
        f.b.set_block(shared);
        self.launch(work, buffers, args, &mut None);
        f.jump(next);
        f.b.set_block(next);
    }

    /// Runs all tiles of a function, as many as are known, on this thread.
    fn launch_alone(&self, work: &Work, args: &[Val<'c>]) {
        let Tiles::Static(tiles) = work.tiles else {
            return;
        };
        let mut args = args.to_vec();
        args.extend([work.first, work.first + tiles].map(|tile| self.f.i64(tile)));
        self.f.call(&work.name, &args, "void");
    }

    /// Tiles of a function that counts them from run-time sizes.
    fn tiles(&self, name: &str, sizes: &[Val<'c>]) -> Val<'c> {
        let count = self.f.call(&format!("{name}_tiles"), sizes, "i64");
        count.unwrap_or_else(|| self.f.i64(0))
    }

    /// Fills memory that is kept, unless that was done before.
    fn fill(&self, kernel: &Kernel, memory: Val<'c>, buffers: usize, args: &[Val<'c>]) {
        let f = self.f;
        let Some(first) = f.call("mw_once", &[memory], "i32") else {
            return;
        };
        let (make, next) = (f.block(), f.block());
        f.jump_if(f.b.cmpi(CmpI::Ne, first, f.i32(0)), make, next);
        f.b.set_block(make);
        let mut packed = None;
        for phase in kernel.phases.iter().filter(|phase| phase.prepacks) {
            self.launch(&Work::of_phase(phase), buffers, args, &mut packed);
        }
        f.call("mw_once_done", &[memory], "void");
        f.jump(next);
        f.b.set_block(next);
    }

    /// Fills the memory of kernels before they are launched for the first time. Of what they read
    /// only constants are there.
    pub(super) fn prepare(&self, preparations: &[Preparation]) {
        let f = self.f;
        for each in preparations {
            let memory = f.data(&each.memory.0, each.memory.1);
            let constant = |c: &Option<(String, usize)>| match c {
                Some((name, bytes)) => f.data(name, *bytes),
                None => f.null(),
            };
            let mut args: Vec<Val<'c>> = each.constants.iter().map(constant).collect();
            if each.kernel.scratch_bytes > 0 {
                args.push(f.null());
            }
            args.push(f.offset(memory, PREPACKED_HEAD));
            self.fill(&each.kernel, memory, args.len(), &args);
        }
    }

    /// The memory of a launch besides its tensors.
    fn workspace(&self, fusion: Op<'c>) -> Result<Val<'c>, Located<'c>> {
        let id = fusion
            .results()
            .first()
            .and_then(|v| self.plan.workspaces.get(&op::key(*v)).copied());
        id.and_then(|id| self.planned_address(id))
            .ok_or_else(|| Located::new(fusion, "has no memory to work in"))
    }

    /// Runs all tiles of a function, on this thread where others would not help. Of `args` so many
    /// are `buffers`, the others sizes; `packed` holds them once they were needed in memory.
    fn launch(&self, work: &Work, buffers: usize, args: &[Val<'c>], packed: &mut Option<Val<'c>>) {
        let f = self.f;
        let alone = work.is_alone() || self.threads == 1;
        let tiles = match work.tiles {
            Tiles::Static(_) if alone => return self.launch_alone(work, args),
            Tiles::Static(n) => f.i64(n),
            Tiles::Dynamic => self.tiles(&work.name, &args[buffers..]),
        };
        if self.threads == 1 {
            let mut args = args.to_vec();
            args.extend([f.i64(0), tiles]);
            f.call(&work.name, &args, "void");
            return;
        }
        // Pack the arguments where all threads find them.
        let packed = *packed.get_or_insert_with(|| {
            let packed = f.alloca(args.len() as i64 * 8);
            for (i, arg) in args.iter().enumerate() {
                f.store(*arg, f.offset(packed, i as i64 * 8));
            }
            packed
        });
        let task = self.task(work, buffers, args.len() - buffers);
        let task = f.address(&task);
        let grain = f.i64(work.grain);
        f.call(
            "mw_parallel_for_grain",
            &[self.context, task, packed, tiles, grain],
            "i32",
        );
    }

    /// The function that unpacks the arguments of a kernel; made once a kernel and first tile.
    fn task(&self, work: &Work, buffers: usize, sizes: usize) -> String {
        let (name, kernel) = (work.task(), &work.name);
        if self.f.code.is_defined(&name) {
            return name;
        }
        self.f
            .code
            .function(&name, &["ptr", "i64", "i64"], "void", |f, args| {
                let mut unpacked = Vec::new();
                for i in 0..buffers + sizes {
                    let place = f.offset(args[0], i as i64 * 8);
                    unpacked.push(if i < buffers {
                        f.load_ptr(place)
                    } else {
                        f.load_i64(place)
                    });
                }
                let first = f.i64(work.first);
                unpacked.extend([args[1], args[2]].map(|tile| match work.first {
                    0 => tile,
                    _ => f.b.addi(tile, first),
                }));
                f.call(kernel, &unpacked, "void");
                f.ret(None);
            });
        name
    }
}
