//! Branches of `select` that were not selected get no cotangents, whatever their derivatives are.
//!
//! A program computes both branches everywhere, approximations of functions outside of their ranges for instance, where derivatives are infinite or no
//! numbers. A cotangent of zero times such a derivative is no zero. What only one branch of a `select` reads, element by element, *belongs* to the
//! branch; where a cotangent leaves what belongs to it, it is made zero wherever the other branch is selected.

use super::{
    number_of,
    reverse::{Branch, Owners, Reverse, is_elementwise},
};
use crate::tarray::make::Make;
use mapwright_mlir::{Op, TensorType, Val, melior::ir::ValueLike, op};

fn dims(value: Val<'_>) -> Option<Vec<mapwright_mlir::Dim>> {
    TensorType::from_mlir(value.r#type()).map(|ty| ty.dims)
}

/// Notes what belongs to branches among `ops` and in their regions.
pub(super) fn note<'c>(ops: &[Op<'c>], owners: &mut Owners<'c>) {
    for op in ops.iter().rev() {
        for r in 0..op.num_regions() {
            for block in op::blocks(op.region(r)) {
                note(&op::ops(block), owners);
            }
        }
        if is_elementwise(*op)
            && let Some(branch) = owner(*op, owners)
        {
            owners.insert(op::key(op.result(0)), branch);
        }
    }
}

/// The branches that a value belongs to, from the innermost.
fn chain<'c>(value: Val<'c>, owners: &Owners<'c>) -> Vec<Branch<'c>> {
    let of = |value: Val<'c>| owners.get(&op::key(value)).copied();
    std::iter::successors(of(value), |branch| of(branch.0.result(0))).collect()
}

/// The innermost branch that alone reads the result of `op`. Conditions hand no cotangents on, and do not count.
fn owner<'c>(op: Op<'c>, owners: &Owners<'c>) -> Option<Branch<'c>> {
    let value = op.result(0);
    let mut common: Option<Vec<Branch<'c>>> = None;
    for (user, k) in op::uses(value) {
        if user.block() != op.block() {
            return None;
        }
        let selects = user.is_hlo("select");
        let results = user.results();
        let no_numbers = !results.is_empty() && results.into_iter().all(|v| number_of(v).is_none());
        if no_numbers || (selects && k == 0) {
            continue;
        }
        if !is_elementwise(user) {
            return None;
        }
        let mut own = chain(user.result(0), owners);
        if selects {
            own.insert(0, (user, k == 1));
        }
        common = Some(match common {
            Some(known) => known.into_iter().filter(|b| own.contains(b)).collect(),
            None => own,
        });
    }
    let innermost = common?.first().copied()?;
    (dims(value) == dims(innermost.0.result(0))).then_some(innermost)
}

impl<'c> Make<'c> {
    /// `x` where a condition is what it has to be, elsewhere zero.
    pub(super) fn where_is(&self, condition: Val<'c>, yes: bool, x: Val<'c>) -> Val<'c> {
        let (element, shape) = self.type_of(x);
        let zeros = self.zeros(&element, &shape);
        match yes {
            true => self.select(condition, x, zeros),
            false => self.select(condition, zeros, x),
        }
    }
}

impl<'c> Reverse<'c> {
    /// What `op` says about the cotangent of its operand, zero where branches that `op` belongs to and the operand does not are not selected.
    pub(super) fn masked(&self, op: Op<'c>, operand: Val<'c>, part: Val<'c>) -> Val<'c> {
        let owners = self.owners.borrow();
        let Some(first) = op.results().first().copied() else {
            return part;
        };
        let kept = chain(operand, &owners);
        let m = &self.m;
        let mut part = part;
        for branch in chain(first, &owners) {
            if kept.contains(&branch) {
                break;
            }
            let condition = branch.0.operand(0);
            let fits = dims(condition).is_some_and(|d| d.is_empty() || Some(d) == dims(part));
            if fits {
                part = m.where_is(condition, branch.1, part);
            }
        }
        part
    }
}
