//! Dimensions whose size devices do not divide: they are padded to one that they do, and what is
//! computed of the padded tensors is sliced where something else is wanted.
//!
//! Beside a value there is its padded one then, whose first elements are those of the value; what
//! the others are does not matter. An operation gives the padded values of its results if its maps
//! on padded tensors are, on the elements of the value, those on the value. Where the elements
//! along a padded dimension are combined, those that are too many are replaced by what changes
//! nothing.

use super::{
    elements::Elements,
    local::{resized, scratch},
    program::hands_on,
    sites::{Place, Site, shape},
};
use crate::{
    hlo::{neutral_literal, zero_literal},
    make::{HloBuilder, own},
};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, Variable};
use mapwright_mlir::{
    ElementType, Op, TensorType, Val, computation, edit, melior::ir::ValueLike, op,
};
use mapwright_ops::{
    Composer, attrs,
    registry::{self, Class, Effect},
    typing,
};
use mapwright_sharding::{Layout, propagate::Loop};
use std::collections::HashMap;

/// Padded values, by those whose elements they have first.
#[derive(Default)]
struct Padding<'c> {
    padded: HashMap<usize, Val<'c>>,
    /// Operations that are not needed for the padded values of their results.
    replaced: Vec<Op<'c>>,
}

/// Pads the values at some places of a function, whose layouts do not divide them, and computes the
/// padded values of what is made of them. Returns the layouts of the padded values; operations that
/// are needed no longer are gone, and so are the places at them.
pub(super) fn pad<'c>(function: Op<'c>, uneven: &[(Place<'c>, Layout)]) -> Vec<Site<'c>> {
    let (mut padding, mut sites) = (Padding::default(), Vec::new());
    let layout_of = |of: Val<'c>| {
        let is_here = |place: Place<'c>| match place {
            Place::Returned(..) => false,
            _ => place.value() == Some(of),
        };
        let mut all = uneven.iter();
        all.find(|(place, _)| is_here(*place))
            .map(|(_, layout)| layout)
    };
    let mut place = |padding: &mut Padding<'c>, before: Op<'c>, of: Val<'c>, from: Val<'c>| {
        let layout = layout_of(of)?;
        let parts = layout.parts().into_iter();
        let sizes = shape(of).ok()?.into_iter().zip(parts);
        let sizes: Vec<i64> = sizes
            .map(|(size, parts)| (size + parts - 1) / parts * parts)
            .collect();
        let from = padding.padded_value(from).unwrap_or(from);
        let made = pad_to(&HloBuilder::before(before)?, from, &sizes)?;
        sites.push(Site {
            place: Place::Result(op::defining_op(made)?.0, 0),
            layout: layout.clone(),
        });
        padding.padded.insert(op::key(of), made);
        Some(())
    };
    let block = function.body(0);
    let operations = block.map(op::ops).unwrap_or_default();
    if let (Some(block), Some(first)) = (block, operations.first()) {
        for argument in op::arguments(block) {
            place(&mut padding, *first, argument, argument);
        }
    }
    for pair in operations.windows(2) {
        let (own, next) = (pair[0], pair[1]);
        if hands_on(own) && own.num_results() == 1 {
            // Its padded value is that of its operand, in the layout that it says.
            if place(&mut padding, own, own.result(0), own.operand(0)).is_some() {
                padding.replaced.push(own);
            }
            continue;
        }
        let before = if padding.operation(own) { own } else { next };
        for result in own.results() {
            place(&mut padding, before, result, result);
        }
    }
    padding.slice_the_rest();
    sites
}

/// A value with more elements at the end of its dimensions, in an operation of its own. `None` for
/// quantized elements, whose scales may belong to a dimension.
fn pad_to<'c>(b: &HloBuilder<'c>, value: Val<'c>, sizes: &[i64]) -> Option<Val<'c>> {
    let ty = own(value);
    if ty.element.is_quantized() {
        return None;
    }
    let high = sizes.iter().zip(ty.static_shape()?);
    let high: Vec<i64> = high.map(|(size, own)| size - own).collect();
    let none = vec![0; high.len()];
    b.pad_with(value, b.zero(&ty.element), [&none, &high, &none])
}

