//! From normal forms back to expressions, with the fewest operations.
//!
//! A digit can be written in two ways, as itself or as its complement: `(x, a, b) = (b / a - 1) - (-x - 1, a, b)`; a constant
//! of a sum can move into a quotient: `c * (x floordiv a) + c * j = c * ((x + a * j) floordiv a)`; `(x + a - 1) floordiv a` is
//! `x ceildiv a`; equal factors are taken out of sums. Which one is written depends on the form alone.

use super::arena::{Arena, Class, NodeId};
use super::linear::{AtomId, AtomKind, Forms, INF, LinId, gcd};
use crate::expr::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// How one term of a sum is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) atom: AtomId,
    pub(super) coef: i64,
    /// For a digit: the form, its ends, whether its complement is written, and the constant inside.
    pub(super) digit: Option<(LinId, i64, i64)>,
    pub(super) flip: bool,
    pub(super) inner: i64,
    /// A factor that moves into a remainder: `c * (x mod m) -> (c * x) mod (c * m)`.
    pub(super) factor: i64,
}

/// A sum that was not written as it stands: the terms of `lin`, each times `scale`, plus `k` are `plans` plus `outer`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rewritten {
    pub(super) lin: LinId,
    pub(super) scale: i64,
    pub(super) k: i64,
    pub(super) modulus: i64,
    /// First and last of its plans in [`Emitter::plans`].
    pub(super) plans: (usize, usize),
    pub(super) outer: i64,
}

/// The writer of one simplification.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emitter {
    memo: FxHashMap<Key, NodeId>,
    /// Numbers of dimension and range variables; the rest are runtime variables.
    pub(crate) dims: usize,
    pub(crate) ranges: usize,
    /// What was written in another way than it stands in the form, since [`Emitter::watch`].
    pub(super) rewritten: Vec<Rewritten>,
    pub(super) plans: Vec<Plan>,
    watching: bool,
    /// Levels of nesting that may still be written by recursion.
    fuel: u32,
    /// What lies deeper and has to be written first.
    pending: Vec<Key>,
    /// What was met since, and waits for that.
    waiting: FxHashSet<Key>,
}

/// A sum that is written: the terms of a form, each times a factor, plus a constant, modulo something.
type Key = (LinId, i64, i64, i64);

/// Levels of nesting that are written by recursion; what lies deeper goes through a list.
const FUEL: u32 = 40;

type Items = SmallVec<[(NodeId, i64); 8]>;

impl Emitter {
    pub(crate) fn clear(&mut self, dims: usize, ranges: usize) {
        self.memo_clear();
        self.dims = dims;
        self.ranges = ranges;
        self.watching = false;
    }

    /// Keeps what is written in another way from now on.
    pub(crate) fn watch(&mut self) {
        self.watching = true;
        self.rewritten.clear();
        self.plans.clear();
    }

    pub(crate) fn memo_clear(&mut self) {
        if !self.memo.is_empty() {
            self.memo.clear();
        }
    }

    pub(crate) fn variable(&self, arena: &mut Arena, i: usize) -> NodeId {
        if i < self.dims {
            arena.variable(Class::Dim, i as u32)
        } else if i < self.dims + self.ranges {
            arena.variable(Class::Range, (i - self.dims) as u32)
        } else {
            arena.variable(Class::Runtime, (i - self.dims - self.ranges) as u32)
        }
    }

    /// The expression of a form.
    pub(crate) fn form(&mut self, arena: &mut Arena, forms: &Forms, lin: LinId) -> NodeId {
        self.sum(arena, forms, lin, 1, forms.lin(lin).k, INF)
    }

