//! Loops: the adjoint is a loop over the iterations in the opposite order.
//!
//! The number of iterations, or a bound of it, has to follow from constants. What the adjoint of an
//! iteration reads of it is kept in a tensor with a row for each iteration, unless it is found
//! again otherwise: carried values that no iteration changes, numbers that grow by the same step in
//! each, and what follows from them with little work.

use super::{
    residuals::{Finder, is_of},
    reverse::{Reverse, yields},
    trips::Trips,
};
use crate::{
    rewrite::{Result, fail},
    tarray::make::Make,
};
use mapwright_mlir::{Blk, Builder, Op, Val, edit, op};
use std::cell::RefCell;

impl<'c> Reverse<'c> {
    /// Adds to the cotangents of what a loop carries, and of what it reads from outside.
    pub(super) fn repeated(&self, op: Op<'c>, given: &[Option<Val<'c>>]) -> Result<'c> {
        let m = &self.m;
        let Some(body) = op.body(1) else {
            return fail(op, "has no body");
        };
        let Some(trips) = Trips::from_while(op, m) else {
            return fail(
                op,
                "has no rule of differentiation: the number of its iterations does not follow from what is known before, nor does a bound of it",
            );
        };
        let with: Vec<usize> = (0..given.len()).filter(|i| given[*i].is_some()).collect();
        if trips.most == 0 {
            for i in with {
                if let (Some(given), true) = (given[i], self.is_active(op.operand(i))) {
                    self.give(op.operand(i), given);
                }
            }
            return Ok(());
        }
        // The loop counts its iterations where their number is not known.
        let (op, count) = if trips.exact {
            (op, m.scalar(trips.most))
        } else {
            let Some(before) = Builder::before(op.context(), op).map(|b| m.elsewhere(b)) else {
                return fail(op, "is not inside a block");
            };
            let n = op.num_operands();
            let made = self.carrying_more(op, &before, Vec::new(), |_, _, _| Vec::new());
            self.bury(op);
            (made, made.result(n))
        };
        let (carried, inside) = self.reached_in_loop(op, &with);
        let captured = self.captured(op, &inside);
        self.note_apart(op, &trips, (given, &captured));
        let arguments = op::arguments(body);
        let next = yields(body);
        // Cotangents that the loop carries: those of its own values, then those of what it reads
        // from outside.
        let of: Vec<Val<'c>> = (carried.iter().map(|i| arguments[*i]))
            .chain(captured.iter().copied())
            .collect();
        let mut state = vec![m.int(0)];
        state.extend(
            carried
                .iter()
                .map(|i| given[*i].unwrap_or_else(|| self.zeros_like(op.result(*i)))),
        );
        for value in &captured {
            state.push(
                self.cotangent(*value)
                    .unwrap_or_else(|| self.zeros_like(*value)),
            );
        }
        let (types, sizes) = m.types_of(&state);
        let sized = |state: &[Val<'c>]| {
            for (value, sizes) in state.iter().zip(&sizes) {
                m.sized(*value, sizes);
            }
        };
        let condition = m.b.region(&types, |b, state| {
            let goes_on = m.compare("LT", state[0], count);
            b.op("stablehlo.return", &[goes_on], &[], &[]);
        });
        let mut outcome = Ok(());
        let region = m.b.region(&types, |b, state| {
            sized(state);
            let time = m.sub(m.sub(count, m.int(1)), state[0]);
            let Some((first, _)) = op::defining_op(m.int(0)) else {
                return;
            };
            let mut seeds: Vec<(Val<'c>, Val<'c>)> = Vec::new();
            for (i, seed) in carried.iter().zip(&state[1..]) {
                if self.is_active(next[*i]) {
                    seeds.push((next[*i], *seed));
                }
            }
            let outer = state[1 + carried.len()..].iter().copied();
            seeds.extend(captured.iter().copied().zip(outer));
            let found = self.block(&op::ops(body), seeds, &of);
            b.set_location(op.location());
            let found = match found {
                Ok(found) => found,
                Err(error) => {
                    outcome = Err(error);
                    vec![None; of.len()]
                }
            };
            let mut all = vec![m.add(state[0], m.int(1))];
            for (of, found) in of.iter().zip(found) {
                all.push(found.unwrap_or_else(|| self.zeros_like(*of)));
            }
            b.op("stablehlo.return", &all, &[], &[]);
            if outcome.is_ok() {
                self.keep_for(op, (body, b.block(), first), &trips, time);
            }
            edit::erase_unused(first);
        });
        outcome?;
        m.b.set_location(op.location());
        let made = m.b.op_with_regions(
            "stablehlo.while",
            &state,
            &types,
            &[],
            vec![condition, region],
        );
        let totals = made.results();
        sized(&totals);
        // These began with what was known of them before.
        for (value, total) in captured.iter().zip(&totals[1 + carried.len()..]) {
            self.set(*value, *total);
        }
        for (i, total) in carried.iter().zip(&totals[1..]) {
            if self.is_active(op.operand(*i)) {
                self.give(op.operand(*i), *total);
            }
        }
        Ok(())
    }

    /// The values from outside of `op` that may get cotangents from inside.
    pub(super) fn captured(
        &self,
        op: Op<'c>,
        reached: &std::collections::HashSet<usize>,
    ) -> Vec<Val<'c>> {
        let inside = op.descendants();
        let mut blocks = Vec::new();
        for holder in inside.iter().chain([&op]) {
            for r in 0..holder.num_regions() {
                blocks.extend(op::blocks(holder.region(r)));
            }
        }
        let mut found: Vec<Val<'c>> = Vec::new();
        for value in inside.iter().flat_map(|op| op.operands()) {
            let known = found.iter().any(|other| op::key(*other) == op::key(value));
            if !known
                && reached.contains(&op::key(value))
                && self.is_active(value)
                && !blocks.iter().any(|block| is_of(value, *block))
            {
                found.push(value);
            }
        }
        found
    }

    /// Keeps the values of the body of the loop `op` that the adjoint `back` reads, and has it read
    /// them for iteration `time`.
    fn keep_for(
        &self,
        op: Op<'c>,
        (body, back, anchor): (Blk<'c>, Blk<'c>, Op<'c>),
        trips: &Trips,
        time: Val<'c>,
    ) {
        let at =
            |anchor: Op<'c>| Builder::before(op.context(), anchor).map(|b| self.m.elsewhere(b));
        let next = yields(body);
        let arguments = op::arguments(body);
        let saved: RefCell<Vec<(Val<'c>, Val<'c>)>> = RefCell::default();
        let there = |value: Val<'c>| -> Option<Val<'c>> {
            let i = arguments
                .iter()
                .position(|argument| op::key(*argument) == op::key(value))?;
            if op::key(next[i]) == op::key(value) {
                return Some(op.operand(i));
            }
            let (first, step) = trips.steady.get(i).copied().flatten()?;
            let (element, shape) = self.m.type_of(value);
            if !shape.is_empty() {
                return None;
            }
            let m = at(anchor)?;
            let grown = m.same("multiply", &[time, m.int(step)]);
            Some(m.convert(m.add(grown, m.int(first)), &element))
        };
        let keep = |value: Val<'c>| -> Val<'c> {
            let Some(m) = at(anchor) else {
                return value;
            };
            // The tensor is known when the loop has been made anew; until then its place is taken
            // by a constant.
            let (element, shape) = self.stand_in_type(op, value);
            let mut all = vec![trips.most];
            all.extend(&shape);
            let stand_in = m.zeros(&element, &all);
            saved.borrow_mut().push((value, stand_in));
            m.any_row(stand_in, time)
        };
        let fits = |value: Val<'c>| self.residual_type(op, value).is_some();
        Finder::new((body, anchor), self.residuals, (&there, &keep, &fits)).resolve(back);
        let saved = saved.into_inner();
        if saved.is_empty() {
            return;
        }
        let Some(m) = at(op) else { return };
        let extras: Vec<Val<'c>> = (saved.iter())
            .map(|(_, stand_in)| self.in_place_of(&m, *stand_in))
            .collect();
        let made = self.carrying_more(op, &m, extras, |m, number, kept| {
            let rows = saved.iter().zip(kept);
            rows.map(|((value, _), all)| m.with_row(*all, number, *value))
                .collect()
        });
        for ((_, stand_in), all) in saved.iter().zip(&made.results()[op.num_operands() + 1..]) {
            op::replace_all_uses(*stand_in, *all);
            if let Some((constant, _)) = op::defining_op(*stand_in) {
                edit::erase_unused(constant);
            }
        }
        self.bury(op);
    }

    /// Zeros of the type of a value, made by `m`.
    fn in_place_of(&self, m: &Make<'c>, value: Val<'c>) -> Val<'c> {
        let (element, shape) = m.type_of(value);
        m.zeros(&element, &shape)
    }

    /// The loop `op` made anew before itself, with a number that counts the iterations and more
    /// values to carry, whose next ones `following` makes of the number and of them at the end of
    /// the body.
    fn carrying_more(
        &self,
        op: Op<'c>,
        m: &Make<'c>,
        more: Vec<Val<'c>>,
        following: impl FnOnce(&Make<'c>, Val<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
    ) -> Op<'c> {
        let mut inits = op.operands();
        inits.push(m.int(0));
        inits.extend(more);
        let (types, sizes) = m.types_of(&inits);
        let n = op.num_operands();
        for block in [op.body(0), op.body(1)].into_iter().flatten() {
            for ty in &types[n..] {
                edit::insert_argument(block, usize::MAX, *ty, op.location());
            }
        }
        if let Some(body) = op.body(1)
            && let Some(end) = op::ops(body).last().copied()
        {
            let mut next = end.operands();
            let location = end.location();
            edit::erase_unused(end);
            let inner = m.elsewhere(Builder::new(op.context(), body, location));
            let arguments = op::arguments(body);
            for (value, sizes) in arguments.iter().zip(&sizes) {
                m.sized(*value, sizes);
            }
            let number = arguments[n];
            next.push(inner.add(number, inner.int(1)));
            next.extend(following(&inner, number, &arguments[n + 1..]));
            inner.b.op("stablehlo.return", &next, &[], &[]);
        }
        let regions = edit::take_regions(op);
        let made =
            m.b.op_with_regions(op.name(), &inits, &types, &op.attributes(), regions);
        for (value, sizes) in made.results().into_iter().zip(&sizes) {
            m.sized(value, sizes);
        }
        for (old, new) in op.results().into_iter().zip(made.results()) {
            op::replace_all_uses(old, new);
        }
        made
    }
}
