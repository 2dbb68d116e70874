//! Functions that programs call by name: `custom_call` targets registered by the user, and those of
//! [`crate::lapack`].

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::sync::{OnceLock, PoisonError, RwLock};

use crate::error::{Error, Result, Status};
use crate::{Context, ElementKind, lapack};

/// A dense tensor, as C sees it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BufferView {
    pub data: *mut c_void,
    /// Code of an [`ElementKind`].
    pub kind: i32,
    pub rank: i32,
    /// `rank` sizes.
    pub shape: *const i64,
}

/// A target: reads the arguments, writes the results (already allocated), and returns a [`Status`]
/// code. It may call `mw_set_error` for a message. `attributes` is the call's configuration as MLIR
/// text (`{a = 1 : i64}`, or the backend configuration string). Called from several threads when
/// several programs run.
pub type CustomCall = unsafe extern "C" fn(
    user: *mut c_void,
    context: *const Context,
    arguments: *const BufferView,
    argument_count: i64,
    results: *mut BufferView,
    result_count: i64,
    attributes: *const c_char,
) -> i32;

/// A target with the pointer its author wants back.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub function: CustomCall,
    pub user: *mut c_void,
}

// SAFETY: whoever registers a target promises that it may be called from any thread.
unsafe impl Send for Target {}
// SAFETY: as above.
unsafe impl Sync for Target {}

fn registry() -> &'static RwLock<BTreeMap<String, Target>> {
    static REGISTRY: OnceLock<RwLock<BTreeMap<String, Target>>> = OnceLock::new();
    REGISTRY.get_or_init(RwLock::default)
}

/// Registers a target for the whole process. A name that is taken is replaced; programs that
/// resolved it before keep the old one.
///
/// # Safety
/// The function may be called from any thread, with `user`, until the process ends.
pub unsafe fn register(name: &str, target: Target) {
    registry()
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(name.to_owned(), target);
}

/// Removes a target; false when there was none.
pub fn unregister(name: &str) -> bool {
    registry()
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(name)
        .is_some()
}

/// The target of this name.
pub fn find(name: &str) -> Option<Target> {
    registry()
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(name)
        .copied()
}

/// The names of all targets, sorted.
pub fn names() -> Vec<String> {
    registry()
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .keys()
        .cloned()
        .collect()
}

/// Calls a target by name.
///
/// # Safety
/// The views describe valid buffers; results are not accessed by anybody else.
///
/// # Errors
/// What failed before, in which case nothing is called; `NotFound` for an unknown name;
/// `InvalidArgument` for an unknown element type; what the target returned, with the message it
/// set.
pub unsafe fn call(
    context: &Context,
    name: &str,
    arguments: &[BufferView],
    results: &mut [BufferView],
    attributes: &std::ffi::CStr,
) -> Result<()> {
    // The target may run another program on this thread, which must not find what was left here.
    context.take_left();
    if let Some(error) = context.error() {
        return Err(error);
    }
    // What the user registers goes before what is built in.
    let target = find(name);
    let built_in = match target {
        None => lapack::find(name),
        Some(_) => None,
    };
    for view in arguments.iter().chain(results.iter()) {
        ElementKind::from_code(view.kind)?;
    }
    if let Some(function) = built_in {
        // SAFETY: the caller's promise.
        let done = unsafe { lapack::call(context, function, arguments, results, attributes) };
        return done.map_err(|error| failed(name, error.status, &error.message));
    }
    let Some(target) = target else {
        let hint = if name.contains("python") {
            ", which calls Python: a program with callbacks runs in JAX, by Mapwright's plugin"
        } else {
            ""
        };
        return Err(Error::new(
            Status::NotFound,
            format!("no custom call target is registered under the name {name:?}{hint}"),
        ));
    };
    // SAFETY: registered as callable from any thread; the views are valid by the caller's promise.
    let code = unsafe {
        (target.function)(
            target.user,
            context,
            arguments.as_ptr(),
            arguments.len() as i64,
            results.as_mut_ptr(),
            results.len() as i64,
            attributes.as_ptr(),
        )
    };
    if code == Status::Ok as i32 {
        return Ok(());
    }
    let status = match Status::from_code(code) {
        Status::Ok | Status::Internal => Status::CallbackFailed,
        status => status,
    };
    let detail = context
        .error()
        .map_or_else(|| format!("it returned {code}"), |e| e.message);
    context.clear_error();
    Err(failed(name, status, &detail))
}

