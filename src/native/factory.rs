//! Objects are made of LLVM modules while others are still being lowered.
//!
//! Lowering has one thread, that of the MLIR context. LLVM modules have contexts of their own:
//! whatever is lowered is optimised on helping threads from then on, and by the lowering thread too
//! once it has nothing left to lower.

use crate::{
    Error, Result,
    llvm::{FileKind, LlvmModule, Target},
    progress,
};
use inkwell::targets::TargetMachine;
use std::{
    collections::VecDeque,
    ffi::CStr,
    panic::{self, AssertUnwindSafe},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, Scope, ScopedJoinHandle},
};

/// A module, and which of the program's it is.
type Job = (usize, LlvmModule);

/// State of the jobs.
#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    /// No more will come.
    closed: bool,
    done: Vec<(usize, Result<Vec<u8>>)>,
    /// Jobs that were added.
    added: usize,
    /// Names of all jobs, by their numbers.
    names: Vec<String>,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job, waited for; `None` if no more will come.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            match state.waiting.pop_front() {
                None if !state.closed => {
                    state = self
                        .changed
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                next => return next,
            }
        }
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Says that job `i` begins.
    fn tell(&self, i: usize) {
        let state = self.lock();
        let (done, all) = (state.done.len(), state.names.len());
        let name = state.names.get(i).cloned().unwrap_or_default();
        drop(state);
        progress::part((done, all), &name);
    }

    /// Processes jobs until there are no more.
    fn serve(&self, machine: &Result<TargetMachine>) {
        while let Some((i, mut module)) = self.next() {
            self.tell(i);
            let object = match machine {
                Ok(machine) => object(machine, &mut module),
                Err(error) => Err(Error::Native(error.to_string())),
            };
            // The module's memory is given back by this thread, too.
            drop(module);
            self.lock().done.push((i, object));
        }
    }
}

/// Closes the queue when the lowering thread leaves, however it does.
struct Closing<'q>(&'q Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn object(machine: &TargetMachine, module: &mut LlvmModule) -> Result<Vec<u8>> {
    module.optimise(machine)?;
    module.emit(machine, FileKind::Object)
}

/// Entrance through which the lowering thread hands in modules.
pub(crate) struct Factory<'s, 'e> {
    scope: &'s Scope<'s, 'e>,
    queue: &'e Queue,
    target: &'e Target,
    /// Threads beside the lowering one that may be begun yet.
    free: usize,
    helpers: Vec<ScopedJoinHandle<'s, ()>>,
}

impl<'s, 'e> Factory<'s, 'e> {
    /// Begins one more helping thread, if the hardware has one.
    fn help(&mut self) {
        if self.free == 0 {
            return;
        }
        self.free -= 1;
        let (queue, target) = (self.queue, self.target);
        let work = move || {
            let machine = target.machine();
            if let Ok(machine) = &machine {
                warm_up(machine, || {
                    let state = queue.lock();
                    state.closed || !state.waiting.is_empty()
                });
            }
            queue.serve(&machine);
        };
        self.helpers.push(self.scope.spawn(move || {
            // A panic shows as a job that is not done.
            let _ = panic::catch_unwind(AssertUnwindSafe(work));
        }));
    }

    /// Says what the modules will be called that are handed in.
    pub(crate) fn expect(&self, names: Vec<String>) {
        self.queue.lock().names = names;
    }

    /// Module number `i` is ready for LLVM.
    pub(crate) fn add(&mut self, i: usize, module: LlvmModule) {
        let mut state = self.queue.lock();
        state.waiting.push_back((i, module));
        state.added += 1;
        let busy = state.waiting.len() > 1;
        drop(state);
        self.queue.changed.notify_one();
        if busy {
            self.help();
        }
    }

    /// Helps until all modules are done.
    pub(crate) fn finish(&mut self) {
        self.queue.close();
        if !self.queue.lock().waiting.is_empty() {
            self.queue.serve(&self.target.machine());
        }
        for helper in self.helpers.drain(..) {
            // It has caught its panics.
            let _ = helper.join();
        }
    }
}

/// Lets `lower` hand in modules: what it returns, and the objects by the numbers of the modules,
/// which are `0`, `1`, ….
///
/// # Errors
/// Those of `lower`, and what LLVM cannot compile.
pub(crate) fn work<T>(
    target: &Target,
    lower: impl FnOnce(&mut Factory<'_, '_>) -> Result<T>,
) -> Result<(T, Vec<Vec<u8>>)> {
    let queue = Queue::default();
    let hardware = thread::available_parallelism().map_or(1, usize::from);
    let lowered = thread::scope(|scope| {
        let _closing = Closing(&queue);
        let mut factory = Factory {
            scope,
            queue: &queue,
            target,
            free: hardware - 1,
            helpers: Vec::new(),
        };
        factory.help();
        lower(&mut factory)
    })?;
    let mut state = queue
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    if state.done.len() < state.added {
        return Err(Error::Native("a compilation thread panicked".into()));
    }
    state.done.sort_by_key(|(i, _)| *i);
    let objects = state.done.into_iter().map(|(_, object)| object);
    Ok((lowered, objects.collect::<Result<_>>()?))
}

/// A kernel with a bit of most things that kernels have.
const SAMPLE: &CStr =
    match CStr::from_bytes_with_nul(concat!(include_str!("sample.ll"), "\0").as_bytes()) {
        Ok(text) => text,
        Err(_) => c"",
    };

/// Compiles a sample, once a process, while the first program is lowered. LLVM takes half as long
/// again for the first module as for the next one: code is read from its library, functions are
/// looked up in it, tables are filled. `stop` says that there is better to do.
fn warm_up(machine: &TargetMachine, stop: impl Fn() -> bool) {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.swap(true, Ordering::Relaxed) || stop() {
        return;
    }
    let Ok(mut module) = LlvmModule::parse(SAMPLE) else {
        return;
    };
    // Nobody needs the sample: whether it can be compiled does not matter.
    if module.optimise(machine).is_ok() && !stop() {
        let _ = module.emit(machine, FileKind::Object);
    }
}
