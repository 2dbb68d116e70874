//! Calls of compiled programs on the memory of buffers.

use super::block::{Block, Reading};
use crate::{compile::Compiled, foreign::Callbacks, status::Result};
use mapwright_runtime::Context;
use std::{ffi::c_void, sync::Arc};

/// What a call works on.
pub(crate) struct Call {
    pub(crate) compiled: Arc<Compiled>,
    /// Memory of each argument; a result's where that was given to it.
    pub(crate) arguments: Vec<Argument>,
    pub(crate) results: Vec<Arc<Block>>,
    /// Functions that the program calls back.
    pub(crate) callbacks: Callbacks,
}

/// Memory of an argument.
pub(crate) enum Argument {
    Read(Reading),
    /// That of this result.
    Result(usize),
}

impl Call {
    /// Makes the call; arguments are there, and nobody looks at the results yet.
    ///
    /// # Errors
    /// What the program fails of.
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let compiled = &*self.compiled;
        let address = |argument: &Argument| match argument {
            Argument::Read(reading) => reading.block().address(),
            Argument::Result(i) => self.results[*i].address(),
        };
        let arguments: Vec<*const c_void> = self.arguments.iter().map(address).collect();
        let mut results: Vec<*mut c_void> = self
            .results
            .iter()
            .map(|block| block.address().cast_mut())
            .collect();
        let ranks = compiled.outputs.iter().map(|shape| shape.dims.len());
        let mut sizes = vec![0i64; ranks.sum()];
        let _callbacks = self.callbacks.enter();
        // SAFETY: the caller of the C API gave as many arguments as the program has, of its shapes (checked), and the results were
        // allocated for theirs; all of it is aligned, and events order the accesses.
        unsafe {
            compiled.native.call(
                context,
                &arguments,
                &compiled.sizes,
                &mut results,
                &mut sizes,
            )
        }
        .map_err(Into::into)
    }
}
