//! The interface between a fused region and the code that computes it.
//!
//! An emitter turns one `indexing.fusion` operation into one `func.func` that computes the tiles
//! `[begin, end)` of the region:
//!
//! `@name(in_0, …, in_k, out_0, …, out_m, [run-time sizes: index …], begin: index, end: index)`
//!
//! A tensor of static shape is a `memref` of that shape and its storage type
//! ([`crate::storage::storage_type`]); a tensor with run-time sizes is a `memref<1x…>` base. The
//! run-time sizes follow the tensors: for each input in order, then for each output, its dimensions
//! that are not static. Tiles are independent, and what a tile computes does not depend on how
//! `[0, tiles)` is cut.

use crate::{error::Unsupported, kernel_kind::KernelKind};
use mapwright_fusion::composed::{self, Composing};
use mapwright_mlir::{Builder, Op, melior::Context};
use mapwright_ops::attrs::AttrError;
use mapwright_schedule::{Illegal, ParseError, Schedule};

/// Choices that hold for a whole compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Widest vector register in bits (512 with AVX-512, 256 with AVX2, 128 otherwise).
    pub vector_bits: u32,
    /// There is an instruction that adds products of pairs of `bf16` to `f32`, on vectors of 512
    /// bits.
    pub dot_bf16: bool,
    /// There is an instruction that adds products of four bytes to `i32`, on vectors of 512 bits.
    pub dot_i8: bool,
    /// There is an instruction that adds products of pairs of `i16` to `i32`, on vectors of
    /// `vector_bits` (256 or 512).
    pub dot_i16: bool,
    /// Whether there are AVX-512's instructions on the parts of floating-point lanes.
    pub scales_lanes: bool,
    /// Whether there is AVX2's instruction that looks up lanes in a register, and none for wider
    /// registers.
    pub permutes_lanes: bool,
    /// Whether the bits above a stored number of less than a byte are zeros, as LLVM has them, also
    /// of signed ones. The runtime has copies of the sign there.
    pub zeros_above: bool,
    /// The type of `long double` of the target's C library, if it is wider than 64 bits.
    pub extended: Option<&'static str>,
    /// Threads that will run the code; tiles are cut so that each has work.
    pub threads: usize,
    /// Level-one data cache in bytes.
    pub l1_bytes: usize,
    /// Level-two cache in bytes (of one core).
    pub l2_bytes: usize,
    /// Level-three cache in bytes; 0 where it is not known.
    pub l3_bytes: usize,
    /// Names of emitters and fast paths that must not be used (`tiled`, `sort-keys`,
    /// `streaming-stores`, …).
    pub disabled: Vec<String>,
    /// Time every launch and library call.
    pub profile: bool,
    /// Check every generated load and store against the bounds of its buffer.
    pub bounds_checks: bool,
}

impl Options {
    /// Whether a fast path or an emitter is switched off by its name.
    pub fn is_off(&self, name: &str) -> bool {
        self.disabled.iter().any(|d| d == name)
    }

    /// Composition of indices where loops are made.
    pub(crate) fn composing(&self) -> Composing {
        Composing::compiled(!self.is_off(composed::NAME))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            vector_bits: 512,
            dot_bf16: false,
            dot_i8: false,
            dot_i16: false,
            scales_lanes: false,
            permutes_lanes: false,
            zeros_above: false,
            extended: None,
            threads: 1,
            l1_bytes: 32 << 10,
            l2_bytes: 1 << 20,
            l3_bytes: 0,
            disabled: Vec::new(),
            profile: false,
            bounds_checks: false,
        }
    }
}

/// Context of an emitter: the module that functions are added to, and the options.
pub struct EmitContext<'a, 'c> {
    /// The context.
    pub context: &'c Context,
    /// Appends to the body of the module of kernels.
    pub module: &'a Builder<'c>,
    /// Options of the compilation.
    pub options: &'a Options,
}

/// Number of tiles of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tiles {
    /// Known at compile time.
    Static(i64),
    /// Computed by `@<kernel>_tiles([run-time sizes]) -> index`, which the emitter added to the
    /// module.
    Dynamic,
}

/// A function that runs to its end before the kernel starts; its tiles are independent.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Symbol.
    pub name: String,
    /// Number of tiles.
    pub tiles: Tiles,
    /// Least number of tiles that is worth a thread of its own.
    pub grain: i64,
    /// Estimated cost in scalar operations.
    pub cost: f64,
    /// It fills the memory that is kept, from constants alone: once, before the first call or in
    /// it.
    pub prepacks: bool,
    /// It and the kernel run in so many rounds, by turns, each with as many of its tiles: memory
    /// holds what one round needs.
    pub rounds: i64,
}

