//! Digits that stand side by side in a sum as it is written, before they are read.
//!
//! Where digits of one number cross those of another, their normal forms mix with their neighbours,
//! and what a reshape cut is no longer seen in what its inverse puts together. As they are written
//! it is plain: `c * (x, a, m) + c * (m / a) * (x, m, b) -> c * (x, a, b)`, and `(x, 1, UNBOUNDED)`
//! is `x`.

use super::linear::UNBOUNDED;
use crate::arena::{Arena, Node, NodeId};
use crate::expr::Op;
use smallvec::SmallVec;

/// Digits in one sum that are compared with each other.
const MOST: usize = 32;

/// A digit `(x, a, b)` in a sum, this many times.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    /// Node of the digit, if it was not put together of several.
    pub(super) node: Option<NodeId>,
    pub(super) coef: i64,
    pub(super) digit: (NodeId, i64, i64),
}

impl Leaf {
    /// True if the other one is the digit above, as many times as it has to be.
    fn is_below(&self, high: &Leaf) -> bool {
        let ((x, a, m), (y, p, _)) = (self.digit, high.digit);
        x == y && m == p && m != UNBOUNDED && self.coef.checked_mul(m / a) == Some(high.coef)
    }
}

/// The digits of a sum.
#[derive(Default)]
pub(super) struct Leaves {
    list: SmallVec<[Leaf; 8]>,
    /// There are too many to compare.
    many: bool,
}

impl Leaves {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Leaf> {
        self.list.iter()
    }

    /// Takes what is a digit; false if it is none, or one too many.
    pub(super) fn take(&mut self, arena: &Arena, id: NodeId, coef: i64) -> bool {
        self.many |= self.list.len() == MOST;
        if self.many {
            return false;
        }
        let Some(digit) = written_digit(arena, id) else {
            return false;
        };
        let node = Some(id);
        self.list.push(Leaf { node, coef, digit });
        true
    }

    /// Joins two digits. What all digits of a number were joined to is taken out and given back:
    /// the number, this many times. `None` if no two fit.
    pub(super) fn join(&mut self) -> Option<Option<(NodeId, i64)>> {
        if self.many || self.list.len() < 2 {
            return None;
        }
        let (i, j) = self.list.iter().enumerate().find_map(|(i, low)| {
            let j = self.list.iter().position(|high| low.is_below(high))?;
            Some((i, j))
        })?;
        let (low, high) = (self.list[i], self.list[j]);
        let ((x, a, _), (_, _, b)) = (low.digit, high.digit);
        self.list[i] = Leaf {
            node: None,
            coef: low.coef,
            digit: (x, a, b),
        };
        let whole = (a, b) == (1, UNBOUNDED);
        if whole {
            self.list.swap_remove(i.max(j));
            self.list.swap_remove(i.min(j));
        } else {
            self.list.swap_remove(j);
        }
        Some(whole.then_some((x, low.coef)))
    }
}

/// The digit `(x, a, b)` that a node is. What is divided by one is none.
fn written_digit(arena: &Arena, id: NodeId) -> Option<(NodeId, i64, i64)> {
    let constant = |id| arena.as_constant(id).filter(|v| *v > 1);
    let Node::Binary(op, x, y) = arena.node(id) else {
        return None;
    };
    let n = constant(y)?;
    match op {
        Op::FloorDiv => Some((x, n, UNBOUNDED)),
        Op::Mod => match arena.node(x) {
            Node::Binary(Op::FloorDiv, x, y) if let Some(a) = constant(y) => {
                Some((x, a, a.checked_mul(n)?))
            }
            _ => Some((x, 1, n)),
        },
        _ => None,
    }
}
