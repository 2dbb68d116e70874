//! Passes written in Rust, with options that upstream's tools show, and a guard against panics.

mod callbacks;

use crate::{Op, context::outlive, diagnostic::Failure, raw, shim};
use callbacks::{check_options, describe};
use melior::{
    Context,
    ir::{Module, operation::OperationLike},
    pass::PassManager,
    utility::parse_pass_pipeline,
};
use mlir_sys::{MlirOperation, MlirPass};
use std::{
    any::Any,
    cell::{Cell, RefCell},
    ffi::c_void,
    marker::PhantomData,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

/// Kind of value that an option holds, and its default.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
    /// Any text.
    Text(&'static str),
    /// One of a few words, the default first.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Integers with commas between them; none by default.
    IntList,
}

/// An option of a pass. Reproducers and `--dump-pass-pipeline` show it, `--help` explains it.
#[derive(Clone, Copy, Debug)]
pub struct PassOption {
    /// As it is written in a pipeline.
    pub name: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Kind and default of its value.
    pub kind: OptionKind,
}

/// A pass. One object serves all its instances, perhaps on several threads at once; what differs
/// from instance to instance, its options, comes with the [`PassContext`].
pub trait Pass: Sync + 'static {
    /// Its name in a pipeline; begins with `indexing-`.
    fn argument(&self) -> &'static str;

    /// One sentence for `--help`.
    fn description(&self) -> &'static str;

    /// The operation it runs on; `None` is any.
    fn anchor(&self) -> Option<&'static str> {
        None
    }

    /// Prerequisites of the pass, as a sentence for the page of passes.
    fn before(&self) -> &'static str {
        "Nothing."
    }

    /// The options it understands.
    fn options(&self) -> &'static [PassOption] {
        &[]
    }

    /// Names of the dialects whose operations or attributes it creates. Not those that it only
    /// reads: a host may have its own.
    fn dependent_dialects(&self) -> &'static [&'static str] {
        &[]
    }

    /// Checks a set of options. An error is the sentence that says what is wrong. Words are checked
    /// already.
    fn check(&self, _options: &PassContext<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Runs the pass.
    fn run<'c>(&self, op: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure>;
}

/// One instance of a pass at work: its options, and the pass manager it runs in.
pub struct PassContext<'c> {
    pass: &'static dyn Pass,
    instance: *mut shim::PassInstance,
    context: PhantomData<&'c Context>,
}

impl<'c> PassContext<'c> {
    fn index(&self, name: &str) -> isize {
        self.pass
            .options()
            .iter()
            .position(|option| option.name == name)
            .unwrap_or_else(|| panic!("{} declares no option {name}", self.pass.argument()))
            as isize
    }

    fn kind(&self, index: isize) -> OptionKind {
        self.pass.options()[index as usize].kind
    }

    /// The value of a text or word option. Panics if the pass declares no such option.
    pub fn text(&self, name: &str) -> String {
        let index = self.index(name);
        assert!(
            matches!(self.kind(index), OptionKind::Text(_) | OptionKind::Word(_)),
            "{name} is no text"
        );
        // SAFETY: the instance lives while the pass runs, the index is in range, the kind was
        // checked.
        unsafe { raw::string(shim::mapwrightOptionString(self.instance, index)) }
    }

    /// The value of a boolean option. Panics if the pass declares no such option.
    pub fn flag(&self, name: &str) -> bool {
        let index = self.index(name);
        assert!(
            matches!(self.kind(index), OptionKind::Bool(_)),
            "{name} is no flag"
        );
        // SAFETY: as in `text`.
        unsafe { shim::mapwrightOptionBool(self.instance, index) }
    }

    /// The value of an integer option. Panics if the pass declares no such option.
    pub fn int(&self, name: &str) -> i64 {
        let index = self.index(name);
        assert!(
            matches!(self.kind(index), OptionKind::Int(_)),
            "{name} is no integer"
        );
        // SAFETY: as in `text`.
        unsafe { shim::mapwrightOptionInt(self.instance, index) }
    }

