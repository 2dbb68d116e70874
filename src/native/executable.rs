//! A compiled program in memory.

use crate::{
    CompileOptions, Error, Result, Reuse, Signature, Tensor,
    code::{self, Code},
    constants,
    jit::Jit,
    llvm::Target,
    pipeline::Stages,
    reuse,
    tensor::pool,
};
use mapwright_codegen::{
    Emitter,
    host::{Entry, Part, Report, constant_symbol, kept_symbol},
};
use mapwright_fusion::composed;
use mapwright_mlir::{Op, TensorType};
use mapwright_runtime::{Buffer, Context, ffi::is_filled};
use std::{ffi::c_void, ptr::NonNull, sync::Arc, time::Duration};

/// `int32_t mw_entry_…(context, arguments, argument_sizes, results, result_sizes)`.
type EntryPoint = unsafe extern "C" fn(
    *const Context,
    *const *const c_void,
    *const i64,
    *mut *mut c_void,
    *mut i64,
) -> i32;

/// `int32_t mw_prepare_…(context)`.
type Prepare = unsafe extern "C" fn(*const Context) -> i32;

/// What a compilation made, and how long it took.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Stages of the compilation with their times, in order.
    pub stages: Vec<(&'static str, Duration)>,
    /// Distinct regions, with their emitters.
    pub regions: Vec<Report>,
    /// What is timed where that was asked for, by number.
    pub parts: Vec<Part>,
    /// Indexing maps on the way to loops.
    pub maps: composed::Counts,
    /// Bytes of intermediate tensors of one call of the first entry.
    pub arena_bytes: i64,
    /// Bytes that are filled once and kept: factors of products that are constants, packed while compiling.
    pub kept_bytes: i64,
    /// Those of them that were filled by the end of the compilation; the rest is in the first call.
    pub packed_bytes: i64,
    /// Bytes of machine code and data.
    pub object_bytes: usize,
}

impl Statistics {
    /// The whole compilation.
    pub fn total(&self) -> Duration {
        self.stages.iter().map(|(_, time)| *time).sum()
    }
}

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct ExecuteOptions {
    /// Threads; 0: as many as the program was compiled for.
    pub threads: usize,
}

/// Bytes of memory that calls of an entry take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallMemory {
    /// The arguments.
    pub inputs: usize,
    /// The results.
    pub outputs: usize,
    /// What the plan has for intermediate tensors, at once.
    pub plan: usize,
    /// The most that there was at any time: at most the three together, where shapes are static. The scratch of the threads, for the
    /// tile at hand or the keys that are being sorted, is not in it.
    pub peak: usize,
    /// What the last call copied because a value is read after its memory would have been written to: a loop's state that could not stay where it
    /// is, for instance. Copies of up to 64 bytes are not counted.
    pub copied: u64,
}

struct Point {
    entry: Entry,
    address: usize,
}

/// Machine code in memory, with what it refers to.
pub(crate) struct Linked {
    points: Vec<Point>,
    // The code refers to constants and kept memory: it is dropped first.
    jit: Jit,
    constants: Vec<Arc<Buffer>>,
    kept: Vec<Buffer>,
    /// What was linked, without the constants.
    code: Code,
}

/// The symbols that code refers to, with their addresses.
type Symbols = Vec<(String, usize)>;