    /// The expression of the terms of a form, each times `scale`, plus `k`; modulo `modulus`, if there is one, the sum may be
    /// written with other coefficients.
    pub(crate) fn sum(
        &mut self,
        arena: &mut Arena,
        forms: &Forms,
        lin: LinId,
        scale: i64,
        k: i64,
        modulus: i64,
    ) -> NodeId {
        self.fuel = FUEL;
        if let Some(node) = self.part(arena, forms, (lin, scale, k, modulus)) {
            return node;
        }
        let mut stack = vec![(lin, scale, k, modulus)];
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

    /// As [`Emitter::sum`]; `None` if something below has to be written first, which is in `pending` then.
    fn part(&mut self, arena: &mut Arena, forms: &Forms, key: Key) -> Option<NodeId> {
        let (lin, scale, k, modulus) = key;
        let terms = forms.terms(lin);
        if let [t] = terms
            && (t.atom as usize) < forms.variables
        {
            let x = self.variable(arena, t.atom as usize);
            let x = times(arena, x, nearest(t.coef * scale, modulus));
            return Some(finish(arena, Some(x), k));
        }
        let mut items: Items = SmallVec::new();
        if terms.iter().all(|t| (t.atom as usize) < forms.variables) {
            for t in terms {
                items.push((
                    self.variable(arena, t.atom as usize),
                    nearest(t.coef * scale, modulus),
                ));
            }
            return Some(build(arena, &items, k));
        }
        // Only nested digits are written so often that looking them up pays.
        let nested = terms.iter().any(|t| forms.atom(t.atom).depth > 1);
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
        let mut plans: SmallVec<[Plan; 6]> = SmallVec::new();
        for t in terms {
            let coef = nearest(t.coef * scale, modulus);
            let (digit, inner) = match forms.atom(t.atom).kind {
                AtomKind::Digit { lin, a, b } => (Some((lin, a, b)), forms.lin(lin).k),
                _ => (None, 0),
            };
            plans.push(Plan {
                atom: t.atom,
                coef,
                digit,
                flip: false,
                inner,
                factor: 1,
            });
        }
        let mut outer = k;
        let paired = plans.len() <= 64 && pair_up(forms, &mut plans, &mut outer, modulus);
        choose(forms, &mut plans, &mut outer);
        if modulus != INF && outer != k {
            // A constant that came out of digits is as small as one that was there before.
            outer = outer.rem_euclid(modulus);
            if outer > modulus / 2 && plans.iter().any(|p| p.coef > 0) {
                outer -= modulus;
            }
        }
        // What is read again as it was: quotients and remainders of sums that have no digits inside, rounded down.
        let plain = |p: &Plan| match p.digit {
            Some((lin, a, b)) => {
                !p.flip
                    && p.factor == 1
                    && (a == 1 || (b == INF && p.inner != a - 1))
                    && !forms.has_digits(lin)
            }
            None => (p.atom as usize) < forms.variables,
        };
        let rewritten = self.watching && (paired || !plans.iter().all(plain));
        self.fuel -= 1;
        let mut complete = true;
        for p in &plans {
            match self.plan(arena, forms, p) {
                Some(node) => items.push((node, p.coef)),
                None => complete = false,
            }
        }
        self.fuel += 1;
        if !complete {
            self.waiting.insert(key);
            return None;
        }
        if rewritten {
            let first = self.plans.len();
            self.plans.extend_from_slice(&plans);
            self.rewritten.push(Rewritten {
                lin,
                scale,
                k,
                modulus,
                plans: (first, self.plans.len()),
                outer,
            });
        }
        let node = build(arena, &items, outer);
        if nested {
            self.memo.insert(key, node);
        }
        Some(node)
    }

    fn plan(&mut self, arena: &mut Arena, forms: &Forms, p: &Plan) -> Option<NodeId> {
        let Some((lin, a, b)) = p.digit else {
            return match forms.atom(p.atom).kind {
                AtomKind::Opaque { op, x, y } => {
                    let plain = |lin: LinId| (lin, 1, forms.lin(lin).k, INF);
                    let x = self.part(arena, forms, plain(x));
                    let y = self.part(arena, forms, plain(y));
                    Some(arena.binary(op, x?, y?))
                }
                _ => Some(self.variable(arena, p.atom as usize)),
            };
        };
        let w = p.written(forms, lin, a, b);
        let mut node = self.part(arena, forms, (lin, w.scale, w.k, w.b))?;
        if let Some(op) = w.op {
            let divisor = arena.constant(a);
            node = arena.binary(op, node, divisor);
        }
        if w.b != INF {
            let modulus = arena.constant(w.b / a);
            node = arena.binary(Op::Mod, node, modulus);
        }
        Some(node)
    }
}

/// How a digit is written: the terms of its form, each times `scale`, plus `k`, divided by `op`, modulo `b`.
pub(super) struct Digits {
    pub(super) scale: i64,
    pub(super) k: i64,
    pub(super) b: i64,
    pub(super) op: Option<Op>,
}

impl Plan {
    pub(super) fn written(&self, forms: &Forms, lin: LinId, a: i64, b: i64) -> Digits {
        let mut k = self.inner;
        let b = b * self.factor;
        if b != INF {
            k = k.rem_euclid(b);
            // Near zero reads best, but a form without positive terms needs a positive constant.
            let positive = forms
                .terms(lin)
                .iter()
                .any(|t| (t.coef > 0) != self.flip || t.coef.abs() > 1);
            if k > b / 2 && positive && !(a > 1 && k == a - 1) {
                k -= b;
            }
        }
        let (op, k) = match a {
            1 => (None, k),
            a if k == a - 1 => (Some(Op::CeilDiv), 0),
            _ => (Some(Op::FloorDiv), k),
        };
        Digits {
            scale: if self.flip { -self.factor } else { self.factor },
            k,
            b,
            op,
        }
    }
}

/// True if the negation of a form starts with a minus that is an operation of its own.
fn all_positive(forms: &Forms, lin: LinId) -> bool {
    forms.terms(lin).iter().all(|t| t.coef == 1)
}

/// The number that is equal modulo `modulus` and nearest to zero.
pub(super) fn nearest(v: i64, modulus: i64) -> i64 {
    if modulus == INF {
        return v;
    }
    let r = v.rem_euclid(modulus);
    if r > modulus / 2 { r - modulus } else { r }
}

/// Operations of `coef * x` beyond those of x.
fn factor(coef: i64) -> i32 {
    i32::from(coef.unsigned_abs() > 1)
}

/// Operations of a digit beyond those of its form.
fn places(a: i64, b: i64) -> i32 {
    i32::from(a > 1) + i32::from(b != INF)
}

/// Writes `c * (L, a, m) + c' * (L, m, b)` with `(L, a, b)` and one of the two where that is shorter; the whole digit
/// `(x + k, 1, INF)` is `x` with a constant that goes to `outer`.
fn pair_up(forms: &Forms, plans: &mut SmallVec<[Plan; 6]>, outer: &mut i64, modulus: i64) -> bool {
    let mut changed = false;
    loop {
        let mut best: Option<(i32, usize, usize, bool)> = None;
        for i in 0..plans.len() {
            for j in 0..plans.len() {
                let (low, high) = (plans[i], plans[j]);
                let (Some((lin, a, m)), Some((lin2, m2, b))) = (low.digit, high.digit) else {
                    continue;
                };
                if i == j || lin != lin2 || m != m2 || m == INF {
                    continue;
                }
                let n = m / a;
                let terms = forms.terms(lin);
                let k = forms.lin(lin).k;
                // The joined digit must be one that stays: no factor can be taken out of it.
                if b != INF && gcd(forms.content(lin), b) > 1 {
                    continue;
                }
                // What the form itself costs, as far as it matters: whether it can be left out.
                let whole = a == 1 && b == INF;
                if whole && !(terms.len() == 1 && terms[0].coef == 1) {
                    continue;
                }
                if whole && plans.iter().any(|p| p.atom == terms[0].atom) {
                    continue;
                }
                let form = i32::from(k != 0);
                let joined = if whole { 0 } else { places(a, b) + form };
                let now = factor(low.coef)
                    + places(a, m)
                    + form
                    + factor(high.coef)
                    + places(m, b)
                    + form
                    + 1;
                let rest = |coef: i64, digit: i32| {
                    if coef == 0 {
                        0
                    } else {
                        factor(coef) + digit + form + 1
                    }
                };
                if let Some(left) = low
                    .coef
                    .checked_mul(n)
                    .and_then(|v| high.coef.checked_sub(v))
                {
                    let left = nearest(left, modulus);
                    let cost = factor(low.coef) + joined + rest(left, places(m, b));
                    if cost < now && best.is_none_or(|b| cost - now < b.0) {
                        best = Some((cost - now, i, j, true));
                    }
                }
                if high.coef % n == 0 {
                    let up = high.coef / n;
                    if let Some(left) = low.coef.checked_sub(up) {
                        let left = nearest(left, modulus);
                        let cost = factor(up) + joined + rest(left, places(a, m));
                        if cost < now && best.is_none_or(|b| cost - now < b.0) {
                            best = Some((cost - now, i, j, false));
                        }
                    }
                }
            }
        }
        let Some((_, i, j, keep_high)) = best else {
            return changed;
        };
        let (low, high) = (plans[i], plans[j]);
        let (Some((lin, a, m)), Some((_, _, b))) = (low.digit, high.digit) else {
            return changed;
        };
        let n = m / a;
        let (up, left, rest) = if keep_high {
            (low.coef, high.coef - low.coef * n, high)
        } else {
            (high.coef / n, low.coef - high.coef / n, low)
        };
        let left = nearest(left, modulus);
        let mut joined = Plan {
            coef: up,
            digit: Some((lin, a, b)),
            ..low
        };
        let whole = a == 1 && b == INF;
        if whole {
            let moved = up
                .checked_mul(forms.lin(lin).k)
                .and_then(|v| v.checked_add(*outer));
            let Some(moved) = moved else {
                return changed;
            };
            *outer = moved;
            joined.atom = forms.terms(lin)[0].atom;
            (joined.digit, joined.inner) = match forms.atom(joined.atom).kind {
                AtomKind::Digit { lin, a, b } => (Some((lin, a, b)), forms.lin(lin).k),
                _ => (None, 0),
            };
        }
        changed = true;
        let (first, second) = (i.min(j), i.max(j));
        plans[first] = joined;
        plans[second] = Plan { coef: left, ..rest };
        if left == 0 {
            plans.remove(second);
        }
    }
}

/// Decides how the digits of a sum are written; `outer` is the constant of the sum.
fn choose(forms: &Forms, plans: &mut [Plan], outer: &mut i64) {
    let nonzero = |v: i64| i32::from(v != 0);
    // What is left of the constant goes into a quotient; large digits come first, whatever the order of the terms.
    let mut turns: SmallVec<[usize; 8]> = SmallVec::new();
    for (i, p) in plans.iter().enumerate() {
        if p.digit.is_some() {
            turns.push(i);
        }
    }
    if turns.len() > 1 {
        turns.sort_by_key(|i| {
            let p = &plans[*i];
            let (a, b) = p.digit.map_or((0, 0), |d| (d.1, d.2));
            (b == INF, std::cmp::Reverse(p.coef.unsigned_abs()), a, b)
        });
    }
    for i in turns {
        let p = plans[i];
        let Some((lin, a, b)) = p.digit else { continue };
        if b == INF {
            if p.inner != 0
                && p.inner != a - 1
                && *outer != 0
                && outer.checked_rem(p.coef) == Some(0)
            {
                let moved = outer
                    .checked_div(p.coef)
                    .and_then(|v| v.checked_mul(a))
                    .and_then(|v| v.checked_add(p.inner));
                if let Some(inner) = moved {
                    plans[i].inner = inner;
                    *outer = 0;
                }
            }
            continue;
        }
        let others = plans.iter().enumerate().any(|(j, q)| j != i && q.coef > 0);
        let n = b / a;
        let cost = |flip: bool, inner: i64, coef: i64, outer: i64| {
            let inside = if a > 1 && inner == a - 1 {
                0
            } else {
                nonzero(inner)
            };
            let starts_negative = flip && all_positive(forms, lin) && inside == 0;
            let outside = !others && coef == -1 && outer <= 0;
            nonzero(outer) + inside + i32::from(starts_negative) + i32::from(outside)
        };
        let mut best = (
            cost(false, p.inner, p.coef, *outer),
            false,
            p.inner,
            p.coef,
            *outer,
        );
        let complement = p
            .coef
            .checked_mul(n - 1)
            .and_then(|v| v.checked_add(*outer));
        if let Some(constant) = complement {
            let inner = b - 1 - p.inner;
            let new = cost(true, inner, -p.coef, constant);
            if new < best.0 {
                best = (new, true, inner, -p.coef, constant);
            }
        }
        if n == 2 {
            // (x, a, 2a) = 1 - (x + a, a, 2a), of itself and of the complement.
            let shifted = p.coef.checked_add(*outer);
            if let Some(constant) = shifted {
                let inner = (p.inner + a) % b;
                let new = cost(false, inner, -p.coef, constant);
                if new < best.0 {
                    best = (new, false, inner, -p.coef, constant);
                }
            }
            let inner = (b - 1 - p.inner + a) % b;
            let new = cost(true, inner, p.coef, *outer);
            if new < best.0 {
                best = (new, true, inner, p.coef, *outer);
            }
        }
        let (_, flip, inner, coef, constant) = best;
        plans[i].flip = flip;
        plans[i].inner = inner;
        plans[i].coef = coef;
        *outer = constant;
    }
    for p in plans.iter_mut() {
        let Some((lin, 1, b)) = p.digit else { continue };
        let c = p.coef.unsigned_abs();
        // Where no term of the form becomes a product by it, a factor is free inside.
        if b == INF
            || c <= 1
            || c > 1 << 31
            || b > 1 << 31
            || forms
                .terms(lin)
                .iter()
                .any(|t| t.coef.abs() == 1 || t.coef.abs() > 1 << 31)
        {
            continue;
        }
        let c = c as i64;
        p.factor = c;
        p.inner *= c;
        p.coef = p.coef.signum();
        if p.coef > 0 && *outer > 0 && *outer < c {
            p.inner += *outer;
            *outer = 0;
        }
    }
    // A sum without a positive part starts with a minus, which a quotient can swallow: -(x floordiv a) = (-x + a - 1) floordiv a.
    if *outer <= 0 && plans.iter().all(|p| p.coef < 0) {
        for p in plans.iter_mut() {
            let Some((lin, a, INF)) = p.digit else {
                continue;
            };
            if p.coef != -1 {
                continue;
            }
            let moved = outer
                .checked_mul(a)
                .and_then(|v| v.checked_add(a - 1))
                .and_then(|v| v.checked_sub(p.inner));
            let Some(inner) = moved else { continue };
            if inner > 0 || !all_positive(forms, lin) {
                p.flip = true;
                p.coef = 1;
                p.inner = inner;
                *outer = 0;
                break;
            }
        }
    }
}

fn times(arena: &mut Arena, node: NodeId, coef: i64) -> NodeId {
    if coef == 1 {
        return node;
    }
    let c = arena.constant(coef);
    arena.binary(Op::Mul, node, c)
}

/// The sum of `node * coef` and `k`; equal factors are taken out.
fn build(arena: &mut Arena, items: &[(NodeId, i64)], k: i64) -> NodeId {
    let mut acc: Option<NodeId> = None;
    let mut add = |arena: &mut Arena, node: NodeId| {
        acc = Some(match acc {
            None => node,
            Some(x) => arena.binary(Op::Add, x, node),
        });
    };
    // Which terms have the same factor, by its size; a long sum is not compared with itself term by term.
    let mut by_factor: SmallVec<[(u64, usize); 8]> = SmallVec::new();
    for (i, t) in items.iter().enumerate() {
        if t.1.unsigned_abs() > 1 {
            by_factor.push((t.1.unsigned_abs(), i));
        }
    }
    if by_factor.len() <= 1 {
        // No factor stands twice.
        for &(node, coef) in items {
            let node = times(arena, node, coef);
            add(arena, node);
        }
        return finish(arena, acc, k);
    }
    by_factor.sort_unstable();
    for (i, &(node, coef)) in items.iter().enumerate() {
        let size = coef.unsigned_abs();
        let from = by_factor.partition_point(|t| t.0 < size);
        let group = by_factor[from..].iter().take_while(|t| t.0 == size);
        let mut others = group.clone().map(|t| t.1);
        if others.next() != Some(i) {
            // Without a factor, or written already.
            if size <= 1 {
                let node = times(arena, node, coef);
                add(arena, node);
            }
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
    finish(arena, acc, k)
}

/// The sum of what was put together and a constant.
fn finish(arena: &mut Arena, acc: Option<NodeId>, k: i64) -> NodeId {
    match acc {
        None => arena.constant(k),
        Some(x) if k == 0 => x,
        Some(x) => {
            let k = arena.constant(k);
            arena.binary(Op::Add, x, k)
        }
    }
}
