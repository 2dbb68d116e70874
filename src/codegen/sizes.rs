//! Run-time sizes of results: the shape functions, over index arithmetic.
//!
//! The caller answers two questions, "what are the sizes of this operand" and "what is this element of this integer operand", so
//! that the same rules serve kernels (which compute elements) and the host function (which loads them).

use crate::{
    error::{Result, unsupported},
    index::Ix,
    windows::{RunTimeWindow, convolution, windows},
};
use mapwright_mlir::melior::ir::ValueLike;
use mapwright_mlir::{Builder, ElementType, Op, Val, ValueType};
use mapwright_ops::attrs::{self, DotDimensions, GatherDimensions, Pad, Window};
use mapwright_ops::{library, typing::Violation};

/// What a shape function asks.
pub enum Question<'c> {
    /// The sizes of a value.
    Sizes(Val<'c>),
    /// An element of an integer value, as an index (a list of one).
    Element(Val<'c>, Vec<Ix<'c>>),
    /// Not a question: these sizes must be equal, or the call fails. The answer is empty.
    Equal(Vec<Ix<'c>>, Vec<Ix<'c>>),
    /// Not a question either: the first must not exceed the second.
    AtMost(Ix<'c>, Ix<'c>),
}

/// Answers questions.
pub type Answer<'a, 'c> = &'a mut dyn FnMut(&Builder<'c>, Question<'c>) -> Result<Vec<Ix<'c>>>;

/// An integer value as an `index`.
pub fn to_index<'c>(b: &Builder<'c>, value: Val<'c>, element: &ElementType) -> Val<'c> {
    let name = match element.is_unsigned() || *element == ElementType::Bool {
        true => "arith.index_castui",
        false => "arith.index_cast",
    };
    b.cast(name, value, b.index())
}

/// The operands of a call that hold the sizes of its results.
fn shape_operands(op: Op<'_>) -> Result<Vec<usize>> {
    let wrong = |violation: Violation| crate::Unsupported(violation.message);
    library::shape_operands(op).map_err(wrong)
}

fn rank(value: Val<'_>) -> Result<usize> {
    match ValueType::from_mlir(value.r#type()) {
        ValueType::Tensor(tensor) => Ok(tensor.rank()),
        other => unsupported(format!("a value of type {other}")),
    }
}

