//! Shapes of buffers, and how their elements lie: always row by row on a device, as callers say on
//! the host.

use crate::{
    border::{Record, abi::plain::BufferMemoryLayout, slice},
    element::Element,
    status::{Result, Status},
};
use std::sync::Arc;

/// The type of a buffer: elements and sizes, row by row.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) element: &'static Element,
    /// The sizes, or what they are at most.
    pub(crate) dims: Box<[i64]>,
    /// The dimensions of which that is the most.
    pub(crate) bounded: Box<[usize]>,
    pub(crate) minor_to_major: Box<[i64]>,
    pub(crate) bytes: usize,
}

impl Shape {
    /// A shape from its parts.
    ///
    /// # Errors
    /// A negative size, or more bytes than there are addresses.
    pub(crate) fn new(element: &'static Element, dims: &[i64]) -> Result<Arc<Self>> {
        Self::bounded(element, dims, Vec::new())
    }

    /// As [`Shape::new`], with dimensions whose sizes are known at run time only, and these as the
    /// most.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn bounded(
        element: &'static Element,
        dims: &[i64],
        bounded: Vec<usize>,
    ) -> Result<Arc<Self>> {
        let bytes = dims.iter().try_fold(element.width(), |total, size| {
            total.checked_mul(usize::try_from(*size).ok()?)
        });
        let bytes = bytes.filter(|bytes| isize::try_from(*bytes).is_ok());
        let bytes = bytes
            .ok_or_else(|| Status::invalid(format!("a buffer cannot have the sizes {dims:?}")))?;
        Ok(Arc::new(Self {
            element,
            minor_to_major: (0..dims.len() as i64).rev().collect(),
            dims: dims.into(),
            bounded: bounded.into(),
            bytes,
        }))
    }

    /// Tells whether an array of another shape may be given where this one is expected.
    pub(crate) fn takes(&self, other: &Self) -> bool {
        let fits = |(axis, (most, size)): (usize, (&i64, &i64))| {
            most == size && (self.bounded.contains(&axis) || !other.bounded.contains(&axis))
                || size < most && self.bounded.contains(&axis)
        };
        self.element == other.element
            && self.dims.len() == other.dims.len()
            && self.dims.iter().zip(&other.dims).enumerate().all(fits)
    }

    /// The distances of neighbours in bytes, row by row.
    pub(crate) fn strides(&self) -> Vec<i64> {
        self.strides_of(&self.minor_to_major)
    }

    fn strides_of(&self, minor_to_major: &[i64]) -> Vec<i64> {
        let mut strides = vec![0; self.dims.len()];
        let mut next = self.element.width() as i64;
        for axis in minor_to_major.iter().map(|axis| *axis as usize) {
            strides[axis] = next;
            next *= self.dims[axis];
        }
        strides
    }

    /// Tells whether these are the distances of elements that lie row by row. Those of axes with
    /// one element, or of no elements, say nothing.
    pub(crate) fn is_dense(&self, strides: &[i64]) -> bool {
        let own = self.strides();
        let mut axes = self.dims.iter().zip(own.iter().zip(strides));
        self.bytes == 0 || axes.all(|(size, (own, given))| *size <= 1 || own == given)
    }

    /// The distances that a layout of the host says; those of rows where it says nothing.
    ///
    /// # Errors
    /// A layout of another number of axes, with tiles, or of a form that does not exist.
    pub(crate) fn host_strides(&self, layout: *const BufferMemoryLayout) -> Result<Vec<i64>> {
        // The whole record: jaxlib leaves it open how long it is, and it never had another length.
        let Some(layout) = slice(layout, 1).first() else {
            return Ok(self.strides());
        };
        let given = slice(layout.first, layout.first_size);
        if given.len() != self.dims.len() {
            return Err(Status::invalid(format!(
                "a layout of {} axes for a buffer of {}",
                given.len(),
                self.dims.len()
            )));
        }
        match layout.kind {
            1 => Ok(given.to_vec()),
            0 if layout.num_tiles > 0 => Err(Status::unimplemented("layouts with tiles")),
            0 => {
                let mut seen = given.to_vec();
                seen.sort_unstable();
                if seen.into_iter().eq(0..given.len() as i64) {
                    Ok(self.strides_of(given))
                } else {
                    Err(Status::invalid(format!(
                        "{given:?} is no order of {} axes",
                        given.len()
                    )))
                }
            }
            other => Err(Status::invalid(format!("layouts of kind {other}"))),
        }
    }

    /// Returns the layout of the elements, for C.
    pub(crate) fn layout(&self) -> BufferMemoryLayout {
        BufferMemoryLayout {
            inner_size: 56,
            first: self.minor_to_major.as_ptr(),
            first_size: self.minor_to_major.len(),
            ..BufferMemoryLayout::zeroed()
        }
    }
}

