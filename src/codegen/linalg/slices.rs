//! What is a slice by its maps: `tensor.extract_slice`, `insert_slice` and `pad`.
//!
//! An operation that reads its operand at `start + step * d` in each dimension `d` takes a slice of
//! it; one that puts an operand there makes the operand a slice of its result. Where operations
//! start may be read at run time.

use super::{
    body::{Body, clamped},
    element::{extract, tensor, to_tensor},
    generic::{empty_of, fill, indices, mixed_sizes, sizes_of},
    maps::{forward_map, only_map},
    reads::Reads,
};
use crate::{
    error::{Result, unsupported},
    in_place::cast,
    index::Ix,
};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Interval, Op as Arithmetic, c};
use mapwright_mlir::{Builder, Dim, Op, Val, melior::ir::ValueLike};
use mapwright_ops::{attrs::Pad, query};

/// A box of a tensor: offsets, and steps, in each dimension.
struct Slice<'c> {
    offsets: Vec<Ix<'c>>,
    steps: Vec<Ix<'c>>,
}

impl<'c> Slice<'c> {
    /// The box that `map`, of operation `op`, goes to; `None` if it is not one.
    fn from_map(b: &Builder<'c>, op: Op<'c>, map: &IndexingMap) -> Result<Option<Self>> {
        if map.dims().len() != map.results().len() {
            return Ok(None);
        }
        let steps = map.results().iter().enumerate();
        let steps: Option<Vec<i64>> = steps.map(|(k, expr)| step(expr, k)).collect();
        let Some(steps) = steps else {
            return Ok(None);
        };
        let mut reads = Reads::in_front();
        let origin = vec![c(0); map.dims().len()];
        let starts = reads.composed(op, map, &origin, false)?.results;
        let body = Body::new(&reads, &[]);
        let offsets = starts.iter().map(|start| match start.as_constant() {
            Some(start) => Ok(Ix::Known(start)),
            None => body.index(b, start).map(Ix::Value),
        });
        Ok(Some(Self {
            offsets: offsets.collect::<Result<_>>()?,
            steps: steps.into_iter().map(Ix::Known).collect(),
        }))
    }

