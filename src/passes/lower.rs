//! `indexing-lower`: regions become kernels, functions become the code that launches them.

use super::{disable, normalize::reported};
use mapwright_codegen::{Options, Stage, emitters, host};
use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    edit,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_native::{CompileOptions, pipeline::entries};

/// Replaces the module's contents by `module @host`, which has the entry points, and modules of kernels, which have a function for
/// each distinct region; all in upstream dialects. Expects functions whose operations are in `indexing.fusion` regions.
pub struct Lower;

impl Pass for Lower {
    fn argument(&self) -> &'static str {
        "indexing-lower"
    }

    fn description(&self) -> &'static str {
        "Lowers fused regions to loops over tiles in upstream dialects, and functions to code that launches them"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        const {
            &[
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
                    "Emitters and fast paths that must not be used, separated by commas: chain, contraction, tiled, simplified-maps, light-loops, result-memory, views, sort-keys, streaming-stores, transposes, reductions, selections, scans, windows, kept-rows, reciprocals, vector-groups, row-groups, column-sweeps, depthwise, along, memory-order, stored-blocks, packing, packed-constants, epilogues, dot-instructions, lane-instructions, lookups, complex-lanes, inner-dimensions, prefetches, slabs, in-place",
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
            ]
        }
    }

    fn before(&self) -> &'static str {
        "`indexing-normalize`, then `func.func(indexing-fuse)`: `indexing-to-loops` is all three."
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &[
            "affine", "arith", "cf", "complex", "func", "indexing", "llvm", "math", "memref",
            "scf", "ub", "vector",
        ]
    }

    fn check(&self, options: &PassContext<'_>) -> Result<(), String> {
        if !matches!(options.int("vector-bits"), 128 | 256 | 512) {
            return Err("option vector-bits must be 128, 256 or 512".into());
        }
        if !(1..=1024).contains(&options.int("threads")) {
            return Err("option threads must be between 1 and 1024".into());
        }
        disable::check(options, Stage::Lower)
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let names = entries(module, &CompileOptions::default()).map_err(|e| reported(module, e))?;
        let options = Options {
            // Both were checked to be small.
            vector_bits: context.int("vector-bits") as u32,
            threads: context.int("threads") as usize,
            disabled: disable::names(context),
            scales_lanes: context.flag("avx512"),
            permutes_lanes: context.flag("avx2"),
            bounds_checks: context.flag("bounds-checks"),
            ..Options::default()
        };
        let lowered = host::lower(module, &names, &options, &emitters()).map_err(|error| {
            error.op.emit_error(&error.why.0);
            Failure::reported()
        })?;
        edit::replace_contents(module, &lowered.module);
        Ok(())
    }
}
