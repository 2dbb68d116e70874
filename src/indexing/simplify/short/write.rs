//! Writing: sums as their normal forms are written.

use super::super::arena::{Arena, Class, NodeId};
use super::super::emit::build;
use super::super::linear::INF;
use super::Short;
use super::digits::{Digit, paired};
use super::one::One;
use super::sum::{Bits, Linear, Quotient, Remainder, Sum, VARIABLES};
use crate::expr::Op;
use smallvec::SmallVec;

/// Parts of a sum as they are written: the first variable in each, the node, and how many times.
type Parts = SmallVec<[(usize, NodeId, i64); 8]>;

impl Short {
    /// The variable as it is written.
    pub(super) fn variable(&self, arena: &mut Arena, v: usize) -> NodeId {
        let (class, first) = self.class_of(v);
        arena.variable(class, (v - first) as u32)
    }

    fn class_of(&self, v: usize) -> (Class, usize) {
        if v < self.dims {
            (Class::Dim, 0)
        } else if v < self.dims + self.ranges {
            (Class::Range, self.dims)
        } else {
            (Class::Runtime, self.dims + self.ranges)
        }
    }

    /// `u * variable + k`
    pub(super) fn write_one(&self, arena: &mut Arena, one: One) -> NodeId {
        let mut written = None;
        let x = self.variable(arena, one.variable);
        plus(arena, &mut written, (x, one.u));
        with_constant(arena, written, one.k)
    }

    /// `coef * (one floordiv m) + outer`. `None` if it is not read again as it is.
    pub(super) fn write_quotient_of_one(
        &self,
        arena: &mut Arena,
        mut one: One,
        m: i64,
        (coef, mut outer): (i64, i64),
    ) -> Option<NodeId> {
        if coef < 0 {
            let sum = one.linear();
            let open = false;
            return self.write_negative(arena, Quotient { sum, m, coef, open }, outer);
        }
        if outer != 0 && takes_constant(one.k, m) {
            move_constant(&mut one.k, (coef, m), &mut outer);
        }
        let mut op = Op::FloorDiv;
        if one.k == m - 1 {
            if one.u.abs() != 1 {
                return None;
            }
            (one.k, op) = (0, Op::CeilDiv);
        }
        let x = self.write_one(arena, one);
        let divisor = arena.constant(m);
        let mut written = None;
        let quotient = arena.binary(op, x, divisor);
        plus(arena, &mut written, (quotient, coef));
        Some(with_constant(arena, written, outer))
    }

    /// A quotient and a constant. `None` if it is not read again as it is.
    fn write_alone(&self, arena: &mut Arena, mut q: Quotient, mut outer: i64) -> Option<NodeId> {
        if let Some(one) = q.sum.one() {
            return self.write_quotient_of_one(arena, one, q.m, (q.coef, outer));
        }
        if q.coef < 0 {
            return self.write_negative(arena, q, outer);
        }
        place_constant(std::slice::from_mut(&mut q), &mut outer);
        let mut written = None;
        let quotient = q.is_read_again().then(|| self.write_quotient(arena, &q))?;
        plus(arena, &mut written, (quotient, q.coef));
        Some(with_constant(arena, written, outer))
    }

    /// A sum of variables and a constant.
    pub(super) fn write_linear(&self, arena: &mut Arena, sum: &Linear) -> NodeId {
        let mut written = None;
        let mut rest = Bits(sum.used());
        while let Some(v) = rest.next() {
            let coef = sum.coef(v);
            if coef.abs() > 1 && { rest }.any(|w| sum.coef(w).abs() == coef.abs()) {
                return self.write_factors(arena, sum);
            }
            let x = self.variable(arena, v);
            plus(arena, &mut written, (x, coef));
        }
        with_constant(arena, written, sum.k)
    }

    /// As [`Short::write_linear`], of which a factor stands twice.
    fn write_factors(&self, arena: &mut Arena, sum: &Linear) -> NodeId {
        let mut items: SmallVec<[(NodeId, i64); VARIABLES]> = SmallVec::new();
        for (v, coef) in sum.terms() {
            items.push((self.variable(arena, v), coef));
        }
        build(arena, &items, sum.k)
    }

