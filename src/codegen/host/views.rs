//! Results of regions that are a part of a tensor as it lies in memory: rows of its first dimension, its elements in another shape. They need no
//! memory and no kernel, only an address.
//!
//! A view is read where its base is, so that every read of a view is one of the base ([`super::lives`]). Regions and operations of the runtime
//! library read views; what control flow hands on is copied as before.

use super::{
    stages::is_stage,
    values::{ALIGN, bytes, is_end, is_while, tensor},
};
use mapwright_mlir::{Blk, Op, TensorType, Val, op};
use mapwright_ops::registry;
use mapwright_ops::slicing::rows::{self, First, Part};
use std::collections::HashMap;

/// Bytes of a tensor from which on a view is worth it: what is smaller may be in registers.
const LEAST: i64 = 1024;

/// A part of a tensor is small if that has so many times its bytes.
const SMALL: i64 = 4;

/// A value that is a part of another as it lies in memory.
#[derive(Clone, Debug)]
pub(crate) struct View<'c> {
    /// The operand of the region that it is a part of.
    pub base: Val<'c>,
    /// Rows that are left out in front, each of so many bytes.
    pub(super) skipped: Vec<(First<'c>, i64)>,
}

/// The views of a function, by the keys of the values.
#[derive(Default)]
pub(crate) struct Views<'c> {
    views: HashMap<usize, View<'c>>,
    /// By the keys of their bases.
    over: HashMap<usize, Vec<Val<'c>>>,
}

impl<'c> Views<'c> {
    /// Those that the regions of `function` make.
    pub(super) fn of(function: Op<'c>) -> Self {
        let mut found = Self::default();
        for op in function.descendants() {
            if op.name() == "indexing.fusion"
                && !is_stage(op)
                && let Some(view) = view(op)
                && !is_overwritten_before_read(op, view.base)
            {
                let result = op.result(0);
                let over = found.over.entry(op::key(view.base)).or_default();
                over.push(result);
                found.views.insert(op::key(result), view);
            }
        }
        found
    }

    /// What the result of `region` is a view of, if it is one.
    pub(crate) fn made_by(&self, region: Op<'c>) -> Option<&View<'c>> {
        region.results().first().and_then(|value| self.get(*value))
    }

    pub(super) fn get(&self, value: Val<'c>) -> Option<&View<'c>> {
        self.views.get(&op::key(value))
    }

    /// The value whose memory holds `value`.
    pub(super) fn base(&self, mut value: Val<'c>) -> Val<'c> {
        while let Some(view) = self.get(value) {
            value = view.base;
        }
        value
    }

    /// Uses of `value` and of all views of it.
    pub(super) fn uses(&self, value: Val<'c>) -> Vec<(Op<'c>, usize)> {
        let mut uses = op::uses(value);
        for view in self.over.get(&op::key(value)).into_iter().flatten() {
            uses.extend(self.uses(*view));
        }
        uses
    }
}

/// What the only result of `region` is a view of, if moves of memory as it lies are all that the region does.
fn view<'c>(region: Op<'c>) -> Option<View<'c>> {
    let (body, result) = (region.body(0)?, region.result(0));
    let made = tensor(result)?;
    let is_small = made.static_shape().is_some() && bytes(&made).is_some_and(|n| n < LEAST);
    let is_handed_on = |(user, _): (Op<'c>, usize)| is_end(user) || is_while(user);
    if region.num_results() != 1 || is_small || op::uses(result).into_iter().any(is_handed_on) {
        return None;
    }
    let mut value = op::ops(body).last()?.operand(0);
    let mut skipped = Vec::new();
    while let Some((op, _)) = op::defining_op(value) {
        if let Part::Rows(first) = rows::part(op)? {
            let (given, taken) = (tensor(op.operand(0))?, tensor(op.result(0))?);
            let first = outside(region, body, first)?;
            let row = row_bytes(&given, &taken)?;
            let is_aligned = match first {
                First::At(n) => n.checked_mul(row)? % ALIGN == 0,
                // Rows that the operand has are known where it was there before the region.
                First::Clamped(..) if op::defining_op(op.operand(0)).is_some() => return None,
                _ => row % ALIGN == 0,
            };
            if !is_aligned {
                return None;
            }
            skipped.push((first, row));
        }
        value = op.operand(0);
    }
    let (_, number) = op::block_argument(value)?;
    let base = region.operand(number);
    let same_width = tensor(base)?.element == made.element;
    same_width.then_some(View { base, skipped })
}

/// Is `base` updated by what reads the small part of it that `region` takes, or before that is read? An update in place needs a copy of the part
/// then, and with a view it would need one of the whole.
fn is_overwritten_before_read<'c>(region: Op<'c>, base: Val<'c>) -> bool {
    let size = |value: Val<'c>| tensor(value).and_then(|ty| bytes(&ty));
    let (Some(part), Some(all), Some(block)) = (size(region.result(0)), size(base), region.block())
    else {
        return false;
    };
    if part.saturating_mul(SMALL) > all {
        return false;
    }
    let mut uses = op::uses(base).into_iter();
    if !uses.any(|(user, _)| user.block() == Some(block) && updates(user, base)) {
        return false;
    }
    let readers: Vec<Op<'c>> = op::uses(region.result(0))
        .into_iter()
        .map(|(user, _)| user)
        .collect();
    let in_order = op::ops(block).into_iter();
    let behind = in_order.skip_while(|op| !updates(*op, base));
    let behind: Vec<Op<'c>> = behind.collect();
    // A reader inside of another operation is taken to come late.
    let is_early = |op: &Op<'c>| op.block() == Some(block) && !behind.contains(op);
    !readers.iter().all(is_early)
}

/// Does a region update a part of `base`?
fn updates<'c>(region: Op<'c>, base: Val<'c>) -> bool {
    if region.name() != "indexing.fusion" {
        return false;
    }
    let is_base = |value: Val<'c>| {
        op::block_argument(value)
            .is_some_and(|(_, number)| op::key(region.operand(number)) == op::key(base))
    };
    let members = region.body(0).map(op::ops).unwrap_or_default();
    members.into_iter().any(|member| {
        registry::lookup(member).is_some_and(|def| def.updates) && is_base(member.operand(0))
    })
}

/// Bytes of a row of the first dimension, if `taken` has whole rows of `given`.
fn row_bytes(given: &TensorType, taken: &TensorType) -> Option<i64> {
    let mut dims = given.dims.iter().zip(&taken.dims).skip(1);
    let width = given.element.byte_width()? as i64;
    dims.try_fold(width, |row, (given, taken)| {
        let size = given.fixed().filter(|n| taken.fixed() == Some(*n))?;
        row.checked_mul(size)
    })
}

/// The same outside of `region`, where the number of the row must be.
fn outside<'c>(region: Op<'c>, body: Blk<'c>, first: First<'c>) -> Option<First<'c>> {
    let there = |value: Val<'c>| match op::block_argument(value) {
        Some((block, number)) if block == body => Some(region.operand(number)),
        _ => op::is_constant(value).then_some(value),
    };
    Some(match first {
        First::At(n) => First::At(n),
        First::Told(value) => First::Told(there(value)?),
        First::Clamped(value, rows) => First::Clamped(there(value)?, rows),
    })
}
