//! Offsets in the arena, and in the memory of results until these are written: the largest first,
//! each at the lowest place that is free during its life.

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
pub(super) struct BufferSlot {
    /// Number of the result.
    pub result: usize,
    pub bytes: i64,
    /// Time from which on values may be there again.
    pub from: Option<usize>,
    /// Time until which values may be there.
    pub until: usize,
}

/// Value that is at an offset of a memory for a time.
struct Placed {
    offset: i64,
    size: i64,
    begin: usize,
    end: usize,
}

/// Values up to whose number more than one order is tried.
const FEW: usize = 512;

/// Places all of kind [`Kind::Arena`] that are no part of others: in `rooms` where they fit. The
/// bytes of the arena; `None` where 64 bits do not count them.
pub(super) fn assign(places: &mut [Place<'_>], mut rooms: Vec<BufferSlot>) -> Option<i64> {
    let order: Vec<usize> = (0..places.len())
        .filter(|i| matches!(places[*i].kind, Kind::Arena(_)) && places[*i].stands())
        .collect();
    rooms.retain(|room| room.bytes >= LEAST);
    // The largest first: what follows each other is in the same memory. Of equal ones that which is
    // written first: others are longer of use.
    rooms.sort_by_key(|room| (Reverse(room.bytes), room.until, room.result));
    rooms.truncate(MOST_ROOMS);
    let sorted = |key: &dyn Fn(&Place<'_>) -> (i64, i64)| {
        let mut order = order.clone();
        order.sort_by_key(|i| (key(&places[*i]), *i));
        order
    };
    let life = |place: &Place<'_>| place.end.saturating_sub(place.begin) as i64 + 1;
    // The largest first; those that are needed longest first, among what is about as large; what
    // takes most room for most of the time.
    let mut orders = vec![sorted(&|place| (-place.bytes, 0))];
    if order.len() <= FEW {
        let about = |place: &Place<'_>| i64::from(place.bytes.max(1).ilog2());
        orders.push(sorted(&|place| (-about(place), -life(place))));
        orders.push(sorted(&|place| {
            (-place.bytes.saturating_mul(life(place)), 0)
        }));
    }
    let mut best: Option<Placement> = None;
    for order in orders {
        let placement = Placement::in_order(places, &order, &rooms)?;
        if best
            .as_ref()
            .is_none_or(|other| placement.total < other.total)
        {
            best = Some(placement);
        }
    }
    let best = best?;
    for (id, kind) in best.kinds {
        places[id].kind = kind;
    }
    Some(best.total)
}

/// Places of all values if they are placed in some order.
struct Placement {
    kinds: Vec<(usize, Kind)>,
    /// Bytes of the arena.
    total: i64,
}

impl Placement {
    fn in_order(places: &[Place<'_>], order: &[usize], rooms: &[BufferSlot]) -> Option<Self> {
        let mut in_rooms: Vec<Vec<Placed>> = rooms.iter().map(|_| Vec::new()).collect();
        let mut in_arena: Vec<Placed> = Vec::new();
        let (mut kinds, mut total) = (Vec::new(), 0i64);
        for id in order.iter().copied() {
            let place = &places[id];
            let size = place
                .bytes
                .max(1)
                .checked_add(ALIGN - 1)
                .map(|n| n / ALIGN * ALIGN)?;
            let at = |offset: i64| Placed {
                offset,
                size,
                begin: place.begin,
                end: place.end,
            };
            let found = rooms.iter().zip(&mut in_rooms).find_map(|(room, placed)| {
                let free = place.bytes >= LEAST
                    && room.bytes >= place.bytes
                    && room.from.is_none_or(|from| from < place.begin)
                    && place.end < room.until;
                let offset = free.then(|| lowest(placed, place, size))?;
                (offset <= room.bytes - place.bytes).then(|| {
                    placed.push(at(offset));
                    Kind::Within(room.result, offset)
                })
            });
            kinds.push((
                id,
                match found {
                    Some(kind) => kind,
                    None => {
                        let offset = lowest(&in_arena, place, size);
                        total = total.max(offset.checked_add(size)?);
                        in_arena.push(at(offset));
                        Kind::Arena(offset)
                    }
                },
            ));
        }
        Some(Self { kinds, total })
    }
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