    /// The sum as its normal form is written: none of the digits has a constant inside, so none changes places with another one,
    /// unless a sum would start with a minus. `None` if it is not read again as it is.
    pub(super) fn write(&mut self, arena: &mut Arena, sum: &mut Sum) -> Option<NodeId> {
        if sum.is_linear() {
            return Some(self.write_linear(arena, &sum.linear));
        }
        for q in sum.quotients.iter().filter(|q| q.open) {
            self.open.push(q.coef)?;
        }
        if let ([q], [], 0, None) = (
            &sum.quotients[..],
            &sum.digits[..],
            sum.linear.used(),
            sum.remainder,
        ) {
            return self.write_alone(arena, *q, sum.linear.k);
        }
        for i in 1..sum.digits.len() {
            if sum.digits[i].variable == sum.digits[i - 1].variable {
                [sum.digits[i - 1], sum.digits[i]] = paired(sum.digits[i - 1], sum.digits[i]);
            }
        }
        if let Some(r) = &sum.remainder {
            // Where a constant stands beside it or in it, what it is the complement of may be written.
            let alone = sum.linear == Linear::default() && sum.digits.is_empty() && r.coef == 1;
            let plain = r.coef > 0 && sum.linear.k == 0;
            let complement = r.sum.k == r.m - 1 && !r.sum.positive(&self.values, r.m)?;
            if !alone && (!plain || complement) {
                return None;
            }
        }
        let negative = sum.remainder.is_none()
            && sum.linear.terms().all(|t| t.1 < 0)
            && sum.digits.iter().all(|d| d.coef < 0)
            && sum.quotients.iter().all(|q| q.coef < 0);
        if negative {
            match sum.quotients[..] {
                // A quotient could swallow the minus where no constant is added.
                [] if sum.linear.k > 0 || sum.digits.iter().all(|d| d.b != INF || d.coef != -1) => {
                }
                _ => return None,
            }
        }
        if sum.quotients.len() > 1 && sum.quotients.iter().any(|q| q.coef < 0) {
            let either =
                |q: &Quotient| q.sum.has_several() && q.sum.takes_either_sign(&self.values, INF);
            if sum.quotients.iter().any(either) {
                // With the other sign another one could swallow the minus.
                return None;
            }
        }
        let mut outer = sum.linear.k;
        place_constant(&mut sum.quotients, &mut outer);
        if sum.linear.used() == 0 {
            // One alone, most of the time.
            if let ([d], [], None) = (&sum.digits[..], &sum.quotients[..], sum.remainder) {
                let mut written = None;
                let digit = self.write_digit(arena, d);
                plus(arena, &mut written, (digit, d.coef));
                return Some(with_constant(arena, written, outer));
            }
        }
        let mut parts = Parts::new();
        for (v, coef) in sum.linear.terms() {
            parts.push((v, self.variable(arena, v), coef));
        }
        for d in sum.digits.iter() {
            parts.push((d.variable, self.write_digit(arena, d), d.coef));
        }
        for q in sum.quotients.iter() {
            let (first, _) = q.sum.first()?;
            let quotient = q.is_read_again().then(|| self.write_quotient(arena, q))?;
            parts.push((first, quotient, q.coef));
        }
        if let Some(r) = &sum.remainder {
            let (first, _) = r.sum.first()?;
            parts.push((first, self.write_remainder(arena, r), r.coef));
        }
        // In the order of their first variables.
        if !parts.is_sorted_by_key(|p| p.0) {
            parts.sort_by_key(|p| p.0);
        }
        if parts.iter().filter(|p| p.2.abs() > 1).count() <= 1 {
            let mut written = None;
            for (_, node, coef) in parts {
                plus(arena, &mut written, (node, coef));
            }
            return Some(with_constant(arena, written, outer));
        }
        let items: SmallVec<[(NodeId, i64); 8]> = parts.iter().map(|p| (p.1, p.2)).collect();
        Some(build(arena, &items, outer))
    }

    pub(super) fn write_digit(&self, arena: &mut Arena, d: &Digit) -> NodeId {
        let mut node = self.variable(arena, d.variable);
        if d.a > 1 {
            let divisor = arena.constant(d.a);
            node = arena.binary(Op::FloorDiv, node, divisor);
        }
        if d.b != INF {
            let modulus = arena.constant(d.b / d.a);
            node = arena.binary(Op::Mod, node, modulus);
        }
        node
    }