/// A compiled region, as the launch needs to know it.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Name of the emitter.
    pub emitter: &'static str,
    /// Number of tiles.
    pub tiles: Tiles,
    /// Least number of tiles that is worth a thread of its own.
    pub grain: i64,
    /// Estimated cost of the whole region in scalar operations (elements counted once each for a
    /// load, store or cheap op).
    pub cost: f64,
    /// Memory of a launch in bytes, 64-byte aligned and shared by all its tiles and phases; 0 if
    /// none. Its address (`memref<bytes x i8>`) follows the outputs among the arguments.
    pub scratch_bytes: i64,
    /// Memory of this launch that is kept from call to call, in bytes, 64-byte aligned; 0 if none.
    /// Its address (`memref<bytes x i8>`) follows that of the memory of a launch. Only what is made
    /// of constants is in it.
    pub prepacked_bytes: i64,
    /// Functions with the arguments of the kernel that run before it, one after another: packing,
    /// for instance.
    pub phases: Vec<Phase>,
    /// Pairs (output, input) that may share memory: the kernel reads each element of the input
    /// before it writes that element of the output, in the same tile.
    pub in_place: Vec<(usize, usize)>,
    /// Of a `dynamic_update_slice` or a `scatter` of inputs, which it overwrites where it may: the
    /// tiles that do all of it with the operands in the memory of the results.
    pub updates: Option<i64>,
    /// The size of such an update is known at run time only.
    pub weighed: bool,
    /// Numbers that follow the sizes of its tensors among the arguments.
    pub inner_sizes: Vec<InnerSize>,
    /// Schedule that was stated for the region, or else chosen.
    pub schedule: Schedule,
}

/// A number that no tensor outside of a region has, since it follows from what the region is given
/// to read: the size of a piece of a `roll`. Whoever launches the kernel works it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InnerSize {
    /// The size of a result of an operation of the region along a dimension.
    Size {
        /// Its place in the region.
        member: usize,
        /// The number of the result.
        result: usize,
        /// The dimension.
        dim: usize,
    },
    /// Start of the slice that an operation of the region takes, along a dimension of its operand.
    Start {
        /// Its place in the region.
        member: usize,
        /// The dimension.
        dim: usize,
    },
}

impl Kernel {
    /// As [`Kernel::scratch_bytes`]: `@<kernel>_scratch([run-time sizes]) -> index`, which the
    /// emitter added to the module, says how many.
    pub const SCRATCH_OF_SIZES: i64 = -1;

    /// Into how many rounds its tiles are cut: see [`Phase::rounds`].
    pub fn rounds(&self) -> i64 {
        self.phases
            .iter()
            .map(|phase| phase.rounds)
            .max()
            .unwrap_or(1)
    }
}

/// The emitter does not handle this region; the next one is tried. Never an error by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declined {
    /// In words, printed by `--json` and by debugging output.
    pub reason: String,
    /// The operation of the region that it cannot compute, by its position, where one is to blame.
    pub member: Option<usize>,
}

impl Declined {
    /// With a reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            member: None,
        }
    }
}

impl From<mapwright_fusion::node::Reason> for Declined {
    fn from(why: mapwright_fusion::node::Reason) -> Self {
        Self::new(why.0)
    }
}

impl From<AttrError> for Declined {
    fn from(why: AttrError) -> Self {
        Self::new(why.to_string())
    }
}

impl From<ParseError> for Declined {
    fn from(why: ParseError) -> Self {
        Self::new(why.why)
    }
}

impl From<Illegal> for Declined {
    fn from(why: Illegal) -> Self {
        Self::new(why.0)
    }
}

impl From<Unsupported> for Declined {
    fn from(why: Unsupported) -> Self {
        Self::new(why.0)
    }
}

/// Code generation for one kind of region.
pub trait Emitter {
    /// Name, as options and reports use it.
    fn name(&self) -> &'static str;

    /// Kind of its kernels, which tells the work that is left for LLVM.
    fn content(&self) -> KernelKind;

    /// Tells whether it is for regions of several stages, whose members are regions.
    fn of_stages(&self) -> bool {
        false
    }

    /// Adds `func.func private @name` (and helpers, named after it) for `fusion` to `cx.module`.
    /// When it declines it must leave nothing behind; decide before emitting. A region with a
    /// schedule of this emitter is made as that says, or declined.
    fn emit<'c>(
        &self,
        cx: &EmitContext<'_, 'c>,
        fusion: Op<'c>,
        name: &str,
    ) -> Result<Kernel, Declined>;
}