/// An operation some of whose loops are longer.
struct Longer {
    /// Lengths of these loops.
    loops: HashMap<Loop, i64>,
    /// Sizes of each operand.
    sizes: Vec<Vec<i64>>,
    /// Dimensions of each operand along which elements are combined, those from the first size on
    /// being too many.
    masked: Vec<Vec<(usize, i64)>>,
    /// Literal that changes nothing where elements of an operand are combined; empty where none
    /// are.
    neutral: Vec<String>,
    /// Types of the results.
    types: Vec<TensorType>,
}

impl Longer {
    /// `None` where the operation is not known to compute the same elements with such loops.
    fn new(op: Op<'_>, loops: HashMap<Loop, i64>, maps: &[(usize, IndexingMap)]) -> Option<Longer> {
        let class = registry::lookup(op)?.class;
        let combines = matches!(class, Class::Contraction | Class::Reduction);
        let has_ranges = loops.keys().any(|var| matches!(var, Loop::Range(_)));
        if loops.is_empty() || maps.is_empty() || has_ranges && !combines {
            return None;
        }
        let operands = op.operands();
        let mut sizes = Vec::new();
        for value in &operands {
            sizes.push(shape(*value).ok()?);
        }
        let mut masked = vec![Vec::new(); operands.len()];
        let is_longer = |expr: &Expr| {
            let mut found = false;
            expr.for_each_variable(|kind| {
                found |= variable(kind).is_some_and(|var| loops.contains_key(&var));
            });
            found
        };
        for (operand, map) in maps {
            if map.constraints().iter().any(|c| is_longer(&c.expr)) {
                return None;
            }
            for (dim, expr) in map.results().iter().enumerate() {
                let Some(var) = variable(expr.kind()).filter(|var| loops.contains_key(var)) else {
                    if is_longer(expr) {
                        return None;
                    }
                    continue;
                };
                let before = std::mem::replace(&mut sizes[*operand][dim], loops[&var]);
                let mask = (dim, before);
                let is_known = masked[*operand].iter().any(|(known, _)| *known == dim);
                if matches!(var, Loop::Range(_)) && !is_known {
                    masked[*operand].push(mask);
                }
            }
        }
        let combination = attrs::computation(op, 0).and_then(registry::combination);
        let neutral = operands.iter().zip(&masked).map(|(value, masked)| {
            let element = own(*value).element;
            match class {
                _ if masked.is_empty() => Some(String::new()),
                Class::Contraction => Some(zero_literal(&element).to_owned()),
                _ => neutral_literal(combination?, &element),
            }
        });
        let types = op.results().into_iter().map(|result| {
            let ty = own(result);
            let sizes = ty.static_shape()?.into_iter().enumerate();
            let sizes = sizes.map(|(i, size)| *loops.get(&Loop::Dimension(i)).unwrap_or(&size));
            Some(TensorType::new(ty.element, &sizes.collect::<Vec<i64>>()))
        });
        let longer = Longer {
            neutral: neutral.collect::<Option<_>>()?,
            types: types.collect::<Option<_>>()?,
            loops,
            sizes,
            masked,
        };
        longer.is_right(op, maps).then_some(longer)
    }

