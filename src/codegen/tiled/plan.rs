//! How a walked region is cut into tiles, loops and lanes: what the emitter reads of a schedule.

use super::analysis::{Analysis, ValueAt};
use super::region::Region;
use super::streamed::Streamed;
use mapwright_indexing::linear::VarId;
use std::collections::{BTreeMap, HashMap};

/// The cut.
#[derive(PartialEq)]
pub(crate) struct Plan {
    pub lanes: i64,
    /// Registers that a vector of so many lanes is made of.
    pub registers: i64,
    /// Lane variable of the root sweep.
    pub lane: Option<VarId>,
    /// The lane variable is parallel.
    pub columns: bool,
    pub parallel: Vec<VarId>,
    /// Variables of the root sweep that are not parallel, outermost first, the lane variable last.
    pub row_vars: Vec<VarId>,
    /// Tiled variables with their tile sizes, slowest first; all others are walked in full by each tile.
    pub grid: Vec<(VarId, i64)>,
    /// Vectors side by side in the root sweep (in a column region: of the tile).
    pub unroll: i64,
    /// The variable along which operands are contiguous that the lane variable strides over.
    pub transpose: Option<VarId>,
    /// Short innermost dimensions, if the lanes run along the one before them.
    pub inner: Option<Inner>,
    /// Variables that are walked without a loop where there are lanes.
    pub unrolled: Vec<VarId>,
    /// Rows of transposed blocks that are computed with at a time, out of memory; none: all of them, in registers.
    pub stored: Option<i64>,
    /// Where the loop over a variable is cut, ascending.
    pub cuts: HashMap<VarId, Vec<i64>>,
    /// Loops over dimensions of run-time size over whose ends windows reach.
    pub ends: BTreeMap<VarId, Ends>,
    pub kept: HashMap<ValueAt, Kept>,
    /// Divisions by what a row has in common that become multiplications.
    pub reciprocals: Share,
    /// Rows of blocks that are far apart are asked for ahead.
    pub prefetches: bool,
    /// A column region whose reductions go along many columns at once.
    pub wide: Option<Wide>,
    /// Short rows that are swept several at a time.
    pub rows: Option<Rows>,
    /// Results that are stored past the caches.
    pub streamed: Streamed,
    /// Estimated cost of the region in simple operations.
    pub cost: f64,
}

/// How many of the divisions of a vector are multiplications by a reciprocal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    None,
    /// Those of every other register: the divider and the multipliers work at the same time.
    Half,
    All,
}

/// Reductions of many columns in the order of memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wide {
    /// Columns of a tile, a multiple of the lanes.
    pub columns: i64,
    /// Reduced elements that are combined at a time.
    pub rows: i64,
}

/// The variable that counts the rows, and how many of them are swept at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rows {
    pub var: VarId,
    /// The number of the row among those: a variable of its own.
    pub number: VarId,
    pub count: i64,
}

/// A value that several sweeps over the same row need, kept in a scratch buffer.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    /// The sweep that computes it.
    pub first: usize,
    /// Variables of the buffer, outermost first; the lane variable is last.
    pub vars: Vec<VarId>,
    pub number: usize,
    /// The result whose memory it is kept in, until that is stored; none: in scratch.
    pub root: Option<usize>,
}

/// The innermost variables of the root sweep that are walked without a loop.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Inner {
    pub lane: VarId,
    /// Outermost first.
    pub vars: Vec<VarId>,
    /// Elements of them together.
    pub count: i64,
}

/// Where windows along a dimension of run-time size are within their operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ends {
    /// The first of them.
    pub first: i64,
    /// The one behind the last of them, if there are some.
    pub end: i64,
    /// The first one behind them that is not in front of them.
    pub behind: i64,
    /// The numbers do not say that it is so: windows are some elements apart, or it is read how much is in front of the operand.
    pub told: bool,
}

/// Bytes of a cache line.
pub(crate) const LINE: i64 = 64;

impl Plan {
    /// No loops at all: for an evaluator of vectors of `lanes` elements inside the loops of another emitter.
    pub fn bare(lanes: i64) -> Self {
        Self {
            lanes,
            registers: 1,
            lane: None,
            columns: false,
            parallel: Vec::new(),
            row_vars: Vec::new(),
            grid: Vec::new(),
            unroll: 1,
            transpose: None,
            inner: None,
            unrolled: Vec::new(),
            stored: None,
            cuts: HashMap::new(),
            ends: BTreeMap::new(),
            kept: HashMap::new(),
            reciprocals: Share::All,
            prefetches: true,
            wide: None,
            rows: None,
            streamed: Streamed::default(),
            cost: 0.0,
        }
    }

    /// Is a value kept in the memory of result `number` until that is stored?
    pub fn keeps_in(&self, number: usize) -> bool {
        self.kept.values().any(|kept| kept.root == Some(number))
    }

    /// Rows of a transposed block, of which each has an element in every lane of a register.
    pub fn side(&self) -> i64 {
        self.lanes / self.registers
    }

    pub fn size(analysis: &Analysis<'_>, var: VarId) -> i64 {
        analysis.ranges.vars[var].1 + 1
    }

    /// Vector accumulators of each of the row reductions `group`, which share their loops: enough to hide the time that one step takes.
    pub fn accumulators(&self, analysis: &Analysis<'_>, group: &[usize]) -> i64 {
        let work: f64 = group.iter().map(|i| analysis.work[i + 1]).sum();
        let registers = match work {
            w if w <= 12.0 => 4,
            w if w <= 60.0 => 2,
            _ => 1,
        };
        (registers / self.registers).max(1)
    }

    /// Which part of the work that is estimated for a tile there is where run-time sizes within it are those that may be expected.
    pub fn typical_share(&self, region: &Region<'_>, analysis: &Analysis<'_>) -> f64 {
        let reduced = analysis.instances.iter().flat_map(|i| &i.vars);
        let mut vars: Vec<VarId> = analysis.root_vars.iter().chain(reduced).copied().collect();
        vars.retain(|var| self.grid.iter().all(|(other, _)| other != var));
        vars.sort_unstable();
        vars.dedup();
        let share = |var: VarId| {
            let size = Self::size(analysis, var);
            region.sizes.expected(size) as f64 / size as f64
        };
        vars.into_iter().map(share).product()
    }

    /// Number of tiles.
    pub fn tiles(&self, analysis: &Analysis<'_>) -> i64 {
        self.grid
            .iter()
            .map(|(var, tile)| (Self::size(analysis, *var) + tile - 1) / tile)
            .product()
    }
}
