//! Sorting, selection, conversion.

use std::ffi::c_void;

use super::{guard, size};
use crate::sort::{self, Comparator, Lines, Order};
use crate::{Context, ElementKind, Error, Result, convert};

/// One tensor that takes part in a sort; `output` may be `input`, and null where several tensors
/// are sorted by keys and nobody wants this one.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SortOperand {
    pub input: *const c_void,
    pub output: *mut c_void,
    pub kind: i32,
}

/// Whether the element at position `i` goes before the one at position `j`; `lines[k]` is the base
/// of operand `k`'s line, dense.
pub type ComparatorFunction = unsafe extern "C" fn(
    environment: *const c_void,
    lines: *const *const u8,
    i: i64,
    j: i64,
) -> bool;

/// A slice from C; a null pointer or a count of zero is the empty slice.
///
/// # Safety
/// `pointer` is null or points to `count` values that are valid and not written while the slice is
/// used.
pub(super) unsafe fn slice<'a, T>(pointer: *const T, count: i64, what: &str) -> Result<&'a [T]> {
    let count = size(count, what)?;
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Error::invalid(format!("{what}: a null pointer")));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// # Safety
/// `shape` points to `rank` sizes.
unsafe fn lines(shape: *const i64, rank: i64, dimension: i64) -> Result<Lines> {
    // SAFETY: passed on.
    let shape = unsafe { slice(shape, rank, "the rank")? };
    Lines::new(shape, size(dimension, "the dimension")?)
}

/// # Safety
/// `operands` points to `count` operands.
unsafe fn operands(operands: *const SortOperand, count: i64) -> Result<Vec<sort::Operand>> {
    // SAFETY: passed on.
    unsafe { slice(operands, count, "the number of operands")? }
        .iter()
        .map(|o| {
            Ok(sort::Operand {
                input: o.input.cast(),
                output: o.output.cast(),
                kind: ElementKind::from_code(o.kind)?,
            })
        })
        .collect()
}

/// Sorts operands of one shape along a dimension, lexicographically by the first `key_count`
/// operands with `orders` (`enum mw_order`); stable.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mw_sort(
    context: *const Context,
    operand_list: *const SortOperand,
    operand_count: i64,
    shape: *const i64,
    rank: i64,
    dimension: i64,
    orders: *const i32,
    key_count: i64,
) -> i32 {
    // SAFETY: the caller gives arrays of these lengths and tensors of this shape.
    unsafe {
        guard(context, |context| {
            let orders: Vec<Order> = slice(orders, key_count, "the number of keys")?
                .iter()
                .map(|o| Order::from_code(*o))
                .collect::<Result<_>>()?;
            sort::sort(
                context,
                lines(shape, rank, dimension)?,
                &operands(operand_list, operand_count)?,
                &orders,
            )
        })
    }
}

/// Sorts operands of one shape along a dimension by a comparator; stable. The comparator is called
/// from several threads.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mw_sort_by(
    context: *const Context,
    operand_list: *const SortOperand,
    operand_count: i64,
    shape: *const i64,
    rank: i64,
    dimension: i64,
    comparator: ComparatorFunction,
    environment: *const c_void,
) -> i32 {
    // SAFETY: the caller gives arrays of these lengths and tensors of this shape.
    unsafe {
        guard(context, |context| {
            let comparator = Comparator {
                function: comparator,
                environment,
            };
            sort::sort_by(
                context,
                lines(shape, rank, dimension)?,
                &operands(operand_list, operand_count)?,
                comparator,
            )
        })
    }
}

/// Positions (`int32_t`) along the dimension that the elements of the sorted tensor come from.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mw_argsort(
    context: *const Context,
    kind: i32,
    order: i32,
    input: *const c_void,
    shape: *const i64,
    rank: i64,
    dimension: i64,
    positions: *mut i32,
) -> i32 {
    // SAFETY: the caller gives tensors of this shape.
    unsafe {
        guard(context, |context| {
            let (kind, order) = (ElementKind::from_code(kind)?, Order::from_code(order)?);
            sort::argsort(
                context,
                lines(shape, rank, dimension)?,
                kind,
                order,
                input.cast(),
                positions,
            )
        })
    }
}

/// The first `k` of each of `rows` lines of `n` elements in an order, and their positions; either
/// output may be null. Of equal elements, the one at the lower position comes first.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mw_top_k(
    context: *const Context,
    kind: i32,
    order: i32,
    input: *const c_void,
    rows: i64,
    n: i64,
    k: i64,
    values: *mut c_void,
    positions: *mut i32,
) -> i32 {
    // SAFETY: the caller gives tensors of these shapes.
    unsafe {
        guard(context, |context| {
            let (kind, order) = (ElementKind::from_code(kind)?, Order::from_code(order)?);
            let shape = (
                size(rows, "the number of rows")?,
                size(n, "the length of a row")?,
                size(k, "k")?,
            );
            sort::top_k(
                context,
                kind,
                order,
                shape,
                input.cast(),
                values.cast(),
                positions,
            )
        })
    }
}

/// Converts `count` elements with the rules of StableHLO's `convert`. The buffers do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_convert(
    context: *const Context,
    from: i32,
    input: *const c_void,
    to: i32,
    output: *mut c_void,
    count: i64,
) -> i32 {
    // SAFETY: the caller gives buffers of `count` elements of these kinds.
    unsafe {
        guard(context, |context| {
            let (from, to) = (ElementKind::from_code(from)?, ElementKind::from_code(to)?);
            let count = size(count, "the number of elements")?;
            if count == 0 {
                return Ok(());
            }
            let source = super::input(input.cast::<u8>(), count.saturating_mul(from.size()));
            let target = super::output(output.cast::<u8>(), count.saturating_mul(to.size()));
            let target = crate::sort::Pieces::new(target);
            context.try_parallel_for(count, 1 << 12, &|begin, end| {
                let count = end - begin;
                // SAFETY: pieces are disjoint.
                let target = target.get(begin * to.size(), count * to.size());
                convert::convert(from, &source[begin * from.size()..], to, target, count)
            })
        })
    }
}
