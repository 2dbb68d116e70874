//! Regions that read one value in the same loops become one, which makes the value where it is read
//! and keeps it nowhere.
//!
//! Of the three values that a loop with a mask carries (`select(inside, f(x), x)`,
//! `select(inside, g(y), y)`, `count + inside`) each is a region of its own at first. In one of
//! them the mask is made, and would be a result for the others to read.

use super::dependencies::node_of_region;
use super::{LARGEST, OpenRegion, Planner, SEARCH, Users};
use crate::node::tensor;
use crate::role::{Role, weight};
use mapwright_indexing::Extent;
use std::collections::HashSet;

/// Elements of a value from which on it pays to keep it in registers only.
const LEAST: i64 = 1 << 12;

/// Simple operations that an element of a value takes which is made for each of several reductions.
const CHEAP: f64 = 1.0;

/// Results of one region, at most: each is a stream to memory.
const MOST_RESULTS: usize = 8;

impl Planner<'_> {
    /// Makes one region of all that read operation `i`, where these read nothing of each other and
    /// nobody else reads it. Is it one now?
    pub(super) fn join_readers(&mut self, i: usize, users: &Users) -> bool {
        let readers: Vec<usize> = users.regions.keys().copied().collect();
        let (Role::Compute, [into, others @ ..]) = (self.roles[i], &readers[..]) else {
            return false;
        };
        let fits = users.outside.is_empty() && !users.elsewhere && !others.is_empty();
        if !fits || !self.switches.fusion || !self.read_as_one(i, &readers) {
            return false;
        }
        let mut group = self.open[*into].group.clone();
        for other in others {
            let (Some(group), Some(other)) = (&mut group, &self.open[*other].group) else {
                return false;
            };
            if group.merge(other).is_err() {
                return false;
            }
        }
        self.open[*into].group = group;
        for other in others {
            self.merge(*other, *into);
        }
        true
    }

    /// Tells whether regions read each element of operation `i` once, in loops over its elements,
    /// and nothing of each other.
    fn read_as_one(&self, i: usize, readers: &[usize]) -> bool {
        let [value] = self.ops[i].results()[..] else {
            return false;
        };
        let large = tensor(value).is_ok_and(|(_, shape)| shape.iter().product::<Extent>() >= LEAST);
        let open = || readers.iter().map(|region| &self.open[*region]);
        let once = |open: &OpenRegion| {
            let group = open.group.as_ref().filter(|_| !self.is_alone(open.root));
            group.and_then(|group| group.reads_once(value).map(<[_]>::to_vec))
        };
        let first = open().next().and_then(once);
        let own = first.is_some() && open().all(|open| once(open) == first);
        // Reductions beside each other go over the elements one after the other, and make each
        // again.
        let reductions: usize = open().map(|open| open.reductions).sum();
        let cheap = reductions == 0 || weight(self.ops[i]) <= CHEAP;
        let members: usize = open().map(|open| open.counted()).sum();
        let results: usize = open().map(|open| open.outputs.len()).sum();
        if !large || !own || !cheap || members > LARGEST / 2 || results > MOST_RESULTS {
            return false;
        }
        let nodes: HashSet<usize> = readers.iter().map(|r| node_of_region(*r)).collect();
        readers.iter().enumerate().all(|(k, region)| {
            let own = node_of_region(*region);
            let mut others = nodes.clone();
            others.remove(&own);
            self.search.set(SEARCH);
            let members = &self.open[*region].members;
            let mut later = readers[k + 1..].iter();
            !self.reaches(own, &others)
                && !later.any(|other| {
                    let others = &self.open[*other].members;
                    self.overwritten.waits_together(members, others)
                })
        })
    }
}