    /// The only quotient of a sum, which is subtracted, and a constant: `-((x + k) floordiv m) + outer -> (-x + k') floordiv m`. `None` if
    /// it keeps its sign.
    fn write_negative(&self, arena: &mut Arena, q: Quotient, mut outer: i64) -> Option<NodeId> {
        let mut one = [q];
        place_constant(&mut one, &mut outer);
        let [q] = one;
        if outer > 0 || q.coef != -1 {
            let mut written = None;
            let quotient = q.is_read_again().then(|| self.write_quotient(arena, &q))?;
            plus(arena, &mut written, (quotient, q.coef));
            return Some(with_constant(arena, written, outer));
        }
        let inner = outer.checked_mul(q.m)? + q.m - 1 - q.sum.k;
        let all_positive = q.sum.terms().all(|t| t.1 == 1);
        if (inner <= 0 && all_positive) || inner == q.m - 1 {
            return None;
        }
        if !q.sum.has_unit() && q.sum.has_several() {
            return None;
        }
        let mut sum = q.sum;
        sum.change(|_, c| -c);
        sum.k = inner;
        let sum = self.write_linear(arena, &sum);
        let divisor = arena.constant(q.m);
        Some(arena.binary(Op::FloorDiv, sum, divisor))
    }

    /// A quotient as it is written.
    pub(super) fn write_quotient(&self, arena: &mut Arena, q: &Quotient) -> NodeId {
        // Without a constant or rounded up a quotient stands as it is, else it took the constant beside it.
        let mut sum = q.sum;
        let op = if sum.k == q.m - 1 {
            sum.k = 0;
            Op::CeilDiv
        } else {
            Op::FloorDiv
        };
        let sum = self.write_linear(arena, &sum);
        let divisor = arena.constant(q.m);
        arena.binary(op, sum, divisor)
    }

    /// A remainder as it is written: only its constant moves.
    fn write_remainder(&self, arena: &mut Arena, r: &Remainder) -> NodeId {
        let mut sum = r.sum;
        // Near zero reads best, but a form without positive terms needs a positive constant.
        let positive = sum.terms().any(|t| t.1 != -1);
        if sum.k > r.m / 2 && positive {
            sum.k -= r.m;
        }
        let sum = self.write_linear(arena, &sum);
        let modulus = arena.constant(r.m);
        arena.binary(Op::Mod, sum, modulus)
    }
}

/// `written += coef * node`, where no factor stands twice.
#[inline(always)]
fn plus(arena: &mut Arena, written: &mut Option<NodeId>, (node, coef): (NodeId, i64)) {
    let product = match coef {
        1 => node,
        _ => {
            let coef = arena.constant(coef);
            arena.binary(Op::Mul, node, coef)
        }
    };
    *written = Some(match *written {
        None => product,
        Some(others) => arena.binary(Op::Add, others, product),
    });
}

/// What was written, and a constant.
#[inline(always)]
pub(super) fn with_constant(arena: &mut Arena, written: Option<NodeId>, k: i64) -> NodeId {
    match written {
        None => arena.constant(k),
        Some(terms) if k == 0 => terms,
        Some(terms) => {
            let k = arena.constant(k);
            arena.binary(Op::Add, terms, k)
        }
    }
}

/// Decides where the constant of a sum goes that has quotients: into the first of them that takes all of it, large factors first.
fn place_constant(quotients: &mut [Quotient], outer: &mut i64) {
    if *outer == 0 || quotients.is_empty() {
        return;
    }
    let takes = |q: &Quotient| takes_constant(q.sum.k, q.m);
    let take =
        |q: &mut Quotient, outer: &mut i64| move_constant(&mut q.sum.k, (q.coef, q.m), outer);
    if let [q] = quotients {
        if takes(q) {
            take(q, outer);
        }
        return;
    }
    let all = 0..quotients.len();
    let mut turns: SmallVec<[usize; 4]> = all.filter(|i| takes(&quotients[*i])).collect();
    let key = |q: &Quotient| (std::cmp::Reverse(q.coef.abs()), q.m, q.sum.first());
    turns.sort_by_key(|i| key(&quotients[*i]));
    for i in turns {
        if take(&mut quotients[i], outer) {
            return;
        }
    }
}

/// Without a constant or rounded up a quotient stands as it is.
#[inline(always)]
pub(super) fn takes_constant(k: i64, m: i64) -> bool {
    k != 0 && k != m - 1
}

/// `coef * ((x + k) floordiv m) + coef * j -> coef * ((x + k + m * j) floordiv m)`
fn move_constant(k: &mut i64, (coef, m): (i64, i64), outer: &mut i64) -> bool {
    if coef != 1 && *outer % coef != 0 {
        return false;
    }
    let moved = (*outer / coef).checked_mul(m);
    let Some(sum) = moved.and_then(|moved| moved.checked_add(*k)) else {
        return false;
    };
    (*k, *outer) = (sum, 0);
    true
}
