//! The short way: results that are sums of variables and of digits of variables, or fall into such sums at once. What the rules would
//! make of them is known beforehand, so they are written as they will stand and no normal forms are kept of them.
//!
//! `(m * x + r) floordiv m -> x` and `(m * x + r) mod m -> r` for r in one period of m; a digit of a variable stays a digit where the
//! variable has more values than fit into a period; `c * (v, a, m) + c * (m / a) * (v, m, b) -> c * (v, a, b)`. Everything else takes
//! the long way, which gives the same result where both lead (`tests/short.rs` compares them).

use super::arena::{Arena, Class, Node, NodeId};
use super::driver::Simplifier;
use super::emit::build;
use super::items::{Digit, Item, Items, paired};
use super::linear::{AtomId, INF};
use super::standing::Standing;
use crate::expr::Op;
use smallvec::SmallVec;

/// Parts beyond which a sum is read like everything else.
const MOST: u32 = 64;
/// As large as a number may be of which [`MOST`] are to fit together.
pub(super) const SAFE: u64 = 1 << 56;
/// Operations beyond which a sum with digits is: what stands in it several times would be gone through each time.
const FEW: u32 = 10;
/// Nodes of an arena in which nothing has to be counted.
const SMALL: usize = 20;

/// How much of a sum may still be looked at.
struct Left {
    root: NodeId,
    parts: u32,
    /// The size of the largest number that may stand in it.
    largest: u64,
    /// There was a digit in it.
    digits: bool,
    /// It is a quotient or remainder of a sum, which leads no further; the items are those of that sum.
    standing: Option<Standing>,
}

impl Left {
    fn of(root: NodeId) -> Self {
        Left {
            root,
            parts: MOST,
            largest: u64::MAX,
            digits: false,
            standing: None,
        }
    }

    /// `coef * v` if it is not too large.
    fn product(&self, v: i64, coef: i64) -> Option<i64> {
        v.checked_mul(coef)
            .filter(|v| v.unsigned_abs() <= self.largest)
    }

    /// Whether a constant stands beside a part, or nothing.
    fn is_beside_constant(&self, arena: &Arena, part: NodeId) -> bool {
        match arena.node(self.root) {
            _ if part == self.root => true,
            Node::Binary(Op::Add, x, k) => x == part && arena.as_constant(k).is_some(),
            _ => false,
        }
    }
}

/// The number of operations as it is written, with what stands at several places at each; `None` if there are more than `most`.
fn count_operations(arena: &Arena, node: NodeId, most: u32) -> Option<u32> {
    let Node::Binary(_, a, b) = arena.node(node) else {
        return Some(0);
    };
    let most = most.checked_sub(1)?;
    let left = count_operations(arena, a, most)?;
    let right = count_operations(arena, b, most - left)?;
    Some(1 + left + right)
}

impl Simplifier {
    /// A result as it is written in canonical form, if the short way leads there.
    pub(super) fn short(&mut self, arena: &mut Arena, root: NodeId) -> Option<NodeId> {
        let mut items = Items::default();
        let mut left = Left::of(root);
        if self.read_sum(arena, &mut items, &mut left).is_some() {
            if !self.quotients.is_empty() {
                return self.write_with_quotients(arena, &mut items);
            }
            return self.write_short(arena, &mut items);
        }
        let standing = left.standing?;
        let node = self.write_standing(arena, &items, standing)?;
        self.shortens = true;
        Some(node)
    }

    /// What a sum is made of, in order, if the short way leads there and its numbers fit in whatever order they are added; and the
    /// quotients in it.
    pub(super) fn read_with_quotients(
        &mut self,
        arena: &Arena,
        root: NodeId,
        items: &mut Items,
    ) -> Option<()> {
        let mut left = Left {
            largest: SAFE,
            ..Left::of(root)
        };
        self.read_sum(arena, items, &mut left)
    }

    /// As [`Simplifier::read_with_quotients`] for a sum that has none.
    pub(super) fn read_short(
        &mut self,
        arena: &Arena,
        root: NodeId,
        items: &mut Items,
    ) -> Option<()> {
        self.read_with_quotients(arena, root, items)?;
        self.quotients.is_empty().then_some(())
    }

