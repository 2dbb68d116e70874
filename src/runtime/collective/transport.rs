//! Worlds whose processes share no memory: what a member needs of the others' inputs is carried to
//! it before it computes.
//!
//! With it goes a note on what the sender is at, so that members that are at different operations
//! find out at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use smallvec::SmallVec;

use super::World;
use super::boxes::{Part, Sizes, copy_box};
use super::needs::{Operand, Wanted};
use crate::error::{Error, Result, Status};
use crate::pool::lock;
use crate::scratch::Scratch;
use crate::{Buffer, Context, ElementKind};

/// Other members of a group whose pieces are listed without memory of the lists' own.
const FEW: usize = 3;

/// Bytes to a process.
pub struct Outgoing<'a> {
    pub to: usize,
    pub bytes: &'a [u8],
}

/// The place for the next bytes of a process.
pub struct Incoming<'a> {
    pub from: usize,
    pub bytes: &'a mut [u8],
}

/// Carries bytes between processes. What one process sends another arrives in the order in which it
/// is sent, each piece in one place.
pub trait Transport: Send + Sync {
    /// Sends and receives all of this for process `own`, and returns when that is done. A piece may
    /// be shorter than the place that it comes to. Where it is not done within the limit, the
    /// transport ends the process after saying that `what` waited for whom: memory that is under
    /// way cannot be given back.
    ///
    /// # Errors
    /// What the network says.
    fn exchange(
        &self,
        own: usize,
        what: &str,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        limit: Duration,
    ) -> Result<()>;
}

/// Bytes of a note with its company, at most. Open MPI sends messages of up to 4096 bytes, a header
/// of its own among them, through shared memory at once; longer ones wait for the receiver.
const NOTE: usize = 4000;

/// Bytes of the text of a note, at most.
const TEXT: usize = 1024;

/// Bytes of a note in front of its text: how many the text has, and how many follow.
const START: usize = 16;

/// Number of the bytes in the company of a note of such a text, of so many that follow it.
fn company(text: &str, follow: usize) -> usize {
    follow.min(NOTE - START - text.len())
}

/// Writes a note of a text that is followed by `follow`, the first of them in its company; it has
/// as many bytes as that needs.
fn write(note: &mut [u8], text: &str, follow: &[u8]) {
    note[..8].copy_from_slice(&(text.len() as u64).to_le_bytes());
    note[8..START].copy_from_slice(&(follow.len() as u64).to_le_bytes());
    let (said, first) = note[START..].split_at_mut(text.len());
    said.copy_from_slice(text.as_bytes());
    first.copy_from_slice(&follow[..first.len()]);
}

/// The text of a note, how many bytes follow it, and what stands behind the text.
fn read(note: &[u8]) -> (&[u8], usize, &[u8]) {
    let number = |i: usize| {
        let bytes = note.get(i * 8..i * 8 + 8).and_then(|b| b.try_into().ok());
        bytes.map_or(0, |bytes| u64::from_le_bytes(bytes) as usize)
    };
    let rest = note.get(START..).unwrap_or_default();
    let (text, rest) = rest.split_at(number(0).min(rest.len()));
    (text, number(1), rest)
}

/// Descriptions of operations that a process was at, by their keys: programs are at the same ones
/// again and again.
#[derive(Default)]
pub(super) struct Descriptions(Mutex<HashMap<i64, Description>>);

struct Description {
    what: &'static str,
    kind: ElementKind,
    shape: Sizes,
    group: Vec<usize>,
    text: Arc<str>,
}

impl Descriptions {
    /// Describes the operation that a process is at, in words that are the same on all members of
    /// the group that are at the same one, and short.
    pub(super) fn for_operation(
        &self,
        what: &'static str,
        key: i64,
        group: &[usize],
        operand: &Operand<'_>,
    ) -> Arc<str> {
        let mut known = lock(&self.0);
        let is_it = |known: &&Description| {
            known.what == what
                && known.kind == operand.kind
                && known.shape.as_slice() == operand.shape
                && known.group == group
        };
        if let Some(known) = known.get(&key).filter(is_it) {
            return Arc::clone(&known.text);
        }
        let text: Arc<str> = describe(what, key, group, operand).into();
        known.insert(
            key,
            Description {
                what,
                kind: operand.kind,
                shape: Sizes::from_slice(operand.shape),
                group: group.to_vec(),
                text: Arc::clone(&text),
            },
        );
        text
    }
}

fn describe(what: &str, key: i64, group: &[usize], operand: &Operand<'_>) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut text = format!(
        "{what} number {key} of {:?} of {} in the group {group:?}",
        operand.shape,
        operand.kind.name()
    );
    if text.len() > TEXT {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        // No character in it has more than one byte; the rest has fewer than so many.
        text.truncate(TEXT - 32);
        text.push_str(&format!("… ({:x})", hasher.finish()));
    }
    text
}

