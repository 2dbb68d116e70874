//! A layout as digits of the position, and which boxes go where between two of them.

use super::Transfer;
use crate::digits::{self, Digit};
use crate::layout::Layout;
use crate::tensor::IndexBox;
use mapwright_indexing::Interval;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// State of a layout: the digits of the position that split each dimension (major first), and those
/// that hold partial results. All others hold replicas.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) struct State {
    /// The digits that split each dimension, major first.
    pub dims: Vec<Vec<Digit>>,
    /// The digits along which there are partial results.
    pub partial: Vec<Digit>,
}

/// A part of each dimension, the number of partial results that stay, and that of the share among
/// those that are combined.
type Part = (Vec<i64>, i64, i64);

/// The ranks, ascending, and the position of each before and after.
pub(super) type Places<'a> = (&'a [i64], &'a [(i64, i64)]);

/// The number that some digits of a position give, major first.
pub(super) fn number(digits: &[Digit], position: i64) -> i64 {
    digits
        .iter()
        .fold(0, |n, d| n * d.size + d.value_of(position))
}

pub(super) fn size(digits: &[Digit]) -> i64 {
    digits.iter().map(|d| d.size).product()
}

fn elements(of: &[Interval]) -> i64 {
    of.iter().map(|i| i.len() as i64).product()
}

impl State {
    /// The digits of a layout, taken apart at the cuts.
    pub fn from_layout(layout: &Layout, cuts: Option<&[i64]>) -> State {
        let split = |axes: &mut dyn Iterator<Item = usize>| -> Vec<Digit> {
            axes.map(|a| layout.axis_digit(a))
                .filter(|d| d.size > 1)
                .flat_map(|d| cuts.map_or_else(|| vec![d], |c| digits::split_at_cuts(d, c)))
                .collect()
        };
        let mut partial = split(&mut layout.partial().iter().map(|p| p.0));
        partial.sort_unstable();
        let dims = layout.tensor_map().iter();
        State {
            dims: dims.map(|axes| split(&mut axes.iter().copied())).collect(),
            partial,
        }
    }

    /// The digits that hold replicas, of these.
    pub fn replicated(&self, all: &[Digit]) -> Vec<Digit> {
        let used = |d: &Digit| self.partial.contains(d) || self.dims.iter().any(|l| l.contains(d));
        all.iter().filter(|d| !used(d)).copied().collect()
    }

    /// The digits whose partial results are combined on the way to another state.
    pub fn reduced(&self, target: &State) -> Vec<Digit> {
        let combined = |d: &&Digit| !target.partial.contains(d);
        self.partial.iter().filter(combined).copied().collect()
    }

    /// The parts of each dimension.
    pub fn parts(&self) -> Vec<i64> {
        self.dims.iter().map(|d| size(d)).collect()
    }

    /// The shape of a shard.
    pub fn shard(&self, shape: &[i64]) -> Vec<i64> {
        shape
            .iter()
            .zip(&self.dims)
            .map(|(n, d)| n / size(d))
            .collect()
    }

    /// The part of each dimension at a position.
    pub fn corner(&self, position: i64) -> Vec<i64> {
        self.dims.iter().map(|d| number(d, position)).collect()
    }

