//! Dimensions whose size devices do not divide: they are padded to one that they do, and what is
//! computed of the padded tensors is sliced where something else is wanted.
//!
//! Beside a value there is its padded one then, whose first elements are those of the value; what
//! the others are does not matter. An operation gives the padded values of its results if its maps
//! on padded tensors are, on the elements of the value, those on the value. Where the elements
//! along a padded dimension are combined, those that are too many are replaced by what changes
//! nothing.

use super::{
    local::resized,
    program::hands_on,
    sites::{Place, Site, shape},
};
use crate::{
    hlo::{neutral_literal, zero_literal},
    make::{HloBuilder, own},
};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval};
use mapwright_mlir::{
    ElementType, Op, TensorType, Ty, Val,
    attr::Dense,
    computation, edit,
    melior::ir::{Block, ValueLike},
    op,
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
        let from = padding.padded.get(&op::key(from)).copied().unwrap_or(from);
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
    for (argument, first) in block
        .map(op::arguments)
        .into_iter()
        .flatten()
        .zip(operations.first().into_iter().cycle())
    {
        place(&mut padding, *first, argument, argument);
    }
    for pair in operations.windows(2) {
        let (own, next) = (pair[0], pair[1]);
        let says = hands_on(own) && own.num_results() == 1;
        let is_replaced = !says && padding.operation(own);
        for result in own.results() {
            let before = if says || is_replaced { own } else { next };
            let from = if says { own.operand(0) } else { result };
            let is_placed = place(&mut padding, before, result, from).is_some();
            if says && is_placed {
                padding.replaced.push(own);
            }
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

impl<'c> Padding<'c> {
    /// A value of such sizes whose first elements are those of `value`.
    fn lengthened(&self, b: &HloBuilder<'c>, value: Val<'c>, sizes: &[i64]) -> Option<Val<'c>> {
        let has = |value: Val<'c>| own(value).static_shape().is_some_and(|own| own == sizes);
        let padded = self.padded.get(&op::key(value)).copied();
        if let Some(there) = padded.into_iter().chain([value]).find(|value| has(*value)) {
            return Some(there);
        }
        let ty = TensorType::new(own(value).element, sizes);
        // What is simple is made anew.
        let (made, _) = op::defining_op(value).unzip();
        match made {
            Some(constant) if constant.is_hlo("constant") => {
                let held = constant.attribute("value")?;
                let text = held.to_string();
                match (Dense::splat_of(held), text.rsplit_once(" : ")) {
                    (Some(_), Some((literal, _))) => {
                        let value = b.parse_attr(&format!("{literal} : {ty}"));
                        let value = [("value", value)];
                        Some(b.operation("stablehlo.constant", &[], &ty, &value))
                    }
                    _ => pad_to(b, value, sizes),
                }
            }
            Some(iota) if iota.is_hlo("iota") => {
                Some(b.iota(&ty, usize::try_from(iota.int("iota_dimension")?).ok()?))
            }
            Some(spread) if spread.is_hlo("broadcast_in_dim") => {
                let dims = spread.ints("broadcast_dimensions")?;
                let sources = own(spread.operand(0)).static_shape()?;
                let before = own(value).static_shape()?;
                let is_longer = |dim: &i64| sizes.get(*dim as usize) != before.get(*dim as usize);
                let mut along = dims.iter().zip(sources);
                if along.any(|(dim, size)| is_longer(dim) && size != 1) {
                    return pad_to(b, value, sizes);
                }
                Some(b.broadcast(spread.operand(0), &ty, &dims))
            }
            _ => pad_to(b, value, sizes),
        }
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
        let padded = |value: &Val<'c>| self.padded.get(&op::key(*value)).copied();
        let def = registry::lookup(op)?;
        let operands = op.operands();
        let has_scales = |value: &Val<'c>| own(*value).element.is_quantized();
        if !operands.iter().any(|value| padded(value).is_some())
            || def.effect != Effect::None
            || def.has_size_operands(op)
            || !operands
                .iter()
                .chain(&op.results())
                .all(|value| shape(*value).is_ok())
            || operands.iter().chain(&op.results()).any(has_scales)
            || computation::captured(op)
                .iter()
                .any(|value| padded(value).is_some())
        {
            return None;
        }
        let maps = maps(op)?;
        let combines = matches!(def.class, Class::Contraction | Class::Reduction);
        // How long the loops are that go over padded dimensions.
        let mut longer: HashMap<Loop, i64> = HashMap::new();
        for (operand, map) in &maps {
            let Some(value) = padded(&operands[*operand]) else {
                continue;
            };
            let (before, after) = (shape(operands[*operand]).ok()?, shape(value).ok()?);
            for ((expr, before), after) in map.results().iter().zip(before).zip(after) {
                if let Some(var) = variable(expr.kind()).filter(|_| before != after) {
                    let is_known = combines || matches!(var, Loop::Dimension(_));
                    if !is_known || *longer.entry(var).or_insert(after) != after {
                        return None;
                    }
                }
            }
        }
        if longer.is_empty() {
            return None;
        }
        // What each operand is to be, and along which dimensions its elements are combined.
        let mut sizes: Vec<Vec<i64>> = Vec::new();
        let mut masked: Vec<Vec<usize>> = vec![Vec::new(); operands.len()];
        for value in &operands {
            sizes.push(shape(*value).ok()?);
        }
        for (operand, map) in &maps {
            let reads_longer = |expr: &Expr| {
                let mut found = false;
                expr.for_each_variable(|kind| {
                    found |= variable(kind).is_some_and(|var| longer.contains_key(&var));
                });
                found
            };
            if map.constraints().iter().any(|c| reads_longer(&c.expr)) {
                return None;
            }
            for (dim, expr) in map.results().iter().enumerate() {
                match variable(expr.kind()).and_then(|var| Some((var, *longer.get(&var)?))) {
                    Some((var, size)) => {
                        sizes[*operand][dim] = size;
                        if matches!(var, Loop::Range(_)) && !masked[*operand].contains(&dim) {
                            masked[*operand].push(dim);
                        }
                    }
                    None if reads_longer(expr) => return None,
                    None => {}
                }
            }
        }
        let types: Vec<TensorType> = (op.results().into_iter())
            .map(|result| {
                let ty = own(result);
                let dims = ty.static_shape()?.into_iter().enumerate();
                let of = |(i, size)| longer.get(&Loop::Dimension(i)).copied().unwrap_or(size);
                Some(TensorType::new(
                    ty.element.clone(),
                    &dims.map(of).collect::<Vec<i64>>(),
                ))
            })
            .collect::<Option<_>>()?;
        let combination = attrs::computation(op, 0).and_then(registry::combination);
        let neutral = |value: Val<'c>| {
            let element = own(value).element;
            match def.class {
                Class::Contraction => Some(zero_literal(&element).to_owned()),
                _ => neutral_literal(combination?, &element),
            }
        };
        if !is_right(op, &sizes, &types, &maps, &longer) {
            return None;
        }
        let b = HloBuilder::before(op)?;
        let mut given = Vec::new();
        for (i, value) in operands.iter().enumerate() {
            let mut value = self.lengthened(&b, *value, &sizes[i])?;
            for dim in &masked[i] {
                let before = shape(operands[i]).ok()?[*dim];
                value = first_only(&b, value, *dim, before, &neutral(value)?)?;
            }
            given.push(value);
        }
        let copy = resized(op, &given, &types, &HashMap::new());
        edit::insert_before(op, copy);
        Some(copy)
    }

    /// Makes users of operations that are replaced read parts of the padded values.
    fn slice_the_rest(&self) {
        for op in self.replaced.iter().rev() {
            let results = op
                .results()
                .into_iter()
                .filter(|result| edit::is_used(*result));
            for result in results {
                let padded = self.padded.get(&op::key(result)).copied();
                let sizes = shape(result).ok();
                let slice = HloBuilder::before(*op).zip(padded).zip(sizes);
                let slice = slice.map(|((b, padded), sizes)| match result.r#type() {
                    ty if ty == padded.r#type() => padded,
                    _ => b.first(padded, &sizes),
                });
                if let Some(slice) = slice {
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

/// Tells whether the operation on operands of these sizes, with results of these types, has the
/// maps of the operation, but for loops that are longer.
fn is_right<'c>(
    op: Op<'c>,
    sizes: &[Vec<i64>],
    types: &[TensorType],
    maps_before: &[(usize, IndexingMap)],
    longer: &HashMap<Loop, i64>,
) -> bool {
    let given = op.operands().into_iter().zip(sizes);
    let given: Option<Vec<(Ty<'c>, _)>> = given
        .map(|(value, sizes)| {
            let ty = TensorType::new(own(value).element, sizes);
            Some((Ty::parse(op.context(), &ty.to_string())?, op.location()))
        })
        .collect();
    let Some(given) = given else { return false };
    let scratch = Block::new(&given);
    let block = mapwright_mlir::block(&scratch);
    let copy = resized(op, &op::arguments(block), types, &HashMap::new());
    edit::append(block, copy);
    if typing::verify(copy).is_err() {
        return false;
    }
    let Some(maps_after) = maps(copy) else {
        return false;
    };
    let has_length = |var: Loop, before: Interval, after: Interval| match longer.get(&var) {
        Some(length) => after == Interval::new(0, length - 1),
        None => before == after,
    };
    let pairs = maps_before.iter().zip(&maps_after);
    maps_before.len() == maps_after.len()
        && pairs.into_iter().all(|((operand, before), (same, after))| {
            let dims = before.dims().iter().zip(after.dims()).enumerate();
            let ranges = before.ranges().iter().zip(after.ranges()).enumerate();
            let mut loops = dims
                .map(|(i, pair)| (Loop::Dimension(i), pair))
                .chain(ranges.map(|(i, pair)| (Loop::Range(i), pair)));
            operand == same
                && before.ranges().len() == after.ranges().len()
                && before.is_exact() == after.is_exact()
                && before.results() == after.results()
                && before.constraints() == after.constraints()
                && loops
                    .all(|(var, (before, after))| has_length(var, before.interval, after.interval))
        })
}

/// A value in which the elements from index `size` of a dimension on are another number.
fn first_only<'c>(
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
