//! Offsets in the arena, and in the memory of results until these are written: the largest first, each at the lowest place that is free during
//! its life.

use super::{
    sharing::Place,
    values::{ALIGN, Kind},
};
use std::cmp::Reverse;

/// Bytes of a result whose memory is used before, at least, and of what is put there.
const LEAST: i64 = 1024;

/// Results whose memory is looked at, at most.
const MOST_ROOMS: usize = 256;

/// The memory of a result while that is not there yet.
pub(super) struct Room {
    /// Number of the result.
    pub result: usize,
    pub bytes: i64,
    /// What is needed after this time may be there.
    pub from: Option<usize>,
    /// What is not needed any more at this time may be there.
    pub until: usize,
}

/// What is at an offset of a memory for a time.
struct Placed {
    offset: i64,
    size: i64,
    begin: usize,
    end: usize,
}

/// Places all of kind [`Kind::Arena`] that are no part of others: in `rooms` where they fit. The bytes of the arena; `None` where 64 bits do not
/// count them.
pub(super) fn assign(places: &mut [Place<'_>], mut rooms: Vec<Room>) -> Option<i64> {
    let mut order: Vec<usize> = (0..places.len())
        .filter(|i| matches!(places[*i].kind, Kind::Arena(_)) && places[*i].stands())
        .collect();
    order.sort_by_key(|i| (Reverse(places[*i].bytes), *i));
    rooms.retain(|room| room.bytes >= LEAST);
    // The largest first: what follows each other is in the same memory. Of equal ones that which is written first: others are longer of use.
    rooms.sort_by_key(|room| (Reverse(room.bytes), room.until, room.result));
    rooms.truncate(MOST_ROOMS);
    let mut rooms: Vec<(Room, Vec<Placed>)> =
        (rooms.into_iter()).map(|room| (room, Vec::new())).collect();
    let mut placed: Vec<Placed> = Vec::new();
    let mut total = 0i64;
    for id in order {
        let place = &places[id];
        let size = place
            .bytes
            .max(1)
            .checked_add(ALIGN - 1)
            .map(|n| n / ALIGN * ALIGN)?;
        if place.bytes >= LEAST {
            // What an operation works in is aligned, the memory of a result need not be.
            let needed = match place.holds_values() {
                true => place.bytes,
                false => size.checked_add(ALIGN)?,
            };
            let found = rooms.iter_mut().find_map(|(room, placed)| {
                let free = room.bytes >= needed
                    && room.from.is_none_or(|from| from < place.begin)
                    && place.end < room.until;
                let offset = free.then(|| lowest(placed, place, needed.max(size)))?;
                (offset <= room.bytes - needed).then(|| {
                    placed.push(Placed {
                        offset,
                        size: needed.max(size),
                        begin: place.begin,
                        end: place.end,
                    });
                    Kind::Within(room.result, offset)
                })
            });
            if let Some(kind) = found {
                places[id].kind = kind;
                continue;
            }
        }
        let offset = lowest(&placed, place, size);
        total = total.max(offset.checked_add(size)?);
        placed.push(Placed {
            offset,
            size,
            begin: place.begin,
            end: place.end,
        });
        places[id].kind = Kind::Arena(offset);
    }
    Some(total)
}

/// The lowest offset at which `size` bytes are free during the life of `place`.
fn lowest(placed: &[Placed], place: &Place<'_>, size: i64) -> i64 {
    let mut conflicts: Vec<(i64, i64)> = placed
        .iter()
        .filter(|other| other.begin <= place.end && place.begin <= other.end)
        .map(|other| (other.offset, other.size))
        .collect();
    conflicts.sort_unstable();
    let mut offset = 0i64;
    for (other, length) in conflicts {
        if other >= offset.saturating_add(size) {
            break;
        }
        offset = offset.max(other + length);
    }
    offset
}
