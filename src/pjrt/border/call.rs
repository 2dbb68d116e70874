//! Calls of compiled programs on the memory of buffers.

use super::block::{Block, Reading};
use crate::{buffer::Actual, compile::Compiled, foreign::Callbacks, layout::Shape, status::Result};
use mapwright_runtime::Context;
use std::{ffi::c_void, sync::Arc};

/// Program and memory of a call.
pub(crate) struct Call {
    pub(crate) compiled: Arc<Compiled>,
    /// Memory of each argument; a result's where that was given to it.
    pub(crate) arguments: Vec<Argument>,
    pub(crate) results: Vec<Arc<Block>>,
    /// The shapes of the arguments, where the program takes bounded sizes.
    pub(crate) argument_shapes: Vec<Actual>,
    /// Shapes of the results, which the call finds out, where it gives bounded sizes.
    pub(crate) result_shapes: Vec<Actual>,
    /// Functions that the program calls back.
    pub(crate) callbacks: Callbacks,
}

/// Memory of an argument.
pub(crate) enum Argument {
    Read(Reading),
    /// Memory of this result.
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
        let place = |(block, shape): (&Arc<Block>, &Arc<Shape>)| {
            if shape.bounded.is_empty() {
                block.address().cast_mut()
            } else {
                // The program takes memory of the size that it finds out.
                std::ptr::null_mut()
            }
        };
        let places = self.results.iter().zip(&compiled.outputs);
        let mut results: Vec<*mut c_void> = places.map(place).collect();
        let mut own_sizes = Vec::new();
        for shape in &self.argument_shapes {
            own_sizes.extend_from_slice(&shape.get()?.dims);
        }
        let argument_sizes = if self.argument_shapes.is_empty() {
            &compiled.sizes
        } else {
            &own_sizes
        };
        let ranks = compiled.outputs.iter().map(|shape| shape.dims.len());
        let mut sizes = vec![0i64; ranks.sum()];
        let _callbacks = self.callbacks.enter();
        // SAFETY: the caller of the C API gave as many arguments as the program has, of its shapes
        // (checked), and the results were allocated for theirs; all of it is aligned, and events
        // order the accesses.
        let computed = unsafe {
            compiled.native.call(
                context,
                &arguments,
                argument_sizes,
                &mut results,
                &mut sizes,
            )
        }?;
        for (i, tensor) in computed {
            self.results[i].take(tensor.bytes());
            if let Some(Actual::Computed(shape)) = self.result_shapes.get(i) {
                let element = compiled.outputs[i].element;
                let _ = shape.set(Shape::new(element, tensor.shape())?);
            }
        }
        Ok(())
    }
}
