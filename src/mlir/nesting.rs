//! How deep a source may be nested. Readers, verifiers, walks and printers go down with it, so a
//! source beyond the limit is refused, and threads that handle sources get a stack that suffices
//! for the limit.

use crate::{raw, shim};

/// The deepest nesting that is read: what was set last, else `MAPWRIGHT_DEEPEST_NESTING` of the
/// environment, else 5000.
pub fn deepest() -> i32 {
    // SAFETY: reads a number.
    unsafe { shim::mapwrightDeepestNesting() }
}

/// Sets [`deepest`] for the whole process; threads that are made from then on get the stack for it,
/// those that ask for a size of their own excepted ([`stack`]).
///
/// # Errors
///
/// It is not positive, or the system has no stack for it.
pub fn set_deepest(levels: i32) -> Result<(), String> {
    // SAFETY: any number may be given.
    if unsafe { shim::mapwrightDeepestNestingSet(levels) } {
        Ok(())
    } else {
        Err(format!("there is no stack for a source of {levels} levels"))
    }
}

/// Bytes of stack that suffice for sources as deep as is read.
pub fn stack() -> usize {
    // SAFETY: reads a number.
    let bytes = unsafe { shim::mapwrightDeepestNestingStack() };
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Tells whether a text is nested too deeply for MLIR's parser, or has something that the parser is
/// known to die of.
pub(crate) fn refused(text: &str) -> bool {
    // SAFETY: the text is read during the call.
    unsafe { shim::mapwrightTextRefused(raw::string_ref(text)) }
}
