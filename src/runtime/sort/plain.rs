//! Sorting by plain orders.

use super::Lines;
use super::gather::{block, gather, permute, scatter};
use super::key::{self, Order, Shape};
use super::permutation::{Key, permutation};
use super::two;
use super::words::{Pieces, sort_words};
use crate::error::{Error, Result};
use crate::scratch::Scratch;
use crate::{Context, ElementKind};

/// Elements handled at once by one thread.
const PIECE: usize = 1 << 14;

/// One tensor that takes part in a sort. All operands of a sort have the same shape.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Operand {
    pub input: *const u8,
    /// Memory of the result, which may be the input; otherwise the two do not overlap. Null where
    /// nobody wants the result, if there are several operands.
    pub output: *mut u8,
    pub kind: ElementKind,
}

// SAFETY: the pointers are used only inside of the functions they are passed to, whose contract
// forbids concurrent use.
unsafe impl Sync for Operand {}

impl Operand {
    fn in_place(&self) -> bool {
        std::ptr::eq(self.input, self.output)
    }
}

/// Sorts all operands along a dimension, lexicographically by the first `orders.len()` operands;
/// stable.
///
/// # Safety
/// Every operand's input and output point to `lines.elements()` elements, aligned to their words,
/// which nobody else writes meanwhile.
///
/// # Errors
/// `InvalidArgument` when there are more keys than operands or no key; `OutOfMemory`; `Unsupported`
/// for lines of 2^32 elements.
pub unsafe fn sort(
    context: &Context,
    lines: Lines,
    operands: &[Operand],
    orders: &[Order],
) -> Result<()> {
    if orders.is_empty() || orders.len() > operands.len() {
        return Err(Error::invalid(format!(
            "a sort of {} operands by {} keys",
            operands.len(),
            orders.len()
        )));
    }
    if lines.elements() == 0 {
        return Ok(());
    }
    let count = lines.outer * lines.inner;
    // Few long lines use the threads inside of a line; otherwise the lines are dealt out.
    let run = |begin: usize, end: usize| -> Result<()> {
        let mut line = begin;
        while line < end {
            let taken = if lines.inner == 1 {
                1
            } else {
                block(lines, line, end)
            };
            // SAFETY: the caller's promise; lines are disjoint.
            unsafe {
                match operands {
                    [operand] if key::shape(operand.kind).is_some_and(|(bits, _)| bits >= 32) => {
                        sort_keys(context, lines, line, taken, *operand, orders[0])?;
                    }
                    _ => sort_operands(context, lines, line, taken, operands, orders)?,
                }
            }
            line += taken;
        }
        Ok(())
    };
    if count < context.threads() {
        run(0, count)
    } else {
        let grain = (4096 / lines.length.max(1)).max(1);
        context.try_parallel_for(count, grain, &run)
    }
}

