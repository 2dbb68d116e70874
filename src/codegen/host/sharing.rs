//! Which values share memory: an update with what it updates, the next value of a loop with the one
//! before, the result of a branch with what the branches hand over, and what a loop is given with
//! what it carries.
//!
//! Memory may be shared where none of the values in it is read after another one was written over
//! it ([`Liveness`]), so that a copy between them is none. An operation that reads what it
//! overwrites does so in an order that its kernel allows ([`Kernel::in_place`]).
//!
//! That goes for memory that is allocated when its size is known, too. It stays where it is while
//! the size does, which is so where a value is handed on, and where a kernel overwrites what it
//! reads: both have the same sizes. It is allocated anew for a value of another size, when nobody
//! needs what was there.

use super::{
    liveness::{Liveness, Point, end_of},
    values::{Kind, bytes, is_while, tensor},
};
use crate::emitter::Kernel;
use mapwright_mlir::{Op, Val, op};
use std::{cmp::Reverse, collections::HashMap};

/// Memory while the plan is made.
pub(super) struct Place<'c> {
    pub kind: Kind,
    pub bytes: i64,
    /// When it is written first.
    pub begin: usize,
    /// When it is read last.
    pub end: usize,
    members: Vec<Val<'c>>,
    writes: Vec<Write<'c>>,
    /// The place that it became a part of.
    into: Option<usize>,
    /// Its address is exchanged with those of the others of this number.
    pub ring: Option<usize>,
}

impl Place<'_> {
    /// Tells whether it is no part of another place.
    pub(super) fn stands(&self) -> bool {
        self.into.is_none()
    }
}

/// A value is written to its memory.
#[derive(Clone, Copy)]
struct Write<'c> {
    value: Val<'c>,
    at: Point<'c>,
    time: usize,
    /// Value that is copied, if nothing else is done.
    from: Option<Val<'c>>,
}

/// Two values that would better be in one place.
struct CoalescingCandidate<'c> {
    values: (Val<'c>, Val<'c>),
    depth: usize,
    /// Order in which candidates are tried: those that save most come first.
    rank: usize,
}

/// An update of parts, whose operand is copied otherwise.
const UPDATE: usize = 0;
/// Rank of values that a region hands over.
const HANDED: usize = 1;
/// Rank of values that a loop starts with.
const START: usize = 2;
/// An operand that is read where the result is written.
const OVERWRITTEN: usize = 3;

/// Comparisons of a write with another value of the place, at most, that a function is worth.
const COMPARISONS: usize = 1 << 22;
/// Of two places.
const COMPARISONS_OF_TWO: usize = 1 << 12;

/// The places of a function's values.
pub(super) struct Places<'a, 'c> {
    pub liveness: Liveness<'a, 'c>,
    pub all: Vec<Place<'c>>,
    of: HashMap<usize, usize>,
    kernels: &'a dyn Fn(Op<'c>) -> Option<Kernel>,
    left: usize,
}

