//! Random bits and numbers.

use std::ffi::c_void;

use super::sort::slice;
use super::{guard, size};
use crate::random::{self, Algorithm, Distribution};
use crate::{Context, ElementKind, Error, Result, convert};

/// Fills a tensor with random bits and writes the state that follows (`new_state` may be `state`).
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mw_rng_bits(
    context: *const Context,
    algorithm: i32,
    state: *const u64,
    state_count: i64,
    kind: i32,
    shape: *const i64,
    rank: i64,
    output: *mut c_void,
    new_state: *mut u64,
) -> i32 {
    // SAFETY: the caller gives arrays of these lengths and a tensor of this shape.
    unsafe {
        guard(context, |context| {
            let kind = ElementKind::from_code(kind)?;
            let shape: Vec<usize> = slice(shape, rank, "the rank")?
                .iter()
                .map(|s| size(*s, "a size"))
                .collect::<Result<_>>()?;
            let bytes = shape.iter().try_fold(kind.size(), |p, s| p.checked_mul(*s));
            let bytes = bytes.ok_or_else(|| {
                Error::invalid(format!("the shape {shape:?} has too many elements"))
            })?;
            let output: &mut [u8] = if bytes == 0 {
                &mut []
            } else {
                std::slice::from_raw_parts_mut(output.cast(), bytes)
            };
            let state = slice(state, state_count, "the size of the random state")?;
            let next = random::random_bits(
                context,
                Algorithm::from_code(algorithm)?,
                state,
                kind,
                &shape,
                output,
            )?;
            for (i, word) in next.into_iter().enumerate() {
                new_state.add(i).write(word);
            }
            Ok(())
        })
    }
}

/// Begins the numbers that `mw_rng` draws in the context, and in those that were forked from it,
/// anew: with another seed, others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_set_seed(context: *const Context, seed: u64) {
    // SAFETY: the caller gives a live context or null.
    unsafe {
        guard(context, |context| {
            context.generator().set_seed(seed);
            Ok(())
        });
    }
}

/// Fills `count` elements with the next numbers of a distribution; `a` and `b` point to scalars of
/// the element type.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mw_rng(
    context: *const Context,
    distribution: i32,
    kind: i32,
    a: *const c_void,
    b: *const c_void,
    count: i64,
    output: *mut c_void,
) -> i32 {
    // SAFETY: the caller gives two scalars and a tensor of `count` elements.
    unsafe {
        guard(context, |context| {
            let kind = ElementKind::from_code(kind)?;
            let bytes = size(count, "the number of elements")?.saturating_mul(kind.size());
            if bytes == 0 {
                return Ok(());
            }
            let scalar = |p: *const c_void| {
                convert::read(kind, std::slice::from_raw_parts(p.cast(), kind.size()), 0)
            };
            let ends = (scalar(a), scalar(b));
            let output = std::slice::from_raw_parts_mut(output.cast(), bytes);
            random::random_numbers(
                context,
                Distribution::from_code(distribution)?,
                kind,
                ends,
                output,
            )
        })
    }
}
