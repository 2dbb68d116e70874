//! From a program to an executable.

use crate::{
    client::KINDS,
    element::Element,
    layout::Shape,
    options::Options,
    partition::{Shardings, partitioned},
    status::{Code, Result, Status},
    topology::{fingerprint, platform_version},
};
use mapwright_mlir::{
    Op,
    artifact::{Version, is_artifact, version_of},
    attr, context,
    diagnostic::Diagnostics,
    nesting, op,
};
use mapwright_native::{Called, CompileOptions, Executable, Reuse, ScatterWindows};
use mapwright_normalize::tokens;
use mapwright_runtime::{custom_call, floating_point::as_specified};
use std::sync::{Arc, atomic::AtomicU64};

/// First bytes of bytecode of MLIR, portable artifacts among it.
const BYTECODE: &[u8] = b"ML\xefR";

/// A compiled program, with what is asked of it answered beforehand.
pub(crate) struct Compiled {
    pub(crate) native: Executable,
    pub(crate) name: String,
    pub(crate) options: Options,
    pub(crate) inputs: Vec<Arc<Shape>>,
    pub(crate) outputs: Vec<Arc<Shape>>,
    /// Sizes of all arguments, one after another.
    pub(crate) sizes: Vec<i64>,
    /// For each argument, whether the call gives it up, and to which result.
    pub(crate) donated: Vec<Donation>,
    /// Kinds of memory, by their numbers.
    pub(crate) input_kinds: Vec<usize>,
    pub(crate) output_kinds: Vec<usize>,
    pub(crate) shardings: Shardings,
    /// Functions of the user's are called while it runs.
    pub(crate) calls_back: bool,
    /// The program of one device, if there are several.
    pub(crate) of_device: Option<Vec<u8>>,
    /// The program and the options as they came.
    pub(crate) program: Vec<u8>,
    pub(crate) option_bytes: Vec<u8>,
    pub(crate) fingerprint: String,
    /// Duration of the last call, in nanoseconds.
    pub(crate) last: AtomicU64,
}

/// Fate of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Donation {
    Kept,
    /// It is not used any more afterwards.
    Given,
    /// Its memory may be that of a result.
    To(usize),
}

/// Compiles a program for so many threads.
///
/// # Errors
/// A program of a format that is not read, one that is not valid, or one that cannot be compiled;
/// options that do not exist.
pub(crate) fn compile(
    program: &[u8],
    format: &str,
    option_bytes: &[u8],
    threads: usize,
) -> Result<Compiled> {
    if format != "mlir" {
        return Err(Status::unimplemented(format!(
            "programs of format {format:?} are not read, but \"mlir\" is: torch_xla hands that over with XLA_STABLEHLO_COMPILE=1"
        )));
    }
    apart(|| built(program, None, option_bytes, threads))
}

/// As [`compile`], with the code that was made of the program before.
///
/// # Errors
/// Code that is damaged, of another build, or for another machine; otherwise as [`compile`].
pub(crate) fn load(
    program: &[u8],
    code: &[u8],
    option_bytes: &[u8],
    threads: usize,
) -> Result<Compiled> {
    apart(|| built(program, Some(code), option_bytes, threads))
}

/// Runs some work on a thread with room for programs that are nested deeply.
fn apart<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    // The stack is taken as it is used.
    let stack = nesting::stack().max(1 << 30);
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("mapwright-compile".into())
            .stack_size(stack)
            .spawn_scoped(scope, || {
                // Constants are folded here.
                let _environment = as_specified();
                work()
            })
            .map_err(|error| {
                let message = format!("cannot start a thread to compile on: {error}");
                Status::new(Code::ResourceExhausted, message)
            })?
            .join()
            .map_err(|panic| {
                let said = crate::border::text_of(panic.as_ref());
                Status::internal(format!("internal error while compiling: {said}"))
            })?
    })
}

