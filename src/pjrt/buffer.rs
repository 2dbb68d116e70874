//! Buffers: arrays on a device.

use crate::{
    border::{
        Handle,
        block::{Block, Reading},
    },
    client::{KINDS, Shared},
    event::Ready,
    layout::Shape,
    status::{Result, Status},
};
use std::{
    ffi::c_void,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

/// Memory of a buffer at the moment.
struct State {
    /// Block of memory; `None` once the buffer was deleted or donated.
    block: Option<Arc<Block>>,
    /// Views of the memory that others have, which stays for them.
    external: usize,
    held: Option<Arc<Block>>,
}

/// The shape of an array. Where sizes are bounded only, it is known when the array is computed.
#[derive(Clone)]
pub(crate) enum Actual {
    Known(Arc<Shape>),
    Computed(Arc<OnceLock<Arc<Shape>>>),
}

impl Actual {
    pub(crate) fn new(shape: &Arc<Shape>) -> Self {
        if shape.bounded.is_empty() {
            Self::Known(Arc::clone(shape))
        } else {
            Self::Computed(Arc::default())
        }
    }

    /// The shape, once the array is computed.
    ///
    /// # Errors
    /// It is not.
    pub(crate) fn get(&self) -> Result<&Arc<Shape>> {
        let found = match self {
            Self::Known(shape) => Some(shape),
            Self::Computed(shape) => shape.get(),
        };
        found.ok_or_else(|| Status::internal("the sizes of an array are not computed yet"))
    }
}

/// An array on a device, which may still be computed.
pub(crate) struct Buffer {
    pub(crate) shared: Arc<Shared>,
    /// The number of its memory.
    pub(crate) place: usize,
    pub(crate) shape: Arc<Shape>,
    pub(crate) actual: Actual,
    pub(crate) ready: Arc<Ready>,
    state: Mutex<State>,
}

/// Outcome of donating an argument.
pub(crate) enum Donated {
    /// Its memory is the result's now.
    Taken(Arc<Block>),
    /// It is gone, but who reads it still needs its memory.
    Read(Reading),
    /// It stays: others look at its memory, or the memory is not ours.
    Kept(Reading),
}

impl Buffer {
    pub(crate) fn new(
        shared: Arc<Shared>,
        place: usize,
        shape: Arc<Shape>,
        block: Arc<Block>,
        ready: Arc<Ready>,
    ) -> Self {
        Self {
            shared,
            place,
            actual: Actual::new(&shape),
            shape,
            ready,
            state: Mutex::new(State {
                block: Some(block),
                external: 0,
                held: None,
            }),
        }
    }

    /// The shape that it has; waits for it where sizes are computed.
    ///
    /// # Errors
    /// What the computation failed of.
    pub(crate) fn actual_shape(&self) -> Result<&Arc<Shape>> {
        if let Actual::Computed(_) = self.actual {
            self.ready.wait()?;
        }
        self.actual.get()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of its device.
    pub(crate) fn device(&self) -> usize {
        self.place / KINDS.len()
    }

    /// The memory, for reading once the buffer is ready.
    ///
    /// # Errors
    /// It was deleted or donated.
    pub(crate) fn read(&self) -> Result<Reading> {
        match &self.state().block {
            Some(block) => Ok(Reading::new(Arc::clone(block))),
            None => Err(Status::invalid("Buffer has been deleted or donated.")),
        }
    }

    /// Gives the memory to a result, if that may be.
    ///
    /// # Errors
    /// It was deleted or donated.
    pub(crate) fn donate(&self) -> Result<Donated> {
        let mut state = self.state();
        let block = state.block.take();
        let block = block.ok_or_else(|| Status::invalid("Buffer has been deleted or donated."))?;
        if state.external > 0 || !block.is_ours() {
            let reading = Reading::new(Arc::clone(&block));
            if state.external > 0 {
                state.block = Some(block);
                return Ok(Donated::Kept(reading));
            }
            return Ok(Donated::Read(reading));
        }
        if block.is_unread() {
            Ok(Donated::Taken(block))
        } else {
            Ok(Donated::Read(Reading::new(block)))
        }
    }

    /// Undoes [`Buffer::donate`] where the call that wanted the memory came to nothing.
    pub(crate) fn restore(&self, block: Arc<Block>) {
        self.state().block = Some(block);
    }

    pub(crate) fn delete(&self) {
        let gone = self.state().block.take();
        // Without the lock: whoever lent the memory is called back.
        drop(gone);
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.state().block.is_none()
    }

    /// Others look at the memory from now on.
    ///
    /// # Errors
    /// It was deleted or donated.
    pub(crate) fn hold(&self) -> Result<()> {
        let mut state = self.state();
        if state.held.is_none() {
            let block = state.block.as_ref().map(Arc::clone);
            state.held =
                Some(block.ok_or_else(|| Status::invalid("Buffer has been deleted or donated."))?);
        }
        state.external += 1;
        Ok(())
    }

    /// One fewer looks at it.
    ///
    /// # Errors
    /// Nobody did.
    pub(crate) fn release(&self) -> Result<()> {
        let mut state = self.state();
        state.external = state.external.checked_sub(1).ok_or_else(|| {
            Status::invalid("the external references of the buffer were released already")
        })?;
        let gone = match state.external {
            0 => state.held.take(),
            _ => None,
        };
        drop(state);
        drop(gone);
        Ok(())
    }

    /// Returns the address of the elements.
    ///
    /// # Errors
    /// It was deleted or donated, and nobody holds the memory.
    pub(crate) fn address(&self) -> Result<*const c_void> {
        let state = self.state();
        let block = state.block.as_ref().or(state.held.as_ref());
        block
            .map(|block| block.address())
            .ok_or_else(|| Status::invalid("Buffer has been deleted or donated."))
    }

    /// A copy in another memory of the client, made when this one is ready.
    ///
    /// # Errors
    /// It was deleted or donated, or there is no more memory.
    pub(crate) fn copy_to(&self, place: usize) -> Result<Handle<Self>> {
        let source = self.read()?;
        let target = Block::allocate(&self.shared.pool, source.block().len())?;
        let ready = self.then({
            let target = Arc::clone(&target);
            move || target.copy_from(source.block())
        });
        let shape = Arc::clone(&self.shape);
        let shared = Arc::clone(&self.shared);
        Ok(Handle::give(Self {
            actual: self.actual.clone(),
            ..Self::new(shared, place, shape, target, ready)
        }))
    }

    /// Runs `work` when the buffer is ready, at once if it is; if the buffer failed, the work fails
    /// with the same status.
    pub(crate) fn then(&self, work: impl FnOnce() + Send + 'static) -> Arc<Ready> {
        match self.ready.outcome() {
            Some(Ok(())) => {
                work();
                Ready::done()
            }
            Some(Err(status)) => Ready::with(Err(status.clone())),
            None => {
                let done = Ready::pending();
                let own = Arc::clone(&done);
                self.ready.then(move |outcome| {
                    if outcome.is_ok() {
                        work();
                    } else {
                        drop(work);
                    }
                    own.set(outcome.clone());
                });
                done
            }
        }
    }
}
