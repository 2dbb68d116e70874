//! Events: what will be there, and whether it came well.

use crate::{border::Handle, status::Result};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

type Waiting = Box<dyn FnOnce(&Result<()>) + Send>;

enum State {
    Pending(Vec<Waiting>),
    Done,
}

/// Something that happens once. Whoever waits for it is called without any lock held, so that it
/// may come back.
pub(crate) struct Ready {
    outcome: OnceLock<Result<()>>,
    state: Mutex<State>,
    wake: Condvar,
}

impl Ready {
    /// Makes an event that will happen.
    pub(crate) fn pending() -> Arc<Self> {
        Arc::new(Self {
            outcome: OnceLock::new(),
            state: Mutex::new(State::Pending(Vec::new())),
            wake: Condvar::new(),
        })
    }

    /// Returns the event that has happened already; all of these are one.
    pub(crate) fn done() -> Arc<Self> {
        static DONE: OnceLock<Arc<Ready>> = OnceLock::new();
        Arc::clone(DONE.get_or_init(|| Self::with(Ok(()))))
    }

    /// Makes an event that has happened already, with this outcome.
    pub(crate) fn with(outcome: Result<()>) -> Arc<Self> {
        Arc::new(Self {
            outcome: outcome.into(),
            state: Mutex::new(State::Done),
            wake: Condvar::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It has happened. Only the first time counts.
    pub(crate) fn set(&self, outcome: Result<()>) {
        let waiting = {
            let mut state = self.state();
            if self.outcome.set(outcome).is_err() {
                return;
            }
            std::mem::replace(&mut *state, State::Done)
        };
        self.wake.notify_all();
        if let (State::Pending(waiting), Some(outcome)) = (waiting, self.outcome.get()) {
            for call in waiting {
                call(outcome);
            }
        }
    }

    /// Returns the outcome, if it has happened.
    pub(crate) fn outcome(&self) -> Option<&Result<()>> {
        self.outcome.get()
    }

    /// Calls `work` when it has happened: at once if it has.
    pub(crate) fn then(&self, work: impl FnOnce(&Result<()>) + Send + 'static) {
        {
            let mut state = self.state();
            if let State::Pending(waiting) = &mut *state {
                waiting.push(Box::new(work));
                return;
            }
        }
        if let Some(outcome) = self.outcome.get() {
            work(outcome);
        }
    }

    /// Waits until it has happened.
    pub(crate) fn wait(&self) -> Result<()> {
        let mut state = self.state();
        loop {
            if let Some(outcome) = self.outcome.get() {
                return outcome.clone();
            }
            state = self
                .wake
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// An event as C keeps it.
pub(crate) struct Event(pub(crate) Arc<Ready>);

impl Event {
    pub(crate) fn give(ready: Arc<Ready>) -> Handle<Self> {
        Handle::give(Self(ready))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;
    use std::sync::mpsc::channel;

    #[test]
    fn who_waits_is_called_once_and_may_come_back() {
        let ready = Ready::pending();
        let (send, receive) = channel();
        let again = Arc::clone(&ready);
        ready.then(move |outcome| {
            let inner = send.clone();
            // A second one, from within: the lock is free.
            again.then(move |_| inner.send(2).unwrap());
            assert!(outcome.is_ok());
            send.send(1).unwrap();
        });
        assert!(ready.outcome().is_none());
        ready.set(Ok(()));
        ready.set(Err(Status::internal("too late")));
        assert_eq!(receive.iter().collect::<Vec<_>>(), [2, 1]);
        assert!(ready.wait().is_ok());
    }

    #[test]
    fn who_waits_on_another_thread_gets_the_reason() {
        let ready = Ready::pending();
        let other = Arc::clone(&ready);
        let thread = std::thread::spawn(move || other.wait());
        ready.set(Err(Status::invalid("because")));
        assert_eq!(thread.join().unwrap().unwrap_err().message(), "because");
    }
}
