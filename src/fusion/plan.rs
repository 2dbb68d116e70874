//! The plan: which operations of a block form which region. Pure data; nothing is changed.
//!
//! Operations are looked at from the last to the first, so that all users of a value are placed before its producer. A producer
//! joins the region that reads it if the region's maps say that this pays ([`Group::join`]); it becomes a further result where others
//! need it too and no cycle arises. What moves elements only is made again in every region that reads it.

use crate::composed;
use crate::group::Group;
use crate::inputs::{bytes, inputs_of};
use crate::overwritten::Overwritten;
use crate::role::{Role, is_plain_op, is_shape_operand, repeats, role, weight};
use crate::spans::Spans;
use crate::switches::Switches;
use mapwright_mlir::{Op, Val, op};
use mapwright_ops::registry;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};

/// Members of one region, at most: what one function of reasonable compile time holds. Moves that are made in one region only become part
/// of the index, and do not count.
const LARGEST: usize = 192;
/// Regions and operations that are looked at to find out whether one needs another, at most, for each operation that is placed.
const SEARCH: usize = 4096;

/// As [`LARGEST`] where a member takes the place of an input: a term of a long sum, made of one value and constants, is
/// cheaper to compute in the region than to read.
const LARGEST_WITH_LEAVES: usize = 4 * LARGEST;

/// Reductions of one region, at most. Rows stay in cache through a few of them, one after another; a longer chain only makes
/// larger functions, of which none is like another.
const MOST_REDUCTIONS: usize = 16;

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
pub(crate) struct Homes(Vec<Vec<usize>>);

impl Homes {
    /// Of a block of `count` operations.
    pub(crate) fn of(regions: &[Region], count: usize) -> Self {
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

    /// Are both in one region?
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
    /// Everything in an order in which producers come first.
    pub order: Vec<Item>,
}

/// A region while the plan is made.
struct Open {
    root: usize,
    members: BTreeSet<usize>,
    /// Members that are not counted against [`LARGEST`].
    free: usize,
    outputs: BTreeSet<usize>,
    /// How the region reads; `None` where its root has no element-by-element reading.
    group: Option<Group>,
    /// Without a group: how often each member is computed.
    factor: HashMap<usize, f64>,
    /// Members that reduce.
    reductions: usize,
    /// The region that it was joined into.
    into: Option<usize>,
}

impl Open {
    /// Members that count against [`LARGEST`].
    fn counted(&self) -> usize {
        self.members.len() - self.free
    }
}

struct Planner<'c> {
    ops: Vec<Op<'c>>,
    place: HashMap<Op<'c>, usize>,
    roles: Vec<Role>,
    open: Vec<Open>,
    /// Regions an operation is in (several for what is made again).
    places: Vec<Vec<usize>>,
    /// What a region (even) or an operation outside (odd) reads from.
    reads_from: HashMap<usize, Vec<usize>>,
    spans: Spans,
    unfused: BTreeMap<(usize, usize), String>,
    last_outside: Option<usize>,
    overwritten: Overwritten,
    /// What is left of [`SEARCH`].
    search: Cell<usize>,
    switches: Switches,
}

fn node_of_region(region: usize) -> usize {
    2 * region
}

fn node_of_op(op: usize) -> usize {
    2 * op + 1
}

