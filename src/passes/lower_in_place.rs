//! `indexing-lower-in-place`: StableHLO lowered where it stands, beside operations of other
//! dialects.

use super::{analyze, annotate, disable, normalize::reported};
use mapwright_codegen::{
    Options, Stage, emitters,
    error::Located,
    in_place::{self, Mode, Threads},
};
use mapwright_mlir::{
    Builder, Op,
    diagnostic::Failure,
    edit,
    pass::{OptionKind, Pass, PassContext, PassOption},
};
use mapwright_native::{TargetOptions, pipeline::normalise_in_place};

/// Brings a copy of `module` into the normal form, without the rewritings that are `disabled`, has
/// it lowered, and puts it in the place of what there was. On failure the module is as it was.
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
    // What was attached to operations says nothing of those that they become.
    for op in root.descendants() {
        for name in annotate::ATTRIBUTES.into_iter().chain(analyze::ATTRIBUTES) {
            op.remove_attribute(name);
        }
    }
    in_place::mark_loops(root);
    normalise_in_place(root, disabled).map_err(|e| reported(module, e))?;
    lower(root).map_err(|failures| {
        for failure in failures {
            failure.op.emit_error(&failure.message);
        }
        Failure::reported()
    })?;
    edit::replace_contents(module, &copy);
    Ok(())
}

/// Says for which machine the kernels in `module` are made, unless it says something of that
/// itself. Without a triple, LLVM's tools know no function of the C library: they copy memory byte
/// by byte.
fn say_target(module: Op<'_>, target: &TargetOptions) {
    let says = |name: &str| module.attribute(name).is_some();
    if says("dlti.dl_spec") || target.module.iter().any(|(name, _)| says(name)) {
        return;
    }
    let Some(body) = module.body(0) else { return };
    let b = Builder::new(module.context(), body, module.location());
    for (name, value) in &target.module {
        module.set_attribute(name, b.str_attr(value));
    }
}

/// Functions keep their names, types and attributes, and everything but StableHLO, CHLO and MHLO
/// stays as it is. Fused regions become `indexing.call_kernel` on tensors, which upstream's
/// one-shot bufferization makes plain calls of kernels on buffers.
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
                    description: "How the tiles of a kernel run: one after another (none), as scf.parallel (scf), or on the threads of the runtime library (runtime)",
                    kind: OptionKind::Word(&["none", "scf", "runtime"]),
                },
                PassOption {
                    name: "schedules",
                    description: "Regions (indexing.fusion) that the module has already become kernels as they are (keep), or are formed anew (choose)",
                    kind: OptionKind::Word(&["keep", "choose"]),
                },
                PassOption {
                    name: "target",
                    description: "The target triple that kernels are made for; this machine's without it",
                    kind: OptionKind::Text(""),
                },
                PassOption {
                    name: "cpu",
                    description: "The CPU that kernels are made for, by LLVM's name, or native: takes the place of vector-bits, avx2 and avx512",
                    kind: OptionKind::Text(""),
                },
                PassOption {
                    name: "features",
                    description: "Features of the CPU, as LLVM has them: '+name' and '-name', separated by commas",
                    kind: OptionKind::Text(""),
                },
                PassOption {
                    name: "vector-bits",
                    description: "Bits of the widest vector register: 128, 256 or 512",
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

    fn before(&self) -> &'static str {
        "Nothing; the normal form is made in it."
    }

    fn dependent_dialects(&self) -> &'static [&'static str] {
        &[
            "affine",
            "arith",
            "bufferization",
            "cf",
            "chlo",
            "complex",
            "func",
            "indexing",
            "llvm",
            "math",
            "memref",
            "mhlo",
            "quant",
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
        let threads = match context.text("threads").as_str() {
            "scf" => Threads::Scf,
            "runtime" => Threads::Runtime,
            _ => Threads::None,
        };
        let named = ["target", "cpu", "features"].map(|name| context.text(name));
        let [triple, cpu, features] = &named;
        let target = named
            .iter()
            .any(|text| !text.is_empty())
            .then(|| TargetOptions::new(triple, cpu, features))
            .transpose()
            .map_err(|message| super::failure(module, &message))?;
        let options = match &target {
            Some(target) => target.options.clone(),
            None => Options {
                // It was checked to be small.
                vector_bits: context.int("vector-bits") as u32,
                scales_lanes: context.flag("avx512"),
                permutes_lanes: context.flag("avx2"),
                ..Options::default()
            },
        };
        let options = Options {
            threads: if threads == Threads::None { 1 } else { 2 },
            disabled: disable::names(context),
            ..options
        };
        let mode = Mode {
            partial: context.flag("partial"),
            threads,
            chooses_regions: context.text("schedules") == "choose",
            function_attributes: (target.as_ref())
                .map(|target| target.attributes.clone())
                .unwrap_or_default(),
        };
        in_place(module, &options.disabled, |root| {
            in_place::lower(root, &options, &emitters(), &mode)
        })?;
        if let Some(target) = target {
            say_target(module, &target);
        }
        Ok(())
    }
}
