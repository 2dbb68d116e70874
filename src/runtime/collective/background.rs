//! Collectives that run on a thread of their own, while their process computes something else.
//!
//! They run one after the other, in the order in which they were started, and a collective that is
//! not started waits for all of them: what two processes send each other has one order.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::World;
use crate::error::{Error, Result};
use crate::pool::lock;

type Job = Box<dyn FnOnce() -> Result<()> + Send>;

/// Collectives that were started, by process.
pub(super) type Backgrounds = Mutex<BTreeMap<usize, Arc<Background>>>;

/// Time after which a thread that has nothing to do ends.
const IDLE: Duration = Duration::from_secs(1);

/// The collectives that a process started.
#[derive(Default)]
pub(super) struct Background {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    /// Number of those that wait or run.
    under_way: usize,
    /// The first failure; nothing is run after it until it is told.
    failure: Option<Error>,
    has_thread: bool,
}

impl Background {
    fn start(self: &Arc<Self>, job: Job) -> Result<()> {
        let mut state = lock(&self.state);
        if !state.has_thread {
            let own = Arc::clone(self);
            let builder = thread::Builder::new().name("mapwright-collectives".into());
            state.has_thread = builder.spawn(move || own.run()).is_ok();
        }
        if !state.has_thread {
            // Where there is no thread to be had nothing is under way.
            drop(state);
            return job();
        }
        state.under_way += 1;
        state.waiting.push_back(job);
        self.changed.notify_all();
        Ok(())
    }

    fn run(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some(job) = state.waiting.pop_front() {
                let is_given_up = state.failure.is_some();
                drop(state);
                let outcome = if is_given_up {
                    Ok(())
                } else {
                    let outcome = catch_unwind(AssertUnwindSafe(job));
                    outcome.unwrap_or_else(|panic| Err(Error::from_panic(panic.as_ref())))
                };
                state = lock(&self.state);
                state.under_way -= 1;
                if let Err(error) = outcome {
                    state.failure.get_or_insert(error);
                }
                self.changed.notify_all();
                continue;
            }
            let waited = self.changed.wait_timeout(state, IDLE);
            let (next, waited) = waited.unwrap_or_else(PoisonError::into_inner);
            state = next;
            if waited.timed_out() && state.waiting.is_empty() {
                state.has_thread = false;
                return;
            }
        }
    }

    fn wait(&self, at_most: usize) -> Result<()> {
        let mut state = lock(&self.state);
        while state.under_way > at_most {
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        let failure = match state.under_way {
            0 => state.failure.take(),
            _ => state.failure.clone(),
        };
        failure.map_or(Ok(()), Err)
    }
}

impl World {
    /// Lets collectives that are started run beside what their process computes; without it they
    /// run at once. It needs a processor that computes nothing.
    #[must_use]
    pub fn overlapping(self, overlaps: bool) -> World {
        World { overlaps, ..self }
    }

    /// Tells whether collectives that are started run beside what their process computes.
    pub(crate) fn overlaps(&self) -> bool {
        self.overlaps
    }

    /// Starts a collective of a process.
    ///
    /// # Errors
    /// Those of the collective, where it runs at once; else [`World::wait`] has them.
    pub fn start(
        &self,
        process: usize,
        collective: impl FnOnce() -> Result<()> + Send + 'static,
    ) -> Result<()> {
        if !self.overlaps {
            return collective();
        }
        let background = Arc::clone(lock(&self.backgrounds).entry(process).or_default());
        background.start(Box::new(collective))
    }

    /// Waits until at most so many of the collectives that a process started are under way.
    ///
    /// # Errors
    /// The first failure of those that were started.
    pub fn wait(&self, process: usize, at_most: usize) -> Result<()> {
        if !self.overlaps {
            return Ok(());
        }
        let background = lock(&self.backgrounds).get(&process).cloned();
        background.map_or(Ok(()), |background| background.wait(at_most))
    }
}
