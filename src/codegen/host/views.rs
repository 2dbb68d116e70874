//! Results of regions that are a part of a tensor as it lies in memory: rows of its first
//! dimension, its elements in another shape. They need no memory and no kernel, only an address.
//!
//! Which they are says the map from the result to the operand, composed over the region as for
//! every other region: where the place of an element is that of its index in row-major order,
//! behind an offset, the result is a contiguous window. The offset may depend on run-time sizes,
//! and on what is read while the program runs.
//!
//! A view is read where its base is, so that every read of a view is one of the base
//! ([`super::lives`]). Regions and operations of the runtime library read views; what control flow
//! or a barrier hands on has memory of its own.

use super::{
    stages::is_stage,
    values::{ALIGN, bytes, is_alias, is_end, is_while, tensor},
};
use mapwright_fusion::composed::{self, Composing};
use mapwright_fusion::inputs::bytes as bytes_of;
use mapwright_fusion::node::{Node, RuntimeIndex, node};
use mapwright_fusion::overwritten;
use mapwright_indexing::linear::{Atom, Sum, linearize};
use mapwright_indexing::{Extent, Factor};
use mapwright_mlir::{Op, Val, edit, op, sizes::sized};
use std::collections::HashMap;

/// Bytes of a tensor from which on a view is worth it: what is smaller may be in registers.
const LEAST: i64 = 1024;

/// A value that is a part of another as it lies in memory.
#[derive(Clone, Debug)]
pub(crate) struct View<'c> {
    /// The operand of the region that it is a part of.
    pub base: Val<'c>,
    /// Bytes of the base before its first element, so far as they are known or follow from sizes:
    /// name `k` is the size number `k` of the base and, behind them, of the view.
    pub(super) offset: Extent,
    /// Bytes that are added for each unit of a start that is read at run time.
    pub(super) added: Vec<(Extent, Start<'c>)>,
}

/// An element of an integer tensor, clamped to from zero to `most`.
#[derive(Clone, Debug)]
pub(super) struct Start<'c> {
    pub tensor: Val<'c>,
    pub index: Vec<i64>,
    pub most: Extent,
}

/// The views of a function, by the keys of the values.
#[derive(Default)]
pub(crate) struct Views<'c> {
    views: HashMap<usize, View<'c>>,
    /// By the keys of their bases.
    over: HashMap<usize, Vec<Val<'c>>>,
}

impl<'c> Views<'c> {
    /// Finds the views that the regions of `function` make.
    pub(super) fn for_function(function: Op<'c>, composing: Composing) -> Self {
        let mut found = Self::default();
        for op in function.descendants() {
            if op.name() == "indexing.fusion"
                && !is_stage(op)
                && let Some(view) = view(op, composing)
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

    /// Returns the view that the result of `region` is, if it is one.
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

/// Returns the view that the only result of `region` is, if all that the region does is to hand on
/// elements as they lie in memory.
fn view<'c>(region: Op<'c>, composing: Composing) -> Option<View<'c>> {
    let (body, result) = (region.body(0)?, region.result(0));
    let made = tensor(result)?;
    let is_small = made.static_shape().is_some() && bytes(&made).is_some_and(|n| n < LEAST);
    let is_handed_on = |(user, operand): (Op<'c>, usize)| {
        // What waits for a collective reads its operands, and nobody what it makes of them.
        let is_read = || edit::is_used(user.result(operand));
        is_end(user) || is_while(user) || is_alias(user) && is_read()
    };
    if region.num_results() != 1 || is_small || op::uses(result).into_iter().any(is_handed_on) {
        return None;
    }
    let Moved {
        value,
        offset,
        added: reads,
    } = Moved::by(op::ops(body).last()?.operand(0), composing)?;
    let outside = |value: Val<'c>| match op::block_argument(value) {
        Some((block, number)) if block == body => Some(region.operand(number)),
        _ => op::is_constant(value).then_some(value),
    };
    let base = region.operand(op::block_argument(value)?.1);
    let width = made.element.byte_width()? as i64;
    if tensor(base)?.element != made.element {
        return None;
    }
    let sizes = [shape(value)?, shape(result_inside(region)?)?].concat();
    let aligned = |elements: Extent| {
        // An aligned tensor may begin there, whatever the sizes are.
        let bytes = elements * width;
        (bytes.content().0 % ALIGN == 0).then(|| of_positions(bytes, &sizes))?
    };
    let mut added = Vec::with_capacity(reads.len());
    for (stride, index) in reads {
        let (tensor, at) = index.element;
        let place = |x: &Sum| x.as_constant()?.as_constant();
        let start = Start {
            tensor: outside(tensor)?,
            index: at.iter().map(place).collect::<Option<_>>()?,
            most: of_positions(index.hi, &sizes)?,
        };
        added.push((aligned(stride)?, start));
    }
    let offset = aligned(offset)?;
    Some(View {
        base,
        offset,
        added,
    })
}

