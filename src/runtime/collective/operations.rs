//! The collective operations.
//!
//! Each takes the context (which knows the world and the place in it), a key that is the same on all members and different for different
//! operations of the program (the channel or a number of the compiler's), the groups, and the operands. Inputs and outputs of an operation do
//! not overlap, on any process.

use std::ffi::c_void;

use super::boxes::copy_box;
use super::groups::{Groups, Mode};
use super::meeting::meet;
use crate::error::{Error, Result, Status};
use crate::scratch::Scratch;
use crate::{Context, ElementKind};

/// Combines `count` pairs of elements: `out[i] = body(lhs[i], rhs[i])`. `out` may be `lhs`.
pub type Reducer = unsafe extern "C" fn(
    environment: *const c_void,
    lhs: *const c_void,
    rhs: *const c_void,
    out: *mut c_void,
    count: i64,
);

/// A reducer with its environment.
#[derive(Clone, Copy)]
pub struct Reduction {
    pub function: Reducer,
    pub environment: *const c_void,
}

/// A tensor that takes part: dense, with the same type on all members.
#[derive(Clone, Copy)]
pub struct Operand<'a> {
    pub kind: ElementKind,
    /// Shape of the input.
    pub shape: &'a [usize],
    pub input: *const u8,
    pub output: *mut u8,
}

// SAFETY: other members read the input while its owner waits in the meeting; outputs are written by their owner alone.
unsafe impl Sync for Operand<'_> {}

impl Operand<'_> {
    fn elements(&self) -> Result<usize> {
        self.shape
            .iter()
            .try_fold(1usize, |p, s| p.checked_mul(*s))
            .filter(|n| n.checked_mul(self.kind.size()).is_some())
            .ok_or_else(|| Error::invalid("a tensor of too many elements"))
    }

    fn matches(&self, other: &Operand<'_>, what: &str) -> Result<()> {
        if self.kind == other.kind && self.shape == other.shape {
            return Ok(());
        }
        Err(Error::new(
            Status::ShapeMismatch,
            format!(
                "{what}: members bring different types: {:?} of {} and {:?} of {}",
                self.shape,
                self.kind.name(),
                other.shape,
                other.kind.name()
            ),
        ))
    }
}

