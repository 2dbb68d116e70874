//! Contexts and registries that know every dialect.

use crate::shim;
use melior::{
    Context, ContextRef,
    dialect::DialectRegistry,
    utility::{register_all_llvm_translations, register_all_passes},
};
use mlir_sys::MlirDialectRegistry;
use std::{
    collections::BTreeMap,
    mem::ManuallyDrop,
    ops::Deref,
    sync::{Mutex, Once, PoisonError},
    thread,
};

/// The version of LLVM and MLIR that this library was built for, such as `22.1.8`.
pub const LLVM_VERSION: &str = env!("MAPWRIGHT_LLVM_VERSION");

/// A registry with every upstream dialect, extension and LLVM translation, and ours.
pub fn registry() -> DialectRegistry {
    let registry = DialectRegistry::new();
    // SAFETY: the registry is valid.
    unsafe { shim::mapwrightDialectsInsertAll(registry.to_raw()) }
    registry
}

/// Adds our dialects to a registry that a host owns, but none whose name it already knows: the
/// host's own definition stays.
///
/// # Safety
///
/// The registry must be valid, and made by the MLIR that this library is linked with.
pub unsafe fn insert_dialects_raw(registry: MlirDialectRegistry) {
    // SAFETY: promised by the caller.
    unsafe { shim::mapwrightDialectsInsert(registry) }
}

/// A context that knows every dialect of [`registry`]. Ours, and the upstream ones that our passes
/// and builders create operations of, are loaded; the others are when they are first met in a
/// source. Upstream's passes are registered with it, once in a process.
///
/// The context has no threads of its own: diagnostics come in the order of the source.
pub fn context() -> Context {
    static PASSES: Once = Once::new();
    PASSES.call_once(register_all_passes);
    let context = Context::new_with_registry(&registry(), false);
    // SAFETY: the context is valid and nothing else uses it.
    unsafe { shim::mapwrightDialectsLoad(context.to_raw()) }
    register_all_llvm_translations(&context);
    context
}

/// A context that was made for another program, while it has not read much; see [`reused`].
pub struct Reused {
    context: ManuallyDrop<Context>,
    /// Bytes of the programs that it has read.
    read: usize,
}

// SAFETY: a context may be used from any thread, and the value has it alone.
unsafe impl Send for Reused {}

/// Contexts that nobody uses.
static IDLE: Mutex<Vec<Reused>> = Mutex::new(Vec::new());

/// A context as [`context`] makes it, for a program of so many bytes. Where many small programs are
/// compiled one after another, making contexts is a fifth of the work; what is used here is used
/// again after it is dropped. As a context keeps each attribute that it ever saw, one that has read
/// a quarter of a mebibyte of programs is given up.
pub fn reused(bytes: usize) -> Reused {
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut reused = idle.unwrap_or_else(|| Reused {
        context: ManuallyDrop::new(context()),
        read: 0,
    });
    reused.read += bytes;
    reused
}

impl Deref for Reused {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Drop for Reused {
    fn drop(&mut self) {
        const MOST_READ: usize = 1 << 18;
        // SAFETY: the value is not used any more afterwards.
        let context = unsafe { ManuallyDrop::take(&mut self.context) };
        // What a panic left behind is not known.
        if self.read < MOST_READ && !thread::panicking() {
            let idle = Self {
                context: ManuallyDrop::new(context),
                read: self.read,
            };
            let mut all = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            all.push(idle);
        }
    }
}

/// A reference that lives as long as the context itself. (melior's `ContextRef::to_ref` points at
/// the `ContextRef`, which is most often a temporary.)
pub fn outlive<'c>(context: ContextRef<'c>) -> &'c Context {
    struct Entry(&'static ContextRef<'static>);
    // SAFETY: the reference is a pointer that is only copied, and a context may be used from any
    // thread.
    unsafe impl Send for Entry {}
    static PLACES: Mutex<BTreeMap<usize, Entry>> = Mutex::new(BTreeMap::new());
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: a null context never comes out of MLIR. The place is a pointer to the context and
    // stays for good; a later context at the same address shares it.
    unsafe {
        let raw = context.to_ref().to_raw();
        let place = places
            .entry(raw.ptr as usize)
            .or_insert_with(|| Entry(Box::leak(Box::new(ContextRef::from_raw(raw)))));
        place.0.to_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::ir::{Module, operation::OperationLike};

    #[test]
    fn upstream_operations_are_known() {
        let context = context();
        let module = Module::parse(
            &context,
            "func.func @f(%a: f32) -> f32 { %0 = math.exp %a : f32 return %0 : f32 }",
        );
        assert!(module.is_some_and(|module| module.as_operation().verify()));
        assert!(context.is_registered_operation("vector.transfer_read"));
        assert!(!context.is_registered_operation("vector.no_such_operation"));
    }

    #[test]
    fn a_context_is_found_again() {
        let context = context();
        let module = Module::parse(&context, "").unwrap();
        let again = outlive(module.context());
        assert_eq!(again, &context);
        assert_eq!(again.to_raw().ptr, context.to_raw().ptr);
    }

    #[test]
    fn a_context_is_used_again_until_it_has_read_much() {
        let first = reused(10);
        let address = first.to_raw().ptr;
        let second = reused(1 << 20);
        assert_ne!(address, second.to_raw().ptr);
        drop(second);
        drop(first);
        assert_eq!(address, reused(10).to_raw().ptr);
        assert_eq!(address, reused(1 << 20).to_raw().ptr);
        let idle = IDLE.lock().unwrap();
        assert!(idle.iter().all(|idle| idle.read < 1 << 18));
    }

    #[test]
    fn version_is_that_of_the_toolchain() {
        assert!(LLVM_VERSION.starts_with("22."), "{LLVM_VERSION}");
    }
}
