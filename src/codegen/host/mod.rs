//! From functions over tensors to a host function over buffers and kernels: `indexing-lower`.
//!
//! Every fusion becomes a kernel (equal fusions share one), every function an entry point
//!
//! ```c
//! int32_t mw_entry_NAME(const mw_context *, const void *const *arguments, const int64_t *argument_sizes,
//!                       void **results, int64_t *result_sizes);
//! ```
//!
//! `argument_sizes` and `result_sizes` hold the sizes of all tensors one after another; a call with
//! other sizes than the function's types have fails. The memory of a result of static shape is
//! given by the caller; that of any other comes from `mw_alloc` and belongs to the caller
//! afterwards. Tokens are neither arguments nor results.

mod arena;
mod arguments;
mod assertion;
mod block;
mod buffer_swap;
mod calls;
pub(crate) mod code;
pub(crate) mod collective;
mod control;
mod donate;
mod emit;
pub(crate) mod entry;
mod inlined;
mod kernels;
mod launch;
mod legal;
mod library;
mod liveness;
mod marshal;
mod memory;
mod names;
mod order;
mod overlap;
mod plan;
mod results;
mod shapes;
mod sharing;
mod sort;
pub(crate) mod stages;
mod timed;
mod values;
mod views;

use crate::{
    emitter::{Emitter, Options},
    error::Located,
    kernel_kind::KernelKind,
};
pub(crate) use calls::{Named, declare_calls, define_calls};
use code::Code;
pub use collective::programs;
pub(crate) use kernels::{KERNEL, Kernels};
pub use legal::legal_steps;
use mapwright_mlir::melior::ir::{Block, Module, Region, RegionLike};
use mapwright_mlir::{Builder, Op, TensorType, ValueType, edit, op};
use mapwright_normalize::inline;
use mapwright_ops::schedules;
use mapwright_schedule::Schedule;
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
};
pub use timed::{Part, PartOperation};

/// A function that can be called.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Name in the module.
    pub name: String,
    /// Symbol of the entry point.
    pub symbol: String,
    /// Symbol of the function `int32_t (context)` that does work on constants before the first
    /// call, which does it otherwise.
    pub prepare: Option<String>,
    /// Tensors among the arguments, in order.
    pub inputs: Vec<TensorType>,
    /// Tensors among the results, in order.
    pub outputs: Vec<TensorType>,
    /// Pairs (input, output) that may be given the same memory.
    pub donated: Vec<(usize, usize)>,
    /// Bytes of intermediate tensors of one call (those of static or bounded size).
    pub arena_bytes: i64,
}

/// Decision about a region.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Name of the kernel.
    pub kernel: String,
    /// Name of the emitter.
    pub emitter: Cow<'static, str>,
    /// Emitters that declined, with their reasons.
    pub declined: Vec<(Cow<'static, str>, String)>,
    /// Schedule of the kernel.
    pub schedule: Schedule,
}

/// The lowered module and what goes with it.
pub struct Lowered<'c> {
    /// A module that holds `module @host` and modules of kernels, whose names say what is in them:
    /// see [`KernelKind`].
    pub module: Module<'c>,
    /// Constant data; number `i` is the symbol [`constant_symbol`]`(i)`.
    pub constants: Vec<Vec<u8>>,
    /// Bytes of memory that starts as zeros and is kept from call to call; number `i` is the symbol
    /// [`prepacked_symbol`]`(i)`.
    pub prepacked: Vec<i64>,
    /// Functions that are called by name when the code runs.
    pub called: Vec<Called>,
    /// The entry points.
    pub entries: Vec<Entry>,
    /// One a distinct region.
    pub reports: Vec<Report>,
    /// Parts that are timed, by number; empty unless the options say so.
    pub parts: Vec<Part>,
}

/// A call of a function that whoever runs the code registers.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Called {
    /// The name under which it is registered.
    pub target: String,
    /// The location of the operation, as MLIR prints it.
    pub place: String,
}

/// Symbol of constant `i`.
pub fn constant_symbol(i: usize) -> String {
    format!("mw_constant_{i}")
}

/// Symbol of memory `i` that is kept.
pub fn prepacked_symbol(i: usize) -> String {
    format!("mw_prepacked_{i}")
}

/// The last word of the name of the module of kernels that become a part of the host's functions
/// once all are converted. The first says of which kind the host's module is then.
pub const INLINED: &str = "inlined";

/// The fast path that makes them so.
const LIGHT_LOOPS: &str = "light-loops";

/// Most kernels in one LLVM module; more are split so that they are optimised in parallel. Two
/// modules are filled at a time, in turns: of a few kernels, one is optimised while the next is
/// still being lowered.
const KERNELS_A_MODULE: usize = 12;

/// Modules of each [`KernelKind`] for the kernels of so many fusions.
fn modules_for(fusions: usize) -> usize {
    match fusions {
        0..2 => 1,
        _ => (2 * fusions.div_ceil(2 * KERNELS_A_MODULE)).min(16),
    }
}

fn nested<'c>(b: &Builder<'c>, name: &str) -> Builder<'c> {
    let region = Region::new();
    let block = mapwright_mlir::block(&region.append_block(Block::new(&[])));
    let location = b.location();
    b.op_with_regions(
        "builtin.module",
        &[],
        &[],
        &[("sym_name", b.str_attr(name))],
        vec![region],
    );
    Builder::new(b.context(), block, location)
}

