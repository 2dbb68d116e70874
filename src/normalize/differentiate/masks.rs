//! Branches of `select` that were not selected get no cotangents, whatever their derivatives are.
//!
//! A program computes both branches everywhere, approximations of functions outside of their ranges
//! for instance, where derivatives are infinite or no numbers. A cotangent of zero times such a
//! derivative is no zero. What is read, element by element, by one branch only of all selections
//! with a condition *belongs* to the branch; where a cotangent leaves what belongs to it, it is
//! made zero wherever the other branch is selected. Several selections have a condition in
//! derivatives: those of the function, and those by which cotangents were made zero.

use super::{
    number_of,
    reverse::{Branch, Owners, Reverse, is_elementwise},
};
use crate::tarray::make::Make;
use mapwright_mlir::{Op, TensorType, Val, melior::ir::ValueLike, op};
use std::rc::Rc;

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
            && let Some(branches) = branches(*op, owners)
        {
            owners.insert(op::key(op.result(0)), branches);
        }
    }
}

fn is_same(a: &Branch<'_>, b: &Branch<'_>) -> bool {
    a.1 == b.1 && op::key(a.0) == op::key(b.0)
}

/// The branches that alone read the result of `op`, if there are any. Conditions hand no cotangents
/// on, and do not count.
fn branches<'c>(op: Op<'c>, owners: &Owners<'c>) -> Option<Rc<[Branch<'c>]>> {
    let value = op.result(0);
    let mut common: Option<Rc<[Branch<'c>]>> = None;
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
        if !is_elementwise(user) || dims(value) != dims(user.result(0)) {
            return None;
        }
        let mut own = owners.get(&op::key(user.result(0))).cloned();
        if selects {
            let inner = [(user.operand(0), k == 1)];
            let outer = own.as_deref().unwrap_or_default();
            own = Some(inner.iter().chain(outer).copied().collect());
        }
        let own = own?;
        common = Some(match common {
            None => own,
            Some(known) if known.iter().all(|b| own.iter().any(|a| is_same(a, b))) => known,
            Some(known) => (known.iter().copied())
                .filter(|b| own.iter().any(|a| is_same(a, b)))
                .collect(),
        });
    }
    common.filter(|branches| !branches.is_empty())
}

impl<'c> Make<'c> {
    /// `x` where a condition is what it has to be, elsewhere zero.
    pub(super) fn where_is(&self, condition: Val<'c>, yes: bool, x: Val<'c>) -> Val<'c> {
        let (element, shape) = self.type_of(x);
        let zeros = self.zeros(&element, &shape);
        if yes {
            self.select(condition, x, zeros)
        } else {
            self.select(condition, zeros, x)
        }
    }
}

impl<'c> Reverse<'c> {
    /// Returns `part`, which `op` adds to the cotangent of its operand, with zeros where a branch
    /// is not selected that `op` belongs to and the operand does not.
    pub(super) fn masked(&self, op: Op<'c>, operand: Val<'c>, part: Val<'c>) -> Val<'c> {
        let owners = self.owners.borrow();
        let Some(first) = op.results().first().copied() else {
            return part;
        };
        let of = |value: Val<'c>| owners.get(&op::key(value)).cloned().unwrap_or_default();
        let kept = of(operand);
        let m = &self.m;
        let mut part = part;
        for branch in of(first).iter() {
            let (condition, yes) = *branch;
            let fits = dims(condition).is_some_and(|d| d.is_empty() || Some(d) == dims(part));
            if fits && !kept.iter().any(|other| is_same(other, branch)) {
                part = m.where_is(condition, yes, part);
            }
        }
        part
    }
}