    /// Tells whether the operation on operands of these sizes has the maps of the operation, but
    /// for loops that are longer.
    fn is_right<'c>(&self, op: Op<'c>, before: &[(usize, IndexingMap)]) -> bool {
        let operands = op.operands().into_iter().zip(&self.sizes);
        let types = operands.map(|(value, sizes)| TensorType::new(own(value).element, sizes));
        let Some(scratch) = scratch(op, types) else {
            return false;
        };
        let block = mapwright_mlir::block(&scratch);
        let copy = resized(op, &op::arguments(block), &self.types, &HashMap::new());
        edit::append(block, copy);
        if typing::verify(copy).is_err() {
            return false;
        }
        let Some(after) = maps(copy) else {
            return false;
        };
        let has_length =
            |(var, (before, after)): (Loop, (&Variable, &Variable))| match self.loops.get(&var) {
                Some(length) => after.interval == Interval::new(0, length - 1),
                None => before.interval == after.interval,
            };
        let is_same =
            |((operand, before), (same, after)): (&(usize, IndexingMap), &(usize, IndexingMap))| {
                let dims = before.dims().iter().zip(after.dims()).enumerate();
                let ranges = before.ranges().iter().zip(after.ranges()).enumerate();
                let dims = dims.map(|(i, pair)| (Loop::Dimension(i), pair));
                let ranges = ranges.map(|(i, pair)| (Loop::Range(i), pair));
                operand == same
                    && before.ranges().len() == after.ranges().len()
                    && before.is_exact() == after.is_exact()
                    && before.results() == after.results()
                    && before.constraints() == after.constraints()
                    && dims.chain(ranges).all(has_length)
            };
        before.len() == after.len() && before.iter().zip(&after).all(is_same)
    }

    /// Makes the operation before `at`, on operands of its sizes.
    fn make<'c>(
        &self,
        at: Op<'c>,
        op: Op<'c>,
        operand: impl Fn(Val<'c>, &[i64]) -> Option<Val<'c>>,
    ) -> Option<Op<'c>> {
        let b = HloBuilder::before(at)?;
        let mut given = Vec::new();
        for (i, value) in op.operands().into_iter().enumerate() {
            let mut value = operand(value, &self.sizes[i])?;
            for (dim, first) in &self.masked[i] {
                value = masked(&b, value, *dim, *first, &self.neutral[i])?;
            }
            given.push(value);
        }
        let copy = resized(op, &given, &self.types, &HashMap::new());
        edit::insert_before(at, copy);
        Some(copy)
    }
}

impl<'c> Padding<'c> {
    fn padded_value(&self, value: Val<'c>) -> Option<Val<'c>> {
        self.padded.get(&op::key(value)).copied()
    }

    /// A value of such sizes whose first elements are those of `value`, made before `at`.
    fn lengthened(&self, at: Op<'c>, value: Val<'c>, sizes: &[i64]) -> Option<Val<'c>> {
        let has = |value: &Val<'c>| own(*value).static_shape().is_some_and(|own| own == sizes);
        let mut there = self.padded_value(value).into_iter().chain([value]);
        if let Some(there) = there.find(has) {
            return Some(there);
        }
        let b = HloBuilder::before(at)?;
        // What is made of no longer operands is made anew.
        let made = op::defining_op(value).and_then(|(made, result)| {
            let ty = TensorType::new(own(value).element, sizes);
            if let Some(elements) = Elements::from_op(made) {
                return elements.whole(&b, &ty);
            }
            let before = shape(value).ok()?.into_iter().zip(sizes).enumerate();
            let loops = before.filter(|(_, (before, size))| before != *size);
            let loops = loops.map(|(i, (_, size))| (Loop::Dimension(i), *size));
            let longer = Longer::new(made, loops.collect(), &self.maps(made)?)?;
            let as_it_is = |value: Val<'c>, sizes: &[i64]| {
                (shape(value).is_ok_and(|own| own == sizes)).then_some(value)
            };
            Some(longer.make(at, made, as_it_is)?.result(result))
        });
        made.or_else(|| pad_to(&b, value, sizes))
    }

    /// The maps of an operation that may have longer operands.
    fn maps(&self, op: Op<'c>) -> Option<Vec<(usize, IndexingMap)>> {
        let def = registry::lookup(op)?;
        let mut values = op.operands().into_iter().chain(op.results());
        let is_plain = |value: Val<'c>| shape(value).is_ok() && !own(value).element.is_quantized();
        let mut captured = computation::captured(op).into_iter();
        let may = def.effect == Effect::None
            && !def.has_size_operands(op)
            && values.all(is_plain)
            && captured.all(|value| self.padded_value(value).is_none());
        may.then(|| maps(op)).flatten()
    }

    /// Computes the padded values of an operation's results, if some operand has one.
    fn operation(&mut self, op: Op<'c>) -> bool {
        let Some(copy) = self.on_padded(op) else {
            return false;
        };
        let results = op.results().into_iter().zip(copy.results());
        self.padded
            .extend(results.map(|(own, padded)| (op::key(own), padded)));
        self.replaced.push(op);
        true
    }

    fn on_padded(&self, op: Op<'c>) -> Option<Op<'c>> {
        let operands = op.operands();
        if operands
            .iter()
            .all(|value| self.padded_value(*value).is_none())
        {
            return None;
        }
        let maps = self.maps(op)?;
        // Loops that go over padded dimensions are as long as these.
        let mut loops = HashMap::new();
        for (operand, map) in &maps {
            let value = operands[*operand];
            let Some(padded) = self.padded_value(value) else {
                continue;
            };
            let sizes = shape(value).ok()?.into_iter().zip(shape(padded).ok()?);
            for (expr, (before, after)) in map.results().iter().zip(sizes) {
                if let Some(var) = variable(expr.kind()).filter(|_| before != after)
                    && *loops.entry(var).or_insert(after) != after
                {
                    return None;
                }
            }
        }
        let longer = Longer::new(op, loops, &maps)?;
        longer.make(op, op, |value, sizes| self.lengthened(op, value, sizes))
    }

    /// Makes users of operations that are replaced read parts of the padded values.
    fn slice_the_rest(&self) {
        for op in self.replaced.iter().rev() {
            let results = op
                .results()
                .into_iter()
                .filter(|result| edit::is_used(*result));
            for result in results {
                let sizes = shape(result).ok();
                let found = HloBuilder::before(*op)
                    .zip(self.padded_value(result))
                    .zip(sizes);
                if let Some(((b, padded), sizes)) = found {
                    let is_all = result.r#type() == padded.r#type();
                    let slice = if is_all {
                        padded
                    } else {
                        b.first(padded, &sizes)
                    };
                    op::replace_all_uses(result, slice);
                }
            }
            edit::erase_unused(*op);
        }
    }
}

