//! Copies of boxes between dense tensors.

/// Copies a box of `size` from one tensor to another; offsets and sizes are in elements of `element` bytes.
///
/// # Safety
/// The box lies inside of both tensors, which do not overlap; nobody writes the source or accesses the box of the target.
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
