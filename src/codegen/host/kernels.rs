//! The kernels of a compilation: one for each distinct region, made by the first emitter that takes
//! it, or by the schedule that is stated for it.

use super::{
    Called, KERNELS_A_MODULE, Part, Report, inlined::InlinedKernels, names::Names,
    prepacked_symbol, stages, targeted,
};
use crate::{
    emitter::{EmitContext, Emitter, Kernel, Options},
    error::Located,
    general::made_again,
    kernel_kind::KernelKind,
};
use mapwright_fusion::outline;
use mapwright_mlir::{Blk, Builder, Op, edit, op};
use mapwright_normalize::inline;
use mapwright_ops::schedules;
use mapwright_schedule::Schedule;
use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    collections::HashMap,
};

/// The kernels of a compilation, by the text of their fusions.
pub(crate) struct Kernels<'a, 'c> {
    /// Symbols that are taken, where kernels go to a module that has other functions: they are
    /// named after the functions then.
    pub(super) taken: Option<RefCell<Names>>,
    pub(super) options: &'a Options,
    pub(super) emitters: &'a [&'a dyn Emitter],
    /// In the order of [`KernelKind::KERNELS`].
    pub(super) modules: [Vec<Builder<'c>>; KernelKind::KERNELS.len()],
    pub(super) known: RefCell<HashMap<String, (String, Kernel)>>,
    pub(super) of: RefCell<HashMap<Op<'c>, (String, Kernel)>>,
    pub(super) reports: RefCell<Vec<Report>>,
    pub(super) parts: RefCell<Vec<Part>>,
    pub(super) helpers: RefCell<usize>,
    pub(super) prepacked: RefCell<Vec<i64>>,
    /// Functions that are called by name ([`Called`]), in the order of the calls.
    pub(super) called: RefCell<Vec<Called>>,
    pub(super) functions: HashMap<String, Op<'c>>,
    /// Stages of regions that no emitter took as a whole, and why.
    pub(super) declined_stages: RefCell<HashMap<Op<'c>, String>>,
    /// For kernels that become a part of the host's functions.
    pub(super) inlined: Option<Builder<'c>>,
    /// The loops with regions whose kernels do.
    pub(crate) light: RefCell<InlinedKernels<'c>>,
    /// Some function has light loops.
    pub(super) has_light_loops: Cell<bool>,
}

/// Ending of the name of a kernel that is named after a function.
pub(crate) const KERNEL: &str = "_kernel";

/// The module that kernel `number` goes to.
fn module_of(number: usize) -> usize {
    2 * (number / (2 * KERNELS_A_MODULE)) + number % 2
}

