//! StableHLO lowered where it stands, in modules that hold operations of other dialects too:
//! `indexing-lower-in-place`.
//!
//! Functions stay functions on tensors. Of StableHLO in their blocks, control flow becomes `scf`
//! ([`control`]), constants and sizes become `arith` and `tensor` ([`values`]), fused regions
//! become kernels on buffers ([`regions`]), and what the runtime library computes becomes calls of
//! it ([`library`]). What loops carry gets its buffer ([`carried`]), and what functions from
//! outside get without a rank is a copy where it is read later ([`unranked`]). Tiles may run on the
//! library's threads ([`tasks`]). Kernels and calls are `indexing.call_kernel` on tensors, until
//! upstream's bufferization gives them buffers.

pub(crate) mod carried;
mod carried_sizes;
pub(crate) mod control;
mod copies;
mod library;
mod narrow;
mod pointers;
pub(crate) mod quantized;
pub(crate) mod regions;
pub(crate) mod sizes;
mod tasks;
mod unranked;
pub(crate) mod values;

pub use carried::mark_loops;

use crate::{
    apply,
    emitter::{Emitter, Options},
    error::Located,
    host::{self, Kernels, code::Code, stages},
};
use mapwright_mlir::{
    Blk, Builder, Op, Ty, Val, ValueType, edit,
    melior::ir::{Region, ValueLike},
    op,
    sizes::{ARGUMENTS, SIZES},
};
use mapwright_normalize::inline;
use mapwright_ops::registry::DIALECTS;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Mode of lowering a module.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Whether an operation that cannot be lowered stays, and is no error.
    pub partial: bool,
    /// Threads of the tiles of kernels.
    pub threads: Threads,
    /// Regions that are there already are formed anew.
    pub chooses_regions: bool,
    /// Attributes that LLVM's functions of kernels get, with their values: the CPU and its
    /// features.
    pub function_attributes: Vec<(String, String)>,
}

/// Threads of the tiles of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One after another.
    None,
    /// As `scf.parallel`.
    Scf,
    /// On the threads of the runtime library.
    Runtime,
}

/// Fast paths that need what is not known here: how buffers are aligned, and memory that is kept
/// from call to call.
const OFF: [&str; 2] = ["streaming-stores", "packed-constants"];

/// Lowers StableHLO in `module`, which is normalised, and in the modules inside.
///
/// # Errors
/// What cannot be lowered; then the module is of no use any more. With `partial` it stays as it is.
pub fn lower<'c>(
    module: Op<'c>,
    options: &Options,
    emitters: &[&dyn Emitter],
    mode: &Mode,
) -> Result<(), Vec<Located<'c>>> {
    let mut options = options.clone();
    options.disabled.extend(OFF.map(String::from));
    options.zeros_above = true;
    let mut failures = Vec::new();
    if mode.chooses_regions {
        take_regions_apart(module);
    }
    values::forward(module);
    failures.extend(control::rewrite(module));
    failures.extend(apply::lower(module));
    let named = host::Named::for_module(module);
    let loops = carried::loops_of_hlo(module);
    narrow::widen(module);
    values::before_regions(module);
    if let Some(body) = module.body(0) {
        let b = Builder::new(module.context(), body, module.location());
        mapwright_fusion::outline::fuse_block(&b, body, &options.disabled);
    }
    for module in inline::modules(module) {
        if let Some(body) = module.body(0) {
            failures.extend(Lowering::new(module, body, &options, emitters, mode).run());
        }
    }
    values::after_regions(module);
    quantized::fold(module);
    carried::settle(&loops);
    unranked::copy_what_is_read_later(module);
    inline::erase_computations(module);
    for op in module.descendants() {
        // Operations of other dialects have them too.
        op.remove_attribute(SIZES);
        op.remove_attribute(ARGUMENTS);
    }
    failures.extend(left(module).into_iter().map(not_lowered));
    // These are no matter of what stays.
    let mistaken = named.mistaken(module);
    if mistaken.is_empty() && (failures.is_empty() || mode.partial) {
        Ok(())
    } else {
        Err(distinct([mistaken, failures].concat()))
    }
}

