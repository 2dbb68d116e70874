//! From normal forms back to expressions, with the fewest operations.
//!
//! A digit can be written in two ways, as itself or as its complement:
//! `(x, a, b) = (b / a - 1) - (-x - 1, a, b)`; a constant of a sum can move into a quotient:
//! `c * (x floordiv a) + c * j = c * ((x + a * j) floordiv a)`; `(x + a - 1) floordiv a` is
//! `x ceildiv a`; equal factors are taken out of sums. Which one is written depends on the form
//! alone.

use super::linear::{AtomKind, Forms, LinId, Term, UNBOUNDED};
use super::operations::LONG;
use super::plans::{Plan, choose, pair_up};
use crate::arena::{Arena, Class, NodeId};
use crate::expr::Op;
use crate::interval::Interval;
use crate::linear::number::nearest;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The writer of one simplification.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emitter {
    pub(super) memo: FxHashMap<Key, NodeId>,
    /// Numbers of dimension and range variables; the rest are runtime variables.
    pub(crate) dims: usize,
    pub(crate) ranges: usize,
    /// Levels of nesting that may still be written by recursion.
    fuel: u32,
    /// Sums that lie deeper and have to be written first.
    pending: Vec<Key>,
    /// The sum that is written next may be negated, and its constant is no operation; whether it
    /// was, and what is left of that.
    free: bool,
    negated: bool,
    left: i64,
    /// Sums that were met since, and wait for those.
    waiting: FxHashSet<Key>,
}

/// A sum that is written: the terms of a form, each times a factor, plus a constant. Modulo the
/// last number, if there is one, it may be written with other coefficients.
pub(super) type Key = (LinId, i64, i64, i64);

fn as_it_is(forms: &Forms, lin: LinId) -> Key {
    (lin, 1, forms.lin(lin).k, UNBOUNDED)
}

/// Levels of nesting that are written by recursion; what lies deeper goes through a list.
const FUEL: u32 = 40;

type Items = SmallVec<[(NodeId, i64); 8]>;

impl Emitter {
    pub(crate) fn variable(&self, arena: &mut Arena, i: usize) -> NodeId {
        let (class, first) = match i {
            i if i < self.dims => (Class::Dim, 0),
            i if i < self.dims + self.ranges => (Class::Range, self.dims),
            _ => (Class::Runtime, self.dims + self.ranges),
        };
        arena.variable(class, (i - first) as u32)
    }

    /// The expression of a form.
    pub(crate) fn form(&mut self, arena: &mut Arena, forms: &Forms, lin: LinId) -> NodeId {
        self.sum(arena, forms, as_it_is(forms, lin))
    }

    /// The expression of a form in a constraint, without its constant, which moves the interval,
    /// and without a minus at the start.
    pub(crate) fn constraint(
        &mut self,
        arena: &mut Arena,
        forms: &Forms,
        lin: LinId,
        interval: Interval,
    ) -> (NodeId, Interval) {
        if forms.lin(lin).k == 0 && forms.has_digits(lin) && !forms.exhausted {
            self.fuel = FUEL;
            (self.free, self.negated, self.left) = (true, false, 0);
            let node = self.part(arena, forms, (lin, 1, 0, UNBOUNDED));
            self.free = false;
            // What was put off is written with the rest.
            self.pending.clear();
            self.waiting.clear();
            let sign = if self.negated { -1 } else { 1 };
            let moved = |v: i64| v.checked_sub(self.left)?.checked_mul(sign);
            let mut ends = [moved(interval.lower), moved(interval.upper)];
            if self.negated {
                ends.reverse();
            }
            if let (Some(node), [Some(lower), Some(upper)]) = (node, ends) {
                return (node, Interval::new(lower, upper));
            }
        }
        (self.form(arena, forms, lin), interval)
    }

    /// The expression of a sum.
    pub(crate) fn sum(&mut self, arena: &mut Arena, forms: &Forms, key: Key) -> NodeId {
        self.fuel = FUEL;
        if let Some(node) = self.part(arena, forms, key) {
            return node;
        }
        let mut stack = vec![key];
        loop {
            stack.append(&mut self.pending);
            self.waiting.clear();
            while let Some(node) = stack.last().and_then(|&key| self.part(arena, forms, key)) {
                stack.pop();
                if stack.is_empty() {
                    return node;
                }
            }
        }
    }

