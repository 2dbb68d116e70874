//! Remainders in remainders in remainders: `((x mod q + y) mod m + z) mod m -> (x + y + z) mod m`
//! if `m | q`, for all of a long chain at once. From the inside out each of them would put all
//! terms of the one before in order again.

use super::driver::Simplifier;
use super::read::Parts;
use crate::arena::{Arena, Node, NodeId};
use crate::expr::Op;
use crate::linear::number::divides;

/// Remainders in each other that are a long chain. Shorter ones are read from the inside out.
pub(super) const CHAIN: usize = 32;

impl Simplifier {
    /// Counts how many remainders stand in each other, nothing but sums between them, of nodes that
    /// were made since it was last done. True if there is a new chain.
    pub(super) fn look_for_chains(&mut self, arena: &Arena) -> bool {
        let nested = &mut self.nested;
        let mut longest = 0;
        for node in &arena.nodes[nested.len().min(arena.len())..] {
            let of = |id: NodeId| nested.get(id.0 as usize).copied().unwrap_or(0);
            let constant = |id| arena.as_constant(id).is_some();
            let count = match *node {
                Node::Binary(Op::Add, a, b) => of(a).max(of(b)),
                Node::Binary(Op::Mul, a, b) if constant(b) => of(a),
                Node::Binary(Op::Mod, a, b) if constant(b) => of(a) + 1,
                _ => 0,
            };
            longest = longest.max(count as usize);
            nested.push(count);
        }
        longest > CHAIN
    }

    /// True for a sum with a long chain of remainders in it, and for the remainder of such a sum.
    pub(super) fn is_chain(&self, id: NodeId) -> bool {
        let nested = self.nested.get(id.0 as usize);
        nested.is_some_and(|n| *n as usize > CHAIN)
    }

    /// Whether a remainder with a long chain in it, `coef` times in a sum of which only the
    /// remainder matters, is taken apart. What stands at several places is read for itself.
    pub(super) fn absorbs(
        &mut self,
        arena: &Arena,
        id: NodeId,
        coef: i64,
        parts: &mut Parts,
    ) -> bool {
        let Node::Binary(Op::Mod, _, q) = arena.node(id) else {
            return false;
        };
        let fits = |q| divides(parts.modulus, coef, q);
        let absorbed = self.is_chain(id)
            && arena.as_constant(q).is_some_and(|q| q > 0 && fits(q))
            && self.known(id).is_none()
            && !self.shared.contains(&id);
        if absorbed && !parts.absorbed.insert(id) {
            self.shared.insert(id);
            return false;
        }
        if absorbed {
            self.forms.fired("inner-mod-absorbed");
        }
        absorbed
    }
}
