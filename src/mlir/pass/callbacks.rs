//! What C++ calls of a pass: its description, the checks of its options, and its run.

use super::{CURRENT, OptionKind, Pass, PassContext, guard};
use crate::{
    Op,
    context::outlive,
    diagnostic::{Failure, Message},
    raw, shim,
};
use melior::{
    ContextRef,
    ir::{Location, OperationRef, operation::OperationLike},
};
use mlir_sys::{MlirContext, MlirOperation, MlirStringRef};
use std::{
    ffi::c_void,
    marker::PhantomData,
    sync::{Mutex, OnceLock},
};

/// The description that C++ sees, one for each pass (by its name), never freed.
pub(super) fn describe(pass: &'static dyn Pass) -> *const shim::PassDescription {
    struct Entry(&'static shim::PassDescription);
    // SAFETY: the description is never written to after it is made, and points to data that never
    // is.
    unsafe impl Send for Entry {}
    static DESCRIPTIONS: OnceLock<Mutex<Vec<(&'static str, Entry)>>> = OnceLock::new();
    let mut descriptions = DESCRIPTIONS
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let argument = pass.argument();
    if let Some((_, entry)) = descriptions.iter().find(|(name, _)| *name == argument) {
        return entry.0;
    }
    let description = Box::leak(Box::new(new_description(pass)));
    descriptions.push((argument, Entry(description)));
    description
}

fn new_description(pass: &'static dyn Pass) -> shim::PassDescription {
    let text = |text: &'static str| raw::string_ref(text);
    let options: Vec<shim::PassOption> = pass
        .options()
        .iter()
        .map(|option| {
            let (kind, initial): (i32, String) = match option.kind {
                OptionKind::Text(initial) => (0, initial.into()),
                OptionKind::Word(words) => (0, words.first().copied().unwrap_or_default().into()),
                OptionKind::Bool(initial) => (1, initial.to_string()),
                OptionKind::Int(initial) => (2, initial.to_string()),
                OptionKind::IntList => (3, String::new()),
            };
            shim::PassOption {
                name: text(option.name),
                description: text(option.description),
                initial: text(Box::leak(initial.into_boxed_str())),
                kind,
            }
        })
        .collect();
    let dialects: Vec<MlirStringRef> = pass
        .dependent_dialects()
        .iter()
        .map(|name| text(name))
        .collect();
    let (options, dialects) = (
        Box::leak(options.into_boxed_slice()),
        Box::leak(dialects.into_boxed_slice()),
    );
    shim::PassDescription {
        pass: std::ptr::from_ref(Box::leak(Box::new(pass))).cast::<c_void>(),
        name: text(Box::leak(class_name(pass.argument()).into_boxed_str())),
        argument: text(pass.argument()),
        description: text(pass.description()),
        anchor: text(pass.anchor().unwrap_or_default()),
        options: options.as_ptr(),
        option_count: options.len() as isize,
        dialects: dialects.as_ptr(),
        dialect_count: dialects.len() as isize,
        initialize,
        run,
    }
}

/// `indexing-annotate` as upstream would name the class: `IndexingAnnotate`.
fn class_name(argument: &str) -> String {
    argument
        .split('-')
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .into_iter()
                .flat_map(char::to_uppercase)
                .chain(letters)
                .collect::<String>()
        })
        .collect()
}