/// Sizes of result `result` of `op`. Dimensions whose size the type tells may come out as values; the caller knows better.
pub fn of_result<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    result: usize,
    ask: Answer<'_, 'c>,
) -> Result<Vec<Ix<'c>>> {
    let result_rank = rank(op.result(result))?;
    let shape_operand = |i: usize| {
        (0..result_rank as i64)
            .map(|d| Question::Element(op.operand(i), vec![Ix::Known(d)]))
            .collect::<Vec<_>>()
    };
    let list = |questions: Vec<Question<'c>>,
                b: &Builder<'c>,
                ask: Answer<'_, 'c>|
     -> Result<Vec<Ix<'c>>> {
        let mut sizes = Vec::new();
        for question in questions {
            sizes.extend(ask(b, question)?);
        }
        Ok(sizes)
    };
    let bad = |error: attrs::AttrError| crate::Unsupported(format!("'{}': {error}", op.name()));
    match attrs::name(op) {
        "dynamic_broadcast_in_dim" => list(shape_operand(1), b, ask),
        "dynamic_rng_bit_generator" if result == 1 => list(shape_operand(1), b, ask),
        "dynamic_rng_bit_generator" => ask(b, Question::Sizes(op.operand(0))),
        "dynamic_top_k" => {
            let mut own = ask(b, Question::Sizes(op.operand(0)))?;
            let k = ask(b, Question::Element(op.operand(1), Vec::new()))?[0];
            if let Some(last) = own.last_mut() {
                *last = k;
            }
            Ok(own)
        }
        "custom_call" => match shape_operands(op)?.get(result) {
            Some(operand) => list(shape_operand(*operand), b, ask),
            None => unsupported(format!("the run-time shape of '{}'", op.name())),
        },
        "dynamic_reshape" => {
            let sizes = list(shape_operand(1), b, ask)?;
            let own = ask(b, Question::Sizes(op.operand(0)))?;
            let (from, to) = (
                crate::index::product(b, &own),
                crate::index::product(b, &sizes),
            );
            ask(b, Question::Equal(vec![from], vec![to]))?;
            Ok(sizes)
        }
        "dynamic_iota" => list(shape_operand(0), b, ask),
        "real_dynamic_slice" => {
            let own = ask(b, Question::Sizes(op.operand(0)))?;
            let mut sizes = Vec::new();
            for d in 0..result_rank as i64 {
                let mut part = |i: usize| -> Result<Ix<'c>> {
                    Ok(ask(b, Question::Element(op.operand(i), vec![Ix::Known(d)]))?[0])
                };
                let (start, limit, stride) = (part(1)?, part(2)?, part(3)?);
                ask(b, Question::AtMost(Ix::Known(0), start))?;
                ask(b, Question::AtMost(limit, own[d as usize]))?;
                ask(b, Question::AtMost(Ix::Known(1), stride))?;
                let length = limit
                    .sub(b, start)
                    .add(b, stride)
                    .sub(b, Ix::Known(1))
                    .max(b, Ix::Known(0));
                sizes.push(length.div(b, stride));
            }
            Ok(sizes)
        }
        "dynamic_pad" => {
            let own = ask(b, Question::Sizes(op.operand(0)))?;
            let mut sizes = Vec::new();
            for (d, size) in own.into_iter().enumerate() {
                let mut part = |i: usize| -> Result<Ix<'c>> {
                    Ok(ask(
                        b,
                        Question::Element(op.operand(i), vec![Ix::Known(d as i64)]),
                    )?[0])
                };
                let (low, high, interior) = (part(2)?, part(3)?, part(4)?);
                sizes.push(padded(b, size, low, high, interior));
            }
            Ok(sizes)
        }
        "pad" => {
            let own = ask(b, Question::Sizes(op.operand(0)))?;
            let pad = Pad::decode(op, own.len()).map_err(bad)?;
            Ok(own
                .into_iter()
                .enumerate()
                .map(|(d, size)| {
                    let [low, high, interior] =
                        [pad.low[d], pad.high[d], pad.interior[d]].map(Ix::Known);
                    padded(b, size, low, high, interior)
                })
                .collect())
        }
        "transpose" => {
            let own = ask(b, Question::Sizes(op.operand(0)))?;
            let permutation = attrs::permutation(op, own.len()).map_err(bad)?;
            Ok(permutation.into_iter().map(|d| own[d]).collect())
        }
        "reduce" => {
            let own = ask(b, Question::Sizes(op.operand(result)))?;
            let dimensions = attrs::dimensions(op, own.len()).map_err(bad)?;
            Ok(own
                .into_iter()
                .enumerate()
                .filter(|(d, _)| !dimensions.contains(d))
                .map(|(_, size)| size)
                .collect())
        }
        "concatenate" => {
            let axis = attrs::int(op, "dimension").map_err(bad)? as usize;
            let mut sizes = ask(b, Question::Sizes(op.operand(0)))?;
            for operand in op.operands().into_iter().skip(1) {
                let other = ask(b, Question::Sizes(operand))?;
                sizes[axis] = sizes[axis].add(b, other[axis]);
            }
            Ok(sizes)
        }
        "broadcast_in_dim" => {
            // Only bounded dimensions that are carried over can be dynamic here.
            let own = ask(b, Question::Sizes(op.operand(0)))?;
            let dims = attrs::broadcast_dimensions(op, own.len(), result_rank).map_err(bad)?;
            let mut sizes = vec![Ix::Known(1); result_rank];
            for (d, size) in dims.into_iter().zip(own) {
                sizes[d] = size;
            }
            Ok(sizes)
        }
        "broadcast" => {
            let own = ask(b, Question::Sizes(op.operand(0)))?;
            let front = attrs::ints(op, "broadcast_sizes").map_err(bad)?;
            Ok(front.into_iter().map(Ix::Known).chain(own).collect())
        }
        "dot_general" => {
            let (l, r) = (
                ask(b, Question::Sizes(op.operand(0)))?,
                ask(b, Question::Sizes(op.operand(1)))?,
            );
            let dims = DotDimensions::decode(op).map_err(bad)?;
            let mut sizes: Vec<_> = dims.lhs_batching.iter().map(|d| l[*d as usize]).collect();
            let free = |all: &[Ix<'c>], x: &[i64], y: &[i64]| -> Vec<Ix<'c>> {
                (0..all.len() as i64)
                    .filter(|d| !x.contains(d) && !y.contains(d))
                    .map(|d| all[d as usize])
                    .collect()
            };
            sizes.extend(free(&l, &dims.lhs_batching, &dims.lhs_contracting));
            sizes.extend(free(&r, &dims.rhs_batching, &dims.rhs_contracting));
            Ok(sizes)
        }
        "dot" => {
            let (l, r) = (
                ask(b, Question::Sizes(op.operand(0)))?,
                ask(b, Question::Sizes(op.operand(1)))?,
            );
            let mut sizes = l[..l.len().saturating_sub(1)].to_vec();
            sizes.extend(r.into_iter().skip(1));
            Ok(sizes)
        }
        "gather" | "dynamic_gather" => {
            let dims = GatherDimensions::decode(op).map_err(bad)?;
            let indices = ask(b, Question::Sizes(op.operand(1)))?;
            let own = rank(op.operand(0))?;
            let mut batch = indices
                .into_iter()
                .enumerate()
                .filter(|(d, _)| *d as i64 != dims.index_vector_dim)
                .map(|(_, size)| size);
            let mut slices = Vec::new();
            for d in 0..own as i64 {
                if dims.collapsed_slice_dims.contains(&d) || dims.operand_batching_dims.contains(&d)
                {
                    continue;
                }
                slices.push(match &dims.slice_sizes {
                    Some(sizes) => Ix::Known(sizes[d as usize]),
                    None => ask(b, Question::Element(op.operand(2), vec![Ix::Known(d)]))?[0],
                });
            }
            let mut slices = slices.into_iter();
            Ok((0..result_rank as i64)
                .map(|d| match dims.offset_dims.contains(&d) {
                    true => slices.next(),
                    false => batch.next(),
                })
                .map(|size| size.unwrap_or(Ix::Known(1)))
                .collect())
        }
        "reduce_window" => {
            let own = ask(b, Question::Sizes(op.operand(result)))?;
            let window = Window::reduce_window(op, own.len()).map_err(bad)?;
            Ok(own
                .into_iter()
                .enumerate()
                .map(|(d, size)| windows(b, &window, d, size))
                .collect())
        }
        "dynamic_reduce_window" => {
            let own = ask(b, Question::Sizes(op.operand(result)))?;
            let mut sizes = Vec::new();
            for (d, size) in own.into_iter().enumerate() {
                let window = RunTimeWindow::of(b, op, d, ask)?;
                sizes.push(window.count(b, size));
            }
            Ok(sizes)
        }
        "convolution" | "dynamic_conv" => convolution(b, op, result_rank, ask),
        "set_dimension_size" => {
            let mut sizes = ask(b, Question::Sizes(op.operand(0)))?;
            let axis = attrs::int(op, "dimension").map_err(bad)? as usize;
            sizes[axis] = ask(b, Question::Element(op.operand(1), Vec::new()))?[0];
            Ok(sizes)
        }
        "bitcast_convert" => {
            let mut sizes = ask(b, Question::Sizes(op.operand(0)))?;
            sizes.truncate(result_rank);
            sizes.resize(result_rank, Ix::Known(1));
            Ok(sizes)
        }
        "reshape" => reshaped(b, op, ask),
        "slice" => {
            let own = ask(b, Question::Sizes(op.operand(0)))?;
            let slice = attrs::Slice::decode(op, own.len()).map_err(bad)?;
            // A bounded dimension is taken whole or cut at its limit.
            Ok(own
                .into_iter()
                .enumerate()
                .map(|(d, size)| {
                    let limit = size.min(b, Ix::Known(slice.limit[d]));
                    let span = limit
                        .sub(b, Ix::Known(slice.start[d]))
                        .add(b, Ix::Known(slice.stride[d] - 1))
                        .max(b, Ix::Known(0));
                    span.div(b, Ix::Known(slice.stride[d]))
                })
                .collect())
        }
        "dynamic_slice" => {
            let sizes = attrs::ints(op, "slice_sizes").map_err(bad)?;
            Ok(sizes.into_iter().map(Ix::Known).collect())
        }
        "torch_index_select" => {
            let mut own = ask(b, Question::Sizes(op.operand(0)))?;
            let indices = ask(b, Question::Sizes(op.operand(1)))?;
            let axis = attrs::int(op, "dim").map_err(bad)? as usize;
            let batch = attrs::int_or(op, "batch_dims", 0).map_err(bad)? as usize;
            own.splice(axis..=axis, indices.into_iter().skip(batch));
            Ok(own)
        }
        "top_k" | "topk" => {
            let mut own = ask(b, Question::Sizes(op.operand(0)))?;
            let k = attrs::int(op, "k").map_err(bad)?;
            if let Some(last) = own.last_mut() {
                *last = Ix::Known(k);
            }
            Ok(own)
        }
        "all_gather" | "reduce_scatter" | "all_to_all" => {
            let own = ask(b, Question::Sizes(op.operand(result)))?;
            exchanged(b, op, own).map_err(bad)
        }
        "select" | "clamp" | "triangular_solve" => ask(b, Question::Sizes(op.operand(1))),
        "sort"
        | "scatter"
        | "all_reduce"
        | "cross-replica-sum"
        | "collective_broadcast"
        | "collective_permute" => ask(b, Question::Sizes(op.operand(result))),
        "optimization_barrier" => ask(b, Question::Sizes(op.operand(result))),
        _ => {
            // Element by element, or the shape of the first operand.
            let elementwise = crate::scalar::is_elementwise(op) || op.short_name() == "map";
            if !elementwise && !LIKE_FIRST.contains(&op.short_name()) {
                return unsupported(format!("the run-time shape of '{}'", op.name()));
            }
            let mut found: Option<Vec<Ix<'c>>> = None;
            for operand in op.operands() {
                if rank(operand).is_ok_and(|r| r == result_rank) {
                    let own = ask(b, Question::Sizes(operand))?;
                    match &found {
                        None => found = Some(own),
                        Some(first) if elementwise => {
                            ask(b, Question::Equal(first.clone(), own))?;
                        }
                        Some(_) => {}
                    }
                }
            }
            if let Some(found) = found {
                return Ok(found);
            }
            unsupported(format!("the run-time shape of '{}'", op.name()))
        }
    }
}

