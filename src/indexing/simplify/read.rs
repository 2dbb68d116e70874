//! From expressions to normal forms.

use super::arena::{Arena, Class, Node, NodeId};
use super::driver::{Leaves, Simplifier, Unfolded};
use super::linear::{LinId, Sum};
use crate::expr::Op;

impl Simplifier {
    /// The normal form of a node.
    pub(crate) fn normal(&mut self, arena: &Arena, root: NodeId) -> LinId {
        let n = root.0 as usize;
        if self.memo[n].0 == self.stamp {
            return self.memo[n].1;
        }
        debug_assert!(self.stack.is_empty());
        self.stack.push(root);
        while let Some(&id) = self.stack.last() {
            let i = id.0 as usize;
            if self.memo[i].0 == self.stamp {
                self.stack.pop();
                continue;
            }
            let lin = match arena.node(id) {
                Node::Constant(v) => Some(self.forms.constant(v)),
                Node::Variable(class, v) => {
                    let first = match class {
                        Class::Dim => 0,
                        Class::Range => self.emitter.dims,
                        Class::Runtime => self.emitter.dims + self.emitter.ranges,
                    };
                    Some(self.forms.variable(first + v as usize))
                }
                Node::Binary(op, a, b) => {
                    let linear = op == Op::Add || (op == Op::Mul && arena.as_constant(b).is_some());
                    let sum = if linear {
                        self.sum(arena, id)
                    } else {
                        Unfolded::Overflow
                    };
                    match sum {
                        Unfolded::Done(lin) => Some(lin),
                        Unfolded::Waiting => None,
                        Unfolded::Overflow => match (self.known(a), self.known(b)) {
                            (Some(x), Some(y)) => {
                                self.forms.overflowed |= linear;
                                Some(self.forms.operation(op, x, y))
                            }
                            _ => {
                                self.stack.push(b);
                                self.stack.push(a);
                                None
                            }
                        },
                    }
                }
            };
            if let Some(lin) = lin {
                self.memo[i] = (self.stamp, lin);
                self.stack.pop();
            }
        }
        self.memo[n].1
    }

    pub(super) fn known(&self, id: NodeId) -> Option<LinId> {
        let (stamp, lin) = self.memo[id.0 as usize];
        (stamp == self.stamp).then_some(lin)
    }

    /// A sum with everything in it that is a sum too, so that a long one is put in order once. A sum that stands at several
    /// places is unfolded at the first one only.
    pub(super) fn sum(&mut self, arena: &Arena, root: NodeId) -> Unfolded {
        let mut leaves = std::mem::take(&mut self.leaves);
        let mut todo = std::mem::take(&mut self.unfolding);
        let result = self.unfold(arena, root, &mut leaves, &mut todo);
        leaves.clear();
        todo.clear();
        self.leaves = leaves;
        self.unfolding = todo;
        result
    }

    pub(super) fn unfold(
        &mut self,
        arena: &Arena,
        root: NodeId,
        leaves: &mut Leaves,
        todo: &mut Leaves,
    ) -> Unfolded {
        todo.push((root, 1));
        let mut waiting = false;
        while let Some((id, coef)) = todo.pop() {
            let i = id.0 as usize;
            if self.memo[i].0 == self.stamp {
                leaves.push((id, coef));
                continue;
            }
            let inner = if self.unfolded[i] == (self.stamp, root.0)
                || self.unfolded[i].0 != self.stamp
                || id == root
            {
                match arena.node(id) {
                    Node::Binary(Op::Add, a, b) => Some([(a, coef), (b, coef)]),
                    Node::Binary(Op::Mul, a, b) => match arena.as_constant(b) {
                        Some(k) => match coef.checked_mul(k) {
                            Some(k) => Some([(a, k), (a, 0)]),
                            None => return Unfolded::Overflow,
                        },
                        None => None,
                    },
                    _ => None,
                }
            } else {
                None
            };
            match inner {
                Some([x, y]) => {
                    if id != root {
                        self.unfolded[i] = (self.stamp, root.0);
                    }
                    if y.1 != 0 {
                        todo.push(y);
                    }
                    if x.1 != 0 {
                        todo.push(x);
                    }
                }
                None => {
                    match arena.node(id) {
                        // Leaves need no detour.
                        Node::Constant(v) => self.memo[i] = (self.stamp, self.forms.constant(v)),
                        Node::Variable(class, v) => {
                            let first = match class {
                                Class::Dim => 0,
                                Class::Range => self.emitter.dims,
                                Class::Runtime => self.emitter.dims + self.emitter.ranges,
                            };
                            self.memo[i] = (self.stamp, self.forms.variable(first + v as usize));
                        }
                        Node::Binary(..) => {
                            self.stack.push(id);
                            waiting = true;
                        }
                    }
                    leaves.push((id, coef));
                }
            }
        }
        if waiting {
            return Unfolded::Waiting;
        }
        if self.forms.thorough && leaves.len() > 1 {
            let parts = leaves
                .iter()
                .map(|&(id, coef)| (self.memo[id.0 as usize].1, coef))
                .collect();
            return match self.forms.sum_of_parts(parts) {
                Some(lin) => Unfolded::Done(lin),
                None => Unfolded::Overflow,
            };
        }
        let mut sum = Sum::default();
        for &mut (id, coef) in leaves {
            let lin = self.memo[id.0 as usize].1;
            if self.forms.accumulate(&mut sum, lin, coef).is_none() {
                return Unfolded::Overflow;
            }
        }
        match self.forms.finish_mut(&mut sum) {
            Some(lin) => Unfolded::Done(lin),
            None => Unfolded::Overflow,
        }
    }
}
