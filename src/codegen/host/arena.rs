//! Offsets in the arena: the largest first, each at the lowest place that is free during its life.

use super::{plan::Kind, sharing::Place};
use std::cmp::Reverse;

/// Alignment of every tensor.
const ALIGN: i64 = 64;

/// Places all of kind [`Kind::Arena`] that are no part of others. The bytes of the arena; `None` where 64 bits do not count them.
pub(super) fn assign(places: &mut [Place<'_>]) -> Option<i64> {
    let mut order: Vec<usize> = (0..places.len())
        .filter(|i| matches!(places[*i].kind, Kind::Arena(_)) && places[*i].stands())
        .collect();
    order.sort_by_key(|i| (Reverse(places[*i].bytes), *i));
    let mut placed: Vec<(i64, i64, usize, usize)> = Vec::new();
    let mut total = 0i64;
    for id in order {
        let place = &places[id];
        let size = place
            .bytes
            .max(1)
            .checked_add(ALIGN - 1)
            .map(|n| n / ALIGN * ALIGN)?;
        let mut conflicts: Vec<(i64, i64)> = placed
            .iter()
            .filter(|(_, _, begin, end)| *begin <= place.end && place.begin <= *end)
            .map(|(offset, size, ..)| (*offset, *size))
            .collect();
        conflicts.sort_unstable();
        let mut offset = 0i64;
        for (other, length) in conflicts {
            if other >= offset + size {
                break;
            }
            offset = offset.max(other + length);
        }
        total = total.max(offset.checked_add(size)?);
        placed.push((offset, size, place.begin, place.end));
        places[id].kind = Kind::Arena(offset);
    }
    Some(total)
}