/// Puts the members of regions, and of their stages, where the regions are.
fn take_regions_apart(module: Op<'_>) {
    let is_region = |op: &Op<'_>| op.name() == "indexing.fusion";
    let whole = inline::programs(module).into_iter();
    let mut found: Vec<Op<'_>> = whole
        .filter(|op| is_region(op) && !stages::is_stage(*op))
        .collect();
    while let Some(region) = found.pop() {
        found.extend(stages::take_apart(region).into_iter().filter(is_region));
    }
}

/// The first failure of each operation.
fn distinct(failures: Vec<Located<'_>>) -> Vec<Located<'_>> {
    let mut seen = Vec::new();
    for failure in failures {
        if seen
            .iter()
            .all(|known: &Located<'_>| known.op != failure.op)
        {
            seen.push(failure);
        }
    }
    seen
}

/// Tells whether it is an operation that has to be lowered.
pub(crate) fn is_hlo(op: Op<'_>) -> bool {
    DIALECTS.contains(&op.dialect())
}

/// The operations of these dialects in `op`, without what is inside of them.
fn left<'c>(op: Op<'c>) -> Vec<Op<'c>> {
    let mut found = Vec::new();
    for r in 0..op.num_regions() {
        for inner in op::blocks(op.region(r)).into_iter().flat_map(op::ops) {
            match is_hlo(inner) {
                true => found.push(inner),
                false if inline::is_computation(inner) => {}
                false => found.extend(left(inner)),
            }
        }
    }
    found
}

fn not_lowered(op: Op<'_>) -> Located<'_> {
    let mut values = op.operands().into_iter().chain(op.results());
    let why = values.find_map(|value| check_tensor(value).err());
    Located::new(op, why.unwrap_or("cannot be lowered in place".into()))
}

/// A cast to `ty` where `value` is of another, compatible type.
pub(crate) fn cast<'c>(b: &Builder<'c>, value: Val<'c>, ty: mapwright_mlir::Ty<'c>) -> Val<'c> {
    if value.r#type() == ty {
        value
    } else {
        b.op1("tensor.cast", &[value], ty, &[])
    }
}

/// Checks that `value` is a tensor whose buffer holds elements as kernels expect them.
///
/// # Errors
/// Why it is not.
fn check_tensor(value: Val<'_>) -> Result<(), String> {
    use mapwright_mlir::{ElementType, FloatKind};
    let ty = value.r#type();
    let ValueType::Tensor(tensor) = ValueType::from_mlir(ty) else {
        return Err(format!(
            "has a value of type {ty}, which is no ranked tensor"
        ));
    };
    let is_known = match &tensor.element {
        ElementType::Bool | ElementType::Index => true,
        // A byte of its own for each element of less, here and upstream.
        ElementType::Int { .. } | ElementType::Complex(_) => true,
        ElementType::Float(kind) => *kind != FloatKind::TF32,
        ElementType::Quantized(q) => q.storage.is_int(),
        ElementType::Other(_) => false,
    };
    if is_known {
        Ok(())
    } else {
        Err(format!(
            "has a value of type {ty}, whose elements upstream's buffers hold in another form"
        ))
    }
}

/// The lowering of the functions of one module.
struct Lowering<'a, 'c> {
    body: Blk<'c>,
    options: &'a Options,
    mode: &'a Mode,
    kernels: Kernels<'a, 'c>,
    /// The functions of the module.
    functions: HashMap<String, Op<'c>>,
    /// For what is added to the module.
    b: Builder<'c>,
    code: Code<'c>,
    /// The names of functions around kernels.
    wrappers: HashSet<String>,
    /// Functions that copy large tensors, by their types.
    copiers: HashMap<String, String>,
}

