//! What an adjoint reads of the block that it is the adjoint of: values that it finds again,
//! computes once more, or that are kept for it.

use super::{Residuals, reverse::Reverse};
use mapwright_indexing::Extent;
use mapwright_mlir::{Blk, ElementType, Op, TensorType, Val, edit, melior::ir::ValueLike, op};
use mapwright_ops::registry::{self, Class};
use std::collections::HashMap;

/// Finds the values of a block that the block of its adjoint reads.
pub(super) struct Finder<'a, 'c> {
    /// The block whose values are read.
    pub(super) from: Blk<'c>,
    /// Operation before which values that are recomputed are put.
    pub(super) anchor: Op<'c>,
    /// Choice of the values that are kept rather than recomputed.
    pub(super) residuals: Residuals,
    /// Values that are there without being kept, if they are; may emit before the anchor.
    pub(super) there: &'a dyn Fn(Val<'c>) -> Option<Val<'c>>,
    /// A value that is kept, as it is read again.
    pub(super) keep: &'a dyn Fn(Val<'c>) -> Val<'c>,
    /// Tells whether a value can be kept: its sizes may be known only inside of the block.
    pub(super) fits: &'a dyn Fn(Val<'c>) -> bool,
    found: HashMap<usize, Val<'c>>,
    free: HashMap<usize, bool>,
}

/// Functions that find a value that is there, that keep one, and that tell whether it can be kept.
pub(super) type Ways<'a, 'c> = (
    &'a dyn Fn(Val<'c>) -> Option<Val<'c>>,
    &'a dyn Fn(Val<'c>) -> Val<'c>,
    &'a dyn Fn(Val<'c>) -> bool,
);

/// The block that a value is of.
fn home<'c>(value: Val<'c>) -> Option<Blk<'c>> {
    match op::defining_op(value) {
        Some((op, _)) => op.block(),
        None => op::block_argument(value).map(|(block, _)| block),
    }
}

/// Tells whether a value belongs to `block`: as an argument of it or a result of its operations.
pub(super) fn is_of(value: Val<'_>, block: Blk<'_>) -> bool {
    home(value).is_some_and(|home| home.to_raw().ptr == block.to_raw().ptr)
}

/// The values of `block` that an operation and what it holds read.
fn reads<'c>(of: Op<'c>, block: Blk<'c>) -> Vec<Val<'c>> {
    let inside = of.descendants();
    inside
        .iter()
        .chain([&of])
        .flat_map(|op| op.operands())
        .filter(|value| is_of(*value, block))
        .collect()
}

fn is_scalar(value: Val<'_>) -> bool {
    TensorType::from_mlir(value.r#type()).is_some_and(|ty| ty.rank() == 0)
}

impl<'a, 'c> Finder<'a, 'c> {
    pub(super) fn new(
        (from, anchor): (Blk<'c>, Op<'c>),
        residuals: Residuals,
        (there, keep, fits): Ways<'a, 'c>,
    ) -> Self {
        Self {
            from,
            anchor,
            residuals,
            there,
            keep,
            fits,
            found: HashMap::new(),
            free: HashMap::new(),
        }
    }

    /// Makes all operations in `block` and in their regions read what is found for values of the
    /// other block.
    pub(super) fn resolve(&mut self, block: Blk<'c>) {
        for outer in op::ops(block) {
            let mut all = outer.descendants();
            all.push(outer);
            for op in all {
                for (i, value) in op.operands().into_iter().enumerate() {
                    if is_of(value, self.from) {
                        let found = self.find(value);
                        edit::set_operand(op, i, found);
                    }
                }
            }
        }
    }

    fn find(&mut self, value: Val<'c>) -> Val<'c> {
        if let Some(known) = self.found.get(&op::key(value)) {
            return *known;
        }
        let found = if let Some(there) = (self.there)(value) {
            there
        } else if self.is_computed(value)
            && let Some((made, r)) = op::defining_op(value)
        {
            let mut new = HashMap::new();
            for read in reads(made, self.from) {
                new.insert(op::key(read), self.find(read));
            }
            let copy = edit::clone(made, &new);
            edit::insert_before(self.anchor, copy);
            copy.result(r)
        } else {
            (self.keep)(value)
        };
        self.found.insert(op::key(value), found);
        found
    }

    /// Tells whether a value is computed once more.
    fn is_computed(&mut self, value: Val<'c>) -> bool {
        let Some((made, _)) = op::defining_op(value) else {
            return false;
        };
        // Another execution would give another value.
        if !registry::is_function(made) {
            return false;
        }
        if self.residuals == Residuals::States || !(self.fits)(value) || self.is_free(value) {
            return true;
        }
        // No smaller than what it is made of.
        made.is_hlo("broadcast_in_dim")
            || made.is_hlo("dynamic_broadcast_in_dim")
            || made.is_hlo("dynamic_reshape")
            || made.is_hlo("reshape")
            || made.is_hlo("transpose")
            || made.is_hlo("reverse")
    }

    /// Tells whether a value can be computed from what is there with little work.
    fn is_free(&mut self, value: Val<'c>) -> bool {
        if let Some(known) = self.free.get(&op::key(value)) {
            return *known;
        }
        let free = match op::defining_op(value) {
            None => (self.there)(value).is_some(),
            Some((made, _)) => {
                let class = registry::lookup(made).map(|def| def.class);
                let light = match class {
                    Some(Class::Source | Class::Movement) => true,
                    Some(Class::Elementwise) => {
                        made.num_regions() == 0 && (is_scalar(value) || made.is_hlo("convert"))
                    }
                    Some(Class::Assembly) => made.is_hlo("dynamic_slice"),
                    _ => false,
                };
                light
                    && reads(made, self.from)
                        .into_iter()
                        .all(|read| self.is_free(read))
            }
        };
        self.free.insert(op::key(value), free);
        free
    }
}

impl<'c> Reverse<'c> {
    /// The type of a value inside of `op` if it can be kept outside of it: its sizes have to be
    /// known there.
    pub(super) fn residual_type(
        &self,
        op: Op<'c>,
        value: Val<'c>,
    ) -> Option<(ElementType, Vec<Extent>)> {
        let m = &self.m;
        let element = TensorType::from_mlir(value.r#type())?.element;
        let shape = m.noted_sizes(value)?;
        let block = |op: Op<'c>| op.block().map(|block| block.to_raw().ptr);
        let is_known = |scalar: Val<'c>| {
            let home = match op::defining_op(scalar) {
                Some((made, _)) => block(made),
                None => op::block_argument(scalar).map(|(block, _)| block.to_raw().ptr),
            };
            let mut at = Some(op);
            while let Some(inner) = at {
                if block(inner) == home {
                    return true;
                }
                at = inner.parent();
            }
            false
        };
        let mut scalars = shape.iter().flat_map(|size| m.scalars(*size));
        scalars.all(is_known).then_some((element, shape))
    }

    /// The type of what is kept; what cannot be is refused.
    pub(super) fn stand_in_type(&self, op: Op<'c>, value: Val<'c>) -> (ElementType, Vec<Extent>) {
        self.residual_type(op, value).unwrap_or_else(|| {
            self.m
                .refuse("sizes that iterations or branches have of their own");
            (ElementType::Bool, Vec::new())
        })
    }
}
