//! Regions beside each other that read one value in the same loops.

use super::{Group, JoinError, MAX_READS};
use mapwright_indexing::{Extent, linear::Sum};
use mapwright_mlir::{Val, op};

impl Group {
    /// The index at which all elements of `value` are read, each once; none where its loops do more
    /// than that.
    pub fn reads_once(&self, value: Val<'_>) -> Option<&[Sum]> {
        let [index] = &self.reads.get(&op::key(value))?[..] else {
            return None;
        };
        let mut vars = Vec::new();
        for x in index {
            vars.extend(x.as_var());
        }
        let plain = index
            .iter()
            .all(|x| x.as_var().is_some() || x.as_constant() == Some(Extent::ZERO));
        vars.sort_unstable();
        let all = vars.into_iter().eq(0..self.ranges.vars.len());
        (plain && all && self.is_plain()).then_some(index)
    }

    fn is_plain(&self) -> bool {
        let loops = !self.scan && !self.conditions && !self.contraction;
        loops && self.pieces.is_empty() && self.windows.is_empty()
    }

    /// Takes in the reads of another region of the same loops.
    ///
    /// # Errors
    /// Regions of other loops, and too many reads.
    pub fn merge(&mut self, other: &Self) -> Result<(), JoinError> {
        let same = self.ranges.vars == other.ranges.vars
            && self.index == other.index
            && self.kept == other.kept;
        // What is known at run time only has numbers of its own in each.
        let at_run_time = !self.ranges.values.is_empty() && !other.ranges.values.is_empty();
        if !same || at_run_time || !self.is_plain() || !other.is_plain() {
            return Err("it is computed in other loops".into());
        }
        if self.total_reads + other.total_reads > MAX_READS {
            return Err("the region would read too many different elements".into());
        }
        self.ranges.values.extend(&other.ranges.values);
        let mut read: Vec<_> = other.reads.iter().collect();
        read.sort_unstable_by_key(|(key, _)| **key);
        for (key, indices) in read {
            let list = self.reads.entry(*key).or_default();
            for index in indices {
                if !list.contains(index) {
                    list.push(index.clone());
                }
            }
        }
        self.total_reads += other.total_reads;
        self.irregular |= other.irregular;
        Ok(())
    }
}
