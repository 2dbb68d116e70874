//! The passes between a StableHLO module and the LLVM dialect.

use crate::{CompileOptions, Error, Result};
use mapwright_codegen::{
    Emitter, Options, emitters,
    host::{self, Lowered},
    inline,
};
use mapwright_mlir::{Builder, Op, diagnostic::Failure, edit, op, pass};
use mapwright_normalize::{
    approx_top_k, chlo, lapack,
    mhlo::{self, Direction},
};
use std::time::{Duration, Instant};

/// How long the stages of a compilation took.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    /// Names and times in order.
    pub times: Vec<(&'static str, Duration)>,
}

impl Stages {
    /// Runs `work` as the stage `name`.
    pub fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let value = work();
        self.times.push((name, start.elapsed()));
        value
    }
}

/// Upstream's conversions of the nested modules, within `builtin.module(…)`.
pub const CONVERSIONS_OF_PARTS: &str = "builtin.module(\
    convert-vector-to-scf,\
    convert-scf-to-cf,\
    convert-math-to-llvm,\
    convert-complex-to-llvm,\
    expand-strided-metadata,\
    lower-affine,\
    convert-vector-to-llvm,\
    finalize-memref-to-llvm,\
    convert-arith-to-llvm,\
    convert-index-to-llvm,\
    convert-cf-to-llvm,\
    convert-func-to-llvm{use-bare-ptr-memref-call-conv=true},\
    reconcile-unrealized-casts)";

/// CHLO operations that code generation knows itself.
const KEPT: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "conj",
    "cosh",
    "erf",
    "erfc",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "next_after",
    "sinh",
    "square",
    "tan",
    "top_k",
];

/// The functions to be compiled.
///
/// # Errors
/// A name that is not there.
pub fn entries(module: Op<'_>, options: &CompileOptions) -> Result<Vec<String>> {
    let functions = inline::functions(module);
    if !options.entries.is_empty() {
        for name in &options.entries {
            if !functions.contains_key(name) {
                return Err(Failure::at(
                    module.location(),
                    &format!("the module has no function @{name}"),
                )
                .into());
            }
        }
        return Ok(options.entries.clone());
    }
    if functions.contains_key("main") {
        return Ok(vec!["main".into()]);
    }
    let mut names: Vec<String> = functions
        .iter()
        .filter(|(_, f)| f.string("sym_visibility").is_none_or(|v| v == "public"))
        .map(|(name, _)| name.clone())
        .collect();
    names.sort();
    match names.is_empty() {
        true => Err(Failure::at(module.location(), "the module has no public function").into()),
        false => Ok(names),
    }
}

fn diagnosed(error: inline::Located<'_>) -> Error {
    error.op.emit_error(&error.why.0);
    Error::Diagnosed(Failure::reported())
}

fn rewritten(error: mapwright_normalize::rewrite::Error<'_>) -> Error {
    error.op.emit_error(&error.message);
    Error::Diagnosed(Failure::reported())
}

/// The functions to be compiled, and those that they run beside each other.
fn all_entries(module: Op<'_>, options: &CompileOptions) -> Result<Vec<String>> {
    let mut names = entries(module, options)?;
    // Programs that run beside each other are entries as well.
    let functions = inline::functions(module);
    let mut next = 0;
    while next < names.len() {
        // What a function calls becomes a part of it.
        let mut reached = vec![names[next].clone()];
        let mut at = 0;
        while at < reached.len() {
            let inside = functions
                .get(&reached[at])
                .map(|f| f.descendants())
                .unwrap_or_default();
            at += 1;
            for op in inside {
                let called = ["callee", "decomposition"].map(|name| op.symbol(name));
                for name in called.into_iter().flatten() {
                    if !reached.contains(&name) {
                        reached.push(name);
                    }
                }
                if op.name() != "interpreter.run_parallel" {
                    continue;
                }
                let (rows, infeed) = host::programs(op);
                for name in rows.concat().into_iter().chain(infeed) {
                    if functions.contains_key(&name) && !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
        }
        next += 1;
    }
    Ok(names)
}

/// Lowers `module` (left as it is) to modules of the LLVM dialect.
///
/// # Errors
/// What cannot be compiled is diagnosed at its place.
pub fn lower<'c>(
    module: Op<'c>,
    options: &CompileOptions,
    target: &Options,
    emitters: &[&dyn Emitter],
    stages: &mut Stages,
) -> Result<Lowered<'c>> {
    let names = all_entries(module, options)?;
    let copy = edit::clone_module(module);
    let root: Op<'c> = Op::new(copy.as_operation());
    stages.time("normalise", || {
        normalise(root, &names, &target.disabled, options.most_operations)
    })?;
    stages.time("fuse", || fuse(root, &names, &target.disabled));
    let mut lowered = stages
        .time("emit", || host::lower(root, &names, target, emitters))
        .map_err(diagnosed)?;
    stages.time("convert", || convert(&mut lowered))?;
    Ok(lowered)
}

