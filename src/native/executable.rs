//! A compiled program in memory.

use crate::{
    Bound, CallMemory, CompileOptions, Error, Result, Reuse, Signature, Tensor,
    bound::{Place, call, computed},
    code::{self, Code},
    constants,
    jit::Jit,
    llvm::Target,
    pipeline::Stages,
    reuse,
    tensor::{View, pool},
};
use mapwright_codegen::{
    Emitter,
    host::{Called, Entry, Part, Report, constant_symbol, prepacked_symbol},
};
use mapwright_fusion::composed;
use mapwright_mlir::Op;
use mapwright_runtime::{
    Buffer, Context,
    collective::{HOST, INFEED, World},
    ffi::is_filled,
};
use std::{
    ffi::c_void,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// `int32_t mw_prepare_…(context)`.
type Prepare = unsafe extern "C" fn(*const Context) -> i32;

/// Statistics of a compilation: its products and its times.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Stages of the compilation with their times, in order.
    pub stages: Vec<(&'static str, Duration)>,
    /// Distinct regions, with their emitters.
    pub regions: Vec<Report>,
    /// Parts that are timed where that was asked for, by number.
    pub parts: Vec<Part>,
    /// Indexing maps on the way to loops.
    pub maps: composed::Counts,
    /// Bytes of intermediate tensors of one call of the first entry.
    pub arena_bytes: i64,
    /// Bytes that are filled once and kept: factors of products that are constants, packed while
    /// compiling.
    pub prepacked_bytes: i64,
    /// Bytes of them that were filled by the end of the compilation; the rest is in the first call.
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

/// Options of an execution.
#[derive(Clone, Debug, Default)]
pub struct ExecuteOptions {
    /// Threads; 0: as many as the program was compiled for.
    pub threads: usize,
}

struct Point {
    entry: Entry,
    address: usize,
}

/// Machine code in memory, with what it refers to.
pub(crate) struct Linked {
    points: Vec<Point>,
    // The code refers to constants and kept memory: it is dropped first.
    _jit: Jit,
    constants: Vec<Arc<Buffer>>,
    prepacked: Vec<Buffer>,
    /// Code that was linked, without the constants.
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
        for (i, bytes) in code.prepacked.iter().enumerate() {
            let bytes = usize::try_from(*bytes).unwrap_or(usize::MAX);
            let mut buffer = pool().allocate(bytes).map_err(Error::Run)?;
            // Whether it has been filled stands in front.
            let head = bytes.min(64);
            buffer.as_mut_slice()[..head].fill(0);
            symbols.push((
                prepacked_symbol(i),
                buffer.as_mut_slice().as_mut_ptr() as usize,
            ));
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
        let context = Context::unreachable(code.threads);
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
            _jit: jit,
            constants,
            prepacked: kept,
            code,
        })
    }
}

/// A compiled program. It can be called any number of times, also from several threads at once.
pub struct Executable {
    linked: Arc<Linked>,
    context: Context,
    statistics: Statistics,
    /// Data in the infeeds of devices when the next call begins.
    fed: Mutex<Vec<(i64, Vec<u8>)>>,
}

impl Executable {
    /// Compiles `module`, which stays as it is, or takes the code that [`CompileOptions::reuse`]
    /// finds.
    ///
    /// # Errors
    /// What cannot be compiled is diagnosed at its operation.
    pub fn compile(module: Op<'_>, options: &CompileOptions) -> Result<Self> {
        match options.reuse {
            Reuse::Never => Self::compile_with(module, options, &mapwright_codegen::emitters()),
            Reuse::Process | Reuse::Disk(_) => reuse::executable(module, options),
        }
    }

