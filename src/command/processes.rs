//! Whether a program runs on one device or several, and in one process or several.

use super::measure::seconds;
use crate::mlir::Op;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use mapwright_mpi::Launch;
use mapwright_normalize::partition::devices_of;

/// Options of processes that run together.
#[derive(Args)]
pub(crate) struct Processes {
    /// Under a launcher of MPI, run the program as one of its processes: `auto` where it starts
    /// more than one, `on` always, `off` never
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    mpi: When,
    /// Run collectives of ranks beside what does not wait for them: `auto` where each rank of the
    /// machine has a processor for it, `on` always, `off` never
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", env = mapwright_mpi::OVERLAP)]
    overlap: When,
    /// Time that a device waits for another one at a collective
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub(crate) time_limit: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum When {
    Auto,
    On,
    Off,
}

impl Processes {
    /// Returns the place of this process among those that MPI's launcher started, if it is to run
    /// as one of several.
    pub(crate) fn launch(&self) -> Option<Option<Launch>> {
        let found = Launch::of_this_process();
        let is_off = std::env::var_os(mapwright_mpi::VARIABLE).is_some_and(|name| name == "off");
        match self.mpi {
            When::On => Some(found),
            When::Auto if !is_off => found.filter(|launch| launch.size > 1).map(Some),
            When::Auto | When::Off => None,
        }
    }

    /// Tells whether collectives run beside computations, of so many ranks here that compute on so
    /// many threads each.
    pub(crate) fn overlaps(&self, here: usize, threads: usize) -> bool {
        match self.overlap {
            When::On => true,
            When::Auto => {
                let free = std::thread::available_parallelism().map_or(1, usize::from);
                free >= here * (threads + 1)
            }
            When::Off => false,
        }
    }
}

/// The number of devices that a program is for, if it runs on one all the same.
///
/// # Errors
/// A mesh that cannot be read.
pub(crate) fn asked_for(module: Op<'_>) -> anyhow::Result<Option<i64>> {
    let asked = devices_of(module).context("the program cannot be read")?;
    if asked > 1 {
        eprintln!(
            "note: the program is for {asked} devices; without --devices {asked} it runs on one, and what is written for one device of several is refused"
        );
    }
    Ok((asked > 1).then_some(asked))
}