    /// The values of a list option. Panics if the pass declares no such option.
    pub fn ints(&self, name: &str) -> Vec<i64> {
        let index = self.index(name);
        assert!(
            matches!(self.kind(index), OptionKind::IntList),
            "{name} is no list"
        );
        let mut count = 0;
        // SAFETY: as in `text`; the shim returns `count` integers that live as long as the
        // instance.
        unsafe {
            let first = shim::mapwrightOptionIntList(self.instance, index, &mut count);
            if count == 0 {
                return Vec::new();
            }
            std::slice::from_raw_parts(first, count as usize).to_vec()
        }
    }

    /// Runs a textual pipeline, such as `cse,canonicalize`, on the pass's operation or on one
    /// inside, as a part of this pass.
    pub fn run_pipeline(&self, pipeline: &str, op: Op<'c>) -> Result<(), Failure> {
        // SAFETY: the instance lives while the pass runs; the operation is valid.
        unsafe {
            shim::mapwrightPassRunPipeline(self.instance, raw::string_ref(pipeline), op.to_raw())
        }
        .then_some(())
        .ok_or(Failure::reported())
    }

    /// Says which operation is being worked on, for the message if the pass panics there.
    pub fn at(&self, op: Op<'c>) {
        CURRENT.set(Some(op.to_raw()));
    }
}

/// Puts a pass into the global registry, from which pipelines are parsed. A second pass of the same
/// name is left out.
pub fn register_pass(pass: &'static dyn Pass) {
    // SAFETY: the description lives until the process ends.
    unsafe { shim::mapwrightPassRegister(describe(pass)) }
}

/// Puts a named pipeline into the global registry; `text` is what it stands for, such as
/// `cse,func.func(canonicalize)`.
pub fn register_pipeline(name: &'static str, description: &'static str, text: &'static str) {
    // SAFETY: all three live until the process ends.
    unsafe {
        shim::mapwrightPipelineRegister(
            raw::string_ref(name),
            raw::string_ref(description),
            raw::string_ref(text),
        );
    }
}

/// Whether there is a pass or pipeline of that name in the global registry.
pub fn is_registered(argument: &str) -> bool {
    // SAFETY: the name lives through the call.
    unsafe { shim::mapwrightPassIsRegistered(raw::string_ref(argument)) }
}

/// A new instance of a pass, with options as in `a=1 b=2`. An error is the sentence that says what
/// is wrong with them.
pub fn create_pass(pass: &'static dyn Pass, options: &str) -> Result<melior::pass::Pass, String> {
    let raw = create_raw(pass, options)?;
    // SAFETY: a new pass, owned by nobody else.
    Ok(unsafe { melior::pass::Pass::from_raw(raw) })
}

/// As [`create_pass`], for callers that hand the pass to C.
pub fn create_raw(pass: &'static dyn Pass, options: &str) -> Result<MlirPass, String> {
    let mut error = String::new();
    // SAFETY: the description lives until the process ends; `append` gets the `String` it expects.
    let raw = unsafe {
        shim::mapwrightPassCreate(
            describe(pass),
            raw::string_ref(options),
            check_options,
            shim::append,
            (&raw mut error).cast::<c_void>(),
        )
    };
    if raw.ptr.is_null() {
        // Upstream's reader of numbers says what is wrong on standard error alone.
        if error.is_empty() {
            error = format!("the options '{options}' cannot be read");
        }
        // Upstream says neither which pass it is nor which options there are.
        let Some(why) = error.strip_prefix("<Pass-Options-Parser>: ") else {
            return Err(error);
        };
        let names: Vec<&str> = pass.options().iter().map(|option| option.name).collect();
        let own = if names.is_empty() {
            "it has no options".into()
        } else {
            format!("its options are {}", names.join(", "))
        };
        let (pass, why) = (pass.argument(), why.trim_end());
        return Err(format!("pass {pass}: {why}; {own}"));
    }
    Ok(raw)
}