/// `module`, told which instructions the target has.
fn targeted<'c>(module: Builder<'c>, options: &Options) -> Builder<'c> {
    module.set_scales_lanes(options.scales_lanes && !options.is_off("lane-instructions"));
    module.set_permutes_lanes(options.permutes_lanes && !options.is_off("lookups"));
    module.set_zeros_above(options.zeros_above);
    module
}

/// Lowers the functions `names` of `module`, whose calls are inlined and whose operations are in
/// fusions.
pub fn lower<'c>(
    module: Op<'c>,
    names: &[String],
    options: &Options,
    emitters: &[&dyn Emitter],
) -> Result<Lowered<'c>, Located<'c>> {
    let location = module.location();
    let lowered = Module::new(location);
    let outer = Builder::new(
        module.context(),
        mapwright_mlir::block(&mapwright_mlir::melior::ir::Module::body(&lowered)),
        location,
    );
    let host = nested(&outer, "host");
    let functions = inline::functions(module);
    let fusions: usize = names
        .iter()
        .filter_map(|name| functions.get(name))
        .map(|f| {
            f.descendants()
                .iter()
                .filter(|op| op.name() == "indexing.fusion")
                .count()
        })
        .sum();
    let count = modules_for(fusions);
    let modules = |content: KernelKind| -> Vec<Builder<'c>> {
        (0..count)
            .map(|i| {
                targeted(
                    nested(&outer, &format!("{}_{i}", content.prefix())),
                    options,
                )
            })
            .collect()
    };
    let kernels = Kernels {
        taken: None,
        options,
        emitters,
        modules: KernelKind::KERNELS.map(modules),
        known: RefCell::default(),
        of: RefCell::default(),
        reports: RefCell::default(),
        parts: RefCell::default(),
        helpers: RefCell::default(),
        prepacked: RefCell::default(),
        called: RefCell::default(),
        functions: functions.clone(),
        declined_stages: RefCell::default(),
        inlined: (!options.is_off(LIGHT_LOOPS) && !options.profile)
            .then(|| targeted(nested(&outer, INLINED), options)),
        light: RefCell::default(),
        has_light_loops: Cell::default(),
    };
    let code = Code::new(host);
    let mut constants = Vec::new();
    let mut entries = Vec::new();
    for name in names {
        let Some(function) = functions.get(name).copied() else {
            return Err(Located::new(module, format!("has no function @{name}")));
        };
        entries.push(entry::function(
            &code,
            &kernels,
            function,
            name,
            options,
            &mut constants,
        )?);
    }
    code.finish();
    for module in kernels.modules.iter().flatten().chain(&kernels.inlined) {
        if options.bounds_checks {
            crate::checks::add(module);
        }
        define_calls(module, &op::ops(module.block()), options.extended);
        declare_calls(module, &op::ops(module.block()));
    }
    for module in op::ops(outer.block()) {
        if module.string("sym_name").as_deref() == Some(INLINED) {
            let kind = if kernels.has_light_loops.get() {
                KernelKind::Loops
            } else {
                KernelKind::Host
            };
            let name = format!("{}_{INLINED}", kind.prefix());
            module.set_attribute("sym_name", outer.str_attr(&name));
        }
        if module.body(0).is_none_or(|block| op::ops(block).is_empty()) {
            edit::erase_unused(module);
        }
    }
    Ok(Lowered {
        constants,
        prepacked: kernels.prepacked.into_inner(),
        called: kernels.called.into_inner(),
        entries,
        reports: kernels.reports.into_inner(),
        parts: kernels.parts.into_inner(),
        module: lowered,
    })
}

/// Writes beside each region of `module` how it would run, where nothing is stated yet.
///
/// A region that no emitter takes stays as it is: lowering says why. So does one of several stages
/// that are apart then; each of these has a schedule.
pub fn schedule(module: Op<'_>, options: &Options, emitters: &[&dyn Emitter]) {
    let scratch = Module::new(module.location());
    let body = mapwright_mlir::block(&mapwright_mlir::melior::ir::Module::body(&scratch));
    let kernels = Kernels::beside(module, body, options, emitters);
    let mut found = Vec::new();
    let mut taken = std::collections::HashSet::new();
    for op in module.descendants() {
        let inside = op.parent().is_some_and(|parent| taken.contains(&parent));
        if op.name() != "indexing.fusion" || inside || op.attribute(schedules::SCHEDULE).is_some() {
            continue;
        }
        if let Ok((_, kernel)) = kernels.get(op) {
            taken.insert(op);
            found.push((op, kernel.schedule));
        }
    }
    let b = Builder::new(module.context(), body, module.location());
    for (op, schedule) in found {
        op.set_attribute(schedules::SCHEDULE, schedules::attribute(&b, &schedule));
    }
}

/// The tensors among `values`; other values than tensors and tokens are refused.
pub(crate) fn tensors<'c>(
    op: Op<'c>,
    types: impl Iterator<Item = ValueType>,
) -> Result<Vec<TensorType>, Located<'c>> {
    let mut found = Vec::new();
    for ty in types {
        match ty {
            ValueType::Tensor(tensor) => found.push(tensor),
            ValueType::Token => {}
            other => {
                return Err(Located::new(
                    op,
                    format!(
                        "has a value of type {other}, which cannot cross the border of a program"
                    ),
                ));
            }
        }
    }
    Ok(found)
}