impl<'a, 'c> Lowering<'a, 'c> {
    fn new(
        module: Op<'c>,
        body: Blk<'c>,
        options: &'a Options,
        emitters: &'a [&'a dyn Emitter],
        mode: &'a Mode,
    ) -> Self {
        let builder = || Builder::new(module.context(), body, module.location());
        Self {
            body,
            options,
            mode,
            functions: mapwright_normalize::inline::functions(module),
            kernels: Kernels::beside(module, body, options, emitters),
            b: builder(),
            code: Code::new(builder()),
            wrappers: HashSet::new(),
            copiers: HashMap::new(),
        }
    }

    fn run(mut self) -> Vec<Located<'c>> {
        let before: Vec<Op<'c>> = op::ops(self.body);
        let mut failures = Vec::new();
        for function in &before {
            if !inline::has_symbols(*function) && !inline::is_computation(*function) {
                match stages::unfold(&self.kernels, *function) {
                    Ok(()) => self.function(*function, &mut failures),
                    Err(failure) => failures.push(failure),
                }
            }
        }
        let known: BTreeSet<usize> = before.iter().map(|op| op.to_raw().ptr as usize).collect();
        let made = || -> Vec<Op<'c>> {
            let all = op::ops(self.body).into_iter();
            all.filter(|op| !known.contains(&(op.to_raw().ptr as usize)))
                .collect()
        };
        host::define_calls(&self.b, &made(), self.options.extended);
        self.code.finish();
        host::declare_calls(&self.b, &made());
        let made = made();
        let internal = self.b.parse_attr("#llvm.linkage<internal>");
        let (defined, declared): (Vec<_>, Vec<_>) =
            made.into_iter().partition(|op| op.body(0).is_some());
        for op in declared {
            self.of_llvm(op, &defined);
        }
        for op in defined {
            // Other modules may have functions of the same name.
            match op.name() {
                "func.func" => {
                    op.set_attribute("sym_visibility", self.b.str_attr("private"));
                    op.set_attribute("llvm.linkage", internal);
                    self.target(op);
                    pointers::take_addresses(op);
                }
                "llvm.func" => op.set_attribute("linkage", internal),
                _ => {}
            }
        }
        failures
    }

    /// Makes a function of LLVM of `op`, which `callers` call and nobody defines here: one of the C
    /// library, or an intrinsic. Passes over all functions, such as that which gives each an
    /// interface for C, leave it as it is then.
    fn of_llvm(&self, op: Op<'c>, callers: &[Op<'c>]) {
        let b = &self.b;
        let Some(name) = op.string("sym_name").filter(|_| op.name() == "func.func") else {
            return;
        };
        let calls = callers.iter().copied().flat_map(Op::descendants);
        let calls = calls.filter(|call| {
            call.name() == "func.call" && call.symbol("callee").as_ref() == Some(&name)
        });
        let mut ty = None;
        for call in calls.collect::<Vec<_>>() {
            let Some(before) = Builder::before(call.context(), call) else {
                continue;
            };
            let operands = call.operands();
            let results: Vec<_> = call.results().iter().map(|v| v.r#type()).collect();
            let inputs: Vec<_> = operands.iter().map(|v| v.r#type().to_string()).collect();
            let parts: Vec<_> = results.iter().map(ToString::to_string).collect();
            let result = match &parts[..] {
                [] => "void".into(),
                [one] => one.clone(),
                several => format!("!llvm.struct<({})>", several.join(", ")),
            };
            let made = match results.len() {
                0 | 1 => before.call_llvm(&name, &operands, &results),
                // Functions of LLVM have one result.
                _ => {
                    let whole = [before.parse_type(&result)];
                    let whole = before.call_llvm(&name, &operands, &whole);
                    let part = |(i, ty): (usize, &Ty<'c>)| {
                        let at = [("position", before.i64_array(&[i as i64]))];
                        before.op1("llvm.extractvalue", &whole, *ty, &at)
                    };
                    results.iter().enumerate().map(part).collect()
                }
            };
            for (old, new) in call.results().into_iter().zip(made) {
                op::replace_all_uses(old, new);
            }
            ty = Some(format!("!llvm.func<{result} ({})>", inputs.join(", ")));
            edit::erase_unused(call);
        }
        edit::erase_unused(op);
        if let Some(ty) = ty {
            let attributes = [
                ("sym_name", b.str_attr(&name)),
                ("function_type", b.type_attr(b.parse_type(&ty))),
                ("linkage", b.parse_attr("#llvm.linkage<external>")),
            ];
            b.op_with_regions("llvm.func", &[], &[], &attributes, vec![Region::new()]);
        }
    }

    /// Says for which CPU the function `op` is made, if that was asked for.
    fn target(&self, op: Op<'c>) {
        let b = &self.b;
        let attributes = self.mode.function_attributes.iter();
        let attributes = attributes.map(|(name, value)| {
            let pair = [b.str_attr(name), b.str_attr(value)];
            b.array_attr(&pair)
        });
        let attributes: Vec<_> = attributes.collect();
        if !attributes.is_empty() {
            op.set_attribute("passthrough", b.array_attr(&attributes));
        }
    }

    /// Lowers the regions and the calls of the library in `op`.
    fn function(&mut self, op: Op<'c>, failures: &mut Vec<Located<'c>>) {
        for r in 0..op.num_regions() {
            let all = op::blocks(op.region(r)).into_iter().flat_map(op::ops);
            let parts = |op: Op<'c>| match op.name() {
                "indexing.fusion" => self.kernels.parts(op),
                _ => vec![op],
            };
            let all: Vec<Op<'c>> = all.flat_map(parts).collect();
            for inner in all {
                let outcome = match inner.name() {
                    _ if inline::has_symbols(inner) => continue,
                    "indexing.fusion" => self.region(inner),
                    _ if is_hlo(inner) => self.library(inner),
                    _ => {
                        self.function(inner, failures);
                        continue;
                    }
                };
                if let Err(failure) = outcome {
                    failures.push(failure);
                    if self.mode.partial && inner.name() == "indexing.fusion" {
                        stages::take_apart(inner);
                    }
                }
            }
        }
    }

    /// Puts a call of `kernel` in the place of `op`.
    fn call(&self, op: Op<'c>, kernel: &str, call: &Call<'c>) {
        let Some(b) = Builder::before(op.context(), op) else {
            return;
        };
        let segments = [call.inputs.len() as i32, call.inits.len() as i32];
        let mut attributes = vec![
            ("kernel", b.symbol_attr(kernel)),
            ("operandSegmentSizes", b.i32_array(&segments)),
        ];
        if !call.updates.is_empty() {
            attributes.push(("updates", b.i64_array(&call.updates)));
        }
        if call.copied_by.iter().any(Option::is_some) {
            let kernels = call.copied_by.iter().map(|kernel| match kernel {
                Some(kernel) => b.symbol_attr(kernel),
                None => b.unit_attr(),
            });
            let kernels: Vec<_> = kernels.collect();
            attributes.push(("copied_by", b.array_attr(&kernels)));
        }
        if !call.elementwise.is_empty() {
            attributes.push(("elementwise", b.i64_array(&call.elementwise)));
        }
        if call.impure {
            attributes.push(("impure", b.unit_attr()));
        }
        let inputs = call
            .inputs
            .iter()
            .map(|value| quantized::stored(&b, *value));
        let operands: Vec<Val<'c>> = inputs.chain(call.inits.iter().copied()).collect();
        let types = op
            .results()
            .into_iter()
            .map(|v| quantized::held(&b, v.r#type()));
        let types: Vec<_> = types.collect();
        let new = b.op("indexing.call_kernel", &operands, &types, &attributes);
        for (old, new) in op.results().into_iter().zip(new.results()) {
            op::replace_all_uses(old, quantized::restored(&b, new, old.r#type()));
        }
        edit::erase_unused(op);
    }
}

/// The operands of a call of a kernel.
#[derive(Default)]
struct Call<'c> {
    inputs: Vec<Val<'c>>,
    inits: Vec<Val<'c>>,
    /// Initial values that are read.
    updates: Vec<i64>,
    /// For each of these the kernel that copies it, where there is one.
    copied_by: Vec<Option<String>>,
    /// Pairs of an initial value and an input that may be one buffer.
    elementwise: Vec<i64>,
    /// It does something besides giving its results.
    impure: bool,
}