/// Runs a textual pipeline, such as `builtin.module(cse)`, on a module.
///
/// A pipeline that cannot be parsed is reported as a diagnostic at the module.
pub fn run_pipeline(module: &mut Module<'_>, pipeline: &str) -> Result<(), Failure> {
    let manager = manager(module, pipeline)?;
    manager.run(module).map_err(|_| Failure::reported())
}

/// A textual pipeline of upstream conversions, for one module after the other. What they leave is
/// verified once, after the last pass, and not after each of them.
pub struct Conversions<'c> {
    manager: PassManager<'c>,
}

impl<'c> Conversions<'c> {
    /// Parses `pipeline`, such as `builtin.module(convert-scf-to-cf)`; `module` is for its context
    /// and for diagnostics.
    ///
    /// # Errors
    /// A pipeline that cannot be parsed, as a diagnostic at the module.
    pub fn new(module: &Module<'c>, pipeline: &str) -> Result<Self, Failure> {
        let manager = manager(module, pipeline)?;
        manager.enable_verifier(cfg!(debug_assertions));
        Ok(Self { manager })
    }

    /// Converts `module`, a `builtin.module`, which may be inside of another.
    ///
    /// # Errors
    /// A module that is not valid before or after, or a pass that fails: with diagnostics.
    pub fn run(&self, module: Op<'c>) -> Result<(), Failure> {
        let verified = || {
            if module.verify() {
                Ok(())
            } else {
                Err(Failure::reported())
            }
        };
        verified()?;
        self.run_unverified(module)?;
        verified()
    }

    /// As [`Self::run`], on a module that is known to be valid, with passes that leave it so:
    /// verifying takes as long as parsing.
    ///
    /// # Errors
    /// A pass that fails.
    pub fn run_unverified(&self, module: Op<'c>) -> Result<(), Failure> {
        // SAFETY: manager and operation are valid, and of one context.
        let result =
            unsafe { mlir_sys::mlirPassManagerRunOnOp(self.manager.to_raw(), module.to_raw()) };
        match result.value {
            0 => Err(Failure::reported()),
            _ => Ok(()),
        }
    }
}

fn manager<'c>(module: &Module<'c>, pipeline: &str) -> Result<PassManager<'c>, Failure> {
    let manager = PassManager::new(outlive(module.context()));
    parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline).map_err(|error| {
        Failure::at(
            module.as_operation().location(),
            &format!("cannot parse the pipeline {pipeline}: {error}"),
        )
    })?;
    Ok(manager)
}

thread_local! {
    static CURRENT: Cell<Option<MlirOperation>> = const { Cell::new(None) };
    static GUARDED: Cell<usize> = const { Cell::new(0) };
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Calls `work`; a panic in it becomes an error that says what happened and where, and is not
/// printed.
///
/// For every callback into Rust: unwinding out of one would end the host process.
pub fn guard<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if GUARDED.get() == 0 {
                previous(info);
                return;
            }
            let place = info
                .location()
                .map(|location| format!(" ({}:{})", location.file(), location.line()))
                .unwrap_or_default();
            PANIC.set(Some(format!("{}{place}", payload(info.payload()))));
        }));
    });
    GUARDED.set(GUARDED.get() + 1);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(GUARDED.get() - 1);
    result.map_err(|cause| PANIC.take().unwrap_or_else(|| payload(cause.as_ref())))
}

