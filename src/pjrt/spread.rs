//! Clients whose devices are in several processes of MPI, as many in each: what this process is
//! among them, and how its programs meet those of the others.

use crate::{
    queue::Queue,
    status::{Code, Result, Status},
};
use mapwright_mpi::{Launch, OVERLAP, Peer, Ranks};
use mapwright_runtime::collective::{Incoming, Outgoing, Transport, World};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Time that processes wait for each other.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(300);

/// All processes, as one of them sees them.
pub(crate) struct Spread {
    ranks: Arc<Ranks>,
    /// The devices of this process, for messages between them.
    here: Arc<World>,
    /// Number of devices of each process.
    each: usize,
    /// Programs that meet others run one after another, in the order of their calls, which is the
    /// same in all processes.
    pub(crate) queue: Queue,
}

/// Tells whether the environment asks for collectives that run beside computations. The devices of
/// a process share its processors: none of them is known to be free.
pub(crate) fn is_overlap_asked() -> bool {
    std::env::var_os(OVERLAP).is_some_and(|when| when == "on")
}

/// The processes, which are joined once.
///
/// # Errors
/// No library of MPI, or one that fails.
fn ranks() -> Result<Arc<Ranks>> {
    static JOINED: Mutex<Option<Arc<Ranks>>> = Mutex::new(None);
    let mut joined = JOINED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(ranks) = &*joined {
        return Ok(Arc::clone(ranks));
    }
    let started = Ranks::start(Launch::of_this_process(), || {});
    let ranks = Arc::new(started.map_err(|error| {
        let message = format!(
            "the devices of several processes exchange data over MPI, so these are to be started by its launcher, such as mpirun: {error}"
        );
        Status::new(Code::FailedPrecondition, message)
    })?);
    ranks.finish_at_exit();
    Ok(Arc::clone(joined.insert(ranks)))
}

impl Spread {
    /// Joins the others, as number `node` of so many, which have `each` devices.
    ///
    /// # Errors
    /// As of [`ranks`]; numbers that are not those of MPI's launcher.
    pub(crate) fn new(node: usize, nodes: usize, each: usize) -> Result<Self> {
        let ranks = ranks()?;
        if (ranks.rank(), ranks.size()) != (node, nodes) {
            return Err(Status::invalid(format!(
                "this is process {node} of {nodes} for JAX, and rank {} of {} for MPI",
                ranks.rank(),
                ranks.size()
            )));
        }
        Ok(Self {
            ranks,
            here: Arc::new(World::new(1, each, TIMEOUT)?),
            each,
            queue: Queue::new(node),
        })
    }

    /// Returns the transport between the processes of a program that runs on these devices.
    pub(crate) fn among(&self, devices: &[usize]) -> Arc<dyn Transport> {
        Arc::new(Among {
            ranks: Arc::clone(&self.ranks),
            here: Arc::clone(&self.here),
            each: self.each,
            devices: devices.to_vec(),
        })
    }
}

/// Devices that run a program, by their numbers in the program.
struct Among {
    ranks: Arc<Ranks>,
    here: Arc<World>,
    each: usize,
    devices: Vec<usize>,
}

impl Transport for Among {
    fn exchange(
        &self,
        own: usize,
        what: &str,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        limit: Duration,
    ) -> mapwright_runtime::Result<()> {
        let own = self.devices[own];
        let is_here = |device: usize| device / self.each == own / self.each;
        let place = |device: usize| (device % self.each) as i64;
        let stream = |from, to| Ranks::stream(from % self.each, to % self.each, self.each);
        // All is sent before anything is waited for.
        let mut leaving: Vec<(Peer, &[u8])> = Vec::new();
        for one in outgoing {
            let to = self.devices[one.to];
            if is_here(to) {
                self.here.send(0, place(own), place(to), one.bytes)?;
            } else {
                let (rank, stream) = (to / self.each, stream(own, to)?);
                leaving.push((Peer { rank, stream }, one.bytes));
            }
        }
        let mut coming: Vec<(Peer, &mut [u8])> = Vec::new();
        let mut here: Vec<(usize, &mut [u8])> = Vec::new();
        for one in incoming {
            let from = self.devices[one.from];
            if is_here(from) {
                here.push((from, &mut *one.bytes));
            } else {
                let (rank, stream) = (from / self.each, stream(from, own)?);
                coming.push((Peer { rank, stream }, &mut *one.bytes));
            }
        }
        let (mut leaving, mut coming) = (leaving.into_iter(), coming.into_iter());
        self.ranks
            .transfer(what, &mut leaving, &mut coming, limit)?;
        for (from, memory) in here {
            let message = self.here.take(0, place(from), place(own))?;
            memory[..message.len()].copy_from_slice(&message);
        }
        Ok(())
    }
}
