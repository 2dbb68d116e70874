//! A program that is called with arguments of different sizes.
//!
//! [`Model`] compiles for the shapes of the arguments, once for each, and keeps the codes that were
//! used last. A program that is called with always new shapes would spend its time in the compiler:
//! from the eighth new one on its calls use code for any size, which is compiled once, while the
//! special code is made on a thread beside.

mod code_cache;
mod program;

use crate::{
    CompileOptions, Error, Executable, ExecuteOptions, Result, Signature, Tensor, run_time_inputs,
    tensor::admits,
};
use code_cache::{Code, CodeCache, Shapes};
use mapwright_mlir::{Op, nesting, pass};
use mapwright_runtime::Context;
use program::Program;
use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Shapes that wait for the thread beside; of more the oldest are forgotten, and asked for again by
/// the next call with them.
const MOST_WAITING: usize = 16;

/// Options of the compilations of a [`Model`].
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// Of each compilation; the entry is the model's.
    pub compile: CompileOptions,
    /// Compile for the shapes of arguments, or once for all sizes.
    pub specializes: bool,
    /// Codes for single shapes that are kept: those that were used last.
    pub cached_codes: usize,
    /// Bytes of code, constants and packed factors that the kept codes may take together; one is
    /// kept whatever it takes.
    pub cached_bytes: u64,
    /// From which new shape on calls use code for any size, counted from 1; shapes that are kept
    /// are not new.
    pub any_size_from: usize,
    /// Every call waits for the code for its shapes, however many there were.
    pub waits: bool,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            compile: CompileOptions::default(),
            specializes: true,
            cached_codes: 64,
            cached_bytes: 4 << 30,
            any_size_from: 8,
            waits: false,
        }
    }
}

/// The kind of code that a call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// The program has static shapes, or is called in one way only.
    Static,
    /// Made for the shapes of the arguments.
    Special,
    /// Made for every size that the types allow.
    AnySize,
}

impl CodeKind {
    /// In words, as `mapwright run --json` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Special => "special",
            Self::AnySize => "any-size",
        }
    }
}

/// The code for a call.
#[derive(Clone)]
pub struct Prepared {
    /// The code; its only entry is the model's.
    pub executable: Arc<Executable>,
    /// Kind of the code, by the sizes that it was made for.
    pub kind: CodeKind,
    /// Time that this call had to wait for the compiler; zero where the code was there.
    pub waited: Duration,
}

/// The code for any size.
enum AnySize {
    None,
    InWork,
    Ready(Arc<Executable>),
    /// Some program has code for single shapes only.
    Refused,
}

struct State {
    codes: CodeCache,
    any_size: AnySize,
    /// Shapes so far for which there was no code.
    new_shapes: usize,
    /// For the thread beside.
    waiting: VecDeque<Shapes>,
    /// The thread beside is there.
    works: bool,
}

struct Shared {
    entry: String,
    options: ModelOptions,
    /// Its memory is that of all calls.
    context: Context,
    program: Mutex<Program>,
    state: Mutex<State>,
    changed: Condvar,
}

struct Only {
    executable: Arc<Executable>,
    kind: CodeKind,
    /// Time of compiling, which the first call is told.
    waited: Mutex<Duration>,
}

/// A program that is called with arguments of different sizes, also from several threads at once.
pub struct Model {
    shared: Arc<Shared>,
    signature: Signature,
    /// Code for all calls, where there is one.
    only: Option<Only>,
    beside: Mutex<Option<JoinHandle<()>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Compiles; a panic is an error.
    fn compile(&self, shapes: Option<&Shapes>) -> Result<Arc<Executable>> {
        let shapes: Option<Vec<&[i64]>> =
            shapes.map(|shapes| shapes.iter().map(Vec::as_slice).collect());
        let work =
            || lock(&self.program).compile(&self.entry, shapes.as_deref(), &self.options.compile);
        match pass::guard(work) {
            Ok(compiled) => compiled.map(|mut executable| {
                executable.set_context(self.context.fork());
                Arc::new(executable)
            }),
            Err(message) => Err(Error::Native(format!("internal error: {message}"))),
        }
    }

    /// The code for any size, compiled by the first who asks, and whether this call had to wait for
    /// it; `None` where there is none.
    fn any_size(&self) -> (Option<Arc<Executable>>, bool) {
        let mut waits = false;
        let mut state = lock(&self.state);
        loop {
            match &state.any_size {
                AnySize::Ready(executable) => return (Some(Arc::clone(executable)), waits),
                AnySize::Refused => return (None, waits),
                AnySize::None => break,
                AnySize::InWork => {
                    waits = true;
                    state = self.wait(state);
                }
            }
        }
        state.any_size = AnySize::InWork;
        drop(state);
        let compiled = self.compile(None).ok();
        let mut state = lock(&self.state);
        state.any_size = match &compiled {
            Some(executable) => AnySize::Ready(Arc::clone(executable)),
            None => AnySize::Refused,
        };
        self.changed.notify_all();
        (compiled, true)
    }

