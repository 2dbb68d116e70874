//! The collective operations.
//!
//! Each takes the context (which knows the world and the place in it), a key that is the same on
//! all members and different for different operations of the program (the channel or a number of
//! the compiler's), the groups, and the operands. Inputs and outputs of an operation do not
//! overlap, on any process.

use std::ffi::c_void;

use super::boxes::Part;
use super::groups::{Groups, Mode};
use super::needs::{Operand, Wanted, nothing_more, run};
use crate::Context;
use crate::error::{Error, Result};

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

/// From how many bytes on members that share no memory reduce a piece each.
const LARGE: usize = 16 << 10;

/// `out = body(…body(in_0, in_1)…, in_n-1)`, in the order of the group, so that all members get the
/// same bits.
///
/// # Safety
/// The operand's pointers are valid for its shape; the reducer may be called with buffers of up to
/// that many elements.
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
    const WHAT: &str = "all_reduce";
    let (count, width) = (operand.elements()?, operand.kind.size());
    let needs = |_: usize, _: usize, _: usize| Wanted::to_compute(Part::whole(operand.shape));
    let is_large = context.world().is_spread() && count * width >= LARGE;
    if !is_large {
        // SAFETY: the caller's promise; all inputs have the operand's shape, which the run checks.
        return unsafe {
            run(context, key, WHAT, groups, operand, &needs, |inputs, _| {
                fold(inputs, operand.output, count, width, reduction);
                Ok(())
            })
        };
    }
    // Each member reduces a piece, and all get the pieces. Where a piece ends a vector does, so
    // that the bits are those of the whole.
    let piece = |member: usize, members: usize| {
        let each = count.div_ceil(members).next_multiple_of(64);
        let begin = (member * each).min(count);
        (begin, each.min(count - begin))
    };
    let part = |member: usize, members: usize| {
        let (begin, count_of) = piece(member, members);
        Part::along(&[count], 0, begin, count_of)
    };
    let needs = |receiver, _: usize, members| Wanted::to_compute(part(receiver, members));
    let others = |receiver, sender, members| {
        if receiver == sender {
            Ok(None)
        } else {
            Wanted::to_keep(part(sender, members), part(sender, members))
        }
    };
    let reduced = Operand {
        input: operand.output,
        ..operand
    };
    // SAFETY: the caller's promise; pieces lie inside of the operand, and no two members' pieces
    // overlap.
    unsafe {
        run(
            context,
            key,
            WHAT,
            groups,
            operand,
            &needs,
            |inputs, own| {
                let (begin, count) = piece(own, inputs.len());
                let output = operand.output.add(begin * width);
                fold(inputs, output, count, width, reduction);
                Ok(())
            },
        )?;
        run(context, key, WHAT, groups, reduced, &others, nothing_more)
    }
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
/// The input is valid for the operand's shape, the output for that shape with the dimension times
/// the size of the group.
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
    const WHAT: &str = "all_gather";
    dimension_of(&operand, dimension)?;
    operand.elements()?;
    let shape = operand.shape;
    let needs = |_: usize, sender, members| {
        let size = shape[dimension];
        let mut all = shape.to_vec();
        all[dimension] *= members;
        let to = Part::along(&all, dimension, sender * size, size);
        Wanted::to_keep(Part::whole(shape), to)
    };
    // SAFETY: the caller's promise.
    unsafe { run(context, key, WHAT, groups, operand, &needs, nothing_more) }
}

/// Splits the input along one dimension, sends piece `i` to member `i`, and concatenates what was
/// received along another dimension.
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
    const WHAT: &str = "all_to_all";
    dimension_of(&operand, split)?;
    dimension_of(&operand, concat)?;
    operand.elements()?;
    let shape = operand.shape;
    let needs = |receiver, sender, members| {
        let size = divided(shape[split], members, WHAT)?;
        let from = Part::along(shape, split, receiver * size, size);
        let mut all = from.size.clone();
        let size = all[concat];
        all[concat] *= members;
        let to = Part::along(&all, concat, sender * size, size);
        Wanted::to_keep(from, to)
    };
    // SAFETY: the caller's promise.
    unsafe { run(context, key, WHAT, groups, operand, &needs, nothing_more) }
}

