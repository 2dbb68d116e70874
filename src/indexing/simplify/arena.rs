//! The arena: hash-consed nodes behind small `Copy` ids. Equal expressions have equal ids, operands come before users.

use crate::expr::{Expr, Op, c, d, rt, s};
use crate::program::{Instr, Program};

/// An expression in an [`Arena`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

/// Which list of a map a variable is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Dim,
    Range,
    Runtime,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    Constant(i64),
    Variable(Class, u32),
    Binary(Op, NodeId, NodeId),
}

/// An open-addressing table of ids; keys live with the caller. Clearing is a counter, not a sweep. A slot has the counter and
/// some bits of the hash before the id, so that keys that differ are seldom looked at: in large tables each look is far away.
///
/// Most of what is looked up belongs to what was made shortly before. A key therefore has a number that is close to that of its
/// neighbours, and lies in the few slots that the number names while there is room; a large table is gone through almost in
/// order then, and what is needed of it is in the cache. Where these slots are full, keys lie where their hash says.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    slots: Vec<(u32, u32)>,
    stamp: u32,
    len: usize,
}

/// Where a key lies in a [`Table`].
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) hash: u64,
    /// Close for keys that are asked for one after the other.
    pub(crate) near: u32,
}

/// Bits of the hash in a slot.
const TAG: u32 = 12;
/// Slots that neighbours share.
const BLOCK: usize = 8;
/// Slots beyond which a table grows more slowly.
const LARGE: usize = 1 << 14;
/// Numbers that share a block: at most half of it is used if each number has one key.
const NEAR: u32 = 2;
/// Slots up to which a table lies in the nearest cache as a whole: keys lie where their hash says.
const NEAREST: usize = 1 << 9;

pub(crate) fn mix(h: u64, v: u64) -> u64 {
    (h.rotate_left(5) ^ v).wrapping_mul(0x517c_c1b7_2722_0a95)
}

impl Table {
    pub(crate) fn new(capacity: usize) -> Self {
        Table {
            slots: vec![(0, 0); capacity.next_power_of_two().max(2 * BLOCK)],
            stamp: 1,
            len: 0,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.stamp += 1;
        if self.stamp >> (32 - TAG) != 0 {
            self.slots.fill((0, 0));
            self.stamp = 1;
        }
    }

    #[inline]
    fn mark(&self, hash: u64) -> u32 {
        self.stamp << TAG | (hash >> (64 - TAG)) as u32
    }

    /// The id of an equal entry, or the slot in which a new one belongs.
    #[inline(always)]
    pub(crate) fn find(
        &self,
        place: Place,
        mut equal: impl FnMut(u32) -> bool,
    ) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let own = (place.hash >> 20) as usize;
        let first = match mask {
            ..NEAREST => own & mask,
            _ => ((place.near >> NEAR) as usize * BLOCK + own % BLOCK) & mask,
        };
        let (mark, id) = self.slots[first];
        if mark == self.mark(place.hash) && equal(id) {
            return Ok(id);
        }
        if mark >> TAG != self.stamp {
            return Err(first);
        }
        self.find_further(place, equal)
    }

    /// As [`Table::find`] if the first slot is another key's.
    #[inline(never)]
    fn find_further(&self, place: Place, mut equal: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let wanted = self.mark(place.hash);
        let own = (place.hash >> 20) as usize;
        if mask < NEAREST {
            let mut i = own & mask;
            loop {
                i = (i + 1) & mask;
                let (mark, id) = self.slots[i];
                if mark == wanted && equal(id) {
                    return Ok(id);
                }
                if mark >> TAG != self.stamp {
                    return Err(i);
                }
            }
        }
        let mut block = (place.near >> NEAR) as usize * BLOCK;
        let mut from = 1;
        loop {
            for j in from..BLOCK {
                let i = (block + (own + j) % BLOCK) & mask;
                let (mark, id) = self.slots[i];
                if mark == wanted && equal(id) {
                    return Ok(id);
                }
                if mark >> TAG != self.stamp {
                    return Err(i);
                }
            }
            // Full blocks stand side by side: a step of its own for each key, through all blocks, of which half have room.
            block = block.wrapping_add(own / BLOCK * 2 * BLOCK + BLOCK);
            from = 0;
        }
    }

