//! The short way: results that are sums of variables and of digits of variables, or fall into such sums at once. What the rules would
//! make of them is known beforehand, so they are written as they will stand and no normal forms are kept of them.
//!
//! `(m * x + r) floordiv m -> x` and `(m * x + r) mod m -> r` for r in one period of m; a digit of a variable stays a digit where the
//! variable has more values than fit into a period; `c * (v, a, m) + c * (m / a) * (v, m, b) -> c * (v, a, b)`. Everything else takes
//! the long way, which gives the same result where both lead (`tests/short.rs` compares them).

use super::arena::{Arena, Class, Node, NodeId};
use super::div_mod::one_period;
use super::driver::Simplifier;
use super::emit::build;
use super::linear::{AtomId, Forms, INF, finite};
use super::plans::{factor, places};
use super::standing::Standing;
use crate::expr::Op;
use crate::interval::Interval;
use smallvec::SmallVec;

/// Parts beyond which a sum is read like everything else.
const MOST: u32 = 64;
/// Operations beyond which a sum with digits is: what stands in it several times would be gone through each time.
const FEW: u32 = 10;
/// Nodes of an arena in which nothing has to be counted.
const SMALL: usize = 20;
/// Values that a variable needs beyond the first, so that its digit does not lie on a line.
const SEVERAL: i64 = 4;

/// How much of a sum may still be looked at.
struct Left {
    root: NodeId,
    parts: u32,
    /// There was a digit in it.
    digits: bool,
    /// It is a quotient or remainder of this sum, which leads no further.
    standing: Option<Standing>,
}

