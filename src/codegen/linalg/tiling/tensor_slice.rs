//! Boxes of tensors, and the box that a map goes to from one.

use super::{clone_for_tile::Tiler, loops_of};
use crate::{
    error::{Result, Unsupported, unsupported},
    index::Ix,
    linalg::{element::tensor, generic::mixed_sizes},
};
use mapwright_analysis::tiles::Tile as Upstream;
use mapwright_indexing::linear::{Atom, Facts, Sum};
use mapwright_indexing::{Expr, ExprKind, IndexingMap};
use mapwright_mlir::{Builder, Dim, ElementType, Op, TensorType, Ty, Val};
use mapwright_ops::query::{self, parse_size_label};

/// A box of a tensor; of the loops of an operation that reduces, those come behind the dimensions
/// of the result.
#[derive(Clone)]
pub(super) struct TensorSlice<'c> {
    pub offsets: Vec<Ix<'c>>,
    pub sizes: Vec<Ix<'c>>,
}

impl<'c> TensorSlice<'c> {
    /// All of a tensor of these sizes.
    pub fn all(sizes: Vec<Ix<'c>>) -> Self {
        Self {
            offsets: vec![Ix::Known(0); sizes.len()],
            sizes,
        }
    }

    /// The first `rank` dimensions.
    pub fn first(&self, rank: usize) -> Self {
        Self {
            offsets: self.offsets[..rank].to_vec(),
            sizes: self.sizes[..rank].to_vec(),
        }
    }

    /// Whether it is certain to be all of `value`.
    pub fn is_all(&self, value: Val<'c>) -> Result<bool> {
        let ty = tensor(value)?;
        let mut all = ty.dims.iter().zip(self.offsets.iter().zip(&self.sizes));
        Ok(all.all(|(dim, (offset, size))| {
            offset.known() == Some(0) && size.known().is_some() && dim.fixed() == size.known()
        }))
    }

