//! Parts of a tensor that iterations of a loop take by turns: none touches what another one does.
//!
//! The rows of the data that a loop goes through, and those of the history that it writes, are each
//! touched in one iteration. What a row says is written to its place once, then, and not added to
//! what is there; and a row that was put in need not be emptied for the iterations before.

use super::{
    reverse::{Reverse, yields},
    trips::Trips,
};
use mapwright_indexing::{Extent, IndexingMap};
use mapwright_mlir::{Blk, Op, Steps, Val, op};
use mapwright_ops::fold;

/// Numbers that grow by the same step in every iteration: the first one, and the step.
type Steady = (i64, i64);

fn same_block(block: Option<Blk<'_>>, body: Blk<'_>) -> bool {
    block.is_some_and(|block| block.to_raw().ptr == body.to_raw().ptr)
}

/// Returns the value of a scalar of `body` in iteration 0 and its step per iteration, from what is
/// known of the arguments of the block.
fn steady(
    value: Val<'_>,
    body: Blk<'_>,
    arguments: &[Option<Steady>],
    steps: &Steps,
) -> Option<Steady> {
    steps.take()?;
    if let Some((block, i)) = op::block_argument(value) {
        return if same_block(Some(block), body) {
            arguments.get(i).copied().flatten()
        } else {
            None
        };
    }
    let constant = fold::value(value, &[], &IndexingMap::new(vec![], vec![]));
    if let Some(constant) = constant.and_then(|expr| expr.as_constant()) {
        return Some((constant, 0));
    }
    let (made, _) = op::defining_op(value)?;
    let of = |k: usize| steady(made.operands().get(k).copied()?, body, arguments, steps);
    match made.short_name() {
        "convert" | "reshape" => of(0),
        name @ ("add" | "subtract") => {
            let sign = if name == "add" { 1 } else { -1 };
            let ((a, step), (b, other)) = (of(0)?, of(1)?);
            Some((a.checked_add(sign * b)?, step.checked_add(sign * other)?))
        }
        _ => None,
    }
}

/// Tells whether the parts of these `sizes` at these `starts` are inside of a tensor of sizes `own`
/// in every iteration, and no two of them share an element.
fn are_disjoint(starts: &[Option<Steady>], sizes: &[Extent], own: &[Extent], trips: i64) -> bool {
    let mut disjoint = trips <= 1;
    for ((start, size), own) in starts.iter().zip(sizes).zip(own) {
        let (Some(size), Some(own)) = (size.as_constant(), own.as_constant()) else {
            return false;
        };
        let last_place = own - size;
        match *start {
            Some((first, step)) => {
                let Some(last) = step
                    .checked_mul(trips - 1)
                    .and_then(|n| n.checked_add(first))
                else {
                    return false;
                };
                if step != 0 {
                    // Outside of the tensor two starts may count as one.
                    if [first, last]
                        .iter()
                        .any(|at| !(0..=last_place).contains(at))
                    {
                        return false;
                    }
                    disjoint |= step.unsigned_abs() >= size.unsigned_abs();
                }
            }
            // Where this dimension is as long as the tensor, any start counts as zero.
            None if last_place == 0 => {}
            None => return false,
        }
    }
    disjoint
}

impl<'c> Reverse<'c> {
    /// Notes which parts of tensors the iterations of `op` take by turns, where their cotangents
    /// are zeros in the beginning (`given` has those of the carried values, and `captured` what is
    /// read from outside), or of no use in the end.
    pub(super) fn note_apart(
        &self,
        op: Op<'c>,
        trips: &Trips,
        (given, captured): (&[Option<Val<'c>>], &[Val<'c>]),
    ) {
        let Some(body) = op.body(1) else { return };
        let Some(most) = trips.most.as_constant() else {
            return;
        };
        let (arguments, next) = (op::arguments(body), yields(body));
        let steady_part = |user: Op<'c>, first: usize, sizes: &[Extent]| {
            let starts = user.operands()[first..].to_vec();
            let starts: Vec<_> = (starts.into_iter())
                .map(|start| steady(start, body, &trips.steady, &Steps::default()))
                .collect();
            let (_, own) = self.m.type_of(user.operand(0));
            same_block(user.block(), body) && are_disjoint(&starts, sizes, &own, most)
        };
        let taken = |value: Val<'c>, same: Option<usize>| -> Option<Op<'c>> {
            let (user, k) = self.only_use(op, body, value, same)?;
            let (_, sizes) = self.m.type_of(user.result(0));
            (user.is_hlo("dynamic_slice") && k == 0 && steady_part(user, 1, &sizes)).then_some(user)
        };
        let mut found: Vec<Op<'c>> = Vec::new();
        for value in captured {
            if self.cotangent(*value).is_none() {
                found.extend(taken(*value, None));
            }
        }
        for (i, value) in arguments.iter().enumerate() {
            if !self.is_active(*value) {
                continue;
            }
            if next.get(i).map(|v| op::key(*v)) == Some(op::key(*value)) {
                if given.get(i).is_some_and(Option::is_none) {
                    found.extend(taken(*value, Some(i)));
                }
                continue;
            }
            let Some((user, 0)) = self.only_use(op, body, *value, None) else {
                continue;
            };
            let put = user.is_hlo("dynamic_update_slice")
                && next.get(i).map(|v| op::key(*v)) == Some(op::key(user.result(0)))
                && op::uses(user.result(0)).len() == 1
                && !self.is_active(op.operand(i));
            if put && steady_part(user, 2, &self.m.type_of(user.operand(1)).1) {
                found.push(user);
            }
        }
        let mut disjoint = self.disjoint_slices.borrow_mut();
        disjoint.extend(found.iter().map(|user| op::key(user.result(0))));
    }

    /// Tells whether no other iteration of the loop touches the part that a `dynamic_slice` takes,
    /// or that a `dynamic_update_slice` puts in.
    pub(super) fn is_disjoint_slice(&self, op: Op<'c>) -> bool {
        self.disjoint_slices
            .borrow()
            .contains(&op::key(op.result(0)))
    }

    /// The only operation inside of the loop `op` that hands a cotangent to `value`, which the loop
    /// may also carry on as value `same`.
    fn only_use(
        &self,
        op: Op<'c>,
        body: Blk<'c>,
        value: Val<'c>,
        same: Option<usize>,
    ) -> Option<(Op<'c>, usize)> {
        let inside = op.descendants();
        let is_inside = |user: Op<'c>| inside.contains(&user);
        let mut found = None;
        for (user, k) in op::uses(value) {
            if !is_inside(user) {
                continue;
            }
            let results = user.results();
            let carried_on =
                results.is_empty() && same_block(user.block(), body) && Some(k) == same;
            let no_numbers = !results.is_empty()
                && user.num_regions() == 0
                && !results.into_iter().any(|result| self.is_active(result));
            if carried_on || no_numbers {
                continue;
            }
            if found.is_some() || !same_block(user.block(), body) || user.results().len() != 1 {
                return None;
            }
            found = Some((user, k));
        }
        found
    }
}
