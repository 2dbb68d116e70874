//! The passes between a StableHLO module and the LLVM dialect.

use crate::{CompileOptions, Error, Result, llvm::Target, options::code_options, progress};
use mapwright_codegen::{
    Emitter, KernelKind, Options, emitters,
    host::{self, INLINED, Lowered},
};
use mapwright_mlir::{
    Builder, Op,
    diagnostic::Failure,
    edit,
    made::{self, Made},
    melior, op, pass,
};
use mapwright_normalize::{
    approx_top_k, canonical, chlo, cse, fold, frontend, inline, lapack, layouts, library, logistic,
    mhlo::{self, Direction},
    shapes, tarray, verify,
};
use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
    time::{Duration, Instant},
};

/// Times of the stages of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    /// Names and times, in the order in which they were first reached.
    pub times: Vec<(&'static str, Duration)>,
}

impl Stages {
    /// Runs `work` as the stage `name`, or as more of it.
    pub fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        if self.times.iter().all(|(known, _)| *known != name) {
            progress::begin(progress::Step {
                stage: name,
                parts: None,
                function: "",
            });
        }
        let start = Instant::now();
        let value = work();
        let time = start.elapsed();
        match self.times.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += time,
            None => self.times.push((name, time)),
        }
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

/// Conversions that only change operations whose names begin like this, and that some modules have
/// none of. Finding nothing takes them a millisecond, most of all those that fold what they pass;
/// what is to be folded, the conversion of vectors folds.
const SELDOM_NEEDED: &[(&str, &[&[&str]])] = &[
    ("convert-vector-to-scf", &[TRANSFERS]),
    ("convert-scf-to-cf", &[&["scf."], TRANSFERS]),
    ("convert-math-to-llvm", &[&["math."]]),
    ("convert-complex-to-llvm", &[&["complex."]]),
    ("expand-strided-metadata", &[VIEWS, TRANSFERS]),
    ("lower-affine", &[&["affine."], VIEWS, TRANSFERS]),
    ("convert-vector-to-llvm", &[&["vector."]]),
    ("finalize-memref-to-llvm", &[&["memref."]]),
    ("convert-index-to-llvm", &[&["index."]]),
];

/// They become loops over views.
const TRANSFERS: &[&str] = &["vector.transfer"];

/// Their strides follow from others, with arithmetic in the affine dialect.
const VIEWS: &[&str] = &[
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.extract_strided_metadata",
    "memref.subview",
];

/// [`CONVERSIONS_OF_PARTS`] without those that change none of the operations `names`.
fn conversions(names: &BTreeSet<&str>) -> String {
    let is_met = |start: &&str| names.iter().any(|name| name.starts_with(*start));
    let mut needed = CONVERSIONS_OF_PARTS.to_string();
    for (pass, starts) in SELDOM_NEEDED {
        if !starts.iter().copied().flatten().any(is_met) {
            needed = needed.replacen(&format!("{pass},"), "", 1);
        }
    }
    needed
}

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
    if names.is_empty() {
        Err(Failure::at(module.location(), "the module has no public function").into())
    } else {
        Ok(names)
    }
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

/// Lowers `module` (left as it is) to modules of kernels and of the host's functions, which
/// [`Parts`] then converts.
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
    let copy = copied(module, options)?;
    let root: Op<'c> = Op::new(copy.as_operation());
    let ((), made) = stages.time("normalise", || {
        watch(|| normalise(root, &names, &target.disabled, options.most_operations))
    })?;
    stages.time("verify", || verify(root, &names, "normalise", &made))?;
    let ((), made) = stages.time("fuse", || {
        watch(|| {
            fuse(root, &names, &target.disabled);
            Ok(())
        })
    })?;
    stages.time("verify", || verify(root, &names, "fuse", &made))?;
    stages
        .time("emit", || host::lower(root, &names, target, emitters))
        .map_err(rewritten)
}

/// The module of kernels and host function as text, before the conversions to LLVM: for tests and
/// people.
///
/// # Errors
/// As [`lower`].
pub fn lowered_text<'c>(
    module: Op<'c>,
    options: &CompileOptions,
    target: &Options,
) -> Result<String> {
    let names = all_entries(module, options)?;
    let copy = copied(module, options)?;
    let root: Op<'c> = Op::new(copy.as_operation());
    normalise(root, &names, &target.disabled, options.most_operations)?;
    fuse(root, &names, &target.disabled);
    let lowered = host::lower(root, &names, target, &emitters()).map_err(rewritten)?;
    Ok(lowered.module.as_operation().to_string())
}

/// A copy to be rewritten, in which operations mean what the options say.
fn copied<'c>(module: Op<'c>, options: &CompileOptions) -> Result<melior::ir::Module<'c>> {
    let copy = edit::clone_module(module);
    let root: Op<'c> = Op::new(copy.as_operation());
    options.scatter_windows.legalize(root).map_err(rewritten)?;
    Ok(copy)
}