/// The map of each operand that is read, from indices of the results, which have one shape. `None`
/// where a map has pieces, is not known or depends on elements.
fn maps(op: Op<'_>) -> Option<Vec<(usize, IndexingMap)>> {
    let composer = Composer::new().without_simplification();
    let shape_of = |result: Val<'_>| own(result).static_shape();
    let rank = shape_of(op.results().first().copied()?)?.len();
    let mut all = Vec::new();
    for (i, result) in op.results().into_iter().enumerate() {
        if shape_of(result) != shape_of(op.result(0)) {
            return None;
        }
        for read in composer.output_to_input(op, i).iter() {
            let [map] = read.maps.as_slice() else {
                return None;
            };
            let is_plain = map.is_known() && !map.is_known_empty() && map.runtime().is_empty();
            if !is_plain || map.dims().len() != rank {
                return None;
            }
            all.push((read.operand, map.clone()));
        }
    }
    Some(all)
}

/// The loop whose variable an expression is.
fn variable(kind: &ExprKind) -> Option<Loop> {
    match kind {
        ExprKind::Dim(i) => Some(Loop::Dimension(*i)),
        ExprKind::Range(i) => Some(Loop::Range(*i)),
        _ => None,
    }
}

/// A value in which the elements from index `size` of a dimension on are another number.
fn masked<'c>(
    b: &HloBuilder<'c>,
    value: Val<'c>,
    dim: usize,
    size: i64,
    literal: &str,
) -> Option<Val<'c>> {
    let ty = own(value);
    let line = TensorType::new(ElementType::int(32), &[*ty.static_shape()?.get(dim)?]);
    let is_first = b.compare("LT", b.iota(&line, 0), b.constant(&size.to_string(), &line));
    let truth = TensorType {
        element: ElementType::Bool,
        ..ty.clone()
    };
    let is_first = b.broadcast(is_first, &truth, &[dim as i64]);
    let scalar = TensorType::new(ty.element.clone(), &[]);
    let other = b.broadcast(b.constant(literal, &scalar), &ty, &[]);
    Some(b.choose(is_first, value, other))
}
