//! `indexing-lower-in-place`: StableHLO lowered where it stands, beside operations of other dialects.

use super::{disable, normalize::reported};
use mapwright_codegen::{
    Options, Stage, emitters,
    inline::Located,
    mixed::{self, Mode},
};
use mapwright_mlir::{
    Op,
    diagnostic::Failure,
    edit,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_native::pipeline::normalise_in_place;

/// Brings a copy of `module` into the normal form, without the rewritings that are `disabled`, has it lowered, and puts it in the place of what
/// there was. On failure the module is as it was.
///
/// # Errors
/// What the normal form or `lower` refuses, as a diagnostic at each operation.
pub(super) fn in_place<'c>(
    module: Op<'c>,
    disabled: &[String],
    lower: impl FnOnce(Op<'c>) -> Result<(), Vec<Located<'c>>>,
) -> Result<(), Failure> {
    let copy = edit::clone_module(module);
    let root: Op<'c> = Op::new(copy.as_operation());
    normalise_in_place(root, disabled).map_err(|e| reported(module, e))?;
    lower(root).map_err(|failures| {
        for failure in failures {
            failure.op.emit_error(&failure.why.0);
        }
        Failure::reported()
    })?;
    edit::replace_contents(module, &copy);
    Ok(())
}

/// Functions keep their names, types and attributes, and everything but StableHLO, CHLO and MHLO stays as it is. Fused regions become
/// `indexing.call_kernel` on tensors, which upstream's one-shot bufferization makes plain calls of kernels on buffers.
pub struct LowerInPlace;

impl Pass for LowerInPlace {
    fn argument(&self) -> &'static str {
        "indexing-lower-in-place"
    }

    fn description(&self) -> &'static str {
        "Lowers StableHLO where it stands among operations of other dialects, to kernels that upstream's bufferization calls"
    }

    fn anchor(&self) -> Option<&'static str> {
        Some("builtin.module")
    }

    fn options(&self) -> &'static [PassOption] {
        const {
            &[
                PassOption {
                    name: "partial",
                    description: "Leave what cannot be lowered as it is, instead of failing",
                    kind: OptionKind::Bool(false),
                },
                PassOption {
                    name: "threads",
                    description: "How the tiles of a kernel run: one after another (none), or as scf.parallel (scf)",
                    kind: OptionKind::Word(&["none", "scf"]),
                },
                PassOption {
                    name: "vector-bits",
                    description: "Bits of the widest vector register",
                    kind: OptionKind::Int(512),
                },
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
                disable::option(
                    "Emitters and fast paths that must not be used, separated by commas, as in indexing-lower",
                ),
            ]
        }
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &[
            "affine",
            "arith",
            "bufferization",
            "cf",
            "complex",
            "func",
            "indexing",
            "llvm",
            "math",
            "memref",
            "scf",
            "stablehlo",
            "tensor",
            "ub",
            "vector",
        ]
    }

    fn check(&self, options: &PassContext<'_>) -> Result<(), String> {
        if !matches!(options.int("vector-bits"), 128 | 256 | 512) {
            return Err("option vector-bits must be 128, 256 or 512".into());
        }
        disable::check(options, Stage::Lower)
    }

    fn run<'c>(&self, module: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
        let parallel = context.text("threads") == "scf";
        let options = Options {
            // It was checked to be small.
            vector_bits: context.int("vector-bits") as u32,
            threads: if parallel { 2 } else { 1 },
            disabled: disable::names(context),
            scales_lanes: context.flag("avx512"),
            permutes_lanes: context.flag("avx2"),
            ..Options::default()
        };
        let mode = Mode {
            partial: context.flag("partial"),
            parallel,
        };
        in_place(module, &options.disabled, |root| {
            mixed::lower(root, &options, &emitters(), &mode)
        })
    }
}
