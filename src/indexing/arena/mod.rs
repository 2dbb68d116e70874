//! The arena: hash-consed nodes behind small `Copy` ids. Equal expressions have equal ids, operands
//! come before users.

mod map;

pub use map::{ArenaMap, ConstraintList};

use crate::expr::{Expr, Op, c, d, rt, s};
use crate::program::{Instr, Program};

/// An expression in an [`Arena`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

/// List of a map that a variable is in.
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

/// An open-addressing table of ids; keys live with the caller. Clearing is a counter, not a sweep.
/// A slot has the counter and some bits of the hash before the id, so that keys that differ are
/// seldom looked at.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    slots: Vec<(u32, u32)>,
    stamp: u32,
    len: usize,
}

/// Bits of the hash in a slot.
const TAG: u32 = 12;

pub(crate) fn mix(h: u64, v: u64) -> u64 {
    (h.rotate_left(5) ^ v).wrapping_mul(0x517c_c1b7_2722_0a95)
}

impl Default for Table {
    fn default() -> Self {
        Table::new(128)
    }
}

impl Table {
    pub(crate) fn new(capacity: usize) -> Self {
        Table {
            slots: vec![(0, 0); capacity.next_power_of_two()],
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

    /// The id of an equal entry, or the slot in which a new one belongs.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, mut equal: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let wanted = self.mark(hash);
        let mut slot = (hash >> 20) as usize & mask;
        loop {
            let (mark, id) = self.slots[slot];
            if mark == wanted && equal(id) {
                return Ok(id);
            }
            if mark >> TAG != self.stamp {
                return Err(slot);
            }
            slot = (slot + 1) & mask;
        }
    }

    #[inline]
    fn mark(&self, hash: u64) -> u32 {
        self.stamp << TAG | (hash >> (64 - TAG)) as u32
    }

    #[inline(always)]
    pub(crate) fn insert(&mut self, slot: usize, id: u32, own: u64, hash: impl FnMut(u32) -> u64) {
        self.slots[slot] = (self.mark(own), id);
        self.len += 1;
        self.reserve(self.len, hash);
    }

    /// Makes room for that many entries.
    pub(crate) fn reserve(&mut self, entries: usize, hash: impl FnMut(u32) -> u64) {
        if entries * 2 > self.slots.len() {
            self.resize((entries * 4).next_power_of_two(), hash);
        }
    }

    #[cold]
    #[inline(never)]
    fn resize(&mut self, size: usize, mut hash: impl FnMut(u32) -> u64) {
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
        for (mark, id) in old {
            if mark >> TAG == self.stamp
                && let Err(slot) = self.find(hash(id), |_| false)
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

fn hash_of(node: &Node) -> u64 {
    match *node {
        Node::Constant(v) => hash_of_constant(v),
        Node::Variable(class, i) => mix(mix(2 + class as u64, i as u64), 0x9e37),
        Node::Binary(op, a, b) => hash_of_binary(op, a, b),
    }
}

#[inline(always)]
fn hash_of_constant(v: i64) -> u64 {
    mix(mix(1, v as u64), 0x9e37)
}

#[inline(always)]
fn hash_of_binary(op: Op, a: NodeId, b: NodeId) -> u64 {
    mix(mix(5 + op as u64, a.0 as u64), b.0 as u64)
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
    fn intern(&mut self, hash: u64, node: Node, same: impl Fn(Node) -> bool) -> NodeId {
        let nodes = &self.nodes;
        match self.table.find(hash, |id| same(nodes[id as usize])) {
            Ok(id) => NodeId(id),
            Err(slot) => {
                let id = self.nodes.len() as u32;
                self.nodes.push(node);
                let nodes = &self.nodes;
                self.table
                    .insert(slot, id, hash, |id| hash_of(&nodes[id as usize]));
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
        self.intern(hash_of_constant(value), Node::Constant(value), same)
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
        self.intern(hash_of(&node), node, |n| n == node)
    }

    pub(crate) fn binary(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
        let same = move |n| matches!(n, Node::Binary(o, x, y) if o == op && x == a && y == b);
        self.intern(hash_of_binary(op, a, b), Node::Binary(op, a, b), same)
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

    /// An operation of a map that is given: `c * x` is `x * c`, `x + 0`, `x * 1`, `x / 1` are `x`,
    /// and what is made of numbers is a number. Digits that stand side by side are recognised as
    /// they are written, so what is the same has to be written the same.
    pub(crate) fn given(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
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
        self.table.reserve(count, |id| hash_of(&nodes[id as usize]));
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
