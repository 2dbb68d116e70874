//! From expressions to normal forms.

use super::chains::CHAIN;
use super::driver::{Simplifier, Todo};
use super::leaves::{Leaf, Leaves};
use super::linear::{LinId, Sum, Term, UNBOUNDED};
use crate::arena::{Arena, Class, Node, NodeId};
use crate::expr::Op;
use rustc_hash::FxHashSet;

/// Outcome of unfolding a sum.
pub(super) enum Unfolded {
    Done(LinId),
    /// Other nodes, which are on the stack now, come first.
    Waiting,
    /// A number would not fit, or the sum is too long: take the operation as it stands.
    Apart,
}

/// The mark of sums that are a part of another one.
const UNFOLDED: u32 = 1 << 31;

/// Sums in one sum that are unfolded although they were unfolded elsewhere.
const REPEATED: u32 = 64;

/// Operations of one sum beyond which each takes a unit of work.
const COUNTED: u32 = 4096;

/// Sums and remainders that were met in the sum `root`.
pub(super) struct Parts {
    root: NodeId,
    /// Only what the sum is modulo this matters, if it is not [`UNBOUNDED`].
    pub(super) modulus: i64,
    /// The remainders that were taken apart.
    pub(super) absorbed: FxHashSet<NodeId>,
    /// Sums in it that stand elsewhere, too.
    repeated: u32,
    /// All sums in it.
    met: u32,
}

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
            if self.stack.len() > CHAIN && self.look_for_chains(arena) {
                self.stack.truncate(1);
                continue;
            }
            if let Some(lin) = self.known(id) {
                last = lin;
                self.stack.pop();
                continue;
            }
            let lin = match arena.node(id) {
                Node::Constant(v) => Some(self.forms.constant(v)),
                Node::Variable(class, v) => Some(self.forms.variable(self.atom_of(class, v))),
                Node::Binary(op, a, b) => self.operation(arena, id, (op, a, b)),
            };
            if let Some(lin) = lin {
                self.memo[id.0 as usize] = (self.stamp, lin);
                last = lin;
                self.stack.pop();
            }
        }
        last
    }

    /// The normal form of an operation; `None` if other nodes, which are on the stack now, have to
    /// be read before.
    fn operation(
        &mut self,
        arena: &Arena,
        id: NodeId,
        (op, a, b): (Op, NodeId, NodeId),
    ) -> Option<LinId> {
        let linear = op == Op::Add || (op == Op::Mul && arena.as_constant(b).is_some());
        if linear {
            match self.sum(arena, id, UNBOUNDED) {
                Unfolded::Done(lin) => return Some(lin),
                Unfolded::Waiting => return None,
                Unfolded::Apart => {}
            }
        }
        // A divisor needs no form.
        if let (Op::FloorDiv | Op::Mod, Some(k @ 1..)) = (op, arena.as_constant(b)) {
            let modulus = if op == Op::Mod { k } else { UNBOUNDED };
            let x = self.known(a).or_else(|| self.dividend(arena, a, modulus))?;
            return Some(self.forms.divided(op, x, k));
        }
        let (Some(x), Some(y)) = (self.known(a), self.known(b)) else {
            self.stack.extend([b, a]);
            return None;
        };
        self.forms.overflowed |= linear && !self.forms.exhausted;
        Some(if linear && self.forms.too_long(x, y) {
            self.forms.opaque(op, x, y)
        } else {
            self.forms.operation(op, x, y)
        })
    }

    /// The form of what is divided, which mostly is a sum, if nothing else has to be read before;
    /// else that comes first, and it next. Of a remainder's dividend it is what matters modulo the
    /// modulus.
    fn dividend(&mut self, arena: &Arena, id: NodeId, modulus: i64) -> Option<LinId> {
        let at = self.stack.len();
        if matches!(arena.node(id), Node::Binary(Op::Add, ..)) {
            if modulus != UNBOUNDED && self.is_chain(id) {
                match self.sum(arena, id, modulus) {
                    Unfolded::Done(lin) => return Some(lin),
                    Unfolded::Waiting => return None,
                    Unfolded::Apart => {}
                }
            } else if let Unfolded::Done(lin) = self.sum(arena, id, UNBOUNDED) {
                self.memo[id.0 as usize] = (self.stamp, lin);
                return Some(lin);
            }
        }
        self.stack.insert(at, id);
        None
    }

    /// The atom of a variable.
    pub(super) fn atom_of(&self, class: Class, i: u32) -> usize {
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

    /// A sum with everything in it that is a sum too, so that a long one is put in order once. What
    /// stands at several places is unfolded at each of them, so that what becomes of a sum does not
    /// depend on what stands beside it; beyond [`REPEATED`] it is taken as it was put together
    /// elsewhere. If only the sum modulo `modulus` matters, chains of remainders in it are taken
    /// apart, too.
    pub(super) fn sum(&mut self, arena: &Arena, root: NodeId, modulus: i64) -> Unfolded {
        let mut todo = std::mem::take(&mut self.unfolding);
        let result = self.unfold(arena, root, modulus, &mut todo);
        todo.clear();
        self.unfolding = todo;
        result
    }

    fn unfold(&mut self, arena: &Arena, root: NodeId, modulus: i64, todo: &mut Todo) -> Unfolded {
        let mut sum = Sum::default();
        let (mut waiting, mut fits) = (false, true);
        let mut parts = Parts {
            root,
            modulus,
            absorbed: FxHashSet::default(),
            repeated: 0,
            met: 0,
        };
        let mut digits = Leaves::default();
        let mut next = Some((root, 1));
        loop {
            let Some((id, coef)) = next.take().or_else(|| todo.pop()) else {
                let Some(whole) = digits.join() else { break };
                self.forms.fired("adjacent-digits-fused");
                next = whole;
                continue;
            };
            let (op, a, b) = match arena.node(id) {
                // What has no operands needs no detour, and no form of its own.
                Node::Constant(v) => {
                    fits = fits && sum.add_constant(v, coef).is_some();
                    continue;
                }
                Node::Variable(class, v) => {
                    let atom = self.atom_of(class, v) as u32;
                    match self.forms.atom(atom).bounds.as_point() {
                        Some(v) => fits = fits && sum.add_constant(v, coef).is_some(),
                        None => sum.terms.push(Term { atom, coef }),
                    }
                    continue;
                }
                Node::Binary(op, a, b) => (op, a, b),
            };
            let factor = match op {
                Op::Add => None,
                Op::Mul => arena.as_constant(b),
                Op::Mod if modulus != UNBOUNDED && self.absorbs(arena, id, coef, &mut parts) => {
                    next = Some((a, coef % modulus)).filter(|n| n.1 != 0);
                    continue;
                }
                _ if id != root && digits.take(arena, id, coef) => continue,
                _ => None,
            };
            let is_sum = op == Op::Add || factor.is_some();
            if is_sum && self.unfolds(id, &mut parts) {
                next = match factor.map(|k| coef.checked_mul(k)) {
                    Some(Some(0)) => None,
                    Some(Some(k)) => Some((a, k)),
                    Some(None) => return Unfolded::Apart,
                    None => {
                        todo.push((b, coef));
                        Some((a, coef))
                    }
                };
                continue;
            }
            self.forms.cache_unsafe |= is_sum;
            match self.known(id) {
                None => {
                    self.stack.push(id);
                    waiting = true;
                }
                Some(lin) if !waiting => {
                    let room = self.forms.admits_sum(self.forms.terms(lin).len());
                    let lin = if room && !self.forms.lengthens(&sum, lin) {
                        lin
                    } else {
                        self.forms.kept_apart(lin)
                    };
                    fits = fits && self.forms.accumulate(&mut sum, lin, coef).is_some();
                }
                Some(_) => {}
            }
        }
        for leaf in digits.iter() {
            match self.digit_of(leaf) {
                Ok(lin) if !waiting => {
                    fits = fits && self.forms.accumulate(&mut sum, lin, leaf.coef).is_some();
                }
                Ok(_) => {}
                Err(Some(id)) => {
                    self.stack.push(id);
                    waiting = true;
                }
                Err(None) => fits = false,
            }
        }
        if waiting {
            return Unfolded::Waiting;
        }
        if fits {
            (self.forms.finish(&mut sum)).map_or(Unfolded::Apart, Unfolded::Done)
        } else {
            Unfolded::Apart
        }
    }

    /// Whether a sum is taken apart where it stands in another one, or taken as it was put together
    /// elsewhere.
    #[inline(always)]
    fn unfolds(&mut self, id: NodeId, parts: &mut Parts) -> bool {
        parts.met += 1;
        // A sum of itself, of which the sum again is a part, and so on, has more parts than can be
        // counted.
        let enough = if self.forms.exhausted {
            parts.met > REPEATED
        } else {
            parts.met > COUNTED && !self.forms.work(0)
        };
        if id == parts.root {
            return true;
        }
        let own = UNFOLDED | parts.root.0;
        let (stamp, value) = self.memo[id.0 as usize];
        if stamp == self.stamp && value != own {
            parts.repeated += 1;
            return !enough && parts.repeated <= REPEATED;
        }
        if !enough {
            self.memo[id.0 as usize] = (self.stamp, own);
        }
        !enough
    }

    /// The form of a digit; the node that has to be read first, or nothing if a number would not
    /// fit.
    fn digit_of(&mut self, leaf: &Leaf) -> Result<LinId, Option<NodeId>> {
        match leaf.node {
            Some(id) => self.known(id).ok_or(Some(id)),
            None => {
                let (x, a, b) = leaf.digit;
                let lin = self.known(x).ok_or(Some(x))?;
                self.forms.digit(lin, a, b).ok_or(None)
            }
        }
    }
}
