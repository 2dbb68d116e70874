//! Digits and sums as they were asked for.
//!
//! Where digits cross each other, the normal form of `(L, a, b)` mixes with its neighbours, and what a reshape cut is no
//! longer seen in what another one puts together. So two kinds of facts are kept about forms, both plain equalities:
//! *which digit* of which form a form is, and *of which parts* a sum was made. With them
//!
//! - `c * (L, a, m) + c * (m / a) * (L, m, b) -> c * (L, a, b)` whatever the normal forms of the three look like, and
//! - `(c1 * r1 + … + cn * rn, a, b)` is split between its parts `r`, whose bounds are those of digits.
//!
//! A reshape and its inverse cancel this way, and then what was around them.

use super::arena::{Arena, Node, NodeId};
use super::driver::Simplifier;
use super::linear::{Forms, INF, LinId, Sum, finite};
use crate::expr::Op;
use crate::interval::Interval;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Facts of one form beyond which no more are kept.
const MOST: usize = 8;

/// Parts beyond which sums are taken as they are.
const LONG: usize = 64;

/// `lin` is a part of a sum, this many times.
pub(super) type Parts = SmallVec<[(LinId, i64); 8]>;

/// The form is the digit `(L, a, b)`.
type DigitOf = (LinId, i64, i64);

/// What is known of the forms of one simplification.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Which digits forms are.
    digits: FxHashMap<LinId, SmallVec<[DigitOf; 2]>>,
    /// The form is the sum of the parts plus a constant.
    sums: FxHashMap<LinId, SmallVec<[(Parts, i64); 1]>>,
}

impl Facts {
    pub(super) fn clear(&mut self) {
        if !self.digits.is_empty() {
            self.digits.clear();
        }
        if !self.sums.is_empty() {
            self.sums.clear();
        }
    }
}

impl Forms {
    /// Notes that `normal` is the digit `(lin, a, b)`, and what follows.
    pub(super) fn note_digit(&mut self, lin: LinId, a: i64, b: i64, normal: LinId) {
        if self.as_constant(normal).is_some() || normal == lin {
            return;
        }
        let mut new: SmallVec<[(LinId, i64, i64); 4]> = SmallVec::new();
        new.push((lin, a, b));
        // A digit of a quotient is a digit of what was divided.
        if let Some(known) = self.facts.digits.get(&lin) {
            for &(x, p, q) in known {
                let (a, b) = (
                    p.checked_mul(a),
                    if b == INF {
                        Some(INF)
                    } else {
                        p.checked_mul(b)
                    },
                );
                if q == INF
                    && let (Some(a), Some(b)) = (a, b)
                {
                    new.push((x, a, b));
                }
            }
        }
        let bounds = if b == INF {
            self.lin(lin).bounds.floor_div_constant(a)
        } else {
            Interval::new(0, b / a - 1)
        };
        self.narrow(normal, bounds);
        let known = self.facts.digits.entry(normal).or_default();
        for fact in new {
            if known.len() < MOST && !known.contains(&fact) {
                known.push(fact);
            }
        }
    }

    /// Of two forms that are equal on the domain the shorter one, which is all that the other is. The first one if they are as
    /// long.
    pub(super) fn shorter(&mut self, x: LinId, y: LinId) -> LinId {
        let (kept, other) = if self.size(self.terms(x)) <= self.size(self.terms(y)) {
            (x, y)
        } else {
            (y, x)
        };
        if kept != other && self.as_constant(kept).is_none() {
            self.narrow(kept, self.lin(other).bounds);
            if let Some(digits) = self.facts.digits.get(&other).cloned() {
                let known = self.facts.digits.entry(kept).or_default();
                for fact in digits {
                    if known.len() < MOST && fact.0 != kept && !known.contains(&fact) {
                        known.push(fact);
                    }
                }
            }
            if let Some(sums) = self.facts.sums.get(&other).cloned() {
                let known = self.facts.sums.entry(kept).or_default();
                for fact in sums {
                    if known.len() < MOST && !known.contains(&fact) {
                        known.push(fact);
                    }
                }
            }
        }
        kept
    }

    /// States bounds that hold wherever the form has a value.
    fn narrow(&mut self, lin: LinId, bounds: Interval) {
        let old = self.lin(lin).bounds;
        let new = old.intersect(bounds);
        if !new.is_empty() {
            self.lins[lin as usize].bounds = new;
        }
    }

    /// The sum of `parts`, of which digits side by side are put together first.
    pub(super) fn sum_of_parts(&mut self, mut parts: Parts) -> Option<LinId> {
        parts.retain(|p| p.1 != 0);
        if parts.len() <= LONG {
            while self.join(&mut parts)? {}
        }
        let lin = match parts[..] {
            [(lin, 1)] => return Some(lin),
            _ => {
                let mut sum = Sum::default();
                for &(lin, coef) in &parts {
                    self.accumulate(&mut sum, lin, coef)?;
                }
                self.finish_mut(&mut sum)?
            }
        };
        self.note_sum(lin, parts, 0);
        Some(lin)
    }

