//! The normal forms of digits that were computed.

use super::arena::{Place, Table, mix};
use super::linear::LinId;

/// The normal forms of digits that were computed.
#[derive(Clone, Debug)]
pub(super) struct DigitMemo {
    table: Table,
    entries: Vec<(LinId, i64, i64, LinId)>,
}

fn place(lin: LinId, a: i64, b: i64) -> Place {
    Place {
        hash: mix(mix(mix(17, lin as u64), a as u64), b as u64),
        near: lin,
    }
}

impl DigitMemo {
    pub(super) fn new() -> Self {
        DigitMemo {
            table: Table::new(64),
            entries: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        if !self.entries.is_empty() {
            self.table.clear();
            self.entries.clear();
        }
    }

    pub(super) fn get(&self, lin: LinId, a: i64, b: i64) -> Option<LinId> {
        let entries = &self.entries;
        let same = |i: u32| {
            let e = entries[i as usize];
            (e.0, e.1, e.2) == (lin, a, b)
        };
        let found = self.table.find(place(lin, a, b), same).ok()?;
        Some(self.entries[found as usize].3)
    }

    pub(super) fn insert(&mut self, lin: LinId, a: i64, b: i64, value: LinId) {
        let entries = &self.entries;
        let same = |i: u32| {
            let e = entries[i as usize];
            (e.0, e.1, e.2) == (lin, a, b)
        };
        let own = place(lin, a, b);
        if let Err(slot) = self.table.find(own, same) {
            let id = self.entries.len() as u32;
            self.entries.push((lin, a, b, value));
            let entries = &self.entries;
            self.table.insert(slot, id, own, |i| {
                let e = entries[i as usize];
                place(e.0, e.1, e.2)
            });
        }
    }
}
