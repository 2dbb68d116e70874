//! Tensors of native code as the interpreter has them.

use mapwright_native::Tensor;

/// The same shape and elements.
///
/// # Panics
/// An element type that the interpreter does not know.
pub fn tensor(native: &Tensor) -> mapwright_interpret::Tensor {
    let (element, shape) = (native.element(), native.shape());
    mapwright_interpret::Tensor::from_bytes(element, shape, native.bytes())
        .unwrap_or_else(|why| panic!("{why}"))
}
