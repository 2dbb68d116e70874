//! What has no rule for all elements at once: a loop over them.

use super::Batch;
use crate::rewrite::Result;
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, Val, edit, op};
use std::collections::HashMap;

impl<'c> Batch<'_, 'c> {
    /// A loop over the elements, each round of which runs the operation for one.
    pub(super) fn one_by_one(&self, op: Op<'c>) -> Result<'c, Vec<Val<'c>>> {
        let m = self.m;
        let n: Extent = self.dims.iter().product();
        let mut state = Vec::new();
        for result in op.results() {
            let (element, shape) = self.shape_of(result)?;
            state.push(m.zeros(&element, &[&[n], &shape[..]].concat()));
        }
        let whole = |state: Vec<Val<'c>>| -> Result<'c, Vec<Val<'c>>> {
            op.results()
                .into_iter()
                .zip(state)
                .map(|(result, all)| {
                    let (_, shape) = self.shape_of(result)?;
                    Ok(m.reshape(all, &[self.dims, &shape].concat()))
                })
                .collect()
        };
        if n == 0 {
            return whole(state);
        }
        // What one round looks at, one behind the other.
        let mut rows: HashMap<usize, Val<'c>> = HashMap::new();
        let mut map = self.plain_uses(op);
        for inner in op.descendants().iter().chain([&op]) {
            for value in inner.operands() {
                let key = op::key(value);
                if let Some(all) = self.batched.get(&key) {
                    let shape = self.m.type_of(*all).1;
                    let flat = [&[n], &shape[self.dims.len()..]].concat();
                    rows.entry(key).or_insert_with(|| m.reshape(*all, &flat));
                } else if let Some(plain) = self.plain.get(&key) {
                    map.insert(key, *plain);
                }
            }
        }
        let count = match (self.count, self.dims.len()) {
            (Some(count), 1) => m.min(count, m.scalar(n)),
            _ => m.scalar(n),
        };
        let mut keys: Vec<usize> = rows.keys().copied().collect();
        // Keys are addresses: the order of the operands, not theirs, decides.
        let position = |key: &usize| {
            op.descendants()
                .iter()
                .chain([&op])
                .flat_map(|op| op.operands())
                .position(|value| op::key(value) == *key)
        };
        keys.sort_by_cached_key(position);
        let all = m.repeat(op, count, &state, |i, state| {
            let mut map = map.clone();
            for key in &keys {
                map.insert(*key, m.row(rows[key], i));
            }
            let copy = edit::clone(op, &map);
            edit::append(m.b.block(), copy);
            for (new, old) in copy.results().into_iter().zip(op.results()) {
                m.sized(new, &m.type_of(old).1);
            }
            Ok(state
                .iter()
                .zip(copy.results())
                .map(|(all, one)| m.with_row(*all, i, one))
                .collect())
        })?;
        whole(all)
    }
}
