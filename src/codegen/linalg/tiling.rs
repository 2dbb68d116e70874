//! An operation for a tile of its result, from its maps: upstream's `TilingInterface`.
//!
//! The tile of an operand is the box that the map goes to from the tile of the result; range variables run over all of their values. What
//! leaves the operand (around the border of a `pad`, between the operands of a `concatenate`) is cut off, and may be empty.

use super::{
    element::{check, extract, tensor, to_tensor},
    generic::mixed_sizes,
    maps::only_map,
};
use crate::{
    error::{Result, unsupported},
    index::Ix,
    mixed::cast,
    scalar,
};
use mapwright_indexing::{Expr, ExprKind, IndexingMap, Op as Arithmetic};
use mapwright_mlir::{
    Builder, Dim, ElementType, Op, TensorType, Ty, Val, edit,
    tiling::{Hooks, Number, Tile, Tiled, install},
};
use mapwright_ops::{
    attrs::{self, Pad, Slice},
    registry,
};
use std::collections::HashMap;

/// Operations that are made again for a tile as they are, but for the slices of their operands.
const SAME: [&str; 5] = [
    "broadcast_in_dim",
    "dot_general",
    "reduce",
    "reverse",
    "transpose",
];
/// Operations that become others.
const OTHERS: [&str; 3] = ["concatenate", "pad", "slice"];

/// Before the first program is read. May be called more than once.
pub fn install_hooks() {
    install(Hooks {
        tiles: |name| {
            let short = name.strip_prefix("stablehlo.").unwrap_or_default();
            let elementwise = registry::by_name(short).is_some_and(|def| {
                def.class == registry::Class::Elementwise && def.family == "elementwise"
            });
            elementwise || SAME.contains(&short) || OTHERS.contains(&short)
        },
        tiled: |b, op, tile| tiled(b, op, tile).ok(),
    });
}

fn numbers<'c>(numbers: &[Number<'c>]) -> Vec<Ix<'c>> {
    let number = |number: &Number<'c>| match number {
        Number::Known(n) => Ix::Known(*n),
        Number::Value(value) => Ix::Value(*value),
    };
    numbers.iter().map(number).collect()
}

/// A box of a tensor.
#[derive(Clone)]
struct Part<'c> {
    offsets: Vec<Ix<'c>>,
    sizes: Vec<Ix<'c>>,
}

impl<'c> Part<'c> {
    /// The type of a tensor with these elements.
    fn ty(&self, b: &Builder<'c>, element: &ElementType) -> Ty<'c> {
        let dim = |size: &Ix<'c>| size.known().map_or(Dim::Dynamic, Dim::Static);
        let ty = TensorType {
            element: element.clone(),
            dims: self.sizes.iter().map(dim).collect(),
        };
        b.parse_type(&ty.to_string())
    }

    /// The box of `value`, in steps.
    fn of(&self, b: &Builder<'c>, value: Val<'c>, steps: &[i64]) -> Result<Op<'c>> {
        let (offsets, offset_values) = mixed_sizes(b, &self.offsets);
        let (sizes, size_values) = mixed_sizes(b, &self.sizes);
        let segments = [1, offset_values.len() as i32, size_values.len() as i32, 0];
        let attributes = [
            ("static_offsets", b.i64_array(&offsets)),
            ("static_sizes", b.i64_array(&sizes)),
            ("static_strides", b.i64_array(steps)),
            ("operandSegmentSizes", b.i32_array(&segments)),
        ];
        let operands = [vec![value], offset_values, size_values].concat();
        let ty = self.ty(b, &tensor(value)?.element);
        Ok(b.op("tensor.extract_slice", &operands, &[ty], &attributes))
    }
}

/// The operation for a tile of its results.
///
/// # Errors
/// Why there is none.
fn tiled<'c>(b: &Builder<'c>, op: Op<'c>, tile: &Tile<'c>) -> Result<Tiled<'c>> {
    for value in op.operands().into_iter().chain(op.results()) {
        check(value)?;
        if tensor(value)?.static_shape().is_none() {
            return unsupported("a size that is known at run time only");
        }
    }
    let tile = Part {
        offsets: numbers(&tile.offsets),
        sizes: numbers(&tile.sizes),
    };
    match op.short_name() {
        "slice" => slice(b, op, &tile),
        "pad" => padded(b, op, &tile),
        "concatenate" => concatenated(b, op, &tile),
        name if SAME.contains(&name) || scalar::is_elementwise(op) => again(b, op, &tile),
        name => unsupported(format!("'{name}' has no tiles")),
    }
}

/// A sum of multiples of the variables of a map, and a number.
#[derive(Default)]
struct Linear {
    terms: Vec<(ExprKind, i64)>,
    constant: i64,
}

