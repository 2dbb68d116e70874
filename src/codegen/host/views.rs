//! Results of regions that are a part of a tensor as it lies in memory: rows of its first dimension, its elements in another shape. They need no
//! memory and no kernel, only an address.
//!
//! Which they are says the map from the result to the operand, composed over the region as for every other region: where the place of an element is
//! that of its index in row-major order, behind an offset, the result is a contiguous window ([`mapwright_analysis::views`]). The offset may depend on
//! run-time sizes, which stand-ins are read back from, and on what is read while the program runs.
//!
//! A view is read where its base is, so that every read of a view is one of the base ([`super::lives`]). Regions and operations of the runtime
//! library read views; what control flow or a barrier hands on has memory of its own.

use super::{
    stages::is_stage,
    values::{ALIGN, bytes, is_alias, is_end, is_while, tensor},
};
use mapwright_analysis::views::Window;
use mapwright_fusion::composed;
use mapwright_fusion::inputs::bytes as bytes_of;
use mapwright_fusion::node::{Node, RuntimeIndex, node};
use mapwright_fusion::overwritten;
use mapwright_indexing::linear::{Atom, Facts, Sum, linearize};
use mapwright_mlir::stand_ins::{self, Numeral, Numerals};
use mapwright_mlir::{Op, Val, op};
use std::collections::HashMap;

/// Bytes of a tensor from which on a view is worth it: what is smaller may be in registers.
const LEAST: i64 = 1024;

/// A value that is a part of another as it lies in memory.
#[derive(Clone, Debug)]
pub(crate) struct View<'c> {
    /// The operand of the region that it is a part of.
    pub base: Val<'c>,
    /// Bytes of the base before its first element, so far as they are known or follow from sizes.
    pub(super) offset: Number,
    /// What is added: this many bytes for each unit of what is read.
    pub(super) added: Vec<(Number, Start<'c>)>,
}

/// A number that is known, or follows from the sizes of a base and, behind them, of a view.
pub(super) type Number = Numeral<usize>;

/// An element of an integer tensor, clamped to from zero to `most`.
#[derive(Clone, Debug)]
pub(super) struct Start<'c> {
    pub tensor: Val<'c>,
    pub index: Vec<i64>,
    pub most: Number,
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
    let hands_on = |op| is_end(op) || is_while(op) || is_alias(op);
    let is_handed_on = |(user, _): (Op<'c>, usize)| hands_on(user);
    if region.num_results() != 1 || is_small || op::uses(result).into_iter().any(is_handed_on) {
        return None;
    }
    let Moved { value, window } = Moved::by(op::ops(body).last()?.operand(0))?;
    let outside = |value: Val<'c>| match op::block_argument(value) {
        Some((block, number)) if block == body => Some(region.operand(number)),
        _ => op::is_constant(value).then_some(value),
    };
    let base = region.operand(op::block_argument(value)?.1);
    let width = made.element.byte_width()? as i64;
    if tensor(base)?.element != made.element || !window.known.is_contiguous() {
        return None;
    }
    let sizes = [shape(value)?, window.known.shape].concat();
    let aligned = |elements: i64| number(elements, &sizes).and_then(|n| aligned_bytes(n, width));
    let mut added = Vec::with_capacity(window.added.len());
    for (stride, Read { index, size, less }) in window.added {
        let (tensor, at) = index.element;
        let start = Start {
            tensor: outside(tensor)?,
            index: at.iter().map(Sum::as_constant).collect::<Option<_>>()?,
            most: number(size, &sizes)?.less(less),
        };
        added.push((aligned(stride)?, start));
    }
    let offset = aligned(window.known.offset)?;
    Some(View {
        base,
        offset,
        added,
    })
}

/// An index that is read at run time into a dimension of this size: it is at most that, less a number.
struct Read<'c> {
    index: RuntimeIndex<'c>,
    size: i64,
    less: i64,
}

/// What moves alone make a value of: a window into another one that a region is given.
struct Moved<'c> {
    value: Val<'c>,
    window: Window<Read<'c>>,
}

impl<'c> Moved<'c> {
    /// From `value`, inside of a region, inwards along the maps of its operations.
    fn by(value: Val<'c>) -> Option<Self> {
        let sizes = shape(value)?;
        let mut loops = Facts::of_sizes(&sizes);
        let mut values = Vec::new();
        let (mut value, mut at) = (value, (0..sizes.len()).map(Sum::var).collect::<Vec<_>>());
        loop {
            match node(value, &at, &loops).ok()? {
                Node::Input => break,
                Node::Copy(element) => (value, at) = element,
                Node::Dynamic {
                    operand,
                    mut index,
                    runtime,
                } => {
                    let own = shape(operand)?;
                    for (dim, read) in runtime {
                        index[dim] = index[dim].plus(&Sum::atom(Atom::value(values.len())));
                        loops.values.push((read.lo, read.hi));
                        let (size, less) = (own[dim], own[dim].checked_sub(read.hi)?);
                        if read.lo != 0 || stand_ins::is_stand_in(less) {
                            return None;
                        }
                        values.push(Read {
                            index: read,
                            size,
                            less,
                        });
                    }
                    (value, at) = (operand, index);
                }
                _ => return None,
            }
        }
        let place = linearize(&at, &shape(value)?);
        let place = composed::simplified(vec![place], &loops).ok()?.pop()?;
        let window = Window::of_place(&place, &sizes, values)?;
        Some(Self { value, window })
    }
}

/// The sizes of a tensor, with stand-ins for those that are known at run time only.
fn shape(value: Val<'_>) -> Option<Vec<i64>> {
    stand_ins::sized(value).ok().map(|(_, shape)| shape)
}

/// The number, or the expression of `sizes` that it is the value of.
fn number(number: i64, sizes: &[i64]) -> Option<Number> {
    let named = sizes.iter().enumerate();
    let named = named.filter(|(_, size)| stand_ins::is_stand_in(**size));
    let mut named: Vec<(i64, usize)> = named.map(|(k, size)| (*size, k)).collect();
    if named.is_empty() || number.unsigned_abs() < stand_ins::LEAST as u64 / 2 {
        return Some(Number::known(number));
    }
    // Products of sizes before the sizes.
    named.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    Numerals { sizes: named }.read(number)
}

/// The bytes of so many elements of `width` bytes, if an aligned tensor may begin behind them, whatever the sizes are.
fn aligned_bytes(elements: Number, width: i64) -> Option<Number> {
    let bytes = |n: i64| n.checked_mul(width).filter(|n| n % ALIGN == 0);
    let more = match elements.more {
        Some((sizes, factor)) => Some((sizes, bytes(factor)?)),
        None => None,
    };
    Some(Number {
        sizes: elements.sizes,
        factor: bytes(elements.factor)?,
        more,
        constant: bytes(elements.constant)?,
    })
}

/// Is `base` updated by what reads the small part of it that `region` takes, or before that is read? An update in place needs a copy of the part
/// then, and with a view it would need one of the whole.
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
