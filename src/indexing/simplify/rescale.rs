//! Range variables of a fixed stride count their values instead.

use super::driver::Simplifier;
use super::known::Known;
use crate::arena::{Arena, ArenaMap, Node, NodeId};
use crate::expr::Op;
use crate::interval::Interval;
use rustc_hash::FxHashMap;

impl Simplifier {
    /// `s mod m in [r, r]` for range variables: `s = m * s' + r`. True if there was one; everything
    /// has to be done again.
    pub(super) fn rescale(&mut self, arena: &mut Arena, out: &mut ArenaMap) -> bool {
        let strided = |k: &Known| k.stride > 1;
        let of_ranges = out.dims..out.dims + out.ranges;
        if !self.constraints.known[of_ranges].iter().any(strided) {
            return false;
        }
        let mut new: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        for i in out.dims..out.dims + out.ranges {
            let known = self.constraints.known[i];
            if known.stride <= 1 {
                continue;
            }
            let (m, r) = (known.stride, known.offset);
            // The constraint itself is the one that goes.
            let x = self.emitter.variable(arena, i);
            let modulus = arena.constant(m);
            let own = arena.binary(Op::Mod, x, modulus);
            out.constraints.retain(|k| *k != (own, Interval::point(r)));
            self.forms.fired("range-variable-rescaled");
            let scaled = arena.binary(Op::Mul, x, modulus);
            let offset = arena.constant(r);
            new.insert(x, arena.given(Op::Add, scaled, offset));
            let value = |v: i64| ((v as i128 - r as i128).div_euclid(m as i128)) as i64;
            let interval = Interval::new(value(known.interval.lower), value(known.interval.upper));
            self.constraints.known[i] = Known::new(interval);
            // old = s * (m * new + r) + q where it was rescaled before. A product that does not fit
            // cannot occur, values do.
            match out.rescaled.iter_mut().find(|x| x.0 == i) {
                Some((_, s, q)) => {
                    *q = s.saturating_mul(r).saturating_add(*q);
                    *s = s.saturating_mul(m);
                }
                None => out.rescaled.push((i, m, r)),
            }
        }
        let nodes = out.constraints.iter().map(|k| k.0);
        let mut roots: Vec<NodeId> = out.results.iter().copied().chain(nodes).collect();
        substitute(arena, &mut roots, new);
        let results = out.results.len();
        out.results.copy_from_slice(&roots[..results]);
        for (k, node) in out.constraints.iter_mut().zip(&roots[results..]) {
            k.0 = *node;
        }
        true
    }
}

/// Replaces variables below the roots; `done` has what stands for each.
fn substitute(arena: &mut Arena, roots: &mut [NodeId], mut done: FxHashMap<NodeId, NodeId>) {
    let mut stack: Vec<NodeId> = Vec::new();
    for root in roots.iter_mut() {
        stack.push(*root);
        while let Some(&id) = stack.last() {
            if done.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = match arena.node(id) {
                Node::Binary(op, a, b) => match (done.get(&a), done.get(&b)) {
                    (Some(&x), Some(&y)) => arena.given(op, x, y),
                    _ => {
                        stack.push(b);
                        stack.push(a);
                        continue;
                    }
                },
                _ => id,
            };
            done.insert(id, node);
            stack.pop();
        }
        if let Some(&node) = done.get(root) {
            *root = node;
        }
    }
}
