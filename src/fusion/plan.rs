//! The plan: which operations of a block form which region. Pure data; nothing is changed.
//!
//! Operations are looked at from the last to the first, so that all users of a value are placed
//! before its producer. A producer joins the region that reads it if the region's maps say that
//! this pays ([`Group::join`]); it becomes a further result where others need it too and no cycle
//! arises. What moves elements only is made again in every region that reads it.

mod accept;
mod dependencies;
mod finish;
mod order;
mod readers;
mod rematerialize;

use crate::group::Group;
use crate::inputs::{bytes, inputs_of};
use crate::overwritten::Overwritten;
use crate::role::{Role, is_shape_operand, role};
use crate::spans::Spans;
use crate::switches::Switches;
use dependencies::{node_of_op, node_of_region};
use mapwright_indexing::Extent;
use mapwright_mlir::{Op, Val, op};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Members of one region, at most: what one function of reasonable compile time holds. Moves that
/// are made in one region only become part of the index, and do not count.
const LARGEST: usize = 192;
/// Regions and operations that are looked at to find out whether one needs another, at most, for
/// each operation that is placed.
const SEARCH: usize = 4096;

/// A region to be made. Numbers are positions in the block.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The last operation.
    pub root: usize,
    /// All operations, ascending; some may be members of several regions.
    pub members: Vec<usize>,
    /// Operations whose results are needed outside, ascending.
    pub outputs: Vec<usize>,
    /// `streaming`, `reduction`, `scan`, `contraction`, `chain` or `general`.
    pub kind: &'static str,
    /// Of a chain: the regions that it consists of, in order.
    pub stages: Vec<Region>,
}

/// An edge from a producer to a user that stays in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Unfused {
    /// The producer.
    pub producer: usize,
    /// A user.
    pub user: usize,
    /// In words.
    pub reason: String,
}

/// The regions that each operation is a member of.
pub(crate) struct RegionsOf(Vec<Vec<usize>>);

impl RegionsOf {
    /// Of a block of `count` operations.
    pub(crate) fn from_regions(regions: &[Region], count: usize) -> Self {
        let mut homes = vec![Vec::new(); count];
        for (r, region) in regions.iter().enumerate() {
            for i in &region.members {
                homes[*i].push(r);
            }
        }
        Self(homes)
    }

    /// Of one operation, ascending.
    pub(crate) fn of_operation(&self, i: usize) -> &[usize] {
        self.0.get(i).map_or(&[], Vec::as_slice)
    }

    /// Tells whether both are in one region.
    pub(crate) fn share(&self, a: usize, b: usize) -> bool {
        let other = self.of_operation(b);
        (self.of_operation(a).iter()).any(|home| other.binary_search(home).is_ok())
    }
}

/// Something to be run: a region or an operation outside of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Item {
    /// By its number in [`Plan::regions`].
    Region(usize),
    /// By its position.
    Operation(usize),
}

/// The plan of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// In the order of their roots.
    pub regions: Vec<Region>,
    /// In the order of producers and users.
    pub unfused: Vec<Unfused>,
    /// Regions and operations in an order in which producers come first.
    pub order: Vec<Item>,
}

/// A region while the plan is made.
#[derive(Clone)]
struct OpenRegion {
    root: usize,
    members: BTreeSet<usize>,
    /// Members that are not counted against [`LARGEST`].
    free: usize,
    outputs: BTreeSet<usize>,
    /// Reads of the region; `None` where its root has no element-by-element reading.
    group: Option<Group>,
    /// Without a group: how often each member is computed.
    factor: HashMap<usize, f64>,
    /// Members that reduce.
    reductions: usize,
    /// The region that it was joined into.
    into: Option<usize>,
    /// All that it made is made where it is read.
    gone: bool,
}

impl OpenRegion {
    /// Members that count against [`LARGEST`].
    fn counted(&self) -> usize {
        self.members.len() - self.free
    }
}

struct Planner<'c> {
    ops: Vec<Op<'c>>,
    place: HashMap<Op<'c>, usize>,
    roles: Vec<Role>,
    open: Vec<OpenRegion>,
    /// Regions an operation is in (several for what is made again).
    places: Vec<Vec<usize>>,
    /// Nodes that a region (even) or an operation outside (odd) reads from.
    reads_from: HashMap<usize, Vec<usize>>,
    spans: Spans,
    unfused: BTreeMap<(usize, usize), String>,
    last_outside: Option<usize>,
    overwritten: Overwritten,
    less_memory: bool,
    /// Rest of [`SEARCH`].
    search: Cell<usize>,
    switches: Switches,
}

/// The fast path that keeps less in memory.
pub const LESS_MEMORY: &str = "less-memory";

