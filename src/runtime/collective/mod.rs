//! Collectives and point-to-point communication among the replicas and partitions that run as
//! threads of one process, or each in one of its own.
//!
//! A [`World`] has `replicas * partitions` processes, numbered `replica * partitions + partition`.
//! Each runs the same program on a thread of its own, with a context that knows its place. Members
//! of a process group meet at each collective operation: once all are there, each computes its own
//! result straight from the others' operands, and leaves when all are done. Waiting has a limit, so
//! that a mismatch (somebody never comes) is an error that names who is missing, not a hang.
//!
//! Where the processes of a world share no memory, a [`Transport`] carries what each member needs
//! of the others' operands, and the members compute the same from it, in the same order. What it
//! carries may be on its way while the process computes ([`World::start`], [`World::wait`]).

mod background;
mod boxes;
mod groups;
mod mailbox;
mod meeting;
mod needs;
mod operations;
#[cfg(test)]
mod tests;
mod transport;

pub use groups::{Groups, Mode};
pub use mailbox::{ANY, HOST, INFEED, NOBODY};
pub use needs::Operand;
pub use operations::{
    Reducer, Reduction, all_gather, all_reduce, all_to_all, broadcast, permute, reduce,
    reduce_scatter,
};

pub use transport::{Incoming, Outgoing, Transport};

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::error::{Error, Result, Status};
use crate::pool::lock;

/// Participants of collectives, and the collectives that are under way.
pub struct World {
    replicas: usize,
    partitions: usize,
    timeout: Duration,
    meetings: meeting::Meetings,
    mail: Mutex<mailbox::Mail>,
    delivered: Condvar,
    aborted: AtomicBool,
    reason: Mutex<Option<Error>>,
    /// Transport between processes that share no memory.
    transport: Option<Arc<dyn Transport>>,
    descriptions: transport::Descriptions,
    overlaps: bool,
    backgrounds: background::Backgrounds,
}

/// A process of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub replica: usize,
    pub partition: usize,
}

impl World {
    /// A world in which operations wait at most `timeout` for the other processes.
    ///
    /// # Errors
    /// `InvalidArgument` unless there is at least one replica and partition.
    pub fn new(replicas: usize, partitions: usize, timeout: Duration) -> Result<World> {
        if replicas == 0
            || partitions == 0
            || replicas.checked_mul(partitions).is_none_or(|n| n > 1 << 16)
        {
            return Err(Error::invalid(format!(
                "a world of {replicas} replicas and {partitions} partitions"
            )));
        }
        Ok(World::unchecked(replicas, partitions, timeout))
    }

    fn unchecked(replicas: usize, partitions: usize, timeout: Duration) -> World {
        World {
            replicas,
            partitions,
            timeout,
            meetings: meeting::Meetings::default(),
            mail: Mutex::default(),
            delivered: Condvar::new(),
            aborted: AtomicBool::new(false),
            reason: Mutex::new(None),
            transport: None,
            descriptions: transport::Descriptions::default(),
            overlaps: false,
            backgrounds: background::Backgrounds::default(),
        }
    }

    /// A world whose processes share no memory, as one of them sees it, or those of one process of
    /// the system do.
    ///
    /// # Errors
    /// As for [`World::new`].
    pub fn spread(
        replicas: usize,
        partitions: usize,
        timeout: Duration,
        transport: Arc<dyn Transport>,
    ) -> Result<World> {
        let world = World::new(replicas, partitions, timeout)?;
        Ok(World {
            transport: Some(transport),
            ..world
        })
    }

    /// Tells whether the processes of this world are those of several of the system's.
    pub(crate) fn is_spread(&self) -> bool {
        self.transport.is_some()
    }

    pub fn replicas(&self) -> usize {
        self.replicas
    }

    pub fn partitions(&self) -> usize {
        self.partitions
    }

    pub fn processes(&self) -> usize {
        self.replicas * self.partitions
    }

    /// The number of a process.
    ///
    /// # Errors
    /// `InvalidArgument` when the place is outside of the world.
    pub fn process(&self, place: Place) -> Result<usize> {
        if place.replica >= self.replicas || place.partition >= self.partitions {
            return Err(Error::invalid(format!(
                "{place:?} in a world of {} x {}",
                self.replicas, self.partitions
            )));
        }
        Ok(place.replica * self.partitions + place.partition)
    }

    /// Lets every operation fail, now and later, because a process failed; the first reason is
    /// kept.
    pub fn abort(&self, error: Error) {
        lock(&self.reason).get_or_insert(error);
        self.aborted.store(true, Ordering::SeqCst);
        self.meetings.wake();
        // Taking the lock orders this with waiters that have checked the flag but do not sleep yet.
        drop(lock(&self.mail));
        self.delivered.notify_all();
    }

    /// An error when the world was aborted.
    fn check(&self) -> Result<()> {
        if !self.aborted.load(Ordering::SeqCst) {
            return Ok(());
        }
        let reason = lock(&self.reason)
            .as_ref()
            .map_or_else(String::new, |e| format!(": {}", e.message));
        Err(Error::new(
            Status::Aborted,
            format!("another process failed{reason}"),
        ))
    }
}

impl Default for World {
    /// One process, which waits for the host program alone.
    fn default() -> World {
        World::of_one(Duration::from_secs(60))
    }
}

impl World {
    /// One process that nobody can reach while it runs: what it receives must be there before.
    pub fn unreachable() -> World {
        World::of_one(Duration::ZERO)
    }

    fn of_one(timeout: Duration) -> World {
        World::unchecked(1, 1, timeout)
    }
}