    fn read_sum(&mut self, arena: &Arena, items: &mut Items, left: &mut Left) -> Option<()> {
        self.quotients.clear();
        let read = self.add_short(arena, left.root, 1, items, left);
        self.unfolding.clear();
        let read = read.and_then(|()| items.merge(&self.forms));
        // Digits of one variable may be put together.
        let tied = !self.quotients.is_empty() && !self.quotients_are_apart(items);
        if read.is_none() || tied {
            // What has a digit that leads nowhere seldom has one that does.
            self.shortens &= !left.digits;
            return None;
        }
        Some(())
    }

    /// `items += coef * root`, as far as there are parts `left`.
    fn add_short(
        &mut self,
        arena: &Arena,
        root: NodeId,
        coef: i64,
        items: &mut Items,
        left: &mut Left,
    ) -> Option<()> {
        let start = self.unfolding.len();
        let (mut id, mut coef) = (root, coef);
        loop {
            left.parts = left.parts.checked_sub(1)?;
            match arena.node(id) {
                Node::Binary(Op::Add, a, b) => {
                    self.unfolding.push((b, coef));
                    id = a;
                    continue;
                }
                Node::Binary(Op::Mul, a, b) => {
                    coef = left.product(arena.as_constant(b)?, coef)?;
                    id = a;
                    continue;
                }
                Node::Binary(op @ (Op::FloorDiv | Op::CeilDiv | Op::Mod), a, b) => {
                    let m = arena.as_constant(b).filter(|m| *m > 1 && self.shortens)?;
                    if !left.digits {
                        left.digits = true;
                        if arena.len() > SMALL {
                            count_operations(arena, left.root, FEW)?;
                        }
                    }
                    let digit = match op {
                        Op::CeilDiv => None,
                        _ => self.digit_of_one(arena, (op, a, m)),
                    };
                    match digit {
                        Some(Digit::Constant(v)) => {
                            items.add_constant(left.product(v, coef)?, 1)?
                        }
                        Some(Digit::Item(item)) => items.list.push(Item { coef, ..item }),
                        None => {
                            let mut inner = Items::default();
                            let quotients = self.quotients.len();
                            self.add_short(arena, a, 1, &mut inner, left)?;
                            inner.merge(&self.forms)?;
                            if self.quotients.len() > quotients {
                                return None;
                            }
                            // It may lie in one period for what is known of it.
                            let bounded = self.bounded_sums && inner.list.len() > 1;
                            if bounded && (op == Op::Mod || !self.sums_are_known) {
                                return None;
                            }
                            let before = items.list.len();
                            let divided = match op {
                                Op::CeilDiv => None,
                                _ if bounded => None,
                                _ => self.forms.add_divided(items, coef, op, &inner, m),
                            };
                            if divided.is_none() && op != Op::Mod {
                                // Of sums of which nothing is known one seldom stays beside others.
                                let known = self.bounded_sums || self.forms.strided;
                                if !known && !left.is_beside_constant(arena, id) {
                                    return None;
                                }
                                items.list.truncate(before);
                                self.add_quotient(items, coef, op, &inner, m)?;
                            } else if divided.is_none() {
                                if !self.bounded_sums && coef == 1 && id == left.root {
                                    left.standing = Some(Standing { m });
                                    std::mem::swap(items, &mut inner);
                                }
                                return None;
                            }
                        }
                    }
                }
                Node::Binary(..) => return None,
                Node::Constant(v) => items.add_constant(left.product(v, coef)?, 1)?,
                Node::Variable(class, i) => match self.variable_or_value(class, i) {
                    Digit::Constant(v) => items.add_constant(left.product(v, coef)?, 1)?,
                    Digit::Item(item) => items.list.push(Item { coef, ..item }),
                },
            }
            if self.unfolding.len() == start {
                return Some(());
            }
            (id, coef) = self.unfolding.pop()?;
        }
    }

