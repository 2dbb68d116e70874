//! Boxes in dense tensors, and copies between them.

use smallvec::SmallVec;

/// Number for each dimension, without memory of its own for tensors as programs have them.
pub(super) type Sizes = SmallVec<[usize; 6]>;

/// A box of a dense tensor.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) shape: Sizes,
    pub(super) offset: Sizes,
    pub(super) size: Sizes,
}

impl Part {
    /// All of a tensor.
    pub(super) fn whole(shape: &[usize]) -> Part {
        Part {
            shape: Sizes::from_slice(shape),
            offset: Sizes::from_elem(0, shape.len()),
            size: Sizes::from_slice(shape),
        }
    }

    /// Returns `count` places along one dimension, from `begin` on, of all of the others.
    pub(super) fn along(shape: &[usize], dimension: usize, begin: usize, count: usize) -> Part {
        let mut part = Part::whole(shape);
        part.offset[dimension] = begin;
        part.size[dimension] = count;
        part
    }

    pub(super) fn elements(&self) -> usize {
        self.size.iter().product()
    }

    /// The first element in the tensor, if those of the box lie one behind the other there.
    pub(super) fn run(&self) -> Option<usize> {
        let is_cut = |d: &usize| self.size[*d] != self.shape[*d];
        let last = (0..self.size.len()).rev().find(is_cut).unwrap_or(0);
        let is_run = self.size.iter().take(last).all(|size| *size == 1) || self.elements() == 0;
        is_run.then(|| {
            let sizes = self.shape.iter().zip(&self.offset);
            sizes.fold(0, |at, (size, offset)| at * size + offset)
        })
    }
}

/// Copies a box of `size` from one tensor to another; offsets and sizes are in elements of
/// `element` bytes.
///
/// # Safety
/// The box lies inside of both tensors, which do not overlap; nobody writes the source or accesses
/// the box of the target.
pub(super) unsafe fn copy_box(
    element: usize,
    size: &[usize],
    (source, source_shape, source_offset): (*const u8, &[usize], &[usize]),
    (target, target_shape, target_offset): (*mut u8, &[usize], &[usize]),
) {
    if size.contains(&0) {
        return;
    }
    let Some(last) = size.len().checked_sub(1) else {
        // SAFETY: scalars.
        unsafe { std::ptr::copy_nonoverlapping(source, target, element) };
        return;
    };
    let place = |shape: &[usize], offset: &[usize], index: &[usize]| {
        shape
            .iter()
            .zip(offset)
            .zip(index)
            .fold(0, |place, ((size, offset), index)| {
                place * size + offset + index
            })
    };
    let mut index = vec![0; size.len()];
    loop {
        // SAFETY: a row of the box, inside of both tensors by the caller's promise.
        unsafe {
            std::ptr::copy_nonoverlapping(
                source.add(place(source_shape, source_offset, &index) * element),
                target.add(place(target_shape, target_offset, &index) * element),
                size[last] * element,
            );
        }
        let mut d = last;
        loop {
            if d == 0 {
                return;
            }
            d -= 1;
            index[d] += 1;
            if index[d] < size[d] {
                break;
            }
            index[d] = 0;
        }
    }
}