    /// The box of these sizes within the first operand of `op`, whose own sizes are known at run
    /// time only: operand `first + k` is where it begins in dimension `k`, unless it would leave
    /// the operand then.
    fn within(b: &Builder<'c>, op: Op<'c>, first: usize, sizes: &[Ix<'c>]) -> Result<Self> {
        if op.num_operands() != first + sizes.len() {
            return unsupported("a slice whose starts are one tensor");
        }
        let own = sizes_of(b, op.operand(0))?;
        let mut offsets = Vec::new();
        for (k, (own, size)) in own.into_iter().zip(sizes).enumerate() {
            let room = own.sub(b, *size);
            offsets.push(match room.known() {
                Some(0) => Ix::Known(0),
                _ => index_at(b, op.operand(first + k), &[])?.min(b, room),
            });
        }
        let steps = vec![Ix::Known(1); sizes.len()];
        Ok(Self { offsets, steps })
    }

    /// The box of a `real_dynamic_slice`.
    fn between(b: &Builder<'c>, op: Op<'c>) -> Result<Self> {
        let rank = tensor(op.operand(0))?.rank();
        let all = |operand: usize| {
            let of = move |k: usize| index_at(b, op.operand(operand), &[b.cidx(k as i64)]);
            (0..rank).map(of).collect::<Result<Vec<_>>>()
        };
        Ok(Self {
            offsets: all(1)?,
            steps: all(3)?,
        })
    }

    fn attributes(
        &self,
        b: &Builder<'c>,
        sizes: &[Ix<'c>],
        tensors: &[Val<'c>],
    ) -> (Vec<Val<'c>>, Vec<(&'static str, mapwright_mlir::Attr<'c>)>) {
        let (offsets, offset_values) = mixed_sizes(b, &self.offsets);
        let (sizes, size_values) = mixed_sizes(b, sizes);
        let (steps, step_values) = mixed_sizes(b, &self.steps);
        let mut segments = vec![1; tensors.len()];
        segments.extend([&offset_values, &size_values, &step_values].map(|list| list.len() as i32));
        let mut operands = tensors.to_vec();
        operands.extend([offset_values, size_values, step_values].concat());
        let attributes = vec![
            ("static_offsets", b.i64_array(&offsets)),
            ("static_sizes", b.i64_array(&sizes)),
            ("static_strides", b.i64_array(&steps)),
            ("operandSegmentSizes", b.i32_array(&segments)),
        ];
        (operands, attributes)
    }

    /// `value` in the place of the box of `into`.
    fn insert(&self, b: &Builder<'c>, value: Val<'c>, into: Val<'c>) -> Result<Val<'c>> {
        let sizes = sizes_of(b, value)?;
        let (operands, attributes) = self.attributes(b, &sizes, &[value, into]);
        Ok(b.op1("tensor.insert_slice", &operands, into.r#type(), &attributes))
    }
}

/// An integer of a tensor as an index, at least 0.
fn index_at<'c>(b: &Builder<'c>, value: Val<'c>, at: &[Val<'c>]) -> Result<Ix<'c>> {
    let element = tensor(value)?.element;
    let found = extract(b, value, at)?.one();
    let any = Interval::new(0, i64::MAX);
    Ok(Ix::Value(clamped(b, found, &element, any)))
}

/// The factor of dimension `k` in `start + k * step`, where nothing else is a dimension.
fn step(expr: &Expr, k: usize) -> Option<i64> {
    match expr.kind() {
        ExprKind::Dim(i) => (*i == k).then_some(1),
        ExprKind::Binary(Arithmetic::Mul, x, by) => match x.kind() {
            ExprKind::Dim(i) if *i == k => by.as_constant().filter(|step| *step > 0),
            _ => None,
        },
        ExprKind::Binary(Arithmetic::Add, x, y) => {
            if is_start(y) {
                step(x, k)
            } else if is_start(x) {
                step(y, k)
            } else {
                None
            }
        }
        _ => None,
    }
}

fn is_start(expr: &Expr) -> bool {
    let mut is_start = true;
    expr.for_each_variable(|kind| is_start &= matches!(kind, ExprKind::Runtime(_)));
    is_start
}

/// The result of `op`, of these sizes, as a slice of its first operand.
pub(super) fn extracted<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    sizes: &[Ix<'c>],
) -> Result<Option<Val<'c>>> {
    let slice = match (only_map(op, 0, 0), op.short_name()) {
        (Ok(map), _) => Slice::from_map(b, op, &map)?,
        (_, "dynamic_slice") => Some(Slice::within(b, op, 1, sizes)?),
        (_, "real_dynamic_slice") => Some(Slice::between(b, op)?),
        _ => None,
    };
    let Some(slice) = slice else {
        return Ok(None);
    };
    // Sizes may be known that the type does not say.
    let mut ty = tensor(op.result(0))?;
    for (dim, size) in ty.dims.iter_mut().zip(sizes) {
        *dim = size.known().map_or(Dim::Dynamic, Dim::Static);
    }
    let slice = if ty.dims.contains(&Dim::Static(0)) {
        // It may begin where its operand ends, which is outside of it for upstream.
        empty_of(b, &ty.element, &ty, sizes)
    } else {
        let (operands, attributes) = slice.attributes(b, sizes, &[op.operand(0)]);
        let ty = b.parse_type(&ty.to_string());
        b.op1("tensor.extract_slice", &operands, ty, &attributes)
    };
    Ok(Some(cast(b, slice, op.result(0).r#type())))
}

/// The box of the result that is operand `operand`; `None` if it is not one, or not all of it is
/// there.
fn place<'c>(b: &Builder<'c>, op: Op<'c>, operand: usize) -> Result<Option<Slice<'c>>> {
    let Ok(map) = forward_map(op, operand, 0) else {
        return Ok(None);
    };
    let ty = tensor(op.operand(operand))?;
    let own: Vec<_> = indices(&ty);
    let runtime: Vec<_> = map
        .runtime()
        .iter()
        .map(|variable| variable.interval)
        .collect();
    let holds = map.constraints().iter().all(|constraint| {
        let bounds = constraint.expr.bounds(&own, &[], &runtime);
        constraint.interval.contains_interval(bounds)
    });
    // Ends that are told by one dimension alone are in the interval of its variable.
    let mut all = ty.dims.iter().zip(map.dims());
    let whole = all.all(|(own, dim)| {
        let own = query::indices(query::size(*own));
        dim.interval.contains_interval(own)
    });
    let empty = own.iter().any(|interval| interval.is_empty());
    if holds && whole && !empty {
        Slice::from_map(b, op, &map)
    } else {
        Ok(None)
    }
}

/// Operands one beside the other in a new tensor of these sizes.
pub(super) fn concatenated<'c>(
    b: &Builder<'c>,
    op: Op<'c>,
    sizes: &[Ix<'c>],
) -> Result<Option<Val<'c>>> {
    let mut places = Vec::new();
    for i in 0..op.num_operands() {
        if tensor(op.operand(i))?.num_elements() == Some(0) {
            continue;
        }
        match place(b, op, i)? {
            Some(place) => places.push((op.operand(i), place)),
            None => return Ok(None),
        }
    }
    let ty = tensor(op.result(0))?;
    let mut result = empty_of(b, &ty.element, &ty, sizes);
    for (value, place) in places {
        result = place.insert(b, value, result)?;
    }
    Ok(Some(result))
}

/// The second operand in the place of a part of the first.
pub(super) fn updated<'c>(b: &Builder<'c>, op: Op<'c>) -> Result<Option<Val<'c>>> {
    let place = match place(b, op, 1)? {
        Some(place) => place,
        None => Slice::within(b, op, 2, &sizes_of(b, op.operand(1))?)?,
    };
    place.insert(b, op.operand(1), op.operand(0)).map(Some)
}

/// The first operand with the second around it, and between its elements.
pub(super) fn padded<'c>(b: &Builder<'c>, op: Op<'c>, sizes: &[Ix<'c>]) -> Result<Option<Val<'c>>> {
    let ty = tensor(op.result(0))?;
    if op.short_name() == "pad"
        && let Ok(pad) = Pad::decode(op, ty.rank())
        && pad.interior.iter().all(|n| *n == 0)
        && pad.low.iter().chain(&pad.high).all(|n| *n >= 0)
    {
        let value = extract(b, op.operand(1), &[])?;
        let value = to_tensor(b, &ty.element, value)?;
        let region = b.region(&vec![b.index(); ty.rank()], |b, _| {
            b.op("tensor.yield", &[value], &[], &[]);
        });
        let attributes = [
            ("static_low", b.i64_array(&pad.low)),
            ("static_high", b.i64_array(&pad.high)),
            ("operandSegmentSizes", b.i32_array(&[1, 0, 0])),
        ];
        let results = [op.result(0).r#type()];
        let operands = [op.operand(0)];
        let pad = b.op_with_regions("tensor.pad", &operands, &results, &attributes, vec![region]);
        return Ok(Some(pad.result(0)));
    }
    if op.short_name() == "pad"
        && let Ok(pad) = Pad::decode(op, ty.rank())
        && pad.interior.iter().all(|n| *n == 0)
        && pad.low.iter().chain(&pad.high).all(|n| *n <= 0)
    {
        return extracted(b, op, sizes);
    }
    let Some(place) = place(b, op, 0)? else {
        return Ok(None);
    };
    let around = extract(b, op.operand(1), &[])?;
    let all = fill(b, around, empty_of(b, &ty.element, &ty, sizes))?;
    place.insert(b, op.operand(0), all).map(Some)
}