    /// `x floordiv m` or `x mod m` for a variable x, or a digit of one.
    fn digit_of_one(&self, arena: &Arena, (op, x, m): (Op, NodeId, i64)) -> Option<Digit> {
        let x = match arena.node(x) {
            Node::Variable(class, i) => self.variable_or_value(class, i),
            Node::Binary(op @ (Op::FloorDiv | Op::Mod), x, b) => {
                let m = arena.as_constant(b).filter(|m| *m > 1)?;
                self.digit_of_one(arena, (op, x, m))?
            }
            _ => return None,
        };
        match (x, op) {
            (Digit::Constant(v), Op::FloorDiv) => Some(Digit::Constant(v.div_euclid(m))),
            (Digit::Constant(v), _) => Some(Digit::Constant(v.rem_euclid(m))),
            (Digit::Item(item), _) => self.forms.digit_of_item(item, op, m),
        }
    }

    /// A variable; one that has a single value is that value.
    #[inline(always)]
    fn variable_or_value(&self, class: Class, i: u32) -> Digit {
        let variable = self.atom_of(class, i) as AtomId;
        match self.forms.atom(variable).bounds.as_point() {
            Some(v) => Digit::Constant(v),
            None => Digit::Item(Item::of(variable)),
        }
    }

    /// The sum as its normal form is written: none of the digits has a constant inside, so none changes places with another one,
    /// unless a sum would start with a minus.
    fn write_short(&mut self, arena: &mut Arena, items: &mut Items) -> Option<NodeId> {
        let list = &mut items.list[..];
        for i in 1..list.len() {
            if list[i].variable == list[i - 1].variable {
                [list[i - 1], list[i]] = paired(list[i - 1], list[i])?;
            }
        }
        let digits = list.iter().any(|t| !t.is_variable());
        if digits && list.iter().all(|t| t.coef < 0) {
            return None;
        }
        if let [t] = list {
            let part = self.write_item(arena, t);
            return Some(build(arena, &[part], items.k));
        }
        let mut parts: SmallVec<[(NodeId, i64); 8]> = SmallVec::new();
        for t in list.iter() {
            parts.push(self.write_item(arena, t));
        }
        Some(build(arena, &parts, items.k))
    }

    /// An item, and how many times.
    fn write_item(&self, arena: &mut Arena, t: &Item) -> (NodeId, i64) {
        let mut node = self.emitter.variable(arena, t.variable as usize);
        if t.a > 1 {
            let divisor = arena.constant(t.a);
            node = arena.binary(Op::FloorDiv, node, divisor);
        }
        if t.b != INF {
            let modulus = arena.constant(t.b / t.a);
            node = arena.binary(Op::Mod, node, modulus);
        }
        (node, t.coef)
    }

    /// As [`Simplifier::write_short`] for a sum with quotients.
    #[inline(never)]
    fn write_with_quotients(&mut self, arena: &mut Arena, items: &mut Items) -> Option<NodeId> {
        let list = &mut items.list[..];
        for i in 1..list.len() {
            if list[i].variable == list[i - 1].variable {
                [list[i - 1], list[i]] = paired(list[i - 1], list[i])?;
            }
        }
        if list.iter().all(|t| t.coef < 0) && self.quotients.iter().all(|q| q.coef < 0) {
            return match self.quotients[..] {
                [_] if list.is_empty() => self.write_negative_quotient(arena, items.k),
                _ => None,
            };
        }
        // In the order of their first variables.
        self.quotients.sort_by_key(|q| q.terms[0].atom);
        let mut outer = items.k;
        self.place_constant(&mut outer)?;
        let mut parts: SmallVec<[(NodeId, i64); 8]> = SmallVec::new();
        let mut at = 0;
        for q in &self.quotients {
            while let Some(t) = list.get(at).filter(|t| t.variable < q.terms[0].atom) {
                parts.push(self.write_item(arena, t));
                at += 1;
            }
            parts.push((self.write_quotient(arena, q)?, q.coef));
        }
        for t in &list[at..] {
            parts.push(self.write_item(arena, t));
        }
        Some(build(arena, &parts, outer))
    }
}
