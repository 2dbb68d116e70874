//! The names that MLIR gives to values when it prints them.
//!
//! MLIR numbers a whole function to know the name of one value of it. Whoever asks for many names
//! of a program that stays as it is holds a [`Numbering`] of it meanwhile, and each question is
//! answered from that.

use crate::{Op, Val, raw};
use melior::ir::ValueLike;
use mlir_sys as sys;
use std::{cell::RefCell, ffi::c_void, marker::PhantomData};

/// MLIR's state of printing: the numbers of all values of an operation.
struct State {
    flags: sys::MlirOpPrintingFlags,
    state: sys::MlirAsmState,
}

impl State {
    /// Numbers what is in `op`, whose verification need not be repeated for that.
    fn of_operation(op: Op<'_>) -> Self {
        // SAFETY: the operation is valid; flags and state are destroyed when this value is dropped.
        unsafe {
            let flags = sys::mlirOpPrintingFlagsCreate();
            sys::mlirOpPrintingFlagsUseLocalScope(flags);
            sys::mlirOpPrintingFlagsAssumeVerified(flags);
            let state = sys::mlirAsmStateCreateForOperation(op.to_raw(), flags);
            Self { flags, state }
        }
    }

    /// Numbers the function (or module) that `value` is in.
    fn of_value(value: Val<'_>) -> Self {
        // SAFETY: as above.
        unsafe {
            let flags = sys::mlirOpPrintingFlagsCreate();
            sys::mlirOpPrintingFlagsUseLocalScope(flags);
            let state = sys::mlirAsmStateCreateForValue(value.to_raw(), flags);
            Self { flags, state }
        }
    }

    fn label(&self, value: Val<'_>) -> String {
        unsafe extern "C" fn append(part: sys::MlirStringRef, data: *mut c_void) {
            // SAFETY: `data` is the string below, `part` lives through the call.
            unsafe { (*data.cast::<String>()).push_str(&raw::string(part)) }
        }
        let mut text = String::new();
        // SAFETY: value and state are valid, the string outlives the call.
        unsafe {
            sys::mlirValuePrintAsOperand(
                value.to_raw(),
                self.state,
                Some(append),
                (&raw mut text).cast(),
            );
        }
        text
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // SAFETY: both were created with this value and are not used any more.
        unsafe {
            sys::mlirAsmStateDestroy(self.state);
            sys::mlirOpPrintingFlagsDestroy(self.flags);
        }
    }
}

thread_local! {
    /// The numberings that are held on this thread, innermost last: the operation and its state.
    static HELD: RefCell<Vec<(*mut c_void, State)>> = const { RefCell::new(Vec::new()) };
}

/// The names of all values in an operation, made once. While it is held, [`label`] on the same
/// thread answers from it. The operation must not change meanwhile, but for attributes.
#[must_use = "the names are forgotten when this is dropped"]
pub struct Numbering<'c> {
    of: *mut c_void,
    /// Bound to the thread and to the program.
    program: PhantomData<(Op<'c>, *mut ())>,
}

impl<'c> Numbering<'c> {
    /// Numbers all values in `op`, which is well-formed.
    pub fn for_op(op: Op<'c>) -> Self {
        let of = op.to_raw().ptr;
        HELD.with_borrow_mut(|held| held.push((of, State::of_operation(op))));
        Self {
            of,
            program: PhantomData,
        }
    }
}

impl Drop for Numbering<'_> {
    fn drop(&mut self) {
        HELD.with_borrow_mut(|held| {
            if let Some(at) = held.iter().rposition(|(of, _)| *of == self.of) {
                held.remove(at);
            }
        });
    }
}

/// The operations that a value is in, innermost first.
fn enclosing(value: Val<'_>) -> Vec<*mut c_void> {
    // SAFETY: the value is valid, and so are its owner and the operations around that; a null
    // operation ends the list.
    unsafe {
        let mut op = if sys::mlirValueIsABlockArgument(value.to_raw()) {
            sys::mlirBlockGetParentOperation(sys::mlirBlockArgumentGetOwner(value.to_raw()))
        } else {
            sys::mlirOperationGetParentOperation(sys::mlirOpResultGetOwner(value.to_raw()))
        };
        let mut all = Vec::new();
        while !op.ptr.is_null() {
            all.push(op.ptr);
            op = sys::mlirOperationGetParentOperation(op);
        }
        all
    }
}

/// The name of `value` as MLIR prints it in the function (or module) it is in, such as `%arg1` or
/// `%4#1`.
pub fn label(value: Val<'_>) -> String {
    labels(&[value]).pop().unwrap_or_default()
}

/// The [`label`]s of values of one function, numbered in one go.
pub fn labels(values: &[Val<'_>]) -> Vec<String> {
    let Some(first) = values.first() else {
        return Vec::new();
    };
    let texts = |state: &State| values.iter().map(|value| state.label(*value)).collect();
    HELD.with_borrow(|held| {
        let around = enclosing(*first);
        match held.iter().rfind(|(of, _)| around.contains(of)) {
            Some((_, state)) => texts(state),
            // In a block that belongs to no operation nothing is numbered.
            None if around.is_empty() => vec!["<<detached>>".into(); values.len()],
            None => texts(&State::of_value(*first)),
        }
    })
}
