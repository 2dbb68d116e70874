//! Maps without duplicates.

use super::replicas::{lift_any, replicas};
use crate::query::everything;
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, RuntimeVariable};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The most different maps that are kept from one value to another.
pub const LIMIT: usize = 64;

/// Maps without duplicates, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct MapSet {
    maps: Vec<IndexingMap>,
    /// The [`mark`] of each map: only maps of one mark can say the same.
    marks: Vec<u64>,
}

impl MapSet {
    /// Adds a map; false if it says nothing new (it is empty, or there already).
    pub fn push(&mut self, map: IndexingMap) -> bool {
        if map.is_known_empty() {
            return false;
        }
        let new = mark(&map);
        let alike = |marks: &[u64]| -> Vec<usize> {
            let found = marks.iter().enumerate().filter(|(_, old)| **old == new);
            found.map(|(i, _)| i).collect()
        };
        let candidates = alike(&self.marks);
        if candidates.iter().any(|i| covers(&self.maps[*i], &map)) {
            return false;
        }
        for i in candidates.into_iter().rev() {
            if covers(&map, &self.maps[i]) {
                self.maps.remove(i);
                self.marks.remove(i);
            }
        }
        for i in alike(&self.marks) {
            let old = &mut self.maps[i];
            // The same set of elements, known for certain on one path: that decides.
            if old.is_exact() != map.is_exact()
                && old.clone().with_exact(true) == map.clone().with_exact(true)
            {
                old.set_exact(true);
                return false;
            }
        }
        for i in alike(&self.marks) {
            if let Some(both) = joined(&self.maps[i], &map) {
                self.maps[i] = both;
                return true;
            }
        }
        self.maps.push(map);
        self.marks.push(new);
        true
    }

    /// Replaces more than [`LIMIT`] maps by one; true if it did.
    pub fn bound(&mut self, from: &[i64], to: &[i64]) -> bool {
        self.bound_to(LIMIT, from, to)
    }

    /// Replaces more than `limit` maps by one, which is not exact; true if it did.
    pub(super) fn bound_to(&mut self, limit: usize, from: &[i64], to: &[i64]) -> bool {
        if self.maps.len() <= limit {
            return false;
        }
        let map = everything(from, to).with_exact(false);
        let map = match self.maps.iter().find_map(replicas) {
            Some(replicas) => lift_any(&map, replicas),
            None => map,
        };
        *self = Self::default();
        self.push(map);
        true
    }

    /// Nobody knows, for this reason.
    pub(super) fn unknown(reason: String) -> Self {
        let mut set = Self::default();
        set.push(IndexingMap::unknown(reason));
        set
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

/// A number that is the same for maps that differ at most in the intervals of their dimensions, in
/// names and in exactness. Maps that read other values at run time never say the same.
fn mark(map: &IndexingMap) -> u64 {
    let mut state = FxHasher::default();
    map.is_known().hash(&mut state);
    (map.dims().len(), map.ranges().len(), map.runtime().len()).hash(&mut state);
    for variable in map.runtime() {
        variable.origin.value.hash(&mut state);
    }
    for variable in map.ranges() {
        variable.interval.hash(&mut state);
    }
    for expr in map.results() {
        outline(expr, 3, &mut state);
    }
    for constraint in map.constraints() {
        constraint.interval.hash(&mut state);
    }
    state.finish()
}

/// Hashes the upper levels of an expression: enough to tell most of them apart, at little cost.
pub(super) fn outline(expr: &Expr, levels: usize, state: &mut impl Hasher) {
    match expr.kind() {
        ExprKind::Binary(op, a, b) => {
            op.hash(state);
            if levels > 0 {
                outline(a, levels - 1, state);
                outline(b, levels - 1, state);
            }
        }
        leaf => leaf.hash(state),
    }
}

/// One map for two that are alike, on parts of the index space that lie beside each other.
fn joined(a: &IndexingMap, b: &IndexingMap) -> Option<IndexingMap> {
    let alike = a.is_known()
        && b.is_known()
        && a.is_exact() == b.is_exact()
        // Where they are read is said for a part of the index space.
        && a.runtime().is_empty()
        && b.runtime().is_empty()
        && a.ranges() == b.ranges()
        && a.results() == b.results()
        && a.constraints() == b.constraints()
        && a.dims().len() == b.dims().len()
        && a.dims().iter().zip(b.dims()).all(|(a, b)| a.name == b.name);
    if !alike {
        return None;
    }
    let mut differ = (0..a.dims().len()).filter(|k| a.dims()[*k].interval != b.dims()[*k].interval);
    let (Some(k), None) = (differ.next(), differ.next()) else {
        return None;
    };
    let (first, second) = (a.dims()[k].interval, b.dims()[k].interval);
    let touch = first.lower <= second.upper.saturating_add(1)
        && second.lower <= first.upper.saturating_add(1);
    if !touch {
        return None;
    }
    let mut map = a.clone();
    map.dims_mut()[k].interval =
        Interval::new(first.lower.min(second.lower), first.upper.max(second.upper));
    Some(map)
}

/// True if `small` says nothing that `large` does not say: they are equal, but for a part of the
/// index space.
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
                (Some(a), Some(b)) => a.is_known() && b.is_known() && a.results() == b.results(),
                _ => false,
            }
    };
    large.is_known()
        && small.is_known()
        && large.is_exact() == small.is_exact()
        && large.dims().len() == small.dims().len()
        && large
            .dims()
            .iter()
            .zip(small.dims())
            .all(|(a, b)| a.name == b.name && a.interval.contains_interval(b.interval))
        && large.ranges() == small.ranges()
        && large.results() == small.results()
        && large.constraints() == small.constraints()
        && large.runtime().len() == small.runtime().len()
        && large
            .runtime()
            .iter()
            .zip(small.runtime())
            .all(|(a, b)| read(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_map() {
        let joined = |texts: &[&str]| -> Vec<String> {
            let mut set = MapSet::default();
            for text in texts {
                set.push(
                    text.parse()
                        .unwrap_or_else(|error| panic!("{text}: {error}")),
                );
            }
            set.maps().iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            joined(&[
                "(d0, d1) -> (d1), domain: d0 in [7, 7], d1 in [0, 2]",
                "(d0, d1) -> (d1), domain: d0 in [6, 6], d1 in [0, 2]",
                "(d0, d1) -> (d1), domain: d0 in [2, 4], d1 in [0, 2]",
                "(d0, d1) -> (d1), domain: d0 in [5, 5], d1 in [0, 1]",
            ]),
            [
                "(d0, d1) -> (d1), domain: d0 in [6, 7], d1 in [0, 2]",
                "(d0, d1) -> (d1), domain: d0 in [2, 4], d1 in [0, 2]",
                "(d0, d1) -> (d1), domain: d0 in [5, 5], d1 in [0, 1]",
            ]
        );
    }
}
