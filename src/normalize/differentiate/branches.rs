//! Branches: the adjoint of the one that was taken.

use super::{
    residuals::Finder,
    reverse::{Reverse, yields},
};
use crate::{
    rewrite::{Result, fail},
    tarray::make::Make,
};
use mapwright_mlir::{Builder, Op, Ty, Val, edit, melior::ir::ValueLike, op};
use std::cell::RefCell;

impl<'c> Reverse<'c> {
    /// Adds to the cotangents of what branches read from outside.
    pub(super) fn chosen(&self, op: Op<'c>, given: &[Option<Val<'c>>]) -> Result<'c> {
        let m = &self.m;
        let with: Vec<usize> = (0..given.len()).filter(|r| given[*r].is_some()).collect();
        let blocks: Vec<_> = (0..op.num_regions()).filter_map(|r| op.body(r)).collect();
        if blocks.len() != op.num_regions() {
            return fail(op, "has a branch without a body");
        }
        let mut reached = std::collections::HashSet::new();
        for block in &blocks {
            let next = yields(*block);
            let seeds: Vec<Val<'c>> = with.iter().map(|r| next[*r]).collect();
            reached.extend(self.reached(&op::ops(*block), &seeds));
        }
        let captured = self.captured(op, &reached);
        if captured.is_empty() {
            return Ok(());
        }
        // What branches keep: of which one, the value, and what stands for it until the operation
        // has been made anew.
        let saved: RefCell<Vec<(usize, Val<'c>, Val<'c>)>> = RefCell::default();
        let Some(before) = Builder::before(op.context(), op).map(|b| m.elsewhere(b)) else {
            return fail(op, "is not inside a block");
        };
        let mut regions = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            let mut outcome = Ok(());
            let region = m.b.region(&[], |b, _| {
                let Some((first, _)) = op::defining_op(m.int(0)) else {
                    return;
                };
                let next = yields(*block);
                let mut seeds: Vec<(Val<'c>, Val<'c>)> = Vec::new();
                for r in &with {
                    if let Some(given) = given[*r].filter(|_| self.is_active(next[*r])) {
                        seeds.push((next[*r], given));
                    }
                }
                let found = match self.block(&op::ops(*block), seeds, &captured) {
                    Ok(found) => found,
                    Err(error) => {
                        outcome = Err(error);
                        vec![None; captured.len()]
                    }
                };
                b.set_location(op.location());
                let all: Vec<Val<'c>> = captured
                    .iter()
                    .zip(found)
                    .map(|(of, found)| found.unwrap_or_else(|| self.zeros_like(*of)))
                    .collect();
                b.op("stablehlo.return", &all, &[], &[]);
                if outcome.is_ok() {
                    let keep = |value: Val<'c>| -> Val<'c> {
                        let (element, shape) = self.stand_in_type(op, value);
                        let stand_in = before.zeros(&element, &shape);
                        saved.borrow_mut().push((number, value, stand_in));
                        stand_in
                    };
                    let there = |_: Val<'c>| None;
                    let fits = |value: Val<'c>| self.residual_type(op, value).is_some();
                    Finder::new((*block, first), self.residuals, (&there, &keep, &fits))
                        .resolve(b.block());
                }
                edit::erase_unused(first);
            });
            outcome?;
            regions.push(region);
        }
        let index = op.operand(0);
        let saved = saved.into_inner();
        if !saved.is_empty() {
            self.keeping(op, &before, &saved);
        }
        m.b.set_location(op.location());
        let types: Vec<Ty<'c>> = captured.iter().map(|value| value.r#type()).collect();
        let made =
            m.b.op_with_regions(op.name(), &[index], &types, &[], regions);
        for (value, part) in captured.iter().zip(made.results()) {
            m.sized(part, &m.type_of(*value).1);
            self.give(*value, part);
        }
        Ok(())
    }

    /// `op` made anew before itself, with more results: what its branches keep, and zeros from the
    /// others.
    fn keeping(&self, op: Op<'c>, before: &Make<'c>, saved: &[(usize, Val<'c>, Val<'c>)]) {
        let mut types: Vec<Ty<'c>> = op.results().iter().map(|value| value.r#type()).collect();
        types.extend(saved.iter().map(|(_, value, _)| value.r#type()));
        for number in 0..op.num_regions() {
            let Some(block) = op.body(number) else {
                continue;
            };
            let Some(end) = op::ops(block).last().copied() else {
                continue;
            };
            let mut next = end.operands();
            let location = end.location();
            edit::erase_unused(end);
            let inner = self
                .m
                .elsewhere(Builder::new(op.context(), block, location));
            for (of, value, _) in saved {
                next.push(if *of == number {
                    *value
                } else {
                    let (element, shape) = self.m.type_of(*value);
                    inner.zeros(&element, &shape)
                });
            }
            inner.b.op("stablehlo.return", &next, &[], &[]);
        }
        let regions = edit::take_regions(op);
        let made =
            before
                .b
                .op_with_regions(op.name(), &op.operands(), &types, &op.attributes(), regions);
        let n = op.num_results();
        for (old, new) in op.results().into_iter().zip(made.results()) {
            self.m.sized(new, &self.m.type_of(old).1);
            op::replace_all_uses(old, new);
        }
        for ((_, value, stand_in), result) in saved.iter().zip(&made.results()[n..]) {
            self.m.sized(*result, &self.m.type_of(*value).1);
            op::replace_all_uses(*stand_in, *result);
            if let Some((constant, _)) = op::defining_op(*stand_in) {
                edit::erase_unused(constant);
            }
        }
        self.bury(op);
    }
}
