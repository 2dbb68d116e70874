//! Maps without duplicates.

use super::replicas::lift_any;
use crate::query::everything;
use mapwright_indexing::{IndexingMap, RuntimeVariable};

/// The most different maps that are kept from one value to another.
pub const LIMIT: usize = 64;

/// Maps without duplicates, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct MapSet {
    maps: Vec<IndexingMap>,
}

impl MapSet {
    /// Adds a map; false if it says nothing new (it is empty, or there already).
    pub fn push(&mut self, map: IndexingMap) -> bool {
        if map.is_known_empty() {
            return false;
        }
        if self.maps.iter().any(|old| covers(old, &map)) {
            return false;
        }
        self.maps.retain(|old| !covers(&map, old));
        for old in &mut self.maps {
            // The same set of elements, known for certain on one path: that decides.
            if old.exact != map.exact
                && old.clone().with_exact(true) == map.clone().with_exact(true)
            {
                old.exact = true;
                return false;
            }
        }
        self.maps.push(map);
        true
    }

    /// Replaces more than [`LIMIT`] maps by one.
    pub(super) fn bound(&mut self, from: &[i64], to: &[i64], replica: Option<i64>) {
        if self.maps.len() <= LIMIT {
            return;
        }
        let map = everything(from, to).with_exact(false);
        self.maps = vec![match replica {
            Some(replicas) => lift_any(&map, replicas),
            None => map,
        }];
    }

    /// Nobody knows, for this reason.
    pub(super) fn unknown(reason: String) -> Self {
        Self {
            maps: vec![IndexingMap::unknown(reason)],
        }
    }

    /// The maps.
    pub fn maps(&self) -> &[IndexingMap] {
        &self.maps
    }

    /// The maps, for good.
    pub fn into_maps(self) -> Vec<IndexingMap> {
        self.maps
    }
}

/// True if `small` says nothing that `large` does not say: they are equal, but for a part of the index space.
fn covers(large: &IndexingMap, small: &IndexingMap) -> bool {
    if large == small {
        return true;
    }
    let read = |a: &RuntimeVariable, b: &RuntimeVariable| {
        a.interval == b.interval
            && a.clamp() == b.clamp()
            && !a.origin.value.is_empty()
            && a.origin.value == b.origin.value
            && match (&a.origin.index, &b.origin.index) {
                (None, None) => true,
                (Some(a), Some(b)) => a.is_known() && b.is_known() && a.results == b.results,
                _ => false,
            }
    };
    large.is_known()
        && small.is_known()
        && large.exact == small.exact
        && large.dims.len() == small.dims.len()
        && large
            .dims
            .iter()
            .zip(&small.dims)
            .all(|(a, b)| a.name == b.name && a.interval.contains_interval(b.interval))
        && large.ranges == small.ranges
        && large.results == small.results
        && large.constraints == small.constraints
        && large.runtime.len() == small.runtime.len()
        && large
            .runtime
            .iter()
            .zip(&small.runtime)
            .all(|(a, b)| read(a, b))
}
