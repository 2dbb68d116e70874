//! From functions over tensors to a host function over buffers and kernels: `indexing-lower`.
//!
//! Every fusion becomes a kernel (equal fusions share one), every function an entry point
//!
//! ```c
//! int32_t mw_entry_NAME(const mw_context *, const void *const *arguments, const int64_t *argument_sizes,
//!                       void **results, int64_t *result_sizes);
//! ```
//!
//! `argument_sizes` and `result_sizes` hold the sizes of all tensors one after another; a call with other sizes than the function's types have fails. The memory of a result of static shape is given by the caller;
//! that of any other comes from `mw_alloc` and belongs to the caller afterwards. Tokens are neither arguments nor results.

mod arena;
mod arguments;
mod assertion;
mod calls;
pub(crate) mod code;
mod collective;
mod control;
mod donate;
pub(crate) mod emit;
mod every_size;
mod launch;
mod library;
mod light;
mod lives;
mod memory;
mod names;
mod order;
mod parts;
mod plan;
mod rotation;
mod shapes;
mod sharing;
mod sort;
pub(crate) mod stages;
mod values;
mod views;

use crate::{
    content::Content,
    emitter::{Cx, Emitter, Kernel, Options},
    inline::{self, Located},
    schedules,
};
pub(crate) use calls::{declare_calls, define_calls};
use code::Code;
pub use collective::programs;
use light::Light;
use mapwright_fusion::composed;
use mapwright_mlir::melior::ir::{Block, Module, Region, RegionLike};
use mapwright_mlir::{Blk, Builder, Op, TensorType, ValueType, edit, op};
use mapwright_schedule::Schedule;
use names::Names;
pub use parts::Part;
use std::{cell::RefCell, collections::HashMap};

/// A function that can be called.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name in the module.
    pub name: String,
    /// Symbol of the entry point.
    pub symbol: String,
    /// Symbol of the function `int32_t (context)` that does work on constants before the first call, which does it otherwise.
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

/// What was decided about a region.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the kernel.
    pub kernel: String,
    /// Name of the emitter.
    pub emitter: &'static str,
    /// Emitters that declined, with their reasons.
    pub declined: Vec<(&'static str, String)>,
    /// How the kernel runs.
    pub schedule: Schedule,
}

/// The lowered module and what goes with it.
pub struct Lowered<'c> {
    /// A module that holds `module @host` and modules of kernels, whose names say what is in them: see [`Content`].
    pub module: Module<'c>,
    /// Constant data; number `i` is the symbol [`constant_symbol`]`(i)`.
    pub constants: Vec<Vec<u8>>,
    /// Bytes of memory that starts as zeros and is kept from call to call; number `i` is the symbol [`kept_symbol`]`(i)`.
    pub kept: Vec<i64>,
    /// The entry points.
    pub entries: Vec<Entry>,
    /// One a distinct region.
    pub reports: Vec<Report>,
    /// What is timed, by number; empty unless the options say so.
    pub parts: Vec<Part>,
}

/// Symbol of constant `i`.
pub fn constant_symbol(i: usize) -> String {
    format!("mw_constant_{i}")
}

/// Symbol of memory `i` that is kept.
pub fn kept_symbol(i: usize) -> String {
    format!("mw_kept_{i}")
}

/// The kernels of a compilation, by the text of their fusions.
pub(crate) struct Kernels<'a, 'c> {
    /// Symbols that are taken, where kernels go to a module that has other functions: they are named after the functions then.
    taken: Option<RefCell<Names>>,
    options: &'a Options,
    emitters: &'a [&'a dyn Emitter],
    /// In the order of [`Content::KERNELS`].
    modules: [Vec<Builder<'c>>; Content::KERNELS.len()],
    known: RefCell<HashMap<String, (String, Kernel)>>,
    of: RefCell<HashMap<Op<'c>, (String, Kernel)>>,
    reports: RefCell<Vec<Report>>,
    parts: RefCell<Vec<Part>>,
    helpers: RefCell<usize>,
    kept: RefCell<Vec<i64>>,
    functions: HashMap<String, Op<'c>>,
    /// Stages of regions that no emitter took as a whole, and why.
    apart: RefCell<HashMap<Op<'c>, String>>,
    /// For kernels that become a part of the host's functions.
    inlined: Option<Builder<'c>>,
    /// The loops with regions whose kernels do.
    pub(crate) light: RefCell<Light<'c>>,
}

/// The name of the module of kernels that become a part of the host's functions once all are converted.
pub const INLINED: &str = "inlined";

/// The fast path that makes them so.
const LIGHT_LOOPS: &str = "light-loops";

/// What the name of a kernel ends with where it is named after a function.
pub(crate) const KERNEL: &str = "_kernel";

/// Most kernels in one LLVM module; more are split so that they are optimised in parallel. Two modules are filled at a time, in turns: of a
/// few kernels, one is optimised while the next is still being lowered.
const KERNELS_A_MODULE: usize = 12;

/// Modules of each [`Content`] for the kernels of so many fusions.
fn modules_for(fusions: usize) -> usize {
    match fusions {
        0..2 => 1,
        _ => (2 * fusions.div_ceil(2 * KERNELS_A_MODULE)).min(16),
    }
}