impl Linked {
    /// Links `code` by `jit`, and prepares what is made of constants once.
    ///
    /// # Errors
    /// Code that refers to what is not there, or no memory.
    pub(crate) fn new(mut code: Code, jit: Jit, stages: &mut Stages) -> Result<Self> {
        let mut symbols: Symbols = mapwright_runtime::ffi::symbols()
            .into_iter()
            .map(|(name, address)| (name.to_string(), address))
            .collect();
        let mut constants = Vec::new();
        for (i, data) in code.constants.drain(..).enumerate() {
            let buffer = constants::shared(&data)?;
            symbols.push((constant_symbol(i), buffer.as_ptr() as usize));
            constants.push(buffer);
        }
        let mut kept = Vec::new();
        for (i, bytes) in code.kept.iter().enumerate() {
            let bytes = usize::try_from(*bytes).unwrap_or(usize::MAX);
            let mut buffer = pool().allocate(bytes).map_err(Error::Run)?;
            // Whether it has been filled stands in front.
            let head = bytes.min(64);
            buffer.as_mut_slice()[..head].fill(0);
            symbols.push((kept_symbol(i), buffer.as_mut_slice().as_mut_ptr() as usize));
            kept.push(buffer);
        }
        stages.time("link", || jit.link(&code.objects, &symbols))?;
        let points = stages.time("load", || {
            let point = |entry: &Entry| {
                Ok(Point {
                    address: jit.address(&entry.symbol)?,
                    entry: entry.clone(),
                })
            };
            code.entries.iter().map(point).collect::<Result<Vec<_>>>()
        })?;
        let context = Context::new(code.threads);
        stages.time("pack", || {
            let of = |p: &Point| p.entry.prepare.clone();
            points.iter().filter_map(of).try_for_each(|symbol| {
                let address = jit.address(&symbol)?;
                // SAFETY: the function of an entry that prepares its calls has this signature.
                let status = unsafe {
                    let prepare: Prepare = std::mem::transmute(address);
                    prepare(&context)
                };
                match context.error() {
                    Some(error) => Err(Error::Run(error)),
                    None if status != 0 => Err(Error::Native(format!(
                        "constants cannot be packed: status {status}"
                    ))),
                    None => Ok(()),
                }
            })
        })?;
        crate::perf::note(&code.objects, &|name| jit.address(name).ok());
        Ok(Self {
            points,
            jit,
            constants,
            kept,
            code,
        })
    }
}

/// A compiled program. It can be called any number of times, also from several threads at once.
pub struct Executable {
    linked: Arc<Linked>,
    context: Context,
    statistics: Statistics,
}

impl Executable {
    /// Compiles `module`, which stays as it is, or takes the code that [`CompileOptions::reuse`] finds.
    ///
    /// # Errors
    /// What cannot be compiled is diagnosed at its operation.
    pub fn compile(module: Op<'_>, options: &CompileOptions) -> Result<Self> {
        match options.reuse {
            Reuse::Never => Self::compile_with(module, options, &mapwright_codegen::emitters()),
            Reuse::Process | Reuse::Disk(_) => reuse::executable(module, options),
        }
    }

    /// Compiles `module` with these emitters in place of ours, in the order in which they are tried.
    ///
    /// # Errors
    /// What cannot be compiled is diagnosed at its operation.
    pub fn compile_with(
        module: Op<'_>,
        options: &CompileOptions,
        emitters: &[&dyn Emitter],
    ) -> Result<Self> {
        let mut stages = Stages::default();
        let target = stages.time("target", || Target::new(options));
        let (code, jit) = Code::new(module, options, target, emitters, &mut stages)?;
        let linked = Linked::new(code, jit, &mut stages)?;
        Ok(Self::new(Arc::new(linked), stages))
    }

    /// A program whose code is `linked`, which took `stages` to come by.
    pub(crate) fn new(linked: Arc<Linked>, stages: Stages) -> Self {
        let code = &linked.code;
        Self {
            context: Context::new(code.threads),
            statistics: Statistics {
                stages: stages.times,
                regions: code.reports.clone(),
                parts: code.parts.clone(),
                maps: code.maps,
                kept_bytes: code.kept.iter().sum(),
                packed_bytes: (linked.kept.iter().map(Buffer::as_slice))
                    .filter(|memory| is_filled(memory))
                    .map(|memory| memory.len() as i64)
                    .sum(),
                arena_bytes: code.entries.first().map_or(0, |entry| entry.arena_bytes),
                object_bytes: code.objects.iter().map(|object| object.len()).sum(),
            },
            linked,
        }
    }

    /// The program as bytes for [`Executable::deserialize`], in this or another process of the same build on a machine of the same kind.
    ///
    /// # Errors
    /// No memory.
    pub fn serialize(&self) -> Result<Vec<u8>> {
        let Linked {
            code, constants, ..
        } = &*self.linked;
        let constants = constants.iter().map(|data| data.as_slice().to_vec().into());
        code::to_bytes(&Code {
            constants: constants.collect(),
            ..code.clone()
        })
    }

