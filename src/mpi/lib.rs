//! A world of processes that share no memory, over an MPI library that is found at run time:
//! nothing of one is needed otherwise.
//!
//! [`Launch`] says whether a launcher started this process, [`Ranks::start`] joins the others.
//! Collectives are those of the runtime, for which [`Ranks`] carries the bytes: the answer is bit
//! for bit that of one process.

mod launch;
mod library;

pub use launch::Launch;
pub use library::{Peer, VARIABLE};

use library::{Calls, MOST_STREAMS};
use mapwright_runtime::{
    Error as RuntimeError, Status,
    collective::{Incoming, Outgoing, Transport},
};
use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

/// The environment's name for whether collectives run beside computations: `on`, `off` or `auto`.
pub const OVERLAP: &str = "MAPWRIGHT_OVERLAP";

/// Why there is no world of processes, or no longer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No library could be loaded.
    #[error("no MPI library is found under {names}: {why}; the variable {VARIABLE} may name one")]
    NotFound {
        /// Names that were looked for.
        names: String,
        /// Message of the system's loader.
        why: String,
    },
    /// The library is of another MPI than the launcher.
    #[error(
        "the MPI library knows of {found} processes, and the launcher started {launched}: it is the library of another launcher; the variable {VARIABLE} may name the right one"
    )]
    OtherLauncher {
        /// Processes that the library knows.
        found: usize,
        /// Processes that were started.
        launched: usize,
    },
    /// A call failed.
    #[error("{0}")]
    Failed(String),
}

/// Tidies up before all processes are ended, after the reason is said on standard error.
pub type Farewell = fn();

/// All processes that were started together, as one of them sees them.
pub struct Ranks {
    calls: Box<dyn Calls>,
    /// Held by the thread that calls the library.
    turn: Mutex<()>,
    rank: usize,
    size: usize,
    farewell: Farewell,
}

/// Number of times that a wait looks again at once, and after giving way to others, before it
/// sleeps in between.
const EAGER: u32 = 200;
const GIVING_WAY: u32 = 20_000;

impl Ranks {
    /// Joins the processes that were started together, as many as the launcher says, if it says so.
    /// It may be called once in a process.
    ///
    /// # Errors
    /// No library, or one that fails.
    pub fn start(launch: Option<Launch>, farewell: Farewell) -> Result<Ranks, Error> {
        let calls = library::load()?;
        if let Some(launch) = launch.filter(|launch| launch.size != calls.size()) {
            return Err(Error::OtherLauncher {
                found: calls.size(),
                launched: launch.size,
            });
        }
        Ok(Ranks {
            rank: calls.rank(),
            size: calls.size(),
            calls,
            turn: Mutex::new(()),
            farewell,
        })
    }

    /// The number of this process.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.size
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves the others in peace. Nothing may be exchanged afterwards.
    pub fn finish(&self) {
        let _turn = self.turn();
        self.calls.finalize();
    }

    /// As [`Ranks::finish`], when the process ends as it should. It may be asked for once in a
    /// process.
    pub fn finish_at_exit(self: &Arc<Self>) {
        static LEFT: OnceLock<Arc<Ranks>> = OnceLock::new();
        if LEFT.set(Arc::clone(self)).is_ok() {
            extern "C" fn leave() {
                if let Some(ranks) = LEFT.get() {
                    ranks.finish();
                }
            }
            library::at_exit(leave);
        }
    }

    /// Ends all processes, with code 1, and says why.
    pub fn abort(&self, message: &str) -> ! {
        // In one piece: all ranks write to one place.
        let message = format!("mapwright: error: rank {}: {message}\n", self.rank);
        eprint!("{message}");
        (self.farewell)();
        let _turn = self.turn();
        self.calls.abort();
        std::process::exit(1)
    }

    /// The number of the stream from one of `devices` devices of a process to one of another
    /// process.
    ///
    /// # Errors
    /// More devices than there are streams for.
    pub fn stream(from: usize, to: usize, devices: usize) -> mapwright_runtime::Result<usize> {
        if devices * devices > MOST_STREAMS {
            return Err(RuntimeError::new(
                Status::Unsupported,
                format!("{devices} devices in each of several processes are too many for MPI"),
            ));
        }
        Ok(from * devices + to)
    }

    /// Sends and receives as [`Transport::exchange`], each piece on a stream of its own.
    ///
    /// # Errors
    /// What the library says.
    pub fn transfer<'t>(
        &self,
        what: &str,
        outgoing: &mut dyn Iterator<Item = (Peer, &'t [u8])>,
        incoming: &mut dyn Iterator<Item = (Peer, &'t mut [u8])>,
        limit: Duration,
    ) -> mapwright_runtime::Result<()> {
        // What is there at once is not timed.
        let mut start = None;
        let mut looked = 0u32;
        let turn = |work: &mut dyn FnMut()| {
            let _turn = self.turn();
            work();
        };
        let outcome = (self.calls).transfer(outgoing, incoming, &turn, &mut |waiting| {
            looked = looked.saturating_add(1);
            match looked {
                ..EAGER => std::hint::spin_loop(),
                EAGER..GIVING_WAY => std::thread::yield_now(),
                _ => std::thread::sleep(Duration::from_micros(50)),
            }
            if looked > EAGER && start.get_or_insert_with(Instant::now).elapsed() > limit {
                self.abort(&format!(
                    "{what}: waited {limit:?} for the ranks {:?}",
                    waiting()
                ));
            }
        });
        outcome.map_err(|error| RuntimeError::new(Status::Aborted, format!("{what}: {error}")))
    }
}

impl Transport for Ranks {
    fn exchange(
        &self,
        _own: usize,
        what: &str,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        limit: Duration,
    ) -> mapwright_runtime::Result<()> {
        let peer = |rank: usize| Peer { rank, stream: 0 };
        self.transfer(
            what,
            &mut outgoing.iter().map(|o| (peer(o.to), o.bytes)),
            &mut incoming.iter_mut().map(|i| (peer(i.from), &mut *i.bytes)),
            limit,
        )
    }
}