/// The module of kernels and host function as text, before the conversions to LLVM: for tests and people.
///
/// # Errors
/// As [`lower`].
pub fn lowered_text<'c>(
    module: Op<'c>,
    options: &CompileOptions,
    target: &Options,
) -> Result<String> {
    let names = all_entries(module, options)?;
    let copy = edit::clone_module(module);
    let root: Op<'c> = Op::new(copy.as_operation());
    normalise(root, &names, &target.disabled, options.most_operations)?;
    fuse(root, &names, &target.disabled);
    let lowered = host::lower(root, &names, target, &emitters()).map_err(diagnosed)?;
    Ok(lowered.module.as_operation().to_string())
}

/// Inlines calls and rewrites what has a simpler form, in the functions `names`. `disabled`: fast paths that must not be
/// used.
///
/// # Errors
/// What cannot be compiled is diagnosed at its place.
pub fn normalise<'c>(
    module: Op<'c>,
    names: &[String],
    disabled: &[String],
    most_operations: usize,
) -> Result<()> {
    if module.descendants().iter().any(|op| op.dialect() == "mhlo") {
        mhlo::convert(module, Direction::ToStablehlo).map_err(rewritten)?;
    }
    let functions = inline::functions(module);
    let selects = disabled.iter().all(|name| name != "top-k");
    let kept: Vec<&str> = KEPT
        .iter()
        .copied()
        .filter(|name| selects || *name != "top_k")
        .collect();
    for name in names {
        let Some(function) = functions.get(name).copied() else {
            continue;
        };
        inline::inline_calls(module, function, most_operations).map_err(diagnosed)?;
        mhlo::flatten_argument_tuples(function).map_err(rewritten)?;
        mhlo::flatten_result_tuple(function).map_err(rewritten)?;
        chlo::legalize(function, &kept).map_err(rewritten)?;
        lapack::legalize(function).map_err(rewritten)?;
        approx_top_k::legalize(function).map_err(rewritten)?;
        if let Some(block) = function.body(0) {
            let b = Builder::new(module.context(), block, function.location());
            mapwright_codegen::legalize::run(&b, block, disabled).map_err(diagnosed)?;
            inline::remove_unused(block);
        }
    }
    Ok(())
}

/// Puts the tensor operations of the functions `names`, which are normalised, into `indexing.fusion` regions. `disabled`: fast paths
/// that must not be used.
pub fn fuse<'c>(module: Op<'c>, names: &[String], disabled: &[String]) {
    let functions = inline::functions(module);
    for name in names {
        if let Some(function) = functions.get(name).copied()
            && let Some(block) = function.body(0)
        {
            let b = Builder::new(module.context(), block, function.location());
            mapwright_fusion::form::fuse_block(&b, block, disabled);
        }
    }
}

fn convert(lowered: &mut Lowered<'_>) -> Result<()> {
    pass::run_conversions(
        &mut lowered.module,
        &format!("builtin.module({CONVERSIONS_OF_PARTS})"),
    )?;
    Ok(())
}

/// The nested modules of a lowered module.
pub(crate) fn parts<'c>(lowered: &Lowered<'c>) -> Vec<Op<'c>> {
    let root: Op<'c> = Op::new(lowered.module.as_operation());
    root.body(0).map(op::ops).unwrap_or_default()
}
