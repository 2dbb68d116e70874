//! How a walked region is cut into tiles, loops and lanes: what the emitter reads of a schedule.

use super::analysis::{Analysis, ValueAt};
use mapwright_indexing::{Extent, linear::VarId};
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
    /// Tiled variables with their tile sizes, slowest first; all others are walked in full by each
    /// tile.
    pub grid: Vec<(VarId, i64)>,
    /// Vectors side by side in the root sweep (in a column region: of the tile).
    pub unroll: i64,
    /// The variable along which operands are contiguous that the lane variable strides over.
    pub transpose: Option<VarId>,
    /// Short innermost dimensions, if the lanes run along the one before them.
    pub inner: Option<Inner>,
    /// Variables that are walked without a loop where there are lanes.
    pub unrolled: Vec<VarId>,
    /// Rows of transposed blocks that are computed with at a time, out of memory; none: all of
    /// them, in registers.
    pub stored: Option<i64>,
    /// Cuts of the loop over a variable, ascending.
    pub cuts: HashMap<VarId, Vec<Extent>>,
    /// Loops over dimensions of run-time size over whose ends windows reach.
    pub ends: BTreeMap<VarId, Ends>,
    pub scratch_values: HashMap<ValueAt, ScratchValue>,
    /// Divisions by what a row has in common that become multiplications.
    pub reciprocals: Share,
    /// Divisions by constants, with quotients in range, are multiplications.
    pub constant_reciprocals: bool,
    /// Tensors that are prefetched.
    pub prefetched: Prefetched,
    /// Columns of a tile, a multiple of the lanes, in a column region whose reductions go along all
    /// of them in the order of memory.
    pub wide: Option<i64>,
    /// Short rows that are swept several at a time.
    pub rows: Option<Rows>,
    /// Of each reduction, how much of its loop is combined at a time: vectors with accumulators of
    /// their own, or rows of a column block.
    pub combined: Vec<i64>,
    /// Results that are stored past the caches.
    pub streamed: Streamed,
    /// Elements of the pieces of the lane loop, at least, whose fronts are peeled if they begin
    /// between two vectors.
    pub peel: Option<i64>,
    /// Behind several vectors at a time come vectors under a mask, and no whole ones, where the
    /// length is known at run time only.
    pub masked_rest: bool,
    /// Estimated cost of the region in simple operations.
    pub cost: f64,
}

/// Results that are stored past the caches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Streamed {
    /// For each result, whether it is.
    pub outputs: Vec<bool>,
    /// Bytes of the first of them from which on they are: where its size is known at run time only.
    pub least: Option<i64>,
}

/// Number of rows that each input and each result is asked for ahead; of transposed blocks, the
/// number of blocks. Zero: not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prefetched {
    pub inputs: Vec<i64>,
    pub outputs: Vec<i64>,
}

/// Share of the divisions of a vector that are multiplications by a reciprocal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    None,
    /// Divisions of every other register: the divider and the multipliers work at the same time.
    Half,
    All,
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
pub(crate) struct ScratchValue {
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

/// Interval in which windows along a dimension of run-time size are within their operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ends {
    /// The first of them.
    pub first: Extent,
    /// The one behind the last of them, if there are some.
    pub end: Extent,
    /// The first one behind them that is not in front of them.
    pub behind: Extent,
    /// The numbers do not say that it is so: windows are some elements apart, or it is read how
    /// much is in front of the operand.
    pub told: bool,
}

/// Bytes of a cache line.
pub(crate) const LINE: i64 = 64;

impl Plan {
    /// No loops at all: for an evaluator of vectors of `lanes` elements inside the loops of another
    /// emitter.
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
            scratch_values: HashMap::new(),
            reciprocals: Share::None,
            constant_reciprocals: false,
            prefetched: Prefetched::default(),
            wide: None,
            rows: None,
            combined: Vec::new(),
            streamed: Streamed::default(),
            peel: None,
            masked_rest: false,
            cost: 0.0,
        }
    }

    /// Whether a value is kept in the memory of result `number` until that is stored.
    pub fn keeps_in(&self, number: usize) -> bool {
        self.scratch_values
            .values()
            .any(|kept| kept.root == Some(number))
    }

    /// Distance at which an input is prefetched, or zero.
    pub fn prefetches_input(&self, number: usize) -> i64 {
        self.prefetched.inputs.get(number).copied().unwrap_or(0)
    }

    /// Distance at which a result is prefetched, or zero.
    pub fn prefetches_output(&self, number: usize) -> i64 {
        self.prefetched.outputs.get(number).copied().unwrap_or(0)
    }

    /// Tells whether the sweeps that store, in a plan of so many columns at once, go along parts of
    /// rows, one after the other.
    pub fn breaks_rows(&self, analysis: &Analysis<'_>, columns: i64) -> bool {
        let size = |lane| Self::size(analysis, lane);
        !self.row_vars.is_empty() && self.lane.is_some_and(|lane| size(lane) > columns)
    }

    /// Rows of a transposed block, of which each has an element in every lane of a register.
    pub fn side(&self) -> i64 {
        self.lanes / self.registers
    }

    pub fn size(analysis: &Analysis<'_>, var: VarId) -> Extent {
        analysis.ranges.vars[var].1 + 1
    }

    /// The size of a loop as decisions see it: one that is known at run time only is large.
    pub fn length(analysis: &Analysis<'_>, var: VarId) -> i64 {
        Self::size(analysis, var).when_large()
    }

    /// Number of indices of its loop that a reduction combines at a time.
    pub fn combined(&self, instance: usize) -> i64 {
        self.combined.get(instance).copied().unwrap_or(1)
    }

    /// Rows that a sweep goes along at a time.
    pub fn rows_at_a_time(&self, sweep: usize) -> i64 {
        match sweep {
            0 => 1,
            sweep => self.combined(sweep - 1),
        }
    }

    /// Share of the work estimated for a tile that there is where run-time sizes within it are
    /// those that may be expected.
    pub fn typical_share(&self, analysis: &Analysis<'_>) -> f64 {
        let reduced = analysis.instances.iter().flat_map(|i| &i.vars);
        let mut vars: Vec<VarId> = analysis.root_vars.iter().chain(reduced).copied().collect();
        vars.retain(|var| self.grid.iter().all(|(other, _)| other != var));
        vars.sort_unstable();
        vars.dedup();
        let share = |var: VarId| {
            let size = Self::size(analysis, var);
            size.expected() as f64 / size.when_large() as f64
        };
        vars.into_iter().map(share).product()
    }

    /// Number of tiles.
    pub fn tiles(&self, analysis: &Analysis<'_>) -> Extent {
        self.grid
            .iter()
            .map(|(var, tile)| Self::size(analysis, *var).ceil_div((*tile).into()))
            .product()
    }
}