/// # Safety
///
/// `pass` is the pointer of a description made above, `instance` a live instance of it.
unsafe extern "C" fn initialize(
    pass: *const c_void,
    context: MlirContext,
    instance: *const shim::PassInstance,
) -> bool {
    // SAFETY: promised by the caller.
    let pass = unsafe { *pass.cast::<&'static dyn Pass>() };
    let options = PassContext {
        pass,
        instance: instance.cast_mut(),
        context: PhantomData,
    };
    // SAFETY: the context is valid during the call.
    let location = Location::unknown(outlive(unsafe { ContextRef::from_raw(context) }));
    let checked = guard(|| {
        check_words(pass, &options)?;
        pass.check(&options)
    });
    match checked {
        Ok(Ok(())) => true,
        Ok(Err(message)) => {
            let _: Failure = Failure::at(location, &format!("pass {}: {message}", pass.argument()));
            false
        }
        Err(message) => {
            let _: Failure = Failure::at(
                location,
                &format!("internal error in pass {}: {message}", pass.argument()),
            );
            false
        }
    }
}

/// Checks the values of a new instance's options. The reason why they are not good is appended to
/// the `String` at `error`.
///
/// # Safety
///
/// As [`initialize`]; `error` is a `String`.
pub(super) unsafe extern "C" fn check_options(
    pass: *const c_void,
    instance: *const shim::PassInstance,
    error: *mut c_void,
) -> bool {
    // SAFETY: promised by the caller.
    let (pass, error) = unsafe {
        (
            *pass.cast::<&'static dyn Pass>(),
            &mut *error.cast::<String>(),
        )
    };
    let options = PassContext {
        pass,
        instance: instance.cast_mut(),
        context: PhantomData,
    };
    let checked = guard(|| {
        check_words(pass, &options)?;
        pass.check(&options)
    });
    match checked.and_then(|checked| checked) {
        Ok(()) => true,
        Err(message) => {
            error.push_str(&format!("pass {}: {message}", pass.argument()));
            false
        }
    }
}

fn check_words(pass: &dyn Pass, options: &PassContext<'_>) -> Result<(), String> {
    for option in pass.options() {
        if let OptionKind::Word(words) = option.kind {
            let value = options.text(option.name);
            if !words.contains(&value.as_str()) {
                return Err(format!(
                    "option {} must be one of {}, not '{value}'",
                    option.name,
                    words.join(", ")
                ));
            }
        }
    }
    Ok(())
}

/// # Safety
///
/// `pass` is the pointer of a description made above, `instance` a live instance of it, `operation`
/// the one it runs on.
unsafe extern "C" fn run(
    pass: *const c_void,
    operation: MlirOperation,
    instance: *mut shim::PassInstance,
) -> bool {
    // SAFETY: promised by the caller.
    let pass = unsafe { *pass.cast::<&'static dyn Pass>() };
    let context = PassContext {
        pass,
        instance,
        context: PhantomData,
    };
    // SAFETY: promised by the caller.
    let op = unsafe { Op::from_raw(operation) };
    CURRENT.set(Some(operation));
    let result = guard(|| pass.run(op, &context));
    let current = CURRENT.take();
    match result {
        Ok(result) => result.is_ok(),
        Err(message) => {
            // The operation may have been erased since it was said to be the current one, so only
            // the pass's own is touched unless it is still in there.
            let place = current
                .filter(|raw| contains(operation, *raw))
                .unwrap_or(operation);
            // SAFETY: the pass's operation outlives the pass; anything else was just found inside
            // of it.
            let place = unsafe { Op::from_raw(place) };
            let _: Failure = Message::error(
                place.location(),
                format!(
                    "internal error in pass {} at op {}: {message}",
                    pass.argument(),
                    place.name()
                ),
            )
            .note(None, "this is a defect of mapwright; the input may be fine")
            .emit();
            false
        }
    }
}

/// Tells whether `inner` is the operation `outer`, or one inside. Compares pointers only: `inner`
/// may be gone.
fn contains(outer: MlirOperation, inner: MlirOperation) -> bool {
    use melior::ir::operation::{WalkOrder, WalkResult};
    let mut found = false;
    // SAFETY: the outer operation is valid.
    let outer = unsafe { OperationRef::from_raw(outer) };
    outer.walk(WalkOrder::PreOrder, |op| {
        found |= op.to_raw().ptr == inner.ptr;
        if found {
            WalkResult::Interrupt
        } else {
            WalkResult::Advance
        }
    });
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn class_names_are_upstream_like() {
        assert_eq!(super::class_name("indexing-annotate"), "IndexingAnnotate");
    }
}
