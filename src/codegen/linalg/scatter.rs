//! `scatter`: a loop over the updates, from the map of an update to its place. Updates of one place
//! follow each other, so that there is no operation of upstream's for it; the tensors are carried
//! through the loop, and bufferization updates them in place.

use super::{
    body::Body,
    element::{extract, from_tensor, tensor, to_tensor},
    generic::{indices, sizes_of},
    maps::forward_map,
    reads::{Reads, TermId},
};
use crate::{
    error::{Result, unsupported},
    index::Ix,
    scalar,
    storage::Elem,
};
use mapwright_indexing::{Constraint, Expr, d};
use mapwright_mlir::computation::captured;
use mapwright_mlir::{Blk, Builder, Op, Val, melior::ir::ValueLike, op};
use mapwright_ops::attrs;
use std::{cell::RefCell, collections::HashMap};

/// A scatter of so many inputs.
struct Scatter<'c> {
    block: Blk<'c>,
    reads: Reads<'c>,
    /// Index to which an update goes, and the conditions under which it is applied.
    place: Vec<Expr>,
    conditions: Vec<Constraint>,
    updates: Vec<TermId>,
    /// Scalars that the computation uses from outside.
    outer: HashMap<usize, Elem<'c>>,
}

/// The results of a `scatter`.
pub(super) fn scattered<'c>(b: &Builder<'c>, op: Op<'c>) -> Result<Vec<Val<'c>>> {
    let count = op.num_results();
    let (Some(block), true) = (
        attrs::computation(op, 0),
        op.num_operands() == 2 * count + 1,
    ) else {
        return unsupported("a scatter without a body");
    };
    scalar::region_supported(block).map_err(crate::Unsupported)?;
    let inputs = op.operands()[..count].to_vec();
    // The indices are no argument of the computation.
    let mut data = op.operands();
    data.remove(count);
    for (argument, value) in op::arguments(block).into_iter().zip(data) {
        if tensor(argument)?.element != tensor(value)?.element {
            return unsupported("a scatter that computes in another type");
        }
    }
    let first = op.operand(count + 1);
    let ty = tensor(first)?;
    if ty.num_elements() == Some(0) {
        return Ok(inputs);
    }
    let map = forward_map(op, count + 1, 0)?;
    let all: Vec<Expr> = (0..ty.rank()).map(d).collect();
    let mut reads = Reads::read_inside(indices(&ty));
    let at = reads.composed(op, &map, &all, false)?;
    let mut conditions = reads.conditions(op, &map, &all, &at)?;
    reads.below_sizes(op.operand(0), &at.results, &mut conditions)?;
    let updates = (count + 1..2 * count + 1).map(|i| reads.element(op.operand(i), &all, false));
    let updates = updates.collect::<Result<Vec<_>>>()?;
    let outer = captured(op)
        .into_iter()
        .map(|value| match tensor(value)?.rank() {
            0 => Ok((op::key(value), extract(b, value, &[])?)),
            _ => unsupported("a tensor from outside of a scalar region"),
        });
    let outer = outer.collect::<Result<HashMap<_, _>>>()?;
    let scatter = Scatter {
        block,
        reads,
        place: at.results,
        conditions,
        updates,
        outer,
    };
    let sizes = sizes_of(b, first)?;
    let failure = RefCell::new(None);
    let step = |b: &Builder<'c>, iteration: &[Val<'c>], carried: &[Val<'c>]| {
        scatter.step(b, iteration, carried).unwrap_or_else(|error| {
            failure.borrow_mut().get_or_insert(error);
            carried.to_vec()
        })
    };
    let found = nest(b, &sizes, &[], &inputs, &step);
    match failure.into_inner() {
        Some(error) => Err(error),
        None => Ok(found),
    }
}

/// Closure that emits one iteration: from the indices and the carried values it returns the next
/// ones.
type Step<'s, 'c> = &'s dyn Fn(&Builder<'c>, &[Val<'c>], &[Val<'c>]) -> Vec<Val<'c>>;

/// Loops over these sizes, within those of `outer`.
fn nest<'c>(
    b: &Builder<'c>,
    sizes: &[Ix<'c>],
    outer: &[Val<'c>],
    carried: &[Val<'c>],
    step: Step<'_, 'c>,
) -> Vec<Val<'c>> {
    let Some(size) = sizes.get(outer.len()) else {
        return step(b, outer, carried);
    };
    let (zero, one, size) = (b.cidx(0), b.cidx(1), size.value(b));
    b.for_loop(zero, size, one, carried, |b, index, carried| {
        let all = [outer, &[index]].concat();
        nest(b, sizes, &all, carried, step)
    })
}

impl<'c> Scatter<'c> {
    fn step(
        &self,
        b: &Builder<'c>,
        iteration: &[Val<'c>],
        carried: &[Val<'c>],
    ) -> Result<Vec<Val<'c>>> {
        let body = Body::at(&self.reads, iteration);
        let mut holds: Option<Val<'c>> = None;
        for condition in &self.conditions {
            for one in body.condition(b, condition)? {
                holds = Some(holds.map_or(one, |all| b.andi(all, one)));
            }
        }
        let Some(holds) = holds else {
            return self.updated(b, &body, carried);
        };
        let failure = RefCell::new(None);
        let types: Vec<_> = carried.iter().map(|value| value.r#type()).collect();
        let found = b.if_else(
            holds,
            &types,
            |b| {
                self.updated(b, &body, carried).unwrap_or_else(|error| {
                    failure.borrow_mut().get_or_insert(error);
                    carried.to_vec()
                })
            },
            |_| carried.to_vec(),
        );
        match failure.into_inner() {
            Some(error) => Err(error),
            None => Ok(found),
        }
    }

    /// Returns the carried tensors, with the update at its place.
    fn updated(
        &self,
        b: &Builder<'c>,
        body: &Body<'_, 'c>,
        carried: &[Val<'c>],
    ) -> Result<Vec<Val<'c>>> {
        let place = self.place.iter().map(|expr| body.index(b, expr));
        let place = place.collect::<Result<Vec<_>>>()?;
        let mut arguments = Vec::new();
        for value in carried {
            let element = tensor(*value)?.element;
            let operands = [&[*value], &place[..]].concat();
            let ty = b.element_of(value.r#type());
            let present = b.op1("tensor.extract", &operands, ty, &[]);
            arguments.push(from_tensor(b, &element, present)?);
        }
        for update in &self.updates {
            arguments.push(body.term(b, *update)?);
        }
        let find = |value: Val<'c>| self.outer.get(&op::key(value)).copied();
        let found = scalar::apply_region(b, self.block, &arguments, &[], &find)?;
        let all = found.into_iter().zip(carried);
        all.map(|(element, value)| {
            let element = to_tensor(b, &tensor(*value)?.element, element)?;
            let operands = [&[element, *value], &place[..]].concat();
            Ok(b.op1("tensor.insert", &operands, value.r#type(), &[]))
        })
        .collect()
    }
}
