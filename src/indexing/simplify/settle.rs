//! The constraints of a map, read and written until nothing changes. All constraints are read again
//! after a change, in forms that know nothing of what stood there before: the results are read with
//! these next, and what is known of a digit depends on where it was met first. (The first map of
//! `tests/stable.rs` has the digit `(d0 floordiv 2) mod 2` in its result, and `d0 mod 4 in [0, 1]`
//! is what is left of its constraint, which is read differently.)

use super::bounds::ends;
use super::driver::Simplifier;
use super::known::{KnownList, Outcome};
use super::length::shortest;
use super::linear::LinId;
use super::rules::constraint::Constraints;
use super::rules::constraint::range::RangeOf;
use super::rules::constraint::window::Window;
use crate::arena::{Arena, ConstraintList, Node, NodeId};
use crate::expr::Op;
use crate::interval::Interval;
use smallvec::SmallVec;

/// Rounds over the constraints before propagation between them is given up.
const MAX_ROUNDS: usize = 24;

impl Simplifier {
    /// For the results, what the constraints say about sums and remainders is known too. (A
    /// constraint must not know itself.)
    pub(super) fn assume(&mut self, arena: &Arena, constraints: &[(NodeId, Interval)]) {
        if constraints.is_empty() {
            return;
        }
        self.grow(arena.len());
        let lins: SmallVec<[Option<LinId>; 8]> =
            constraints.iter().map(|k| self.read(arena, k.0)).collect();
        for (lin, (_, interval)) in lins.into_iter().zip(constraints) {
            if let Some(lin) = lin {
                self.forms.assume(lin, *interval);
            }
        }
        self.forms.sharpen();
        // What was read without this knowledge is read again.
        self.next_stamp();
    }

    /// Simplifies constraints until nothing changes; nothing that was found is taken back. The
    /// normal forms that are left are those of the final ranges.
    pub(super) fn settle(&mut self, arena: &mut Arena, list: &mut ConstraintList) -> Outcome {
        let mut rounds: Vec<ConstraintList> = Vec::new();
        self.take_congruences(arena, list)?;
        for round in 0..=MAX_ROUNDS {
            // What was met on the way here is forgotten each time: what is known of it depends on
            // that way, and who simplifies the result comes by another one.
            self.restart(arena.len());
            let before = KnownList::from_slice(&self.constraints.known);
            self.constraints.clear();
            let mut apart = ConstraintList::new();
            for &(node, interval) in list.iter() {
                let Some(lin) = self.read(arena, node) else {
                    apart.push((node, interval));
                    continue;
                };
                let (lower, upper) = ends(interval);
                self.constraints
                    .add(&mut self.forms, RangeOf { lin, lower, upper })?;
            }
            self.constraints.combine(&mut self.forms)?;
            self.constraints.propagate(&mut self.forms)?;
            let mut new = self.write_constraints(arena);
            new.extend(apart);
            let same = before[..] == self.constraints.known[..];
            if !same {
                rounds.clear();
            }
            let settled = same && new == *list;
            let circle = rounds.iter().position(|r| *r == new);
            let last = circle.is_some() || round == MAX_ROUNDS || new.is_empty();
            // Most lists settle in two rounds.
            if round > 1 && !settled {
                rounds.push(new.clone());
            }
            *list = new;
            if let Some(first) = circle {
                let nodes = |list: &ConstraintList| list.iter().map(|k| k.0).collect();
                *list = shortest(arena, &rounds[first..], nodes);
            }
            // What was found so far holds, if there is no time for more.
            if settled || last || self.forms.exhausted {
                if !settled {
                    self.restart(arena.len());
                }
                break;
            }
        }
        self.write_congruences(arena, list);
        Ok(())
    }

    /// Takes congruences of single variables out of the constraints, so that they are known from
    /// the start: expressions that are read before the constraints depend on them, and these
    /// constraints are written from them in the end.
    fn take_congruences(&mut self, arena: &Arena, list: &mut ConstraintList) -> Outcome {
        let mut kept = ConstraintList::new();
        for k in list.drain(..) {
            let taken = match congruence(arena, &k).map(|(x, m, r)| (arena.node(x), m, r)) {
                Some((Node::Variable(class, v), m, r)) if m > 1 && (0..m).contains(&r) => {
                    let i = self.atom_of(class, v);
                    self.constraints.congruent(&mut self.forms, i, m, r)?
                }
                _ => false,
            };
            if !taken {
                kept.push(k);
            }
        }
        *list = kept;
        Ok(())
    }

    /// The constraints of a round as expressions, in canonical order.
    pub(super) fn write_constraints(&mut self, arena: &mut Arena) -> ConstraintList {
        let Constraints {
            ranges, windows, ..
        } = &mut self.constraints;
        let forms = &self.forms;
        ranges.sort_by(|x, y| forms.order_forms(x.lin, y.lin));
        let values = |w: &Window| (w.m, w.lower, w.extra);
        windows.sort_by(|x, y| {
            (forms.order_forms(x.lin, y.lin)).then_with(|| values(x).cmp(&values(y)))
        });
        let mut out = ConstraintList::with_capacity(ranges.len() + windows.len());
        for r in ranges.iter() {
            let end = |v: i128| v.clamp(i64::MIN as i128, i64::MAX as i128) as i64;
            let interval = Interval::new(end(r.lower), end(r.upper));
            out.push(self.emitter.constraint(arena, forms, r.lin, interval));
        }
        for w in windows.iter() {
            let (scale, w) = if w.is_written_negated(forms) {
                (-1, w.negated())
            } else {
                (1, *w)
            };
            let (shift, values) = w.unwrapped();
            let sum = self.emitter.sum(arena, forms, (w.lin, scale, shift, w.m));
            let m = arena.constant(w.m);
            let node = arena.binary(Op::Mod, sum, m);
            out.push((node, values));
        }
        out
    }

    /// The congruences of variables as constraints. Of those of one variable whose common period
    /// does not fit into 64 bits only one is known as such, which depends on what was read first:
    /// they are written with the least modulus first.
    pub(super) fn write_congruences(&mut self, arena: &mut Arena, list: &mut ConstraintList) {
        if self.constraints.known.iter().all(|k| k.stride <= 1) {
            return;
        }
        for (i, k) in self.constraints.known.iter().enumerate() {
            if k.stride > 1 {
                let x = self.emitter.variable(arena, i);
                let m = arena.constant(k.stride);
                list.push((arena.binary(Op::Mod, x, m), Interval::point(k.offset)));
            }
        }
        let place = |(at, k)| congruence(arena, k).map(|(x, m, _)| (x, m, at));
        let mut places: Vec<_> = list.iter().enumerate().filter_map(place).collect();
        places.sort_unstable();
        for group in places.chunk_by(|p, q| p.0 == q.0).filter(|g| g.len() > 1) {
            let by_modulus: Vec<_> = group.iter().map(|p| list[p.2]).collect();
            let mut at: Vec<usize> = group.iter().map(|p| p.2).collect();
            at.sort_unstable();
            for (at, k) in at.into_iter().zip(by_modulus) {
                list[at] = k;
            }
        }
    }
}

/// `x mod m in [r, r]`.
fn congruence(arena: &Arena, k: &(NodeId, Interval)) -> Option<(NodeId, i64, i64)> {
    match arena.node(k.0) {
        Node::Binary(Op::Mod, x, m) => Some((x, arena.as_constant(m)?, k.1.as_point()?)),
        _ => None,
    }
}
