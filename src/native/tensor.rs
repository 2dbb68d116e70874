//! Dense tensors in memory.

use crate::{Error, Result};
use mapwright_mlir::{Dim, ElementType, TensorType};
use mapwright_runtime::{Buffer, MemoryPool};
use std::{
    io::{ErrorKind, Read},
    sync::{Arc, OnceLock},
};

/// A dense row-major tensor, 64-byte aligned, elements stored as `mapwright_runtime::ElementKind`
/// says.
pub struct Tensor {
    element: ElementType,
    shape: Vec<i64>,
    data: Buffer,
}

/// A tensor in the memory of somebody else, laid out as a [`Tensor`] is.
#[derive(Clone, Copy)]
pub struct View<'a> {
    element: &'a ElementType,
    shape: &'a [i64],
    bytes: &'a [u8],
}

/// The alignment of all tensors.
const ALIGNMENT: usize = 64;

/// Tells whether this memory may be that of a tensor. Nobody looks at the address of no bytes.
pub(crate) fn is_aligned(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes.as_ptr().addr().is_multiple_of(ALIGNMENT)
}

impl<'a> View<'a> {
    /// A tensor that has these bytes; `None` if they do not lie at a multiple of 64 bytes, and have
    /// to be copied.
    ///
    /// # Errors
    /// As [`Tensor::new`].
    pub fn new(
        element: &'a ElementType,
        shape: &'a [i64],
        bytes: &'a [u8],
    ) -> Result<Option<Self>> {
        check_size(element, shape, bytes)?;
        Ok(is_aligned(bytes).then_some(Self {
            element,
            shape,
            bytes,
        }))
    }

    /// Element type.
    pub fn element(&self) -> &'a ElementType {
        self.element
    }

    /// Sizes, outermost dimension first.
    pub fn shape(&self) -> &'a [i64] {
        self.shape
    }

    /// The data.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Tells whether it fits `ty`: the element type, the rank, every known size and every bound.
    pub(crate) fn fits(&self, ty: &TensorType) -> bool {
        *self.element == ty.element && admits(ty, self.shape)
    }
}

impl<'a> From<&'a Tensor> for View<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Self {
            element: &tensor.element,
            shape: &tensor.shape,
            bytes: tensor.bytes(),
        }
    }
}

/// Checks that a tensor of `shape` has this many bytes.
fn check_size(element: &ElementType, shape: &[i64], bytes: &[u8]) -> Result<()> {
    let wanted = size(element, shape)?;
    if bytes.len() != wanted {
        return Err(Error::Input(format!(
            "a tensor of shape {shape:?} and type {element} has {wanted} bytes, not {}",
            bytes.len()
        )));
    }
    Ok(())
}

/// The memory of tensors that are made outside of a call.
pub(crate) fn pool() -> &'static Arc<MemoryPool> {
    static POOL: OnceLock<Arc<MemoryPool>> = OnceLock::new();
    POOL.get_or_init(MemoryPool::new)
}

/// Bytes of a tensor of `shape`.
fn size(element: &ElementType, shape: &[i64]) -> Result<usize> {
    let width = element
        .byte_width()
        .ok_or_else(|| Error::Input(format!("elements of type {element} have no size")))?;
    shape
        .iter()
        .try_fold(width, |total, n| {
            total.checked_mul(usize::try_from(*n).ok()?)
        })
        .ok_or_else(|| {
            Error::Input(format!(
                "a tensor of shape {shape:?} is too large or negative"
            ))
        })
}

impl Tensor {
    /// A tensor of zeros.
    ///
    /// # Errors
    /// An element type without a size, a negative or absurd shape, or no memory.
    pub fn zeros(element: &ElementType, shape: &[i64]) -> Result<Self> {
        let bytes = size(element, shape)?;
        Ok(Self {
            element: element.clone(),
            shape: shape.to_vec(),
            data: pool().allocate_zeroed(bytes).map_err(Error::Run)?,
        })
    }

    /// A tensor with these bytes.
    ///
    /// # Errors
    /// As [`Tensor::zeros`], or if the number of bytes is not the one that the shape needs.
    pub fn new(element: &ElementType, shape: &[i64], bytes: &[u8]) -> Result<Self> {
        check_size(element, shape, bytes)?;
        let mut data = pool().allocate(bytes.len()).map_err(Error::Run)?;
        data.as_mut_slice().copy_from_slice(bytes);
        Ok(Self {
            element: element.clone(),
            shape: shape.to_vec(),
            data,
        })
    }

    /// A tensor whose bytes are read from `reader`, straight into their place; what follows them
    /// stays unread.
    ///
    /// # Errors
    /// As [`Tensor::zeros`]; a reader that fails, or that ends before the last byte.
    pub fn read(element: &ElementType, shape: &[i64], mut reader: impl Read) -> Result<Self> {
        let wanted = size(element, shape)?;
        let mut data = pool().allocate(wanted).map_err(Error::Run)?;
        let mut rest = data.as_mut_slice();
        while !rest.is_empty() {
            match reader.read(rest) {
                Ok(0) => {
                    return Err(Error::Input(format!(
                        "the data end after {} of {wanted} bytes",
                        wanted - rest.len()
                    )));
                }
                Ok(count) => rest = rest.get_mut(count..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::Input(format!("cannot read the data: {error}"))),
            }
        }
        Ok(Self {
            element: element.clone(),
            shape: shape.to_vec(),
            data,
        })
    }

    pub(crate) fn from_buffer(element: ElementType, shape: Vec<i64>, data: Buffer) -> Self {
        Self {
            element,
            shape,
            data,
        }
    }

    /// Element type.
    pub fn element(&self) -> &ElementType {
        &self.element
    }

    /// Sizes, outermost dimension first.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// The data.
    pub fn bytes(&self) -> &[u8] {
        self.data.as_slice()
    }

    /// The data, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.data.as_mut_slice()
    }

    /// Whether it fits `ty`: the element type, the rank, every known size and every bound.
    pub fn fits(&self, ty: &TensorType) -> bool {
        View::from(self).fits(ty)
    }
}

/// Tells whether a tensor of type `ty` may have these sizes.
pub(crate) fn admits(ty: &TensorType, shape: &[i64]) -> bool {
    let mut sizes = shape.iter().zip(&ty.dims);
    shape.len() == ty.rank()
        && sizes.all(|(n, dim)| match dim {
            Dim::Static(m) => n == m,
            Dim::Bounded(m) => (0..=*m).contains(n),
            Dim::Dynamic => *n >= 0,
        })
}