/// Sorts `count` lines of a single operand of 32 or 64 bits: the keys alone are enough.
///
/// # Safety
/// As for [`sort`].
unsafe fn sort_keys(
    context: &Context,
    lines: Lines,
    first: usize,
    count: usize,
    operand: Operand,
    order: Order,
) -> Result<()> {
    let n = lines.length;
    macro_rules! typed {
        ($word:ty, $keys:ident, $bits:ident, $shape:expr) => {{
            let size = size_of::<$word>();
            let dense = lines.inner == 1;
            let mut gathered = Scratch::<$word>::take(if dense { 0 } else { n * count })?;
            let mut keys = Scratch::<$word>::take(n)?;
            if !dense {
                // SAFETY: the caller's promise.
                unsafe {
                    gather(
                        lines,
                        first,
                        count,
                        size,
                        operand.input,
                        gathered.as_mut_ptr().cast(),
                    )
                };
            }
            for l in 0..count {
                let bits = if dense {
                    // SAFETY: the line is inside of the tensor, aligned (the caller's promise), and
                    // not written while `bits` is used.
                    unsafe {
                        std::slice::from_raw_parts(
                            operand.input.cast::<$word>().add((first + l) * n),
                            n,
                        )
                    }
                } else {
                    &gathered[l * n..(l + 1) * n]
                };
                let lossy = std::sync::atomic::AtomicBool::new(false);
                let key_pieces = Pieces::new(&mut keys);
                context.parallel_for(n.div_ceil(PIECE), 2, &|begin, end| {
                    let begin = begin * PIECE;
                    // SAFETY: pieces are disjoint.
                    let keys = unsafe { key_pieces.get(begin, end * PIECE - begin) };
                    if key::$keys(&bits[begin..begin + keys.len()], keys, $shape, order) {
                        lossy.store(true, std::sync::atomic::Ordering::Relaxed);
                    }
                });
                let lossy = lossy.into_inner();
                // What the keys do not tell apart: remembered in the order of the line.
                let (mut zeros, mut nans) = (Vec::new(), Vec::new());
                if let (true, Shape::Float(infinity)) = (lossy, $shape) {
                    let sign: $word = 1 << (<$word>::BITS - 1);
                    for &x in bits {
                        if x & !sign == 0 {
                            zeros.push(x);
                        } else if x & !sign > infinity as $word {
                            nans.push(x);
                        }
                    }
                }
                sort_words(context, &mut keys, 0)?;
                let result = if dense {
                    // SAFETY: the line is inside of the output; `bits` is not used below.
                    unsafe {
                        std::slice::from_raw_parts_mut(
                            operand.output.cast::<$word>().add((first + l) * n),
                            n,
                        )
                    }
                } else {
                    &mut gathered[l * n..(l + 1) * n]
                };
                key::$bits(&keys, result, $shape, order);
                if !nans.is_empty() {
                    let begin = if order.is_descending() {
                        0
                    } else {
                        n - nans.len()
                    };
                    result[begin..begin + nans.len()].copy_from_slice(&nans);
                }
                if !zeros.is_empty() {
                    let mut zero: [$word; 1] = [0];
                    key::$keys(&[0], &mut zero, $shape, order);
                    let begin = keys.partition_point(|k| *k < zero[0]);
                    result[begin..begin + zeros.len()].copy_from_slice(&zeros);
                }
            }
            if !dense {
                // SAFETY: the caller's promise.
                unsafe {
                    scatter(
                        lines,
                        first,
                        count,
                        size,
                        gathered.as_ptr().cast(),
                        operand.output,
                    )
                };
            }
        }};
    }
    match key::shape(operand.kind) {
        Some((32, shape)) => typed!(u32, keys32, bits32, shape),
        Some((64, shape)) => typed!(u64, keys64, bits64, shape),
        _ => return Err(Error::unsupported("keys of this width")),
    }
    Ok(())
}

/// Sorts `count` lines of several operands through a permutation.
///
/// # Safety
/// As for [`sort`].
unsafe fn sort_operands(
    context: &Context,
    lines: Lines,
    first: usize,
    count: usize,
    operands: &[Operand],
    orders: &[Order],
) -> Result<()> {
    let n = lines.length;
    let wanted = |operand: &&Operand| !operand.output.is_null();
    if lines.inner == 1 {
        let mut order = None;
        for l in first..first + count {
            // SAFETY: the line is inside of the input, and every operand's outputs are written
            // after it is read.
            if unsafe { sort_by_two(context, (n, l), operands, orders)? } {
                continue;
            }
            let order: &mut Scratch<u32> = match &mut order {
                Some(order) => order,
                none => none.insert(Scratch::take(n)?),
            };
            let keys: Vec<Key<'_>> = orders
                .iter()
                .zip(operands)
                .map(|(order, operand)| {
                    let size = operand.kind.size();
                    // SAFETY: the line is inside of the input, which is not written before the keys
                    // are dropped.
                    let data = unsafe {
                        std::slice::from_raw_parts(operand.input.add(l * n * size), n * size)
                    };
                    Key {
                        kind: operand.kind,
                        order: *order,
                        data,
                    }
                })
                .collect();
            permutation(context, &keys, n, order)?;
            drop(keys);
            for operand in operands.iter().filter(wanted) {
                let size = operand.kind.size();
                let mut copy = Scratch::<u8>::take(if operand.in_place() { n * size } else { 0 })?;
                // SAFETY: the line is inside of input and output; where they are the same, it is
                // permuted from a copy.
                unsafe {
                    let mut source = operand.input.add(l * n * size);
                    if operand.in_place() {
                        std::ptr::copy_nonoverlapping(source, copy.as_mut_ptr(), n * size);
                        source = copy.as_ptr();
                    }
                    permute(
                        context,
                        order,
                        size,
                        source,
                        operand.output.add(l * n * size),
                    );
                }
            }
        }
        return Ok(());
    }
    let mut order = Scratch::<u32>::take(n)?;
    let widest = operands.iter().map(|o| o.kind.size()).max().unwrap_or(0);
    let mut permuted = Scratch::<u8>::take(n * widest)?;
    let mut dense = Vec::with_capacity(operands.len());
    for operand in operands {
        let size = operand.kind.size();
        let mut copy = Scratch::<u8>::take(n * count * size)?;
        // SAFETY: the caller's promise; the copy has room for these lines.
        unsafe { gather(lines, first, count, size, operand.input, copy.as_mut_ptr()) };
        dense.push(copy);
    }
    for l in 0..count {
        let line = |size: usize| l * n * size..(l + 1) * n * size;
        let keys: Vec<Key<'_>> = orders
            .iter()
            .enumerate()
            .map(|(i, order)| Key {
                kind: operands[i].kind,
                order: *order,
                data: &dense[i][line(operands[i].kind.size())],
            })
            .collect();
        permutation(context, &keys, n, &mut order)?;
        drop(keys);
        for (i, operand) in operands.iter().enumerate() {
            let size = operand.kind.size();
            let piece = &mut dense[i][line(size)];
            // SAFETY: the permutation's entries are below `n`; the pieces are different memory.
            unsafe { permute(context, &order, size, piece.as_ptr(), permuted.as_mut_ptr()) };
            piece.copy_from_slice(&permuted[..n * size]);
        }
    }
    for (operand, copy) in operands.iter().zip(&dense) {
        if !wanted(&operand) {
            continue;
        }
        // SAFETY: the caller's promise.
        unsafe {
            scatter(
                lines,
                first,
                count,
                operand.kind.size(),
                copy.as_ptr(),
                operand.output,
            )
        };
    }
    Ok(())
}

