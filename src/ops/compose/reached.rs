//! The values that a walk has reached, with the maps to them.

use super::set::MapSet;
use crate::query::{identity, sizes};
use indexmap::IndexMap;
use mapwright_indexing::IndexingMap;
use mapwright_mlir::{TensorType, Val, op};

/// The values that were reached from one, with the maps to them, in the order in which they were
/// reached.
#[derive(Clone, Debug)]
pub struct Reached<'c> {
    values: IndexMap<usize, (Val<'c>, MapSet)>,
}

impl<'c> Reached<'c> {
    /// A value that is reached from itself.
    pub fn only(value: Val<'c>) -> Self {
        let mut reached = Self {
            values: IndexMap::new(),
        };
        let map = match value_sizes(value) {
            Ok(sizes) => identity(&sizes),
            Err(reason) => IndexingMap::unknown(reason),
        };
        reached.push(value, map);
        reached
    }

    pub(super) fn push(&mut self, value: Val<'c>, map: IndexingMap) {
        if map.is_known_empty() {
            return;
        }
        let entry = self
            .values
            .entry(op::key(value))
            .or_insert_with(|| (value, MapSet::default()));
        entry.1.push(map);
    }

    /// The maps to `value`; `None` if there is no path.
    pub fn maps(&self, value: Val<'c>) -> Option<&[IndexingMap]> {
        self.values.get(&op::key(value)).map(|(_, set)| set.maps())
    }

    /// Number of values that were reached.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The values that were reached after the first `known`.
    pub(super) fn since(&self, known: usize) -> impl Iterator<Item = Val<'c>> {
        self.values.values().skip(known).map(|(value, _)| *value)
    }

    /// All values with their maps.
    pub fn iter(&self) -> impl Iterator<Item = (Val<'c>, &[IndexingMap])> {
        self.values
            .values()
            .map(|(value, set)| (*value, set.maps()))
    }

    /// The maps to `value`, at most `limit` of them.
    pub(super) fn bounded(
        &mut self,
        root: Val<'c>,
        value: Val<'c>,
        limit: usize,
    ) -> Option<Vec<IndexingMap>> {
        let (_, set) = self.values.get_mut(&op::key(value))?;
        if set.maps().len() > limit {
            match (value_sizes(root), value_sizes(value)) {
                (Ok(from), Ok(to)) => {
                    set.bound_to(limit, &from, &to);
                }
                (Err(reason), _) | (_, Err(reason)) => *set = MapSet::unknown(reason),
            }
        }
        Some(set.maps().to_vec())
    }
}

pub(crate) fn value_sizes(value: Val<'_>) -> Result<Vec<i64>, String> {
    Ok(sizes(&value_type(value)?))
}

fn value_type(value: Val<'_>) -> Result<TensorType, String> {
    use mapwright_mlir::melior::ir::ValueLike;
    let ty = value.r#type();
    crate::index_space::index_space(ty).ok_or_else(|| format!("{ty} is not a ranked tensor"))
}
