//! What a launch of a kernel runs, and what of it is worth the help of other threads.

use crate::emitter::{Kernel, Phase, Tiles};

/// Cost in scalar operations below which a launch stays on the calling thread.
const INLINE_COST: f64 = 60_000.0;

/// Cost in scalar operations below which a kernel of vectors in a loop stays on the calling thread.
/// Such a loop does several operations at once and is followed by the next kernel right away: below
/// some microseconds of work another thread comes too late, and what it has written is in its own
/// cache then.
const LOOP_COST: f64 = 400_000.0;

/// Bytes of operands from which on an update, whose size is known at run time only, is worth the
/// help of others.
pub(crate) const LEAST_BYTES: i64 = 1 << 17;

/// Tiles of an update, at most.
pub(crate) const MOST_UPDATE_TILES: i64 = 32;

/// A function to be run over tiles: a kernel, or a phase of one.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    /// Its symbol.
    pub name: String,
    /// The first of the tiles.
    pub first: i64,
    /// Number of tiles.
    pub tiles: Tiles,
    /// Least number of tiles that is worth a thread of its own.
    pub grain: i64,
    /// An update whose size is known at run time only: it is worth help if it has [`LEAST_BYTES`].
    pub weighed: bool,
    cost: f64,
    /// The cost that is worth the help of others.
    least: f64,
}

impl Work {
    /// Returns the functions that a call of `kernel`, whose symbol is `name`, runs one after
    /// another. `updates`: with the operands that it updates in the memory of the results;
    /// `in_loop`: again and again.
    pub(crate) fn for_kernel(
        name: &str,
        kernel: &Kernel,
        updates: bool,
        in_loop: bool,
    ) -> Vec<Self> {
        let phases = kernel.phases.iter().filter(|phase| !phase.prepacks);
        let (again, once): (Vec<_>, Vec<_>) = phases.partition(|phase| phase.rounds > 1);
        let mut all: Vec<Self> = once.into_iter().map(Self::of_phase).collect();
        let whole = Self {
            name: name.to_string(),
            first: 0,
            tiles: match kernel.updates.filter(|_| updates) {
                Some(tiles) => Tiles::Static(tiles),
                None => kernel.tiles.clone(),
            },
            grain: kernel.grain.max(1),
            weighed: updates && kernel.weighed,
            cost: kernel.cost,
            least: if kernel.emitter == "tiled" && in_loop {
                LOOP_COST
            } else {
                INLINE_COST
            },
        };
        let rounds = kernel.rounds();
        for round in 0..rounds {
            let phases = again.iter().copied().map(Self::of_phase);
            all.extend(phases.map(|work| work.of_round(round, rounds)));
            all.push(whole.clone().of_round(round, rounds));
        }
        all
    }

    /// The part of one of so many rounds.
    fn of_round(self, round: i64, rounds: i64) -> Self {
        match self.tiles {
            Tiles::Static(tiles) if rounds > 1 => Self {
                first: round * (tiles / rounds),
                tiles: Tiles::Static(tiles / rounds),
                cost: self.cost / rounds as f64,
                ..self
            },
            _ => self,
        }
    }

    /// A phase alone.
    pub(crate) fn of_phase(phase: &Phase) -> Self {
        Self {
            name: phase.name.clone(),
            first: 0,
            tiles: phase.tiles.clone(),
            grain: phase.grain.max(1),
            weighed: false,
            cost: phase.cost,
            least: INLINE_COST,
        }
    }

    /// The symbol of the task that runs it.
    pub(crate) fn task(&self) -> String {
        match self.first {
            0 => format!("{}_task", self.name),
            first => format!("{}_task_from_{first}", self.name),
        }
    }

    /// Tells whether the work is done before another thread could help, or is too little to be
    /// shared.
    pub(crate) fn is_alone(&self) -> bool {
        let is_whole = matches!(self.tiles, Tiles::Static(n) if n < 2 * self.grain);
        self.cost < self.least || is_whole
    }
}