    /// The code for these shapes, which is marked as in work, compiled by the caller.
    fn special(&self, shapes: &Shapes) -> Result<Arc<Executable>> {
        let compiled = self.compile(Some(shapes));
        let mut state = lock(&self.state);
        match &compiled {
            Ok(executable) => {
                let code = Code::Ready(Arc::clone(executable));
                state.codes.set(shapes.clone(), code);
            }
            // Shapes that the program refuses are no reason to prepare for more of them.
            Err(_) => {
                state.codes.remove(shapes);
                state.new_shapes -= 1;
            }
        }
        self.changed.notify_all();
        compiled
    }

    /// Compiles, on the thread beside, for the shapes that wait, until none does.
    fn work_beside(&self) {
        let mut state = lock(&self.state);
        while let Some(shapes) = state.waiting.pop_front() {
            drop(state);
            let compiled = self.compile(Some(&shapes));
            state = lock(&self.state);
            let code = compiled.map_or(Code::Refused, Code::Ready);
            state.codes.set(shapes, code);
            self.changed.notify_all();
        }
        state.works = false;
        self.changed.notify_all();
    }
}

/// A call with arguments of these shapes, as the state says.
enum Way {
    Ready(Arc<Executable>),
    /// The caller compiles for them.
    Special,
    AnySize,
}

impl Model {
    /// A copy of `module`, of which the function `entry` is called. What does not depend on the
    /// shapes of arguments is compiled now.
    ///
    /// # Errors
    /// No such function; a program that cannot be compiled, where that is seen before the first
    /// call.
    pub fn new(module: Op<'_>, entry: &str, options: ModelOptions) -> Result<Self> {
        let mut options = options;
        options.compile.entries = vec![entry.to_owned()];
        let specializes = options.specializes && run_time_inputs(module, entry).is_some();
        let program = Program::new(module)?;
        let signature = program.signature(entry).filter(|_| specializes);
        let shared = Arc::new(Shared {
            entry: entry.to_owned(),
            context: Context::new(options.compile.threads),
            state: Mutex::new(State {
                codes: CodeCache::new(options.cached_codes, options.cached_bytes),
                any_size: AnySize::None,
                new_shapes: 0,
                waiting: VecDeque::new(),
                works: false,
            }),
            options,
            program: Mutex::new(program),
            changed: Condvar::new(),
        });
        let (signature, only) = match signature {
            Some(signature) => (signature, None),
            None => {
                let start = Instant::now();
                let executable = shared.compile(None)?;
                let signature = executable.signature(Some(entry))?;
                let mut inputs = signature.inputs.iter();
                let kind = if inputs.all(|ty| ty.static_shape().is_some()) {
                    CodeKind::Static
                } else {
                    CodeKind::AnySize
                };
                let waited = start.elapsed();
                (signature, Some((executable, kind, waited)))
            }
        };
        Ok(Self {
            shared,
            signature,
            only: only.map(|(executable, kind, waited)| Only {
                executable,
                kind,
                waited: Mutex::new(waited),
            }),
            beside: Mutex::new(None),
        })
    }

    /// Signature of the program.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Begins the numbers that calls draw at random anew, as [`Executable::set_seed`] does; all
    /// codes draw from one generator.
    pub fn set_seed(&self, seed: u64) {
        self.shared.context.generator().set_seed(seed);
    }

    /// Number of codes for single shapes.
    pub fn cached_codes(&self) -> usize {
        lock(&self.shared.state).codes.ready()
    }

    /// The code for arguments of these shapes; compiled now where that is the way.
    ///
    /// # Errors
    /// Shapes that do not fit the types or that the program refuses; what cannot be compiled.
    pub fn prepare(&self, shapes: &[&[i64]]) -> Result<Prepared> {
        if let Some(only) = &self.only {
            return Ok(Prepared {
                executable: Arc::clone(&only.executable),
                kind: only.kind,
                waited: std::mem::take(&mut *lock(&only.waited)),
            });
        }
        self.check(shapes)?;
        let shapes: Shapes = shapes.iter().map(|shape| shape.to_vec()).collect();
        let start = Instant::now();
        let mut waits = false;
        let (executable, kind) = match self.way(&shapes, &mut waits) {
            Way::Ready(executable) => (executable, CodeKind::Special),
            Way::Special => {
                waits = true;
                (self.shared.special(&shapes)?, CodeKind::Special)
            }
            Way::AnySize => {
                let (found, compiles) = self.shared.any_size();
                waits |= compiles;
                match found {
                    Some(executable) => (executable, CodeKind::AnySize),
                    // There is no other code than that for the shapes.
                    None => return self.prepare_alone(shapes, start),
                }
            }
        };
        let waited = if waits {
            start.elapsed()
        } else {
            Duration::ZERO
        };
        Ok(Prepared {
            executable,
            kind,
            waited,
        })
    }

