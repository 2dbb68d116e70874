//! Refinement through loops and branches, those of upstream's `scf` too.
//!
//! What a loop carries has one type, on entry and in every round: the most precise one that a round
//! gives back if it is given it. It is found by trying the loop with what is known on entry; a size
//! that a round does not keep is unknown, and the next try has one less. The result of branches
//! knows what all of them agree in. Where a value knows more than the place that it goes to may
//! say, a `tensor.cast` stands between.

use super::{Refiner, mlir_type};
use crate::rewrite::{Result, fail};
use mapwright_mlir::{
    Blk, Builder, Op, TensorType, Ty, Val, ValueType, edit, melior::ir::ValueLike, op,
};
use mapwright_ops::typing::check;
use std::collections::HashMap;

/// The operations here whose regions hand out values.
const HANDLED: [&str; 5] = [
    "scf.execute_region",
    "scf.for",
    "scf.if",
    "scf.index_switch",
    "scf.while",
];

/// Tells whether `op` is an operation of `scf` that types are carried through, or hands out the
/// values of one.
pub(super) fn carries(op: Op<'_>) -> bool {
    match op.name() {
        "scf.yield" | "scf.condition" => op
            .parent()
            .is_some_and(|parent| HANDLED.contains(&parent.name())),
        name => HANDLED.contains(&name),
    }
}

/// The operations that hand out values of a region of `op`.
fn ends<'c>(op: Op<'c>) -> Vec<Op<'c>> {
    let regions = (0..op.num_regions()).map(|i| op.region(i));
    let blocks = regions.flat_map(op::blocks);
    let ends = blocks.filter_map(|block| op::ops(block).last().copied());
    let hands_out = |end: &Op<'c>| end.dialect() != "scf" || end.name() == "scf.yield";
    ends.filter(hands_out).collect()
}

/// The declared type with the sizes that are known in all of the others; the declared one where
/// these are no ranked tensors.
fn agreed<'c>(op: Op<'c>, declared: Ty<'c>, types: &[Ty<'c>]) -> Ty<'c> {
    let tensors: Option<Vec<TensorType>> =
        types.iter().map(|ty| TensorType::from_mlir(*ty)).collect();
    let (Some(mut tensors), Some(own)) = (tensors, TensorType::from_mlir(declared)) else {
        return declared;
    };
    let Some(mut common) = tensors.pop() else {
        return declared;
    };
    if tensors.iter().any(|ty| ty.rank() != common.rank()) || common.rank() != own.rank() {
        return declared;
    }
    for (k, dim) in common.dims.iter_mut().enumerate() {
        if tensors.iter().any(|ty| ty.dims[k] != *dim) {
            *dim = own.dims[k];
        }
    }
    let merged = TensorType {
        element: own.element.clone(),
        dims: check::merge_shapes(&common.dims, &own.dims),
    };
    if merged == own {
        declared
    } else {
        mlir_type(op, &merged).unwrap_or(declared)
    }
}

/// Tells whether a value may be of both types.
fn agree<'c>(a: Ty<'c>, b: Ty<'c>) -> bool {
    check::types_agree(&ValueType::from_mlir(a), &ValueType::from_mlir(b))
}

/// Tells whether a value may be of all of these types.
fn all_agree(types: &[Ty<'_>]) -> bool {
    let mut different: Vec<Ty<'_>> = Vec::new();
    for ty in types {
        if !different.contains(ty) {
            if different.iter().any(|other| !agree(*ty, *other)) {
                return false;
            }
            different.push(*ty);
        }
    }
    true
}

fn types<'c>(values: &[Val<'c>]) -> Vec<Ty<'c>> {
    values.iter().map(|value| value.r#type()).collect()
}

/// A loop of `scf`, or `while` of StableHLO.
struct Loop<'c> {
    op: Op<'c>,
    /// The number of the operand that is carried first.
    first: usize,
    /// Arguments of the block that is run first which are not carried.
    counters: usize,
    /// Its regions are all given what is carried.
    is_hlo: bool,
}

impl<'c> Loop<'c> {
    fn from_op(op: Op<'c>) -> Self {
        let (first, counters) = match op.name() {
            "scf.for" => (3, 1),
            _ => (0, 0),
        };
        Self {
            op,
            first,
            counters,
            is_hlo: op.dialect() != "scf",
        }
    }

    /// Returns the carried values as the arguments of the block that is run first.
    fn entered(&self) -> Vec<Val<'c>> {
        let arguments = self.op.body(0).map(op::arguments).unwrap_or_default();
        arguments.into_iter().skip(self.counters).collect()
    }

    /// The operation whose operands go into the next round.
    fn next(&self) -> Option<Op<'c>> {
        let body = self.op.body(self.op.num_regions().checked_sub(1)?)?;
        op::ops(body).last().copied()
    }
}