/// Plans the regions of a block's operations. `less_memory`: what is cheap is made again rather
/// than kept, and what frees memory comes first.
pub fn plan(ops: &[Op<'_>], less_memory: bool) -> Plan {
    plan_with(ops, less_memory, Switches::default())
}

/// [`plan`] without what is switched off.
pub fn plan_with(ops: &[Op<'_>], less_memory: bool, switches: Switches) -> Plan {
    let place = ops.iter().enumerate().map(|(i, op)| (*op, i)).collect();
    let mut planner = Planner {
        overwritten: Overwritten::from_ops(ops, &place),
        ops: ops.to_vec(),
        place,
        roles: ops.iter().map(|op| role(*op)).collect(),
        open: Vec::new(),
        places: vec![Vec::new(); ops.len()],
        reads_from: HashMap::new(),
        spans: Spans::default(),
        unfused: BTreeMap::new(),
        last_outside: None,
        less_memory,
        search: Cell::new(SEARCH),
        switches,
    };
    for i in (0..ops.len()).rev() {
        planner.search.set(SEARCH);
        planner.put(i);
    }
    planner.join_siblings();
    if less_memory && switches.fusion && switches.movement {
        planner.make_again();
    }
    planner.finish()
}

/// Users of an operation.
struct Users {
    /// Regions, with a user in each.
    regions: BTreeMap<usize, usize>,
    /// Operations outside of regions (or deeper inside of something), by position where known.
    outside: Vec<usize>,
    elsewhere: bool,
    /// Some user's sizes follow from it: it has to be in memory before that region starts.
    gives_sizes: bool,
}

impl<'c> Planner<'c> {
    fn users(&self, i: usize) -> Users {
        let mut users = Users {
            regions: BTreeMap::new(),
            outside: Vec::new(),
            elsewhere: false,
            gives_sizes: false,
        };
        for result in self.ops[i].results() {
            for (user, operand) in op::uses(result) {
                users.gives_sizes |= is_shape_operand(user, operand);
                let Some(at) = self.place_of(user) else {
                    users.elsewhere = true;
                    continue;
                };
                match self.roles[at] {
                    Role::Outside => users.outside.push(at),
                    _ if self.places[at].is_empty() && self.place.contains_key(&user) => {
                        // Made again only where it is used; an unused one is dropped.
                    }
                    _ => {
                        for region in &self.places[at] {
                            users.regions.entry(*region).or_insert(at);
                        }
                    }
                }
            }
        }
        users
    }

    /// Position of the operation of this block that `user` is or is inside of.
    fn place_of(&self, user: Op<'c>) -> Option<usize> {
        let mut at = Some(user);
        while let Some(op) = at {
            if let Some(i) = self.place.get(&op) {
                return Some(*i);
            }
            at = op.parent();
        }
        None
    }

    fn is_alone(&self, i: usize) -> bool {
        self.switches.is_alone(self.ops[i])
    }

    fn put(&mut self, i: usize) {
        let users = self.users(i);
        if users.gives_sizes && !matches!(self.roles[i], Role::Outside | Role::Free) {
            for user in users.regions.values() {
                let words = "the sizes of a result follow from it";
                self.unfused.insert((i, *user), words.into());
            }
            self.start(i, &users);
            return;
        }
        if self.is_alone(i) && !matches!(self.roles[i], Role::Outside | Role::Free) {
            for user in users.regions.values() {
                self.unfused
                    .insert((i, *user), "that is switched off".into());
            }
            self.start(i, &users);
            return;
        }
        match self.roles[i] {
            Role::Outside => {
                // Effects stay in order.
                if let Some(next) = self.last_outside.replace(i) {
                    self.edge(node_of_op(next), node_of_op(i));
                }
                self.feed(node_of_op(i), &users);
                return;
            }
            Role::Free => {
                self.places[i] = users.regions.keys().copied().collect();
                for region in self.places[i].clone() {
                    self.take(region, i);
                }
                if !users.outside.is_empty() || users.elsewhere {
                    self.start(i, &users);
                }
                return;
            }
            Role::Movement => {
                let mut refused = false;
                let only = users.regions.len() == 1;
                for (region, user) in users.regions.clone() {
                    match self.accept(region, i, only) {
                        Ok(()) => self.places[i].push(region),
                        Err(reason) => {
                            refused = true;
                            self.unfused.insert((i, user), reason);
                        }
                    }
                }
                if refused || !users.outside.is_empty() || users.elsewhere {
                    let refusing: BTreeMap<usize, usize> = users
                        .regions
                        .iter()
                        .filter(|(region, _)| !self.places[i].contains(region))
                        .map(|(a, b)| (*a, *b))
                        .collect();
                    let own = Users {
                        regions: refusing,
                        ..users
                    };
                    self.start(i, &own);
                }
                return;
            }
            _ => {}
        }
        let users = if self.join_readers(i, &users) {
            self.users(i)
        } else {
            users
        };
        // A captured value is an operand of a region that cannot see inside.
        let alone = users.outside.is_empty() && !users.elsewhere && users.regions.len() == 1;
        if alone {
            let (region, user) = match users.regions.first_key_value() {
                Some((region, user)) => (*region, *user),
                None => return,
            };
            match self.accept(region, i, false) {
                Ok(()) => {
                    self.places[i].push(region);
                    return;
                }
                Err(reason) => {
                    self.unfused.insert((i, user), reason);
                }
            }
        } else {
            for (region, user) in users.regions.clone() {
                match self.accept_as_result(region, i, &users) {
                    Ok(()) => {
                        self.places[i].push(region);
                        self.give(region, i);
                        self.feed(node_of_region(region), &users);
                        let others: Vec<(usize, usize)> = users
                            .regions
                            .iter()
                            .map(|(a, b)| (*a, *b))
                            .filter(|(r, _)| *r != region)
                            .collect();
                        for (_, user) in others {
                            let words = "it is a result of the region of another user";
                            self.unfused
                                .entry((i, user))
                                .or_insert_with(|| words.into());
                        }
                        return;
                    }
                    Err(reason) => {
                        self.unfused.insert((i, user), reason);
                    }
                }
            }
        }
        self.start(i, &users);
    }

    /// A region of its own for operation `i`.
    fn start(&mut self, i: usize, users: &Users) {
        let op = self.ops[i];
        let number = self.open.len();
        self.open.push(OpenRegion {
            root: i,
            members: BTreeSet::from([i]),
            free: 0,
            outputs: BTreeSet::from([i]),
            group: Group::new(op, self.switches.composing()).ok(),
            factor: HashMap::from([(i, 1.0)]),
            reductions: usize::from(self.roles[i] == Role::Reduce),
            into: None,
            gone: false,
        });
        self.places[i].push(number);
        self.feed(node_of_region(number), users);
        for user in &users.outside {
            let name = self.ops[*user].name();
            self.unfused
                .entry((i, *user))
                .or_insert_with(|| format!("'{name}' is not part of regions"));
        }
    }

    /// Member `i` becomes a result of `region`.
    fn give(&mut self, region: usize, i: usize) {
        let outputs = &mut self.open[region].outputs;
        let before = outputs.first().copied();
        outputs.insert(i);
        let first = before.map_or(i, |before| before.min(i));
        self.spans.insert(region, before, first);
    }

    fn take(&mut self, region: usize, i: usize) {
        self.open[region].members.insert(i);
    }

    /// Regions over the same loops that read the same large input, neither of which needs the
    /// other, become one.
    fn join_siblings(&mut self) {
        if !self.switches.fusion {
            return;
        }
        let mut first_of: HashMap<(Vec<(Extent, Extent)>, usize), usize> = HashMap::new();
        for region in (0..self.open.len()).rev() {
            let Some(group) = &self.open[region].group else {
                continue;
            };
            let (ranges, kept) = group.signature();
            if kept.is_none() || group.contraction || self.open[region].counted() > LARGEST / 2 {
                continue;
            }
            let inputs = self.inputs(region);
            let Some(largest) = inputs.iter().copied().max_by_key(|v| bytes(*v)) else {
                continue;
            };
            if bytes(largest) < 1 << 16 {
                continue;
            }
            let key = (ranges, op::key(largest));
            let Some(other) = first_of.get(&key).copied() else {
                first_of.insert(key, region);
                continue;
            };
            let same_kept = self.open[other].group.as_ref().map(|g| g.signature().1) == Some(kept);
            let same_kind = self.open[other].counted() + self.open[region].counted() <= LARGEST;
            self.search.set(SEARCH);
            let (a, b) = (node_of_region(region), node_of_region(other));
            let (x, y) = (&self.open[region].members, &self.open[other].members);
            if !same_kept
                || self.overwritten.waits_together(x, y)
                || !same_kind
                || self.reaches(a, &HashSet::from([b]))
                || self.reaches(b, &HashSet::from([a]))
            {
                continue;
            }
            self.merge(region, other);
        }
    }

    fn merge(&mut self, from: usize, into: usize) {
        self.open[into].reductions += self.open[from].reductions;
        let members = std::mem::take(&mut self.open[from].members);
        let outputs = std::mem::take(&mut self.open[from].outputs);
        for i in &members {
            for region in &mut self.places[*i] {
                if *region == from {
                    *region = into;
                }
            }
            self.places[*i].dedup();
        }
        let root = self.open[from].root.max(self.open[into].root);
        self.open[into].members.extend(members);
        for i in outputs {
            self.give(into, i);
        }
        self.open[into].root = root;
        self.open[into].free += self.open[from].free;
        self.open[from].into = Some(into);
        let (a, b) = (node_of_region(from), node_of_region(into));
        let own = self.reads_from.remove(&a).unwrap_or_default();
        for producer in own {
            if self.merged(producer) != b {
                self.edge(b, producer);
            }
        }
    }

    /// Tells whether it is the block of a function, and not one that is run again and again.
    fn is_in_function(&self) -> bool {
        let parent = self.ops.first().and_then(|op| op.parent());
        parent.is_some_and(|op| op.name() == "func.func")
    }

    /// Values that a region reads from outside.
    fn inputs(&self, region: usize) -> Vec<Val<'c>> {
        inputs_of(&self.ops, &self.open[region].members)
    }
}
