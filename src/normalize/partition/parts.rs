//! Reads and updates at indices that are computed, along a dimension that devices split: an index
//! does not say, before the program runs, which device has the element.
//!
//! With the dimension of `V` elements as `n` parts of `L` they are written as operations on whole
//! tensors that devices can split along the parts: index `i` is element `i mod L` of part
//! `i floordiv L`. Each part is read by itself, what another part has is replaced by what changes
//! no sum, and the sum over the parts is the element. Updates of another part are out of bounds,
//! where they have no effect. Both are the same numbers: `-0.0 + x` is `x` for every `x`.

use super::{program::Body, split::Split};
use crate::{
    hlo::neutral_literal,
    make::{HloBuilder, own},
    rewrite::replace,
};
use mapwright_mlir::{ElementType, FloatKind, Op, TensorType, Val, edit, melior::ir::ValueLike};
use mapwright_ops::{
    attrs::{GatherDimensions, ScatterDimensions},
    reduction::combination::Combination,
};
use mapwright_sharding::{
    Digit, Reduction,
    propagate::{Communication, Plans, Propagation, Sharding},
};
use std::collections::HashMap;

/// The elements of a tensor in which indices are computed: of 32 bits where these hold all that
/// indices of `size` elements may become.
fn index_element(indices: Val<'_>, size: i64) -> Option<ElementType> {
    let (narrow, wide) = (ElementType::int(32), ElementType::int(64));
    match own(indices).element {
        ElementType::Int { width, unsigned } => {
            let is_narrow = (width < 32 || width == 32 && !unsigned) && size < i64::from(i32::MAX);
            // A number of 64 bits without sign has no other type that holds it.
            (!(width == 64 && unsigned)).then_some(if is_narrow { narrow } else { wide })
        }
        _ => None,
    }
}

/// A number everywhere in a tensor.
fn filled<'c>(b: &HloBuilder<'c>, n: i64, like: Val<'c>) -> Val<'c> {
    b.constant(&n.to_string(), &own(like))
}

/// The numbers of a tensor, within bounds.
fn between<'c>(b: &HloBuilder<'c>, [low, high]: [i64; 2], x: Val<'c>) -> Val<'c> {
    let low = b.binary("maximum", x, filled(b, low, x));
    b.binary("minimum", low, filled(b, high, x))
}

/// The components of indices along dimension `vector` at `component`, and the others of `rest`.
fn of_component<'c>(
    b: &HloBuilder<'c>,
    [at, rest]: [Val<'c>; 2],
    vector: usize,
    component: usize,
) -> Val<'c> {
    let ty = own(at);
    let one = ty.dims.get(vector).is_none();
    if one || ty.static_shape().is_some_and(|sizes| sizes[vector] == 1) {
        return at;
    }
    let places = b.iota(&ty, vector);
    let is_own = b.compare("EQ", places, filled(b, component as i64, places));
    b.choose(is_own, at, rest)
}

/// A gather, as one of every part.
pub(super) fn read<'c>(
    body: &Body<'c>,
    found: &Propagation,
    communication: &Communication,
    op: Op<'c>,
    plans: &mut Plans,
) -> Option<Val<'c>> {
    let value = op.operand(0);
    let dims = GatherDimensions::decode(op).ok()?;
    let of = &body.program.values[communication.value];
    let layouts = (&communication.has, &communication.needs);
    let split = Split::first_of(&dims.start_index_map, &of.shape, layouts)?;
    let digits = &communication.has.dims[split.dim];
    let sizes = dims.slice_sizes.as_ref()?;
    if sizes.get(split.dim) != Some(&1) || !dims.collapsed_slice_dims.contains(&(split.dim as i64))
    {
        return None;
    }
    // What is sent either way.
    let number = body.values.iter().position(|v| *v == op.result(0))?;
    let result = &body.program.values[number];
    let placed = found.values[number].as_ref();
    let has = placed.map(|placed| placed.sharding.full());
    let mut has = has.unwrap_or_else(|| Sharding::replicated(result.shape.len()));
    // Digits along which there are summands split nothing else.
    for dim in &mut has.dims {
        dim.retain(|digit| {
            let overlaps = |other: &Digit| digit.stride < other.end() && other.stride < digit.end();
            !digits.iter().any(overlaps)
        });
    }
    let mut summands = has.clone();
    summands.partial = digits
        .iter()
        .map(|digit| (*digit, Reduction::Sum))
        .collect();
    let combined = plans.bytes(
        &result.shape,
        result.element_bytes,
        &summands.merged(),
        &has,
    )?;
    let (from, to) = layouts;
    let gathered = plans.bytes(&of.shape, of.element_bytes, from, to)?;
    if combined >= gathered {
        return None;
    }
    let element = own(value).element;
    let is_added = match &element {
        ElementType::Float(kind) => {
            use FloatKind::{BF16, F16, F32, F64};
            [F16, BF16, F32, F64].contains(kind)
        }
        ElementType::Int { .. } => true,
        _ => false,
    };
    let neutral = neutral_literal(Combination::Sum, &element).filter(|_| is_added)?;
    let indices = op.operand(1);
    let computed = index_element(indices, split.size)?;
    let component = dims
        .start_index_map
        .iter()
        .position(|d| *d == split.dim as i64)?;
    let vector = dims.index_vector_dim as usize;

    let b = HloBuilder::before(op)?;
    let whole = b.convert(indices, &computed);
    let bounded = between(&b, [0, split.size - 1], whole);
    let length = filled(&b, split.length(), bounded);
    let part = b.binary("divide", bounded, length);
    let at = b.binary("remainder", bounded, length);
    let at = of_component(&b, [at, whole], vector, component);
    let later = |list: &[i64]| list.iter().map(|d| d + 1).collect::<Vec<i64>>();
    let with_parts = GatherDimensions {
        offset_dims: [vec![0], later(&dims.offset_dims)].concat(),
        collapsed_slice_dims: later(&dims.collapsed_slice_dims),
        operand_batching_dims: later(&dims.operand_batching_dims),
        start_index_map: later(&dims.start_index_map),
        slice_sizes: None,
        ..dims.clone()
    };
    let sizes = [vec![split.parts], sizes.clone()].concat();
    let attributes = [
        ("dimension_numbers", b.parse_attr(&with_parts.to_string())),
        ("slice_sizes", b.i64_array(&sizes)),
        ("indices_are_sorted", b.bool_attr(false)),
    ];
    let operand = split.in_parts(&b, value);
    let of_result = own(op.result(0)).static_shape()?;
    let of_each = TensorType::new(
        element.clone(),
        &[&[split.parts], of_result.as_slice()].concat(),
    );
    let each = b.operation("stablehlo.gather", &[operand, at], &of_each, &attributes);
    // The part of each index, at the dimensions of the result that indices have.
    let mut of_index = own(part).static_shape()?;
    let part = if vector < of_index.len() {
        let mut starts = vec![0; of_index.len()];
        let mut ends = of_index.clone();
        (starts[vector], ends[vector]) = (component as i64, component as i64 + 1);
        let ones = vec![1; of_index.len()];
        let own = b.slice(part, [&starts, &ends, &ones]);
        of_index.remove(vector);
        b.reshape(own, &TensorType::new(computed.clone(), &of_index))
    } else {
        part
    };
    let rank = own(each).dims.len() as i64;
    let batch: Vec<i64> = (0..rank)
        .filter(|d| !with_parts.offset_dims.contains(d))
        .collect();
    let places = TensorType {
        element: computed,
        ..own(each)
    };
    let is_own = b.compare("EQ", b.iota(&places, 0), b.broadcast(part, &places, &batch));
    let kept = b.choose(is_own, each, b.constant(&neutral, &own(each)));
    let nothing = b.constant(&neutral, &TensorType::new(element, &[]));
    let sum = b.reduce("add", kept, nothing, &[0]);
    replace(op, &[sum]);
    Some(sum)
}

