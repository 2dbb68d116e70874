//! What depends on the chosen arguments, and how its operations are brought into a form that has
//! adjoints.

use super::{
    is_number, masks,
    reverse::{Reverse, yields},
    unrolled,
};
use crate::{
    rewrite::{Result, fail},
    tarray::make::Make,
};
use mapwright_mlir::{Blk, Op, TensorType, Val, melior::ir::ValueLike, op};

impl<'c> Reverse<'c> {
    /// Finds what of `body` depends on the arguments `wrt`. Reductions among it without an adjoint
    /// of their own become loops.
    pub(super) fn prepare(&self, body: Blk<'c>, wrt: &[Val<'c>]) -> Result<'c> {
        let parent = op::parent_of_block(body);
        loop {
            self.active.borrow_mut().clear();
            self.extremes.borrow_mut().clear();
            for value in wrt {
                self.active.borrow_mut().insert(op::key(*value));
            }
            self.mark(&op::ops(body))?;
            let all = parent.map(|op| op.descendants()).unwrap_or_default();
            let found: Vec<Op<'c>> = all.into_iter().filter(|op| self.needs_loop(*op)).collect();
            if found.is_empty() {
                masks::note(&op::ops(body), &mut self.owners.borrow_mut());
                return Ok(());
            }
            for op in found {
                unrolled::unroll(&self.m, op)?;
            }
        }
    }

    /// Notes what depends on the chosen arguments.
    fn mark(&self, ops: &[Op<'c>]) -> Result<'c> {
        for op in ops {
            self.mark_one(*op)?;
        }
        Ok(())
    }

    /// Notes that a value depends on the chosen arguments. Returns whether that was new.
    fn note(&self, op: Op<'c>, value: Val<'c>) -> Result<'c, bool> {
        let known = TensorType::from_mlir(value.r#type());
        match known {
            Some(ty) if is_number(&ty.element) => {
                check(&self.m, op, value)?;
                Ok(self.active.borrow_mut().insert(op::key(value)))
            }
            _ => Ok(false),
        }
    }

    fn mark_one(&self, op: Op<'c>) -> Result<'c> {
        if op.is_hlo("while")
            && let Some(body) = op.body(1)
        {
            let (arguments, next) = (op::arguments(body), yields(body));
            let carried = arguments.len().min(next.len()).min(op.num_operands());
            for (i, argument) in arguments.iter().take(carried).enumerate() {
                if self.is_active(op.operand(i)) {
                    self.note(op, *argument)?;
                }
            }
            loop {
                self.mark(&op::ops(body))?;
                let mut changed = false;
                for (argument, value) in arguments.iter().zip(&next).take(carried) {
                    if self.is_active(*value) {
                        changed |= self.note(op, *argument)?;
                    }
                }
                if !changed {
                    break;
                }
            }
            for (i, argument) in arguments.iter().take(carried).enumerate() {
                if self.is_active(*argument) {
                    self.note(op, op.result(i))?;
                }
            }
            return Ok(());
        }
        if op.is_hlo("case") || op.is_hlo("if") {
            for r in 0..op.num_regions() {
                let Some(block) = op.body(r) else { continue };
                self.mark(&op::ops(block))?;
                for (value, result) in yields(block).into_iter().zip(op.results()) {
                    if self.is_active(value) {
                        self.note(op, result)?;
                    }
                }
            }
            return Ok(());
        }
        let inside = op.descendants();
        let depends = inside
            .iter()
            .chain([&op])
            .flat_map(|op| op.operands())
            .any(|value| self.is_active(value));
        if depends && !self.falls_out(op) {
            for result in op.results() {
                self.note(op, result)?;
            }
        }
        Ok(())
    }
}

/// The sizes of a value that has derivatives have to be known.
fn check<'c>(m: &Make<'c>, op: Op<'c>, value: Val<'c>) -> Result<'c> {
    if m.noted_sizes(value).is_some() {
        Ok(())
    } else {
        fail(
            op,
            format!(
                "has no rule of differentiation: it is not known what the sizes of {} are made of",
                value.r#type()
            ),
        )
    }
}