/// Inlines calls and rewrites what has a simpler form, in the functions `names`. `disabled`: fast
/// paths that must not be used.
///
/// # Errors
/// What cannot be compiled is diagnosed at its place.
pub fn normalise<'c>(
    module: Op<'c>,
    names: &[String],
    disabled: &[String],
    most_operations: usize,
) -> Result<()> {
    let arrays = tarray::Options::without(disabled);
    frontend::legalize_with(module, arrays).map_err(rewritten)?;
    from_mhlo(module)?;
    layouts::legalize(module).map_err(rewritten)?;
    shapes::guard(module);
    let functions = inline::functions(module);
    for name in names {
        let Some(function) = functions.get(name).copied() else {
            continue;
        };
        inline::inline_calls(module, function, most_operations).map_err(rewritten)?;
        inline::separate_computations(module, function, most_operations).map_err(rewritten)?;
        mhlo::flatten_argument_tuples(function).map_err(rewritten)?;
        mhlo::flatten_result_tuple(function).map_err(rewritten)?;
        legalize(function, disabled)?;
    }
    Ok(())
}

/// Rewrites what has a simpler form wherever it stands in `module`; functions and calls stay.
/// `disabled`: fast paths that must not be used.
///
/// # Errors
/// What cannot be compiled is diagnosed at its place.
pub fn normalise_in_place(module: Op<'_>, disabled: &[String]) -> Result<()> {
    frontend::legalize_calls(module).map_err(rewritten)?;
    from_mhlo(module)?;
    layouts::legalize(module).map_err(rewritten)?;
    let most = CompileOptions::MOST_OPERATIONS;
    inline::separate_computations(module, module, most).map_err(rewritten)?;
    legalize(module, disabled)
}

fn from_mhlo(module: Op<'_>) -> Result<()> {
    if module.descendants().iter().any(|op| op.dialect() == "mhlo") {
        mhlo::convert(module, Direction::ToStablehlo).map_err(rewritten)?;
    }
    Ok(())
}

/// Rewrites what has a simpler form in `root`, a function or a module.
fn legalize(root: Op<'_>, disabled: &[String]) -> Result<()> {
    canonical::drop_identities(root);
    fold::fold_shapes(root);
    logistic::recognize(root);
    let selects = disabled.iter().all(|name| name != "top-k");
    let kept: Vec<&str> = KEPT
        .iter()
        .copied()
        .filter(|name| selects || *name != "top_k")
        .collect();
    chlo::legalize(root, &kept).map_err(rewritten)?;
    library::verify(root).map_err(rewritten)?;
    lapack::legalize(root).map_err(rewritten)?;
    approx_top_k::legalize(root).map_err(rewritten)?;
    if disabled.iter().all(|name| name != cse::NAME) {
        cse::merge(root);
    }
    if let Some(block) = root.body(0) {
        let b = Builder::new(root.context(), block, root.location());
        mapwright_normalize::legalize::run(&b, block, disabled).map_err(rewritten)?;
        canonical::remove_unused_inside(block);
    }
    lapack::drop_unread(root);
    Ok(())
}

/// [`made::watch`] for work that may fail.
fn watch<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Made)> {
    let (outcome, made) = made::watch(work);
    Ok((outcome?, made))
}

/// Checks what the stage `stage` made in the functions `names`: code is generated from types as
/// they are written, so an operation that is not valid would compute something else, or outside of
/// its buffers.
///
/// # Errors
/// An operation that is not valid, which is a defect of that stage: an internal error that names
/// it.
fn verify<'c>(module: Op<'c>, names: &[String], stage: &str, made: &Made) -> Result<()> {
    let functions = inline::functions(module);
    let mut all = names.iter().filter_map(|name| functions.get(name));
    match all.find_map(|function| made.invalid(*function)) {
        None => Ok(()),
        Some(op) => Err(Error::Diagnosed(verify::internal_error(op, stage))),
    }
}

/// Puts the tensor operations of the functions `names`, which are normalised, into
/// `indexing.fusion` regions. `disabled`: fast paths that must not be used.
pub fn fuse<'c>(module: Op<'c>, names: &[String], disabled: &[String]) {
    let functions = inline::functions(module);
    for name in names {
        if let Some(function) = functions.get(name).copied()
            && let Some(block) = function.body(0)
        {
            let b = Builder::new(module.context(), block, function.location());
            mapwright_fusion::outline::fuse_block(&b, block, disabled);
        }
    }
}

/// Writes beside each region of `module` how it runs, as it is chosen for the machine of `options`,
/// where nothing is stated yet.
pub fn schedule(module: Op<'_>, options: &CompileOptions) {
    let target = Target::new(options);
    let options = code_options(options, &target);
    host::schedule(module, &options, &emitters());
}

/// The steps that the schedule of each region of `module` may have on the machine of `options`
/// ([`host::legal_steps`]).
pub fn legal_steps<'c>(module: Op<'c>, options: &CompileOptions) -> Vec<(Op<'c>, Vec<String>)> {
    let target = Target::new(options);
    let found = host::legal_steps(module, &code_options(options, &target), &emitters());
    let text = |(region, steps): (Op<'c>, Vec<_>)| {
        (region, steps.iter().map(ToString::to_string).collect())
    };
    found.into_iter().map(text).collect()
}