/// Plans the regions of a block's operations.
pub fn plan(ops: &[Op<'_>]) -> Plan {
    plan_with(ops, Switches::default())
}

/// [`plan`] without what is switched off.
pub fn plan_with(ops: &[Op<'_>], switches: Switches) -> Plan {
    let place = ops.iter().enumerate().map(|(i, op)| (*op, i)).collect();
    let mut planner = Planner {
        overwritten: Overwritten::of(ops, &place),
        ops: ops.to_vec(),
        place,
        roles: ops.iter().map(|op| role(*op)).collect(),
        open: Vec::new(),
        places: vec![Vec::new(); ops.len()],
        reads_from: HashMap::new(),
        spans: Spans::default(),
        unfused: BTreeMap::new(),
        last_outside: None,
        search: Cell::new(SEARCH),
        switches,
    };
    composed::planning(|| {
        for i in (0..ops.len()).rev() {
            planner.search.set(SEARCH);
            planner.put(i);
        }
        planner.join_siblings();
        planner.finish()
    })
}

/// Who uses an operation.
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
        self.open.push(Open {
            root: i,
            members: BTreeSet::from([i]),
            free: 0,
            outputs: BTreeSet::from([i]),
            group: Group::new(op).ok(),
            factor: HashMap::from([(i, 1.0)]),
            reductions: usize::from(self.roles[i] == Role::Reduce),
            into: None,
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

    /// Users read from `producer`.
    fn feed(&mut self, producer: usize, users: &Users) {
        for region in users.regions.keys() {
            if node_of_region(*region) != producer {
                self.edge(node_of_region(*region), producer);
            }
        }
        for user in &users.outside {
            self.edge(node_of_op(*user), producer);
        }
    }

    fn edge(&mut self, reader: usize, producer: usize) {
        let list = self.reads_from.entry(reader).or_default();
        // Producers are placed one after the other.
        if list.last() != Some(&producer) {
            list.push(producer);
        }
    }

    /// Does `from` read, directly or not, from one of `targets`? Where the search takes too long it is said to.
    fn reaches(&self, from: usize, targets: &HashSet<usize>) -> bool {
        // What begins behind all that reads it is not read.
        let lowest = targets.iter().map(|node| self.first_result(*node)).min();
        let root = |region: usize| self.last_member(self.merged(node_of_region(region)));
        let lowest = lowest.map(|lowest| self.spans.up_to(lowest, root));
        let mut stack = vec![from];
        let mut seen = HashSet::new();
        while let Some(node) = stack.pop() {
            if lowest.is_none_or(|lowest| self.last_member(node) <= lowest) || !seen.insert(node) {
                continue;
            }
            for next in self.reads_from.get(&node).into_iter().flatten() {
                let Some(left) = self.search.get().checked_sub(1) else {
                    return true;
                };
                self.search.set(left);
                let next = self.merged(*next);
                if targets.contains(&next) {
                    return true;
                }
                stack.push(next);
            }
        }
        false
    }

    /// The node that a region is part of now.
    fn merged(&self, node: usize) -> usize {
        let mut node = node;
        while node.is_multiple_of(2)
            && let Some(into) = self.open[node / 2].into
        {
            node = node_of_region(into);
        }
        node
    }

    fn first_result(&self, node: usize) -> usize {
        match node % 2 {
            0 => self.open[node / 2].outputs.first().copied().unwrap_or(0),
            _ => node / 2,
        }
    }

    fn last_member(&self, node: usize) -> usize {
        match node % 2 {
            0 => self.open[node / 2].root,
            _ => node / 2,
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

    /// Takes `i`, which only `region` uses (or which is made again), into it. `free`: without counting it.
    fn accept(&mut self, region: usize, i: usize, free: bool) -> Result<(), String> {
        if self.is_alone(self.open[region].root) {
            return Err("that is switched off".into());
        }
        let free = free && self.open[region].group.is_some();
        let largest = if self.is_leaf(i) {
            LARGEST_WITH_LEAVES
        } else {
            LARGEST
        };
        if !free && self.open[region].counted() >= largest {
            return Err(format!("the region has {largest} operations already"));
        }
        // Reductions of what the region reads already stay with it, so that the cut is at a value that all of them read.
        let most = match self.roles[i] {
            Role::Compute => MOST_REDUCTIONS,
            Role::Reduce => 2 * MOST_REDUCTIONS,
            _ => usize::MAX,
        };
        if self.open[region].reductions >= most {
            return Err(format!("the region has {most} reductions already"));
        }
        if self.roles[i] == Role::Update {
            return Err(format!(
                "'{}' updates memory in a region of its own",
                self.ops[i].name()
            ));
        }
        if self.ops[i].num_results() > 1 && self.roles[i] != Role::Reduce {
            return Err("several results".into());
        }
        if let Some(updated) = self.updated(self.open[region].root, i) {
            let name = self.ops[updated].name();
            return Err(format!("it reads what '{name}' updates in place"));
        }
        let mut outputs = self.open[region].outputs.iter();
        if self.overwritten.waits(i, &mut outputs) {
            return Err("it reads what is updated in place before the region runs".into());
        }
        match &mut self.open[region].group {
            Some(group) => {
                // Values that its body takes from outside are operands of the region only.
                group.join(self.ops[i])?;
            }
            None => self.accept_simply(region, i)?,
        }
        self.open[region].free += usize::from(free);
        self.take(region, i);
        self.open[region].reductions += usize::from(self.roles[i] == Role::Reduce);
        Ok(())
    }

    /// Is it made of at most one value that is not a constant, and that one no result of an operation of the block?
    fn is_leaf(&self, i: usize) -> bool {
        let mut read = HashSet::new();
        for value in self.ops[i].operands() {
            match op::defining_op(value).and_then(|(op, _)| self.place.get(&op)) {
                Some(at) if self.roles[*at] == Role::Free => {}
                Some(_) => return false,
                None => {
                    read.insert(op::key(value));
                }
            }
        }
        self.roles[i] == Role::Compute && read.len() <= 1
    }

    /// The update `root`, if `i` reads a tensor that it changes in place.
    fn updated(&self, root: usize, i: usize) -> Option<usize> {
        let update = self.ops[root];
        let changed = update.operands().into_iter().take(update.num_results());
        let read = self.ops[i].operands();
        let reads = |value: Val<'c>| read.iter().any(|other| op::key(*other) == op::key(value));
        let updates = registry::lookup(update).is_some_and(|def| def.updates);
        (updates && changed.into_iter().any(reads)).then_some(root)
    }

    /// Into a region whose root has no element-by-element reading: nothing but data movement, and cheap work that is not done twice.
    fn accept_simply(&mut self, region: usize, i: usize) -> Result<(), String> {
        let op = self.ops[i];
        if matches!(
            self.roles[i],
            Role::Reduce | Role::Window | Role::Contraction
        ) {
            return Err(format!("'{}' is a loop of its own", op.name()));
        }
        let open = &self.open[region];
        let mut times = 0.0;
        for result in op.results() {
            for (user, operand) in op::uses(result) {
                let at = self.place.get(&user).copied().unwrap_or(usize::MAX);
                if let Some(factor) = open.factor.get(&at) {
                    times += factor * repeats(user, operand);
                }
            }
        }
        let limit = match weight(op) {
            w if w <= 0.0 => f64::MAX,
            w if w <= 1.0 => 2.0,
            _ => 1.0,
        };
        if times > limit {
            return Err(format!("an element would be computed {times:.0} times"));
        }
        self.open[region].factor.insert(i, times);
        Ok(())
    }

    /// Takes `i` into `region` although others use it too: it becomes a result.
    fn accept_as_result(&mut self, region: usize, i: usize, users: &Users) -> Result<(), String> {
        let Some(group) = &self.open[region].group else {
            return Err("it is used elsewhere too".into());
        };
        if matches!(
            self.roles[i],
            Role::Contraction | Role::Update | Role::Window
        ) {
            return Err("it is used elsewhere too".into());
        }
        group.can_yield(self.ops[i])?;
        // No other user may be needed for the region itself.
        let mut others: HashSet<usize> = users.outside.iter().map(|u| node_of_op(*u)).collect();
        others.extend(
            users
                .regions
                .keys()
                .filter(|r| **r != region)
                .map(|r| node_of_region(*r)),
        );
        if users.elsewhere {
            return Err("it is used outside of the block too".into());
        }
        if self.reaches(node_of_region(region), &others) {
            return Err("another user is needed for the region itself".into());
        }
        self.accept(region, i, false)
    }

    /// Regions over the same loops that read the same large input, neither of which needs the other, become one.
    fn join_siblings(&mut self) {
        if !self.switches.fusion {
            return;
        }
        let mut first_of: HashMap<(Vec<(i64, i64)>, usize), usize> = HashMap::new();
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

    /// Values that a region reads from outside.
    fn inputs(&self, region: usize) -> Vec<Val<'c>> {
        inputs_of(&self.ops, &self.open[region].members)
    }

    fn finish(self) -> Plan {
        let ops = self.ops.clone();
        let mut numbers: Vec<usize> = (0..self.open.len())
            .filter(|r| self.open[*r].into.is_none())
            .collect();
        numbers.sort_by_key(|r| self.open[*r].root);
        let number_of: HashMap<usize, usize> =
            numbers.iter().enumerate().map(|(n, r)| (*r, n)).collect();
        let regions: Vec<Region> = numbers
            .iter()
            .map(|r| {
                let open = &self.open[*r];
                Region {
                    root: open.root,
                    members: open.members.iter().copied().collect(),
                    outputs: open.outputs.iter().copied().collect(),
                    kind: open.group.as_ref().map_or("general", Group::kind),
                    stages: Vec::new(),
                }
            })
            .collect();
        // Producers first; among what is ready, the order of the block.
        let mut nodes: Vec<(usize, usize)> = numbers
            .iter()
            .map(|r| (self.open[*r].root, node_of_region(*r)))
            .collect();
        nodes.extend(
            (0..self.ops.len())
                .filter(|i| self.roles[*i] == Role::Outside)
                .map(|i| (i, node_of_op(i))),
        );
        let position: HashMap<usize, usize> = nodes.iter().map(|(at, node)| (*node, *at)).collect();
        let mut waiting: HashMap<usize, usize> = HashMap::new();
        let mut feeds: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut waits_for: HashMap<usize, Vec<usize>> = HashMap::new();
        for (_, node) in &nodes {
            let from = self.reads_from.get(node).into_iter().flatten();
            let mut from: Vec<usize> = from.map(|producer| self.merged(*producer)).collect();
            from.sort_unstable();
            from.dedup();
            from.retain(|producer| position.contains_key(producer) && producer != node);
            waits_for.insert(*node, from);
        }
        let members = |node: usize| match node % 2 {
            0 => self.open[node / 2].members.iter().copied().collect(),
            _ => vec![node / 2],
        };
        if !self.overwritten.is_empty() {
            let all: Vec<(usize, Vec<usize>)> =
                (nodes.iter().map(|(_, node)| (*node, members(*node)))).collect();
            self.overwritten.come_last(&all, &mut waits_for);
        }
        for (_, node) in &nodes {
            let from = waits_for.remove(node).unwrap_or_default();
            waiting.insert(*node, from.len());
            for producer in from {
                feeds.entry(producer).or_default().push(*node);
            }
        }
        let mut ready: BinaryHeap<std::cmp::Reverse<(usize, usize)>> = nodes
            .iter()
            .filter(|(_, node)| waiting.get(node) == Some(&0))
            .map(|pair| std::cmp::Reverse(*pair))
            .collect();
        let mut order = Vec::with_capacity(nodes.len());
        while let Some(std::cmp::Reverse((_, node))) = ready.pop() {
            order.push(match node % 2 {
                0 => Item::Region(number_of[&(node / 2)]),
                _ => Item::Operation(node / 2),
            });
            for reader in feeds.get(&node).into_iter().flatten() {
                if let Some(count) = waiting.get_mut(reader) {
                    *count -= 1;
                    if *count == 0 {
                        ready.push(std::cmp::Reverse((position[reader], *reader)));
                    }
                }
            }
        }
        let homes = Homes::of(&regions, ops.len());
        let unfused = self
            .unfused
            .into_iter()
            // A later attempt may have succeeded.
            .filter(|((producer, user), _)| !homes.share(*producer, *user))
            .map(|((producer, user), reason)| Unfused {
                producer,
                user,
                reason,
            })
            .collect();
        debug_assert_eq!(
            order.len(),
            nodes.len(),
            "regions depend on each other in a cycle"
        );
        let mut plan = Plan {
            regions,
            unfused,
            order,
        };
        if self.switches.fusion {
            crate::chain::join(&ops, &mut plan);
        }
        plan
    }
}

/// Could `op` be computed by vector code at all? For reports.
pub fn is_vectorisable(op: Op<'_>) -> bool {
    is_plain_op(op).is_ok()
}
