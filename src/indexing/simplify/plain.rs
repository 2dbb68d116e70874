//! Results that are sums of variables: like terms are added up and written, and no normal form is kept of them.

use super::arena::{Arena, Node, NodeId};
use super::driver::Simplifier;
use super::linear::Sum;
use crate::expr::Op;

/// Parts beyond which a sum is read like everything else.
const MOST: u32 = 64;

impl Simplifier {
    /// A sum of variables and constants as it is written in canonical form; `None` for everything else.
    pub(super) fn plain(&mut self, arena: &mut Arena, root: NodeId) -> Option<NodeId> {
        let mut sum = Sum::default();
        let read = self.add_plain(arena, root, &mut sum);
        self.unfolding.clear();
        read?;
        self.forms.merge(&mut sum.terms)?;
        Some(self.emitter.linear(arena, &sum.terms, sum.k))
    }

    fn add_plain(&mut self, arena: &Arena, root: NodeId, sum: &mut Sum) -> Option<()> {
        let (mut id, mut coef) = (root, 1i64);
        for _ in 0..MOST {
            match arena.node(id) {
                Node::Binary(Op::Add, a, b) => {
                    self.unfolding.push((b, coef));
                    id = a;
                    continue;
                }
                Node::Binary(Op::Mul, a, b) => {
                    coef = coef.checked_mul(arena.as_constant(b)?)?;
                    id = a;
                    continue;
                }
                Node::Binary(..) => return None,
                Node::Constant(v) => sum.add_constant(v, coef)?,
                Node::Variable(class, i) => self.add_variable(sum, class, i, coef)?,
            }
            match self.unfolding.pop() {
                Some(next) => (id, coef) = next,
                None => return Some(()),
            }
        }
        None
    }
}
