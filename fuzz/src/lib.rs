//! What both targets share: a context that lives for many inputs.

use mapwright_mlir::{context::context, melior::Context};
use std::cell::RefCell;

/// Inputs after which a context is replaced. It keeps every type, attribute and location that it
/// has seen, so it grows.
const INPUTS: usize = 500;

/// Calls `work` with a context that other inputs have used before. Making one takes longer than
/// reading a small program.
pub fn with_context(work: impl FnOnce(&Context)) {
    thread_local! {
        static CONTEXT: RefCell<Option<(Context, usize)>> = const { RefCell::new(None) };
    }
    CONTEXT.with_borrow_mut(|slot| {
        let (context, used) = slot.get_or_insert_with(|| {
            mapwright_ops::hooks::install();
            (context(), 0)
        });
        work(context);
        *used += 1;
        if *used >= INPUTS {
            *slot = None;
        }
    });
}