    #[inline(always)]
    pub(crate) fn insert(
        &mut self,
        slot: usize,
        id: u32,
        own: Place,
        place: impl FnMut(u32) -> Place,
    ) {
        self.slots[slot] = (self.mark(own.hash), id);
        self.len += 1;
        if self.len * 2 > self.slots.len() {
            // A large table is to stay in the caches.
            let times = if self.slots.len() < LARGE { 4 } else { 2 };
            self.resize(self.slots.len() * times, place);
        }
    }

    /// Makes room for that many entries.
    pub(crate) fn reserve(&mut self, entries: usize, place: impl FnMut(u32) -> Place) {
        if entries * 2 > self.slots.len() {
            self.resize((entries * 2).next_power_of_two(), place);
        }
    }

    #[cold]
    #[inline(never)]
    fn resize(&mut self, size: usize, mut place: impl FnMut(u32) -> Place) {
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
        for (mark, id) in old {
            if mark >> TAG == self.stamp
                && let Err(slot) = self.find(place(id), |_| false)
            {
                self.slots[slot] = (mark, id);
            }
        }
    }
}

/// A store of expressions in which equal ones are kept once.
#[derive(Clone, Debug)]
pub struct Arena {
    pub(crate) nodes: Vec<Node>,
    table: Table,
    /// The first variables of each class: they are asked for more often than anything else.
    variables: [[u32; 8]; 3],
    /// The constants from [`LEAST`] on: most of those that are asked for.
    constants: [u32; 16],
}

/// The least of the constants that are kept beside the table.
const LEAST: i64 = -7;

impl Default for Arena {
    fn default() -> Self {
        Arena::new()
    }
}

fn place_of(node: &Node) -> Place {
    match *node {
        Node::Constant(v) => place_of_constant(v),
        Node::Variable(class, i) => Place {
            hash: mix(mix(2 + class as u64, i as u64), 0x9e37),
            near: i,
        },
        Node::Binary(op, a, b) => place_of_binary(op, a, b),
    }
}

#[inline(always)]
fn place_of_constant(v: i64) -> Place {
    Place {
        hash: mix(mix(1, v as u64), 0x9e37),
        // Small numbers of both signs are neighbours.
        near: ((v << 1) ^ (v >> 63)) as u32,
    }
}

#[inline(always)]
fn place_of_binary(op: Op, a: NodeId, b: NodeId) -> Place {
    Place {
        hash: mix(mix(5 + op as u64, a.0 as u64), b.0 as u64),
        // The later operand was made shortly before.
        near: a.0.max(b.0),
    }
}

impl Arena {
    /// An empty arena.
    pub fn new() -> Self {
        Arena {
            nodes: Vec::with_capacity(72),
            table: Table::new(32),
            variables: [[u32::MAX; 8]; 3],
            constants: [u32::MAX; 16],
        }
    }

    /// The number of different expressions in the arena.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if nothing was built yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    #[inline(always)]
    fn intern(&mut self, place: Place, node: Node, same: impl Fn(Node) -> bool) -> NodeId {
        let nodes = &self.nodes;
        match self.table.find(place, |id| same(nodes[id as usize])) {
            Ok(id) => NodeId(id),
            Err(slot) => {
                let id = self.nodes.len() as u32;
                self.nodes.push(node);
                let nodes = &self.nodes;
                self.table
                    .insert(slot, id, place, |id| place_of(&nodes[id as usize]));
                NodeId(id)
            }
        }
    }

    #[inline]
    pub(crate) fn constant(&mut self, value: i64) -> NodeId {
        let i = value.wrapping_sub(LEAST) as usize;
        let Some(&id) = self.constants.get(i) else {
            return self.any_constant(value);
        };
        if id != u32::MAX {
            return NodeId(id);
        }
        let id = self.any_constant(value);
        self.constants[i] = id.0;
        id
    }

    fn any_constant(&mut self, value: i64) -> NodeId {
        let same = move |n| matches!(n, Node::Constant(v) if v == value);
        self.intern(place_of_constant(value), Node::Constant(value), same)
    }

    /// A variable of a class.
    #[inline]
    pub(crate) fn variable(&mut self, class: Class, i: u32) -> NodeId {
        let Some(&id) = self.variables[class as usize].get(i as usize) else {
            return self.any_variable(class, i);
        };
        if id != u32::MAX {
            return NodeId(id);
        }
        let id = self.any_variable(class, i);
        self.variables[class as usize][i as usize] = id.0;
        id
    }