    /// Joins two neighbours; false if there are none.
    fn join(&mut self, parts: &mut Parts) -> Option<bool> {
        if !self.work(parts.len()) {
            return Some(false);
        }
        for i in 0..parts.len() {
            for j in 0..parts.len() {
                let ((low, c), (high, d)) = (parts[i], parts[j]);
                if i == j {
                    continue;
                }
                if low == high {
                    parts[i].1 = c.checked_add(d)?;
                    parts.remove(j);
                    parts.retain(|p| p.1 != 0);
                    return Some(true);
                }
                let (Some(p), Some(q)) =
                    (self.facts.digits.get(&low), self.facts.digits.get(&high))
                else {
                    continue;
                };
                let found = p.iter().find_map(|&(x, a, m)| {
                    if m == INF || c.checked_mul(m / a) != Some(d) {
                        return None;
                    }
                    let next = q.iter().find(|f| f.0 == x && f.1 == m)?;
                    Some((x, a, next.2))
                });
                if let Some((x, a, b)) = found
                    && !self.open_digits.contains(&(x, a, b))
                {
                    self.fired("reshape-undone");
                    parts[i] = (self.digit(x, a, b)?, c);
                    parts.remove(j);
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    fn note_sum(&mut self, lin: LinId, mut parts: Parts, mut k: i64) {
        // Constants are no parts.
        let mut fits = true;
        parts.retain(|p| match self.as_constant(p.0) {
            Some(v) => {
                match v.checked_mul(p.1).and_then(|v| k.checked_add(v)) {
                    Some(sum) => k = sum,
                    None => fits = false,
                }
                false
            }
            None => true,
        });
        if !fits || parts.len() < 2 || parts.len() > LONG {
            return;
        }
        if let Some((lower, upper)) = self.bounds_of_parts(&parts, k) {
            let clamp = |v: i128| v.clamp(i64::MIN as i128, i64::MAX as i128) as i64;
            self.narrow(lin, Interval::new(clamp(lower), clamp(upper)));
        }
        let known = self.facts.sums.entry(lin).or_default();
        if known.len() < MOST && !known.iter().any(|s| s.0 == parts && s.1 == k) {
            known.push((parts, k));
        }
    }

    fn bounds_of_parts(&self, parts: &[(LinId, i64)], k: i64) -> Option<(i128, i128)> {
        let (mut lower, mut upper) = (k as i128, k as i128);
        for &(lin, c) in parts {
            let b = self.lin(lin).bounds;
            if !finite(b.lower) || !finite(b.upper) {
                return None;
            }
            let (x, y) = (c as i128 * b.lower as i128, c as i128 * b.upper as i128);
            lower = lower.checked_add(x.min(y))?;
            upper = upper.checked_add(x.max(y))?;
        }
        Some((lower, upper))
    }

    /// `(sum of c * r + k, a, b)` where every part lies cleanly below, in, or above the digit.
    pub(super) fn split_parts(&mut self, lin: LinId, a: i64, b: i64) -> Option<LinId> {
        let known = self.facts.sums.get(&lin)?.clone();
        known
            .iter()
            .find_map(|(parts, k)| self.split_sum(parts, *k, a, b))
    }

    fn split_sum(&mut self, parts: &Parts, k: i64, a: i64, b: i64) -> Option<LinId> {
        let period = |bounds: (i128, i128), m: i64| {
            let q = bounds.0.div_euclid(m as i128);
            (q == bounds.1.div_euclid(m as i128)).then_some(q)
        };
        // What lies below has the same quotient everywhere.
        let (high, low): (Parts, Parts) = parts.iter().copied().partition(|p| p.1 % a == 0);
        let mut k = period(self.bounds_of_parts(&low, k)?, a)?;
        let mut inside: Parts = high.iter().map(|p| (p.0, p.1 / a)).collect();
        if b != INF {
            let n = b / a;
            inside.retain(|p| p.1 % n != 0);
            k = k.rem_euclid(n as i128);
            let (lower, upper) = self.bounds_of_parts(&inside, 0)?;
            let q = period((lower + k, upper + k), n)?;
            k -= q * n as i128;
        }
        let k = i64::try_from(k).ok()?;
        if let ([(lin, 1)], 0) = (&inside[..], k) {
            return Some(*lin);
        }
        let mut sum = Sum {
            k,
            ..Sum::default()
        };
        for &(lin, coef) in &inside {
            self.accumulate(&mut sum, lin, coef)?;
        }
        let value = self.finish_mut(&mut sum)?;
        self.note_sum(value, inside, k);
        Some(value)
    }
}

/// `coef * node` in a sum, and the digit `(x, a, b)` that the node is.
#[derive(Clone, Copy)]
struct Leaf {
    node: NodeId,
    coef: i64,
    digit: Option<(NodeId, i64, i64)>,
}

impl Simplifier {
    /// True if somewhere below the roots digits stand side by side whose normal forms do not fit together.
    pub(super) fn cut_apart(&mut self, arena: &Arena, roots: &[NodeId]) -> bool {
        let mut seen = std::mem::take(&mut self.seen);
        seen.clear();
        let mut stack: Vec<NodeId> = roots.to_vec();
        let mut sum: Vec<(NodeId, i64)> = Vec::new();
        let mut leaves: SmallVec<[Leaf; 8]> = SmallVec::new();
        let mut found = false;
        while let Some(root) = stack.pop() {
            if found {
                break;
            }
            if !seen.insert(root) {
                continue;
            }
            leaves.clear();
            sum.push((root, 1));
            while let Some((id, coef)) = sum.pop() {
                match arena.node(id) {
                    Node::Binary(Op::Add, x, y) => {
                        seen.insert(id);
                        sum.push((x, coef));
                        sum.push((y, coef));
                    }
                    Node::Binary(Op::Mul, x, y) if arena.as_constant(y).is_some() => {
                        seen.insert(id);
                        let factor = arena.as_constant(y).unwrap_or(0);
                        sum.push((x, coef.checked_mul(factor).unwrap_or(0)));
                    }
                    node => {
                        leaves.push(Leaf {
                            node: id,
                            coef,
                            digit: written_digit(arena, id),
                        });
                        if let Node::Binary(_, x, y) = node {
                            if id == root {
                                stack.extend([x, y]);
                            } else {
                                stack.push(id);
                            }
                        }
                    }
                }
            }
            if (2..=LONG).contains(&leaves.len()) {
                found = self.fits(root, &mut leaves) == Some(false);
            }
        }
        self.seen = seen;
        found
    }

    /// Whether the normal form of a sum is the one that it has if digits side by side are put together first.
    fn fits(&mut self, root: NodeId, leaves: &mut SmallVec<[Leaf; 8]>) -> Option<bool> {
        let whole = self.known(root)?;
        let mut joined: SmallVec<[(LinId, i64); 4]> = SmallVec::new();
        while let Some((i, j)) = neighbours(leaves) {
            // The whole run from the lowest digit up.
            let (x, a, _) = leaves[i].digit?;
            let (mut at, coef) = (j, leaves[i].coef);
            let mut gone: SmallVec<[usize; 8]> = SmallVec::new();
            gone.push(i);
            let b = loop {
                gone.push(at);
                let low = leaves[at];
                match (0..leaves.len()).find(|j| beside(&low, &leaves[*j])) {
                    Some(next) if !gone.contains(&next) => at = next,
                    _ => break low.digit?.2,
                }
            };
            let x = self.known(x)?;
            joined.push((self.forms.digit(x, a, b)?, coef));
            gone.sort_unstable();
            for at in gone.into_iter().rev() {
                leaves.remove(at);
            }
        }
        if joined.is_empty() {
            return None;
        }
        let mut sum = Sum::default();
        for leaf in leaves.iter() {
            let lin = self.known(leaf.node)?;
            self.forms.accumulate(&mut sum, lin, leaf.coef)?;
        }
        for (lin, coef) in joined {
            self.forms.accumulate(&mut sum, lin, coef)?;
        }
        Some(self.forms.finish_mut(&mut sum)? == whole)
    }
}

/// True if the second digit is the one above the first.
fn beside(low: &Leaf, high: &Leaf) -> bool {
    let (Some((x, a, m)), Some((y, p, _))) = (low.digit, high.digit) else {
        return false;
    };
    x == y && m != INF && m == p && low.coef.checked_mul(m / a) == Some(high.coef)
}

/// Two digits side by side, of which the lower one has none below.
fn neighbours(leaves: &[Leaf]) -> Option<(usize, usize)> {
    (0..leaves.len()).find_map(|i| {
        let j = (0..leaves.len()).find(|j| beside(&leaves[i], &leaves[*j]))?;
        let lowest = !leaves.iter().any(|l| beside(l, &leaves[i]));
        lowest.then_some((i, j))
    })
}

/// The digit `(x, a, b)` that a node is.
fn written_digit(arena: &Arena, id: NodeId) -> Option<(NodeId, i64, i64)> {
    let constant = |id| arena.as_constant(id).filter(|v| *v > 0);
    let Node::Binary(op, x, y) = arena.node(id) else {
        return None;
    };
    let n = constant(y)?;
    match op {
        Op::FloorDiv => Some((x, n, INF)),
        Op::Mod => match arena.node(x) {
            Node::Binary(Op::FloorDiv, x, y) => {
                let a = constant(y)?;
                Some((x, a, a.checked_mul(n)?))
            }
            _ => Some((x, 1, n)),
        },
        _ => None,
    }
}