impl Left {
    fn of(root: NodeId) -> Self {
        Left {
            root,
            parts: MOST,
            digits: false,
            standing: None,
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

/// A digit `(v, a, b)` of the variable, this many times; the variable itself is `(v, 1, INF)`.
#[derive(Clone, Copy, Default)]
pub(super) struct Item {
    pub(super) variable: AtomId,
    pub(super) a: i64,
    pub(super) b: i64,
    pub(super) coef: i64,
}

/// What is left of a digit of an item: its coefficient is 1.
pub(super) enum Digit {
    Constant(i64),
    Item(Item),
}

/// A sum in the making.
#[derive(Default)]
pub(super) struct Items {
    pub(super) list: SmallVec<[Item; 8]>,
    pub(super) k: i64,
}

impl Item {
    pub(super) fn of(variable: AtomId) -> Item {
        Item {
            variable,
            a: 1,
            b: INF,
            coef: 1,
        }
    }

    pub(super) fn is_variable(&self) -> bool {
        self.a == 1 && self.b == INF
    }

    fn times(self, coef: i64) -> Option<Item> {
        let coef = self.coef.checked_mul(coef)?;
        Some(Item { coef, ..self })
    }

    /// The values of the digit; `None` if they are not known.
    pub(super) fn values(&self, forms: &Forms) -> Option<Interval> {
        let v = forms.atom(self.variable).bounds;
        if !finite(v.lower) || !finite(v.upper) {
            return None;
        }
        Some(match self.b {
            INF if self.a == 1 => v,
            INF => Interval::new(v.lower.div_euclid(self.a), v.upper.div_euclid(self.a)),
            b => Interval::new(0, b / self.a - 1),
        })
    }
}

impl Items {
    /// `self += coef * v`; `None` if a number would not fit.
    #[inline]
    fn add_constant(&mut self, v: i64, coef: i64) -> Option<()> {
        self.k = self.k.checked_add(v.checked_mul(coef)?)?;
        Some(())
    }

    /// Puts the items in order, one for each variable or its high and its low digit. `None` if the digits of a variable have not
    /// the same ends, or if a number would not fit.
    fn merge(&mut self, forms: &Forms) -> Option<()> {
        let list = &mut self.list;
        let mut next = 0;
        // Different variables in order, most of the time.
        let in_order = list.iter().all(|t| {
            let good = t.variable >= next && t.coef != 0 && t.coef != i64::MIN;
            next = t.variable + 1;
            good
        });
        if in_order {
            return Some(());
        }
        list.sort_unstable_by_key(|t| t.variable);
        let (mut kept, mut i) = (0, 0);
        while i < list.len() {
            let variable = list[i].variable;
            let same = list[i..].iter().take_while(|t| t.variable == variable);
            let count = same.count();
            let [high, low] = merged(forms, &list[i..i + count])?;
            i += count;
            for item in [high, low] {
                if item.coef == i64::MIN {
                    // Its negation would not fit.
                    return None;
                }
                // Only of two or more items two are left: none is overwritten that was not read.
                if item.coef != 0 {
                    list[kept] = item;
                    kept += 1;
                }
            }
        }
        list.truncate(kept);
        Some(())
    }
}

/// The high and the low digit that items of one variable are together, which are split at one place at most:
/// `(v, a, b) = (v, a, m) + m / a * (v, m, b)`. If they are not split, or fit together, the first is all and the other nothing. `None`
/// if there are more places, or the high digit has too few values.
fn merged(forms: &Forms, items: &[Item]) -> Option<[Item; 2]> {
    let first = *items.first()?;
    let (mut a, mut b) = (first.a, first.b);
    for t in items {
        a = a.min(t.a);
        if b != INF && (t.b == INF || t.b > b) {
            b = t.b;
        }
    }
    let split = items.iter().find(|t| (t.a, t.b) != (a, b));
    let m = split.map(|t| if t.a == a { t.b } else { t.a });
    if m.is_some_and(|m| m % a != 0 || (b != INF && b % m != 0)) {
        return None;
    }
    let (mut high, mut low) = (0i64, 0i64);
    // Of the values above and below the place.
    let times = m.map_or(1, |m| m / a);
    for t in items {
        if t.a == a && (t.b == b || Some(t.b) == m) {
            low = low.checked_add(t.coef)?;
        }
        if t.b == b && t.a == a {
            high = high.checked_add(t.coef.checked_mul(times)?)?;
        } else if t.b == b && Some(t.a) == m {
            high = high.checked_add(t.coef)?;
        } else if t.a != a || Some(t.b) != m {
            return None;
        }
    }
    let nothing = Item { coef: 0, ..first };
    let Some(m) = m.filter(|_| low.checked_mul(times) != Some(high)) else {
        return Some([
            Item {
                a,
                b,
                coef: low,
                ..first
            },
            nothing,
        ]);
    };
    let high = Item {
        a: m,
        b,
        coef: high,
        ..first
    };
    let low = Item {
        a,
        b: m,
        coef: low,
        ..first
    };
    // What jumps once may be a rotation.
    let values = high.values(forms)?;
    (values.upper.checked_sub(values.lower)? > 1).then_some([high, low])
}

/// The high and the low digit of a variable as they are written: themselves, or what they are together and one of the two, if that
/// has fewer operations. `None` if a number would not fit.
fn paired(high: Item, low: Item) -> Option<[Item; 2]> {
    let cost = |t: &Item| factor(t.coef) + places(t.a, t.b);
    let n = low.b / low.a;
    let (a, b) = (low.a, high.b);
    let mut best = [high, low];
    let mut least = cost(&high) + cost(&low);
    let rest = high.coef.checked_sub(low.coef.checked_mul(n)?)?;
    let with_high = [Item { a, b, ..low }, Item { coef: rest, ..high }];
    let up = high.coef / n;
    let rest = low.coef.checked_sub(up)?;
    let with_low = [
        Item {
            a,
            b,
            coef: up,
            ..low
        },
        Item { coef: rest, ..low },
    ];
    for (way, there) in [(with_high, true), (with_low, high.coef % n == 0)] {
        let new = cost(&way[0]) + cost(&way[1]);
        if there && new < least {
            (best, least) = (way, new);
        }
    }
    Some(best)
}

impl Simplifier {
    /// A result as it is written in canonical form, if the short way leads there.
    pub(super) fn short(&mut self, arena: &mut Arena, root: NodeId) -> Option<NodeId> {
        let mut items = Items::default();
        let mut left = Left::of(root);
        if self.read_sum(arena, &mut items, &mut left).is_some() {
            return self.write_short(arena, &mut items);
        }
        let standing = left.standing?;
        let node = self.write_standing(arena, &standing, items.k)?;
        self.shortens = true;
        Some(node)
    }

    /// What a sum is made of, in order, if the short way leads there.
    pub(super) fn read_short(
        &mut self,
        arena: &Arena,
        root: NodeId,
        items: &mut Items,
    ) -> Option<()> {
        self.read_sum(arena, items, &mut Left::of(root))
    }

    fn read_sum(&mut self, arena: &Arena, items: &mut Items, left: &mut Left) -> Option<()> {
        let read = self.add_short(arena, left.root, 1, items, left);
        self.unfolding.clear();
        let read = read.and_then(|()| items.merge(&self.forms));
        // What is known of the remainders of a variable may say something of the digits beside it.
        let strided = |t: &Item| self.forms.atom(t.variable).stride > 1;
        let tied = left.digits && self.forms.strided && items.list.iter().any(strided);
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
                    coef = coef.checked_mul(arena.as_constant(b)?)?;
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
                    let rounded_up = op == Op::CeilDiv;
                    let digit = match rounded_up {
                        true => None,
                        false => self.digit_of_one(arena, (op, a, m)),
                    };
                    match digit {
                        Some(Digit::Constant(v)) => items.add_constant(v, coef)?,
                        Some(Digit::Item(item)) => items.list.push(Item { coef, ..item }),
                        None => {
                            let mut inner = Items::default();
                            self.add_short(arena, a, 1, &mut inner, left)?;
                            inner.merge(&self.forms)?;
                            let op = match op {
                                Op::Mod => Op::Mod,
                                _ => Op::FloorDiv,
                            };
                            if rounded_up {
                                inner.k = inner.k.checked_add(m - 1)?;
                            }
                            if self.bounded_sums && inner.list.len() > 1 {
                                // It may lie in one period for what is known of it.
                                return None;
                            }
                            let divided = self.forms.add_divided(items, coef, op, &inner, m);
                            if divided.is_none() && !self.bounded_sums && coef == 1 {
                                // All of the sum, but for its constant?
                                let outer = match arena.node(left.root) {
                                    _ if id == left.root => Some(0),
                                    Node::Binary(Op::Add, x, c) if x == id => arena.as_constant(c),
                                    _ => None,
                                };
                                if let Some(outer) = outer {
                                    items.k = outer;
                                    left.standing = Some(Standing::new(op, inner, m));
                                }
                            }
                            divided?;
                        }
                    }
                }
                Node::Binary(..) => return None,
                Node::Constant(v) => items.add_constant(v, coef)?,
                Node::Variable(class, i) => match self.variable_or_value(class, i) {
                    Digit::Constant(v) => items.add_constant(v, coef)?,
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
        let part = |arena: &mut Arena, t: &Item| {
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
        };
        if let [t] = list {
            let part = part(arena, t);
            return Some(build(arena, &[part], items.k));
        }
        let mut parts: SmallVec<[(NodeId, i64); 8]> = SmallVec::new();
        for t in list.iter() {
            parts.push(part(arena, t));
        }
        Some(build(arena, &parts, items.k))
    }
}

impl Forms {
    /// `items += coef * (inner floordiv m)`, or `mod m`, for a sum whose items are merged.
    fn add_divided(
        &self,
        items: &mut Items,
        coef: i64,
        op: Op,
        inner: &Items,
        m: i64,
    ) -> Option<()> {
        let (mut q, r) = (inner.k.div_euclid(m), inner.k.rem_euclid(m));
        // What is no multiple of the divisor, and where it lies.
        let (mut rest, mut lower, mut upper): (SmallVec<[Item; 4]>, i64, i64) =
            (SmallVec::new(), r, r);
        for t in &inner.list {
            if t.coef % m == 0 {
                if op == Op::FloorDiv {
                    let coef = coef.checked_mul(t.coef / m)?;
                    items.list.push(Item { coef, ..*t });
                }
                continue;
            }
            if self.atom(t.variable).stride > 1 {
                return None;
            }
            let v = t.values(self)?;
            let (x, y) = (t.coef.checked_mul(v.lower)?, t.coef.checked_mul(v.upper)?);
            lower = lower.checked_add(x.min(y))?;
            upper = upper.checked_add(x.max(y))?;
            rest.push(*t);
        }
        let Some(period) = one_period(Interval::new(lower, upper), m) else {
            let item = match (&rest[..], inner.k) {
                ([t], 0) if t.coef == 1 => *t,
                _ => return None,
            };
            match self.digit_of_item(item, op, m)? {
                Digit::Constant(v) => items.add_constant(v, coef)?,
                Digit::Item(item) => items.list.push(Item { coef, ..item }),
            }
            return Some(());
        };
        if op == Op::FloorDiv {
            q = q.checked_add(period)?;
            return items.add_constant(q, coef);
        }
        for t in rest {
            items.list.push(t.times(coef)?);
        }
        items.add_constant(r.checked_sub(period.checked_mul(m)?)?, coef)
    }

    /// `item floordiv m` or `item mod m`, if that is a digit or a number.
    pub(super) fn digit_of_item(&self, item: Item, op: Op, m: i64) -> Option<Digit> {
        if self.atom(item.variable).stride > 1 {
            return None;
        }
        if let Some(period) = one_period(item.values(self)?, m) {
            return match op {
                Op::FloorDiv => Some(Digit::Constant(period)),
                _ if period == 0 => Some(Digit::Item(item)),
                _ => None,
            };
        }
        let Item { variable, a, b, .. } = item;
        let end = a.checked_mul(m)?;
        if b != INF && b % end != 0 {
            return None;
        }
        let (a, mut b) = match op {
            Op::FloorDiv => (end, b),
            _ => (a, end),
        };
        let v = self.atom(variable).bounds;
        let width = v.upper.checked_sub(v.lower).filter(|w| *w >= SEVERAL)?;
        if b != INF && width < b {
            if v.lower < 0 || v.upper >= b {
                return None;
            }
            b = INF;
        }
        if b == INF && a > 1 && width < a {
            return one_period(v, a).map(Digit::Constant);
        }
        if b == INF && v.lower < 0 && v.upper < a {
            // Perhaps only a sign.
            return None;
        }
        Some(Digit::Item(Item { b, a, ..item }))
    }
}
