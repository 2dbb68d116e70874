//! The queues of devices: threads that run programs beside their callers.
//!
//! What is queued never waits: a program comes here when all that it reads is there. So one thread
//! a device is enough, whatever depends on what. Programs that call back to their user, or that run
//! together with others, may wait, and get threads of their own.

use crate::border::text_of;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        mpsc::{Sender, channel},
    },
    thread::JoinHandle,
};

/// Room for the code of a program, which keeps scratch on the stack.
const STACK: usize = 64 << 20;

type Work = Box<dyn FnOnce() + Send>;

/// A thread that is started with the first work that it gets.
pub(crate) struct Queue {
    device: usize,
    thread: Mutex<Option<(Sender<Work>, JoinHandle<()>)>>,
}

impl Queue {
    pub(crate) fn new(device: usize) -> Self {
        Self {
            device,
            thread: Mutex::new(None),
        }
    }

    /// Runs `work` after what was queued before; on this thread if there cannot be another.
    pub(crate) fn push(&self, work: impl FnOnce() + Send + 'static) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (send, receive) = channel::<Work>();
            let body = move || receive.iter().for_each(guarded);
            let name = format!("mapwright-device-{}", self.device);
            let builder = std::thread::Builder::new().name(name).stack_size(STACK);
            *thread = builder.spawn(body).ok().map(|handle| (send, handle));
        }
        let work: Work = Box::new(work);
        let refused = match &*thread {
            Some((send, _)) => send.send(work).err().map(|back| back.0),
            None => Some(work),
        };
        drop(thread);
        if let Some(work) = refused {
            guarded(work);
        }
    }
}

impl Drop for Queue {
    /// Runs what is queued before the queue is gone.
    fn drop(&mut self) {
        let thread = self
            .thread
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((send, handle)) = thread.take() {
            drop(send);
            // The last object of a client may go on its own thread.
            if handle.thread().id() != std::thread::current().id() {
                let _ = handle.join();
            }
        }
    }
}

/// Runs `work` on a thread of its own; on this one if there cannot be another.
pub(crate) fn apart(work: impl FnOnce() + Send + 'static) {
    let work = std::sync::Arc::new(Mutex::new(Some(Box::new(work) as Work)));
    let own = std::sync::Arc::clone(&work);
    let take =
        |work: &Mutex<Option<Work>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let builder = std::thread::Builder::new()
        .name("mapwright-call".into())
        .stack_size(STACK);
    let spawned = builder.spawn(move || take(&own).map_or((), guarded));
    if spawned.is_err()
        && let Some(work) = take(&work)
    {
        guarded(work);
    }
}

/// A panic ends the work, not the thread; whoever waits for the work has made sure to hear of it.
fn guarded(work: Work) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
        let _ = text_of(panic.as_ref());
    }
}