/// Meets, after checking that all members brought the same types.
fn run(
    context: &Context,
    key: i64,
    what: &str,
    groups: Groups<'_>,
    operand: Operand<'_>,
    body: impl FnOnce(&[&Operand<'_>], usize) -> Result<()>,
) -> Result<()> {
    let (world, place) = (context.world(), context.place());
    let process = world.process(place)?;
    let group = groups.of(world, place)?.ok_or_else(|| {
        Error::invalid(format!(
            "{what}: process {process} is in no group of {:?}",
            groups.ids
        ))
    })?;
    // The operand is only looked at while its owner is in the meeting, so its lifetime does not matter to the others.
    let operand: Operand<'_> = operand;
    meet(world, key, what, &group, process, &operand, |all, own| {
        for other in all {
            operand.matches(other, what)?;
        }
        body(all, own)
    })
}

/// `out = body(…body(in_0, in_1)…, in_n-1)`, in the order of the group, so that all members get the same bits.
///
/// # Safety
/// The operand's pointers are valid for its shape; the reducer may be called with buffers of up to that many elements.
///
/// # Errors
/// Those of the module: `Timeout`, `Aborted`, `ShapeMismatch`, `InvalidArgument`.
pub unsafe fn all_reduce(
    context: &Context,
    key: i64,
    groups: Groups<'_>,
    operand: Operand<'_>,
    reduction: Reduction,
) -> Result<()> {
    let count = operand.elements()?;
    run(context, key, "all_reduce", groups, operand, |all, _| {
        let inputs: Vec<*const u8> = all.iter().map(|o| o.input).collect();
        // SAFETY: all inputs have the operand's shape, which the run has checked.
        unsafe {
            fold(
                &inputs,
                operand.output,
                count,
                operand.kind.size(),
                reduction,
            )
        };
        Ok(())
    })
}

/// # Safety
/// All inputs and the output have `count` elements of `size` bytes; the output overlaps no input.
unsafe fn fold(
    inputs: &[*const u8],
    output: *mut u8,
    count: usize,
    size: usize,
    reduction: Reduction,
) {
    if count == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe {
        std::ptr::copy_nonoverlapping(inputs[0], output, count * size);
        for input in &inputs[1..] {
            (reduction.function)(
                reduction.environment,
                output.cast(),
                input.cast(),
                output.cast(),
                count as i64,
            );
        }
    }
}

/// Concatenates the inputs of the group along a dimension.
///
/// # Safety
/// The input is valid for the operand's shape, the output for that shape with the dimension times the size of the group.
///
/// # Errors
/// As for [`all_reduce`].
pub unsafe fn all_gather(
    context: &Context,
    key: i64,
    groups: Groups<'_>,
    operand: Operand<'_>,
    dimension: usize,
) -> Result<()> {
    dimension_of(&operand, dimension)?;
    operand.elements()?;
    run(context, key, "all_gather", groups, operand, |all, _| {
        let shape = operand.shape;
        let mut target_shape = shape.to_vec();
        target_shape[dimension] *= all.len();
        let zeros = vec![0; shape.len()];
        let mut offset = zeros.clone();
        for (i, other) in all.iter().enumerate() {
            offset[dimension] = i * shape[dimension];
            // SAFETY: the box is the whole input and lies inside of the output.
            unsafe {
                copy_box(
                    operand.kind.size(),
                    shape,
                    (other.input, shape, &zeros),
                    (operand.output, &target_shape, &offset),
                );
            }
        }
        Ok(())
    })
}

/// Splits the input along one dimension, sends piece `i` to member `i`, and concatenates what was received along another dimension.
///
/// # Safety
/// The input is valid for the operand's shape, the output for the shape that results.
///
/// # Errors
/// As for [`all_reduce`]; `InvalidArgument` when the group does not divide the dimension.
pub unsafe fn all_to_all(
    context: &Context,
    key: i64,
    groups: Groups<'_>,
    operand: Operand<'_>,
    (split, concat): (usize, usize),
) -> Result<()> {
    dimension_of(&operand, split)?;
    dimension_of(&operand, concat)?;
    operand.elements()?;
    run(context, key, "all_to_all", groups, operand, |all, own| {
        let shape = operand.shape;
        let mut piece = shape.to_vec();
        piece[split] = divided(shape[split], all.len(), "all_to_all")?;
        let mut target_shape = piece.clone();
        target_shape[concat] *= all.len();
        let (mut from, mut to) = (vec![0; shape.len()], vec![0; shape.len()]);
        from[split] = own * piece[split];
        for (i, other) in all.iter().enumerate() {
            to[concat] = i * piece[concat];
            // SAFETY: the piece lies inside of the input by the division, and inside of the output by its shape.
            unsafe {
                copy_box(
                    operand.kind.size(),
                    &piece,
                    (other.input, shape, &from),
                    (operand.output, &target_shape, &to),
                )
            };
        }
        Ok(())
    })
}

/// The member's own piece, along a dimension, of what [`all_reduce`] would give.
///
/// # Safety
/// The input is valid for the operand's shape, the output for the shape divided by the size of the group; the reducer as for [`all_reduce`].
///
/// # Errors
/// As for [`all_reduce`]; `InvalidArgument` when the group does not divide the dimension; `OutOfMemory`.
pub unsafe fn reduce_scatter(
    context: &Context,
    key: i64,
    groups: Groups<'_>,
    operand: Operand<'_>,
    dimension: usize,
    reduction: Reduction,
) -> Result<()> {
    dimension_of(&operand, dimension)?;
    operand.elements()?;
    run(
        context,
        key,
        "reduce_scatter",
        groups,
        operand,
        |all, own| {
            let (shape, size) = (operand.shape, operand.kind.size());
            let mut piece = shape.to_vec();
            piece[dimension] = divided(shape[dimension], all.len(), "reduce_scatter")?;
            let count: usize = piece.iter().product();
            let zeros = vec![0; shape.len()];
            let mut from = zeros.clone();
            from[dimension] = own * piece[dimension];
            let mut pieces = Scratch::<u8>::take(all.len() * count * size)?;
            for (i, other) in all.iter().enumerate() {
                let target = pieces[i * count * size..].as_mut_ptr();
                // SAFETY: the piece lies inside of the input by the division; the target has room for it.
                unsafe {
                    copy_box(
                        size,
                        &piece,
                        (other.input, shape, &from),
                        (target, &piece, &zeros),
                    )
                };
            }
            let inputs: Vec<*const u8> = (0..all.len())
                .map(|i| pieces[i * count * size..].as_ptr())
                .collect();
            // SAFETY: dense pieces of `count` elements.
            unsafe { fold(&inputs, operand.output, count, size, reduction) };
            Ok(())
        },
    )
}

/// Sends the input of each pair's source to its target; who is no target gets zeros. The numbers are replicas (`CrossReplica`) or partitions
/// (`CrossPartition`).
///
/// # Safety
/// The operand's pointers are valid for its shape.
///
/// # Errors
/// As for [`all_reduce`]; `InvalidArgument` for a number that occurs twice as source or as target.
pub unsafe fn permute(
    context: &Context,
    key: i64,
    mode: Mode,
    pairs: &[i64],
    operand: Operand<'_>,
) -> Result<()> {
    let bytes = operand.elements()? * operand.kind.size();
    let place = context.place();
    let own = match mode {
        Mode::CrossReplica => place.replica,
        Mode::CrossPartition => place.partition,
        _ => {
            return Err(Error::invalid(
                "collective_permute goes across replicas or partitions",
            ));
        }
    } as i64;
    let (pairs, []) = pairs.as_chunks::<2>() else {
        return Err(Error::invalid("source and target come in pairs"));
    };
    for side in 0..2 {
        let mut ids: Vec<i64> = pairs.iter().map(|p| p[side]).collect();
        ids.sort_unstable();
        if ids.windows(2).any(|w| w[0] == w[1]) {
            return Err(Error::invalid(
                "collective_permute names a source or a target twice",
            ));
        }
    }
    let source = pairs.iter().find(|p| p[1] == own).map(|p| p[0]);
    run(
        context,
        key,
        "collective_permute",
        Groups {
            mode,
            ids: &[],
            size: 0,
        },
        operand,
        |all, _| {
            match source {
                Some(source) => {
                    let from = usize::try_from(source).ok().and_then(|s| all.get(s));
                    let from = from.ok_or_else(|| {
                        Error::invalid(format!("collective_permute names {source}"))
                    })?;
                    // SAFETY: the types are the same, which the run has checked; the buffers do not overlap.
                    unsafe { std::ptr::copy_nonoverlapping(from.input, operand.output, bytes) };
                }
                // SAFETY: the output has the operand's shape; zero is zero in every kind, or its smallest value where it lacks one.
                None => unsafe { operand.output.write_bytes(0, bytes) },
            }
            Ok(())
        },
    )
}

/// Gives the input of each group's member at place `root` to all of them; who is in no group gets zeros.
///
/// # Safety
/// The operand's pointers are valid for its shape.
///
/// # Errors
/// As for [`all_reduce`].
pub unsafe fn broadcast(
    context: &Context,
    key: i64,
    groups: Groups<'_>,
    operand: Operand<'_>,
    root: i64,
) -> Result<()> {
    const WHAT: &str = "collective_broadcast";
    // SAFETY: the caller's promise.
    if unsafe { alone(context, groups, operand)? } {
        return Ok(());
    }
    run(context, key, WHAT, groups, operand, |all, _| {
        let source = all[place_of(root, all.len(), WHAT)?].input;
        let bytes = operand.elements()? * operand.kind.size();
        // SAFETY: the types are the same, which the run has checked; the buffers do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(source, operand.output, bytes) };
        Ok(())
    })
}

/// Combines the inputs of a group as [`all_reduce`] for its member at place `root`; everybody else gets zeros.
///
/// # Safety
/// As for [`all_reduce`].
///
/// # Errors
/// As for [`all_reduce`].
pub unsafe fn reduce(
    context: &Context,
    key: i64,
    groups: Groups<'_>,
    operand: Operand<'_>,
    root: i64,
    reduction: Reduction,
) -> Result<()> {
    const WHAT: &str = "collective_reduce";
    // SAFETY: the caller's promise.
    if unsafe { alone(context, groups, operand)? } {
        return Ok(());
    }
    run(context, key, WHAT, groups, operand, |all, own| {
        let (count, size) = (operand.elements()?, operand.kind.size());
        if place_of(root, all.len(), WHAT)? != own {
            // SAFETY: the output has the operand's shape.
            unsafe { operand.output.write_bytes(0, count * size) };
            return Ok(());
        }
        let inputs: Vec<*const u8> = all.iter().map(|o| o.input).collect();
        // SAFETY: all inputs have the operand's shape, which the run has checked.
        unsafe { fold(&inputs, operand.output, count, size, reduction) };
        Ok(())
    })
}

/// Is this process in no group? Then its output is zeros.
///
/// # Safety
/// The output is valid for the operand's shape.
unsafe fn alone(context: &Context, groups: Groups<'_>, operand: Operand<'_>) -> Result<bool> {
    let alone = groups.of(context.world(), context.place())?.is_none();
    if alone {
        let bytes = operand.elements()? * operand.kind.size();
        // SAFETY: the caller's promise.
        unsafe { operand.output.write_bytes(0, bytes) };
    }
    Ok(alone)
}

/// The place of a root in a group of so many members.
fn place_of(root: i64, members: usize, what: &str) -> Result<usize> {
    usize::try_from(root)
        .ok()
        .filter(|root| *root < members)
        .ok_or_else(|| {
            Error::invalid(format!(
                "{what}: the root {root} is not one of {members} members"
            ))
        })
}

fn dimension_of(operand: &Operand<'_>, dimension: usize) -> Result<()> {
    if dimension < operand.shape.len() {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "dimension {dimension} of a tensor of rank {}",
        operand.shape.len()
    )))
}

fn divided(size: usize, parts: usize, what: &str) -> Result<usize> {
    if size.is_multiple_of(parts) {
        return Ok(size / parts);
    }
    Err(Error::invalid(format!(
        "{what}: {parts} processes do not divide a dimension of {size}"
    )))
}
