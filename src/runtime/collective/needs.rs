//! What members of a group need of each other's inputs, and how they come by it: in one process
//! they meet and look, between processes it is carried.

use smallvec::SmallVec;

use super::boxes::{Part, copy_box};
use super::groups::Groups;
use super::meeting::meet;
use crate::error::{Error, Result, Status};
use crate::scratch::Scratch;
use crate::{Context, ElementKind};

/// A tensor that takes part: dense, with the same type on all members.
#[derive(Clone, Copy)]
pub struct Operand<'a> {
    pub kind: ElementKind,
    /// Shape of the input.
    pub shape: &'a [usize],
    pub input: *const u8,
    pub output: *mut u8,
}

// SAFETY: other members read the input while its owner waits in the meeting; outputs are written by
// their owner alone.
unsafe impl Sync for Operand<'_> {}

impl Operand<'_> {
    pub(super) fn elements(&self) -> Result<usize> {
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

/// Part that a member needs of the input of another one, or of its own.
pub(super) struct Wanted {
    pub(super) from: Part,
    /// The place in the member's output that it is copied to; `None` for what the operation
    /// computes with.
    pub(super) to: Option<Part>,
}

impl Wanted {
    pub(super) fn to_compute(from: Part) -> Result<Option<Wanted>> {
        Ok(Some(Wanted { from, to: None }))
    }

    pub(super) fn to_keep(from: Part, to: Part) -> Result<Option<Wanted>> {
        Ok(Some(Wanted { from, to: Some(to) }))
    }
}

/// Says what member `0` of a group of `2` members needs of member `1`.
pub(super) type Needs<'a> = &'a dyn Fn(usize, usize, usize) -> Result<Option<Wanted>>;

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

/// Brings what this member needs of the inputs of the group: what is to be kept comes to its place,
/// and `compute` gets the rest in the order of the group, with the place of this member in it.
/// Fails unless all members bring the same types.
///
/// # Safety
/// The operand's input is valid for its shape, its output for what is kept there; the needs are the
/// same on all members.
pub(super) unsafe fn run(
    context: &Context,
    key: i64,
    what: &'static str,
    groups: Groups<'_>,
    operand: Operand<'_>,
    needs: Needs<'_>,
    compute: impl FnOnce(&[*const u8], usize) -> Result<()>,
) -> Result<()> {
    let (world, place) = (context.world(), context.place());
    let process = world.process(place)?;
    let group = groups.group_of(world, place)?.ok_or_else(|| {
        Error::invalid(format!(
            "{what}: process {process} is in no group of {:?}",
            groups.ids
        ))
    })?;
    // The operand is only looked at while its owner is in the meeting, so its lifetime does not
    // matter to the others.
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
        let text = world
            .descriptions
            .for_operation(what, key, &group, &operand);
        let wanted = |receiver: usize, sender: usize| needs(receiver, sender, members);
        // SAFETY: the caller's promise.
        let carried = unsafe { world.carry(context, &text, (&group, own), &operand, &wanted)? };
        let own_part = here(operand.input, own, own)?;
        let inputs = (0..members).filter_map(|member| {
            if member == own {
                own_part.as_ref().map(|part| part.data)
            } else {
                carried.part(member)
            }
        });
        return compute(&inputs.collect::<SmallVec<[_; 8]>>(), own);
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
pub(super) fn nothing_more(_: &[*const u8], _: usize) -> Result<()> {
    Ok(())
}