/// Not element by element, with the sizes of the first operand all the same.
const LIKE_FIRST: &[&str] = &[
    "cholesky",
    "dynamic_update_slice",
    "fft",
    "reverse",
    "scan",
    "select_and_scatter",
];

/// Sizes of what the members of a group exchange: one dimension has the pieces of all, another a piece of what it had.
fn exchanged<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    mut sizes: Vec<Ix<'c>>,
) -> std::result::Result<Vec<Ix<'c>>, attrs::AttrError> {
    let groups = attrs::replica_groups(op)?.groups;
    let members = groups.iter().map(Vec::len).max().unwrap_or(0).max(1) as i64;
    let (joined, split) = match op.short_name() {
        "all_gather" => (Some("all_gather_dim"), None),
        "reduce_scatter" => (None, Some("scatter_dimension")),
        _ => (Some("concat_dimension"), Some("split_dimension")),
    };
    if let Some(name) = split {
        let axis = attrs::axis(name, attrs::int(op, name)?, sizes.len())?;
        sizes[axis] = sizes[axis].div(b, Ix::Known(members));
    }
    if let Some(name) = joined {
        let axis = attrs::axis(name, attrs::int(op, name)?, sizes.len())?;
        sizes[axis] = sizes[axis].mul(b, Ix::Known(members));
    }
    Ok(sizes)
}