    /// The type of a tensor with these elements.
    pub fn ty(&self, b: &Builder<'c>, element: &ElementType) -> Ty<'c> {
        let dim = |size: &Ix<'c>| size.known().map_or(Dim::Dynamic, Dim::Static);
        let ty = TensorType {
            element: element.clone(),
            dims: self.sizes.iter().map(dim).collect(),
        };
        b.parse_type(&ty.to_string())
    }

    /// The box of `value`, in steps.
    pub fn slice_of(&self, b: &Builder<'c>, value: Val<'c>, steps: &[i64]) -> Result<Op<'c>> {
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

/// The box of operand `operand` of `op` that `map` goes to from `tile`.
pub(super) fn image_of_tile<'c>(
    b: &Builder<'c>,
    tiler: &mut dyn Tiler<'c>,
    read: (Op<'c>, usize),
    map: &IndexingMap,
    tile: &TensorSlice<'c>,
) -> Result<TensorSlice<'c>> {
    let (part, strides) = image_of_tile_in_steps(b, tiler, read, map, tile)?;
    if strides.iter().all(|stride| *stride == 1) {
        Ok(part)
    } else {
        unsupported("a tile of elements at distances")
    }
}

/// The elements of operand `operand` of `op` that `map` goes to from `tile`, with their distances,
/// as the analysis of tiles has them ([`Upstream`]). Loops that the tile does not name run over
/// everything.
pub(super) fn image_of_tile_in_steps<'c>(
    b: &Builder<'c>,
    tiler: &mut dyn Tiler<'c>,
    (op, operand): (Op<'c>, usize),
    map: &IndexingMap,
    tile: &TensorSlice<'c>,
) -> Result<(TensorSlice<'c>, Vec<i64>)> {
    let loops = loops_of(op, operand, map)?;
    let rank = map.dims().len();
    let mut given = tile.first(rank);
    for (i, (range, number)) in map.ranges().iter().zip(loops).enumerate() {
        let at = rank + number;
        let whole = range.interval;
        let (first, count) = match tile.sizes.get(at) {
            Some(size) => (tile.offsets[at], *size),
            None if whole.upper < i64::MAX => {
                let size = i64::try_from(whole.len()).unwrap_or(i64::MAX);
                (Ix::Known(whole.lower), Ix::Known(size))
            }
            None => {
                let own = ExprKind::Range(i);
                let place = map.results().iter().position(|expr| *expr.kind() == own);
                let Some(k) = place else {
                    return unsupported("a loop whose size is known at run time only");
                };
                (Ix::Known(0), tiler.size(b, op.operand(operand), k)?)
            }
        };
        given.offsets.push(first);
        given.sizes.push(count);
    }
    // The tile is a part of the result, so that where this ends cuts off nothing. Loops are
    // dimensions, too.
    let mut map = map.clone().ranges_to_dims();
    map.edit(|m| m.constraints.clear());
    let sizes: Vec<i64> = (map.dims().iter())
        .map(|dim| dim.interval.upper.saturating_add(1))
        .collect();
    let own = query::sizes(&tensor(op.operand(operand))?);
    let ones = vec![1; sizes.len()];
    let upstream = Upstream::root(&sizes, &ones).through(&map, &sizes, &own);
    let upstream = upstream.map_err(Unsupported)?;
    if upstream.conditions().next().is_some() {
        return unsupported("an index that is no sum of multiples");
    }
    let mut number = |expr: &Expr| {
        let sum = linear(expr, given.sizes.len());
        let Some((terms, constant)) = sum.as_ref().and_then(Sum::numbers) else {
            return unsupported("an index that is no sum of multiples");
        };
        let mut number = Ix::Known(0);
        let mut taken = Vec::new();
        for (atom, factor) in terms {
            let value = match (atom.as_var(), atom.as_value()) {
                (Some(k), _) => match k.checked_sub(given.sizes.len()) {
                    None => given.offsets[k],
                    Some(k) => given.sizes[k],
                },
                (_, Some(k)) => read(b, tiler, op, &upstream.runtime[k].origin.value)?,
                _ => return unsupported("an index that is no sum of multiples"),
            };
            match factor {
                ..0 => taken.push(value.mul(b, Ix::Known(-factor))),
                _ => number = number.add(b, value.mul(b, Ix::Known(factor))),
            }
        }
        let number = number.add(b, Ix::Known(constant));
        let less = |number: Ix<'c>, value| number.sub(b, value);
        Ok(taken.into_iter().fold(number, less))
    };
    let offsets = upstream.offsets.iter().map(&mut number);
    let offsets = offsets.collect::<Result<_>>()?;
    let sizes = upstream.sizes.iter().map(&mut number);
    let sizes = sizes.collect::<Result<_>>()?;
    Ok((TensorSlice { offsets, sizes }, upstream.strides))
}

/// An expression over offsets, sizes and runtime variables of a tile of `rank` dimensions, as a sum
/// of multiples: offsets are variables, sizes those behind them, and what is read at run time is a
/// value. `None` if it is none, or if a number is beyond 64 bits.
fn linear(expr: &Expr, rank: usize) -> Option<Sum> {
    let variable = |kind: &ExprKind| match kind {
        ExprKind::Dim(i) => Some(Sum::var(*i)),
        ExprKind::Range(i) => Some(Sum::var(rank + i)),
        ExprKind::Runtime(i) => Some(Sum::atom(Atom::value(*i))),
        _ => None,
    };
    let sum = Sum::of_expr(expr, &Facts::default(), &variable)?;
    let mut factors = sum.terms.iter().map(|(_, factor)| *factor);
    (!sum.is_beyond() && factors.all(|factor| factor != i64::MIN)).then_some(sum)
}

/// A size that a map reads.
fn read<'c>(b: &Builder<'c>, tiler: &mut dyn Tiler<'c>, op: Op<'c>, label: &str) -> Result<Ix<'c>> {
    let size = parse_size_label(label).and_then(|(value, k)| Some((value.parse().ok()?, k)));
    let Some((operand, k)) = size else {
        return unsupported("an index that is read at run time");
    };
    let operand: usize = operand;
    tiler.size(b, op.operand(operand), k)
}
