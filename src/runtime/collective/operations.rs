//! The collective operations.
//!
//! Each takes the context (which knows the world and the place in it), a key that is the same on all members and different for different
//! operations of the program (the channel or a number of the compiler's), the groups, and the operands. Inputs and outputs of an operation do
//! not overlap, on any process.

use std::ffi::c_void;

use super::boxes::{Part, copy_box};
use super::groups::{Groups, Mode};
use super::meeting::meet;
use super::transport;
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

/// What a member needs of the input of another one, or of its own.
pub(super) struct Wanted {
    pub(super) from: Part,
    /// The place in the member's output that it is copied to; `None` for what the operation computes with.
    pub(super) to: Option<Part>,
}

impl Wanted {
    fn to_compute(from: Part) -> Result<Option<Wanted>> {
        Ok(Some(Wanted { from, to: None }))
    }

    fn to_keep(from: Part, to: Part) -> Result<Option<Wanted>> {
        Ok(Some(Wanted { from, to: Some(to) }))
    }
}

/// Says what member `0` of a group of `2` members needs of member `1`.
type Needs<'a> = &'a dyn Fn(usize, usize, usize) -> Result<Option<Wanted>>;

/// A member's input, of which the operation computes with a part, as a dense tensor.
struct Computed {
    data: *const u8,
    /// Memory for a part that is no run of its tensor.
    _copy: Option<Scratch<u8>>,
}

impl Computed {
    /// # Safety
    /// The part lies inside of the tensor at `input`.
    unsafe fn part(input: *const u8, part: &Part, width: usize) -> Result<Computed> {
        if let Some(at) = part.run() {
            return Ok(Computed {
                // SAFETY: the caller's promise.
                data: unsafe { input.add(at * width) },
                _copy: None,
            });
        }
        let mut copy = Scratch::<u8>::take(part.elements() * width)?;
        let zeros = vec![0; part.size.len()];
        // SAFETY: the caller's promise; the copy has room for the part.
        unsafe {
            copy_box(
                width,
                &part.size,
                (input, &part.shape, &part.offset),
                (copy.as_mut_ptr(), &part.size, &zeros),
            );
        }
        Ok(Computed {
            data: copy.as_ptr(),
            _copy: Some(copy),
        })
    }
}

/// Copies a part of an input to its place in the output.
///
/// # Safety
/// Both lie inside of their tensors, which do not overlap there.
unsafe fn keep(input: *const u8, from: &Part, output: *mut u8, to: &Part, width: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        copy_box(
            width,
            &from.size,
            (input, &from.shape, &from.offset),
            (output, &to.shape, &to.offset),
        );
    }
}

/// Brings what this member needs of the inputs of the group: what is to be kept comes to its place, and `compute` gets the rest in the order of
/// the group, with the place of this member in it. Fails unless all members bring the same types.
///
/// # Safety
/// The operand's input is valid for its shape, its output for what is kept there; the needs are the same on all members.
unsafe fn run(
    context: &Context,
    key: i64,
    what: &str,
    groups: Groups<'_>,
    operand: Operand<'_>,
    needs: Needs<'_>,
    compute: impl FnOnce(&[*const u8], usize) -> Result<()>,
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
    let (width, members) = (operand.kind.size(), group.len());
    // What is computed with, of members whose inputs are in the memory of this process.
    let here = |input: *const u8, own: usize, member: usize| -> Result<Option<Computed>> {
        let Some(Wanted { from, to }) = needs(own, member, members)? else {
            return Ok(None);
        };
        // SAFETY: the caller's promise; members stay in the meeting while their inputs are read.
        unsafe {
            match to {
                Some(to) => keep(input, &from, operand.output, &to, width),
                None => return Computed::part(input, &from, width).map(Some),
            }
        }
        Ok(None)
    };
    if world.is_spread() && members > 1 {
        let Some(own) = group.iter().position(|p| *p == process) else {
            return Err(Error::invalid(format!(
                "{what}: process {process} is not in its group {group:?}"
            )));
        };
        let text = transport::at(what, key, &group, &operand);
        let wanted = |receiver: usize, sender: usize| needs(receiver, sender, members);
        // SAFETY: the caller's promise.
        let carried = unsafe { world.carry(context, &text, (&group, own), &operand, &wanted)? };
        let own_part = here(operand.input, own, own)?;
        let inputs = (0..members).filter_map(|member| match member == own {
            true => own_part.as_ref().map(|part| part.data),
            false => carried.part(member),
        });
        return compute(&inputs.collect::<Vec<_>>(), own);
    }
    meet(world, key, what, &group, process, &operand, |all, own| {
        for other in all {
            operand.matches(other, what)?;
        }
        let mut parts = Vec::with_capacity(members);
        for (member, other) in all.iter().enumerate() {
            parts.extend(here(other.input, own, member)?);
        }
        let inputs: Vec<*const u8> = parts.iter().map(|part| part.data).collect();
        compute(&inputs, own)
    })
}

/// For operations that keep all that they want.
fn nothing_more(_: &[*const u8], _: usize) -> Result<()> {
    Ok(())
}

/// From how many bytes on members that share no memory reduce a piece each.
const LARGE: usize = 16 << 10;

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
    // Each member reduces a piece, and all get the pieces. Where a piece ends a vector does, so that the bits are those of the whole.
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
    let others = |receiver, sender, members| match receiver == sender {
        true => Ok(None),
        false => Wanted::to_keep(part(sender, members), part(sender, members)),
    };
    let reduced = Operand {
        input: operand.output,
        ..operand
    };
    // SAFETY: the caller's promise; pieces lie inside of the operand, and no two members' pieces overlap.
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
        match source == sender as i64 {
            true => Wanted::to_keep(Part::whole(operand.shape), Part::whole(operand.shape)),
            false => Ok(None),
        }
    };
    let groups = Groups {
        mode,
        ids: &[],
        size: 0,
    };
    const WHAT: &str = "collective_permute";
    // SAFETY: the caller's promise; zero is zero in every kind, or its smallest value where it lacks one.
    unsafe {
        run(context, key, WHAT, groups, operand, &needs, |_, own| {
            if source(own).is_none() {
                operand.output.write_bytes(0, bytes);
            }
            Ok(())
        })
    }
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
    let needs = |_: usize, sender, members| match place_of(root, members, WHAT)? == sender {
        true => Wanted::to_keep(Part::whole(operand.shape), Part::whole(operand.shape)),
        false => Ok(None),
    };
    // SAFETY: the caller's promise.
    unsafe { run(context, key, WHAT, groups, operand, &needs, nothing_more) }
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
    let (count, width) = (operand.elements()?, operand.kind.size());
    let needs = |receiver, _: usize, members| match place_of(root, members, WHAT)? == receiver {
        true => Wanted::to_compute(Part::whole(operand.shape)),
        false => Ok(None),
    };
    // SAFETY: the caller's promise; all inputs have the operand's shape, which the run checks. Only the root has inputs.
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