/// The nested modules of a lowered program, and their conversion to the LLVM dialect.
pub(crate) struct Parts<'m, 'c> {
    lowered: &'m Lowered<'c>,
    modules: Vec<Op<'c>>,
    /// Kernels that become a part of the host's functions.
    inlined: Option<Op<'c>>,
}

impl<'m, 'c> Parts<'m, 'c> {
    /// Collects the nested modules of `lowered` that hold anything, in their order there.
    pub(crate) fn new(lowered: &'m Lowered<'c>) -> Self {
        let root: Op<'c> = Op::new(lowered.module.as_operation());
        let mut modules = root.body(0).map(op::ops).unwrap_or_default();
        modules.retain(|part| part.body(0).is_some_and(|block| !op::ops(block).is_empty()));
        let is_inlined = |part: &Op<'c>| {
            let name = part.string("sym_name");
            name.is_some_and(|name| name.ends_with(INLINED))
        };
        let inlined = modules.iter().copied().find(is_inlined);
        modules.retain(|part| !is_inlined(part));
        Self {
            lowered,
            modules,
            inlined,
        }
    }

    /// Number of modules.
    pub(crate) fn len(&self) -> usize {
        self.modules.len()
    }

    /// Their numbers, those with the most operations first: what takes longest should not be begun
    /// last.
    pub(crate) fn by_size(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_cached_key(|i| Reverse(self.modules[*i].descendants().len()));
        order
    }

    /// The first function of each that has a body.
    pub(crate) fn functions(&self) -> Vec<String> {
        let first = |part: &Op<'c>| {
            let functions = part.body(0).map(op::ops).unwrap_or_default();
            let mut defined = functions.into_iter().filter(|op| op.body(0).is_some());
            defined.find_map(|op| op.string("sym_name"))
        };
        let of = |part| first(part).unwrap_or_default();
        self.modules.iter().map(of).collect()
    }

    /// Converts number `i`, once.
    ///
    /// # Errors
    /// Those of upstream's passes, as diagnostics.
    pub(crate) fn convert(&self, i: usize) -> Result<Op<'c>> {
        let part = self.modules[i];
        self.convert_module(part)?;
        if let Some(inlined) = self.inlined
            && part.string("sym_name").as_deref() == Some(KernelKind::Host.prefix())
        {
            self.convert_module(inlined)?;
            inline_kernels(part, inlined);
        }
        Ok(part)
    }

    fn convert_module(&self, part: Op<'c>) -> Result<()> {
        let names = part.descendants().into_iter().map(Op::name).collect();
        pass::Conversions::new(&self.lowered.module, &conversions(&names))?.run(part)?;
        Ok(())
    }
}

/// Moves what is defined in `kernels` to `host`, whose functions call it, for LLVM to make it a
/// part of them.
fn inline_kernels<'c>(host: Op<'c>, kernels: Op<'c>) {
    let (Some(to), Some(from)) = (host.body(0), kernels.body(0)) else {
        return;
    };
    let is_defined = |op: Op<'c>| op.body(0).is_some();
    let Some(first) = op::ops(to).into_iter().find(|op| is_defined(*op)) else {
        return;
    };
    let b = Builder::new(host.context(), to, host.location());
    let there: HashMap<String, Op<'c>> = op::ops(to)
        .into_iter()
        .filter_map(|op| Some((op.string("sym_name")?, op)))
        .collect();
    for op in op::ops(from) {
        let declared = op.string("sym_name").and_then(|name| there.get(&name));
        match declared {
            Some(_) if !is_defined(op) => continue,
            Some(declared) if !is_defined(*declared) => edit::erase_unused(*declared),
            _ => {}
        }
        if is_defined(op) && op.name() == "llvm.func" {
            op.set_attribute("linkage", b.parse_attr("#llvm.linkage<internal>"));
            if declared.is_some() {
                op.set_attribute("always_inline", b.unit_attr());
            }
        }
        op.move_before(first);
    }
    let kind = KernelKind::from_module_name(&kernels.string("sym_name").unwrap_or_default());
    edit::erase_unused(kernels);
    let host_prefix = KernelKind::Host.prefix();
    let name = format!("{}_{host_prefix}", kind.prefix());
    host.set_attribute("sym_name", b.str_attr(&name));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_of_what_is_there() {
        let all = |names: &[&'static str]| conversions(&names.iter().copied().collect());
        assert_eq!(
            all(&["arith.addi", "llvm.func"]),
            "builtin.module(convert-arith-to-llvm,convert-cf-to-llvm,\
             convert-func-to-llvm{use-bare-ptr-memref-call-conv=true},reconcile-unrealized-casts)"
        );
        assert!(all(&["memref.subview"]).contains("expand-strided-metadata,lower-affine,"));
        assert_eq!(
            all(&[
                "affine.apply",
                "complex.create",
                "index.add",
                "math.fma",
                "memref.subview",
                "scf.for",
                "vector.transfer_read"
            ]),
            CONVERSIONS_OF_PARTS
        );
        for (pass, _) in SELDOM_NEEDED {
            assert!(CONVERSIONS_OF_PARTS.contains(&format!("{pass},")), "{pass}");
        }
    }
}