/// The module that kernel `number` goes to.
fn module_of(number: usize) -> usize {
    2 * (number / (2 * KERNELS_A_MODULE)) + number % 2
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

impl<'a, 'c> Kernels<'a, 'c> {
    /// None yet. All of them are going to be in the module that `body` belongs to, beside its functions.
    pub(crate) fn beside(
        module: Op<'c>,
        body: Blk<'c>,
        options: &'a Options,
        emitters: &'a [&'a dyn Emitter],
    ) -> Self {
        let names = op::ops(body)
            .into_iter()
            .filter_map(|op| op.string("sym_name"));
        let builder = |_| {
            let module = Builder::new(module.context(), body, module.location());
            vec![targeted(module, options)]
        };
        Self {
            taken: Some(RefCell::new(Names::new(names))),
            options,
            emitters,
            modules: Content::KERNELS.map(builder),
            known: RefCell::default(),
            of: RefCell::default(),
            reports: RefCell::default(),
            parts: RefCell::default(),
            helpers: RefCell::default(),
            kept: RefCell::default(),
            functions: inline::functions(module),
            apart: RefCell::default(),
            inlined: None,
            light: RefCell::default(),
        }
    }

    /// A name for something that is made of `op`: `<function>_<what>_<number>`, from which other names may be derived.
    pub(crate) fn fresh(&self, op: Op<'c>, what: &str) -> String {
        let mut around = op.parent();
        while let Some(parent) = around
            && parent.string("sym_name").is_none()
        {
            around = parent.parent();
        }
        let function = around.and_then(|op| op.string("sym_name"));
        let stem = format!("{}_{what}", function.unwrap_or_else(|| "module".into()));
        match &self.taken {
            Some(names) => names.borrow_mut().fresh(stem),
            None => stem,
        }
    }

    /// The kernel of `fusion`, made if there is none yet.
    pub(crate) fn get(&self, fusion: Op<'c>) -> Result<(String, Kernel), Located<'c>> {
        if let Some(found) = self.of.borrow().get(&fusion) {
            return Ok(found.clone());
        }
        // Kernels of constants do some of their work once.
        let mut text = edit::canonical_text(fusion);
        for (i, value) in fusion.operands().into_iter().enumerate() {
            if op::is_constant(value) {
                text += &format!("\nconstant {i}");
            }
        }
        if self.light.borrow().regions.contains(&fusion) {
            text += "\nof a light loop";
        }
        let known = self.known.borrow().get(&text).cloned();
        let found = match known {
            Some(found) => found,
            None => {
                let number = self.known.borrow().len();
                let name = match (fusion.string("name"), &self.taken) {
                    (_, Some(_)) => self.fresh(fusion, "region") + KERNEL,
                    (Some(hint), None) => format!("region_{number}_{hint}"),
                    (None, None) => format!("region_{number}"),
                };
                let kernel = self.emit(module_of(number), fusion, &name)?;
                self.known
                    .borrow_mut()
                    .insert(text, (name.clone(), kernel.clone()));
                (name, kernel)
            }
        };
        self.of.borrow_mut().insert(fusion, found.clone());
        Ok(found)
    }

    fn emit(&self, group: usize, fusion: Op<'c>, name: &str) -> Result<Kernel, Located<'c>> {
        let mut declined: Vec<(&'static str, String)> = Vec::new();
        if let Some(why) = self.apart.borrow().get(&fusion) {
            declined.push(("chain", why.clone()));
        }
        let stated = match schedules::stated(fusion) {
            Ok(stated) => stated,
            Err(why) => return Err(Located::new(fusion, why.reason)),
        };
        let staged = stages::is_staged(fusion);
        let tiny = stated.is_none() && self.light.borrow().tiny.contains(&fusion);
        for emitter in self.emitters {
            if stated
                .as_ref()
                .is_some_and(|schedule| schedule.emitter != emitter.name())
            {
                continue;
            }
            if tiny && emitter.content() != Content::Loops {
                let why = "a few elements in a loop that does little else";
                declined.push((emitter.name(), why.to_string()));
                continue;
            }
            if staged != emitter.of_stages() || self.options.is_off(emitter.name()) {
                continue;
            }
            let module = match &self.inlined {
                Some(module) if self.light.borrow().regions.contains(&fusion) => module,
                _ => self.module(emitter.content(), group),
            };
            let cx = Cx {
                context: module.context(),
                module,
                options: self.options,
            };
            match every_size::emit(*emitter, &cx, fusion, name) {
                Ok(mut kernel) => {
                    if self.options.is_off("in-place") {
                        kernel.in_place.clear();
                        kernel.updates = None;
                    }
                    self.reports.borrow_mut().push(Report {
                        kernel: name.to_string(),
                        emitter: kernel.emitter,
                        declined,
                        schedule: kernel.schedule.clone(),
                    });
                    return Ok(kernel);
                }
                Err(why) => declined.push((emitter.name(), why.reason)),
            }
        }
        if let Some(schedule) = stated {
            let why = declined.pop().map_or_else(
                || format!("there is no emitter '{}' for this region", schedule.emitter),
                |(_, why)| why,
            );
            let why = format!("cannot run by its schedule: {why}");
            return Err(Located::new(fusion, why));
        }
        let why = declined
            .pop()
            .map_or_else(|| "no emitter is enabled".to_string(), |(_, why)| why);
        // The operation to blame is the one the reason names, if it names one.
        let members = fusion.body(0).map(op::ops).unwrap_or_default();
        let blamed = members
            .iter()
            .find(|op| why.contains(&format!("'{}'", op.name())))
            .copied()
            .or_else(|| members.iter().rev().nth(1).copied())
            .unwrap_or(fusion);
        Err(Located::new(blamed, format!("cannot be compiled: {why}")))
    }

    /// Finds the loops of `block` whose kernels become a part of the host's function.
    pub(crate) fn find_light_loops(&self, block: Blk<'c>) {
        if self.inlined.is_some() {
            *self.light.borrow_mut() = Light::of(block);
        }
    }

    /// Module number `group` (or another, if there are fewer) for such code.
    fn module(&self, content: Content, group: usize) -> &Builder<'c> {
        let of = Content::KERNELS.iter().position(|c| *c == content);
        let modules = &self.modules[of.unwrap_or(Content::KERNELS.len() - 1)];
        &modules[group % modules.len()]
    }

    /// Is a fast path switched off by its name?
    pub(crate) fn is_disabled(&self, name: &str) -> bool {
        self.options.is_off(name)
    }

    /// Memory that is kept from call to call: its symbol.
    pub(crate) fn kept(&self, bytes: i64) -> String {
        let mut kept = self.kept.borrow_mut();
        kept.push(bytes);
        kept_symbol(kept.len() - 1)
    }

    /// A builder for helper functions (comparators), and a fresh name.
    pub(crate) fn helper(&self, what: &str) -> (&Builder<'c>, String) {
        let module = self.module(Content::Loops, 0);
        loop {
            let mut count = self.helpers.borrow_mut();
            *count += 1;
            let name = format!("{what}_{}", *count - 1);
            let is_taken = |names: &RefCell<Names>| !names.borrow_mut().take(&name);
            if !self.taken.as_ref().is_some_and(is_taken) {
                return (module, name);
            }
        }
    }
}

/// `module`, told which instructions the target has.
fn targeted<'c>(module: Builder<'c>, options: &Options) -> Builder<'c> {
    module.set_scales_lanes(options.scales_lanes && !options.is_off("lane-instructions"));
    module.set_permutes_lanes(options.permutes_lanes && !options.is_off("lookups"));
    module.set_zeros_above(options.zeros_above);
    module
}