    /// The boxes of `target` that each rank gets from ranks that hold them: from itself where it
    /// can; else all holders of a box send as much of it as the others, within one element, whoever
    /// asks. So no rank sends more than the rank that receives most (the holders of a box send, on
    /// average, what they themselves lack of theirs).
    pub fn direct_sends(
        &self,
        target: &State,
        shape: &[i64],
        (ranks, places): Places<'_>,
    ) -> Vec<Vec<Transfer>> {
        let reduced = self.reduced(target);
        let mut holders: FxHashMap<Part, Vec<usize>> = FxHashMap::default();
        for (i, (at, _)) in places.iter().enumerate() {
            let key = (
                self.corner(*at),
                number(&target.partial, *at),
                number(&reduced, *at),
            );
            holders.entry(key).or_default().push(i);
        }
        let (have, want) = (self.shard(shape), target.shard(shape));
        let mut out: Vec<Vec<Transfer>> = vec![Vec::new(); ranks.len()];
        let mut asked: BTreeMap<Part, Vec<(usize, IndexBox)>> = BTreeMap::new();
        if want.contains(&0) {
            return out;
        }
        for (i, (_, at)) in places.iter().enumerate() {
            let mut pieces = vec![(Vec::new(), IndexBox::new())];
            for ((part, n), size) in target.corner(*at).iter().zip(&want).zip(&have) {
                let need = Interval::new(part * n, part * n + n - 1);
                let piece = |k: i64| need.intersect(Interval::new(k * size, k * size + size - 1));
                pieces = pieces
                    .iter()
                    .flat_map(|(corner, of): &(Vec<i64>, IndexBox)| {
                        (need.lower / size..=need.upper / size).map(move |k| {
                            (
                                [corner.as_slice(), &[k]].concat(),
                                [of.as_slice(), &[piece(k)]].concat(),
                            )
                        })
                    })
                    .collect();
            }
            for (corner, global) in pieces {
                for share in 0..size(&reduced) {
                    let key = (corner.clone(), number(&target.partial, *at), share);
                    let own = holders
                        .get(&key)
                        .is_some_and(|h| h.binary_search(&i).is_ok());
                    if own {
                        let (from, global) = (ranks[i], global.clone());
                        out[i].push(Transfer { from, global });
                    } else {
                        asked.entry(key).or_default().push((i, global.clone()));
                    }
                }
            }
        }
        for (key, list) in asked {
            let Some(from) = holders.get(&key) else {
                continue;
            };
            let all: i64 = list.iter().map(|(_, b)| elements(b)).sum();
            let end = |j: usize| ((j as i128 + 1) * all as i128 / from.len() as i128) as i64;
            let (mut at, mut holder) = (0, 0);
            for (to, global) in list {
                let first = at;
                let last = at + elements(&global);
                while at < last {
                    while end(holder) <= at {
                        holder += 1;
                    }
                    let next = last.min(end(holder));
                    let mut boxes = Vec::new();
                    cut(&global, at - first, next - first, &[], &mut boxes);
                    let from = ranks[from[holder]];
                    out[to].extend(boxes.into_iter().map(|global| Transfer { from, global }));
                    at = next;
                }
            }
        }
        out
    }

    /// The boxes of a collective-permute to a state with as many parts: a rank whose box stays
    /// keeps it, every other gets its box from one rank that gives its own to nobody else.
    pub fn permute(
        &self,
        after: &State,
        shape: &[i64],
        (ranks, places): Places<'_>,
    ) -> Vec<Vec<Transfer>> {
        let key = |s: &State, at: i64| (s.corner(at), number(&self.partial, at));
        let moves = |(a, b): &(i64, i64)| key(self, *a) != key(after, *b);
        let mut holders: FxHashMap<_, Vec<i64>> = FxHashMap::default();
        for (rank, place) in ranks.iter().zip(places).rev().filter(|x| moves(x.1)) {
            holders.entry(key(self, place.0)).or_default().push(*rank);
        }
        let shard = after.shard(shape);
        let mut source = |(rank, place): (&i64, &(i64, i64))| {
            let key = key(after, place.1);
            let global = key.0.iter().zip(&shard);
            let global = global
                .map(|(k, n)| Interval::new(k * n, k * n + n - 1))
                .collect();
            let other = moves(place).then(|| holders.get_mut(&key).and_then(Vec::pop));
            let from = other.flatten().unwrap_or(*rank);
            vec![Transfer { from, global }]
        };
        ranks.iter().zip(places).map(&mut source).collect()
    }
}

/// The elements from `low` to before `high` of a box, row-major, as boxes.
fn cut(of: &[Interval], low: i64, high: i64, outer: &[Interval], out: &mut Vec<IndexBox>) {
    let Some((first, rest)) = of.split_first() else {
        out.push(outer.to_vec());
        return;
    };
    let row = elements(rest);
    let rows =
        |a: i64, b: i64| [outer, &[Interval::new(first.lower + a, first.lower + b)]].concat();
    let (mut a, mut b) = (low / row, (high - 1) / row);
    if a == b && high - low < row {
        return cut(rest, low - a * row, high - a * row, &rows(a, a), out);
    }
    if low % row != 0 {
        cut(rest, low % row, row, &rows(a, a), out);
        a += 1;
    }
    let tail = high % row;
    if tail != 0 {
        b -= 1;
    }
    if a <= b {
        out.push([rows(a, b).as_slice(), rest].concat());
    }
    if tail != 0 {
        cut(rest, 0, tail, &rows(b + 1, b + 1), out);
    }
}