/// Lines shorter than this go through a permutation.
const BY_TWO_FROM: usize = 64;

/// Sorts line `l` of `n` elements by its only key, if that is an integer with no more than two
/// values. Returns whether it did.
///
/// # Safety
/// As for [`sort`]; the lines are dense.
unsafe fn sort_by_two(
    context: &Context,
    (n, l): (usize, usize),
    operands: &[Operand],
    orders: &[Order],
) -> Result<bool> {
    let ([order], [key, ..]) = (orders, operands) else {
        return Ok(false);
    };
    if n < BY_TWO_FROM {
        return Ok(false);
    }
    let line = |operand: &Operand| l * n * operand.kind.size();
    // SAFETY: the line is inside of the input, by the caller's promise, and not written before the
    // answer is there.
    let front = unsafe { two::front(key.kind, *order, key.input.add(line(key)), n) };
    let Some(front) = front else {
        return Ok(false);
    };
    for operand in operands.iter().filter(|operand| !operand.output.is_null()) {
        let (size, at) = (operand.kind.size(), line(operand));
        let mut copy = Scratch::<u8>::take(if operand.in_place() { n * size } else { 0 })?;
        // SAFETY: the line is inside of input and output; where they are the same, it is dealt out
        // from a copy.
        unsafe {
            let mut source = operand.input.add(at);
            if operand.in_place() {
                std::ptr::copy_nonoverlapping(source, copy.as_mut_ptr(), n * size);
                source = copy.as_ptr();
            }
            front.deal(context, size, source, operand.output.add(at));
        }
    }
    Ok(true)
}

/// Writes the position along the dimension that each element of the sorted tensor comes from, as
/// 32-bit integers.
///
/// # Safety
/// `input` points to `lines.elements()` elements of this kind, `output` to room for as many `i32`;
/// they do not overlap and nobody writes to them meanwhile.
///
/// # Errors
/// As for [`sort`]; `Unsupported` for lines of 2^31 elements or more.
pub unsafe fn argsort(
    context: &Context,
    lines: Lines,
    kind: ElementKind,
    order: Order,
    input: *const u8,
    output: *mut i32,
) -> Result<()> {
    if i32::try_from(lines.length).is_err() {
        return Err(Error::unsupported(format!(
            "positions in lines of {} elements",
            lines.length
        )));
    }
    if lines.elements() == 0 {
        return Ok(());
    }
    let operand = Operand {
        input,
        output: output.cast(),
        kind,
    };
    let run = |begin: usize, end: usize| -> Result<()> {
        let operand = &operand;
        let n = lines.length;
        let mut line = begin;
        while line < end {
            let taken = block(lines, line, end);
            let mut dense = Scratch::<u8>::take(n * taken * kind.size())?;
            let mut result = Scratch::<u32>::take(n * taken)?;
            // SAFETY: the caller's promise.
            unsafe {
                gather(
                    lines,
                    line,
                    taken,
                    kind.size(),
                    operand.input,
                    dense.as_mut_ptr(),
                )
            };
            for l in 0..taken {
                let key = Key {
                    kind,
                    order,
                    data: &dense[l * n * kind.size()..(l + 1) * n * kind.size()],
                };
                permutation(context, &[key], n, &mut result[l * n..(l + 1) * n])?;
            }
            // SAFETY: the caller's promise; lines are disjoint.
            unsafe {
                scatter(
                    lines,
                    line,
                    taken,
                    4,
                    result.as_ptr().cast(),
                    operand.output,
                )
            };
            line += taken;
        }
        Ok(())
    };
    let count = lines.outer * lines.inner;
    if count < context.threads() {
        run(0, count)
    } else {
        context.try_parallel_for(count, (4096 / lines.length.max(1)).max(1), &run)
    }
}