    /// Reads what [`Executable::serialize`] wrote. The bytes are machine code that will run: they must come from somebody who is trusted.
    ///
    /// # Errors
    /// Bytes that are damaged, or were made by another build or for another machine.
    pub fn deserialize(bytes: &[u8]) -> Result<Self> {
        let mut stages = Stages::default();
        let code = stages.time("read", || code::from_bytes(bytes))?;
        code.check_machine()?;
        let jit = stages.time("link", Jit::new)?;
        let linked = Linked::new(code, jit, &mut stages)?;
        Ok(Self::new(Arc::new(linked), stages))
    }

    /// Calls take threads and memory of `context` from now on, which several codes share.
    pub(crate) fn set_context(&mut self, context: Context) {
        self.context = context;
    }

    /// Names of the functions that can be called.
    pub fn entries(&self) -> Vec<&str> {
        self.linked
            .points
            .iter()
            .map(|point| point.entry.name.as_str())
            .collect()
    }

    fn point(&self, name: Option<&str>) -> Result<&Point> {
        let found = match name {
            None => self.linked.points.first(),
            Some(name) => self
                .linked
                .points
                .iter()
                .find(|point| point.entry.name == name),
        };
        found.ok_or_else(|| {
            Error::Input(format!(
                "the program has no entry {}",
                name.unwrap_or("point")
            ))
        })
    }

    /// What a function takes and gives; `None` is the first entry.
    ///
    /// # Errors
    /// A name that is not an entry.
    pub fn signature(&self, name: Option<&str>) -> Result<Signature> {
        let point = self.point(name)?;
        Ok(Signature {
            inputs: point.entry.inputs.clone(),
            outputs: point.entry.outputs.clone(),
        })
    }

    /// What the compilation made.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Calls the first entry.
    ///
    /// # Errors
    /// Inputs that do not fit, or a failure of the program.
    pub fn execute(&self, inputs: &[&Tensor], options: &ExecuteOptions) -> Result<Vec<Tensor>> {
        self.execute_entry(None, inputs, options)
    }

    /// Calls an entry.
    ///
    /// # Errors
    /// As [`Executable::execute`].
    pub fn execute_entry(
        &self,
        name: Option<&str>,
        inputs: &[&Tensor],
        options: &ExecuteOptions,
    ) -> Result<Vec<Tensor>> {
        let mut bound = self.bind(name, inputs, options)?;
        bound.run()?;
        Ok(bound.into_outputs())
    }

    /// Inputs and outputs kept in place for many calls of one entry. A donated argument is copied to the memory of its result once: a
    /// further call finds there what the last one left.
    ///
    /// # Errors
    /// Inputs that do not fit, or no memory.
    pub fn bind<'e>(
        &'e self,
        name: Option<&str>,
        inputs: &[&'e Tensor],
        options: &ExecuteOptions,
    ) -> Result<Bound<'e>> {
        let point = self.point(name)?;
        let entry = &point.entry;
        if inputs.len() != entry.inputs.len() {
            return Err(Error::Input(format!(
                "@{} takes {} tensors, not {}",
                entry.name,
                entry.inputs.len(),
                inputs.len()
            )));
        }
        for (i, (input, ty)) in inputs.iter().zip(&entry.inputs).enumerate() {
            if !input.fits(ty) {
                return Err(Error::Input(format!(
                    "argument {i} of @{} is of type {ty}; a tensor of shape {:?} and type {} does not fit",
                    entry.name,
                    input.shape(),
                    input.element()
                )));
            }
        }
        let mut outputs = entry
            .outputs
            .iter()
            .map(|ty| {
                ty.static_shape()
                    .map(|shape| Tensor::zeros(&ty.element, &shape))
                    .transpose()
            })
            .collect::<Result<Vec<_>>>()?;
        let mut arguments: Vec<*const c_void> = inputs.iter().map(|t| t.pointer().cast()).collect();
        for (input, output) in &entry.donated {
            // The memory of a donated argument is that of the result, which begins as a copy.
            let mut copy = inputs[*input].try_clone()?;
            arguments[*input] = copy.pointer_mut().cast_const().cast();
            outputs[*output] = Some(copy);
        }
        let context = match options.threads {
            0 => self.context.fork(),
            n if n == self.linked.code.threads => self.context.fork(),
            n => Context::new(n),
        };
        Ok(Bound {
            point: point.address,
            bounds_checks: self.linked.code.bounds_checks,
            types: &entry.outputs,
            arguments,
            argument_sizes: inputs.iter().flat_map(|t| t.shape().to_vec()).collect(),
            memory: CallMemory {
                inputs: inputs.iter().map(|t| t.bytes().len()).sum(),
                outputs: outputs.iter().flatten().map(|t| t.bytes().len()).sum(),
                plan: usize::try_from(entry.arena_bytes).unwrap_or(0),
                peak: 0,
                copied: 0,
            },
            outputs,
            context,
            _inputs: std::marker::PhantomData,
        })
    }
}