impl<'a, 'c> Kernels<'a, 'c> {
    /// None yet. All of them are going to be in the module that `body` belongs to, beside its
    /// functions.
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
            modules: KernelKind::KERNELS.map(builder),
            known: RefCell::default(),
            of: RefCell::default(),
            reports: RefCell::default(),
            parts: RefCell::default(),
            helpers: RefCell::default(),
            prepacked: RefCell::default(),
            called: RefCell::default(),
            functions: inline::functions(module),
            declined_stages: RefCell::default(),
            inlined: None,
            light: RefCell::default(),
            has_light_loops: Cell::default(),
        }
    }

    /// A name for something that is made of `op`: `<function>_<what>_<number>`, from which other
    /// names may be derived.
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

    /// The regions that `fusion` becomes: itself, or parts of it where the emitter that is left
    /// would compute too much again. None of them need have a kernel.
    pub(crate) fn parts(&self, fusion: Op<'c>) -> Vec<Op<'c>> {
        if self.get(fusion).is_ok() || fusion.attribute(schedules::SCHEDULE).is_some() {
            return vec![fusion];
        }
        match outline::cut(fusion, &made_again(fusion)) {
            None => vec![fusion],
            Some(parts) => parts
                .into_iter()
                .flat_map(|part| self.parts(part))
                .collect(),
        }
    }

    fn emit(&self, group: usize, fusion: Op<'c>, name: &str) -> Result<Kernel, Located<'c>> {
        let mut declined: Vec<(Cow<'static, str>, String)> = Vec::new();
        let mut blamed = None;
        if let Some(why) = self.declined_stages.borrow().get(&fusion) {
            declined.push(("chain".into(), why.clone()));
        }
        let stated = match schedules::stated(fusion) {
            Ok(stated) => stated,
            Err(why) => return Err(Located::new(fusion, why.to_string())),
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
            if tiny && emitter.content() != KernelKind::Loops {
                let why = "a few elements, which the host's function computes";
                declined.push((emitter.name().into(), why.to_string()));
                continue;
            }
            if staged != emitter.of_stages() || self.options.is_off(emitter.name()) {
                continue;
            }
            if let Some(Err(why)) = stated.as_ref().map(Schedule::check) {
                declined.push((emitter.name().into(), why.to_string()));
                continue;
            }
            let is_last = emitter.name() == "general";
            if is_last
                && stated.is_none()
                && !self.light.borrow().regions.contains(&fusion)
                && !made_again(fusion).is_empty()
            {
                let why = "a reduction would be made again for each element that reads it";
                declined.push((emitter.name().into(), why.to_string()));
                continue;
            }
            let module = match &self.inlined {
                Some(module) if self.light.borrow().regions.contains(&fusion) => module,
                _ => self.module(emitter.content(), group),
            };
            let cx = EmitContext {
                context: module.context(),
                module,
                options: self.options,
            };
            match emitter.emit(&cx, fusion, name) {
                Ok(mut kernel) => {
                    if self.options.is_off("in-place") {
                        kernel.in_place.clear();
                        kernel.updates = None;
                    }
                    self.reports.borrow_mut().push(Report {
                        kernel: name.to_string(),
                        emitter: kernel.emitter.into(),
                        declined,
                        schedule: kernel.schedule.clone(),
                    });
                    return Ok(kernel);
                }
                Err(why) => {
                    blamed = why.member;
                    declined.push((emitter.name().into(), why.reason));
                }
            }
        }
        if let Some(schedule) = stated {
            let why = declined.pop().map_or_else(
                || {
                    let all = self.emitters.iter().filter(|e| e.of_stages() == staged);
                    let names: Vec<&str> = all.map(|emitter| emitter.name()).collect();
                    format!(
                        "there is no emitter '{}' for this region: there are {}",
                        schedule.emitter,
                        names.join(", ")
                    )
                },
                |(_, why)| why,
            );
            let why = format!("cannot run by its schedule: {why}");
            return Err(Located::new(fusion, why));
        }
        let why = declined
            .pop()
            .map_or_else(|| "no emitter is enabled".to_string(), |(_, why)| why);
        let members = fusion.body(0).map(op::ops).unwrap_or_default();
        let blamed = blamed.and_then(|member| members.get(member));
        let blamed = blamed.or_else(|| members.iter().rev().nth(1));
        let blamed = blamed.copied().unwrap_or(fusion);
        Err(Located::new(blamed, format!("cannot be compiled: {why}")))
    }

    /// Finds the loops of `block` whose kernels become a part of the host's function.
    pub(crate) fn find_light_loops(&self, block: Blk<'c>) {
        if self.inlined.is_some() {
            let found = InlinedKernels::for_block(block);
            self.has_light_loops
                .set(self.has_light_loops.get() || found.has_loops());
            *self.light.borrow_mut() = found;
        }
    }

    /// Module number `group` (or another, if there are fewer) for such code.
    fn module(&self, content: KernelKind, group: usize) -> &Builder<'c> {
        let of = KernelKind::KERNELS.iter().position(|c| *c == content);
        let modules = &self.modules[of.unwrap_or(KernelKind::KERNELS.len() - 1)];
        &modules[group % modules.len()]
    }

    /// Tells whether a fast path is switched off by its name.
    pub(crate) fn is_disabled(&self, name: &str) -> bool {
        self.options.is_off(name)
    }

    /// Code calls the function that is registered as `target` for `op`.
    pub(super) fn calls(&self, op: Op<'c>, target: &str) {
        self.called.borrow_mut().push(Called {
            target: target.to_string(),
            place: op.location().to_string(),
        });
    }

    /// Memory that is kept from call to call: its symbol.
    pub(crate) fn prepacked_memory(&self, bytes: i64) -> String {
        let mut kept = self.prepacked.borrow_mut();
        kept.push(bytes);
        prepacked_symbol(kept.len() - 1)
    }

    /// A builder for helper functions (comparators), and a fresh name.
    pub(crate) fn helper(&self, what: &str) -> (&Builder<'c>, String) {
        let module = self.module(KernelKind::Loops, 0);
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