/// The member's own piece, along a dimension, of what [`all_reduce`] would give.
///
/// # Safety
/// The input is valid for the operand's shape, the output for the shape divided by the size of the
/// group; the reducer as for [`all_reduce`].
///
/// # Errors
/// As for [`all_reduce`]; `InvalidArgument` when the group does not divide the dimension;
/// `OutOfMemory`.
pub unsafe fn reduce_scatter(
    context: &Context,
    key: i64,
    groups: Groups<'_>,
    operand: Operand<'_>,
    dimension: usize,
    reduction: Reduction,
) -> Result<()> {
    const WHAT: &str = "reduce_scatter";
    dimension_of(&operand, dimension)?;
    let (count, width) = (operand.elements()?, operand.kind.size());
    let shape = operand.shape;
    let needs = |receiver, _: usize, members| {
        let size = divided(shape[dimension], members, WHAT)?;
        Wanted::to_compute(Part::along(shape, dimension, receiver * size, size))
    };
    // SAFETY: the caller's promise; all inputs have the operand's shape, which the run checks.
    unsafe {
        run(context, key, WHAT, groups, operand, &needs, |inputs, _| {
            let count = count / inputs.len();
            fold(inputs, operand.output, count, width, reduction);
            Ok(())
        })
    }
}

/// Sends the input of each pair's source to its target; who is no target gets zeros. The numbers
/// are replicas (`CrossReplica`) or partitions (`CrossPartition`).
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
    if !matches!(mode, Mode::CrossReplica | Mode::CrossPartition) {
        return Err(Error::invalid(
            "collective_permute goes across replicas or partitions",
        ));
    }
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
    let source = |target: usize| pairs.iter().find(|p| p[1] == target as i64).map(|p| p[0]);
    let needs = |receiver, sender: usize, members| {
        let Some(source) = source(receiver) else {
            return Ok(None);
        };
        if usize::try_from(source).map_or(true, |source| source >= members) {
            return Err(Error::invalid(format!("collective_permute names {source}")));
        }
        if source == sender as i64 {
            Wanted::to_keep(Part::whole(operand.shape), Part::whole(operand.shape))
        } else {
            Ok(None)
        }
    };
    let groups = Groups {
        mode,
        ids: &[],
        size: 0,
    };
    const WHAT: &str = "collective_permute";
    // SAFETY: the caller's promise; zero is zero in every kind, or its smallest value where it
    // lacks one.
    unsafe {
        run(context, key, WHAT, groups, operand, &needs, |_, own| {
            if source(own).is_none() {
                operand.output.write_bytes(0, bytes);
            }
            Ok(())
        })
    }
}

/// Gives the input of each group's member at place `root` to all of them; who is in no group gets
/// zeros.
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
    let needs = |_: usize, sender, members| {
        if place_of(root, members, WHAT)? == sender {
            Wanted::to_keep(Part::whole(operand.shape), Part::whole(operand.shape))
        } else {
            Ok(None)
        }
    };
    // SAFETY: the caller's promise.
    unsafe { run(context, key, WHAT, groups, operand, &needs, nothing_more) }
}

/// Combines the inputs of a group as [`all_reduce`] for its member at place `root`; everybody else
/// gets zeros.
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
    let (count, width) = (operand.elements()?, operand.kind.size());
    let needs = |receiver, _: usize, members| {
        if place_of(root, members, WHAT)? == receiver {
            Wanted::to_compute(Part::whole(operand.shape))
        } else {
            Ok(None)
        }
    };
    // SAFETY: the caller's promise; all inputs have the operand's shape, which the run checks. Only
    // the root has inputs.
    unsafe {
        run(context, key, WHAT, groups, operand, &needs, |inputs, _| {
            match inputs {
                [] => operand.output.write_bytes(0, count * width),
                _ => fold(inputs, operand.output, count, width, reduction),
            }
            Ok(())
        })
    }
}

/// Tells whether this process is in no group; its output is zeros then.
///
/// # Safety
/// The output is valid for the operand's shape.
unsafe fn alone(context: &Context, groups: Groups<'_>, operand: Operand<'_>) -> Result<bool> {
    let alone = groups.group_of(context.world(), context.place())?.is_none();
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