/// A scatter, as one into every part.
pub(super) fn update<'c>(body: &Body<'c>, found: &Propagation, op: Op<'c>) -> Option<Val<'c>> {
    let dims = ScatterDimensions::decode(op).ok()?;
    let number = body.values.iter().position(|v| *v == op.result(0))?;
    let shape = &body.program.values[number].shape;
    let wanted = &found.values[number].as_ref()?.sharding;
    let whole = Sharding::replicated(shape.len());
    let indexed = &dims.scatter_dims_to_operand_dims;
    let split = Split::first_of(indexed, shape, (wanted, &whole))?;
    if op.num_operands() != 3 || !dims.inserted_window_dims.contains(&(split.dim as i64)) {
        return None;
    }
    let (indices, updates) = (op.operand(1), op.operand(2));
    let computed = index_element(indices, split.size)?;
    let component = indexed.iter().position(|d| *d == split.dim as i64)?;
    let vector = dims.index_vector_dim as usize;
    let of_indices = own(indices).static_shape()?;
    let of_updates = own(updates).static_shape()?;

    let b = HloBuilder::before(op)?;
    let apart = |x: Val<'c>, sizes: &[i64]| {
        let ty = TensorType::new(own(x).element, &[&[split.parts], sizes].concat());
        let dims: Vec<i64> = (1..=sizes.len() as i64).collect();
        b.broadcast(x, &ty, &dims)
    };
    let whole = b.convert(indices, &computed);
    // What is out of bounds stays so, and does not go round when something is subtracted.
    let bounded = apart(between(&b, [-1, split.size], whole), &of_indices);
    let part = b.iota(&own(bounded), 0);
    let first = b.binary("multiply", part, filled(&b, split.length(), part));
    let at = b.binary("subtract", bounded, first);
    let at = of_component(&b, [at, apart(whole, &of_indices)], vector + 1, component);
    let later = |list: &[i64]| list.iter().map(|d| d + 1).collect::<Vec<i64>>();
    let with_parts = ScatterDimensions {
        update_window_dims: later(&dims.update_window_dims),
        inserted_window_dims: later(&dims.inserted_window_dims),
        input_batching_dims: [vec![0], later(&dims.input_batching_dims)].concat(),
        scatter_indices_batching_dims: [vec![0], later(&dims.scatter_indices_batching_dims)]
            .concat(),
        scatter_dims_to_operand_dims: later(indexed),
        index_vector_dim: dims.index_vector_dim + 1,
    };
    let operands = [
        split.in_parts(&b, op.operand(0)),
        at,
        apart(updates, &of_updates),
    ];
    let copy = edit::clone(op, &HashMap::new());
    edit::insert_before(op, copy);
    for (i, operand) in operands.into_iter().enumerate() {
        edit::set_operand(copy, i, operand);
    }
    let numbers = b.parse_attr(&with_parts.to_string());
    copy.set_attribute("scatter_dimension_numbers", numbers);
    copy.set_attribute("indices_are_sorted", b.bool_attr(false));
    copy.result(0).set_type(b.ty(&own(copy.operand(0))));
    let new = split.whole(&b, copy.result(0), &own(op.operand(0)));
    replace(op, &[new]);
    Some(new)
}