/// Pieces to or from members of a group, by their numbers in it.
type Pieces<T> = SmallVec<[(usize, T); FEW]>;

/// Place of a part that arrives.
enum Arrival {
    /// At the start of the memory for parts, or somewhat behind.
    Aside(usize),
    /// In the output, from this byte.
    InPlace(usize),
}

impl World {
    /// Brings what this process wants of the others' inputs, and the others what they want of its
    /// own. What has a place in the output is there afterwards; the rest lies in the memory that is
    /// returned, one after another in the order of the group.
    ///
    /// # Safety
    /// The operand is valid for its shape and for the parts that are wanted to be in its output.
    pub(super) unsafe fn carry(
        &self,
        context: &Context,
        what: &str,
        (group, own): (&[usize], usize),
        operand: &Operand<'_>,
        wanted: &dyn Fn(usize, usize) -> Result<Option<Wanted>>,
    ) -> Result<Carried> {
        let Some(transport) = &self.transport else {
            return Err(Error::invalid(format!(
                "{what}: there is nobody to send to"
            )));
        };
        let width = operand.kind.size();
        let others = || (0..group.len()).filter(|m| *m != own);
        // What leaves: as it lies, or packed.
        let mut packed: Vec<Buffer> = Vec::new();
        let mut leaving: Pieces<&[u8]> = SmallVec::new();
        for member in others() {
            let Some(Wanted { from, .. }) = wanted(member, own)? else {
                continue;
            };
            let bytes = from.elements() * width;
            let start = match from.run() {
                // SAFETY: parts lie inside of the operand.
                Some(at) => unsafe { operand.input.add(at * width) },
                None => {
                    let mut buffer = context.memory().allocate(bytes)?;
                    let zeros = vec![0; from.size.len()];
                    // SAFETY: the part lies inside of the operand, and the buffer has room for it.
                    unsafe {
                        copy_box(
                            width,
                            &from.size,
                            (operand.input, &from.shape, &from.offset),
                            (buffer.as_mut_ptr(), &from.size, &zeros),
                        );
                    }
                    packed.push(buffer);
                    packed[packed.len() - 1].as_ptr()
                }
            };
            // SAFETY: so many bytes, of the operand or of a buffer that lives until the end; nobody
            // writes them: what is received comes to other places.
            leaving.push((member, unsafe { std::slice::from_raw_parts(start, bytes) }));
        }
        // What comes.
        let mut coming: SmallVec<[(usize, Wanted, Arrival); FEW]> = SmallVec::new();
        let mut aside = 0;
        for member in others() {
            let Some(want) = wanted(own, member)? else {
                continue;
            };
            let arrival = match want.to.as_ref().and_then(Part::run) {
                Some(at) => Arrival::InPlace(at * width),
                None => {
                    let at = aside;
                    aside += (want.from.elements() * width).next_multiple_of(crate::ALIGNMENT);
                    Arrival::Aside(at)
                }
            };
            coming.push((member, want, arrival));
        }
        let mut memory = context.memory().allocate(aside)?;
        let base = memory.as_mut_ptr();
        let mut places: Pieces<&mut [u8]> = SmallVec::new();
        for (member, want, arrival) in &coming {
            let bytes = want.from.elements() * width;
            // SAFETY: every part has a place of its own, in the output or in the memory for parts.
            places.push((*member, unsafe {
                let start = match arrival {
                    Arrival::Aside(at) => base.add(*at),
                    Arrival::InPlace(at) => operand.output.add(*at),
                };
                std::slice::from_raw_parts_mut(start, bytes)
            }));
        }
        self.exchange(&**transport, what, (group, own), &leaving, &mut places)?;

        let mut places = SmallVec::from_elem(None, group.len());
        for (member, want, arrival) in &coming {
            let Arrival::Aside(at) = *arrival else {
                continue;
            };
            match &want.to {
                // SAFETY: the part is there as a dense tensor, and its place lies inside of the
                // output.
                Some(to) => unsafe {
                    copy_box(
                        width,
                        &to.size,
                        (base.add(at), &to.size, &vec![0; to.size.len()]),
                        (operand.output, &to.shape, &to.offset),
                    );
                },
                None => places[*member] = Some(at),
            }
        }
        Ok(Carried { memory, places })
    }