fn failed(name: &str, status: Status, detail: &str) -> Error {
    Error::new(status, format!("custom call {name:?} failed: {detail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn negate(
        user: *mut c_void,
        context: *const Context,
        arguments: *const BufferView,
        argument_count: i64,
        results: *mut BufferView,
        _: i64,
        _: *const c_char,
    ) -> i32 {
        if argument_count != 1 {
            // SAFETY: called with a live context and a string.
            return unsafe {
                crate::ffi::mw_set_error(
                    context,
                    Status::InvalidArgument as i32,
                    c"one argument, please".as_ptr(),
                )
            };
        }
        // SAFETY: the test passes one `i32` each.
        unsafe {
            *(*results).data.cast::<i32>() = user.addr() as i32 - *(*arguments).data.cast::<i32>()
        };
        0
    }

    #[test]
    fn targets_are_found_called_and_removed() {
        let name = "custom_call::tests::negate";
        // SAFETY: the function may be called from any thread.
        unsafe {
            register(
                name,
                Target {
                    function: negate,
                    user: std::ptr::without_provenance_mut(100),
                },
            )
        };
        assert!(names().iter().any(|n| n == name));
        let context = Context::new(1);
        let (mut x, mut y) = (7i32, 0i32);
        let view = |p: &mut i32| BufferView {
            data: std::ptr::from_mut(p).cast(),
            kind: ElementKind::I32.code(),
            rank: 0,
            shape: std::ptr::null(),
        };
        let (arguments, mut results) = ([view(&mut x)], [view(&mut y)]);
        // SAFETY: the views are valid.
        unsafe { call(&context, name, &arguments, &mut results, c"") }.unwrap();
        // SAFETY: the views are valid.
        let error = unsafe { call(&context, name, &[], &mut results, c"") }.unwrap_err();
        assert_eq!(y, 93);
        assert_eq!(error.status, Status::InvalidArgument);
        assert!(error.message.contains("one argument, please"));
        assert!(unregister(name) && !unregister(name));
        // SAFETY: nothing is called.
        let error = unsafe { call(&context, name, &arguments, &mut results, c"") }.unwrap_err();
        assert_eq!(error.status, Status::NotFound);
    }

    /// Runs another program on this thread, which ends as programs do: with the status of its
    /// context.
    unsafe extern "C" fn run_another(
        calls: *mut c_void,
        _: *const Context,
        _: *const BufferView,
        _: i64,
        _: *mut BufferView,
        _: i64,
        _: *const c_char,
    ) -> i32 {
        let other = Context::new(1);
        // SAFETY: `calls` is the counter of the test, and the context is live.
        unsafe {
            *calls.cast::<usize>() += 1;
            crate::ffi::mw_error_status(&raw const other)
        }
    }

    #[test]
    fn what_was_left_before_is_the_callers() {
        let name = "custom_call::tests::run_another";
        let mut calls = 0usize;
        let target = Target {
            function: run_another,
            user: (&raw mut calls).cast(),
        };
        // SAFETY: nobody else knows the name, and it is removed before the counter goes.
        unsafe { register(name, target) };
        let context = Context::new(1);
        // SAFETY: no views.
        let run = || unsafe { call(&context, name, &[], &mut [], c"") };
        let before = Error::new(Status::Internal, "a kernel of the caller");
        crate::error::leave(before.clone());
        assert_eq!(run(), Err(before.clone()));
        assert_eq!(context.error(), Some(before));
        assert_eq!(crate::error::left(), None);
        context.clear_error();
        assert_eq!(run(), Ok(()));
        unregister(name);
        // What follows a failure is not done.
        assert_eq!(calls, 1);
    }
}