impl<'c> Refiner<'c> {
    /// Refines an operation of `scf` and what is in it.
    pub(super) fn structured(&mut self, op: Op<'c>) -> Result<'c> {
        match op.name() {
            "scf.for" | "scf.while" => self.carried(op),
            _ => self.branches(op),
        }
    }

    /// Refines the branches of an operation, and their results.
    pub(super) fn branches(&mut self, op: Op<'c>) -> Result<'c> {
        for i in 0..op.num_regions() {
            for block in op::blocks(op.region(i)) {
                self.block(op::ops(block))?;
            }
        }
        let ends = ends(op);
        for (i, result) in op.results().into_iter().enumerate() {
            let given: Vec<Ty<'c>> = ends.iter().map(|end| end.operand(i).r#type()).collect();
            // Of StableHLO's branches, each may know something else of the result.
            if op.dialect() != "scf" && all_agree(&given) {
                continue;
            }
            let ty = agreed(op, result.r#type(), &given);
            for end in &ends {
                self.fit(*end, i, ty);
            }
            self.set_type(result, ty);
        }
        Ok(())
    }

    pub(super) fn carried(&mut self, op: Op<'c>) -> Result<'c> {
        let own = Loop::from_op(op);
        let declared = types(&own.entered());
        let given = types(&op.operands()[own.first..]);
        let mut wanted: Vec<Ty<'c>> = (declared.iter().zip(&given))
            .map(|(declared, given)| agreed(op, *declared, &[*given]))
            .collect();
        while wanted != declared {
            let kept = self.tried(op, &wanted);
            let kept = kept.filter(|kept| kept.len() == wanted.len());
            let next: Vec<Ty<'c>> = match &kept {
                Some(kept) => (0..wanted.len())
                    .map(|i| agreed(op, declared[i], &[wanted[i], kept[i]]))
                    .collect(),
                None => declared.clone(),
            };
            if next == wanted {
                break;
            }
            wanted = next;
        }
        self.round(op, &wanted)?;
        for (i, ty) in wanted.iter().enumerate() {
            let passed = op.operand(own.first + i).r#type();
            // Of StableHLO's loops, what goes in may know more than what is carried.
            if !own.is_hlo {
                self.fit(op, own.first + i, *ty);
            }
            let Some(next) = own.next().filter(|next| i < next.num_operands()) else {
                continue;
            };
            let returned = next.operand(i).r#type();
            if !own.is_hlo || !agree(returned, passed) {
                if own.is_hlo && !agree(returned, *ty) {
                    let why = format!(
                        "carried value #{i} is {passed} on entry and {returned} after a round"
                    );
                    return fail(op, why);
                }
                self.fit(next, i, *ty);
            }
        }
        let handed_out = match op.name() {
            "scf.while" => op.body(1).map(op::arguments).unwrap_or_default(),
            _ => own.entered(),
        };
        for (result, inside) in op.results().into_iter().zip(handed_out) {
            self.set_type(result, inside.r#type());
        }
        Ok(())
    }

    /// The types that a round of a copy of the loop gives back if it is given these; `None` where
    /// something contradicts itself.
    fn tried(&mut self, op: Op<'c>, carried: &[Ty<'c>]) -> Option<Vec<Ty<'c>>> {
        let (counts, casts) = (self.counts, self.casts.len());
        let copy = edit::clone(op, &HashMap::new());
        edit::insert_before(op, copy);
        let found = self.round(copy, carried).ok().map(|()| {
            let next = Loop::from_op(copy).next();
            next.map(|end| types(&end.operands())).unwrap_or_default()
        });
        edit::erase_unused(copy);
        self.casts.truncate(casts);
        self.counts = counts;
        found
    }

    /// Refines what is in a loop that is given values of these types.
    fn round(&mut self, op: Op<'c>, carried: &[Ty<'c>]) -> Result<'c> {
        let own = Loop::from_op(op);
        let bodies: Vec<Blk<'c>> = (0..op.num_regions()).filter_map(|i| op.body(i)).collect();
        let given = if own.is_hlo { bodies.len() } else { 1 };
        for block in bodies.iter().take(given) {
            let arguments = op::arguments(*block).into_iter().skip(own.counters);
            for (argument, ty) in arguments.zip(carried) {
                self.set_type(argument, *ty);
            }
        }
        for (i, body) in bodies.iter().enumerate() {
            self.block(op::ops(*body))?;
            // What the condition of a `while` hands on.
            let end = op::ops(*body).last().copied();
            let Some(condition) = end.filter(|end| end.name() == "scf.condition") else {
                continue;
            };
            let Some(after) = bodies.get(i + 1) else {
                continue;
            };
            for (k, argument) in op::arguments(*after).into_iter().enumerate() {
                let given = condition.operand(k + 1).r#type();
                let ty = agreed(op, argument.r#type(), &[given]);
                self.fit(condition, k + 1, ty);
                self.set_type(argument, ty);
            }
        }
        Ok(())
    }

    /// Casts operand `i` of `op` to `ty`, if it is of another type.
    fn fit(&mut self, op: Op<'c>, i: usize, ty: Ty<'c>) {
        let value = op.operand(i);
        if value.r#type() == ty {
            return;
        }
        if let Some(b) = Builder::before(op.context(), op) {
            let cast = b.op("tensor.cast", &[value], &[ty], &[]);
            self.casts.push(cast);
            op::set_operand(op, i, cast.result(0));
        }
    }
}