    fn any_variable(&mut self, class: Class, i: u32) -> NodeId {
        let node = Node::Variable(class, i);
        self.intern(place_of(&node), node, |n| n == node)
    }

    pub(crate) fn binary(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
        let same = move |n| matches!(n, Node::Binary(o, x, y) if o == op && x == a && y == b);
        self.intern(place_of_binary(op, a, b), Node::Binary(op, a, b), same)
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0 as usize]
    }

    pub(crate) fn as_constant(&self, id: NodeId) -> Option<i64> {
        match self.node(id) {
            Node::Constant(v) => Some(v),
            _ => None,
        }
    }

    /// An operation of a map that is given: `c * x` is `x * c`, `x + 0`, `x * 1`, `x / 1` are `x`, and what is made of numbers is a
    /// number. Digits that stand side by side are recognised as they are written, so what is the same has to be written the same.
    pub(super) fn given(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(b))
            // At the ends of 64 bits what is left of a map is seldom a number.
            && let (Ok(x), Ok(y)) = (i32::try_from(x), i32::try_from(y))
            && let Some(value) = op.apply(x as i128, y as i128)
        {
            return self.constant(value as i64);
        }
        let (a, b) = match (op, self.as_constant(a), self.as_constant(b)) {
            (Op::Mul, Some(_), None) | (Op::Add, Some(0), _) => (b, a),
            _ => (a, b),
        };
        let neutral = match op {
            Op::Add => Some(0),
            Op::Mul | Op::FloorDiv | Op::CeilDiv => Some(1),
            Op::Mod | Op::Min | Op::Max => None,
        };
        if neutral.is_some() && self.as_constant(b) == neutral {
            return a;
        }
        self.binary(op, a, b)
    }

    /// Builds expressions; equal ones get equal ids.
    pub fn import(&mut self, exprs: &[Expr]) -> Vec<NodeId> {
        let program = Program::new(exprs);
        let mut ids: Vec<NodeId> = Vec::with_capacity(program.instrs.len());
        self.nodes.reserve(program.instrs.len() * 2);
        // As many again come with simplification; a small map keeps to a few lines of the cache.
        let nodes = &self.nodes;
        let count = nodes.len() + program.instrs.len() * 2;
        self.table
            .reserve(count, |id| place_of(&nodes[id as usize]));
        for instr in &program.instrs {
            ids.push(match *instr {
                Instr::Constant(v) => self.constant(v),
                Instr::Dim(i) => self.variable(Class::Dim, i),
                Instr::Range(i) => self.variable(Class::Range, i),
                Instr::Runtime(i) => self.variable(Class::Runtime, i),
                Instr::Binary(op, a, b) => self.given(op, ids[a as usize], ids[b as usize]),
            });
        }
        program.roots.iter().map(|r| ids[*r as usize]).collect()
    }

    /// The expressions behind ids, with variables renumbered by `variable`.
    pub(crate) fn export_with(
        &self,
        roots: &[NodeId],
        variable: &mut dyn FnMut(Class, usize) -> Expr,
    ) -> Vec<Expr> {
        let mut made: rustc_hash::FxHashMap<u32, Expr> = rustc_hash::FxHashMap::default();
        let mut stack: Vec<NodeId> = Vec::new();
        for root in roots {
            stack.push(*root);
            while let Some(&id) = stack.last() {
                if made.contains_key(&id.0) {
                    stack.pop();
                    continue;
                }
                let e = match self.node(id) {
                    Node::Constant(v) => c(v),
                    Node::Variable(class, i) => variable(class, i as usize),
                    Node::Binary(op, a, b) => match (made.get(&a.0), made.get(&b.0)) {
                        (Some(x), Some(y)) => Expr::raw(op, x.clone(), y.clone()),
                        _ => {
                            stack.push(b);
                            stack.push(a);
                            continue;
                        }
                    },
                };
                made.insert(id.0, e);
                stack.pop();
            }
        }
        roots
            .iter()
            .filter_map(|r| made.get(&r.0).cloned())
            .collect()
    }

    /// The expressions behind ids.
    pub fn export(&self, roots: &[NodeId]) -> Vec<Expr> {
        self.export_with(roots, &mut |class, i| match class {
            Class::Dim => d(i),
            Class::Range => s(i),
            Class::Runtime => rt(i),
        })
    }
}