    /// Compiles `module` with these emitters in place of ours, in the order in which they are
    /// tried.
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
            context: Context::unreachable(code.threads),
            statistics: Statistics {
                stages: stages.times,
                regions: code.reports.clone(),
                parts: code.parts.clone(),
                maps: code.maps,
                prepacked_bytes: code.prepacked.iter().sum(),
                packed_bytes: (linked.prepacked.iter().map(Buffer::as_slice))
                    .filter(|memory| is_filled(memory))
                    .map(|memory| memory.len() as i64)
                    .sum(),
                arena_bytes: code.entries.first().map_or(0, |entry| entry.arena_bytes),
                object_bytes: code.objects.iter().map(|object| object.len()).sum(),
            },
            fed: Mutex::default(),
            linked,
        }
    }

    /// The program as bytes for [`Executable::deserialize`], in this or another process of the same
    /// build on a machine of the same kind.
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

    /// Reads what [`Executable::serialize`] wrote. The bytes are machine code that will run: they
    /// must come from somebody who is trusted.
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

    /// The program for calls of so many threads, if it was compiled for another number of them.
    pub fn with_threads(mut self, threads: usize) -> Self {
        if threads != self.linked.code.threads {
            self.context = self.context.with_threads(threads);
        }
        self
    }

    /// Calls take threads and memory of `context` from now on, which several codes share.
    pub(crate) fn set_context(&mut self, context: Context) {
        self.context = context;
    }

    /// Begins the numbers that calls draw at random anew. They follow from the seed, 0 by default,
    /// and go on from call to call.
    pub fn set_seed(&self, seed: u64) {
        self.context.generator().set_seed(seed);
    }

    /// Puts the bytes of a tensor into the infeed of a device, 0 where there is one, behind those
    /// that are there: the next call takes them.
    pub fn feed(&self, device: usize, bytes: &[u8]) {
        let device = i64::try_from(device).unwrap_or(i64::MAX);
        let mut fed = self.fed.lock().unwrap_or_else(PoisonError::into_inner);
        fed.push((device, bytes.to_vec()));
    }

    /// Hands what was fed to the processes of a call.
    ///
    /// # Errors
    /// A device that is none of them, or no memory.
    pub(crate) fn serve(&self, world: &World) -> Result<()> {
        let mut fed = self.fed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = fed.drain(..);
        all.try_for_each(|(device, bytes)| world.send(INFEED, HOST, device, &bytes))
            .map_err(Error::Run)
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

    /// Signature of a function; `None` is the first entry.
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

    /// Statistics of the compilation.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Threads and memory for a call of the first entry with memory of the caller's,
    /// [`Executable::call`].
    pub fn context(&self) -> Context {
        self.context.fork()
    }

    /// Functions that calls of the program call by name, but for LAPACK's: its user registers them.
    pub fn called(&self) -> &[Called] {
        &self.linked.code.called
    }

    /// Pairs (argument, result) of the first entry that may be in the same memory.
    pub fn donations(&self) -> &[(usize, usize)] {
        self.linked
            .points
            .first()
            .map_or(&[], |point| &point.entry.donated)
    }

    /// Calls the first entry on memory of the caller's. `sizes` are those of the arguments, one
    /// after another; `result_sizes` has room for those of the results. Results whose sizes are
    /// known after the call only are given back, with their numbers.
    ///
    /// # Safety
    ///
    /// Arguments and results are as many and as large as the signature and `sizes` say, and aligned
    /// to 64 bytes; results that are given back are null. Nobody writes to the arguments or uses
    /// the results meanwhile. An argument is a result only as [`Executable::donations`] says.
    ///
    /// # Errors
    /// A failure of the program.
    pub unsafe fn call(
        &self,
        context: &Context,
        arguments: &[*const c_void],
        sizes: &[i64],
        results: &mut [*mut c_void],
        result_sizes: &mut [i64],
    ) -> Result<Vec<(usize, Tensor)>> {
        let (point, checks) = (self.point(None)?, self.linked.code.bounds_checks);
        let types = &point.entry.outputs;
        // SAFETY: the caller's promise; what the call made is taken once.
        unsafe {
            let outcome = call(
                point.address,
                checks,
                context,
                arguments,
                sizes,
                results,
                result_sizes,
            );
            let made = computed(context, types, results, result_sizes);
            outcome.map(|()| made)
        }
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

    /// Inputs and outputs kept in place for many calls of one entry. A donated argument is copied
    /// to the memory of its result once: a further call finds there what the last one left.
    ///
    /// # Errors
    /// Inputs that do not fit, or no memory.
    pub fn bind<'e>(
        &'e self,
        name: Option<&str>,
        inputs: &[&'e Tensor],
        options: &ExecuteOptions,
    ) -> Result<Bound<'e>> {
        let views: Vec<View<'e>> = inputs.iter().map(|input| View::from(*input)).collect();
        self.bind_views(name, &views, Vec::new(), options)
    }

    /// As [`Executable::bind`], with arguments in the caller's memory. Results of static shape come
    /// to lie in `lent`, in their order; those for which nothing is lent are [`Bound::outputs`].
    ///
    /// # Errors
    /// Inputs that do not fit, lent memory of another size or that does not lie at a multiple of 64
    /// bytes, or no memory.
    pub fn bind_views<'e>(
        &'e self,
        name: Option<&str>,
        inputs: &[View<'e>],
        lent: Vec<&'e mut [u8]>,
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
        let mut lent = lent.into_iter();
        let mut outputs = (entry.outputs.iter())
            .map(|ty| {
                ty.static_shape()
                    .map(|shape| Place::new(ty, &shape, lent.next()))
                    .transpose()
            })
            .collect::<Result<Vec<_>>>()?;
        let mut arguments: Vec<*const c_void> =
            inputs.iter().map(|t| t.bytes().as_ptr().cast()).collect();
        for (input, output) in &entry.donated {
            // The memory of a donated argument is that of the result, which begins as a copy.
            let view = inputs[*input];
            let place = match outputs[*output].take() {
                Some(place) => outputs[*output].insert(place),
                None => {
                    let own = Tensor::zeros(view.element(), view.shape())?;
                    outputs[*output].insert(Place::Own(own))
                }
            };
            place.bytes_mut().copy_from_slice(view.bytes());
            arguments[*input] = place.bytes_mut().as_ptr().cast();
        }
        let context = match options.threads {
            0 => self.context.fork(),
            n if n == self.linked.code.threads => self.context.fork(),
            n => self.context.with_threads(n),
        };
        self.serve(context.world())?;
        Ok(Bound {
            point: point.address,
            bounds_checks: self.linked.code.bounds_checks,
            types: &entry.outputs,
            arguments,
            argument_sizes: inputs.iter().flat_map(|t| t.shape().to_vec()).collect(),
            memory: CallMemory {
                inputs: inputs.iter().map(|t| t.bytes().len()).sum(),
                outputs: Place::total(&outputs),
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