fn built(
    program: &[u8],
    code: Option<&[u8]>,
    option_bytes: &[u8],
    threads: usize,
) -> Result<Compiled> {
    let options = Options::read(option_bytes)?;
    let context = context::reused(program.len());
    let diagnostics = Diagnostics::to_text(&context);
    let said = |code| Status::new(code, diagnostics.take().trim_end());
    if program.starts_with(BYTECODE) && !is_artifact(program) {
        return Err(Status::invalid(
            "this bytecode is no portable artifact of StableHLO",
        ));
    }
    let module = diagnostics
        .parse("program", program)
        .map_err(|_| said(Code::InvalidArgument))?;
    let root = Op::new(module.as_operation());
    let (shardings, of_device) = match options.partitions {
        1 => (Shardings::default(), None),
        several => {
            let version = version_of(program).unwrap_or(Version::NEWEST);
            let main = main_of(root)?;
            let (shardings, program) = partitioned(root, main, several, version, said)?;
            (shardings, Some(program))
        }
    };
    let main = main_of(root)?;
    tokens::as_arrays(main);
    let calls = root.descendants().into_iter();
    calls
        .filter(|op| is_of_the_users(*op))
        .for_each(tokens::note);
    let native = match code {
        Some(code) => Executable::deserialize(code)
            .map_err(|error| Status::new(Code::FailedPrecondition, error.to_string()))?
            .with_threads(threads),
        None => {
            let compile = CompileOptions {
                entries: vec!["main".into()],
                threads,
                reuse: Reuse::from_environment(),
                // As JAX expects it.
                scatter_windows: ScatterWindows::Whole,
                ..CompileOptions::default()
            };
            Executable::compile(root, &compile).map_err(|error| match error {
                mapwright_native::Error::Diagnosed(_) => said(Code::Unimplemented),
                other => other.into(),
            })?
        }
    };
    let is_there = |target: &str| custom_call::find(target).is_some();
    if let Some(missing) = (native.called().iter()).find(|called| !is_there(&called.target)) {
        let Called { target, place } = missing;
        return Err(Status::unimplemented(format!(
            "no function is registered for the custom call of {target:?} at {place}"
        )));
    }
    let signature = native.signature(None)?;
    let shapes = |types: &[mapwright_mlir::TensorType]| {
        let shape = |ty: &mapwright_mlir::TensorType| {
            let element = Element::named(&ty.element.to_string());
            match (element, ty.bounding_shape()) {
                (Some(element), Some(dims)) => {
                    let fixed = ty.dims.iter().map(|dim| dim.fixed());
                    let bounded = fixed.enumerate().filter(|(_, size)| size.is_none());
                    Shape::bounded(element, &dims, bounded.map(|(axis, _)| axis).collect())
                }
                _ => Err(Status::unimplemented(format!(
                    "arguments and results of type {ty}"
                ))),
            }
        };
        types.iter().map(shape).collect::<Result<Vec<_>>>()
    };
    let (inputs, outputs) = (shapes(&signature.inputs)?, shapes(&signature.outputs)?);
    let arguments = attributes(main, "arg_attrs", inputs.len());
    let results = attributes(main, "res_attrs", outputs.len());
    // What is offered, and could be the memory of a result, is given up; anything else is kept, as
    // by XLA.
    let mut left: Vec<usize> = (0..outputs.len())
        .filter(|output| !native.donations().iter().any(|(_, to)| to == output))
        .collect();
    let mut takes = |bytes: usize| {
        let at = left
            .iter()
            .position(|output| outputs[*output].bytes == bytes);
        at.map(|at| left.remove(at)).is_some()
    };
    let donated = (0..inputs.len()).map(|i| {
        let to = native.donations().iter().find(|(input, _)| *input == i);
        match to {
            Some((_, output)) => Donation::To(*output),
            None if arguments.has(i, "tf.aliasing_output") => Donation::Given,
            None if arguments.has(i, "jax.buffer_donor") && takes(inputs[i].bytes) => {
                Donation::Given
            }
            None => Donation::Kept,
        }
    });
    let donated: Vec<Donation> = donated.collect();
    let pieces = [platform_version().as_bytes(), program, option_bytes];
    Ok(Compiled {
        name: root.string("sym_name").unwrap_or_else(|| "main".into()),
        sizes: inputs
            .iter()
            .flat_map(|shape| shape.dims.to_vec())
            .collect(),
        donated,
        input_kinds: arguments.kinds()?,
        output_kinds: results.kinds()?,
        shardings,
        calls_back: !native.called().is_empty(),
        of_device,
        program: program.to_vec(),
        option_bytes: option_bytes.to_vec(),
        fingerprint: format!("{:016x}", fingerprint(pieces)),
        last: AtomicU64::new(0),
        native,
        options,
        inputs,
        outputs,
    })
}

/// The function that is called.
fn main_of(root: Op<'_>) -> Result<Op<'_>> {
    let functions = root.body(0).map(op::ops).unwrap_or_default();
    let main = functions
        .into_iter()
        .find(|op| op.string("sym_name").as_deref() == Some("main"));
    main.ok_or_else(|| Status::invalid("the program has no function @main"))
}

/// Tells whether it calls a function that the program's user registered.
fn is_of_the_users(op: Op<'_>) -> bool {
    let target = op.string("call_target_name");
    target.is_some_and(|target| custom_call::find(&target).is_some())
}

/// The dictionaries of arguments or of results.
struct Attributes<'c>(Vec<Option<mapwright_mlir::Attr<'c>>>);

/// The dictionaries of the tensors among a function's arguments or results.
fn attributes<'c>(function: Op<'c>, name: &str, count: usize) -> Attributes<'c> {
    let listed = function.attribute(name).and_then(attr::array);
    let mut all: Vec<_> = listed.unwrap_or_default().into_iter().map(Some).collect();
    all.resize(count, None);
    Attributes(all)
}

impl Attributes<'_> {
    fn has(&self, i: usize, name: &str) -> bool {
        self.0[i].is_some_and(|dictionary| attr::entry(dictionary, name).is_some())
    }

    /// The kinds of memory.
    ///
    /// # Errors
    /// A kind that does not exist.
    fn kinds(&self) -> Result<Vec<usize>> {
        let kind = |dictionary: &Option<_>| {
            let named = dictionary.and_then(|all| attr::entry(all, "mhlo.memory_kind"));
            let Some(named) = named.and_then(attr::string) else {
                return Ok(0);
            };
            let found = KINDS.iter().position(|kind| *kind == named);
            found.ok_or_else(|| Status::invalid(format!("there is no memory of kind {named:?}")))
        };
        self.0.iter().map(kind).collect()
    }
}
