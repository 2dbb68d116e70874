//! Clients whose devices are processes of MPI, one each: what this process is among them, and how
//! its programs meet those of the others.

use crate::{
    queue::Queue,
    status::{Code, Result, Status},
};
use mapwright_mpi::{Launch, Ranks};
use mapwright_runtime::collective::{Incoming, Outgoing, Transport};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// All processes, as one of them sees them.
pub(crate) struct Spread {
    ranks: Arc<Ranks>,
    /// Programs that meet others run one after another, in the order of their calls, which is the
    /// same in all processes.
    pub(crate) queue: Queue,
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
    /// Joins the others, as number `node` of so many.
    ///
    /// # Errors
    /// As of [`ranks`]; numbers that are not those of MPI's launcher.
    pub(crate) fn new(node: usize, nodes: usize) -> Result<Self> {
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
            queue: Queue::new(node),
        })
    }

    /// Returns the transport between the processes of a program that runs on these devices.
    pub(crate) fn among(&self, devices: &[usize]) -> Arc<dyn Transport> {
        Arc::new(Among {
            ranks: Arc::clone(&self.ranks),
            devices: devices.to_vec(),
        })
    }
}

/// Ranks that have a device of a program each, by their numbers in the program.
struct Among {
    ranks: Arc<Ranks>,
    devices: Vec<usize>,
}

impl Transport for Among {
    fn exchange(
        &self,
        what: &str,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        limit: Duration,
    ) -> mapwright_runtime::Result<()> {
        let outgoing = outgoing.iter().map(|one| Outgoing {
            to: self.devices[one.to],
            bytes: one.bytes,
        });
        let incoming = incoming.iter_mut().map(|one| Incoming {
            from: self.devices[one.from],
            bytes: one.bytes,
        });
        let (outgoing, mut incoming): (Vec<_>, Vec<_>) = (outgoing.collect(), incoming.collect());
        self.ranks.exchange(what, &outgoing, &mut incoming, limit)
    }
}