    /// Calls the program.
    ///
    /// # Errors
    /// As [`Model::prepare`]; inputs that do not fit, or a failure of the program.
    pub fn call(
        &self,
        inputs: &[&Tensor],
        options: &ExecuteOptions,
    ) -> Result<(Vec<Tensor>, CodeKind)> {
        let shapes: Vec<&[i64]> = inputs.iter().map(|input| input.shape()).collect();
        let prepared = self.prepare(&shapes)?;
        let outputs =
            prepared
                .executable
                .execute_entry(Some(&self.shared.entry), inputs, options)?;
        Ok((outputs, prepared.kind))
    }

    /// Waits until nothing is compiled on the thread beside.
    pub fn settle(&self) {
        let mut state = lock(&self.shared.state);
        while state.works {
            state = self.shared.wait(state);
        }
    }

    /// Shapes that no argument may have are an error before anything is compiled for them.
    fn check(&self, shapes: &[&[i64]]) -> Result<()> {
        let (entry, types) = (&self.shared.entry, &self.signature.inputs);
        if shapes.len() != types.len() {
            return Err(Error::Input(format!(
                "@{entry} takes {} tensors, not {}",
                types.len(),
                shapes.len()
            )));
        }
        for (i, (shape, ty)) in shapes.iter().zip(types).enumerate() {
            if !admits(ty, shape) {
                return Err(Error::Input(format!(
                    "argument {i} of @{entry} is of type {ty}; a tensor of shape {shape:?} does not fit",
                )));
            }
        }
        Ok(())
    }

    /// Chooses the code that a call runs. Code that the call has to compile itself is marked as in
    /// work; `waits` says whether it waited for another call.
    fn way(&self, shapes: &Shapes, waits: &mut bool) -> Way {
        let options = &self.shared.options;
        let mut state = lock(&self.shared.state);
        loop {
            match state.codes.find(shapes) {
                Some(Code::Ready(executable)) => return Way::Ready(Arc::clone(executable)),
                Some(Code::InWork { beside: false }) => {
                    *waits = true;
                    state = self.shared.wait(state);
                }
                Some(Code::InWork { beside: true } | Code::Refused) => return Way::AnySize,
                None => break,
            }
        }
        state.new_shapes += 1;
        let is_any = state.new_shapes >= options.any_size_from
            && !options.waits
            && !matches!(state.any_size, AnySize::Refused);
        if !is_any {
            state
                .codes
                .set(shapes.clone(), Code::InWork { beside: false });
            return Way::Special;
        }
        // What is not kept is not worth compiling.
        if options.cached_codes > 0 {
            self.ask(&mut state, shapes);
        }
        Way::AnySize
    }

    /// Asks the thread beside to compile for `shapes`.
    fn ask(&self, state: &mut State, shapes: &Shapes) {
        state
            .codes
            .set(shapes.clone(), Code::InWork { beside: true });
        state.waiting.push_back(shapes.clone());
        if state.waiting.len() > MOST_WAITING
            && let Some(oldest) = state.waiting.pop_front()
        {
            state.codes.remove(&oldest);
        }
        if state.works {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new()
            .name("mapwright-beside".into())
            .stack_size(nesting::stack().max(64 << 20))
            .spawn(move || shared.work_beside());
        match thread {
            Ok(thread) => {
                state.works = true;
                *lock(&self.beside) = Some(thread);
            }
            // Code for any size does for them until there is a thread.
            Err(_) => {
                for shapes in state.waiting.drain(..) {
                    state.codes.remove(&shapes);
                }
            }
        }
    }

    /// The code for these shapes where there is none for any size.
    fn prepare_alone(&self, shapes: Shapes, start: Instant) -> Result<Prepared> {
        let mut state = lock(&self.shared.state);
        let executable = loop {
            match state.codes.find(&shapes) {
                Some(Code::Ready(executable)) => break Arc::clone(executable),
                Some(Code::InWork { .. }) => state = self.shared.wait(state),
                // The caller learns why.
                Some(Code::Refused) | None => {
                    let code = Code::InWork { beside: false };
                    state.codes.set(shapes.clone(), code);
                    state.new_shapes += 1;
                    drop(state);
                    break self.shared.special(&shapes)?;
                }
            }
        };
        Ok(Prepared {
            executable,
            kind: CodeKind::Special,
            waited: start.elapsed(),
        })
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        lock(&self.shared.state).waiting.clear();
        if let Some(thread) = lock(&self.beside).take() {
            // A panic on it has been made an error.
            let _ = thread.join();
        }
    }
}
