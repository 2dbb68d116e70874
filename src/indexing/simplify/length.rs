//! How long expressions are: of two maps that mean the same the shorter one is taken.

use super::arena::{Arena, Node, NodeId};
use super::driver::Results;
use crate::expr::Op;
use smallvec::SmallVec;

/// What is known of a node.
#[derive(Clone, Copy, Default)]
struct Counted {
    occurs: bool,
    /// A negated term, which is free in a sum that has another one.
    negated: bool,
    operations: usize,
}

/// The operations of all roots, as [`Expr::operation_count`](crate::Expr::operation_count) counts them, and the sizes of the different
/// numbers that occur. Neither knows the order of the variables.
pub(super) fn length(arena: &Arena, roots: &[NodeId]) -> (usize, u64) {
    let top = roots.iter().map(|r| r.0 as usize + 1).max().unwrap_or(0);
    let mut counted: SmallVec<[Counted; 64]> = SmallVec::from_elem(Counted::default(), top);
    for root in roots {
        counted[root.0 as usize].occurs = true;
    }
    // Operands come before what they stand in.
    for i in (0..top).rev() {
        if counted[i].occurs
            && let Node::Binary(_, a, b) = arena.node(NodeId(i as u32))
        {
            counted[a.0 as usize].occurs = true;
            counted[b.0 as usize].occurs = true;
        }
    }
    let mut numbers = 0u64;
    for i in 0..top {
        if !counted[i].occurs {
            continue;
        }
        match arena.node(NodeId(i as u32)) {
            Node::Constant(v) => numbers = numbers.saturating_add(v.unsigned_abs()),
            Node::Variable(..) => {}
            Node::Binary(op, a, b) => {
                let (x, y) = (counted[a.0 as usize], counted[b.0 as usize]);
                let both = x.operations.saturating_add(y.operations);
                let own = &mut counted[i];
                match op {
                    Op::Mul if arena.as_constant(b) == Some(-1) => {
                        (own.operations, own.negated) = (both, true);
                    }
                    Op::Add => {
                        own.negated = x.negated && y.negated;
                        own.operations = both.saturating_add(1);
                    }
                    _ => {
                        let signs = usize::from(x.negated) + usize::from(y.negated);
                        own.operations = both.saturating_add(1 + signs);
                    }
                }
            }
        }
    }
    let of = |r: &NodeId| {
        let c = counted[r.0 as usize];
        c.operations.saturating_add(usize::from(c.negated))
    };
    let operations = roots.iter().map(of).fold(0, usize::saturating_add);
    (operations, numbers)
}

/// Of lists of results the shortest, whichever of them was met first.
pub(super) fn least(arena: &Arena, lists: Vec<Results>) -> Results {
    let key = |list: &Results| (length(arena, list), format!("{:?}", arena.export(list)));
    lists.into_iter().min_by_key(key).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::length;
    use crate::simplify::arena::Arena;
    use crate::{Expr, IndexingMap};

    /// The operations are those of the expressions, whatever stands at several places of them.
    #[test]
    fn operations_of_expressions() {
        for (text, numbers) in [
            (
                "(d0) -> (d0 - d0 * 3, -d0, -d0 - d0, (-d0) mod 5)",
                1 + 3 + 5,
            ),
            (
                "(d0, d1) -> ((d0 * -3 - d1) floordiv 4 + (d0 * -3 - d1) mod 4, 7)",
                3 + 1 + 4 + 7,
            ),
            (
                "(d0, d1) -> (max(-d0, d1), min(-d0, -d1) * 2, (d0 * d1) ceildiv -2)",
                1 + 2 + 2,
            ),
        ] {
            let map: IndexingMap = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            let mut arena = Arena::new();
            let roots = arena.import(&map.results);
            let counts = arena.export(&roots);
            let operations = counts.iter().map(Expr::operation_count).sum::<usize>();
            assert_eq!(length(&arena, &roots), (operations, numbers), "{text}");
        }
    }
}