    /// As [`Emitter::sum`]; `None` if something below has to be written first, which is in
    /// `pending` then.
    fn part(&mut self, arena: &mut Arena, forms: &Forms, key: Key) -> Option<NodeId> {
        let (lin, scale, k, modulus) = key;
        let free = std::mem::take(&mut self.free);
        let terms = forms.terms(lin);
        let mut items: Items = SmallVec::new();
        let coef = |t: &Term| nearest(t.coef * scale, modulus);
        if !forms.has_digits(lin) {
            items.extend((terms.iter()).map(|t| (self.variable(arena, t.atom as usize), coef(t))));
            return Some(build(arena, &items, k));
        }
        let nested = terms.iter().any(|t| forms.atom(t.atom).depth > 1);
        // Only nested digits are written so often that looking them up pays.
        if nested {
            if let Some(&node) = self.memo.get(&key) {
                return Some(node);
            }
            if !self.waiting.is_empty() && self.waiting.contains(&key) {
                return None;
            }
            if self.fuel == 0 {
                self.pending.push(key);
                self.waiting.insert(key);
                return None;
            }
        }
        let plans = terms
            .iter()
            .map(|t| Plan::from_atom(forms, t.atom, coef(t)));
        let mut plans: SmallVec<[Plan; 6]> = plans.collect();
        let mut outer = k;
        if plans.len() <= LONG {
            pair_up(forms, &mut plans, &mut outer, modulus);
        }
        if !forms.exhausted {
            choose(forms, &mut plans, &mut outer, free);
        }
        if modulus != UNBOUNDED && outer != k {
            // A constant that came out of digits is as small as one that was there before.
            outer = outer.rem_euclid(modulus);
            if outer > modulus / 2 && plans.iter().any(|p| p.coef > 0) {
                outer -= modulus;
            }
        }
        let fuel = self.fuel;
        // What has no digits inside needs none.
        self.fuel = fuel.saturating_sub(1);
        let mut complete = true;
        items.resize(plans.len(), (NodeId(0), 0));
        for (item, p) in items.iter_mut().zip(&plans) {
            match self.plan(arena, forms, p) {
                Some(written) => *item = written,
                None => complete = false,
            }
        }
        self.fuel = fuel;
        if !complete {
            self.waiting.insert(key);
            return None;
        }
        if free {
            // What would start with a minus is written negated.
            self.negated = items.iter().all(|t| t.1 < 0 && t.1 != i64::MIN);
            if self.negated {
                items.iter_mut().for_each(|t| t.1 = -t.1);
            }
            self.left = outer;
            return Some(build(arena, &items, 0));
        }
        let node = build(arena, &items, outer);
        if nested {
            self.memo.insert(key, node);
        }
        Some(node)
    }

    /// A term, and how many times it is taken.
    fn plan(&mut self, arena: &mut Arena, forms: &Forms, p: &Plan) -> Option<(NodeId, i64)> {
        let Some((lin, a, b)) = p.digit else {
            return match forms.atom(p.atom).kind {
                AtomKind::Opaque { op, x, y } => {
                    let first = self.part(arena, forms, as_it_is(forms, x));
                    if op == Op::Add && forms.as_constant(y) == Some(0) {
                        // A sum that was kept apart.
                        return Some((first?, p.coef));
                    }
                    let second = self.part(arena, forms, as_it_is(forms, y));
                    Some((arena.binary(op, first?, second?), p.coef))
                }
                _ => Some((self.variable(arena, p.atom as usize), p.coef)),
            };
        };
        let (key, op, period) = if forms.exhausted && forms.terms(lin).len() > LONG {
            // A long sum is not written anew for each digit.
            (as_it_is(forms, lin), Op::FloorDiv, b / a)
        } else {
            p.written(forms, lin, a, b)
        };
        let mut node = self.part(arena, forms, key)?;
        for (op, k) in [(op, a), (Op::Mod, period)] {
            if k > 1 {
                node = by_constant(arena, op, node, k);
            }
        }
        Some((node, p.coef))
    }
}

fn by_constant(arena: &mut Arena, op: Op, node: NodeId, k: i64) -> NodeId {
    let k = arena.constant(k);
    arena.binary(op, node, k)
}

fn times(arena: &mut Arena, node: NodeId, coef: i64) -> NodeId {
    match coef {
        1 => node,
        _ => by_constant(arena, Op::Mul, node, coef),
    }
}

/// The sum of `node * coef` and `k`; equal factors are taken out.
pub(super) fn build(arena: &mut Arena, items: &[(NodeId, i64)], k: i64) -> NodeId {
    let mut acc: Option<NodeId> = None;
    let mut add = |arena: &mut Arena, node: NodeId| {
        acc = Some(match acc {
            None => node,
            Some(x) => arena.binary(Op::Add, x, node),
        });
    };
    // Which terms have the same factor, by its size; a long sum is not compared with itself term by
    // term.
    let mut by_factor: SmallVec<[(u64, usize); 8]> = SmallVec::new();
    for (i, t) in items.iter().enumerate() {
        if t.1.unsigned_abs() > 1 {
            by_factor.push((t.1.unsigned_abs(), i));
        }
    }
    by_factor.sort_unstable();
    for (i, &(node, coef)) in items.iter().enumerate() {
        let size = coef.unsigned_abs();
        let from = by_factor.partition_point(|t| t.0 < size);
        let group = by_factor[from..].iter().take_while(|t| t.0 == size);
        let mut others = group.map(|t| t.1);
        if size > 1 && others.next() != Some(i) {
            // Written already.
            continue;
        }
        // The factor takes the sign that leaves the first term positive.
        let mut inner = node;
        for j in others {
            let (other, c) = items[j];
            let other = times(arena, other, if c == coef { 1 } else { -1 });
            inner = arena.binary(Op::Add, inner, other);
        }
        let node = times(arena, inner, coef);
        add(arena, node);
    }
    match acc {
        None => arena.constant(k),
        Some(x) if k == 0 => x,
        Some(x) => by_constant(arena, Op::Add, x, k),
    }
}