/// Lowers the functions `names` of `module`, whose calls are inlined and whose operations are in fusions.
pub fn lower<'c>(
    module: Op<'c>,
    names: &[String],
    options: &Options,
    emitters: &[&dyn Emitter],
) -> Result<Lowered<'c>, Located<'c>> {
    composed::with(&options.disabled, || {
        lower_composed(module, names, options, emitters)
    })
}

/// Writes beside each region of `module` how it would run, where nothing is stated yet.
///
/// A region that no emitter takes stays as it is: lowering says why. So does one of several stages that are apart then; each of these has a schedule.
pub fn schedule(module: Op<'_>, options: &Options, emitters: &[&dyn Emitter]) {
    composed::with(&options.disabled, || {
        let scratch = Module::new(module.location());
        let body = mapwright_mlir::block(&mapwright_mlir::melior::ir::Module::body(&scratch));
        let kernels = Kernels::beside(module, body, options, emitters);
        let mut found = Vec::new();
        let mut taken = std::collections::HashSet::new();
        for op in module.descendants() {
            let inside = op.parent().is_some_and(|parent| taken.contains(&parent));
            if op.name() != "indexing.fusion"
                || inside
                || op.attribute(schedules::SCHEDULE).is_some()
            {
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
    });
}

fn lower_composed<'c>(
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
    let modules = |content: Content| -> Vec<Builder<'c>> {
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
        modules: Content::KERNELS.map(modules),
        known: RefCell::default(),
        of: RefCell::default(),
        reports: RefCell::default(),
        parts: RefCell::default(),
        helpers: RefCell::default(),
        kept: RefCell::default(),
        functions: functions.clone(),
        apart: RefCell::default(),
        inlined: (!options.is_off(LIGHT_LOOPS) && !options.profile)
            .then(|| targeted(nested(&outer, INLINED), options)),
        light: RefCell::default(),
    };
    let code = Code::new(host);
    let mut constants = Vec::new();
    let mut entries = Vec::new();
    for name in names {
        let Some(function) = functions.get(name).copied() else {
            return Err(Located::new(module, format!("has no function @{name}")));
        };
        entries.push(emit::function(
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
        if module.body(0).is_none_or(|block| op::ops(block).is_empty()) {
            edit::erase_unused(module);
        }
    }
    Ok(Lowered {
        constants,
        kept: kernels.kept.into_inner(),
        entries,
        reports: kernels.reports.into_inner(),
        parts: kernels.parts.into_inner(),
        module: lowered,
    })
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