    /// Sends members of a group what leaves for them, and receives what comes from them: first
    /// notes of what the processes are at, with the first bytes in their company, then the rest.
    fn exchange(
        &self,
        transport: &dyn Transport,
        what: &str,
        (group, own): (&[usize], usize),
        leaving: &[(usize, &[u8])],
        coming: &mut [(usize, &mut [u8])],
    ) -> Result<()> {
        let length = |bytes: &[u8]| START + what.len() + company(what, bytes.len());
        let lengths = leaving.iter().map(|(_, bytes)| length(bytes));
        let all_notes = coming.len() * NOTE + lengths.clone().sum::<usize>();
        let mut memory = Scratch::<u8>::take(all_notes)?;
        let (received, mut written) = memory.split_at_mut(coming.len() * NOTE);
        let mut outgoing: SmallVec<[Outgoing<'_>; FEW]> = SmallVec::new();
        for ((member, bytes), length) in leaving.iter().zip(lengths) {
            let (note, rest) = written.split_at_mut(length);
            write(note, what, bytes);
            written = rest;
            let to = group[*member];
            outgoing.push(Outgoing { to, bytes: note });
        }
        let places = coming.iter().zip(received.chunks_mut(NOTE));
        let places = places.map(|((member, _), bytes)| (group[*member], bytes));
        let mut incoming: SmallVec<[Incoming<'_>; FEW]> = places
            .map(|(from, bytes)| Incoming { from, bytes })
            .collect();
        transport.exchange(group[own], what, &outgoing, &mut incoming, self.timeout)?;
        drop(incoming);
        let mut later = Vec::new();
        for ((member, place), note) in coming.iter_mut().zip(received.chunks(NOTE)) {
            let (from, (text, follow, behind)) = (group[*member], read(note));
            if text != what.as_bytes() || follow != place.len() {
                return Err(Error::new(
                    Status::ShapeMismatch,
                    format!(
                        "process {from} is at {}, and process {} at {what}",
                        String::from_utf8_lossy(text),
                        group[own]
                    ),
                ));
            }
            let (here, bytes) = place.split_at_mut(company(what, follow));
            here.copy_from_slice(&behind[..here.len()]);
            if !bytes.is_empty() {
                later.push(Incoming { from, bytes });
            }
        }
        let rests = leaving.iter().map(|(member, bytes)| Outgoing {
            to: group[*member],
            bytes: &bytes[company(what, bytes.len())..],
        });
        let outgoing: Vec<Outgoing<'_>> = rests.filter(|rest| !rest.bytes.is_empty()).collect();
        if outgoing.is_empty() && later.is_empty() {
            return Ok(());
        }
        transport.exchange(group[own], what, &outgoing, &mut later, self.timeout)
    }

    /// Gives a text, of which a few thousand bytes arrive, to all processes of a world that share
    /// no memory, and takes theirs, by process.
    ///
    /// # Errors
    /// What the network says; a process that is at something else.
    pub fn tell_all(
        &self,
        own: usize,
        what: &str,
        text: &str,
        limit: Duration,
    ) -> Result<Vec<String>> {
        let Some(transport) = &self.transport else {
            return Ok(vec![text.to_owned()]);
        };
        let mut text = text.to_owned();
        while text.len() > company(what, text.len()) {
            text.pop();
        }
        let mut own_note = vec![0; START + what.len() + text.len()];
        write(&mut own_note, what, text.as_bytes());
        let others: Vec<usize> = (0..self.processes()).filter(|p| *p != own).collect();
        let mut received = vec![[0u8; NOTE]; others.len()];
        let outgoing: Vec<Outgoing<'_>> = others
            .iter()
            .map(|to| Outgoing {
                to: *to,
                bytes: &own_note,
            })
            .collect();
        let mut incoming: Vec<Incoming<'_>> = others
            .iter()
            .zip(&mut received)
            .map(|(from, bytes)| Incoming { from: *from, bytes })
            .collect();
        transport.exchange(own, what, &outgoing, &mut incoming, limit)?;
        let mut told = Vec::new();
        for (process, note) in others.iter().zip(&received) {
            let (at, length, behind) = read(note);
            let said = &behind[..length.min(behind.len())];
            if at != what.as_bytes() {
                return Err(Error::invalid(format!(
                    "process {process} is at {}, and process {own} at {what}",
                    String::from_utf8_lossy(at)
                )));
            }
            told.push(String::from_utf8_lossy(said).into_owned());
        }
        told.insert(own, text);
        Ok(told)
    }
}

/// Parts of the others' inputs.
pub(super) struct Carried {
    memory: Buffer,
    /// Start of the part of each member, if there is one that has no place in the output.
    places: SmallVec<[Option<usize>; 8]>,
}

impl Carried {
    /// The part of a member, as a dense tensor.
    pub(super) fn part(&self, member: usize) -> Option<*const u8> {
        let at = self.places.get(member).copied().flatten()?;
        Some(self.memory.as_ptr().wrapping_add(at))
    }
}