/// A layout as text, the axes from the innermost one outwards: `{1,0}`.
pub(crate) struct Layout {
    pub(crate) text: String,
    /// C destroys it.
    pub(crate) is_given: bool,
}

impl Layout {
    /// Returns the row-major layout of this number of axes.
    pub(crate) fn rows(rank: usize, is_given: bool) -> Self {
        let axes: Vec<String> = (0..rank).rev().map(|axis| axis.to_string()).collect();
        Self {
            text: format!("{{{}}}", axes.join(",")),
            is_given,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(dims: &[i64]) -> Arc<Shape> {
        Shape::new(Element::named("f32").unwrap(), dims).unwrap()
    }

    #[test]
    fn rows_are_dense_whatever_axes_of_one_element_say() {
        let two = shape(&[2, 1, 3]);
        assert_eq!(two.strides(), [12, 12, 4]);
        assert!(two.is_dense(&[12, -7, 4]));
        assert!(!two.is_dense(&[4, 12, 8]));
        assert!(shape(&[0, 3]).is_dense(&[1, 1]));
        assert_eq!(Layout::rows(2, true).text, "{1,0}");
        assert_eq!(Layout::rows(0, true).text, "{}");
    }

    #[test]
    fn bounded_sizes_take_smaller_ones() {
        let element = Element::named("f32").unwrap();
        let bounded = |most: i64| Shape::bounded(element, &[2, most], vec![1]).unwrap();
        assert!(bounded(3).takes(&bounded(3)) && bounded(3).takes(&bounded(2)));
        assert!(bounded(3).takes(&shape(&[2, 3])) && bounded(3).takes(&shape(&[2, 0])));
        assert!(!bounded(3).takes(&bounded(4)) && !bounded(3).takes(&shape(&[1, 3])));
        assert!(!shape(&[2, 3]).takes(&bounded(3)) && !shape(&[2, 3]).takes(&shape(&[6])));
    }

    #[test]
    fn layouts_of_the_host_are_orders_or_strides() {
        let two = shape(&[2, 3]);
        let columns = [0i64, 1];
        let mut layout = BufferMemoryLayout {
            first: columns.as_ptr(),
            first_size: 2,
            ..BufferMemoryLayout::zeroed()
        };
        assert_eq!(two.host_strides(&layout).unwrap(), [4, 8]);
        layout.struct_size = 0;
        assert_eq!(two.host_strides(&layout).unwrap(), [4, 8]);
        assert_eq!(two.host_strides(std::ptr::null()).unwrap(), [12, 4]);
        layout.kind = 1;
        assert_eq!(two.host_strides(&layout).unwrap(), [0, 1]);
        layout.first_size = 1;
        assert!(two.host_strides(&layout).is_err());
        let twice = [1i64, 1];
        (layout.kind, layout.first, layout.first_size) = (0, twice.as_ptr(), 2);
        assert!(two.host_strides(&layout).is_err());
    }

    #[test]
    fn sizes_that_no_memory_has_are_refused() {
        let element = Element::named("f64").unwrap();
        assert!(Shape::new(element, &[-1]).is_err());
        assert!(Shape::new(element, &[i64::MAX, 2]).is_err());
        assert!(Shape::new(element, &[i64::MAX / 8]).is_ok());
    }
}