impl<'a, 'c> Places<'a, 'c> {
    pub(super) fn new(
        liveness: Liveness<'a, 'c>,
        kernels: &'a dyn Fn(Op<'c>) -> Option<Kernel>,
    ) -> Self {
        Self {
            liveness,
            all: Vec::new(),
            of: HashMap::new(),
            kernels,
            left: COMPARISONS,
        }
    }

    /// The number of the place that `value` is in.
    pub(super) fn place_of(&self, value: Val<'c>) -> Option<usize> {
        self.of.get(&op::key(value)).map(|id| self.found(*id))
    }

    /// The number of the place whose memory holds `value`, which may be a view of what is there.
    pub(super) fn read_at(&self, value: Val<'c>) -> Option<usize> {
        self.place_of(self.liveness.views.base(value))
    }

    fn found(&self, mut id: usize) -> usize {
        while let Some(into) = self.all[id].into {
            id = into;
        }
        id
    }

    /// Tells whether place `id` is no part of another.
    pub(super) fn stands(&self, id: usize) -> bool {
        self.all[id].stands()
    }

    /// The places of all values, by their keys.
    pub(super) fn numbers(&self) -> HashMap<usize, usize> {
        let of = self.of.iter();
        of.map(|(key, id)| (*key, self.found(*id))).collect()
    }

    /// A place of its own for `value`, which an operation writes, or nobody.
    pub(super) fn add(
        &mut self,
        value: Val<'c>,
        kind: Kind,
        bytes: i64,
        (begin, end): (usize, usize),
        writer: Option<Op<'c>>,
    ) -> usize {
        let writes = writer.map(|op| Write {
            value,
            at: Point::During(op),
            time: self.liveness.time(op).0,
            from: None,
        });
        self.all.push(Place {
            kind,
            bytes,
            begin,
            end,
            members: vec![value],
            writes: writes.into_iter().collect(),
            into: None,
            ring: None,
        });
        let id = self.all.len() - 1;
        self.of.insert(op::key(value), id);
        id
    }

    /// Memory without a value, for the time of one operation.
    pub(super) fn add_bare(&mut self, bytes: i64, (begin, end): (usize, usize)) -> usize {
        self.all.push(Place {
            kind: Kind::Arena(0),
            bytes,
            begin,
            end,
            members: Vec::new(),
            writes: Vec::new(),
            into: None,
            ring: None,
        });
        self.all.len() - 1
    }

    /// `value` is in place `id`, too.
    pub(super) fn join(&mut self, value: Val<'c>, id: usize) {
        let end = self.liveness.last_use(value);
        let place = &mut self.all[id];
        place.members.push(value);
        place.end = place.end.max(end);
        self.of.insert(op::key(value), id);
    }

    /// The value in place `id` is what is copied at `at`.
    pub(super) fn copied(&mut self, id: usize, value: Val<'c>, at: Point<'c>, from: Val<'c>) {
        let time = self.liveness.time_of(at);
        self.all[id].writes.push(Write {
            value,
            at,
            time,
            from: Some(from),
        });
    }

    /// Tells whether `value` is all that place `id` ever holds.
    pub(super) fn is_alone(&self, value: Val<'c>, id: usize) -> bool {
        let place = &self.all[id];
        place.ring.is_none()
            && (place.members.iter()).all(|other| op::key(*other) == op::key(value))
    }

    /// Tells whether the contents of place `id` may be read after `point`.
    pub(super) fn is_needed(&self, id: usize, point: Point<'c>) -> bool {
        let members = self.all[id].members.iter();
        members
            .into_iter()
            .any(|m| self.liveness.is_needed(*m, point))
    }

    /// Places that exchange their addresses are needed as long as any of them.
    pub(super) fn tie(&mut self, ring: &[usize]) {
        let numbers: Vec<usize> = ring.iter().filter_map(|id| self.all[*id].ring).collect();
        let number = numbers.iter().copied().chain(ring.iter().copied()).min();
        let tied: Vec<usize> = (0..self.all.len())
            .filter(|id| {
                ring.contains(id) || self.all[*id].ring.is_some_and(|n| numbers.contains(&n))
            })
            .collect();
        let begin = tied.iter().map(|id| self.all[*id].begin).min();
        let end = tied.iter().map(|id| self.all[*id].end).max();
        for id in tied {
            let place = &mut self.all[id];
            place.ring = number;
            place.begin = begin.unwrap_or(place.begin);
            place.end = end.unwrap_or(place.end);
        }
    }

    /// Puts together what may be in one place, of `ops` (each with the number of loops and branches
    /// around it), where that saves most first.
    pub(super) fn share(&mut self, ops: &[(Op<'c>, usize)]) {
        let mut wishes = Vec::new();
        for (op, depth) in ops {
            let mut wish = |x: Val<'c>, y: Val<'c>, depth: usize, rank: usize| {
                wishes.push(CoalescingCandidate {
                    values: (x, y),
                    depth,
                    rank,
                })
            };
            if op.name() == "indexing.fusion" {
                let Some(kernel) = (self.kernels)(*op) else {
                    continue;
                };
                let updates = kernel.updates.is_some();
                let rank = if updates { UPDATE } else { OVERWRITTEN };
                for (output, input) in &kernel.in_place {
                    wish(op.result(*output), op.operand(*input), *depth, rank);
                }
                continue;
            }
            for r in 0..op.num_regions() {
                // The condition of a loop hands over a truth value.
                let Some(end) = end_of(*op, r).filter(|_| !is_while(*op) || r == 1) else {
                    continue;
                };
                for (value, result) in end.operands().into_iter().zip(op.results()) {
                    wish(result, value, depth + 1, HANDED);
                }
            }
            if is_while(*op) {
                for (value, result) in op.operands().into_iter().zip(op.results()) {
                    wish(result, value, *depth, START);
                }
            }
        }
        wishes.sort_by_key(|wish| (Reverse(wish.depth), wish.rank));
        for wish in wishes {
            let (x, y) = wish.values;
            if let (Some(a), Some(b)) = (self.place_of(x), self.place_of(y))
                && a != b
                && tensor(x) == tensor(y)
                && self.may_share(a, b)
            {
                self.unite(a, b);
            }
        }
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (into, from) = if self.is_written_by_us(b) {
            (a, b)
        } else {
            (b, a)
        };
        let members = std::mem::take(&mut self.all[from].members);
        let writes = std::mem::take(&mut self.all[from].writes);
        let (begin, end) = (self.all[from].begin, self.all[from].end);
        self.all[from].into = Some(into);
        let place = &mut self.all[into];
        place.members.extend(members);
        place.writes.extend(writes);
        place.begin = place.begin.min(begin);
        place.end = place.end.max(end);
        let mut writes = std::mem::take(&mut self.all[into].writes);
        writes.retain(|write| write.from.is_none_or(|v| self.place_of(v) != Some(into)));
        self.all[into].writes = writes;
    }

    /// Arguments of the function and constants stay as they are.
    fn is_written_by_us(&self, id: usize) -> bool {
        !matches!(self.all[id].kind, Kind::Argument(_) | Kind::Constant(_))
    }

    fn may_share(&mut self, a: usize, b: usize) -> bool {
        let both = [a, b];
        let inside = |v: Val<'c>| self.read_at(v).is_some_and(|id| both.contains(&id));
        let real = |id: usize| -> Vec<Write<'c>> {
            let writes = self.all[id].writes.iter().copied();
            writes
                .filter(|write| write.from.is_none_or(|v| !inside(v)))
                .collect()
        };
        let writes = [real(a), real(b)];
        if both.iter().any(|id| !self.is_written_by_us(*id)) {
            let quiet = writes.iter().all(Vec::is_empty);
            // Two arguments are two places.
            return quiet && both.iter().any(|id| self.is_written_by_us(*id));
        }
        let (first, second) = if self.all[a].begin <= self.all[b].begin {
            (&self.all[a], &self.all[b])
        } else {
            (&self.all[b], &self.all[a])
        };
        if first.end < second.begin {
            return true;
        }
        if first.end == second.begin && second.members.len() == 1 {
            // Only what is written there meets what is read there last.
            let mut there = (writes.iter().flatten()).filter(|write| write.time == second.begin);
            if let (Some(only), None) = (there.next(), there.next())
                && matches!(only.at, Point::During(_))
            {
                return self.reads_in_order(only, &inside);
            }
        }
        let members = [&self.all[a].members, &self.all[b].members];
        let comparisons = members[0].len() * (writes[1].len() + members[1].len())
            + members[1].len() * writes[0].len();
        let left = self.left.checked_sub(comparisons);
        let Some(left) = left.filter(|_| comparisons <= COMPARISONS_OF_TWO) else {
            return false;
        };
        let live = |(from, over): (usize, usize)| {
            writes[from].iter().any(|write| {
                !self.reads_in_order(write, &inside)
                    || (members[over].iter()).any(|m| self.liveness.is_needed(*m, write.at))
            })
        };
        let beside = members[0]
            .iter()
            .any(|x| members[1].iter().any(|y| are_beside(*x, *y)));
        let may = !beside && !live((0, 1)) && !live((1, 0));
        self.left = left;
        may
    }

    /// Tells whether the operation that writes reads nothing of these places, or one operand of its
    /// own in an order that allows it.
    fn reads_in_order(&self, write: &Write<'c>, inside: &dyn Fn(Val<'c>) -> bool) -> bool {
        let Point::During(op) = write.at else {
            return true;
        };
        // What a region of the operation takes from outside is read at any time.
        let captures = op.num_regions() > 0
            && op.name() != "indexing.fusion"
            && (op.descendants().into_iter()).any(|inner| inner.operands().into_iter().any(inside));
        if captures {
            return false;
        }
        let read: Vec<usize> = (0..op.num_operands())
            .filter(|i| inside(op.operand(*i)))
            .collect();
        let is_view = |i: &usize| self.liveness.views.get(op.operand(*i)).is_some();
        match read.as_slice() {
            [] => true,
            // A view begins elsewhere than what is written.
            [input] if op.name() == "indexing.fusion" && !is_view(input) => {
                let output = op::defining_op(write.value).map(|(_, number)| number);
                (self.kernels)(op).is_some_and(|kernel| {
                    let mut pairs = kernel.in_place.iter();
                    pairs.any(|(o, i)| Some(*o) == output && i == input)
                })
            }
            _ => false,
        }
    }
}

/// Tells whether both values are always there at once: two results of one operation, or two values
/// that a loop carries.
fn are_beside<'c>(x: Val<'c>, y: Val<'c>) -> bool {
    match (op::defining_op(x), op::defining_op(y)) {
        (Some((a, _)), Some((b, _))) => a == b,
        (None, None) => {
            let block = |v| op::block_argument(v).map(|(block, _)| block);
            block(x) == block(y)
        }
        _ => false,
    }
}

/// Bytes of a value, of its bound where that is what is known, and the kind of memory that it
/// needs.
pub(super) fn memory_for(value: Val<'_>) -> Option<(Kind, i64)> {
    let tensor = tensor(value)?;
    Some(match bytes(&tensor) {
        Some(bytes) => (Kind::Arena(0), bytes),
        None => (Kind::Allocated, 0),
    })
}
