//! The options of passes that make code for a machine.

use super::disable;
use mapwright_codegen::{Options, Stage};
use mapwright_mlir::pass::{OptionKind, PassContext, PassOption};

/// They are the same for each of these passes.
pub const OPTIONS: &[PassOption] = &[
    PassOption {
        name: "vector-bits",
        description: "Bits of the widest vector register: 128, 256 or 512",
        kind: OptionKind::Int(512),
    },
    PassOption {
        name: "threads",
        description: "Threads that will run the code: 1 to 1024",
        kind: OptionKind::Int(1),
    },
    disable::option(
        "Emitters and fast paths that must not be used, separated by commas: chain, contraction, tiled, simplified-maps, light-loops, result-memory, overlap, views, sort-keys, streaming-stores, transposes, reductions, selections, scans, windows, row-scratch, reciprocals, vector-groups, row-groups, column-sweeps, depthwise, gemv-row, memory-order, stored-blocks, packing, packed-constants, epilogues, dot-instructions, lane-instructions, lookups, complex-lanes, inner-dimensions, prefetches, slabs, in-place",
    ),
    PassOption {
        name: "avx512",
        description: "Use AVX-512's instructions on the parts of floating-point lanes",
        kind: OptionKind::Bool(false),
    },
    PassOption {
        name: "avx2",
        description: "Look up lanes in a register with AVX2's instruction for it",
        kind: OptionKind::Bool(false),
    },
    PassOption {
        name: "bounds-checks",
        description: "Check every generated load and store",
        kind: OptionKind::Bool(false),
    },
];

/// The dialects of kernels, and of what launches them.
pub const DIALECTS: &[&str] = &[
    "affine", "arith", "cf", "complex", "func", "indexing", "llvm", "math", "memref", "scf", "ub",
    "vector",
];

/// # Errors
/// A value that no machine has.
pub fn check(options: &PassContext<'_>) -> Result<(), String> {
    if !matches!(options.int("vector-bits"), 128 | 256 | 512) {
        return Err("option vector-bits must be 128, 256 or 512".into());
    }
    if !(1..=1024).contains(&options.int("threads")) {
        return Err("option threads must be between 1 and 1024".into());
    }
    disable::check(options, Stage::Lower)
}

/// The options, which were checked.
pub fn options(context: &PassContext<'_>) -> Options {
    Options {
        // Both were checked to be small.
        vector_bits: context.int("vector-bits") as u32,
        threads: context.int("threads") as usize,
        disabled: disable::names(context),
        scales_lanes: context.flag("avx512"),
        permutes_lanes: context.flag("avx2"),
        bounds_checks: context.flag("bounds-checks"),
        ..Options::default()
    }
}