fn linear(expr: &Expr) -> Option<Linear> {
    Some(match expr.kind() {
        ExprKind::Constant(constant) => Linear {
            constant: *constant,
            ..Linear::default()
        },
        ExprKind::Dim(_) | ExprKind::Range(_) => Linear {
            terms: vec![(expr.kind().clone(), 1)],
            constant: 0,
        },
        ExprKind::Binary(Arithmetic::Add, x, y) => {
            let (mut x, y) = (linear(x)?, linear(y)?);
            x.terms.extend(y.terms);
            x.constant = x.constant.checked_add(y.constant)?;
            x
        }
        ExprKind::Binary(Arithmetic::Mul, x, k) => {
            let (mut x, k) = (linear(x)?, k.as_constant()?);
            for (_, factor) in &mut x.terms {
                *factor = factor.checked_mul(k)?;
            }
            x.constant = x.constant.checked_mul(k)?;
            x
        }
        _ => return None,
    })
}

/// The box that `map` goes to from `tile`.
fn reached<'c>(b: &Builder<'c>, map: &IndexingMap, tile: &Part<'c>) -> Result<Part<'c>> {
    let mut found = Part {
        offsets: Vec::new(),
        sizes: Vec::new(),
    };
    for expr in &map.results {
        let Some(sum) = linear(expr) else {
            return unsupported("an index that is no sum of multiples");
        };
        let mut offset = Ix::Known(sum.constant);
        let mut extent = Ix::Known(0);
        for (variable, factor) in sum.terms {
            let (first, size) = match variable {
                ExprKind::Dim(i) => (tile.offsets[i], tile.sizes[i]),
                ExprKind::Range(i) => {
                    let interval = map.ranges[i].interval;
                    let size = interval.upper - interval.lower + 1;
                    (Ix::Known(interval.lower), Ix::Known(size))
                }
                _ => return unsupported("an index that is read at run time"),
            };
            let last = size.sub(b, Ix::Known(1));
            // Of a dimension that is read backwards the last element comes first.
            let lowest = match factor < 0 {
                true => first.add(b, last),
                false => first,
            };
            offset = offset.add(b, lowest.mul(b, Ix::Known(factor)));
            extent = extent.add(b, last.mul(b, Ix::Known(factor.abs())));
        }
        found.offsets.push(offset);
        found.sizes.push(extent.add(b, Ix::Known(1)));
    }
    Ok(found)
}

/// The box of a value; the value itself where that is all of it.
fn sliced<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    part: &Part<'c>,
    made: &mut Tiled<'c>,
) -> Result<Val<'c>> {
    let ty = tensor(value)?;
    let all = ty.dims.iter().zip(&part.sizes);
    let whole = all.clone().all(|(dim, size)| dim.fixed() == size.known());
    if whole {
        return Ok(value);
    }
    let slice = part.of(b, value, &vec![1; ty.rank()])?;
    made.slices.push(slice);
    Ok(slice.result(0))
}

/// The same operation on the tiles of its operands.
fn again<'c>(b: &Builder<'c>, op: Op<'c>, tile: &Part<'c>) -> Result<Tiled<'c>> {
    let mut made = Tiled::default();
    let mut operands = Vec::new();
    for (i, value) in op.operands().into_iter().enumerate() {
        let part = reached(b, &only_map(op, 0, i)?, tile)?;
        operands.push(sliced(b, value, &part, &mut made)?);
    }
    let results = op.results().into_iter();
    let types = results.map(|value| Ok(tile.ty(b, &tensor(value)?.element)));
    let types: Vec<Ty<'c>> = types.collect::<Result<_>>()?;
    let attributes = op.attributes();
    let mut attributes: Vec<_> = attributes.iter().map(|(n, a)| (n.as_str(), *a)).collect();
    let mut name = op.name();
    let is_static = tile.sizes.iter().all(|size| size.known().is_some());
    if op.short_name() == "broadcast_in_dim" && !is_static {
        // Only the dynamic form has results of run-time sizes.
        let shape = TensorType::new(ElementType::Index, &[tile.sizes.len() as i64]);
        let shape = b.parse_type(&shape.to_string());
        let sizes: Vec<Val<'c>> = tile.sizes.iter().map(|size| size.value(b)).collect();
        operands.push(b.op1("tensor.from_elements", &sizes, shape, &[]));
        attributes.retain(|(name, _)| *name == "broadcast_dimensions");
        name = "stablehlo.dynamic_broadcast_in_dim";
    }
    let copy = edit::clone(op, &HashMap::new());
    let regions = edit::take_regions(copy);
    edit::erase_unused(copy);
    let tiled = b.op_with_regions(name, &operands, &types, &attributes, regions);
    made.results = tiled.results();
    made.ops.push(tiled);
    Ok(made)
}

/// A slice of a slice.
fn slice<'c>(b: &Builder<'c>, op: Op<'c>, tile: &Part<'c>) -> Result<Tiled<'c>> {
    let bad = |error: attrs::AttrError| crate::Unsupported(error.to_string());
    let slice = Slice::decode(op, tile.sizes.len()).map_err(bad)?;
    let offsets = tile.offsets.iter().enumerate().map(|(k, offset)| {
        let step = Ix::Known(slice.stride[k]);
        offset.mul(b, step).add(b, Ix::Known(slice.start[k]))
    });
    let part = Part {
        offsets: offsets.collect(),
        sizes: tile.sizes.clone(),
    };
    let made = part.of(b, op.operand(0), &slice.stride)?;
    Ok(Tiled {
        results: made.results(),
        ops: vec![made],
        slices: Vec::new(),
    })
}

