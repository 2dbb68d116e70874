//! `check.*` and custom calls.

use std::ffi::{CStr, c_char, c_void};

use super::sort::slice;
use super::{guard, input, output, size, text};
use crate::check::{self, Tolerance};
use crate::custom_call::{self, BufferView, CustomCall, Target};
use crate::error::Status;
use crate::{Context, ElementKind, Error, Result};

/// # Safety
/// The pointers are valid for tensors of this kind and shape.
#[allow(clippy::too_many_arguments)]
unsafe fn compare(
    context: *const Context,
    what: *const c_char,
    kind: i32,
    shape: *const i64,
    rank: i64,
    actual: *const c_void,
    expected: *const c_void,
    tolerance: Tolerance,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        guard(context, |context| {
            let kind = ElementKind::from_code(kind)?;
            let shape: Vec<usize> = slice(shape, rank, "the rank")?
                .iter()
                .map(|s| size(*s, "a size"))
                .collect::<Result<_>>()?;
            let bytes = shape
                .iter()
                .try_fold(kind.size(), |p, s| p.checked_mul(*s))
                .ok_or_else(|| Error::invalid("tensors of too many elements"))?;
            let view = |p: *const c_void| -> &[u8] { input(p.cast(), bytes) };
            check::check(
                context,
                &text(what),
                kind,
                &shape,
                view(actual),
                view(expected),
                tolerance,
            )
        })
    }
}

/// Fails with a description of the first difference unless the tensors have the same values (NaN
/// equals NaN, -0 equals +0). `what` names the check in the message, for example with its location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_check_equal(
    context: *const Context,
    what: *const c_char,
    kind: i32,
    shape: *const i64,
    rank: i64,
    actual: *const c_void,
    expected: *const c_void,
) -> i32 {
    // SAFETY: the caller gives tensors of this shape.
    unsafe {
        compare(
            context,
            what,
            kind,
            shape,
            rank,
            actual,
            expected,
            Tolerance::Equal,
        )
    }
}

/// Fails unless floats are from `min_ulp` to `max_ulp` units in the last place apart
/// (`check.expect_close`: 0 to 3).
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mw_check_close(
    context: *const Context,
    what: *const c_char,
    kind: i32,
    shape: *const i64,
    rank: i64,
    actual: *const c_void,
    expected: *const c_void,
    min_ulp: u64,
    max_ulp: u64,
) -> i32 {
    let tolerance = Tolerance::Ulp {
        min: min_ulp,
        max: max_ulp,
    };
    // SAFETY: the caller gives tensors of this shape.
    unsafe {
        compare(
            context, what, kind, shape, rank, actual, expected, tolerance,
        )
    }
}

/// Fails unless floats have the same sign (or are zero) and are at most `tolerance` apart
/// (`check.expect_almost_eq`: 0.001).
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mw_check_almost_equal(
    context: *const Context,
    what: *const c_char,
    kind: i32,
    shape: *const i64,
    rank: i64,
    actual: *const c_void,
    expected: *const c_void,
    tolerance: f64,
) -> i32 {
    // SAFETY: the caller gives tensors of this shape.
    unsafe {
        compare(
            context,
            what,
            kind,
            shape,
            rank,
            actual,
            expected,
            Tolerance::Absolute(tolerance),
        )
    }
}

/// Fails with the message of an assertion about shapes: `count` numbers between one text more, each
/// of which begins where the one before has ended. Without texts there is no message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_shape_assertion(
    context: *const Context,
    texts: *const c_char,
    numbers: *const i64,
    count: i64,
) -> i32 {
    // SAFETY: the caller gives so many numbers and strings.
    unsafe {
        guard(context, |_| {
            let given = if texts.is_null() { 0 } else { count };
            let numbers = slice(numbers, given, "the number of numbers")?;
            let mut message = text(texts);
            let mut part = texts;
            for number in numbers {
                part = part.add(CStr::from_ptr(part).count_bytes() + 1);
                message.push_str(&number.to_string());
                message.push_str(&text(part));
            }
            Err(Error::new(Status::ShapeMismatch, message))
        })
    }
}

/// Registers a custom call target for the process, replacing one of the same name. False when name
/// or function is missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_register_custom_call(
    name: *const c_char,
    function: Option<CustomCall>,
    user: *mut c_void,
) -> bool {
    let Some(function) = function else {
        return false;
    };
    if name.is_null() {
        return false;
    }
    // SAFETY: the caller gives a string, and a function that may be called from any thread.
    std::panic::catch_unwind(|| unsafe {
        custom_call::register(&text(name), Target { function, user })
    })
    .is_ok()
}

/// Removes a custom call target; false when there was none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_unregister_custom_call(name: *const c_char) -> bool {
    // SAFETY: the caller gives a string or null.
    std::panic::catch_unwind(|| custom_call::unregister(&unsafe { text(name) })).unwrap_or(false)
}

/// Calls a custom call target by name.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mw_custom_call(
    context: *const Context,
    name: *const c_char,
    arguments: *const BufferView,
    argument_count: i64,
    results: *mut BufferView,
    result_count: i64,
    attributes: *const c_char,
) -> i32 {
    // SAFETY: the caller gives arrays of these lengths and strings.
    unsafe {
        guard(context, |context| {
            let arguments = slice(arguments, argument_count, "the number of arguments")?;
            let count = size(result_count, "the number of results")?;
            let results: &mut [BufferView] = output(results, count);
            let attributes = if attributes.is_null() {
                c""
            } else {
                CStr::from_ptr(attributes)
            };
            custom_call::call(context, &text(name), arguments, results, attributes)
        })
    }
}
