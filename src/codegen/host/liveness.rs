//! When the values of a function are needed: which of their reads can follow when memory is written
//! somewhere.
//!
//! Regions run in an order of their own: of a branch, one region and no other; of a loop, condition
//! and body in turns, and each iteration makes the values of the regions anew.

use super::{
    values::{is_end, is_while},
    views::Views,
};
use mapwright_mlir::{Blk, Op, Val, op};
use std::collections::HashMap;

/// A place of the program at which memory is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point<'c> {
    /// While this operation runs.
    During(Op<'c>),
    /// On the way into a loop, when the operands before this one have been read, and this one is.
    Entry(Op<'c>, usize),
    /// At the end of a region, whose terminator this is. Everything that it hands over has been
    /// read.
    End(Op<'c>),
}

impl<'c> Point<'c> {
    fn op(self) -> Op<'c> {
        match self {
            Self::During(op) | Self::Entry(op, _) | Self::End(op) => op,
        }
    }
}

/// The order of a function's operations, and what reads values through others.
pub(super) struct Liveness<'a, 'c> {
    pub views: &'a Views<'c>,
    times: HashMap<Op<'c>, (usize, usize)>,
    last: usize,
}

impl<'a, 'c> Liveness<'a, 'c> {
    /// Of the operations of `block` and of those inside of them; a value is read where the views of
    /// it are.
    pub(super) fn for_block(block: Blk<'c>, views: &'a Views<'c>) -> Self {
        let mut liveness = Self {
            views,
            times: HashMap::new(),
            last: 0,
        };
        liveness.number(block);
        liveness
    }

    /// Numbers operations in order, those inside of regions between the start and the end of the
    /// one around them.
    fn number(&mut self, block: Blk<'c>) {
        for op in op::ops(block) {
            self.last += 1;
            let start = self.last;
            if op.name() != "indexing.fusion" {
                for r in 0..op.num_regions() {
                    for inner in op::blocks(op.region(r)) {
                        self.number(inner);
                    }
                }
            }
            if self.last > start {
                self.last += 1;
            }
            self.times.insert(op, (start, self.last));
        }
    }

    /// When `op` starts and ends.
    pub(super) fn time(&self, op: Op<'c>) -> (usize, usize) {
        self.times.get(&op).copied().unwrap_or((0, usize::MAX))
    }

    /// When a point is.
    pub(super) fn time_of(&self, point: Point<'c>) -> usize {
        self.time(point.op()).0
    }

    /// All operations with their starts.
    pub(super) fn starts(&self) -> impl Iterator<Item = (Op<'c>, usize)> {
        self.times.iter().map(|(op, (start, _))| (*op, *start))
    }

    /// When `value` is needed last; a use inside a region counts until the end of the operation
    /// around it.
    pub(super) fn last_use(&self, value: Val<'c>) -> usize {
        let Some(home) = home(value) else {
            return usize::MAX;
        };
        let uses = self.views.uses(value).into_iter();
        uses.map(|(user, _)| match lift(user, home) {
            Some(at) if at == user => self.time(at).0,
            Some(at) => self.time(at).1,
            None => usize::MAX,
        })
        .max()
        .unwrap_or(0)
    }

    /// Tells whether the contents of `value` may be read after `point`, before it is made anew.
    /// Reads of the operation that runs there do not count.
    pub(super) fn is_needed(&self, value: Val<'c>, point: Point<'c>) -> bool {
        let at = point.op();
        if let Some((definition, number)) = op::defining_op(value) {
            let Some(here) = definition.block().and_then(|home| lift(at, home)) else {
                return false;
            };
            if here == definition && is_while(here) && region_of(at, here) == Some(0) {
                // A carried value, of which the last one is the result.
                return !op::uses(definition.result(number)).is_empty();
            }
            return self.time(here).0 > self.time(definition).0
                && self.is_read_after(value, here, point);
        }
        let Some((block, number)) = op::block_argument(value) else {
            return true;
        };
        if let Some(around) = op::parent_of_block(block).filter(|op| is_while(*op)) {
            let inside = match point {
                Point::Entry(op, _) if op == around => None,
                _ => region_of(at, around),
            };
            let carried = |region: usize| around.body(region).map(|b| op::arguments(b)[number]);
            return match inside {
                // The body makes the next one of it; what the condition reads comes afterwards.
                Some(1) if around.body(1) == Some(block) => {
                    lift(at, block).is_some_and(|here| self.is_read_after(value, here, point))
                }
                Some(0) if around.body(0) == Some(block) => {
                    lift(at, block).is_some_and(|here| self.is_read_after(value, here, point))
                        || carried(1).is_none_or(|next| !op::uses(next).is_empty())
                }
                _ => false,
            };
        }
        match lift(at, block) {
            Some(here) => self.is_read_after(value, here, point),
            None => false,
        }
    }

    /// As [`Self::is_needed`]; `here`, of the block of the value, is or holds the point.
    fn is_read_after(&self, value: Val<'c>, here: Op<'c>, point: Point<'c>) -> bool {
        let Some(home) = here.block() else {
            return true;
        };
        self.views
            .uses(value)
            .into_iter()
            .any(|(user, operand)| self.follows(user, operand, home, here, point))
    }

    /// Tells whether the use of operand number `operand` by `user`, which is in `home`, may come
    /// after the point, which is in `here`.
    fn follows(
        &self,
        user: Op<'c>,
        operand: usize,
        home: Blk<'c>,
        here: Op<'c>,
        point: Point<'c>,
    ) -> bool {
        let Some(there) = lift(user, home) else {
            return true;
        };
        if there != here {
            return self.time(there).0 > self.time(here).0;
        }
        match point {
            Point::During(op) if op == here => return false,
            Point::Entry(op, number) if op == here => return user != here || operand > number,
            _ if user == here => return false,
            _ if is_while(here) => return true,
            _ => {}
        }
        // Both are in regions of an operation that runs one of them.
        let inner = |op: Op<'c>| child_block(op, here);
        match (inner(user), inner(point.op())) {
            (Some(a), Some(b)) if a == b => match lift(point.op(), a) {
                Some(next) => self.follows(user, operand, a, next, point),
                None => true,
            },
            (Some(_), Some(_)) => false,
            _ => true,
        }
    }
}

/// The block in which `value` is made.
fn home<'c>(value: Val<'c>) -> Option<Blk<'c>> {
    match op::defining_op(value) {
        Some((op, _)) => op.block(),
        None => op::block_argument(value).map(|(block, _)| block),
    }
}

/// The operation of `block` that `op` is or is inside of.
fn lift<'c>(op: Op<'c>, block: Blk<'c>) -> Option<Op<'c>> {
    let mut at = Some(op);
    while let Some(op) = at {
        if op.block() == Some(block) {
            return Some(op);
        }
        at = op.parent();
    }
    None
}

/// The block in a region of `around` that `op` is in.
fn child_block<'c>(op: Op<'c>, around: Op<'c>) -> Option<Blk<'c>> {
    let mut at = op;
    loop {
        let parent = at.parent()?;
        if parent == around {
            return at.block();
        }
        at = parent;
    }
}

/// The number of the region of `around` that `op` is in.
fn region_of<'c>(op: Op<'c>, around: Op<'c>) -> Option<usize> {
    let block = child_block(op, around)?;
    (0..around.num_regions()).find(|r| op::blocks(around.region(*r)).contains(&block))
}

/// The terminator of region number `region` of `op`.
pub(super) fn end_of<'c>(op: Op<'c>, region: usize) -> Option<Op<'c>> {
    op.body(region)
        .and_then(|block| op::ops(block).last().copied())
        .filter(|op| is_end(*op))
}