/// A reshape of a tensor with one run-time size has at most one such size; it follows from the number of elements.
fn reshaped<'c>(b: &Builder<'c>, op: Op<'c>, ask: Answer<'_, 'c>) -> Result<Vec<Ix<'c>>> {
    let own = ask(b, Question::Sizes(op.operand(0)))?;
    let total = crate::index::product(b, &own);
    let ValueType::Tensor(tensor) = op.result_type(0) else {
        return unsupported("reshape of something that is no tensor");
    };
    let known: i64 = tensor.dims.iter().filter_map(|d| d.fixed()).product();
    if tensor.dims.iter().filter(|d| d.fixed().is_none()).count() > 1 {
        return unsupported("a reshape to several run-time sizes");
    }
    Ok(tensor
        .dims
        .iter()
        .map(|dim| match dim.fixed() {
            Some(n) => Ix::Known(n),
            None => total.div(b, Ix::Known(known.max(1))),
        })
        .collect())
}

/// `low + size + (size - 1) interior + high`, at least 0.
fn padded<'c>(
    b: &Builder<'c>,
    size: Ix<'c>,
    low: Ix<'c>,
    high: Ix<'c>,
    interior: Ix<'c>,
) -> Ix<'c> {
    let gaps = size
        .sub(b, Ix::Known(1))
        .max(b, Ix::Known(0))
        .mul(b, interior);
    low.add(b, size)
        .add(b, gaps)
        .add(b, high)
        .max(b, Ix::Known(0))
}