/// The only value that a region gives, inside of it.
fn result_inside<'c>(region: Op<'c>) -> Option<Val<'c>> {
    let body = region.body(0)?;
    op::ops(body).last()?.operands().first().copied()
}

/// Value that moves alone make a value of: the elements of it in their order, from one of them on.
struct Moved<'c> {
    value: Val<'c>,
    /// Elements in front of the first one, so far as they are known.
    offset: Extent,
    /// Elements that are added to the offset for each unit of an index that is read at run time.
    added: Vec<(Extent, RuntimeIndex<'c>)>,
}

impl<'c> Moved<'c> {
    /// From `value`, inside of a region, inwards along the maps of its operations.
    fn by(value: Val<'c>, composing: Composing) -> Option<Self> {
        let sizes = shape(value)?;
        let mut loops = composing.over_sizes(&sizes);
        let mut values = Vec::new();
        let own = sizes.iter().enumerate().map(|(k, size)| match *size {
            Extent::ONE => Sum::default(),
            _ => Sum::var(k),
        });
        let own: Vec<Sum> = own.collect();
        let (mut value, mut at) = (value, own.clone());
        loop {
            match node(value, &at, &loops).ok()? {
                Node::Input => break,
                Node::Copy(element) => (value, at) = element,
                Node::Dynamic {
                    operand,
                    mut index,
                    runtime,
                } => {
                    for (dim, read) in runtime {
                        index[dim] = index[dim].plus(&Sum::atom(Atom::value(values.len())));
                        loops.values.push((read.lo, read.hi));
                        if read.lo != 0 {
                            return None;
                        }
                        values.push(read);
                    }
                    (value, at) = (operand, index);
                }
                _ => return None,
            }
        }
        let place = linearize(&at, &shape(value)?);
        let place = composed::simplified(vec![place], &loops).ok()?.pop()?;
        let behind = place.minus(&linearize(&own, &sizes));
        let mut strides = vec![Extent::ZERO; values.len()];
        for (atom, stride) in &behind.terms {
            strides[atom.as_value()?] = *stride;
        }
        let added = strides.into_iter().zip(values);
        Some(Self {
            value,
            offset: behind.constant,
            added: added.filter(|(stride, _)| *stride != 0).collect(),
        })
    }
}

/// The sizes of a tensor.
fn shape(value: Val<'_>) -> Option<Vec<Extent>> {
    sized(value).ok().map(|(_, shape)| shape)
}

/// The number with the sizes at these positions as its names; `None` where it does not follow from
/// them.
fn of_positions(number: Extent, sizes: &[Extent]) -> Option<Extent> {
    let (parts, constant) = number.parts();
    let product = |(factors, times): (&'static [Factor], i64)| {
        let product: Extent = factors.iter().copied().map(Extent::from).product();
        let mut all = sizes
            .iter()
            .enumerate()
            .filter(|(_, size)| size.is_run_time());
        all.find_map(|(k, size)| {
            let rest = (product * times).divided_by(*size)?;
            Some(Extent::name(k) * of_positions(rest, sizes)?)
        })
    };
    let all: Option<Vec<Extent>> = parts.into_iter().map(product).collect();
    Some(all?.into_iter().sum::<Extent>() + constant)
}

/// Tells whether `base` is updated by the reader of the small part of it that `region` takes, or
/// before that part is read. An update in place needs a copy of the part then, and with a view it
/// would need one of the whole.
fn is_overwritten_before_read<'c>(region: Op<'c>, base: Val<'c>) -> bool {
    let result = region.result(0);
    if !overwritten::is_small_part(bytes_of(result), base) {
        return false;
    }
    let Some(block) = region.block() else {
        return false;
    };
    let updates = |op: Op<'c>| {
        op.name() == "indexing.fusion"
            && (overwritten::by(op).into_iter()).any(|value| op::key(value) == op::key(base))
    };
    let mut uses = op::uses(base).into_iter();
    if !uses.any(|(user, _)| user.block() == Some(block) && updates(user)) {
        return false;
    }
    let in_order = op::ops(block).into_iter();
    let behind: Vec<Op<'c>> = in_order.skip_while(|op| !updates(*op)).collect();
    // A reader inside of another operation is taken to come late.
    let is_early = |op: Op<'c>| op.block() == Some(block) && !behind.contains(&op);
    !op::uses(result).into_iter().all(|(user, _)| is_early(user))
}
