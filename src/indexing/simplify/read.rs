//! From expressions to normal forms.

use super::arena::{Arena, Class, Node, NodeId};
use super::driver::{Leaves, Simplifier};
use super::formal::Parts;
use super::linear::{LinId, Sum, Term};
use crate::expr::Op;
use smallvec::SmallVec;

/// What came of unfolding a sum.
pub(super) enum Unfolded {
    Done(LinId),
    /// Other nodes, which are on the stack now, come first.
    Waiting,
    /// A number would not fit: take the operation as it stands.
    Overflow,
}

/// The mark of sums that are a part of another one.
const UNFOLDED: u32 = 1 << 31;

impl Simplifier {
    /// The normal form of a node.
    pub(crate) fn normal(&mut self, arena: &Arena, root: NodeId) -> LinId {
        if let Some(lin) = self.known(root) {
            return lin;
        }
        debug_assert!(self.stack.is_empty());
        self.stack.push(root);
        let mut last = 0;
        while let Some(&id) = self.stack.last() {
            if let Some(lin) = self.known(id) {
                last = lin;
                self.stack.pop();
                continue;
            }
            let lin = match arena.node(id) {
                Node::Constant(v) => Some(self.forms.constant(v)),
                Node::Variable(class, v) => {
                    let atom = self.atom_of(class, v);
                    Some(self.forms.variable(atom))
                }
                Node::Binary(op, a, b) => {
                    let linear = op == Op::Add || (op == Op::Mul && arena.as_constant(b).is_some());
                    let sum = if linear {
                        self.sum(arena, id)
                    } else {
                        Unfolded::Overflow
                    };
                    // A divisor needs no form.
                    let divisor = match op {
                        Op::FloorDiv | Op::Mod => arena.as_constant(b).filter(|k| *k > 0),
                        _ => None,
                    };
                    match (sum, divisor) {
                        (Unfolded::Done(lin), _) => Some(lin),
                        (Unfolded::Waiting, _) => None,
                        (Unfolded::Overflow, Some(k)) => match self.known(a) {
                            Some(x) => Some(self.forms.divided(op, x, k)),
                            None => {
                                self.stack.push(a);
                                None
                            }
                        },
                        (Unfolded::Overflow, None) => match (self.known(a), self.known(b)) {
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
                self.memo[id.0 as usize] = (self.stamp, lin);
                last = lin;
                self.stack.pop();
            }
        }
        last
    }

    /// The atom of a variable.
    fn atom_of(&self, class: Class, i: u32) -> usize {
        let first = match class {
            Class::Dim => 0,
            Class::Range => self.emitter.dims,
            Class::Runtime => self.emitter.dims + self.emitter.ranges,
        };
        first + i as usize
    }

    pub(super) fn known(&self, id: NodeId) -> Option<LinId> {
        let (stamp, lin) = self.memo[id.0 as usize];
        (stamp == self.stamp && lin < UNFOLDED).then_some(lin)
    }

    /// A sum with everything in it that is a sum too, so that a long one is put in order once. A sum that stands at several
    /// places is unfolded at the first one only.
    pub(super) fn sum(&mut self, arena: &Arena, root: NodeId) -> Unfolded {
        let mut todo = std::mem::take(&mut self.unfolding);
        // Parts are noted with all rules only.
        let result = if self.forms.thorough {
            self.unfold::<true>(arena, root, &mut todo)
        } else {
            self.unfold::<false>(arena, root, &mut todo)
        };
        todo.clear();
        self.unfolding = todo;
        result
    }

    fn unfold<const PARTS: bool>(
        &mut self,
        arena: &Arena,
        root: NodeId,
        todo: &mut Leaves,
    ) -> Unfolded {
        let mut parts: Parts = SmallVec::new();
        let mut sum = Sum::default();
        let (mut waiting, mut fits) = (false, true);
        todo.push((root, 1));
        while let Some((id, coef)) = todo.pop() {
            let i = id.0 as usize;
            let node = arena.node(id);
            let lin = match node {
                // Leaves need no detour, and no form of their own.
                Node::Constant(v) if !PARTS => {
                    fits = fits && sum.add_constant(v, coef).is_some();
                    continue;
                }
                Node::Variable(class, v) if !PARTS => {
                    let atom = self.atom_of(class, v);
                    match self.forms.atom(atom as u32).bounds.as_point() {
                        Some(v) => fits = fits && sum.add_constant(v, coef).is_some(),
                        None => {
                            let atom = atom as u32;
                            sum.terms.push(Term { atom, coef });
                        }
                    }
                    continue;
                }
                Node::Constant(v) => self.forms.constant(v),
                Node::Variable(class, v) => {
                    let atom = self.atom_of(class, v);
                    self.forms.variable(atom)
                }
                Node::Binary(op, a, b) => {
                    let (stamp, value) = self.memo[i];
                    let current = stamp == self.stamp;
                    if current && value < UNFOLDED {
                        value
                    } else {
                        let first = !current || value == UNFOLDED | root.0 || id == root;
                        match op {
                            Op::Add if first => {
                                todo.push((b, coef));
                                todo.push((a, coef));
                            }
                            Op::Mul if first && let Some(k) = arena.as_constant(b) => {
                                match coef.checked_mul(k) {
                                    Some(0) => {}
                                    Some(k) => todo.push((a, k)),
                                    None => return Unfolded::Overflow,
                                }
                            }
                            _ => {
                                self.stack.push(id);
                                waiting = true;
                                continue;
                            }
                        }
                        if id != root {
                            self.memo[i] = (self.stamp, UNFOLDED | root.0);
                        }
                        continue;
                    }
                }
            };
            if waiting {
                continue;
            }
            if PARTS {
                parts.push((lin, coef));
            } else {
                fits = fits && self.forms.accumulate(&mut sum, lin, coef).is_some();
            }
        }
        if waiting {
            return Unfolded::Waiting;
        }
        if PARTS && let [(lin, coef)] = parts[..] {
            fits = self.forms.accumulate(&mut sum, lin, coef).is_some();
        }
        let lin = match fits {
            false => None,
            true if PARTS && parts.len() > 1 => self.forms.sum_of_parts(parts),
            true => self.forms.finish_mut(&mut sum),
        };
        lin.map_or(Unfolded::Overflow, Unfolded::Done)
    }
}