fn payload(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{context, diagnostic::Diagnostics};
    use melior::ir::Attribute;

    struct Mark;

    impl Pass for Mark {
        fn argument(&self) -> &'static str {
            "indexing-test-mark"
        }
        fn description(&self) -> &'static str {
            "Writes its options into an attribute."
        }
        fn options(&self) -> &'static [PassOption] {
            &[
                PassOption {
                    name: "text",
                    description: "Text.",
                    kind: OptionKind::Text("none"),
                },
                PassOption {
                    name: "word",
                    description: "Word.",
                    kind: OptionKind::Word(&["one", "two"]),
                },
                PassOption {
                    name: "flag",
                    description: "Flag.",
                    kind: OptionKind::Bool(true),
                },
                PassOption {
                    name: "int",
                    description: "Integer.",
                    kind: OptionKind::Int(-7),
                },
                PassOption {
                    name: "ints",
                    description: "Integers.",
                    kind: OptionKind::IntList,
                },
            ]
        }
        fn run<'c>(&self, op: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
            let text = format!(
                "\"{} {} {} {} {:?}\"",
                context.text("text"),
                context.text("word"),
                context.flag("flag"),
                context.int("int"),
                context.ints("ints")
            );
            let attribute = Attribute::parse(op.context(), &text).unwrap();
            op.set_attribute("mark", attribute);
            Ok(())
        }
    }

    struct Panics;

    impl Pass for Panics {
        fn argument(&self) -> &'static str {
            "indexing-test-panic"
        }
        fn description(&self) -> &'static str {
            "Panics at the first function."
        }
        fn run<'c>(&self, op: Op<'c>, context: &PassContext<'c>) -> Result<(), Failure> {
            context.at(op.descendants()[0]);
            panic!("the number is {}", 7);
        }
    }

    fn run(pipeline: &str) -> (Result<(), Failure>, String, String) {
        register_pass(&Mark);
        register_pass(&Panics);
        let context = context();
        let diagnostics = Diagnostics::to_text(&context);
        let mut module = diagnostics
            .parse("f.mlir", b"\nfunc.func private @f()")
            .unwrap();
        let result = run_pipeline(&mut module, pipeline);
        (
            result,
            module.as_operation().to_string(),
            diagnostics.take(),
        )
    }

    #[test]
    fn options_have_their_defaults() {
        let (result, text, diagnostics) = run("builtin.module(func.func(indexing-test-mark))");
        assert!(result.is_ok(), "{diagnostics}");
        assert!(text.contains("mark = \"none one true -7 []\""), "{text}");
    }

    #[test]
    fn options_are_read_from_the_pipeline() {
        let (result, text, diagnostics) = run(
            "builtin.module(func.func(indexing-test-mark{text=x word=two flag=false int=12 ints=1,-2,3}))",
        );
        assert!(result.is_ok(), "{diagnostics}");
        assert!(
            text.contains("mark = \"x two false 12 [1, -2, 3]\""),
            "{text}"
        );
    }

    #[test]
    fn a_word_that_is_not_in_the_list_is_an_error() {
        let (result, _, diagnostics) = run("builtin.module(indexing-test-mark{word=three})");
        assert!(result.is_err());
        assert!(
            diagnostics.contains(
                "pass indexing-test-mark: option word must be one of one, two, not 'three'"
            ),
            "{diagnostics}"
        );
    }

    #[test]
    fn a_panic_is_an_error_at_the_operation() {
        let (result, _, diagnostics) = run("builtin.module(indexing-test-panic)");
        assert!(result.is_err());
        assert!(
            diagnostics.starts_with(
                "f.mlir:2:1: error: internal error in pass indexing-test-panic at op func.func: the number is 7"
            ),
            "{diagnostics}"
        );
    }

    #[test]
    fn a_wrong_pipeline_is_an_error() {
        let (result, _, diagnostics) = run("builtin.module(indexing-test-nothing)");
        assert!(result.is_err());
        assert!(
            diagnostics.contains("indexing-test-nothing"),
            "{diagnostics}"
        );
    }

    #[test]
    fn wrong_options_of_a_new_pass_are_an_error() {
        assert!(create_pass(&Mark, "int=3 flag=false").is_ok());
        let Err(error) = create_pass(&Mark, "nonsense=3") else {
            panic!("accepted");
        };
        assert_eq!(
            error,
            "pass indexing-test-mark: no such option nonsense; its options are text, word, flag, int, ints"
        );
    }
}