/// A call that is ready to be made, again and again.
pub struct Bound<'e> {
    point: usize,
    bounds_checks: bool,
    types: &'e [TensorType],
    arguments: Vec<*const c_void>,
    argument_sizes: Vec<i64>,
    /// Tensors of static shape are there from the start; others after each call.
    outputs: Vec<Option<Tensor>>,
    /// Of the outputs those of static shape.
    memory: CallMemory,
    context: Context,
    _inputs: std::marker::PhantomData<&'e Tensor>,
}

impl Bound<'_> {
    /// Makes the call.
    ///
    /// # Errors
    /// A failure of the program.
    pub fn run(&mut self) -> Result<()> {
        let mut results: Vec<*mut c_void> = Vec::with_capacity(self.types.len());
        for (ty, output) in self.types.iter().zip(&mut self.outputs) {
            match output {
                Some(tensor) if ty.static_shape().is_some() => {
                    results.push(tensor.pointer_mut().cast())
                }
                other => {
                    *other = None;
                    results.push(std::ptr::null_mut());
                }
            }
        }
        let ranks: usize = self.types.iter().map(TensorType::rank).sum();
        let mut sizes = vec![0i64; ranks];
        self.context.clear_error();
        self.context.take_copied();
        // SAFETY: the address is that of an entry point of this signature, kept alive by the executable; arguments were
        // checked against it; results of static shape have their memory.
        let status = unsafe {
            let call: EntryPoint = std::mem::transmute(self.point);
            call(
                &self.context,
                self.arguments.as_ptr(),
                self.argument_sizes.as_ptr(),
                results.as_mut_ptr(),
                sizes.as_mut_ptr(),
            )
        };
        self.memory.copied = self.context.take_copied();
        let mut at = 0;
        for (i, ty) in self.types.iter().enumerate() {
            let shape = sizes[at..at + ty.rank()].to_vec();
            at += ty.rank();
            if ty.static_shape().is_some() {
                continue;
            }
            let width = ty.element.byte_width().unwrap_or(1);
            let bytes = shape.iter().product::<i64>().max(0) as usize * width;
            if let Some(pointer) = NonNull::new(results[i].cast::<u8>()) {
                // SAFETY: the entry point took the memory from this context's pool with this size and gave it to us.
                let buffer = unsafe { Buffer::from_raw(self.context.memory(), pointer, bytes) };
                self.outputs[i] = Some(Tensor::from_buffer(ty.element.clone(), shape, buffer));
            }
        }
        if self.bounds_checks
            && let Some(found) = mapwright_runtime::ffi::take_out_of_bounds()
        {
            return Err(Error::Native(found.to_string()));
        }
        match self.context.error() {
            Some(error) => Err(Error::Run(error)),
            None if status != 0 => Err(Error::Native(format!(
                "the program failed with status {status}"
            ))),
            None => Ok(()),
        }
    }

    /// Times of the parts since the last time they were taken ([`Statistics::parts`]).
    pub fn take_times(&self) -> Vec<mapwright_runtime::profile::PartTime> {
        self.context.take_times()
    }

    /// What the calls so far took. The peak of intermediate tensors is that of all calls that the program makes at the same time.
    pub fn memory(&self) -> CallMemory {
        let pool = self.context.memory().statistics();
        CallMemory {
            outputs: self.outputs().map(|t| t.bytes().len()).sum(),
            peak: self.memory.inputs + self.memory.outputs + pool.peak,
            ..self.memory
        }
    }

    /// The results of the last call.
    pub fn outputs(&self) -> impl Iterator<Item = &Tensor> {
        self.outputs.iter().flatten()
    }

    /// The results of the last call, taken.
    pub fn into_outputs(self) -> Vec<Tensor> {
        self.outputs.into_iter().flatten().collect()
    }
}