/// `[0, most]` around a number.
fn clamped<'c>(b: &Builder<'c>, number: Ix<'c>, most: Ix<'c>) -> Ix<'c> {
    number.max(b, Ix::Known(0)).min(b, most)
}

/// What of the `tile` along a dimension lies over `n` elements from `first` on: where it begins among them, and how many it has.
fn overlap<'c>(
    b: &Builder<'c>,
    (offset, size): (Ix<'c>, Ix<'c>),
    first: i64,
    n: i64,
) -> (Ix<'c>, Ix<'c>) {
    let begin = offset.sub(b, Ix::Known(first));
    let from = clamped(b, begin, Ix::Known(n));
    let to = clamped(b, begin.add(b, size), Ix::Known(n));
    (from, to.sub(b, from))
}

fn padded<'c>(b: &Builder<'c>, op: Op<'c>, tile: &Part<'c>) -> Result<Tiled<'c>> {
    let bad = |error: attrs::AttrError| crate::Unsupported(error.to_string());
    let rank = tile.sizes.len();
    let pad = Pad::decode(op, rank).map_err(bad)?;
    if pad.interior.iter().any(|n| *n != 0) || pad.low.iter().chain(&pad.high).any(|n| *n < 0) {
        return unsupported("padding between elements, or less than none");
    }
    let own = tensor(op.operand(0))?;
    let mut part = Part {
        offsets: Vec::new(),
        sizes: Vec::new(),
    };
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for k in 0..rank {
        let along = (tile.offsets[k], tile.sizes[k]);
        let n = own.dims[k].fixed().unwrap_or(0);
        let (from, size) = overlap(b, along, pad.low[k], n);
        let before = clamped(b, Ix::Known(pad.low[k]).sub(b, along.0), along.1);
        low.push(before);
        high.push(along.1.sub(b, before).sub(b, size));
        part.offsets.push(from);
        part.sizes.push(size);
    }
    let slice = part.of(b, op.operand(0), &vec![1; rank])?;
    let value = extract(b, op.operand(1), &[])?;
    let value = to_tensor(b, &own.element, value)?;
    let region = b.region(&vec![b.index(); rank], |b, _| {
        b.op("tensor.yield", &[value], &[], &[]);
    });
    let (static_low, low) = mixed_sizes(b, &low);
    let (static_high, high) = mixed_sizes(b, &high);
    let segments = [1, low.len() as i32, high.len() as i32];
    let attributes = [
        ("static_low", b.i64_array(&static_low)),
        ("static_high", b.i64_array(&static_high)),
        ("operandSegmentSizes", b.i32_array(&segments)),
    ];
    let operands = [vec![slice.result(0)], low, high].concat();
    let results = [tile.ty(b, &own.element)];
    let made = b.op_with_regions("tensor.pad", &operands, &results, &attributes, vec![region]);
    Ok(Tiled {
        results: made.results(),
        ops: vec![made],
        slices: vec![slice],
    })
}

fn concatenated<'c>(b: &Builder<'c>, op: Op<'c>, tile: &Part<'c>) -> Result<Tiled<'c>> {
    let bad = |error: attrs::AttrError| crate::Unsupported(error.to_string());
    let axis = attrs::int(op, "dimension").map_err(bad)?;
    let axis = attrs::axis("dimension", axis, tile.sizes.len()).map_err(bad)?;
    let mut made = Tiled::default();
    let mut operands = Vec::new();
    let mut first = 0;
    for value in op.operands() {
        let n = tensor(value)?.dims[axis].fixed().unwrap_or(0);
        let along = (tile.offsets[axis], tile.sizes[axis]);
        let mut part = tile.clone();
        (part.offsets[axis], part.sizes[axis]) = overlap(b, along, first, n);
        first += n;
        operands.push(sliced(b, value, &part, &mut made)?);
    }
    // How much of each there is, only the sum of all says.
    let element = tensor(op.result(0))?.element;
    let types = operands.iter().map(|value| tensor(*value));
    let types = types.collect::<Result<Vec<_>>>()?;
    let is_known = types.iter().all(|ty| ty.dims[axis].fixed().is_some());
    let mut joined = tensor(op.result(0))?;
    for (k, (dim, size)) in joined.dims.iter_mut().zip(&tile.sizes).enumerate() {
        *dim = match size.known().filter(|_| k != axis || is_known) {
            Some(n) => Dim::Static(n),
            None => Dim::Dynamic,
        };
    }
    let attributes = [("dimension", b.i64_attr(axis as i64))];
    let results = [b.parse_type(&joined.to_string())];
    let joined = b.op("stablehlo.concatenate", &operands, &results, &attributes);
    made.results = vec![cast(b, joined.result(0), tile.ty(b, &element))];
    made.ops.push(joined);
    Ok(made)
}
